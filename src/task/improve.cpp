#include "task/improve.h"

#include <algorithm>

namespace proven::task {
namespace {

bool replay(const PrefixModel& model, const PlanValue& value, ModuleOracle* oracle,
            const std::vector<Step>& steps, const Budget& budget, FoundPlan& result) {
  Prefix prefix(model);
  int actions = 0;
  for (const Step step : steps) {
    if (budget.stopped() || !prefix.may_apply(step) || prefix.apply(step, oracle) != Applied::yes)
      return false;
    actions += step.kind == Step::Kind::start ? 1 : 0;
  }
  if (prefix.finish(oracle) != Applied::yes) return false;
  result.steps = steps;
  result.schedule = prefix.schedule();
  result.value = value.of(prefix, actions);
  return true;
}

// The steps without one action: its start and, where they are apart, its end.
std::vector<Step> without(const std::vector<Step>& steps, std::size_t start) {
  std::vector<Step> kept = steps;
  kept.erase(kept.begin() + static_cast<long>(start));
  const Step end{Step::Kind::end, steps[start].action};
  const auto found = std::find(kept.begin() + static_cast<long>(start), kept.end(), end);
  if (found != kept.end()) kept.erase(found);
  return kept;
}

// Steps by the times at which they happen; ends and timed events stay where search put them.
std::vector<Step> by_time(const FoundPlan& plan) {
  if (std::any_of(plan.steps.begin(), plan.steps.end(),
                  [](Step step) { return step.kind != Step::Kind::start; }))
    return plan.steps;
  std::vector<Step> ordered;
  for (const TimedAction& timed : plan.schedule)
    ordered.push_back({Step::Kind::start, timed.action});
  return ordered;
}

}  // namespace

FoundPlan improved(const PrefixModel& model, const PlanValue& value, ModuleOracle* oracle,
                   const FoundPlan& plan, const Budget& budget) {
  FoundPlan best = plan;
  for (std::size_t i = best.steps.size(); i-- > 0 && !budget.stopped();) {
    if (i >= best.steps.size() || best.steps[i].kind != Step::Kind::start) continue;
    FoundPlan shorter;
    if (replay(model, value, oracle, without(best.steps, i), budget, shorter) &&
        shorter.value <= best.value)
      best = std::move(shorter);
  }
  FoundPlan earlier;
  if (replay(model, value, oracle, by_time(best), budget, earlier) && earlier.value < best.value)
    best = std::move(earlier);
  return best;
}

}  // namespace proven::task
