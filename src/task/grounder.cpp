// Puts objects for variables and folds whatever never changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "task/compression.h"
#include "task/derived.h"
#include "task/failure.h"
#include "task/ground_task.h"
#include "task/reachability.h"
#include "task/relevance.h"
#include "task/s_expression.h"
#include "task/symbols.h"

namespace proven::task {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

struct AtomStatus {
  bool initial = false, added = false, removed = false;
  int fact = -1;
};

struct NumberStatus {
  double initial = kUndefined;
  bool changed = false;
  int variable = -1;
};

class Grounder {
 public:
  Grounder(const Domain& domain, const Problem& problem, const Symbols& symbols,
           const std::vector<Instance>& instances)
      : domain_(domain), problem_(problem), symbols_(symbols), derived_(domain) {
    task_.domain = &domain;
    task_.problem = &problem;
    task_.objects = symbols.object_names();
    task_.object_types = symbols.first_types();
    read_initial();
    for (const Instance& instance : instances) collect_changes(instance);
    collect_timed_changes();
  }

  // Keeps the instances that survive folding; true if all did.
  bool build(std::vector<Instance>& instances) {
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

  GroundTask finish() {
    Binding none;
    task_.goal = ground(problem_.goal, none);
    build_timed();
    if (problem_.metric.given) {
      task_.has_metric = true;
      task_.minimize = problem_.metric.minimize;
      task_.metric = expression(problem_.metric.value, none);
    }
    ground_axioms();
    list_atoms();
    return std::move(task_);
  }

 private:
  [[noreturn]] void fail_at(Place place, std::string message, ErrorCode code) const {
    fail(place_text(domain_.file, place), std::move(message), code);
  }

  // --- what changes -----------------------------------------------------------------------------

  AtomStatus& atom_status(const AtomKey& key) {
    const auto id = static_cast<std::size_t>(atoms_.insert(key));
    if (id >= atom_status_.size()) atom_status_.resize(id + 1);
    return atom_status_[id];
  }

  NumberStatus& number_status(const AtomKey& key) {
    const auto id = static_cast<std::size_t>(numbers_.insert(key));
    if (id >= number_status_.size()) number_status_.resize(id + 1);
    return number_status_[id];
  }

  AtomKey initial_key(const InitialValue& value) const {
    AtomKey key;
    switch (value.kind) {
      case InitialValue::Kind::fact:
        key.push_back(symbols_.predicate(value.name));
        break;
      case InitialValue::Kind::object:
        key.push_back(symbols_.object_fluent(value.name));
        break;
      case InitialValue::Kind::number:
        key.push_back(symbols_.fluent(value.name));
        break;
    }
    for (const std::string& name : value.arguments) key.push_back(symbols_.object(name));
    if (value.kind == InitialValue::Kind::object) key.push_back(symbols_.object(value.object));
    return key;
  }

  void read_initial() {
    for (const InitialValue& value : problem_.initial) {
      if (value.time > 0) continue;
      if (value.kind == InitialValue::Kind::number)
        number_status(initial_key(value)).initial = value.number;
      else
        atom_status(initial_key(value)).initial = value.truth;
    }
  }

  void collect_timed_changes() {
    for (const InitialValue& value : problem_.initial) {
      if (value.time <= 0) continue;
      if (value.kind == InitialValue::Kind::number)
        number_status(initial_key(value)).changed = true;
      else if (value.kind == InitialValue::Kind::object)
        fail(place_text(problem_.file, value.place), "a timed value of an object fluent",
             ErrorCode::unsupported);
      else
        (value.truth ? atom_status(initial_key(value)).added
                     : atom_status(initial_key(value)).removed) = true;
    }
  }

  Binding bind(const Instance& instance) const {
    const Action& action = domain_.actions[static_cast<std::size_t>(instance.schema)];
    Binding binding;
    for (std::size_t i = 0; i < action.parameters.size(); ++i)
      binding.values.emplace_back(action.parameters[i].name, instance.arguments[i]);
    return binding;
  }

  template <class Visit>
  void for_all(const std::vector<TypedName>& variables, std::size_t next, Binding& binding,
               const Visit& visit) {
    if (next == variables.size()) return visit();
    for (const int object : symbols_.objects_of(variables[next].types)) {
      binding.values.emplace_back(variables[next].name, object);
      for_all(variables, next + 1, binding, visit);
      binding.values.pop_back();
    }
  }

  using Resolved = std::function<void(const std::vector<int>&, const std::vector<AtomKey>&)>;

  // Objects for terms. A fluent inside stands for each of its possible values, under the condition
  // (an atom) that it has that value.
  void resolve(const std::vector<Term>& terms, std::size_t next, const Binding& binding,
               std::vector<int>& objects, std::vector<AtomKey>& conditions, const Resolved& visit) {
    if (next == terms.size()) return visit(objects, conditions);
    const Term& term = terms[next];
    if (term.kind != Term::Kind::fluent) {
      objects.push_back(term.kind == Term::Kind::variable ? binding.value(term.name)
                                                          : symbols_.object(term.name));
      resolve(terms, next + 1, binding, objects, conditions, visit);
      objects.pop_back();
      return;
    }
    std::vector<int> inner;
    resolve(term.arguments, 0, binding, inner, conditions,
            [&](const std::vector<int>& arguments, const std::vector<AtomKey>&) {
              for (const int value : symbols_.objects_of(symbols_.fluent_types(term.name))) {
                AtomKey key{symbols_.object_fluent(term.name)};
                key.insert(key.end(), arguments.begin(), arguments.end());
                key.push_back(value);
                conditions.push_back(std::move(key));
                objects.push_back(value);
                resolve(terms, next + 1, binding, objects, conditions, visit);
                objects.pop_back();
                conditions.pop_back();
              }
            });
  }

  void resolve(const std::vector<Term>& terms, const Binding& binding, const Resolved& visit) {
    std::vector<int> objects;
    std::vector<AtomKey> conditions;
    resolve(terms, 0, binding, objects, conditions, visit);
  }

  static AtomKey keyed(int head, const std::vector<int>& arguments) {
    AtomKey key{head};
    key.insert(key.end(), arguments.begin(), arguments.end());
    return key;
  }

  void collect_changes(const Instance& instance) {
    Binding binding = bind(instance);
    for (const Effect& effect : domain_.actions[static_cast<std::size_t>(instance.schema)].effects)
      for_all(effect.bound, 0, binding, [&] { collect_changes(effect, binding); });
  }

  void collect_changes(const Effect& effect, const Binding& binding) {
    std::vector<Term> terms = effect.arguments;
    if (effect.kind == Effect::Kind::set) terms.push_back(effect.object);
    resolve(terms, binding, [&](const std::vector<int>& objects, const std::vector<AtomKey>&) {
      switch (effect.kind) {
        case Effect::Kind::add:
          atom_status(keyed(symbols_.predicate(effect.name), objects)).added = true;
          break;
        case Effect::Kind::remove:
          atom_status(keyed(symbols_.predicate(effect.name), objects)).removed = true;
          break;
        case Effect::Kind::set: {
          const AtomKey key = keyed(symbols_.object_fluent(effect.name), objects);
          atom_status(key).added = true;
          set_fluents_.insert(AtomKey(key.begin(), key.end() - 1));
          break;
        }
        case Effect::Kind::module:
          for (const AtomKey& key : written_numbers(effect.name, objects))
            number_status(key).changed = true;
          break;
        default:
          number_status(keyed(symbols_.fluent(effect.name), objects)).changed = true;
      }
    });
  }

  const ModuleDeclaration& module(const std::string& name, int* index = nullptr) const {
    for (std::size_t i = 0; i < domain_.modules.size(); ++i)
      if (domain_.modules[i].name == name) {
        if (index) *index = static_cast<int>(i);
        return domain_.modules[i];
      }
    fail({}, fmt::format("unknown module '{}'", name));
  }

  std::vector<AtomKey> written_numbers(const std::string& name, const std::vector<int>& arguments) {
    const ModuleDeclaration& declaration = module(name);
    Binding binding;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      binding.values.emplace_back(declaration.parameters[i].name, arguments[i]);
    std::vector<AtomKey> keys;
    for (const auto& written : declaration.written)
      resolve(written.arguments, binding,
              [&](const std::vector<int>& objects, const std::vector<AtomKey>&) {
                keys.push_back(keyed(symbols_.fluent(written.fluent), objects));
              });
    return keys;
  }

  // --- nodes ------------------------------------------------------------------------------------

  int new_fact(const AtomKey& key, const std::string& name, bool initial) {
    std::string text = "(" + name;
    for (std::size_t i = 1; i < key.size(); ++i)
      text += " " + task_.objects[static_cast<std::size_t>(key[i])];
    task_.fact_names.push_back(text + ")");
    task_.initial_facts.push_back(initial);
    return task_.fact_count++;
  }

  std::string predicate_name(int predicate) const {
    const std::size_t plain = domain_.predicates.size();
    const auto index = static_cast<std::size_t>(predicate);
    if (index < plain) return domain_.predicates[index].name;
    std::size_t next = plain;
    for (const FluentDeclaration& fluent : domain_.fluents)
      if (!fluent.types.empty() && next++ == index) return fluent.name;
    return "?";
  }

  // -1: constant, then `truth` says which.
  int fact_of(const AtomKey& key, bool& truth) {
    const int id = atoms_.find(key);
    truth = false;
    if (id < 0) return -1;
    AtomStatus& status = atom_status_[static_cast<std::size_t>(id)];
    const bool set = set_fluents_.contains(AtomKey(key.begin(), key.end() - 1)) &&
                     static_cast<std::size_t>(key[0]) >= domain_.predicates.size();
    const bool removed = status.removed || set;
    truth = status.initial;
    if ((status.initial && !removed) || (!status.initial && !status.added)) return -1;
    if (status.fact < 0) status.fact = new_fact(key, predicate_name(key[0]), status.initial);
    return status.fact;
  }

  NodeId atom_node(const AtomKey& key) {
    bool truth = false;
    const int fact = fact_of(key, truth);
    if (fact >= 0) return task_.pool.fact(fact);
    return truth ? FormulaPool::kYes : FormulaPool::kNo;
  }

  NodeId conditions_node(const std::vector<AtomKey>& conditions) {
    std::vector<NodeId> nodes;
    for (const AtomKey& key : conditions) nodes.push_back(atom_node(key));
    return task_.pool.all(std::move(nodes));
  }

  NodeId derived_node(const std::string& name, const std::vector<int>& arguments) {
    const AtomKey key = keyed(symbols_.predicate(name), arguments);
    if (const auto found = derived_nodes_.find(key); found != derived_nodes_.end())
      return found->second;
    if (derived_.is_recursive(name)) {
      const int fact = new_fact(key, name, false);
      open_axioms_.push_back({name, arguments, fact});
      return derived_nodes_[key] = task_.pool.fact(fact);
    }
    return derived_nodes_[key] = rules_node(name, arguments);
  }

  NodeId rules_node(const std::string& name, const std::vector<int>& arguments) {
    std::vector<NodeId> bodies;
    for (const DerivedRule& rule : domain_.derived) {
      if (rule.name != name) continue;
      Binding binding;
      bool fits = true;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        fits = fits && symbols_.is_of(arguments[i], rule.parameters[i].types);
        binding.values.emplace_back(rule.parameters[i].name, arguments[i]);
      }
      if (fits) bodies.push_back(ground(rule.body, binding));
    }
    return task_.pool.any(std::move(bodies));
  }

