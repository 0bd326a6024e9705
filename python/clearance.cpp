// least_clearance: proved and measured bounds that are close together.
#include <limits>

#include "convert.h"
#include "docs.h"
#include "proven/certify/least_clearance.h"
#include "requirements.h"

namespace proven::python {
namespace {

py::dict to_dict(const ClearanceBounds& bounds, const Scene& scene, const Motion& motion) {
  py::dict d;
  d["at_least"] = bounds.at_least;
  d["at_most"] = bounds.at_most;
  if (bounds.bodies[0] < 0) return d;
  d["pair"] = py::make_tuple(scene.body(bounds.bodies[0]).name, scene.body(bounds.bodies[1]).name);
  d["class"] =
      py::str(std::string(to_string(scene.pair_class(bounds.bodies[0], bounds.bodies[1]))));
  d["segment"] = bounds.segment;
  d["t"] = bounds.t;
  if (!motion.times.empty()) d["time"] = bounds.time;
  d["points"] = py::make_tuple(to_array(bounds.points[0]), to_array(bounds.points[1]));
  return d;
}

py::dict to_dict(const LeastClearance& found, const Scene& scene, const Motion& motion) {
  py::dict d;
  if (found.verdict == Verdict::free) {
    d = to_dict(found.least, scene, motion);
  } else {
    d["at_least"] = py::none();
    d["at_most"] = py::none();
  }
  d["verdict"] = std::string(to_string(found.verdict));
  d["tight"] = found.tight;
  d["note"] = found.note;
  py::dict classes;
  for (const ClassClearance& of_class : found.classes)
    classes[py::str(std::string(to_string(of_class.kind)))] =
        to_dict(of_class.bounds, scene, motion);
  d["classes"] = classes;
  const auto list = [&](const std::vector<ClearanceBounds>& all) {
    py::list rows;
    for (const ClearanceBounds& bounds : all) rows.append(to_dict(bounds, scene, motion));
    return rows;
  };
  d["segments"] = list(found.segments);
  d["pairs"] = list(found.pairs);
  py::list stretches;
  for (const ClearanceStretch& s : found.stretches)
    stretches.append(
        py::make_tuple(s.segment, s.begin, s.end, s.bounds.at_least, s.bounds.at_most));
  d["stretches"] = stretches;
  d["seconds"] = found.seconds;
  return d;
}

py::dict find(const PyScene& scene, const py::object& path, double tolerance,
              const Clearances& clearance, double resolution, const TrackingError& tracking_error,
              int stretches, double max_seconds) {
  LeastClearanceOptions options;
  options.tolerance = tolerance;
  options.stretches = stretches;
  options.check.clearance = clearance;
  options.check.resolution = resolution;
  options.check.tracking_error = tracking_error;
  const Motion motion = to_motion(path, scene);
  std::atomic<bool> cancel = false;
  const LeastClearance found = value_of(interruptible(cancel, [&] {
    return least_clearance(scene.scene, motion, options, Budget::of_seconds(max_seconds, &cancel));
  }));
  return to_dict(found, scene.scene, motion);
}

}  // namespace

void bind_clearance(py::module_& module) {
  module.def(
      "least_clearance", find, py::arg("scene"), py::arg("path"), py::arg("tolerance") = 0.001,
      py::kw_only(), py::arg("clearance") = 0.0, py::arg("resolution") = 1e-6,
      py::arg("tracking_error") = 0.0, py::arg("stretches") = 64,
      py::arg("max_seconds") = std::numeric_limits<double>::infinity(), doc::least_clearance);
}

}  // namespace proven::python
