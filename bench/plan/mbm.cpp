// MotionBenchMaker problems on the robots' collision meshes: our planners, every path proved,
// beside OMPL's RRTConnect with FCL, whose paths check judges.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "bench/bench.h"
#include "bench/data.h"
#include "bench/plan/ompl_rival.h"
#include "bench/plan/problems.h"
#include "proven/certify/check.h"
#include "proven/io/problem_set.h"
#include "proven/plan/smooth.h"

namespace proven::bench {
namespace {

constexpr const char* kRobots[] = {"panda", "ur5"};
constexpr double kBudget = 10;  // seconds per problem
struct Rival {
  const char* name;
  double step;
};
constexpr Rival kRivals[] = {{"OMPL RRTConnect, FCL, default step", 0},
                             {"OMPL RRTConnect, FCL, 0.005 rad", 0.005}};

// One planner on one robot.
struct Tally {
  std::string name;
  int problems = 0, solved = 0;
  std::vector<double> milliseconds;  // of the solved; unsolved count as the budget
  PathJudgement raw, simplified;
  std::string witness;  // the first refuted path
};

using Clock = std::chrono::steady_clock;

void judge(const Scene& scene, const Path& path, const std::string& where, Workspace& workspace,
           PathJudgement& judgement, Tally& tally) {
  CheckOptions fine = proving_check();
  fine.resolution = CheckOptions{}.resolution;
  const auto result = check(scene, path, fine, workspace);
  if (!result.ok()) return;
  judgement.add(result.value().verdict);
  if (!result.value().collision || !tally.witness.empty()) return;
  const Witness& w = *result.value().collision;
  tally.witness =
      fmt::format("{}: {} and {} at segment {}, t = {:.6f}", where, scene.body(w.bodies[0]).name,
                  scene.body(w.bodies[1]).name, w.segment, w.t);
}

Result<void> solve_ours(const Scene& scene, const PlanProblem& problem, const char* planner,
                        std::uint64_t seed, const std::string& where, Workspace& workspace,
                        Tally& tally) {
  PlanOptions options;
  options.planner = planner;
  options.seed = seed;
  options.max_seconds = kBudget;
  const auto begin = Clock::now();
  const auto result = plan(scene, problem, options);
  const std::chrono::duration<double, std::milli> spent = Clock::now() - begin;
  if (!result.ok()) return result.error();
  ++tally.problems;
  if (result.value().status != PlanStatus::solved) {
    tally.milliseconds.push_back(1e3 * kBudget);
    return {};
  }
  ++tally.solved;
  tally.milliseconds.push_back(spent.count());
  judge(scene, result.value().path, where, workspace, tally.raw, tally);
  SmoothOptions smoothing;
  smoothing.seed = seed;
  smoothing.max_steps = 100;
  const auto smoothed = smooth(scene, result.value().path, smoothing);
  if (!smoothed.ok()) return smoothed.error();
  judge(scene, smoothed.value().path, where, workspace, tally.simplified, tally);
  return {};
}

#ifdef PROVEN_BENCH_WITH_OMPL
void solve_rival(const Scene& scene, const PlanProblem& problem, double step,
                 const std::string& where, Workspace& workspace, Tally& tally) {
  const RivalResult result = solve_with_rival(scene, problem, step, kBudget);
  ++tally.problems;
  if (!result.solved) {
    tally.milliseconds.push_back(1e3 * kBudget);
    return;
  }
  ++tally.solved;
  tally.milliseconds.push_back(result.milliseconds);
  judge(scene, result.raw, where, workspace, tally.raw, tally);
  judge(scene, result.simplified, where, workspace, tally.simplified, tally);
}
#endif

void add_row(const std::string& robot, const Tally& tally, Report& report) {
  Row& row = report.rows.emplace_back();
  row.add("robot", robot).add("planner", tally.name);
  row.add("problems", tally.problems).add("solved", tally.solved);
  row.add("ms median", quantile(tally.milliseconds, 0.5));
  row.add("ms p95", quantile(tally.milliseconds, 0.95));
  const auto columns = [&](const std::string& which, const PathJudgement& j) {
    row.add(which + ": proved free", j.free).add(which + ": refuted", j.collision);
    row.add(which + ": undecided", j.undecided);
  };
  columns("raw", tally.raw);
  columns("simplified", tally.simplified);
  if (!tally.witness.empty())
    report.notes.push_back(
        fmt::format("{}: first refuted path of {}: {}", robot, tally.name, tally.witness));
}

Result<void> run_robot(const std::string& robot, const std::filesystem::path& file,
                       const Options& bench, double progress_begin, Report& report) {
  const Result<ProblemSet> set = load_problem_set(file);
  if (!set.ok()) return set.error();
  const int size = set.value().size();
  const int wanted = std::min(size, bench.cases_or(30, size));
  std::vector<Tally> ours(2), rivals;
  const char* planner_names[] = {"rrt-connect", "a-sbl"};
  for (std::size_t k = 0; k < 2; ++k) ours[k].name = planner_names[k];
#ifdef PROVEN_BENCH_WITH_OMPL
  for (const Rival& rival : kRivals) rivals.emplace_back().name = rival.name;
#endif
  Workspace workspace;
  for (int i = 0; i < wanted; ++i) {
    const int index = static_cast<int>(static_cast<std::int64_t>(i) * size / wanted);
    const auto scene = problem_scene(set.value(), index);
    if (!scene.ok()) return scene.error();
    const auto query = problem_query(set.value(), index, scene.value());
    if (!query.ok()) return query.error();
    const PlanProblem problem = problem_of(query.value());
    const Problem& source = set.value().problems[static_cast<std::size_t>(index)];
    const std::string where = fmt::format("{} {}", source.set, source.index);
    for (Tally& tally : ours)
      if (auto done = solve_ours(scene.value(), problem, tally.name.c_str(), bench.seed, where,
                                 workspace, tally);
          !done.ok())
        return done.error();
#ifdef PROVEN_BENCH_WITH_OMPL
    for (std::size_t k = 0; k < rivals.size(); ++k)
      solve_rival(scene.value(), problem, kRivals[k].step, where, workspace, rivals[k]);
#endif
    bench.progress(progress_begin + (i + 1) / static_cast<double>(wanted) / std::size(kRobots));
  }
  for (const Tally& tally : ours) add_row(robot, tally, report);
  for (const Tally& tally : rivals) add_row(robot, tally, report);
  return {};
}

Result<Report> run(const Options& bench) {
  Report report;
  for (std::size_t i = 0; i < std::size(kRobots); ++i) {
    const auto file = data_dir() / "motionbenchmaker" / kRobots[i] / "problems.json";
    if (!std::filesystem::exists(file)) {
      report.notes.push_back(fmt::format(
          "skipped: {}: no motionbenchmaker/{}/problems.json in the data folder; set PROVEN_DATA",
          kRobots[i], kRobots[i]));
      continue;
    }
    const double begin = static_cast<double>(i) / std::size(kRobots);
    if (auto done = run_robot(kRobots[i], file, bench, begin, report); !done.ok())
      return done.error();
  }
  report.notes.push_back(
      "One core. Milliseconds are those of one solve without smoothing and without building the "
      "scene; an unsolved problem counts as its budget of 10 s. Paths are judged by check at its "
      "default resolution. 'simplified': our window smoother, 100 steps; OMPL's own simplifier.");
  return report;
}

}  // namespace

Benchmark mbm() {
  return {"mbm", "MotionBenchMaker problems: proved paths beside OMPL with FCL", run};
}

}  // namespace proven::bench