  void ground_axioms() {
    for (std::size_t next = 0; next < open_axioms_.size(); ++next) {
      const auto [name, arguments, fact] = open_axioms_[next];
      const NodeId body = rules_node(name, arguments);
      task_.axioms.push_back({fact, body, derived_.stratum(name)});
    }
    std::stable_sort(task_.axioms.begin(), task_.axioms.end(),
                     [](const Axiom& a, const Axiom& b) { return a.stratum < b.stratum; });
  }

  int call(const std::string& name, const std::vector<int>& arguments) {
    int index = 0;
    module(name, &index);
    const auto [it, inserted] =
        call_ids_.try_emplace(keyed(index, arguments), static_cast<int>(task_.calls.size()));
    if (inserted) {
      GroundCall made{index, arguments, {}};
      for (const AtomKey& key : written_numbers(name, arguments))
        made.written.push_back(variable(key));
      task_.calls.push_back(std::move(made));
    }
    return it->second;
  }

  int variable(const AtomKey& key) {
    NumberStatus& status = number_status(key);
    if (status.variable < 0) {
      status.variable = static_cast<int>(task_.variable_names.size());
      std::string text;
      int next = 0;
      for (const FluentDeclaration& fluent : domain_.fluents)
        if (fluent.types.empty() && next++ == key[0]) text = "(" + fluent.name;
      for (std::size_t i = 1; i < key.size(); ++i)
        text += " " + task_.objects[static_cast<std::size_t>(key[i])];
      task_.variable_names.push_back(text + ")");
      task_.initial_values.push_back(status.initial);
    }
    return status.variable;
  }

