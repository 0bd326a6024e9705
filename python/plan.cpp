// plan, smooth and time.
#include "proven/plan/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "archive.h"
#include "convert.h"
#include "docs.h"
#include "goals.h"
#include "proven/base/gpu.h"
#include "proven/base/parallel.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#ifdef PROVEN_WITH_OMPL
#include "proven/ompl/adapter.h"
#endif

namespace proven::python {
namespace {

struct PyPlanResult {
  PlanResult result;
  std::shared_ptr<PyScene> scene;
  int goal = -1;  // that was reached
};
struct PySmoothResult {
  SmoothResult result;
  std::shared_ptr<PyScene> scene;
};
struct PyTimingResult {
  TimingResult result;
  std::shared_ptr<PyScene> scene;
  bool proof = true;  // asked for
};

// "ompl:RRTConnect" and the like, where OMPL is part of the build.
constexpr std::string_view kOmpl = "ompl:";

// `model` may be null: then the scene is prepared for this call.
Result<PlanResult> plan_by(const Scene& scene, const CheckModel* model, const Query& query,
                           const PlanOptions& options, const Budget& budget) {
#ifdef PROVEN_WITH_OMPL
  if (options.planner.starts_with(kOmpl))
    return adapters::plan_with_ompl(scene, query, options.planner.substr(kOmpl.size()), options,
                                    budget);
#endif
  return model ? plan(*model, query, options, budget) : plan(scene, query, options, budget);
}

// A query with configurations for its goals; without any there is nothing to plan.
struct Reached {
  GoalsResult goals;
  PlanProblem problem;

