// The module proven._core; python/proven/__init__.py is what people import.
#include "convert.h"

namespace proven::python {
void bind_audit(py::module_& parent);
void bind_clearance(py::module_& module);

namespace {

// Protocols 0 and 1 make an object before they know how, and the process would end.
void refuse_old_pickles(const py::handle& module) {
  const auto reduce = [](const py::object& self, int protocol) -> py::object {
    if (protocol < 2) throw py::type_error("give pickle a protocol of 2 or later");
    return py::module_::import("builtins").attr("object").attr("__reduce_ex__")(self, protocol);
  };
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (PyModule_Check(value.ptr())) refuse_old_pickles(value);
    if (!PyType_Check(value.ptr()) || !value.attr("__dict__").contains("__setstate__")) continue;
    value.attr("__reduce_ex__") =
        py::cpp_function(reduce, py::name("__reduce_ex__"), py::is_method(value));
  }
}

}  // namespace
}  // namespace proven::python

PYBIND11_MODULE(_core, module) {
  using namespace proven;
  using namespace proven::python;
  module.doc() = "Proofs that robot motion is free of collision";
  static py::exception<LibraryError> error(module, "Error", PyExc_ValueError);
  error.attr("__doc__") = "Says what is wrong, where, and the remedy.";
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const LibraryError& e) {
      error(e.error.text().c_str());
    }
  });
  module.attr("__version__") = PROVEN_VERSION;
  bind_robot(module);
  bind_scene(module);
  bind_motion(module);
  bind_check(module);
  bind_clearance(module);
  bind_plan(module);
  bind_tool(module);
  bind_notebook(module);
  bind_roadmap(module);
  bind_spacetime(module);
  bind_task(module);
  bind_audit(module);
  refuse_old_pickles(module);
}