  ExprId number_expr(const AtomKey& key) {
    const int id = numbers_.find(key);
    if (id < 0) return task_.pool.constant(kUndefined);
    const NumberStatus& status = number_status_[static_cast<std::size_t>(id)];
    if (!status.changed) return task_.pool.constant(status.initial);
    return task_.pool.variable(variable(key));
  }

  std::vector<int> plain_objects(const std::vector<Term>& terms, const Binding& binding,
                                 Place place) {
    for (const Term& term : terms)
      if (term.kind == Term::Kind::fluent)
        fail_at(place, "an object fluent inside a number is not supported", ErrorCode::unsupported);
    std::vector<int> result;
    resolve(terms, binding, [&](const std::vector<int>& objects, const std::vector<AtomKey>&) {
      result = objects;
    });
    return result;
  }

  ExprId expression(const Expression& e, const Binding& binding) {
    switch (e.kind) {
      case Expression::Kind::number:
        return task_.pool.constant(e.number);
      case Expression::Kind::violations:
        return task_.pool.constant(0);
      case Expression::Kind::duration:
        return task_.pool.duration();
      case Expression::Kind::total_time:
        return task_.pool.total_time();
      case Expression::Kind::fluent:
        return number_expr(
            keyed(symbols_.fluent(e.name), plain_objects(e.arguments, binding, e.place)));
      case Expression::Kind::module:
        return task_.pool.expr_call(call(e.name, plain_objects(e.arguments, binding, e.place)));
      default:
        break;
    }
    const ExprNode::Kind kind = e.kind == Expression::Kind::sum ? ExprNode::Kind::sum
                                : e.kind == Expression::Kind::difference
                                    ? ExprNode::Kind::difference
                                : e.kind == Expression::Kind::product ? ExprNode::Kind::product
                                                                      : ExprNode::Kind::quotient;
    ExprId value = expression(e.operands[0], binding);
    if (e.operands.size() == 1) return task_.pool.binary(kind, task_.pool.constant(0), value);
    for (std::size_t i = 1; i < e.operands.size(); ++i)
      value = task_.pool.binary(kind, value, expression(e.operands[i], binding));
    return value;
  }