  bool any() const { return !goals.configurations.empty(); }
  PlanResult none(const Budget& budget) const {
    PlanResult result;
    result.status = budget.cancelled()  ? PlanStatus::cancelled
                    : goals.unreachable ? PlanStatus::unreachable
                                        : PlanStatus::budget;
    result.reason = goals.reason;
    return result;
  }
  // The goal that a path ends at; -1 without one.
  int goal_of(const Scene& scene, const Result<PlanResult>& result) const {
    if (!result.ok() || result.value().status != PlanStatus::solved) return -1;
    return goal_reached(scene.tree(), goals, result.value().path.waypoints.back());
  }
};

Result<Reached> reach(const Scene& scene, const PoseQuery& asked, const PlanOptions& options,
                      bool beyond_limits, const Budget& budget) {
  PoseGoalOptions reaching;
  reaching.check = options.check;
  reaching.check.certificate = false;
  reaching.seed = options.seed;
  reaching.constraints = asked.constraints;
  auto goals = reach_goals(scene, asked.query, asked.goals, reaching, budget);
  if (!goals.ok()) return goals.error();
  Reached reached{std::move(goals).value(), {asked.query, {}, asked.constraints}};
  const auto& configurations = reached.goals.configurations;
  if (!reached.any()) return reached;
  Query& query = reached.problem.query;
  query.planned = reached.goals.planned;
  reached.problem.other_goals.assign(configurations.begin() + 1, configurations.end());
  if (beyond_limits)
    for (const std::vector<double>& goal : configurations) {
      query.goal = goal;
      ignore_limits(scene, query);
    }
  query.goal = configurations.front();
  return reached;
}

// Configurations for the goals, then the path to one of them.
Result<PlanResult> plan_to(const Scene& scene, const CheckModel* model, const PoseQuery& asked,
                           PlanOptions options, bool beyond_limits, const Budget& budget,
                           int& goal) {
  const auto reached = reach(scene, asked, options, beyond_limits, budget);
  if (!reached.ok()) return reached.error();
  if (!reached.value().any()) return reached.value().none(budget);
  const PlanProblem& problem = reached.value().problem;
  options.other_goals = problem.other_goals;
  options.constraints = problem.constraints;
  auto result = plan_by(scene, model, problem.query, options, budget);
  goal = reached.value().goal_of(scene, result);
  return result;
}

PlanOptions options_of(const std::string& planner, std::uint64_t seed, const Clearances& clearance,
                       bool certificate, bool beyond_limits) {
  PlanOptions options;
  if (beyond_limits) options.check.limits = Limits::ignore;
  options.planner = planner;
  options.seed = seed;
  options.check.clearance = clearance;
  options.check.certificate = certificate;
  return options;
}

PyPlanResult plan_one(std::shared_ptr<PyScene> scene, const py::object& start,
                      const py::object& goal, const std::string& planner, std::uint64_t seed,
                      const Clearances& clearance, bool certificate, double max_seconds,
                      bool any_turn, bool ignored, const std::string& limits,
                      const std::string& group, const py::object& constraints) {
  const bool beyond_limits = ignored || limits_of(limits) == Limits::ignore;
  PoseQuery asked = to_query(*scene, start, goal, group, constraints);
  asked.query.any_turn = any_turn;
  const PlanOptions options = options_of(planner, seed, clearance, certificate, beyond_limits);
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  int reached = -1;
  auto result = interruptible(cancel, [&] {
    return plan_to(scene->scene, nullptr, asked, options, beyond_limits, budget, reached);
  });
  return {value_of(std::move(result)), std::move(scene), reached};
}

// A model that is told to sweep, so that paths do not depend on which query was first.
Result<CheckModel> prepare_to_plan(const Scene& scene, CheckOptions check) {
  check.certificate = false;
  check.sweep = true;
  auto model = CheckModel::build(scene, check);
  if (model.ok()) model.value().prepare_sweeps();
  return model;
}

BatchOptions batch_of(const std::string& device, int threads) {
  if (device != "threads" && device != "automatic")
    throw LibraryError{
        bad_input("the device is \"threads\" or \"automatic\", not \"" + device + "\"")};
  if (device == "automatic")
    if (const auto found = find_gpu(); !found.ok()) {
      const std::string text = found.error().text() + "; threads do the work";
      if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw py::error_already_set();
    }
  return {.device = parse_word<BatchDevice>(device).value(), .threads = threads};
}

struct PlannedAll {
  std::vector<std::optional<Result<PlanResult>>> results;
  std::vector<int> goals;  // that were reached
};

// All at once, a GPU asked about an edge of each.
std::optional<Error> plan_together(const Scene& scene, const CheckModel& model,
                                   const std::vector<PoseQuery>& asked, const PlanOptions& options,
                                   bool beyond_limits, const BatchOptions& batch,
                                   const Budget& budget, PlannedAll& all) {
  std::vector<Result<Reached>> reached(asked.size(), Reached{});
  parallel_for(static_cast<int>(asked.size()), batch.threads, [&](int item, int) {
    const auto i = static_cast<std::size_t>(item);
    reached[i] = reach(scene, asked[i], options, beyond_limits, budget);
    if (!reached[i].ok())
      all.results[i] = reached[i].error();
    else if (!reached[i].value().any())
      all.results[i] = reached[i].value().none(budget);
  });
  std::vector<PlanProblem> problems;
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (!all.results[i]) problems.push_back(reached[i].value().problem);
  auto planned = plan_all(model, problems, options, batch, budget);
  if (!planned.ok()) return planned.error();
  auto next = planned.value().begin();
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (!all.results[i]) {
      all.goals[i] = reached[i].value().goal_of(scene, *next);
      all.results[i] = std::move(*next++);
    }
  return std::nullopt;
}

py::list plan_many(std::shared_ptr<PyScene> scene, const py::iterable& queries,
                   const std::string& planner, std::uint64_t seed, const Clearances& clearance,
                   bool certificate, double max_seconds, bool any_turn, bool ignored,
                   const std::string& limits, const std::string& group,
                   const py::object& constraints, bool prepare, int threads,
                   const std::string& device) {
  const bool beyond_limits = ignored || limits_of(limits) == Limits::ignore;
  std::vector<PoseQuery> asked;
  for (const py::handle query : queries) {
    if (!py::isinstance<py::sequence>(query) || py::len(query) != 2)
      throw LibraryError{bad_input("each query is a pair of a start and a goal")};
    const auto [start, goal] = query.cast<std::pair<py::object, py::object>>();
    asked.push_back(to_query(*scene, start, goal, group, constraints));
    asked.back().query.any_turn = any_turn;
  }
  const BatchOptions batch = batch_of(device, threads);
  const bool together = batch.device != BatchDevice::threads;
  if (together && (std::isfinite(max_seconds) || planner.starts_with(kOmpl) || !prepare))
    throw LibraryError{bad_input(
        "planning together is for prepared scenes, planners of the library and no max_seconds")};
  const PlanOptions options = options_of(planner, seed, clearance, certificate, beyond_limits);
  std::atomic<bool> cancel = false;
  PlannedAll all{std::vector<std::optional<Result<PlanResult>>>(asked.size()),
                 std::vector<int>(asked.size(), -1)};
  const auto failed = interruptible(cancel, [&]() -> std::optional<Error> {
    std::optional<CheckModel> model;
    if (prepare && !asked.empty()) {
      const auto made = prepare_to_plan(scene->scene, options.check);
      if (!made.ok()) return made.error();
      model = made.value();
    }
    if (together && model)
      return plan_together(scene->scene, *model, asked, options, beyond_limits, batch,
                           Budget::of_seconds(max_seconds, &cancel), all);
    parallel_for(static_cast<int>(asked.size()), threads > 0 ? threads : default_threads(),
                 [&](int item, int) {
                   const auto i = static_cast<std::size_t>(item);
                   // Of many, those after the stop must not even begin.
                   if (cancel) return;
                   all.results[i] = plan_to(scene->scene, model ? &*model : nullptr, asked[i],
                                            options, beyond_limits,
                                            Budget::of_seconds(max_seconds, &cancel), all.goals[i]);
                 });
    return std::nullopt;
  });
  if (failed) throw LibraryError{*failed};
  py::list list;
  for (std::size_t i = 0; i < all.results.size(); ++i)
    list.append(PyPlanResult{value_of(std::move(*all.results[i])), scene, all.goals[i]});
  return list;
}

SmoothOptions smoothing(std::uint64_t seed, const Clearances& clearance, bool certificate,
                        std::int64_t max_steps, const std::string& limits) {
  SmoothOptions options;
  options.check.limits = limits_of(limits);
  options.seed = seed;
  options.check.clearance = clearance;
  options.check.certificate = certificate;
  options.max_steps = max_steps;
  return options;
}

PySmoothResult smooth_one(std::shared_ptr<PyScene> scene, const py::object& path,
                          std::uint64_t seed, const Clearances& clearance, bool certificate,
                          std::int64_t max_steps, const std::string& limits, double max_seconds) {
  const Path waypoints = to_motion(path, *scene);
  const SmoothOptions options = smoothing(seed, clearance, certificate, max_steps, limits);
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  auto result =
      interruptible(cancel, [&] { return smooth(scene->scene, waypoints, options, budget); });
  return {value_of(std::move(result)), std::move(scene)};
}

py::list smooth_many(std::shared_ptr<PyScene> scene, const py::iterable& given, std::uint64_t seed,
                     const Clearances& clearance, bool certificate, std::int64_t max_steps,
                     const std::string& limits, double max_seconds, int threads,
                     const std::string& device) {
  std::vector<Path> paths;
  for (const py::handle path : given)
    paths.push_back(to_motion(py::reinterpret_borrow<py::object>(path), *scene));
  const SmoothOptions options = smoothing(seed, clearance, certificate, max_steps, limits);
  const BatchOptions batch = batch_of(device, threads);
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  using Smoothed = Result<std::vector<Result<SmoothResult>>>;
  Smoothed results = interruptible(cancel, [&]() -> Smoothed {
    const auto model = CheckModel::build(scene->scene, options.check);
    if (!model.ok()) return model.error();
    return smooth_all(model.value(), paths, options, batch, budget);
  });
  py::list list;
  for (Result<SmoothResult>& one : value_of(std::move(results)))
    list.append(PySmoothResult{value_of(std::move(one)), scene});
  return list;
}

PyTimingResult time_one(std::shared_ptr<PyScene> scene, const py::object& path, double velocity,
                        double acceleration, double jerk, double scale, double blend,
                        double interval, bool proof, const Clearances& clearance,
                        const TrackingError& tracking_error, bool certificate,
                        const std::string& limits, double max_seconds) {
  const Motion given = to_motion(path, *scene);
  TimingOptions options;
  options.velocity = velocity;
  options.acceleration = acceleration;
  options.jerk = jerk;
  options.scale = scale;
  options.blend = blend;
  options.interval = interval;
  if (certificate && !proof) throw LibraryError{bad_input("a certificate needs the proof")};
  CheckOptions check;
  check.clearance = clearance;
  check.tracking_error = tracking_error;
  check.certificate = certificate;
  check.limits = limits_of(limits);
  value_of(require_within_limits(scene->scene, given, check));  // without a proof as well
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  auto result = interruptible(cancel, [&] {
    return proof ? time_path(scene->scene, given, options, check, budget)
                 : time_path(scene->scene.tree(), given, options);
  });
  return {value_of(std::move(result)), std::move(scene), proof};
}

// Of the path as given if that is not free, else of the motion; none without a proof.
std::optional<std::string> verdict_of(const PyTimingResult& r) {
  if (!r.proof) return std::nullopt;
  const Verdict input = r.result.input.verdict;
  return std::string(to_string(input == Verdict::free ? r.result.proof.verdict : input));
}

void bind_timing(py::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  const TimingOptions usual;
  py::class_<PyTimingResult> timed(module, "TimingResult", doc::timing_result);
  pickles_with_scene(timed, &PyTimingResult::result, &PyTimingResult::proof);
  no_truth_value(timed, "verdict");
  const auto figure = [&](const char* name, auto member) {
    timed.def_property_readonly(name,
                                [member](const PyTimingResult& r) { return r.result.*member; });
  };
  figure("duration", &TimingResult::duration);
  figure("with_stops", &TimingResult::with_stops);
  figure("at_full_speed", &TimingResult::at_full_speed);
  figure("deviation", &TimingResult::deviation);
  figure("corners", &TimingResult::corners);
  figure("stops", &TimingResult::stops);
  figure("tightened", &TimingResult::tightened);
  timed.def_property_readonly("verdict", verdict_of)
      .def_property_readonly("motion",
                             [](const PyTimingResult& r) -> std::optional<PyMotion> {
                               if (r.result.motion.waypoints.empty()) return std::nullopt;
                               return PyMotion{r.result.motion, r.scene};
                             })
      .def_property_readonly("input",
                             [](const PyTimingResult& r) -> std::optional<PyCheckResult> {
                               if (!r.proof) return std::nullopt;
                               return PyCheckResult{r.result.input, r.scene};
                             })
      .def_property_readonly("proof",
                             [](const PyTimingResult& r) -> std::optional<PyCheckResult> {
                               if (!r.proof || r.result.input.verdict != Verdict::free)
                                 return std::nullopt;
                               return PyCheckResult{r.result.proof, r.scene};
                             })
      .def_property_readonly("assumed",
                             [](const PyTimingResult& r) { return assumed_of(r.result.assumed); })
      .def_property_readonly("certificate",
                             [](const PyTimingResult& r) { return to_bytes(r.result.certificate); })
      .def("__repr__", [](const PyTimingResult& r) {
        if (r.result.motion.waypoints.empty())
          return fmt::format("<proven.TimingResult: the path as given is not free: {}>",
                             to_string(r.result.input.verdict));
        return fmt::format("<proven.TimingResult: {:.3f} s, {}>", r.result.duration,
                           verdict_of(r).value_or("not proved"));
      });
  module.def("time_path", time_one, py::arg("scene"), py::arg("path"), py::kw_only(),
             py::arg("velocity") = usual.velocity, py::arg("acceleration") = usual.acceleration,
             py::arg("jerk") = usual.jerk, py::arg("scale") = usual.scale,
             py::arg("blend") = usual.blend, py::arg("interval") = usual.interval,
             py::arg("proof") = true, py::arg("clearance") = 0.0, py::arg("tracking_error") = 0.0,
             py::arg("certificate") = false, py::arg("limits") = "refuse",
             py::arg("max_seconds") = kForever, doc::time_path);
}

std::vector<std::string> planner_names() {
  std::vector<std::string> names;
  for (const PlannerInfo& info : planners()) names.emplace_back(info.name);
#ifdef PROVEN_WITH_OMPL
  for (const std::string& name : adapters::ompl_planners())
    names.push_back(std::string(kOmpl) + name);
#endif
  return names;
}

}  // namespace

void bind_plan(py::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  py::class_<PyPlanResult> planned(module, "PlanResult", doc::plan_result);
  pickles_with_scene(planned, &PyPlanResult::result, &PyPlanResult::goal);
  no_truth_value(planned, "status");
  planned
      .def_property_readonly(
          "status", [](const PyPlanResult& r) { return std::string(to_string(r.result.status)); })
      .def_property_readonly("reason", [](const PyPlanResult& r) { return r.result.reason; })
      .def_property_readonly("path",
                             [](const PyPlanResult& r) {
                               return PyMotion{r.result.path, r.scene};
                             })
      .def_property_readonly("goal",
                             [](const PyPlanResult& r) -> std::optional<int> {
                               return r.goal < 0 ? std::nullopt : std::optional(r.goal);
                             })
      .def_property_readonly("proved", [](const PyPlanResult& r) { return r.result.proved; })
      .def_property_readonly("certificate",
                             [](const PyPlanResult& r) { return to_bytes(r.result.certificate); })
      .def_property_readonly("seconds",
                             [](const PyPlanResult& r) { return r.result.stats.seconds; })
      .def("__repr__", [](const PyPlanResult& whole) {
        const PlanResult& r = whole.result;
        return r.status == PlanStatus::solved
                   ? fmt::format("<proven.PlanResult: solved, {} waypoints, {:.1f} ms>",
                                 r.path.waypoints.size(), 1e3 * r.stats.seconds)
                   : fmt::format("<proven.PlanResult: {}: {}>", to_string(r.status), r.reason);
      });
  module.def("plan", plan_one, py::arg("scene"), py::arg("start"), py::arg("goal"), py::kw_only(),
             py::arg("planner") = PlanOptions{}.planner, py::arg("seed") = 1,
             py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_seconds") = kForever, py::arg("any_turn") = false,
             py::arg("ignore_limits") = false, py::arg("limits") = "refuse", py::arg("group") = "",
             py::arg("constraints") = py::none(), doc::plan);
  module.def("plan_all", plan_many, py::arg("scene"), py::arg("queries"), py::kw_only(),
             py::arg("planner") = PlanOptions{}.planner, py::arg("seed") = 1,
             py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_seconds") = kForever, py::arg("any_turn") = false,
             py::arg("ignore_limits") = false, py::arg("limits") = "refuse", py::arg("group") = "",
             py::arg("constraints") = py::none(), py::arg("prepare") = true, py::arg("threads") = 0,
             py::arg("device") = "threads", doc::plan_all);
  bind_constraints(module);
  module.def("planners", planner_names, doc::planners);
  py::class_<PySmoothResult> smoothed(module, "SmoothResult", doc::smooth_result);
  pickles_with_scene(smoothed, &PySmoothResult::result);
  no_truth_value(smoothed, "verdict");
  smoothed
      .def_property_readonly(
          "verdict",
          [](const PySmoothResult& r) { return std::string(to_string(r.result.input.verdict)); })
      .def_property_readonly("path",
                             [](const PySmoothResult& r) {
                               return PyMotion{r.result.path, r.scene};
                             })
      .def_property_readonly("length_before",
                             [](const PySmoothResult& r) { return r.result.length_before; })
      .def_property_readonly("length_after",
                             [](const PySmoothResult& r) { return r.result.length_after; })
      .def_property_readonly("converged",
                             [](const PySmoothResult& r) { return r.result.converged; })
      .def_property_readonly("seconds", [](const PySmoothResult& r) { return r.result.seconds; })
      .def_property_readonly("certificate",
                             [](const PySmoothResult& r) { return to_bytes(r.result.certificate); })
      .def("__repr__", [](const PySmoothResult& whole) {
        const SmoothResult& r = whole.result;
        if (r.input.verdict != Verdict::free)
          return fmt::format("<proven.SmoothResult: the path as given is not free: {}>",
                             to_string(r.input.verdict));
        return fmt::format("<proven.SmoothResult: length {:.4g} to {:.4g}>", r.length_before,
                           r.length_after);
      });
  module.def("smooth", smooth_one, py::arg("scene"), py::arg("path"), py::kw_only(),
             py::arg("seed") = 1, py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_steps") = 1000, py::arg("limits") = "refuse",
             py::arg("max_seconds") = kForever, doc::smooth);
  module.def("smooth_all", smooth_many, py::arg("scene"), py::arg("paths"), py::kw_only(),
             py::arg("seed") = 1, py::arg("clearance") = 0.0, py::arg("certificate") = false,
             py::arg("max_steps") = 1000, py::arg("limits") = "refuse",
             py::arg("max_seconds") = kForever, py::arg("threads") = 0,
             py::arg("device") = "threads", doc::smooth_all);
  bind_timing(module);
}

}  // namespace proven::python
