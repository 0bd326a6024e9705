// What proven.scale is made of: an audit in parts, and the files that it writes.
#include "audit/audit.h"

#include <pybind11/stl/filesystem.h>

#include "convert.h"
#include "proven/io/journal.h"
#include "proven/io/loaded_parts.h"
#include "proven/io/proof_archive.h"
#include "proven/io/scene_file.h"
#include "scenes/scenes.h"

namespace proven::python {
namespace {

// A data set, open and ready to be judged on one thread.
struct PyAudit {
  DataSet set;
  std::string header;
  audit::Auditor auditor;

  PyAudit(DataSet opened, const audit::AuditOptions& options, const audit::SceneLoader& load,
          const std::string& claims)
      : set(std::move(opened)),
        header(audit::header_of(set, options, {}, claims)),
        auditor(set, options, load, 1) {}
};

std::unique_ptr<PyAudit> open_audit(const std::filesystem::path& data_set, const std::string& scene,
                                    const Clearances& clearance,
                                    const TrackingError& tracking_error, double resolution,
                                    std::int64_t max_cells, bool certificates, bool least_clearance,
                                    bool trust_srdf_never, bool allow_empty, bool ignore_limits) {
  audit::AuditOptions options;
  options.check.clearance = clearance;
  options.check.tracking_error = tracking_error;
  options.check.resolution = resolution;
  options.check.max_cells = max_cells;
  options.check.certificate = certificates;
  options.least_clearance = least_clearance;
  options.path.ignore_limits = ignore_limits;
  if (ignore_limits) options.check.limits = Limits::ignore;
  value_of(validate(options.check));
  const auto load =
      [=, parts = std::make_shared<LoadedParts>()](const std::string& name) -> Result<Scene> {
    if (!std::filesystem::exists(name))
      if (auto source = make_scene(name); source.ok()) return build_scene(source.value());
    SceneOptions reading;
    reading.trust_srdf_never = trust_srdf_never;
    reading.allow_empty = allow_empty;
    reading.cache = default_cache_folder();
    return load_scene(name, reading, *parts);
  };
  std::string claims;
  for (const auto& [word, set] :
       {std::pair{"trust_srdf_never", trust_srdf_never}, std::pair{"allow_empty", allow_empty}})
    if (set) claims += (claims.empty() ? "\"" : ",\"") + std::string(word) + "\":true";
  return std::make_unique<PyAudit>(value_of(DataSet::open(data_set, scene)), options, load,
                                   "{" + claims + "}");
}

// The rows of these paths, and the records of their certificates, as the files hold them.
py::tuple judge(PyAudit& audit, std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin || end > audit.set.size())
    throw LibraryError{bad_input("there are no such paths")};
  std::string rows, records;
  {
    py::gil_scoped_release release;
    std::vector<std::int64_t> paths;
    for (std::int64_t i = begin; i < end; ++i) paths.push_back(i);
    const auto audited = value_of(audit.auditor.judge(paths));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      rows += audited[i].row;
      if (!audited[i].certificate.empty())
        ProofArchive::add_record(paths[i], audited[i].certificate, records);
    }
  }
  return py::make_tuple(py::bytes(rows), py::bytes(records));
}

}  // namespace

void bind_audit(py::module_& parent) {
  py::module_ module = parent.def_submodule("scale", "Audits in parts");
  py::class_<PyAudit>(module, "Audit", "A data set that is open, to be judged in parts.")
      .def(py::init(&open_audit), py::arg("data_set"), py::arg("scene") = "", py::kw_only(),
           py::arg("clearance") = 0.0, py::arg("tracking_error") = 0.0,
           py::arg("resolution") = 1e-6,
           py::arg("max_cells") = std::numeric_limits<std::int64_t>::max(),
           py::arg("certificates") = false, py::arg("least_clearance") = false,
           py::arg("trust_srdf_never") = false, py::arg("allow_empty") = false,
           py::arg("ignore_limits") = false)
      .def_property_readonly("header", [](const PyAudit& a) { return a.header; })
      .def("__len__", [](const PyAudit& a) { return a.set.size(); })
      .def("judge", judge, py::arg("begin"), py::arg("end"),
           "Rows of these paths, and records of their certificates.");
  py::class_<Journal>(module, "Journal", "Lines in a file behind a header; what is there is kept.")
      .def(py::init([](const std::filesystem::path& file, const std::string& header) {
             return value_of(Journal::open(file, header));
           }),
           py::arg("file"), py::arg("header"))
      .def("__len__", [](const Journal& j) { return j.lines(); })
      .def(
          "append", [](Journal& j, const std::string& lines) { value_of(j.append(lines)); },
          py::arg("lines"), "Adds whole lines.")
      .def(
          "sync", [](const Journal& j) { value_of(j.sync()); }, "Waits for the disk.");
  py::class_<ProofArchive>(module, "Archive", "Certificates of an audit in one file.")
      .def(py::init(
               [](const std::filesystem::path& file, const std::string& header, std::int64_t next) {
                 return value_of(ProofArchive::open(file, header, next));
               }),
           py::arg("file"), py::arg("header"), py::arg("next"))
      .def(
          "append",
          [](ProofArchive& a, const std::string& records) { value_of(a.append(records)); },
          py::arg("records"), "Adds whole records.")
      .def(
          "sync", [](const ProofArchive& a) { value_of(a.sync()); }, "Waits for the disk.")
      .def(
          "finish", [](ProofArchive& a) { value_of(a.finish()); }, "Adds the table of contents.");
}

}  // namespace proven::python
