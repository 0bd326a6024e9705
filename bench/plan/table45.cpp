// Paper 001, tables IV and V: SBL over its step, A-SBL over its threshold, on six problems.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/bench.h"
#include "bench/certify/segments.h"
#include "bench/plan/judge.h"
#include "bench/plan/problems.h"
#include "proven/base/parallel.h"
#include "proven/base/processor_time.h"

namespace proven::bench {
namespace {

const std::string kScenes[] = {"cage-a", "cage-b", "machine-tool", "workshop", "car-a", "car-b"};
constexpr double kRunBudget = 120;  // seconds of one run
constexpr int kBatch = 10;          // runs between two looks at whether a step is reliable
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
  Judgement judgement;  // of a solved one
};

struct Runs {
  int count = 0, solved = 0;
  double seconds = 0;  // of all
  Judgements judgements;

  double mean_seconds() const { return seconds / std::max(count, 1); }
  void add(const Run& run, std::uint64_t seed) {
    ++count;
    seconds += run.seconds;
    if (run.status != PlanStatus::solved) return;
    ++solved;
    judgements.add(run.judgement, fmt::format("seed {}", seed));
  }
};

// Runs of one problem with many seeds, on several threads.
class Runner {
 public:
  Runner(const PlanCase& c, int threads)
      : case_(c), judges_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {}

  // One run per seed from `first`; stops after a batch with a collision if told to.
  Result<Runs> run(const PlanOptions& options, std::uint64_t first, int count,
                   bool until_collision) {
    Runs sum;
    while (sum.count < count) {
      const int batch = until_collision ? std::min(kBatch, count - sum.count) : count;
      std::vector<Run> runs(static_cast<std::size_t>(batch));
      const std::uint64_t seed = first + static_cast<std::uint64_t>(sum.count);
      parallel_for(batch, static_cast<int>(judges_.size()), [&](int item, int thread) {
        auto& judge = judges_[static_cast<std::size_t>(thread)];
        if (!judge) judge = std::make_unique<Judge>(case_.source, case_.scene);
        runs[static_cast<std::size_t>(item)] =
            run_one(options, seed + static_cast<std::uint64_t>(item), *judge);
      });
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].error) return *runs[i].error;
        sum.add(runs[i], seed + i);
      }
      if (until_collision && sum.judgements.collision > 0) break;
    }
    return sum;
  }

 private:
  Run run_one(PlanOptions options, std::uint64_t seed, Judge& judge) const {
    options.seed = seed;
    Run run;
    const double before = processor_seconds();
    const auto result = plan(case_.scene, case_.problem, options, Budget::of_seconds(kRunBudget));
    run.seconds = processor_seconds() - before;
    if (!result.ok()) return {result.error(), {}, {}, {}};
    run.status = result.value().status;
    if (run.status != PlanStatus::solved) return run;
    const auto judgement = judge.judge(result.value().path);
    if (!judgement.ok()) return {judgement.error(), {}, {}, {}};
    run.judgement = judgement.value();
    return run;
  }

  const PlanCase& case_;
  std::vector<std::unique_ptr<Judge>> judges_;  // per thread
};

void add_columns(Row& row, const Runs& sum) {
  const Judgements& j = sum.judgements;
  row.add("runs", sum.count).add("solved", sum.solved);
  row.add("free", j.free).add("verified", j.verified_free);
  row.add("collide", j.collision).add("witness verified", j.verified_collisions);
  row.add("undecided", j.undecided).add("s: ours", sum.mean_seconds());
}

PlanOptions bench_options(const char* planner) {
  PlanOptions options;
  options.planner = planner;
  return options;
}

// The paper's procedure: the step shrinks by 1.2 until `wanted` runs in a row are correct. Returns
// the mean seconds of a run.
Result<double> reliable_step(const PlanCase& c, Runner& runner, std::size_t index, int wanted,
                             bool hundred, const Options& bench, double& step, Report& report) {
  constexpr double kSmallestStep = 2e-4;
  for (;; step /= 1.2) {
    PlanOptions options = bench_options("sbl");
    options.check.step = step;
    const auto runs = runner.run(options, bench.seed, wanted, true);
    if (!runs.ok()) return runs.error();
    if (runs.value().judgements.collision > 0 && step > kSmallestStep) continue;
    Row& row = report.rows.emplace_back();
    row.add("scene", c.name).add("planner", "sbl").add("wanted correct", wanted);
    row.add("step: ours", step);
    add_columns(row, runs.value());
    row.add("step: paper", kPaperSbl[index][hundred ? 2 : 0]);
    row.add("s: paper", kPaperSbl[index][hundred ? 3 : 1]);
    return runs.value().mean_seconds();
  }
}

// How often SBL is wrong at steps that people use.
Result<void> fixed_steps(const PlanCase& c, Runner& runner, int wanted, const Options& bench,
                         Report& report) {
  for (const double step : {0.05, 0.012}) {
    PlanOptions options = bench_options("sbl");
    options.check.step = step;
    const auto runs = runner.run(options, bench.seed, wanted, false);
    if (!runs.ok()) return runs.error();
    Row& row = report.rows.emplace_back();
    row.add("scene", c.name).add("planner", "sbl").add("step: ours", step);
    add_columns(row, runs.value());
    if (const std::string& witness = runs.value().judgements.witness; !witness.empty())
      report.notes.push_back(
          fmt::format("{}: first path of SBL at step {} that collides: {}", c.name, step, witness));
  }
  return {};
}

// A-SBL at the planners' own threshold. Returns the mean seconds of a run.
Result<double> adaptive(const PlanCase& c, Runner& runner, int wanted, const Options& bench,
                        Report& report) {
  const auto runs = runner.run(bench_options("a-sbl"), bench.seed, wanted, false);
  if (!runs.ok()) return runs.error();
  Row& row = report.rows.emplace_back();
  row.add("scene", c.name).add("planner", "a-sbl");
  add_columns(row, runs.value());
  return runs.value().mean_seconds();
}

