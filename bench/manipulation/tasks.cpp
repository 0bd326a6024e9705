// Tables I and II of paper 003: symbolic and geometric planning together. Every plan goes to the
// validator, every path to the verifier.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/bench.h"
#include "manipulation/problems.h"
#include "manipulation/steps.h"
#include "proven/task/planner.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;
using manipulation::TaskProblem;
using manipulation::TaskSet;

constexpr double kBudget = 300;       // seconds for one plan
constexpr double kAnswerSeconds = 1;  // for a module's first answer
constexpr double kPlainBudget = 20;   // for the comparisons without cache or laziness

// A folder with a task set, and one for motions; both go away at the end.
class Workbench {
 public:
  static Result<Workbench> open(const TaskSet& set) {
    std::string name = (fs::temp_directory_path() / "proven-bench-XXXXXX").string();
    if (!mkdtemp(name.data())) return Error{ErrorCode::exhausted, "cannot be created", name};
    Workbench bench(name);
    if (auto saved = save_task_set(set, bench.folder()); !saved.ok()) return saved.error();
    return bench;
  }
  Workbench(Workbench&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  ~Workbench() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }
  // Emptied for every run.
  fs::path fresh(const char* name) const {
    fs::remove_all(folder_ / name);
    fs::create_directories(folder_ / name);
    return folder_ / name;
  }

 private:
  explicit Workbench(fs::path folder) : folder_(std::move(folder)) {}
  fs::path folder_;
};

struct Run {
  bool cache = true, eager = false;
  double seconds = kBudget;
  std::uint64_t seed = 1;
};

struct Outcome {
  bool solved = false, valid = false, verified = false;
  double seconds = 0, cpu_seconds = 0, makespan = 0;
  std::int64_t calls = 0, actions = 0;
  std::string reason;
};

// Of this process and of those that it started and that have ended: the modules' process among
// them.
double cpu_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

task::TaskOptions options_of(const Run& run) {
  task::TaskOptions options;
  options.eager_modules = run.eager;
  options.modules.cache = run.cache;
  options.modules.answer_seconds = kAnswerSeconds;
  options.modules.search_path = manipulation::own_module_folders();
  return options;
}

// The validator with modules asked anew, then every motion by the checker and the verifier. A plan
// of several arms first gets the times that are proved.
Result<void> judge(const TaskSet& set, const TaskProblem& problem, const task::Domain& domain,
                   const task::Problem& parsed, const std::vector<task::PlannedAction>& plan,
                   const fs::path& store, const fs::path& folder, const task::TaskOptions& options,
                   bool has_times, Outcome& outcome) {
  auto modules = task::load_modules(domain, parsed, options.modules);
  if (!modules.ok()) return modules.error();
  manipulation::StepRecorder recorder(std::move(modules).value(), domain, set.world);
  task::ValidationOptions validation;
  validation.modules = &recorder;
  const auto judged =
      task::validate_plan(set.domain, problem.text, task::to_text(plan), validation);
  if (!judged.ok()) return judged.error();
  outcome.valid = judged.value().valid;
  outcome.reason = judged.value().reason;
  outcome.makespan = judged.value().makespan;
  if (!outcome.valid) return {};
  if (!has_times) {
    const auto clock =
        manipulation::on_one_clock(set.world, plan, recorder.steps(), store, options.separation);
    if (!clock.ok()) return clock.error();
    return judge(set, problem, domain, parsed, clock.value().plan, store, folder, options, true,
                 outcome);
  }
  manipulation::StepOptions as_found;
  as_found.smooth_seconds = 0;
  const auto written =
      manipulation::write_steps(set.world, recorder.steps(), store, folder, as_found);
  if (!written.ok()) return written.error();
  const auto refuted = manipulation::refute_steps(set.world, recorder.steps(), folder);
  if (!refuted.ok()) return refuted.error();
  outcome.verified = refuted.value().empty();
  outcome.reason = refuted.value();
  return {};
}

Result<Outcome> solve(const TaskSet& set, const TaskProblem& problem, const Workbench& bench,
                      const Run& run) {
  const auto domain = task::parse_domain(set.domain, "domain.pddl");
  if (!domain.ok()) return domain.error();
  auto parsed = task::parse_problem(problem.text, problem.name + ".pddl", domain.value());
  if (!parsed.ok()) return parsed.error();
  const fs::path store = bench.fresh("motions");
  manipulation::add_settings({bench.folder(), store, run.seed, !run.cache}, parsed.value());
  const task::TaskOptions options = options_of(run);
  const double before = cpu_seconds();
  const auto planned =
      task::plan_task(domain.value(), parsed.value(), options, Budget::of_seconds(run.seconds));
  if (!planned.ok()) return planned.error();
  Outcome outcome;
  outcome.cpu_seconds = cpu_seconds() - before;
  outcome.solved = planned.value().outcome == task::TaskOutcome::solved;
  outcome.reason = planned.value().reason;
  outcome.seconds = planned.value().stats.first_plan_seconds;
  outcome.calls = planned.value().stats.module_calls;
  outcome.makespan = planned.value().makespan;
  outcome.actions = static_cast<std::int64_t>(planned.value().plan.size());
  if (!outcome.solved || !run.cache || run.eager) return outcome;
  if (auto done = judge(set, problem, domain.value(), parsed.value(), planned.value().plan, store,
                        bench.fresh("plan"), options, set.world.arms.size() == 1, outcome);
      !done.ok())
    return done.error();
  return outcome;
}

