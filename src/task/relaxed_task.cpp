#include <algorithm>
#include <cmath>

#include "task/relaxed.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

bool mentions(const FormulaPool& pool, ExprId id, int variable) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::variable) return node.index == variable;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return false;
  return mentions(pool, node.left, variable) || mentions(pool, node.right, variable);
}

bool is_constant(const FormulaPool& pool, ExprId id) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::constant) return true;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return false;
  return is_constant(pool, node.left) && is_constant(pool, node.right);
}

// Linear in the variables: products and quotients only with constants.
bool is_linear(const FormulaPool& pool, ExprId id) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::call) return false;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return true;
  if (!is_linear(pool, node.left) || !is_linear(pool, node.right)) return false;
  if (node.kind == ExprNode::Kind::product)
    return is_constant(pool, node.left) || is_constant(pool, node.right);
  return node.kind != ExprNode::Kind::quotient || is_constant(pool, node.right);
}

double constant_duration(const GroundTask& task, const GroundAction& action) {
  double least = 0;
  for (const auto& [comparison, expr] : action.duration) {
    const ExprNode& node = task.pool.expr(expr);
    if (node.kind == ExprNode::Kind::constant && comparison != Comparison::less &&
        comparison != Comparison::less_equal)
      least = std::max(least, node.value);
  }
  return least;
}

// Infinity where it is not a constant.
double longest_duration(const GroundTask& task, const GroundAction& action) {
  double longest = RelaxedPlanner::kDeadEnd;
  for (const auto& [comparison, expr] : action.duration) {
    const ExprNode& node = task.pool.expr(expr);
    if (node.kind == ExprNode::Kind::constant && comparison != Comparison::greater &&
        comparison != Comparison::greater_equal)
      longest = std::min(longest, node.value);
  }
  return longest;
}

}  // namespace

RelaxedTask::RelaxedTask(const GroundTask& task, bool split_all, const Watch& watch)
    : task_(task), negation_used_(at(task.fact_count)) {
  for (NodeId id = 0; id < static_cast<NodeId>(task.pool.size()); ++id)
    if (task.pool.node(id).kind == FormulaNode::Kind::not_fact)
      negation_used_[at(task.pool.node(id).index)] = 1;
  // The negation of a derived fact counts as true: nothing in the relaxation makes it false.
  is_derived_.resize(at(task.fact_count));
  for (const Axiom& axiom : task.axioms) {
    negation_used_[at(axiom.fact)] = 0;
    is_derived_[at(axiom.fact)] = 1;
  }
  for (int f = 0; f < task.fact_count; ++f) proposition(Kind::fact, f);
  find_envelopes(split_all);
  add_conditions(task.goal, goals_);
  for (std::size_t a = 0; a < task.actions.size(); ++a) {
    watch.look();
    add_action(static_cast<int>(a), split_all);
  }
  for (std::size_t k = 0; k < task.timed.size(); ++k) {
    const int pending = proposition(Kind::pending, static_cast<int>(k));
    Rule rule;
    rule.step = {Step::Kind::timed, static_cast<int>(k)};
    rule.conditions = {pending};
    for (const GroundEffect& effect : task.timed[k].effects) add_effect(effect, rule);
    rules_.push_back(std::move(rule));
  }
  for (const Axiom& axiom : task.axioms) {
    Rule rule;
    rule.silent = true;
    add_conditions(axiom.body, rule.conditions);
    rule.adds = {proposition(Kind::fact, axiom.fact)};
    rules_.push_back(std::move(rule));
  }
  add_stretches();
  needed_by_.resize(kinds_.size());
  for (std::size_t r = 0; r < rules_.size(); ++r)
    for (const int condition : rules_[r].conditions)
      needed_by_[at(condition)].push_back(static_cast<int>(r));
  link_comparisons(watch);
}

int RelaxedTask::proposition(Kind kind, int index) {
  const auto [it, inserted] =
      ids_[static_cast<std::size_t>(kind)].try_emplace(index, proposition_count());
  if (inserted) kinds_.push_back({kind, index});
  return it->second;
}

