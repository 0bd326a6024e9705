#include "proven/task/planner.h"

#include <fmt/format.h>

#include <cmath>

#include "task/failure.h"
#include "task/improve.h"
#include "task/module_memory.h"
#include "task/preferences.h"
#include "task/search.h"

namespace proven::task {
namespace {

constexpr std::size_t kLandmarkBytes = std::size_t{256} << 20;
// Unknown answers are asked for again with up to this many times the first budget.
constexpr double kLargestBudget = 64;

class Planner {
 public:
  Planner(const Domain& domain, const Problem& problem, const TaskOptions& options,
          const Budget& budget)
      : domain_(domain),
        problem_(problem),
        options_(options),
        budget_(budget),
        started_(Budget::Clock::now()),
        processor_started_(processor_seconds()),
        limits_{options.max_bytes, processor_started_ + options.processor_seconds, &elsewhere_} {}

  TaskResult run() {
    try {
      prepare();
      search_all();
    } catch (const Stopped& stopped) {
      if (result_.outcome != TaskOutcome::solved) result_.reason = stopped.error().message;
    } catch (const Failure& failure) {
      // A plan that was found before a module failed is still a plan.
      if (result_.outcome != TaskOutcome::solved) throw;
      result_.reason = failure.error().text();
    }
    finish();
    return std::move(result_);
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(Budget::Clock::now() - started_).count();
  }

  void prepare() {
    budget_.report("grounding", 0);
    if (!problem_.preferences.empty()) hardened_ = harden(domain_, problem_);
    task_ = std::make_unique<GroundTask>(
        hardened_ ? ground(hardened_->domain, hardened_->problem, budget_, limits_)
                  : ground(domain_, problem_, budget_, limits_));
    if (hardened_) task_->first_step = static_cast<int>(hardened_->first_step);
    result_.stats.ground_seconds = elapsed();
    result_.stats.facts = task_->fact_count;
    result_.stats.numbers = static_cast<std::int64_t>(task_->variable_names.size());
    result_.stats.actions = static_cast<std::int64_t>(task_->actions.size());
    if (task_->calls.empty() && domain_.module_options.empty()) return;
    memory_ = std::make_unique<ModuleMemory>(*task_, options_.modules, budget_, limits_);
    oracle_ = std::make_unique<MemoryOracle>(*memory_, budget_);
  }

  void search_all() {
    search_with(false);
    if (result_.outcome != TaskOutcome::solved && ended_ && any_compressed()) search_with(true);
  }

  bool any_compressed() const {
    for (const GroundAction& action : task_->actions)
      if (action.compressed) return true;
    return false;
  }

  void search_with(bool split_all) {
    Watch watch(budget_, "preparing the search", limits_);
    budget_.report("preparing", 0);
    model_ = std::make_unique<PrefixModel>(*task_, options_.separation, watch);
    model_->split_all = split_all;
    const RelaxedTask relaxed(*task_, split_all, watch);
    const Prefix root(*model_);
    const Landmarks landmarks(relaxed, root.state(), kLandmarkBytes, watch);
    result_.stats.landmarks = static_cast<std::int64_t>(landmarks.size());
    const PlanValue value(*task_);
    RelaxedPlanner relaxed_planner(relaxed, watch);
    ended_ = relaxed_planner.estimate(root).value == RelaxedPlanner::kDeadEnd;
    if (ended_) return refute(relaxed_planner.unreached());
    const Symmetry symmetry = options_.exchange_equal ? Symmetry(*task_, watch) : Symmetry();
    Search search(*model_, relaxed, landmarks, value, symmetry, oracle_.get(), budget_, limits_,
                  search_stats_);
    SearchSettings settings;
    settings.eager_modules = options_.eager_modules;
    first_plan(search, settings);
    if (result_.outcome != TaskOutcome::solved) return;
    improve(value);
    find_bound(value, relaxed, root);
    if (options_.anytime && !is_best()) search_for_better(search, settings, value);
  }

  void first_plan(Search& search, const SearchSettings& settings) {
    SearchEnd end = search.run(settings, best_);
    while (end == SearchEnd::undecided && memory_ &&
           memory_->raise_budget(kLargestBudget * options_.modules.answer_seconds))
      end = search.run(settings, best_);
    ended_ = end == SearchEnd::exhausted;
    if (end == SearchEnd::found) {
      ++result_.stats.plans;
      result_.stats.first_plan_seconds = elapsed();
      result_.outcome = TaskOutcome::solved;
      note_plan();
    } else {
      explain(end);
    }
  }

  // The relaxation without compression is a proof (docs/algorithms/task_planning.md); with it, the
  // search is repeated without.
  void refute(const std::string& unreached) {
    result_.outcome = task_->is_exact() ? TaskOutcome::unsolvable : TaskOutcome::undecided;
    result_.reason = "the goal cannot be reached even if nothing is ever undone: " + unreached;
    if (!task_->is_exact()) result_.reason += "; but numbers were rounded, so that proves nothing";
  }

  void explain(SearchEnd end) {
    result_.outcome = TaskOutcome::undecided;
    switch (end) {
      case SearchEnd::exhausted:
        explain_exhausted();
        break;
      case SearchEnd::undecided:
        result_.reason = "modules left conditions undecided within their budgets";
        break;
      case SearchEnd::found:
        break;
    }
  }

