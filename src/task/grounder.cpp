// Ground actions, timed literals and the task as a whole.
#include "task/grounder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "task/compression.h"
#include "task/relevance.h"

namespace proven::task {

Grounder::Grounder(const Domain& domain, const Problem& problem, const Symbols& symbols,
                   const std::vector<Instance>& instances, Watch& watch)
    : domain_(domain), problem_(problem), symbols_(symbols), watch_(watch), derived_(domain) {
  task_.domain = &domain;
  task_.problem = &problem;
  task_.objects = symbols.object_names();
  task_.object_types = symbols.first_types();
  read_initial();
  for (const Instance& instance : instances) collect_changes(instance);
  collect_timed_changes();
}

bool Grounder::build(std::vector<Instance>& instances) {
  std::vector<Instance> kept;
  for (const Instance& instance : instances) {
    GroundAction action;
    if (!ground_action(instance, action)) continue;
    task_.actions.push_back(std::move(action));
    kept.push_back(instance);
  }
  const bool all = kept.size() == instances.size();
  instances = std::move(kept);
  return all;
}

GroundTask Grounder::finish() {
  Binding none;
  task_.goal = ground(problem_.goal, none);
  if (task_.goal == FormulaPool::kNo) find_impossible_goal(problem_.goal, none);
  build_timed();
  for (const Preference& preference : problem_.preferences)
    task_.violations.push_back(task_.pool.violated(ground(preference.formula, none)));
  if (problem_.metric.given) {
    task_.has_metric = true;
    task_.minimize = problem_.metric.minimize;
    task_.metric = expression(problem_.metric.value, none);
  }
  ground_axioms();
  list_atoms();
  return std::move(task_);
}

// Down to the smallest part of the goal that is false whatever happens.
void Grounder::find_impossible_goal(const Formula& f, Binding& binding) {
  if (f.kind == Formula::Kind::conjunction) {
    for (const Formula& part : f.parts)
      if (ground(part, binding) == FormulaPool::kNo) return find_impossible_goal(part, binding);
  } else if (f.kind == Formula::Kind::forall) {
    bool found = false;
    for_all(f.bound, 0, binding, [&] {
      if (found || ground(f.parts[0], binding) != FormulaPool::kNo) return;
      found = true;
      find_impossible_goal(f.parts[0], binding);
    });
    return;
  }
  std::string text = f.kind == Formula::Kind::atom ? "(" + f.name : "a part of it";
  if (f.kind == Formula::Kind::atom) {
    for (const Term& term : f.arguments)
      text += " " + (term.kind == Term::Kind::variable
                         ? task_.objects[static_cast<std::size_t>(binding.value(term.name))]
                         : term.name);
    text += ")";
  }
  task_.impossible_goal = fmt::format("{} ({}:{})", text, problem_.file, f.place.line);
}

bool Grounder::ground_action(const Instance& instance, GroundAction& action) {
  const Action& schema = domain_.actions[static_cast<std::size_t>(instance.schema)];
  Binding binding = bind(instance);
  action.schema = instance.schema;
  action.arguments = instance.arguments;
  action.durative = schema.durative;
  action.start.condition = ground(schema.conditions[0], binding);
  action.invariant = ground(schema.conditions[1], binding);
  action.end.condition = ground(schema.conditions[2], binding);
  for (const NodeId node : {action.start.condition, action.invariant, action.end.condition})
    if (node == FormulaPool::kNo) return false;
  for (const DurationBound& bound : schema.duration) {
    const ExprId value = expression(bound.value, binding);
    const ExprNode& node = task_.pool.expr(value);
    if (node.kind == ExprNode::Kind::constant && !(node.value >= 0) &&
        (std::isnan(node.value) || bound.comparison != Comparison::greater_equal))
      return false;
    action.duration.emplace_back(bound.comparison, value);
  }
  for (const Effect& effect : schema.effects)
    for_all(effect.bound, 0, binding, [&] {
      ground_effect(effect, binding,
                    effect.when == When::end ? action.end.effects : action.start.effects);
    });
  return true;
}

void Grounder::ground_effect(const Effect& effect, Binding& binding,
                             std::vector<GroundEffect>& out) {
  GroundEffect made;
  const auto time = static_cast<std::size_t>(effect.when);
  for (std::size_t k = 0; k < 3; ++k) {
    const NodeId node = ground(effect.conditions[k], binding);
    if (node == FormulaPool::kYes) continue;
    if (k == time)
      made.condition = node;
    else if (k == 0)
      made.start_condition = node;
    else
      fail_at(effect.place, "a conditional effect may only test its own time or the start",
              ErrorCode::unsupported);
  }
  std::vector<Term> terms = effect.arguments;
  if (effect.kind == Effect::Kind::set) terms.push_back(effect.object);
  resolve(terms, binding,
          [&](const std::vector<int>& objects, const std::vector<AtomKey>& conditions) {
            GroundEffect one = made;
            one.condition = task_.pool.all({made.condition, conditions_node(conditions)});
            if (one.condition != FormulaPool::kNo && one.start_condition != FormulaPool::kNo)
              emit(effect, objects, binding, one, out);
          });
}

void Grounder::emit(const Effect& effect, const std::vector<int>& objects, const Binding& binding,
                    GroundEffect made, std::vector<GroundEffect>& out) {
  const auto emit_fact = [&](const AtomKey& key, GroundEffect::Kind kind) {
    bool truth = false;
    made.index = fact_of(key, truth);
    made.kind = kind;
    if (made.index >= 0) out.push_back(made);
  };
  switch (effect.kind) {
    case Effect::Kind::add:
      return emit_fact(keyed(symbols_.predicate(effect.name), objects), GroundEffect::Kind::add);
    case Effect::Kind::remove:
      return emit_fact(keyed(symbols_.predicate(effect.name), objects), GroundEffect::Kind::remove);
    case Effect::Kind::set: {
      AtomKey key = keyed(symbols_.object_fluent(effect.name), objects);
      const int value = key.back();
      for (const int other : symbols_.objects_of(symbols_.fluent_types(effect.name))) {
        key.back() = other;
        if (other != value) emit_fact(key, GroundEffect::Kind::remove);
      }
      key.back() = value;
      return emit_fact(key, GroundEffect::Kind::add);
    }
    case Effect::Kind::module:
      made.kind = GroundEffect::Kind::call;
      made.index = call(effect.name, objects);
      return out.push_back(made);
    case Effect::Kind::assign:
      made.kind = GroundEffect::Kind::assign;
      break;
    case Effect::Kind::increase:
      made.kind = GroundEffect::Kind::increase;
      break;
    case Effect::Kind::decrease:
      made.kind = GroundEffect::Kind::decrease;
      break;
    case Effect::Kind::scale_up:
      made.kind = GroundEffect::Kind::scale_up;
      break;
    case Effect::Kind::scale_down:
      made.kind = GroundEffect::Kind::scale_down;
      break;
  }
  made.index = variable(keyed(symbols_.fluent(effect.name), objects));
  made.value = expression(effect.value, binding);
  out.push_back(made);
}

void Grounder::build_timed() {
  std::map<double, TimedEvent> events;
  for (const InitialValue& value : problem_.initial) {
    if (value.time <= 0) continue;
    TimedEvent& event = events[value.time];
    event.time = value.time;
    GroundEffect effect;
    if (value.kind == InitialValue::Kind::number) {
      effect.kind = GroundEffect::Kind::assign;
      effect.index = variable(initial_key(value));
      effect.value = task_.pool.constant(value.number);
    } else {
      bool truth = false;
      effect.kind = value.truth ? GroundEffect::Kind::add : GroundEffect::Kind::remove;
      effect.index = fact_of(initial_key(value), truth);
      if (effect.index < 0) continue;
    }
    event.effects.push_back(effect);
  }
  for (auto& [time, event] : events)
    if (!event.effects.empty()) task_.timed.push_back(std::move(event));
}

void Grounder::list_atoms() {
  for (int id = 0; id < atoms_.size(); ++id) {
    const AtomStatus& status = atom_status_[static_cast<std::size_t>(id)];
    const AtomKey& key = atoms_.key(id);
    task_.atoms.push_back(
        {key[0], std::vector<int>(key.begin() + 1, key.end()), status.fact, status.initial});
  }
  for (int id = 0; id < numbers_.size(); ++id) {
    const NumberStatus& status = number_status_[static_cast<std::size_t>(id)];
    const AtomKey& key = numbers_.key(id);
    task_.numbers.push_back(
        {key[0], std::vector<int>(key.begin() + 1, key.end()), status.variable, status.initial});
  }
}

std::string GroundTask::action_name(int action) const {
  const GroundAction& made = actions[static_cast<std::size_t>(action)];
  std::string text = "(" + domain->actions[static_cast<std::size_t>(made.schema)].name;
  for (const int object : made.arguments) text += " " + objects[static_cast<std::size_t>(object)];
  return text + ")";
}

namespace {

std::string expr_text(const GroundTask& task, ExprId id) {
  const ExprNode& node = task.pool.expr(id);
  switch (node.kind) {
    case ExprNode::Kind::constant:
      return fmt::format("{}", node.value);
    case ExprNode::Kind::variable:
      return task.variable_names[static_cast<std::size_t>(node.index)];
    case ExprNode::Kind::duration:
      return "?duration";
    case ExprNode::Kind::total_time:
      return "(total-time)";
    case ExprNode::Kind::call:
      return "[a module]";
    case ExprNode::Kind::violated:
      return "(is-violated ...)";
    default:
      break;
  }
  constexpr const char* kWords = "+-*/";
  return fmt::format("({} {} {})",
                     kWords[static_cast<int>(node.kind) - static_cast<int>(ExprNode::Kind::sum)],
                     expr_text(task, node.left), expr_text(task, node.right));
}

}  // namespace

std::string GroundTask::text(NodeId id) const {
  const FormulaNode& node = pool.node(id);
  constexpr const char* kComparisons[] = {"<", "<=", "=", ">=", ">"};
  switch (node.kind) {
    case FormulaNode::Kind::yes:
      return "(and)";
    case FormulaNode::Kind::no:
      return impossible_goal.empty() ? "(or)" : impossible_goal;
    case FormulaNode::Kind::fact:
      return fact_names[static_cast<std::size_t>(node.index)];
    case FormulaNode::Kind::not_fact:
      return "(not " + fact_names[static_cast<std::size_t>(node.index)] + ")";
    case FormulaNode::Kind::call:
    case FormulaNode::Kind::not_call:
      return "[a module]";
    case FormulaNode::Kind::compare:
      return fmt::format("({} {} {})", kComparisons[static_cast<int>(node.comparison)],
                         expr_text(*this, node.left), expr_text(*this, node.right));
    case FormulaNode::Kind::all:
    case FormulaNode::Kind::any:
      break;
  }
  std::string made = node.kind == FormulaNode::Kind::all ? "(and" : "(or";
  constexpr std::size_t kMostParts = 4;
  for (std::size_t i = 0; i < node.children.size() && i < kMostParts; ++i)
    made += " " + text(node.children[i]);
  return made + (node.children.size() > kMostParts ? " ...)" : ")");
}

bool GroundTask::is_timeless() const {
  return timed.empty() && std::none_of(actions.begin(), actions.end(),
                                       [](const GroundAction& action) { return action.durative; });
}

bool GroundTask::is_exact() const {
  if (pool.rounded()) return false;
  bool compares = false;
  for (NodeId id = 0; id < static_cast<NodeId>(pool.size()); ++id)
    compares = compares || pool.node(id).kind == FormulaNode::Kind::compare;
  if (!compares) return true;
  for (ExprId id = 0; id < static_cast<ExprId>(pool.expr_count()); ++id)
    if (pool.expr(id).kind == ExprNode::Kind::constant && !task::is_exact(pool.expr(id).value))
      return false;
  return std::all_of(initial_values.begin(), initial_values.end(), task::is_exact);
}

bool GroundTask::has_module_effects() const {
  return std::any_of(calls.begin(), calls.end(),
                     [](const GroundCall& call) { return !call.written.empty(); });
}

namespace {

void observe(const FormulaPool& pool, ExprId id, std::vector<char>& seen) {
  const ExprNode& node = pool.expr(id);
  if (node.kind == ExprNode::Kind::variable) seen[static_cast<std::size_t>(node.index)] = 1;
  if (node.kind < ExprNode::Kind::sum || node.kind > ExprNode::Kind::quotient) return;
  observe(pool, node.left, seen);
  observe(pool, node.right, seen);
}

void find_observed(GroundTask& task) {
  std::vector<char> seen(task.variable_names.size(), task.calls.empty() ? 0 : 1);
  for (NodeId id = 0; id < static_cast<NodeId>(task.pool.size()); ++id) {
    const FormulaNode& node = task.pool.node(id);
    if (node.kind != FormulaNode::Kind::compare) continue;
    observe(task.pool, node.left, seen);
    observe(task.pool, node.right, seen);
  }
  for (const GroundAction& action : task.actions) {
    for (const auto& [comparison, value] : action.duration) observe(task.pool, value, seen);
    for (const auto* effects : {&action.start.effects, &action.end.effects})
      for (const GroundEffect& effect : *effects)
        if (effect.kind >= GroundEffect::Kind::assign && effect.kind != GroundEffect::Kind::call)
          observe(task.pool, effect.value, seen);
  }
  for (std::size_t v = 0; v < seen.size(); ++v)
    if (seen[v]) task.observed.push_back(static_cast<int>(v));
}

}  // namespace

GroundTask ground(const Domain& domain, const Problem& problem, const Budget& budget,
                  const Limits& limits) {
  Watch watch(budget, "grounding", limits);
  const Symbols symbols(domain, problem);
  std::vector<Instance> instances = reachable_instances(domain, problem, symbols, watch);
  // Instances that folding or irrelevance removes may have been the only ones to change something:
  // repeat until none goes.
  for (;;) {
    Grounder grounder(domain, problem, symbols, instances, watch);
    if (!grounder.build(instances)) continue;
    GroundTask task = grounder.finish();
    // Of a goal that never holds nothing is relevant, and its impossible part would be lost.
    if (task.goal != FormulaPool::kNo) remove_irrelevant_actions(task, watch);
    if (task.actions.size() == instances.size()) {
      mark_compressed(task, watch);
      find_observed(task);
      return task;
    }
    instances.clear();
    for (GroundAction& action : task.actions)
      instances.push_back({action.schema, std::move(action.arguments)});
  }
}

}  // namespace proven::task