  NodeId ground(const Formula& f, Binding& binding) {
    FormulaPool& pool = task_.pool;
    std::vector<NodeId> parts;
    switch (f.kind) {
      case Formula::Kind::conjunction:
      case Formula::Kind::disjunction: {
        const bool is_all = f.kind == Formula::Kind::conjunction;
        for (const Formula& part : f.parts) {
          parts.push_back(ground(part, binding));
          if (parts.back() == (is_all ? FormulaPool::kNo : FormulaPool::kYes)) break;
        }
        return is_all ? pool.all(std::move(parts)) : pool.any(std::move(parts));
      }
      case Formula::Kind::negation:
        return pool.negate(ground(f.parts[0], binding));
      case Formula::Kind::forall:
      case Formula::Kind::exists:
        for_all(f.bound, 0, binding, [&] { parts.push_back(ground(f.parts[0], binding)); });
        return f.kind == Formula::Kind::forall ? pool.all(std::move(parts))
                                               : pool.any(std::move(parts));
      case Formula::Kind::compare:
        return pool.compare(f.comparison, expression(f.sides[0], binding),
                            expression(f.sides[1], binding));
      case Formula::Kind::atom:
      case Formula::Kind::same:
      case Formula::Kind::module:
        break;
    }
    resolve(f.arguments, binding,
            [&](const std::vector<int>& objects, const std::vector<AtomKey>& conditions) {
              const NodeId condition = conditions_node(conditions);
              if (condition != FormulaPool::kNo)
                parts.push_back(pool.all({condition, leaf(f, objects)}));
            });
    return pool.any(std::move(parts));
  }