constexpr std::size_t kPaperThreshold = 2;  // of kThresholds: 0.001, the planners' own

Result<void> table4_scene(std::size_t index, const Options& bench, Report& report) {
  const auto loaded = built_in_case(kScenes[index]);
  if (!loaded.ok()) return loaded.error();
  const PlanCase& c = loaded.value();
  Runner runner(c, bench.threads);
  const int few = bench.cases_or(3, 50), many = bench.cases_or(6, 100);
  const auto done_so_far = [&](double share) {
    bench.progress((static_cast<double>(index) + share) / std::size(kScenes));
  };
  if (auto done = fixed_steps(c, runner, many, bench, report); !done.ok()) return done;
  done_so_far(0.2);
  double step = 0.05;
  if (auto done = reliable_step(c, runner, index, few, false, bench, step, report); !done.ok())
    return done.error();
  done_so_far(0.5);
  const auto sbl = reliable_step(c, runner, index, many, true, bench, step, report);
  if (!sbl.ok()) return sbl.error();
  done_so_far(0.8);
  const auto a_sbl = adaptive(c, runner, many, bench, report);
  if (!a_sbl.ok()) return a_sbl.error();
  report.rows.back().add("A-SBL / SBL: ours", a_sbl.value() / sbl.value());
  report.rows.back().add("A-SBL / SBL: paper",
                         kPaperAdaptive[index][kPaperThreshold] / kPaperSbl[index][3]);
  const double values[] = {sbl.value(), a_sbl.value(), kPaperSbl[index][3],
                           kPaperAdaptive[index][kPaperThreshold]};
  for (std::size_t k = 0; k < 4; ++k) {
    report.plot.series[k].x.push_back(static_cast<double>(report.plot.categories.size()));
    report.plot.series[k].y.push_back(values[k]);
  }
  report.plot.categories.push_back(c.name);
  done_so_far(1);
  return {};
}

Result<Report> run_table4(const Options& bench) {
  Report report;
  report.plot = {"SBL at a reliable step and A-SBL (paper 001, tables IV and V)",
                 "scene",
                 "s per run",
                 false,
                 true,
                 {}};
  for (const char* name : {"SBL: ours", "A-SBL: ours", "SBL: paper", "A-SBL: paper"})
    report.plot.series.push_back({name, Series::Style::bars, {}, {}, {}});
  const auto chosen = chosen_of(kScenes, bench);
  if (!chosen.ok()) return chosen.error();
  for (const std::size_t i : chosen.value())
    if (auto done = table4_scene(i, bench, report); !done.ok()) return done.error();
  report.notes.push_back(
      "A run is correct if check does not refute its path. Steps are radians in joint space; those "
      "of the paper belong to its own scenes. Processor seconds per run, all runs counted. "
      "'verified': the independent verifier accepts the certificate.");
  report.notes.push_back(kPaperMachine);
  return report;
}

// The paper's curve is drawn beside ours, in the same colour.
Result<void> table5_scene(std::size_t index, const Options& bench, Report& report,
                          std::vector<Series>& of_paper) {
  const auto loaded = built_in_case(kScenes[index]);
  if (!loaded.ok()) return loaded.error();
  Runner runner(loaded.value(), bench.threads);
  Series series{kScenes[index], Series::Style::line, {}, {}, {}};
  Series paper{kScenes[index] + ": paper", Series::Style::dashed, {}, {}, {}};
  for (std::size_t k = 0; k < std::size(kThresholds); ++k) {
    PlanOptions options = bench_options("a-sbl");
    options.check.resolution = kThresholds[k];
    const auto runs = runner.run(options, bench.seed, bench.cases_or(3, 100), false);
    if (!runs.ok()) return runs.error();
    Row& row = report.rows.emplace_back();
    row.add("scene", kScenes[index]).add("planner", "a-sbl").add("threshold", kThresholds[k]);
    add_columns(row, runs.value());
    row.add("s: paper", kPaperAdaptive[index][k]);
    if (kThresholds[k] > 0) {
      series.x.push_back(kThresholds[k]);
      series.y.push_back(runs.value().mean_seconds());
      paper.x.push_back(kThresholds[k]);
      paper.y.push_back(kPaperAdaptive[index][k]);
    }
    const double share = static_cast<double>(k + 1) / std::size(kThresholds);
    bench.progress((static_cast<double>(index) + share) / std::size(kScenes));
  }
  report.plot.series.push_back(std::move(series));
  of_paper.push_back(std::move(paper));
  return {};
}

Result<Report> run_table5(const Options& bench) {
  Report report;
  report.plot = {
      "A-SBL over its threshold (paper 001, table V)", "threshold", "s per run", true, true, {}};
  const auto chosen = chosen_of(kScenes, bench);
  if (!chosen.ok()) return chosen.error();
  std::vector<Series> of_paper;
  for (const std::size_t i : chosen.value())
    if (auto done = table5_scene(i, bench, report, of_paper); !done.ok()) return done.error();
  report.plot.series.insert(report.plot.series.end(), of_paper.begin(), of_paper.end());
  report.notes = {
      "Every path is checked again at the default resolution: 'free' are proved, 'verified' those "
      "whose certificates the independent verifier accepts.",
      kPaperMachine};
  return report;
}

}  // namespace

Benchmark table4() {
  return {"table4", "SBL at steps reliable for 50 and 100 runs (paper 001, table IV)", run_table4,
          true};
}

Benchmark table5() {
  return {"table5", "A-SBL over its threshold (paper 001, table V)", run_table5, true};
}

}  // namespace proven::bench