void RelaxedTask::add_conditions(NodeId id, std::vector<int>& out) {
  const FormulaNode& node = task_.pool.node(id);
  switch (node.kind) {
    case FormulaNode::Kind::yes:
    case FormulaNode::Kind::call:
    case FormulaNode::Kind::not_call:
      return;
    case FormulaNode::Kind::no:
      out.push_back(formula(id));
      return;
    case FormulaNode::Kind::fact:
      out.push_back(proposition(Kind::fact, node.index));
      break;
    case FormulaNode::Kind::not_fact:
      if (negation_used_[at(node.index)]) out.push_back(proposition(Kind::not_fact, node.index));
      break;
    case FormulaNode::Kind::compare:
      out.push_back(proposition(Kind::comparison, id));
      break;
    case FormulaNode::Kind::any:
      out.push_back(formula(id));
      break;
    case FormulaNode::Kind::all:
      for (const NodeId child : node.children) add_conditions(child, out);
      break;
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

// A disjunction is a proposition with one silent rule per part.
int RelaxedTask::formula(NodeId id) {
  const int before = proposition_count();
  const int made = proposition(Kind::formula, id);
  if (made < before) return made;
  const std::vector<NodeId> children = task_.pool.node(id).children;
  for (const NodeId child : children) {
    Rule rule;
    rule.silent = true;
    add_conditions(child, rule.conditions);
    rule.adds = {made};
    rules_.push_back(std::move(rule));
  }
  return made;
}

// A fact that only starts of actions add and the ends of the same actions remove again.
void RelaxedTask::find_envelopes(bool split_all) {
  envelopes_.resize(at(task_.fact_count));
  std::vector<char> lasting(at(task_.fact_count));
  for (int f = 0; f < task_.fact_count; ++f) lasting[at(f)] = task_.initial_facts[at(f)];
  for (const TimedEvent& event : task_.timed)
    for (const GroundEffect& effect : event.effects)
      if (effect.kind == GroundEffect::Kind::add) lasting[at(effect.index)] = 1;
  for (const Axiom& axiom : task_.axioms) lasting[at(axiom.fact)] = 1;
  for (std::size_t a = 0; a < task_.actions.size(); ++a) {
    const GroundAction& action = task_.actions[a];
    const bool split = action.durative && (!action.compressed || split_all);
    for (const GroundEffect& effect : action.end.effects)
      if (effect.kind == GroundEffect::Kind::add) lasting[at(effect.index)] = 1;
    for (const GroundEffect& effect : action.start.effects) {
      if (effect.kind != GroundEffect::Kind::add) continue;
      const auto ended = [&](const GroundEffect& other) {
        return other.kind == GroundEffect::Kind::remove && other.index == effect.index &&
               other.condition == FormulaPool::kYes && other.start_condition == FormulaPool::kYes;
      };
      const bool removed = std::any_of(action.end.effects.begin(), action.end.effects.end(), ended);
      if (split && removed && longest_duration(task_, action) < RelaxedPlanner::kDeadEnd)
        envelopes_[at(effect.index)].push_back(static_cast<int>(a));
      else
        lasting[at(effect.index)] = 1;
    }
  }
  for (int f = 0; f < task_.fact_count; ++f)
    if (lasting[at(f)]) envelopes_[at(f)].clear();
}

// "The fact holds for `duration` without a break." A stretch of truth begins with the start of an
// envelope and ends at the latest with the first end of an envelope that is running. So a long
// enough one must start, or be running while no shorter one is.
int RelaxedTask::within(int fact, double duration) {
  Stretch stretch{fact, {}};
  for (const int action : envelopes_[at(fact)])
    if (longest_duration(task_, task_.actions[at(action)]) >= duration - rounding_bound(duration))
      stretch.fitting.push_back(action);
  if (stretch.fitting.size() == envelopes_[at(fact)].size()) return proposition(Kind::fact, fact);
  for (std::size_t i = 0; i < stretches_.size(); ++i)
    if (stretches_[i] == stretch) return proposition(Kind::envelope, static_cast<int>(i));
  stretches_.push_back(std::move(stretch));
  return proposition(Kind::envelope, static_cast<int>(stretches_.size()) - 1);
}

void RelaxedTask::add_stretches() {
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const int p = proposition(Kind::envelope, static_cast<int>(i));
    for (Rule& rule : rules_)
      if (!rule.silent && rule.step.kind == Step::Kind::start &&
          std::find(stretches_[i].fitting.begin(), stretches_[i].fitting.end(), rule.step.action) !=
              stretches_[i].fitting.end())
        rule.adds.push_back(p);
  }
}

bool RelaxedTask::holds(const Stretch& stretch, const State& state) const {
  bool fits = false;
  for (const Running& running : state.running) {
    const auto& all = envelopes_[at(stretch.fact)];
    if (std::find(all.begin(), all.end(), running.action) == all.end()) continue;
    if (std::find(stretch.fitting.begin(), stretch.fitting.end(), running.action) ==
        stretch.fitting.end())
      return false;
    fits = true;
  }
  return fits;
}

RelaxedTask::Written RelaxedTask::written_by(const std::vector<GroundEffect>& effects) const {
  Written written;
  written.anything = !effects.empty();
  for (const GroundEffect& effect : effects) {
    if (effect.kind == GroundEffect::Kind::add)
      written.added.push_back(effect.index);
    else if (effect.kind == GroundEffect::Kind::remove)
      written.removed.push_back(effect.index);
    else if (effect.kind == GroundEffect::Kind::call)
      for (const int v : task_.calls[at(effect.index)].written) written.numbers.push_back(v);
    else
      written.numbers.push_back(effect.index);
  }
  return written;
}

bool RelaxedTask::may_change_expr(ExprId id, const Written& written) const {
  return std::any_of(written.numbers.begin(), written.numbers.end(),
                     [&](int variable) { return mentions(task_.pool, id, variable); });
}

// Could what was written have made the formula true?
bool RelaxedTask::may_change(NodeId id, const Written& written) const {
  const FormulaNode& node = task_.pool.node(id);
  const bool derived = node.kind == FormulaNode::Kind::fact && is_derived_[at(node.index)];
  if (derived) return written.anything;
  const auto listed = [&](const std::vector<int>& list) {
    return std::find(list.begin(), list.end(), node.index) != list.end();
  };
  if (node.kind == FormulaNode::Kind::fact) return listed(written.added);
  if (node.kind == FormulaNode::Kind::not_fact) return listed(written.removed);
  if (node.kind == FormulaNode::Kind::compare)
    return may_change_expr(node.left, written) || may_change_expr(node.right, written);
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](NodeId child) { return may_change(child, written); });
}

