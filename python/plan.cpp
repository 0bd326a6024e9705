// plan, smooth and time.
#include "proven/plan/plan.h"

#include <fmt/format.h>

#include "convert.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"

namespace proven::python {
namespace {

py::bytes to_bytes(const Certificate& certificate) {
  return py::bytes(reinterpret_cast<const char*>(certificate.data()), certificate.size());
}

PlanResult plan_one(std::shared_ptr<PyScene> scene, const Array& start, const Array& goal,
                    const std::string& planner, std::uint64_t seed, const Clearances& clearance,
                    bool certificate, double max_seconds, bool any_turn, bool beyond_limits) {
  Query query;
  query.start = to_vector(start, "the start");
  query.goal = to_vector(goal, "the goal");
  query.any_turn = any_turn;
  if (beyond_limits) ignore_limits(scene->scene, query);
  PlanOptions options;
  options.planner = planner;
  options.seed = seed;
  options.check.clearance = clearance;
  options.check.certificate = certificate;
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  return value_of(
      interruptible(cancel, [&] { return plan(scene->scene, query, options, budget); }));
}

SmoothResult smooth_one(std::shared_ptr<PyScene> scene, const py::object& path, std::uint64_t seed,
                        const Clearances& clearance, bool certificate, std::int64_t max_steps,
                        double max_seconds) {
  const Path waypoints = to_path(path, *scene);
  SmoothOptions options;
  options.seed = seed;
  options.check.clearance = clearance;
  options.check.certificate = certificate;
  options.max_steps = max_steps;
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  return value_of(
      interruptible(cancel, [&] { return smooth(scene->scene, waypoints, options, budget); }));
}

Path time_one(const std::shared_ptr<PyScene>& scene, const py::object& path, double velocity,
              double acceleration, double scale, double interval) {
  return value_of(time_path(scene->scene.tree(), to_path(path, *scene),
                            {velocity, acceleration, scale, interval}))
      .motion;
}

std::vector<std::string> planner_names() {
  std::vector<std::string> names;
  for (const PlannerInfo& info : planners()) names.emplace_back(info.name);
  return names;
}

}  // namespace

void bind_plan(py::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  py::class_<PlanResult> planned(module, "PlanResult");
  no_truth_value(planned, "status");
  planned
      .def_property_readonly("status",
                             [](const PlanResult& r) { return std::string(to_string(r.status)); })
      .def_readonly("reason", &PlanResult::reason)
      .def_readonly("path", &PlanResult::path)
      .def_readonly("proved", &PlanResult::proved)
      .def_property_readonly("certificate",
                             [](const PlanResult& r) { return to_bytes(r.certificate); })
      .def_property_readonly("seconds", [](const PlanResult& r) { return r.stats.seconds; })
      .def("__repr__", [](const PlanResult& r) {
        return r.status == PlanStatus::solved
                   ? fmt::format("<proven.PlanResult: solved, {} waypoints, {:.1f} ms>",
                                 r.path.waypoints.size(), 1e3 * r.stats.seconds)
                   : fmt::format("<proven.PlanResult: {}: {}>", to_string(r.status), r.reason);
      });
  module.def("plan", plan_one, py::arg("scene"), py::arg("start"), py::arg("goal"), py::kw_only(),
             py::arg("planner") = PlanOptions{}.planner, py::arg("seed") = 1,
             py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_seconds") = kForever, py::arg("any_turn") = false,
             py::arg("ignore_limits") = false);
  module.def("planners", planner_names);
  py::class_<SmoothResult> smoothed(module, "SmoothResult");
  no_truth_value(smoothed, "verdict");
  smoothed
      .def_property_readonly(
          "verdict", [](const SmoothResult& r) { return std::string(to_string(r.input.verdict)); })
      .def_readonly("path", &SmoothResult::path)
      .def_readonly("length_before", &SmoothResult::length_before)
      .def_readonly("length_after", &SmoothResult::length_after)
      .def_readonly("converged", &SmoothResult::converged)
      .def_readonly("seconds", &SmoothResult::seconds)
      .def_property_readonly("certificate",
                             [](const SmoothResult& r) { return to_bytes(r.certificate); })
      .def("__repr__", [](const SmoothResult& r) {
        if (r.input.verdict != Verdict::free)
          return fmt::format("<proven.SmoothResult: the path as given is not free: {}>",
                             to_string(r.input.verdict));
        return fmt::format("<proven.SmoothResult: length {:.4g} to {:.4g}>", r.length_before,
                           r.length_after);
      });
  module.def("smooth", smooth_one, py::arg("scene"), py::arg("path"), py::kw_only(),
             py::arg("seed") = 1, py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_steps") = 1000, py::arg("max_seconds") = kForever);
  module.def("time_path", time_one, py::arg("scene"), py::arg("path"), py::kw_only(),
             py::arg("velocity") = 1.0, py::arg("acceleration") = 4.0, py::arg("scale") = 1.0,
             py::arg("interval") = TimingOptions{}.interval);
}

}  // namespace proven::python