struct Statistics {
  double mean = 0, deviation = 0;
};

Statistics statistics(const std::vector<double>& values) {
  Statistics result;
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  for (const double v : values) result.deviation += (v - result.mean) * (v - result.mean);
  result.deviation = values.size() > 1 ? std::sqrt(result.deviation / (n - 1)) : 0;
  return result;
}

std::string calls_of(const Outcome& outcome) {
  return fmt::format("{}{}", outcome.calls, outcome.solved ? "" : " (budget)");
}

Result<Row> run_problem(const TaskSet& set, const TaskProblem& problem, const Workbench& bench,
                        const Options& options, int seeds, std::vector<std::string>& failures) {
  std::vector<double> seconds, cpu, makespans, actions, calls;
  int solved = 0, valid = 0, verified = 0;
  for (int k = 0; k < seeds; ++k) {
    Run run;
    run.seed = options.seed + static_cast<std::uint64_t>(k);
    const auto outcome = solve(set, problem, bench, run);
    if (!outcome.ok()) return outcome.error();
    const Outcome& o = outcome.value();
    solved += o.solved;
    valid += o.valid;
    verified += o.verified;
    if (!o.verified)
      failures.push_back(
          fmt::format("{} {}, seed {}: {}", set.name, problem.name, run.seed, o.reason));
    if (!o.solved) continue;
    seconds.push_back(o.seconds);
    cpu.push_back(o.cpu_seconds);
    makespans.push_back(o.makespan);
    actions.push_back(static_cast<double>(o.actions));
    calls.push_back(static_cast<double>(o.calls));
  }
  Row row;
  row.add("set", set.name).add("problem", problem.name);
  if (problem.paper_seconds > 0)
    row.add("paper [s]",
            fmt::format("{:.2f} ± {:.2f}", problem.paper_seconds, problem.paper_deviation));
  else
    row.add("makespan [s]", statistics(makespans).mean);
  row.add("ours [s]",
          fmt::format("{:.2f} ± {:.2f}", statistics(seconds).mean, statistics(seconds).deviation))
      .add("cpu [s]",
           fmt::format("{:.2f} ± {:.2f}", statistics(cpu).mean, statistics(cpu).deviation))
      .add("solved", fmt::format("{}/{}", solved, seeds))
      .add("valid", fmt::format("{}/{}", valid, seeds))
      .add("verified", fmt::format("{}/{}", verified, seeds))
      .add("actions", statistics(actions).mean)
      .add("calls", statistics(calls).mean);
  if (options.quick) return row;
  const auto plain = solve(set, problem, bench, {false, false, kPlainBudget, options.seed});
  if (!plain.ok()) return plain.error();
  const auto eager = solve(set, problem, bench, {true, true, kPlainBudget, options.seed});
  if (!eager.ok()) return eager.error();
  row.add("calls, no cache", calls_of(plain.value())).add("calls, eager", calls_of(eager.value()));
  return row;
}

Result<Report> run_sets(std::initializer_list<const char*> names, const Options& options) {
  Report report;
  const int seeds = options.cases_or(1, 10);
  for (const char* name : names) {
    const auto set = manipulation::make_task_set(name);
    if (!set.ok()) return set.error();
    const auto bench = Workbench::open(set.value());
    if (!bench.ok()) return bench.error();
    double done = 0;
    for (const TaskProblem& problem : set.value().problems) {
      options.progress(done++ / static_cast<double>(set.value().problems.size()));
      auto row = run_problem(set.value(), problem, bench.value(), options, seeds, report.notes);
      if (!row.ok()) return row.error();
      report.rows.push_back(std::move(row).value());
    }
  }
  report.notes.push_back(fmt::format(
      "{} seeds; seconds until the plan, one thread, modules in their own process; cpu: processor "
      "time of both, whatever else the machine does; makespan: seconds that the arm takes; the "
      "paper's are of a Core2Duo E6400 on its own scenes, ours are made after its description",
      seeds));
  report.notes.push_back(
      "valid: by the plan validator, modules asked anew; verified: every path proved by check and "
      "accepted by the verifier; calls: of modules, with cache and lazy unless said otherwise");
  return report;
}

}  // namespace

Benchmark tables() {
  return {"tables", "Paper 003, table I: pick and place between three tables",
          [](const Options& options) { return run_sets({"tables"}, options); }};
}

Benchmark dexterity() {
  return {"dexterity", "Paper 003, table II: blocks over holes, without and with the board",
          [](const Options& options) {
            return run_sets({"dexterity", "dexterity-board"}, options);
          }};
}

Benchmark worlds() {
  return {"worlds", "Tasks of our own: a tower, a crate, a drawer, full mugs and boxes, two arms",
          [](const Options& options) {
            return run_sets({"tower", "packing", "drawer", "sorting", "handover"}, options);
          }};
}

}  // namespace proven::bench
