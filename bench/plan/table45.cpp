// Paper 001, tables IV and V: SBL over its step, A-SBL over its threshold, on six problems.
#include <fmt/format.h>

#include <optional>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/problems.h"
#include "proven/base/parallel.h"
#include "proven/certify/check.h"

namespace proven::bench {
namespace {

constexpr const char* kScenes[] = {"cage-a",   "cage-b", "machine-tool",
                                   "workshop", "car-a",  "car-b"};
constexpr double kRunBudget = 120;  // seconds of one run
// Table IV: step and seconds for 50 and for 100 correct runs.
constexpr double kPaperSbl[6][4] = {
    {0.00402, 4.13, 0.00232, 5.15}, {0.00078, 12.26, 0.00078, 13.87},
    {0.00833, 0.17, 0.00833, 0.17}, {0.00162, 7.52, 0.00038, 16.45},
    {0.00694, 2.72, 0.00279, 3.82}, {0.012, 0.67, 0.00833, 0.92}};
// Table V.
constexpr double kThresholds[8] = {0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.00001, 0};
constexpr double kPaperAdaptive[6][8] = {{5.59, 5.04, 5.60, 7.95, 11.17, 13.38, 17.07, 24.85},
                                         {11.78, 12.37, 11.47, 13.17, 16.03, 16.99, 20.59, 27.54},
                                         {0.16, 0.22, 0.42, 0.49, 1.32, 1.87, 3.48, 21.48},
                                         {6.71, 7.33, 9.55, 12.63, 27.53, 31.91, 67.52, 251.56},
                                         {2.00, 1.59, 1.80, 1.76, 2.95, 2.89, 3.83, 5.54},
                                         {0.43, 0.65, 0.71, 0.86, 2.05, 2.42, 3.23, 10.90}};

struct Run {
  std::optional<Error> error;
  PlanStatus status = PlanStatus::budget;
  double seconds = 0;
  Verdict verdict = Verdict::undecided;  // of the path, by check at its default resolution
};

struct Runs {
  int solved = 0;
  double mean_seconds = 0;
  PathJudgement judgement;
};

// One run per seed from `first`, on several threads.
Result<std::vector<Run>> run_seeds(const Scene& scene, const PlanProblem& problem,
                                   const PlanOptions& options, std::uint64_t first, int count,
                                   int threads) {
  if (threads <= 0) threads = default_threads();
  std::vector<Run> runs(static_cast<std::size_t>(count));
  std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
  parallel_for(count, threads, [&](int item, int thread) {
    Run& run = runs[static_cast<std::size_t>(item)];
    PlanOptions own = options;
    own.seed = first + static_cast<std::uint64_t>(item);
    const auto result = plan(scene, problem, own);
    if (!result.ok()) {
      run.error = result.error();
      return;
    }
    run.status = result.value().status;
    run.seconds = result.value().stats.seconds;
    if (run.status != PlanStatus::solved) return;
    CheckOptions fine = proving_check();
    fine.resolution = CheckOptions{}.resolution;
    const auto checked =
        check(scene, result.value().path, fine, workspaces[static_cast<std::size_t>(thread)]);
    if (checked.ok()) run.verdict = checked.value().verdict;
  });
  for (const Run& run : runs)
    if (run.error) return *run.error;
  return runs;
}

Runs summary(const std::vector<Run>& runs) {
  Runs sum;
  for (const Run& run : runs) {
    sum.mean_seconds += run.seconds / static_cast<double>(runs.size());
    if (run.status != PlanStatus::solved) continue;
    ++sum.solved;
    sum.judgement.add(run.verdict);
  }
  return sum;
}

void add_columns(Row& row, int runs, const Runs& sum) {
  row.add("runs", runs).add("solved", sum.solved);
  row.add("free", sum.judgement.free).add("collide", sum.judgement.collision);
  row.add("undecided", sum.judgement.undecided).add("s: ours", sum.mean_seconds);
}

struct Case {
  std::string name;
  Scene scene;
  PlanProblem problem;
};

Result<Case> load_case(const std::string& name) {
  Result<Scene> scene = built_in_scene(name);
  if (!scene.ok()) return scene.error();
  const auto problem = built_in_problem(name, scene.value());
  if (!problem.ok()) return problem.error();
  return Case{name, std::move(scene).value(), problem.value()};
}

PlanOptions bench_options(const char* planner) {
  PlanOptions options;
  options.planner = planner;
  options.max_seconds = kRunBudget;
  return options;
}

// The paper's procedure: the step shrinks by 1.2 until `wanted` runs in a row are correct.
Result<void> reliable_step(const Case& c, std::size_t index, int wanted, const Options& bench,
                           double& step, Report& report) {
  constexpr double kSmallestStep = 1e-4;
  for (;; step /= 1.2) {
    PlanOptions options = bench_options("sbl");
    options.check.step = step;
    const auto runs = run_seeds(c.scene, c.problem, options, bench.seed, wanted, bench.threads);
    if (!runs.ok()) return runs.error();
    const Runs sum = summary(runs.value());
    const bool reliable = sum.judgement.collision == 0;
    if (!reliable && step > kSmallestStep) continue;
    Row& row = report.rows.emplace_back();
    row.add("scene", c.name).add("planner", "sbl").add("wanted correct", wanted);
    row.add("step: ours", step);
    add_columns(row, wanted, sum);
    const bool hundred = wanted > 50;
    row.add("step: paper", kPaperSbl[index][hundred ? 2 : 0]);
    row.add("s: paper", kPaperSbl[index][hundred ? 3 : 1]);
    return {};
  }
}

// How often SBL is wrong at steps that people use.
Result<void> fixed_steps(const Case& c, int runs_wanted, const Options& bench, Report& report) {
  for (const double step : {0.05, 0.012}) {
    PlanOptions options = bench_options("sbl");
    options.check.step = step;
    const auto runs =
        run_seeds(c.scene, c.problem, options, bench.seed, runs_wanted, bench.threads);
    if (!runs.ok()) return runs.error();
    Row& row = report.rows.emplace_back();
    row.add("scene", c.name).add("planner", "sbl").add("step: ours", step);
    add_columns(row, runs_wanted, summary(runs.value()));
  }
  return {};
}

Result<Report> run_table4(const Options& bench) {
  Report report;
  report.plot = {
      "SBL: seconds at a reliable step (paper 001, table IV)", "scene", "s", false, true, {}};
  const int few = bench.cases_or(3, 50), many = bench.cases_or(6, 100);
  for (std::size_t i = 0; i < std::size(kScenes); ++i) {
    auto c = load_case(kScenes[i]);
    if (!c.ok()) return c.error();
    if (auto done = fixed_steps(c.value(), many, bench, report); !done.ok()) return done.error();
    double step = 0.05;
    for (const int wanted : {few, many})
      if (auto done = reliable_step(c.value(), i, wanted, bench, step, report); !done.ok())
        return done.error();
    bench.progress(static_cast<double>(i + 1) / std::size(kScenes));
  }
  report.notes = {
      "A run is correct if check does not refute its path. Steps are radians in joint space; those "
      "of the paper belong to its own scenes. Seconds per run of one thread, all runs counted.",
      kPaperMachine};
  return report;
}

Result<Report> run_table5(const Options& bench) {
  Report report;
  report.plot = {
      "A-SBL over its threshold (paper 001, table V)", "threshold", "s per run", true, true, {}};
  const int runs_wanted = bench.cases_or(3, 100);
  for (std::size_t i = 0; i < std::size(kScenes); ++i) {
    auto c = load_case(kScenes[i]);
    if (!c.ok()) return c.error();
    Series series{kScenes[i], Series::Style::line, {}, {}, {}};
    for (std::size_t k = 0; k < std::size(kThresholds); ++k) {
      PlanOptions options = bench_options("a-sbl");
      options.check.resolution = kThresholds[k];
      const auto runs = run_seeds(c.value().scene, c.value().problem, options, bench.seed,
                                  runs_wanted, bench.threads);
      if (!runs.ok()) return runs.error();
      const Runs sum = summary(runs.value());
      Row& row = report.rows.emplace_back();
      row.add("scene", kScenes[i]).add("planner", "a-sbl").add("threshold", kThresholds[k]);
      add_columns(row, runs_wanted, sum);
      row.add("s: paper", kPaperAdaptive[i][k]);
      if (kThresholds[k] > 0) {
        series.x.push_back(kThresholds[k]);
        series.y.push_back(sum.mean_seconds);
      }
      bench.progress((static_cast<double>(i) + static_cast<double>(k + 1) / 8) /
                     std::size(kScenes));
    }
    report.plot.series.push_back(std::move(series));
  }
  report.notes = {"Every path is checked again at the default resolution: 'free' are proved.",
                  kPaperMachine};
  return report;
}

}  // namespace

Benchmark table4() {
  return {"table4", "SBL at steps reliable for 50 and 100 runs (paper 001, table IV)", run_table4};
}

Benchmark table5() {
  return {"table5", "A-SBL over its threshold (paper 001, table V)", run_table5};
}

}  // namespace proven::bench
