#include <algorithm>
#include <cmath>

#include "task/lower_bound.h"
#include "task/search.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool mentions_time(const FormulaPool& pool, ExprId id) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::total_time) return true;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return false;
  return mentions_time(pool, node.left) || mentions_time(pool, node.right);
}

}  // namespace

bool GroundTask::metric_mentions_time() const {
  return has_metric && mentions_time(pool, metric);
}

PlanValue::PlanValue(const GroundTask& task) : task_(task) {
  if (task.has_metric) {
    uses_time_ = task.metric_mentions_time();
    monotone_ = task.minimize && never_shrinks(task.metric);
  } else {
    uses_time_ = std::any_of(task.actions.begin(), task.actions.end(),
                             [](const GroundAction& action) { return action.durative; });
    monotone_ = true;
  }
}

double PlanValue::of(const Prefix& prefix, int actions) const {
  if (!task_.has_metric) return uses_time_ ? prefix.makespan() : actions;
  const double value = evaluate(task_.metric, prefix.state(), prefix.makespan());
  return task_.minimize ? value : -value;
}

double PlanValue::evaluate(ExprId id, const State& state, double makespan) const {
  const ExprNode& node = task_.pool.expr(id);
  if (node.kind == ExprNode::Kind::total_time) return makespan;
  if (id == forced_) return forced_value_;
  if (node.kind >= ExprNode::Kind::sum && node.kind <= ExprNode::Kind::quotient)
    return apply(node.kind, evaluate(node.left, state, makespan),
                 evaluate(node.right, state, makespan));
  return task::evaluate(task_, id, state, 0, nullptr);
}

// Sums and non-negative multiples of the makespan and of numbers that only grow.
bool PlanValue::never_shrinks(ExprId id) const {
  const ExprNode& node = task_.pool.expr(id);
  const auto is_positive_constant = [&](ExprId e) {
    return task_.pool.expr(e).kind == ExprNode::Kind::constant && task_.pool.expr(e).value >= 0;
  };
  switch (node.kind) {
    case ExprNode::Kind::constant:
    case ExprNode::Kind::total_time:
      return true;
    case ExprNode::Kind::sum:
      return never_shrinks(node.left) && never_shrinks(node.right);
    case ExprNode::Kind::product:
      return (is_positive_constant(node.left) && never_shrinks(node.right)) ||
             (is_positive_constant(node.right) && never_shrinks(node.left));
    case ExprNode::Kind::variable:
      break;
    default:
      return false;
  }
  const auto harmless = [&](const std::vector<GroundEffect>& effects) {
    return std::all_of(effects.begin(), effects.end(), [&](const GroundEffect& effect) {
      if (effect.kind == GroundEffect::Kind::call) {
        const auto& written = task_.calls[at(effect.index)].written;
        return std::find(written.begin(), written.end(), node.index) == written.end();
      }
      if (effect.kind == GroundEffect::Kind::add || effect.kind == GroundEffect::Kind::remove ||
          effect.index != node.index)
        return true;
      return effect.kind == GroundEffect::Kind::increase && is_positive_constant(effect.value);
    });
  };
  return std::all_of(task_.actions.begin(), task_.actions.end(),
                     [&](const GroundAction& action) {
                       return harmless(action.start.effects) && harmless(action.end.effects);
                     }) &&
         std::all_of(task_.timed.begin(), task_.timed.end(),
                     [&](const TimedEvent& event) { return harmless(event.effects); });
}

// What it costs to give a preference up.
double PlanValue::penalty(ExprId violated, const State& state) const {
  const auto value_with = [&](double violation) {
    forced_ = violated;
    forced_value_ = violation;
    const double value = evaluate(task_.metric, state, 0);
    forced_ = -1;
    return task_.minimize ? value : -value;
  };
  const double change = value_with(1) - value_with(0);
  return std::isfinite(change) ? std::max(0.0, change) : 0;
}

double PlanValue::increase_of(const GroundAction& action) const {
  State state = initial_state(task_);
  for (double& value : state.values)
    if (std::isnan(value) && action.schema >= task_.first_step) value = 0;
  if (const int step = action.schema - task_.first_step; step >= 0)
    return task_.has_metric && step > 0 && step % 2 == 0
               ? penalty(task_.violations[at(step / 2 - 1)], state)
               : 0;
  double duration = 0;
  for (const auto& [comparison, expr] : action.duration) {
    const double value = task::evaluate(task_, expr, state, 0, nullptr);
    if (value > duration) duration = value;
  }
  if (!task_.has_metric) return uses_time_ ? duration : 0;
  for (double& value : state.values)
    if (std::isnan(value)) value = 0;
  const double before = evaluate(task_.metric, state, 0);
  for (const auto* effects : {&action.start.effects, &action.end.effects})
    for (const GroundEffect& effect : *effects) {
      const bool up = effect.kind == GroundEffect::Kind::increase;
      if (!up && effect.kind != GroundEffect::Kind::decrease) continue;
      const double value = task::evaluate(task_, effect.value, state, duration, nullptr);
      if (!std::isnan(value)) state.values[at(effect.index)] += up ? value : -value;
    }
  const double after = evaluate(task_.metric, state, duration);
  const double change = task_.minimize ? after - before : before - after;
  return std::isfinite(change) ? std::max(0.0, change) : 0;
}

// What the metric grows by whenever the action is done: its unconditional increases by constants.
// Metrics that have bounds know no other increases but conditional ones.
double PlanValue::least_increase(const GroundAction& action) const {
  State state = initial_state(task_);
  const double before = evaluate(task_.metric, state, 0);
  for (const auto* effects : {&action.start.effects, &action.end.effects})
    for (const GroundEffect& effect : *effects)
      if (effect.kind == GroundEffect::Kind::increase && effect.condition == FormulaPool::kYes &&
          effect.start_condition == FormulaPool::kYes &&
          task_.pool.expr(effect.value).kind == ExprNode::Kind::constant)
        state.values[at(effect.index)] += task_.pool.expr(effect.value).value;
  const double change = evaluate(task_.metric, state, 0) - before;
  return std::isfinite(change) ? std::max(0.0, change) : 0;
}

std::optional<double> PlanValue::bound(const RelaxedTask& relaxed, const State& initial,
                                       double earliest, const Budget& budget) const {
  if (!task_.has_metric && uses_time_) return earliest;
  if (!monotone_) return std::nullopt;
  std::vector<double> costs(task_.actions.size(), 1);
  double first = 0;
  if (task_.has_metric) {
    first = evaluate(task_.metric, initial, earliest);
    for (std::size_t a = 0; a < costs.size(); ++a) costs[a] = least_increase(task_.actions[a]);
  }
  if (std::isnan(first)) return std::nullopt;
  // Sums of decimals are rounded.
  const double sum = first + cut_bound(relaxed, initial, std::move(costs), budget);
  return sum - 1e-9 * (1 + std::abs(sum));
}

std::vector<double> PlanValue::action_costs() const {
  std::vector<double> costs;
  double sum = 0;
  for (const GroundAction& action : task_.actions) {
    costs.push_back(increase_of(action));
    sum += costs.back();
  }
  const double mean = sum > 0 ? sum / static_cast<double>(costs.size()) : 1;
  for (double& cost : costs) cost = 1 + cost / mean;
  return costs;
}

}  // namespace proven::task
