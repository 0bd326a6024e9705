// MotionBenchMaker problems on the robots' collision meshes: our planners, every path proved and
// verified, beside OMPL's RRTConnect with FCL, whose paths check judges.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/bench.h"
#include "bench/plan/judge.h"
#include "bench/plan/ompl_rival.h"
#include "bench/plan/problems.h"
#include "proven/base/processor_time.h"
#include "proven/io/problem_set.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"

namespace proven::bench {
namespace {

constexpr const char* kPlanners[] = {"rrt-connect", "a-sbl"};
constexpr double kBudget = 10;  // seconds per problem
struct Rival {
  const char* name;
  double step;
  int every;  // of this many problems it is given one: with a fine step it takes seconds for each
};
constexpr int kManyProblems = 100;  // from so many on
constexpr Rival kRivals[] = {{"OMPL RRTConnect, FCL, default step", 0, 1},
                             {"OMPL RRTConnect, FCL, 0.005 rad", 0.005, 20}};

// One planner on one robot.
struct Tally {
  std::string name;
  int problems = 0, solved = 0;
  std::vector<double> milliseconds;  // unsolved problems count as the budget
  std::vector<double> simplify_milliseconds;
  Judgements raw, simplified;
  Judgements timed;                        // simplified, then timed: as the controller runs it
  std::vector<double> chain_milliseconds;  // of all three, one after the other
  std::vector<double> slower;              // duration over that of the path at full speed

