// The straight segment from start to goal of every MotionBenchMaker problem, checked by classic.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "bench/bench.h"
#include "bench/plan/problems.h"
#include "proven/base/parallel.h"
#include "proven/certify/check.h"
#include "proven/io/problem_set.h"

namespace proven::bench {
namespace {

struct Outcome {
  std::optional<Error> error;
  Verdict verdict = Verdict::undecided;
  CheckStats stats;
  double milliseconds = 0;  // the whole check, with the preparation of the model
};

Outcome solve(const ProblemSet& set, int index, const CheckOptions& options, Scratch& scratch) {
  Outcome outcome;
  const Result<Scene> scene = problem_scene(set, index);
  if (!scene.ok()) return outcome.error = scene.error(), outcome;
  const Result<Query> query = problem_query(set, index, scene.value());
  if (!query.ok()) return outcome.error = query.error(), outcome;
  const Path path{{query.value().start, query.value().goal}, {}, {}};
  const auto start = std::chrono::steady_clock::now();
  const auto result = check(scene.value(), path, options, scratch);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (!result.ok()) return outcome.error = result.error(), outcome;
  outcome.verdict = result.value().verdict;
  outcome.stats = result.value().stats;
  outcome.milliseconds = spent.count();
  return outcome;
}

Row summary(const std::string& robot, const std::string& set,
            const std::vector<const Outcome*>& outcomes) {
  int counts[3] = {0, 0, 0}, failed = 0;
  CheckStats stats;
  std::vector<double> times;
  for (const Outcome* outcome : outcomes) {
    if (outcome->error) {
      ++failed;
      continue;
    }
    ++counts[static_cast<std::size_t>(outcome->verdict)];
    stats += outcome->stats;
    times.push_back(outcome->milliseconds);
  }
  Row row;
  row.add("robot", robot).add("set", set);
  row.add("problems", static_cast<std::int64_t>(outcomes.size()));
  row.add("free", counts[static_cast<std::size_t>(Verdict::free)]);
  row.add("collision", counts[static_cast<std::size_t>(Verdict::collision)]);
  row.add("undecided", counts[static_cast<std::size_t>(Verdict::undecided)]);
  row.add("failed", failed);
  if (times.empty()) return row;
  const auto n = static_cast<double>(times.size());
  row.add("boxes", static_cast<double>(stats.box_tests) / n);
  row.add("triangles", static_cast<double>(stats.triangle_tests) / n);
  row.add("ms median", quantile(times, 0.5)).add("ms p95", quantile(times, 0.95));
  return row.add("ms largest", quantile(times, 1));
}

void add_rows(const std::string& robot, const ProblemSet& problems, const std::vector<int>& chosen,
              const std::vector<Outcome>& outcomes, Report& report) {
  std::map<std::string, std::vector<const Outcome*>> by_set;
  std::vector<const Outcome*> all;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Problem& problem = problems.problems[static_cast<std::size_t>(chosen[i])];
    by_set[problem.set].push_back(&outcomes[i]);
    all.push_back(&outcomes[i]);
    if (outcomes[i].error)
      report.notes.push_back(fmt::format("failed: {} {} {}: {}", robot, problem.set, problem.index,
                                         outcomes[i].error->text()));
  }
  for (const auto& [set, members] : by_set) report.rows.push_back(summary(robot, set, members));
  report.rows.push_back(summary(robot, "all", all));
}

// The share of problems that took at most so long.
Series distribution(const std::string& robot, const std::vector<Outcome>& outcomes) {
  Series series{robot, Series::Style::line, {}, {}, {}};
  for (const Outcome& outcome : outcomes)
    if (!outcome.error) series.x.push_back(outcome.milliseconds);
  std::sort(series.x.begin(), series.x.end());
  for (std::size_t i = 0; i < series.x.size(); ++i)
    series.y.push_back(static_cast<double>(i + 1) / static_cast<double>(series.x.size()));
  return series;
}

Result<void> run_robot(const std::string& robot, const std::filesystem::path& file,
                       const Options& options, double begin, double share, Report& report) {
  const Result<ProblemSet> problems = load_problem_set(file);
  if (!problems.ok()) return problems.error();
  // A short form takes every n-th, so that each set is seen.
  const int size = problems.value().size();
  const int wanted = std::min(size, options.cases_or(60, size));
  std::vector<int> chosen;
  for (int i = 0; i < wanted; ++i)
    chosen.push_back(static_cast<int>(static_cast<std::int64_t>(i) * size / wanted));
  const int threads = options.threads > 0 ? options.threads : default_threads();
  std::vector<Scratch> workspaces(static_cast<std::size_t>(threads));
  std::vector<Outcome> outcomes(chosen.size());
  parallel_for(wanted, threads, [&](int item, int thread) {
    const auto i = static_cast<std::size_t>(item);
    outcomes[i] =
        solve(problems.value(), chosen[i], {}, workspaces[static_cast<std::size_t>(thread)]);
    if (thread == 0) options.progress(begin + share * item / wanted);
  });
  add_rows(robot, problems.value(), chosen, outcomes, report);
  report.plot.series.push_back(distribution(robot, outcomes));
  return {};
}

Result<Report> run(const Options& options) {
  if (auto known = require_problem_robot(options); !known.ok()) return known.error();
  Report report;
  report.plot = {"Straight segments of the MotionBenchMaker problems",
                 "ms per problem",
                 "share of the problems",
                 true,
                 false,
                 {}};
  const auto robots = problem_robots(options, report);
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, robots.size()));
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const auto done = run_robot(robots[i], problems_of(robots[i]), options,
                                share * static_cast<double>(i), share, report);
    if (!done.ok()) return done.error();
  }
  report.notes.push_back(
      "One straight segment in joint space per problem, checker classic, resolution 1e-6. "
      "Milliseconds are those of one check with the preparation of the model, without building the "
      "scene. 'failed' counts problems that could not be checked at all.");
  return report;
}

}  // namespace

Benchmark mbm_straight() {
  return {"mbm-straight", "straight segments from start to goal of the MotionBenchMaker problems",
          run, false, true};
}

}  // namespace proven::bench