  NodeId leaf(const Formula& f, const std::vector<int>& objects) {
    if (f.kind == Formula::Kind::module) return task_.pool.call(call(f.name, objects));
    if (f.kind == Formula::Kind::same)
      return objects[0] == objects[1] ? FormulaPool::kYes : FormulaPool::kNo;
    if (derived_.contains(f.name)) return derived_node(f.name, objects);
    return atom_node(keyed(symbols_.predicate(f.name), objects));
  }

  // --- actions ----------------------------------------------------------------------------------

  bool ground_action(const Instance& instance, GroundAction& action) {
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

  void ground_effect(const Effect& effect, Binding& binding, std::vector<GroundEffect>& out) {
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

  void emit(const Effect& effect, const std::vector<int>& objects, const Binding& binding,
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
        return emit_fact(keyed(symbols_.predicate(effect.name), objects),
                         GroundEffect::Kind::remove);
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

  void build_timed() {
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

  // Every atom and number that a module may ask for.
  void list_atoms() {
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

  struct OpenAxiom {
    std::string name;
    std::vector<int> arguments;
    int fact;
  };

  const Domain& domain_;
  const Problem& problem_;
  const Symbols& symbols_;
  DerivedPredicates derived_;
  GroundTask task_;
  AtomTable atoms_, numbers_;
  std::vector<AtomStatus> atom_status_;
  std::vector<NumberStatus> number_status_;
  std::set<AtomKey> set_fluents_;  // object fluents that some action assigns
  std::map<AtomKey, NodeId> derived_nodes_;
  std::vector<OpenAxiom> open_axioms_;
  std::map<AtomKey, int> call_ids_;
};

}  // namespace

std::string GroundTask::action_name(int action) const {
  const GroundAction& made = actions[static_cast<std::size_t>(action)];
  std::string text = "(" + domain->actions[static_cast<std::size_t>(made.schema)].name;
  for (const int object : made.arguments) text += " " + objects[static_cast<std::size_t>(object)];
  return text + ")";
}

GroundTask ground(const Domain& domain, const Problem& problem, const GroundLimits& limits) {
  const Symbols symbols(domain, problem);
  std::vector<Instance> instances = reachable_instances(domain, problem, symbols, limits);
  // Instances that folding or irrelevance removes may have been the only ones to change something:
  // repeat until none goes.
  for (;;) {
    Grounder grounder(domain, problem, symbols, instances);
    if (!grounder.build(instances)) continue;
    GroundTask task = grounder.finish();
    remove_irrelevant_actions(task);
    if (task.actions.size() == instances.size()) {
      mark_compressed(task);
      return task;
    }
    instances.clear();
    for (GroundAction& action : task.actions)
      instances.push_back({action.schema, std::move(action.arguments)});
  }
}

}  // namespace proven::task