  void add_timing(const TimingResult& timing) {
    if (timing.at_full_speed > 0) slower.push_back(timing.duration / timing.at_full_speed);
  }
  void add_time(bool is_solved, double spent) {
    ++problems;
    solved += is_solved;
    milliseconds.push_back(is_solved ? spent : 1e3 * kBudget);
  }
};

struct Task {
  SceneSource source;
  Scene scene;
  Query problem;
  std::string where;  // set and index
};

Result<Task> load_task(const ProblemSet& set, int index) {
  const Problem& from = set.problems[static_cast<std::size_t>(index)];
  Task task;
  task.where = fmt::format("{} {}", from.set, from.index);
  task.source = set.scene_without_obstacles;
  task.source.obstacles = from.obstacles;
  auto scene = build_scene(task.source);
  if (!scene.ok()) return scene.error();
  task.scene = std::move(scene).value();
  const auto query = problem_query(set, index, task.scene);
  if (!query.ok()) return query.error();
  task.problem = query.value();
  return task;
}

Result<void> judge_into(Judge& judge, const Path& path, const std::string& where, Judgements& sum) {
  const auto judgement = judge.judge(path);
  if (!judgement.ok()) return judgement.error();
  sum.add(judgement.value(), where);
  return {};
}

Result<void> solve_ours(const Task& task, std::uint64_t seed, Judge& judge, Tally& tally) {
  PlanOptions options;
  options.planner = tally.name;
  options.seed = seed;
  const double before = processor_seconds();
  const auto result = plan(task.scene, task.problem, options, Budget::of_seconds(kBudget));
  const double spent = 1e3 * (processor_seconds() - before);
  if (!result.ok()) return result.error();
  const bool solved = result.value().status == PlanStatus::solved;
  tally.add_time(solved, spent);
  if (!solved) return {};
  if (auto done = judge_into(judge, result.value().path, task.where, tally.raw); !done.ok())
    return done;
  SmoothOptions smoothing;
  smoothing.seed = seed;
  smoothing.max_steps = 100;
  const double planned = processor_seconds();
  const auto smoothed = smooth(task.scene, result.value().path, smoothing);
  if (!smoothed.ok()) return smoothed.error();
  tally.simplify_milliseconds.push_back(1e3 * (processor_seconds() - planned));
  TimingOptions timing;
  timing.input_is_proved = true;
  const auto timed = time_path(task.scene, smoothed.value().path, timing, proving_check());
  if (!timed.ok()) return timed.error();
  tally.chain_milliseconds.push_back(1e3 * (processor_seconds() - planned) + spent);
  tally.add_timing(timed.value());
  if (auto done = judge_into(judge, timed.value().motion, task.where, tally.timed); !done.ok())
    return done;
  return judge_into(judge, smoothed.value().path, task.where, tally.simplified);
}

#ifdef PROVEN_BENCH_WITH_OMPL
Result<void> solve_rival(const Task& task, double step, std::uint64_t seed, Judge& judge,
                         Tally& tally) {
  const RivalResult result = solve_with_rival(task.scene, task.problem, step, kBudget, seed);
  tally.add_time(result.solved, result.milliseconds);
  if (!result.solved) return {};
  tally.simplify_milliseconds.push_back(result.simplify_milliseconds);
  if (auto done = judge_into(judge, result.raw, task.where, tally.raw); !done.ok()) return done;
  // As such paths are timed: corners cut, nothing proved.
  const auto timed = time_path(task.scene.tree(), result.simplified, {});
  if (!timed.ok()) return timed.error();
  tally.add_timing(timed.value());
  if (auto done = judge_into(judge, timed.value().motion, task.where, tally.timed); !done.ok())
    return done;
  return judge_into(judge, result.simplified, task.where, tally.simplified);
}
#endif

void add_row(const std::string& robot, const Tally& tally, Report& report) {
  Row& row = report.rows.emplace_back();
  row.add("robot", robot).add("planner", tally.name);
  row.add("problems", tally.problems).add("solved", tally.solved);
  row.add("ms median", quantile(tally.milliseconds, 0.5));
  row.add("ms p95", quantile(tally.milliseconds, 0.95));
  row.add("simplify ms median", quantile(tally.simplify_milliseconds, 0.5));
  const auto columns = [&](const std::string& which, const Judgements& j) {
    row.add(which + ": free", j.free).add(which + ": verified", j.verified_free);
    row.add(which + ": refuted", j.collision);
    row.add(which + ": witness verified", j.verified_collisions);
    row.add(which + ": undecided", j.undecided);
  };
  columns("raw", tally.raw);
  columns("simplified", tally.simplified);
  columns("timed", tally.timed);
  row.add("duration / full speed, median", quantile(tally.slower, 0.5));
  row.add("duration / full speed, worst", quantile(tally.slower, 1));
  row.add("chain ms median", quantile(tally.chain_milliseconds, 0.5));
  for (const auto& [which, judgements] :
       {std::pair("raw", &tally.raw), std::pair("simplified", &tally.simplified),
        std::pair("timed", &tally.timed)})
    if (!judgements->witness.empty())
      report.notes.push_back(fmt::format("{}: first refuted {} path of {}: {}", robot, which,
                                         tally.name, judgements->witness));
}

// Every n-th of the problems that were asked for, so that each set is seen.
Result<std::vector<int>> choose(const ProblemSet& set, const Options& bench) {
  std::vector<int> all;
  std::set<std::string> names;
  for (int i = 0; i < set.size(); ++i) {
    const std::string& name = set.problems[static_cast<std::size_t>(i)].set;
    names.insert(name);
    if (bench.set.empty() || bench.set == name) all.push_back(i);
  }
  if (all.empty()) {
    std::string known;
    for (const std::string& name : names) known += " " + name;
    return bad_input(fmt::format("there is no set '{}'; there are:{}", bench.set, known));
  }
  const auto size = static_cast<std::int64_t>(all.size());
  const auto wanted = std::min<std::int64_t>(size, bench.cases_or(30, static_cast<int>(size)));
  std::vector<int> chosen;
  for (std::int64_t i = 0; i < wanted; ++i)
    chosen.push_back(all[static_cast<std::size_t>(i * size / wanted)]);
  return chosen;
}

// `place` is that of the problem among `problems`.
Result<void> solve_by_all(const Task& task, [[maybe_unused]] std::size_t place,
                          [[maybe_unused]] std::size_t problems, std::uint64_t seed,
                          std::vector<Tally>& tallies) {
  Judge judge(task.source, task.scene);
  std::size_t next = 0;
  for ([[maybe_unused]] const char* planner : kPlanners)
    if (auto done = solve_ours(task, seed, judge, tallies[next++]); !done.ok()) return done;
#ifdef PROVEN_BENCH_WITH_OMPL
  for (const Rival& rival : kRivals) {
    Tally& tally = tallies[next++];
    if (problems >= kManyProblems && place % static_cast<std::size_t>(rival.every) != 0) continue;
    if (auto done = solve_rival(task, rival.step, seed, judge, tally); !done.ok()) return done;
  }
#endif
  return {};
}

Result<void> run_robot(const std::string& robot, const std::filesystem::path& file,
                       const Options& bench, Report& report) {
  const Result<ProblemSet> set = load_problem_set(file);
  if (!set.ok()) return set.error();
  const auto chosen = choose(set.value(), bench);
  if (!chosen.ok()) return chosen.error();
  std::vector<Tally> tallies;
  for (const char* planner : kPlanners) tallies.emplace_back().name = planner;
#ifdef PROVEN_BENCH_WITH_OMPL
  for (const Rival& rival : kRivals) tallies.emplace_back().name = rival.name;
#endif
  const std::size_t problems = chosen.value().size();
  // As in a program that plans again and again with one robot.
  if (const auto first = load_task(set.value(), chosen.value()[0]); first.ok())
    CheckModel::build(first.value().scene, proving_check()).value().prepare_sweeps();
  for (std::size_t place = 0; place < problems; ++place) {
    const auto task = load_task(set.value(), chosen.value()[place]);
    if (!task.ok()) return task.error();
    if (auto done = solve_by_all(task.value(), place, problems, bench.seed, tallies); !done.ok())
      return done;
    bench.progress(static_cast<double>(place + 1) / static_cast<double>(problems));
  }
  Series series{robot, Series::Style::bars, {}, {}, {}};
  report.plot.categories.clear();
  for (const Tally& tally : tallies) {
    add_row(robot, tally, report);
    series.x.push_back(static_cast<double>(report.plot.categories.size()));
    series.y.push_back(quantile(tally.milliseconds, 0.5));
    report.plot.categories.push_back(tally.name);
  }
  report.plot.series.push_back(std::move(series));
  return {};
}

Result<Report> run(const Options& bench) {
  if (auto known = require_problem_robot(bench); !known.ok()) return known.error();
  Report report;
  report.plot = {"MotionBenchMaker: median time of one solve", "planner", "ms", false, true, {}};
  for (const std::string& robot : problem_robots(bench, report))
    if (auto done = run_robot(robot, problems_of(robot), bench, report); !done.ok())
      return done.error();
  report.notes.push_back(
      "One thread, CPU time. Milliseconds are those of one solve without smoothing and without "
      "building the scene; an unsolved problem counts as its budget of 10 s. Paths are judged by "
      "check at its "
      "default resolution, its certificates of 'free' and of 'collision' by the independent "
      "verifier. 'simplified': our window smoother, 100 steps; OMPL's own simplifier. Of 100 "
      "problems "
      "or more, OMPL at 0.005 rad is given every twentieth. 'timed': the simplified path as "
      "'proven "
      "time' makes a smooth motion of it (corners cut by up to 0.2, time-optimal), judged as the "
      "spline that a controller runs; ours is proved while it is made, OMPL's is not. Full speed: "
      "every segment at the top speed of its slowest joint.");
  return report;
}

}  // namespace

Benchmark mbm() {
  return {"mbm", "MotionBenchMaker problems: proved paths beside OMPL with FCL", run, true, true};
}

}  // namespace proven::bench