  void explain_exhausted() {
    if (!task_->is_timeless()) {
      result_.reason = "search ended; with durative actions that proves nothing";
    } else if (!task_->is_exact()) {
      result_.reason = "all states were tried, but numbers were rounded, so that proves nothing";
    } else if (task_->has_module_effects()) {
      result_.reason =
          "all states were tried; but modules may have other effects than those they had, so that "
          "proves nothing";
    } else {
      result_.outcome = TaskOutcome::unsolvable;
      result_.reason = "all reachable states were tried";
    }
  }

  void improve(const PlanValue& value) {
    budget_.report(kImproving, 0);
    best_ =
        improved(*model_, value, oracle_.get(), best_, budget_.at_most(options_.anytime ? 10 : 2));
    note_plan();
  }

  // What no plan can undercut. Compressed actions need a relaxation without compression.
  void find_bound(const PlanValue& value, const RelaxedTask& relaxed, const Prefix& root) {
    constexpr double kSeconds = 1;
    const Budget budget = budget_.at_most(kSeconds);
    Watch watch(budget, "bounding", limits_);
    try {
      std::unique_ptr<RelaxedTask> split;
      if (any_compressed() && !model_->split_all)
        split = std::make_unique<RelaxedTask>(*task_, true, watch);
      const RelaxedTask& used = split ? *split : relaxed;
      const double earliest = RelaxedPlanner(used, watch).earliest_end(root);
      result_.bound = value.bound(used, root.state(), earliest, budget);
    } catch (const Stopped&) {
      if (budget_.stopped()) throw;
    }
  }

  bool is_best() const { return result_.bound && best_.value <= *result_.bound + 1e-9; }

  // Ever less greedy searches for plans better than the best so far.
  void search_for_better(Search& search, SearchSettings settings, const PlanValue& value) {
    settings.metric_costs = true;
    for (const double weight : {0.0, 5.0, 3.0, 2.0, 1.0}) {
      settings.weight = weight;
      for (;;) {
        settings.best_value = best_.value;
        FoundPlan better;
        const SearchEnd end = search.run(settings, better);
        if (end == SearchEnd::found) {
          ++result_.stats.plans;
          best_ = better;
          note_plan();
          improve(value);
          if (is_best()) return;
          continue;
        }
        break;
      }
    }
  }

  double processor_used() {
    if (memory_) elsewhere_ = memory_->processor_elsewhere();
    return processor_seconds() - processor_started_ + elsewhere_;
  }

  double metric_of(double value) const {
    return task_->has_metric && !task_->minimize ? -value : value;
  }

  // Steps that only settle preferences are no part of a plan.
  bool is_shown(const TimedAction& timed) const {
    return task_->actions[static_cast<std::size_t>(timed.action)].schema < task_->first_step;
  }

  // Unless the last one is as good.
  void note_plan() {
    if (!result_.found.empty() && result_.found.back().metric == metric_of(best_.value)) return;
    PlanFound found{elapsed(), processor_used(), metric_of(best_.value), 0, 0};
    for (const TimedAction& timed : best_.schedule) {
      if (!is_shown(timed)) continue;
      found.makespan = std::max(found.makespan, timed.start + timed.duration);
      ++found.actions;
    }
    result_.found.push_back(found);
  }

  void finish() {
    result_.stats.seconds = elapsed();
    result_.stats.processor_seconds = processor_used();
    result_.stats.module_processor_seconds = elsewhere_;
    result_.stats.resident_bytes = static_cast<std::int64_t>(resident_bytes());
    result_.stats.expanded = search_stats_.expanded;
    result_.stats.generated = search_stats_.generated;
    result_.stats.evaluated = search_stats_.evaluated;
    if (memory_) {
      result_.stats.module_questions = memory_->questions();
      result_.stats.module_calls = memory_->calls();
      result_.stats.module_unknown = memory_->unknown();
      result_.replies = memory_->replies();
    }
    if (result_.outcome != TaskOutcome::solved) {
      for (const NodeId part : search_stats_.unreached)
        result_.unreached.push_back(task_->text(part));
      return;
    }
    for (const TimedAction& timed : best_.schedule) {
      if (!is_shown(timed)) continue;
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
    result_.metric = metric_of(best_.value);
  }

  const Domain& domain_;
  const Problem& problem_;
  const TaskOptions& options_;
  const Budget& budget_;
  Budget::Clock::time_point started_;
  double processor_started_;
  double elsewhere_ = 0;  // processor time of modules
  Limits limits_;
  std::optional<Hardened> hardened_;
  std::unique_ptr<GroundTask> task_;
  std::unique_ptr<ModuleMemory> memory_;
  std::unique_ptr<MemoryOracle> oracle_;  // asks that memory
  std::unique_ptr<PrefixModel> model_;
  SearchStats search_stats_;
  FoundPlan best_;
  bool ended_ = false;  // search had nothing left to try, or could not begin
  TaskResult result_;
};

}  // namespace

Result<TaskResult> plan_task(const Domain& domain, const Problem& problem,
                             const TaskOptions& options, const Budget& budget) {
  return guarded<TaskResult>(
      [&]() -> Result<TaskResult> { return Planner(domain, problem, options, budget).run(); });
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