bool RelaxedTask::start_provides(const GroundAction& action) const {
  return std::any_of(
      action.start.effects.begin(), action.start.effects.end(), [&](const GroundEffect& effect) {
        return effect.kind != GroundEffect::Kind::remove || negation_used_[at(effect.index)] != 0;
      });
}

void RelaxedTask::add_action(int index, bool split_all) {
  const GroundAction& action = task_.actions[at(index)];
  const Written own = written_by(action.start.effects);
  const bool whole = !action.durative || (action.compressed && !split_all);
  if (whole) {
    add_part(index, {Step::Kind::start, index},
             {action.start.condition, action.invariant, action.end.condition},
             {&action.start.effects, &action.end.effects}, -1, -1, own);
    return;
  }
  const int running = proposition(Kind::running, index);
  std::vector<NodeId> at_start = {action.start.condition};
  // Those who start together may provide what this action needs from then on.
  if (!action.circle) at_start.push_back(action.invariant);
  add_part(index, {Step::Kind::start, index}, at_start, {&action.start.effects}, running, -1, own);
  add_part(index, {Step::Kind::end, index}, {action.end.condition, action.invariant},
           {&action.end.effects}, -1, running, own);
}

void RelaxedTask::add_part(int index, Step step, const std::vector<NodeId>& conditions,
                           const std::vector<const std::vector<GroundEffect>*>& effects,
                           int extra_add, int extra_condition, const Written& own) {
  Rule base;
  base.step = step;
  const GroundAction& action = task_.actions[at(index)];
  // A lower bound on the time from the conditions to the adds: conditions at the end may come last,
  // and what the start provides is there at once.
  const bool at_end = extra_condition >= 0;
  const bool at_once = extra_add >= 0 || !action.durative;
  const bool timed =
      at_end || (!at_once && action.end.condition == FormulaPool::kYes && !start_provides(action));
  base.duration = timed ? constant_duration(task_, action) : 0;
  base.begun = extra_condition;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const bool before_start = i == 0 && step.kind == Step::Kind::start;
    const FormulaNode& whole = task_.pool.node(conditions[i]);
    std::vector<NodeId> parts = {conditions[i]};
    if (whole.kind == FormulaNode::Kind::all) parts = whole.children;
    for (const NodeId part : parts) {
      // What the start itself may provide is no condition.
      if (!before_start && may_change(part, own)) continue;
      std::vector<int> needed;
      add_conditions(part, needed);
      for (const int p : needed) {
        const Proposition known = kinds_[at(p)];
        const bool throughout =
            known.kind == Kind::fact && i == 1 && step.kind == Step::Kind::start;
        base.conditions.push_back(throughout ? within(known.index, constant_duration(task_, action))
                                             : p);
      }
    }
  }
  if (extra_condition >= 0) base.conditions.push_back(extra_condition);
  std::sort(base.conditions.begin(), base.conditions.end());
  base.conditions.erase(std::unique(base.conditions.begin(), base.conditions.end()),
                        base.conditions.end());
  std::vector<Rule> conditional;
  Rule plain = base;
  if (extra_add >= 0) plain.adds.push_back(extra_add);
  for (const auto* list : effects)
    for (const GroundEffect& effect : *list) {
      if (effect.condition == FormulaPool::kYes && effect.start_condition == FormulaPool::kYes) {
        add_effect(effect, plain);
        continue;
      }
      Rule rule = base;
      add_conditions(effect.condition, rule.conditions);
      add_conditions(effect.start_condition, rule.conditions);
      add_effect(effect, rule);
      conditional.push_back(std::move(rule));
    }
  rules_.push_back(std::move(plain));
  for (Rule& rule : conditional) rules_.push_back(std::move(rule));
}

