// The viewer's page as text, for proven.notebook.
#include "convert.h"
#include "tools/view/document.h"
#include "tools/view/page.h"

namespace proven::python {
namespace {

// With a certificate the independent verifier is asked; without one the motion is checked first.
tools::ShownMotion shown(const PyScene& scene, const SceneSource& source, const Motion& motion,
                         const py::object& certificate, const CheckOptions& options) {
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  if (certificate.is_none())
    return value_of(interruptible(cancel, [&] {
      return tools::check_motion(source, scene.scene, motion, options, source.trust_srdf_never,
                                 budget);
    }));
  const auto bytes = certificate.cast<std::string>();
  return interruptible(cancel, [&] {
    tools::ShownMotion known;
    known.path = motion;
    known.options = options;
    tools::verify_motion(source,
                         {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                         source.trust_srdf_never, known);
    return known;
  });
}

std::string page(const PyScene& scene, const py::object& path, const py::object& certificate,
                 const Clearances& clearance, const TrackingError& tracking_error,
                 const std::string& title) {
  tools::ViewDocument document(title);
  document.set_scene(scene.scene, tools::size_of(scene.scene));
  if (!path.is_none()) {
    CheckOptions options;
    options.clearance = clearance;
    options.tracking_error = tracking_error;
    options.certificate = true;
    const SceneSource source = scene.scene.description();
    tools::ShownMotion motion = shown(scene, source, to_motion(path, scene), certificate, options);
    std::atomic<bool> cancel = false;
    interruptible(cancel, [&] {
      tools::find_clearance(scene.scene, motion);
      return 0;
    });
    document.add_motion(scene.scene, motion);
  }
  return value_of(tools::page_of(document));
}

}  // namespace

void bind_notebook(py::module_& module) {
  module.def("_page", page, py::arg("scene"), py::arg("path"), py::arg("certificate"),
             py::arg("clearance"), py::arg("tracking_error"), py::arg("title"));
}

}  // namespace proven::python
