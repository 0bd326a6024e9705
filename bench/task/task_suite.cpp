#include "bench/task/task_suite.h"

#include <fmt/format.h>

#include <charconv>

#include "bench/bench.h"
#include "proven/base/parallel.h"
#include "proven/task/planner.h"

namespace proven::bench {
namespace {

constexpr double kSeconds = 5;
constexpr int kMostActions = 4;
constexpr std::int64_t kMostNodes = 400'000;

SmallPlan small_plan(const std::vector<task::PlannedAction>& plan) {
  SmallPlan small;
  for (const task::PlannedAction& action : plan) {
    int index = 0;
    std::from_chars(action.name.data() + 1, action.name.data() + action.name.size(), index);
    small.push_back({index, action.start, action.duration});
  }
  return small;
}

std::string to_text(const SmallPlan& plan) {
  std::string text;
  for (const SmallStep& step : plan)
    text += fmt::format("{:.6f}: (a{}) [{:.6f}]\n", step.start, step.action, step.duration);
  return text;
}

std::string text_of(const SmallTask& task) {
  return domain_text(task) + problem_text(task);
}

}  // namespace

void TaskTally::add(const TaskTally& other) {
  tasks += other.tasks;
  exist += other.exist;
  none += other.none;
  open += other.open;
  solved += other.solved;
  unsolvable += other.unsolvable;
  undecided += other.undecided;
  missed += other.missed;
  false_unsolvable += other.false_unsolvable;
  invalid += other.invalid;
  misses.insert(misses.end(), other.misses.begin(), other.misses.end());
  complaints.insert(complaints.end(), other.complaints.begin(), other.complaints.end());
}

TaskTally judge_task(const SmallTask& small) {
  TaskTally tally;
  tally.tasks = 1;
  const Exhaustive known = search_all(small, kMostActions, kMostNodes);
  (known.plan ? tally.exist : known.complete ? tally.none : tally.open) = 1;
  const auto complain = [&](int& counter, const std::string& what) {
    ++counter;
    tally.complaints.push_back(what + "\n" + text_of(small));
  };
  if (known.plan)
    if (const std::string wrong = refute(small, *known.plan, 1e-6); !wrong.empty())
      complain(tally.invalid, "the exhaustive search is wrong: " + wrong);
  const std::string domain_pddl = domain_text(small), problem_pddl = problem_text(small);
  const auto domain = task::parse_domain(domain_pddl, "domain");
  const auto problem =
      domain.ok() ? task::parse_problem(problem_pddl, "problem", domain.value()) : domain.error();
  if (!problem.ok()) {
    complain(tally.invalid, problem.error().text());
    return tally;
  }
  task::TaskOptions options;
  options.anytime = false;
  const auto planned =
      task::plan_task(domain.value(), problem.value(), options, Budget::of_seconds(kSeconds));
  if (!planned.ok()) {
    complain(tally.invalid, planned.error().text());
    return tally;
  }
  switch (planned.value().outcome) {
    case task::TaskOutcome::undecided:
      tally.undecided = 1;
      tally.missed = known.plan ? 1 : 0;
      if (known.plan) tally.misses.push_back("missed: " + to_text(*known.plan) + text_of(small));
      break;
    case task::TaskOutcome::unsolvable:
      tally.unsolvable = 1;
      if (known.plan) complain(tally.false_unsolvable, "false: " + planned.value().reason);
      break;
    case task::TaskOutcome::solved: {
      tally.solved = 1;
      const std::string wrong = refute(small, small_plan(planned.value().plan), options.separation);
      if (!wrong.empty()) complain(tally.invalid, "invalid: " + wrong);
      const auto judged =
          task::validate_plan(domain_pddl, problem_pddl, task::to_text(planned.value().plan), {});
      if (!judged.ok() || judged.value().valid != wrong.empty())
        complain(tally.invalid, "the validator differs: " +
                                    (judged.ok() ? judged.value().reason : judged.error().text()));
      break;
    }
  }
  return tally;
}

namespace {

Result<Report> run(const Options& options) {
  const int count = options.cases_or(500, 10'000);
  std::vector<TaskTally> tallies(static_cast<std::size_t>(count));
  parallel_for(count, options.threads, [&](int i, int) {
    Random random(options.seed * 1'000'003 + static_cast<std::uint64_t>(i));
    tallies[static_cast<std::size_t>(i)] = judge_task(random_task(random));
  });
  TaskTally all;
  for (const TaskTally& tally : tallies) all.add(tally);
  Report report;
  Row row;
  row.add("tasks", all.tasks)
      .add("plan exists", all.exist)
      .add("none of 4 actions", all.none)
      .add("open", all.open)
      .add("solved", all.solved)
      .add("unsolvable", all.unsolvable)
      .add("undecided", all.undecided)
      .add("of these with a plan", all.missed)
      .add("false unsolvable", all.false_unsolvable)
      .add("invalid plans", all.invalid);
  report.rows.push_back(std::move(row));
  for (std::size_t i = 0; i < all.complaints.size() && i < 5; ++i)
    report.notes.push_back(all.complaints[i]);
  if (!all.misses.empty()) report.notes.push_back(all.misses.front());
  report.failed = all.false_unsolvable + all.invalid > 0;
  return report;
}

}  // namespace

Benchmark task_suite() {
  return {"task-suite", "Random small temporal tasks against an exhaustive search: no false answer",
          run};
}

}  // namespace proven::bench