void RelaxedTask::add_effect(const GroundEffect& effect, Rule& rule) {
  if (effect.kind == GroundEffect::Kind::add) {
    rule.adds.push_back(proposition(Kind::fact, effect.index));
  } else if (effect.kind == GroundEffect::Kind::remove) {
    if (negation_used_[at(effect.index)])
      rule.adds.push_back(proposition(Kind::not_fact, effect.index));
  } else if (effect.kind == GroundEffect::Kind::call) {
    for (const int variable : task_.calls[at(effect.index)].written)
      rule.effects.push_back({variable, GroundEffect::Kind::call, 0, false});
  } else {
    rule.effects.push_back(
        {effect.index, effect.kind, effect.value, is_constant(task_.pool, effect.value)});
  }
}

void RelaxedTask::link_comparisons(const Watch& watch) {
  for (Rule& rule : rules_) {
    watch.look();
    for (const auto& [node, p] : ids_[static_cast<std::size_t>(Kind::comparison)]) {
      const FormulaNode& comparison = task_.pool.node(node);
      const bool touched =
          std::any_of(rule.effects.begin(), rule.effects.end(), [&](const RelaxedEffect& effect) {
            return mentions(task_.pool, comparison.left, effect.variable) ||
                   mentions(task_.pool, comparison.right, effect.variable);
          });
      if (touched) rule.comparisons.push_back(p);
    }
  }
  for (Rule& rule : rules_) std::sort(rule.comparisons.begin(), rule.comparisons.end());
}

bool RelaxedTask::is_envelope(int action) const {
  return std::any_of(envelopes_.begin(), envelopes_.end(), [&](const std::vector<int>& list) {
    return std::find(list.begin(), list.end(), action) != list.end();
  });
}

double RelaxedTask::duration(int action) const {
  return constant_duration(task_, task_.actions[at(action)]);
}

