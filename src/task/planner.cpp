#include "proven/task/planner.h"

#include <fmt/format.h>

#include <cmath>

#include "task/failure.h"
#include "task/improve.h"
#include "task/module_memory.h"
#include "task/search.h"

namespace proven::task {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLandmarkBytes = std::size_t{256} << 20;
// Unknown answers are asked for again with up to this many times the first budget.
constexpr double kLargestBudget = 64;

class Planner {
 public:
  Planner(const Domain& domain, const Problem& problem, const TaskOptions& options)
      : domain_(domain), problem_(problem), options_(options), started_(Clock::now()) {
    const double seconds = options.max_seconds > 0 ? options.max_seconds : 1e8;
    deadline_ = started_ +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  TaskResult run() {
    GroundLimits limits;
    if (options_.max_seconds > 0) limits.max_seconds = options_.max_seconds;
    limits.cancel = options_.cancel;
    task_ = std::make_unique<GroundTask>(ground(domain_, problem_, limits));
    result_.stats.ground_seconds = elapsed();
    result_.stats.facts = task_->fact_count;
    result_.stats.numbers = static_cast<std::int64_t>(task_->variable_names.size());
    result_.stats.actions = static_cast<std::int64_t>(task_->actions.size());
    if (!task_->calls.empty() || !domain_.module_options.empty())
      memory_ = std::make_unique<ModuleMemory>(*task_, options_.modules);
    try {
      search_all();
    } catch (const Failure& failure) {
      // A plan that was found before a module failed is still a plan.
      if (best_.steps.empty() && result_.outcome != TaskOutcome::solved) throw;
      result_.reason = failure.error().text();
    }
    finish();
    return std::move(result_);
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  void search_all() {
    search_with(false);
    const bool again = result_.outcome != TaskOutcome::solved && exhausted_ && any_compressed();
    if (again) search_with(true);
  }

  bool any_compressed() const {
    for (const GroundAction& action : task_->actions)
      if (action.compressed) return true;
    return false;
  }

  void search_with(bool split_all) {
    model_ = std::make_unique<PrefixModel>(*task_, options_.separation);
    model_->split_all = split_all;
    const RelaxedTask relaxed(*task_, split_all);
    const Prefix root(*model_);
    const Landmarks landmarks(relaxed, root.state(), kLandmarkBytes);
    result_.stats.landmarks = static_cast<std::int64_t>(landmarks.size());
    const PlanValue value(*task_);
    if (RelaxedPlanner(relaxed).estimate(root).value == RelaxedPlanner::kDeadEnd) {
      result_.outcome = TaskOutcome::unsolvable;
      result_.reason = "the goal cannot be reached even if nothing is ever undone";
      return;
    }
    Search search(*model_, relaxed, landmarks, value, memory_.get());
    SearchSettings settings;
    settings.deadline = deadline_;
    settings.max_bytes = options_.max_bytes;
    settings.eager_modules = options_.eager_modules;
    settings.cancel = options_.cancel;
    settings.progress = options_.progress;
    first_plan(search, settings, split_all);
    if (result_.outcome == TaskOutcome::solved) {
      improve(value);
      if (options_.anytime) search_for_better(search, settings, value);
    }
    result_.stats.expanded += search.stats().expanded;
    result_.stats.generated += search.stats().generated;
    result_.stats.evaluated += search.stats().evaluated;
  }

  void first_plan(Search& search, const SearchSettings& settings, bool split_all) {
    SearchEnd end = search.run(settings, best_);
    while (end == SearchEnd::undecided && memory_ &&
           memory_->raise_budget(kLargestBudget * options_.modules.answer_seconds))
      end = search.run(settings, best_);
    exhausted_ = end == SearchEnd::exhausted;
    if (end == SearchEnd::found) {
      ++result_.stats.plans;
      result_.stats.first_plan_seconds = elapsed();
      result_.outcome = TaskOutcome::solved;
    } else {
      explain(end, split_all);
    }
  }

  void explain(SearchEnd end, bool split_all) {
    result_.outcome = TaskOutcome::undecided;
    switch (end) {
      case SearchEnd::exhausted:
        if (is_timeless()) {
          result_.outcome = TaskOutcome::unsolvable;
          result_.reason = "all reachable states were tried";
        } else {
          result_.reason = split_all || !any_compressed()
                               ? "search ended; with durative actions that proves nothing"
                               : "";
        }
        break;
      case SearchEnd::out_of_time:
        result_.reason = "the time budget ran out";
        break;
      case SearchEnd::out_of_memory:
        result_.reason = "the memory budget ran out";
        break;
      case SearchEnd::undecided:
        result_.reason = "modules left conditions undecided within their budgets";
        break;
      case SearchEnd::cancelled:
        result_.reason = "interrupted";
        break;
      case SearchEnd::found:
        break;
    }
  }

  // Without durations and timed events equal states are equal in every respect.
  bool is_timeless() const {
    for (const GroundAction& action : task_->actions)
      if (action.durative) return false;
    return task_->timed.empty();
  }

  void improve(const PlanValue& value) {
    const auto limit = Clock::now() + std::chrono::seconds(options_.anytime ? 10 : 2);
    best_ = improved(*model_, value, memory_.get(), best_, [&] {
      return Clock::now() < std::min(deadline_, limit) &&
             !(options_.cancel && options_.cancel->load());
    });
  }

  // Ever less greedy searches for plans better than the best so far.
  void search_for_better(Search& search, SearchSettings settings, const PlanValue& value) {
    settings.metric_costs = true;
    if (options_.progress) settings.progress = [&](double) { options_.progress(0); };
    for (const double weight : {0.0, 5.0, 3.0, 2.0, 1.0}) {
      settings.weight = weight;
      for (;;) {
        settings.best_value = best_.value;
        FoundPlan better;
        const SearchEnd end = search.run(settings, better);
        if (end == SearchEnd::found) {
          ++result_.stats.plans;
          best_ = better;
          improve(value);
          continue;
        }
        if (end != SearchEnd::exhausted && end != SearchEnd::undecided) return;
        break;
      }
    }
  }

  void finish() {
    result_.stats.seconds = elapsed();
    if (memory_) {
      result_.stats.module_questions = memory_->questions();
      result_.stats.module_calls = memory_->calls();
      result_.stats.module_unknown = memory_->unknown();
    }
    if (result_.outcome != TaskOutcome::solved) return;
    Prefix prefix(*model_);
    bool repeated = true;
    for (const Step step : best_.steps)
      repeated = repeated && prefix.apply(step, memory_.get()) == Applied::yes;
    if (!repeated || prefix.finish(memory_.get()) != Applied::yes)
      fail({}, "internal error: the plan cannot be repeated", ErrorCode::unsupported);
    for (const TimedAction& timed : prefix.schedule()) {
      const GroundAction& action = task_->actions[static_cast<std::size_t>(timed.action)];
      PlannedAction planned;
      planned.start = timed.start;
      planned.duration = timed.duration;
      planned.durative = action.durative;
      planned.name = domain_.actions[static_cast<std::size_t>(action.schema)].name;
      for (const int object : action.arguments)
        planned.arguments.push_back(task_->objects[static_cast<std::size_t>(object)]);
      result_.makespan = std::max(result_.makespan, timed.start + timed.duration);
      result_.plan.push_back(std::move(planned));
    }
    result_.metric = task_->has_metric && !task_->minimize ? -best_.value : best_.value;
  }

  const Domain& domain_;
  const Problem& problem_;
  const TaskOptions& options_;
  Clock::time_point started_, deadline_;
  std::unique_ptr<GroundTask> task_;
  std::unique_ptr<ModuleMemory> memory_;
  std::unique_ptr<PrefixModel> model_;
  FoundPlan best_;
  bool exhausted_ = false;
  TaskResult result_;
};

}  // namespace

Result<TaskResult> plan_task(const Domain& domain, const Problem& problem,
                             const TaskOptions& options) {
  return guarded<TaskResult>(
      [&]() -> Result<TaskResult> { return Planner(domain, problem, options).run(); });
}

std::string to_text(const std::vector<PlannedAction>& plan) {
  std::string text;
  for (const PlannedAction& action : plan) {
    text += fmt::format("{:.6f}: ({}", action.start, action.name);
    for (const std::string& argument : action.arguments) text += " " + argument;
    text += action.durative ? fmt::format(") [{:.6f}]\n", action.duration) : ")\n";
  }
  return text;
}

}  // namespace proven::task
