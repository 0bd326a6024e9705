// How short proved paths get with time: other paths and shortcuts, as `plan --budget` does it,
// beside OMPL's asymptotically optimal planners with every motion proved.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "bench/bench.h"
#include "bench/plan/problems.h"
#include "proven/io/problem_set.h"
#include "proven/plan/smooth.h"
#ifdef PROVEN_BENCH_WITH_OMPL
#include "proven/ompl/adapter.h"
#endif

namespace proven::bench {
namespace {

constexpr double kSeconds[] = {0.3, 1, 3};
constexpr double kNone = std::numeric_limits<double>::infinity();  // no path
const std::vector<std::string> kRivals = {"BITstar", "AITstar", "InformedRRTstar", "RRTstar"};

struct Task {
  Scene scene;
  Query problem;
};

Result<Task> load_task(const ProblemSet& set, int index) {
  SceneSource source = set.scene_without_obstacles;
  source.obstacles = set.problems[static_cast<std::size_t>(index)].obstacles;
  auto scene = build_scene(source);
  if (!scene.ok()) return scene.error();
  const auto query = problem_query(set, index, scene.value());
  if (!query.ok()) return query.error();
  return Task{std::move(scene).value(), query.value()};
}

// Lengths by the method's name and its seconds.
using Lengths = std::map<std::pair<std::string, double>, double>;

Result<void> measure_ours(const Task& task, std::uint64_t seed, std::span<const double> seconds,
                          Lengths& lengths) {
  for (const double budget_seconds : seconds) {
    const Budget budget = Budget::of_seconds(budget_seconds);
    PlanOptions options;
    options.seed = seed;
    const auto planned = plan(task.scene, task.problem, options, budget);
    if (!planned.ok()) return planned.error();
    const bool solved = planned.value().status == PlanStatus::solved;
    const Path& path = planned.value().path;
    lengths[{"rrt-connect", 0}] = solved ? path_length(task.scene, path) : kNone;
    lengths[{"shortcuts", 0}] = lengths[{"other paths", budget_seconds}] = kNone;
    if (!solved) continue;
    SmoothOptions smoothing;
    smoothing.seed = seed;
    smoothing.input_is_proved = true;
    const auto shortcuts = smooth(task.scene, path, smoothing);
    if (!shortcuts.ok()) return shortcuts.error();
    lengths[{"shortcuts", 0}] = shortcuts.value().length_after;
    smoothing.rounds = std::numeric_limits<std::int64_t>::max();
    const auto shorter = smooth(task.scene, path, smoothing,
                                Budget::of_seconds(budget_seconds - planned.value().stats.seconds));
    if (!shorter.ok()) return shorter.error();
    lengths[{"other paths", budget_seconds}] = shorter.value().length_after;
  }
  return {};
}

#ifdef PROVEN_BENCH_WITH_OMPL
Result<void> measure_rivals(const Task& task, std::uint64_t seed, std::span<const double> seconds,
                            Lengths& lengths) {
  for (const std::string& name : kRivals)
    for (const double budget_seconds : seconds) {
      PlanOptions options;
      options.seed = seed;
      const auto planned = adapters::plan_with_ompl(task.scene, task.problem, name, options,
                                                    Budget::of_seconds(budget_seconds));
      if (!planned.ok()) return planned.error();
      lengths[{"ompl:" + name, budget_seconds}] =
          planned.value().status == PlanStatus::solved
              ? path_length(task.scene, planned.value().path)
              : kNone;
    }
  return {};
}
#endif

// One row per method and time: lengths as multiples of the shortest that any of them found.
void add_rows(const std::string& robot, const std::vector<Lengths>& all, Report& report) {
  std::map<std::pair<std::string, double>, std::vector<double>> ratios;
  std::map<std::pair<std::string, double>, int> solved;
  for (const Lengths& lengths : all) {
    double best = kNone;
    for (const auto& [key, length] : lengths) best = std::min(best, length);
    for (const auto& [key, length] : lengths) {
      ratios[key].push_back(length / best);
      solved[key] += length < kNone;
    }
  }
  for (const auto& [key, values] : ratios) {
    double sum = 0;
    for (const double value : values)
      if (value < kNone) sum += value;
    Row& row = report.rows.emplace_back();
    row.add("robot", robot).add("method", key.first).add("seconds", key.second);
    row.add("problems", static_cast<int>(values.size())).add("solved", solved[key]);
    row.add("length / best, mean of solved", sum / std::max(1, solved[key]));
    row.add("median", quantile(values, 0.5)).add("worst", quantile(values, 1));
  }
}

Result<Report> run(const Options& bench) {
  if (auto known = require_problem_robot(bench); !known.ok()) return known.error();
  Report report;
  const std::span<const double> seconds =
      std::span(kSeconds).first(bench.quick ? 1 : std::size(kSeconds));
  for (const std::string& robot : problem_robots(bench, report)) {
    auto set = load_problem_set(problems_of(robot));
    if (!set.ok()) return set.error();
    const int wanted = std::min(set.value().size(), bench.cases_or(2, 12));
    std::vector<Lengths> all;
    for (int i = 0; i < wanted; ++i) {
      const auto task = load_task(set.value(), i * set.value().size() / wanted);
      if (!task.ok()) return task.error();
      Lengths& lengths = all.emplace_back();
      if (auto done = measure_ours(task.value(), bench.seed, seconds, lengths); !done.ok())
        return done.error();
#ifdef PROVEN_BENCH_WITH_OMPL
      if (auto done = measure_rivals(task.value(), bench.seed, seconds, lengths); !done.ok())
        return done.error();
#endif
      bench.progress(static_cast<double>(i + 1) / wanted);
    }
    add_rows(robot, all, report);
  }
  report.notes.push_back(
      "every path is proved; seconds are of the clock, planning included; 0: until done");
  return report;
}

}  // namespace

Benchmark anytime() {
  return {"anytime", "how short proved paths get with time, beside OMPL's optimal planners", run,
          false, true};
}

}  // namespace proven::bench