bool RelaxedTask::holds(int p, const State& state) const {
  const Proposition& known = kinds_[at(p)];
  switch (known.kind) {
    case Kind::fact:
      return state.fact(known.index);
    case Kind::not_fact:
      return !state.fact(known.index);
    case Kind::comparison:
      return evaluate(task_, known.index, state, nullptr) == Truth::yes;
    case Kind::running:
      return std::any_of(state.running.begin(), state.running.end(),
                         [&](const Running& r) { return r.action == known.index; });
    case Kind::pending:
      return known.index >= state.next_timed;
    case Kind::formula:
      return false;
    case Kind::envelope:
      return holds(stretches_[at(known.index)], state);
  }
  return false;
}

std::string RelaxedTask::text(int p) const {
  const Proposition& known = kinds_[at(p)];
  switch (known.kind) {
    case Kind::fact:
      return task_.fact_names[at(known.index)];
    case Kind::not_fact:
      return "(not " + task_.fact_names[at(known.index)] + ")";
    case Kind::comparison:
    case Kind::formula:
      return task_.text(known.index);
    case Kind::running:
      return "the end of " + task_.action_name(known.index);
    case Kind::pending:
      return "a timed literal";
    case Kind::envelope:
      return task_.fact_names[at(stretches_[at(known.index)].fact)] +
             " for as long as the action takes";
  }
  return {};
}

// How much left - right of a comparison changes if the effect happens once now.
double RelaxedTask::change(const RelaxedEffect& effect, NodeId comparison,
                           const State& state) const {
  const FormulaNode& node = task_.pool.node(comparison);
  const double old = state.values[at(effect.variable)];
  const double value = evaluate(task_, effect.value, state, 1, nullptr);
  double result = value;
  if (effect.kind == GroundEffect::Kind::increase) result = old + value;
  if (effect.kind == GroundEffect::Kind::decrease) result = old - value;
  if (effect.kind == GroundEffect::Kind::scale_up) result = old * value;
  if (effect.kind == GroundEffect::Kind::scale_down) result = old / value;
  const auto difference = [&] {
    return evaluate(task_, node.left, state, 0, nullptr) -
           evaluate(task_, node.right, state, 0, nullptr);
  };
  const double before = difference();
  // One number is changed for the measurement and put back.
  double& slot = const_cast<State&>(state).values[at(effect.variable)];
  slot = result;
  const double after = difference();
  slot = old;
  return after - before;
}

double RelaxedTask::repetitions(const Rule& rule, int p, const State& state) const {
  const NodeId id = kinds_[at(p)].index;
  const FormulaNode& node = task_.pool.node(id);
  const double gap = evaluate(task_, node.left, state, 0, nullptr) -
                     evaluate(task_, node.right, state, 0, nullptr);
  const bool linear = is_linear(task_.pool, node.left) && is_linear(task_.pool, node.right);
  double best = RelaxedPlanner::kDeadEnd;
  for (const RelaxedEffect& effect : rule.effects) {
    if (!mentions(task_.pool, node.left, effect.variable) &&
        !mentions(task_.pool, node.right, effect.variable))
      continue;
    // An effect of unknown size, or one that starts from an undefined number, may do it at once.
    if (effect.kind == GroundEffect::Kind::call || std::isnan(gap)) return 1;
    const double step = change(effect, id, state);
    if (std::isnan(step)) return 1;
    const bool up = node.comparison == Comparison::greater ||
                    node.comparison == Comparison::greater_equal ||
                    (node.comparison == Comparison::equal && gap < 0);
    const double towards = up ? step : -step;
    if (towards > 0) {
      const double needed = std::ceil(std::abs(gap) / towards);
      const bool once = effect.kind != GroundEffect::Kind::increase &&
                        effect.kind != GroundEffect::Kind::decrease;
      best = std::min(best, once ? 1.0 : std::max(1.0, std::min(needed, 1e6)));
    } else if (!effect.constant || !linear || effect.kind == GroundEffect::Kind::scale_up ||
               effect.kind == GroundEffect::Kind::scale_down) {
      best = std::min(best, 1.0);
    }
  }
  return best;
}

}  // namespace proven::task
