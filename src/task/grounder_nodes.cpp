// Formulas, expressions and module calls as shared nodes.
#include <algorithm>

#include "task/grounder.h"

namespace proven::task {

int Grounder::new_fact(const AtomKey& key, const std::string& name, bool initial) {
  std::string text = "(" + name;
  for (std::size_t i = 1; i < key.size(); ++i)
    text += " " + task_.objects[static_cast<std::size_t>(key[i])];
  task_.fact_names.push_back(text + ")");
  task_.initial_facts.push_back(initial);
  return task_.fact_count++;
}

std::string Grounder::predicate_name(int predicate) const {
  const std::size_t plain = domain_.predicates.size();
  const auto index = static_cast<std::size_t>(predicate);
  if (index < plain) return domain_.predicates[index].name;
  std::size_t next = plain;
  for (const FluentDeclaration& fluent : domain_.fluents)
    if (!fluent.types.empty() && next++ == index) return fluent.name;
  return "?";
}

int Grounder::fact_of(const AtomKey& key, bool& truth) {
  const int id = atoms_.find(key);
  truth = false;
  if (id < 0) return -1;
  AtomStatus& status = atom_status_[static_cast<std::size_t>(id)];
  const bool set = set_fluents_.contains(AtomKey(key.begin(), key.end() - 1)) &&
                   static_cast<std::size_t>(key[0]) >= domain_.predicates.size();
  const bool removed = status.removed || set;
  truth = status.initial;
  // What is only ever made true again never changes, but those who do and those who rely on it
  // interfere all the same.
  if (!removed && !status.added) return -1;
  if (status.fact < 0) status.fact = new_fact(key, predicate_name(key[0]), status.initial);
  return status.fact;
}

NodeId Grounder::atom_node(const AtomKey& key) {
  bool truth = false;
  const int fact = fact_of(key, truth);
  if (fact >= 0) return task_.pool.fact(fact);
  return truth ? FormulaPool::kYes : FormulaPool::kNo;
}

NodeId Grounder::conditions_node(const std::vector<AtomKey>& conditions) {
  std::vector<NodeId> nodes;
  for (const AtomKey& key : conditions) nodes.push_back(atom_node(key));
  return task_.pool.all(std::move(nodes));
}

NodeId Grounder::derived_node(const std::string& name, const std::vector<int>& arguments) {
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

NodeId Grounder::rules_node(const std::string& name, const std::vector<int>& arguments) {
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

void Grounder::ground_axioms() {
  for (std::size_t next = 0; next < open_axioms_.size(); ++next) {
    const auto [name, arguments, fact] = open_axioms_[next];
    const NodeId body = rules_node(name, arguments);
    task_.axioms.push_back({fact, body, derived_.stratum(name)});
  }
  std::stable_sort(task_.axioms.begin(), task_.axioms.end(),
                   [](const Axiom& a, const Axiom& b) { return a.stratum < b.stratum; });
}

int Grounder::call(const std::string& name, const std::vector<int>& arguments) {
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

int Grounder::variable(const AtomKey& key) {
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

ExprId Grounder::number_expr(const AtomKey& key) {
  const int id = numbers_.find(key);
  if (id < 0) return task_.pool.constant(kUndefined);
  const NumberStatus& status = number_status_[static_cast<std::size_t>(id)];
  if (!status.changed) return task_.pool.constant(status.initial);
  return task_.pool.variable(variable(key));
}

std::vector<int> Grounder::plain_objects(const std::vector<Term>& terms, const Binding& binding,
                                         Place place) {
  for (const Term& term : terms)
    if (term.kind == Term::Kind::fluent)
      fail_at(place, "an object fluent inside a number is not supported", ErrorCode::unsupported);
  std::vector<int> result;
  resolve(terms, binding,
          [&](const std::vector<int>& objects, const std::vector<AtomKey>&) { result = objects; });
  return result;
}

ExprId Grounder::expression(const Expression& e, const Binding& binding) {
  switch (e.kind) {
    case Expression::Kind::number:
      return task_.pool.constant(e.number);
    case Expression::Kind::violations: {
      ExprId sum = task_.pool.constant(0);
      for (std::size_t i = 0; i < problem_.preferences.size(); ++i)
        if (problem_.preferences[i].name == e.name)
          sum = task_.pool.binary(ExprNode::Kind::sum, sum, task_.violations[i]);
      return sum;
    }
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
  const ExprNode::Kind kind = e.kind == Expression::Kind::sum          ? ExprNode::Kind::sum
                              : e.kind == Expression::Kind::difference ? ExprNode::Kind::difference
                              : e.kind == Expression::Kind::product    ? ExprNode::Kind::product
                                                                       : ExprNode::Kind::quotient;
  ExprId value = expression(e.operands[0], binding);
  if (e.operands.size() == 1) return task_.pool.binary(kind, task_.pool.constant(0), value);
  for (std::size_t i = 1; i < e.operands.size(); ++i)
    value = task_.pool.binary(kind, value, expression(e.operands[i], binding));
  return value;
}

NodeId Grounder::ground(const Formula& f, Binding& binding) {
  watch_.tick();
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
    case Formula::Kind::preference:
      return FormulaPool::kYes;  // counted apart
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

NodeId Grounder::leaf(const Formula& f, const std::vector<int>& objects) {
  if (f.kind == Formula::Kind::module) return task_.pool.call(call(f.name, objects));
  if (f.kind == Formula::Kind::same)
    return objects[0] == objects[1] ? FormulaPool::kYes : FormulaPool::kNo;
  if (derived_.contains(f.name)) return derived_node(f.name, objects);
  return atom_node(keyed(symbols_.predicate(f.name), objects));
}

}  // namespace proven::task
