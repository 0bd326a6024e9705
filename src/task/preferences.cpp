#include "task/preferences.h"

#include <fmt/format.h>

#include <map>

namespace proven::task {
namespace {

using Values = std::map<std::string, std::string>;

void substitute(Term& term, const Values& binding) {
  if (const auto found = binding.find(term.name);
      term.kind == Term::Kind::variable && found != binding.end()) {
    term.kind = Term::Kind::object;
    term.name = found->second;
  }
  for (Term& argument : term.arguments) substitute(argument, binding);
}

void substitute(Expression& expression, const Values& binding) {
  for (Term& argument : expression.arguments) substitute(argument, binding);
  for (Expression& operand : expression.operands) substitute(operand, binding);
}

void substitute(Formula& formula, Values binding) {
  for (const TypedName& variable : formula.bound) binding.erase(variable.name);
  for (Term& argument : formula.arguments) substitute(argument, binding);
  for (Expression& side : formula.sides) substitute(side, binding);
  for (Formula& part : formula.parts) substitute(part, binding);
}

// Names with a blank are none that a file can have.
constexpr const char* kOver = "the plan is over";

Formula atom(const std::string& name) {
  Formula made;
  made.kind = Formula::Kind::atom;
  made.name = name;
  return made;
}

Formula both(Formula a, Formula b) {
  Formula made;
  made.parts = {std::move(a), std::move(b)};
  return made;
}

Action step(const std::string& name, Formula condition, const std::string& fact) {
  Action made;
  made.name = name;
  made.conditions[0] = std::move(condition);
  Effect effect{};
  effect.kind = Effect::Kind::add;
  effect.name = fact;
  made.effects.push_back(std::move(effect));
  return made;
}

void instantiate(const Preference& preference, std::size_t next, Values& binding,
                 const Symbols& symbols, std::vector<Preference>& out) {
  if (next == preference.bound.size()) {
    Preference one{preference.name, {}, preference.formula, preference.place};
    substitute(one.formula, binding);
    return out.push_back(std::move(one));
  }
  const TypedName& variable = preference.bound[next];
  for (const int object : symbols.objects_of(variable.types)) {
    binding[variable.name] = symbols.object_names()[static_cast<std::size_t>(object)];
    instantiate(preference, next + 1, binding, symbols, out);
  }
  binding.erase(variable.name);
}

}  // namespace

Hardened harden(const Domain& domain, const Problem& problem) {
  Hardened made{domain, problem, domain.actions.size()};
  const Symbols symbols(domain, problem);
  std::vector<Preference> all;
  for (const Preference& preference : problem.preferences) {
    Values binding;
    instantiate(preference, 0, binding, symbols, all);
  }
  made.domain.predicates.push_back({kOver, {}, {}});
  Formula not_over;
  not_over.kind = Formula::Kind::negation;
  not_over.parts = {atom(kOver)};
  for (Action& action : made.domain.actions)
    action.conditions[0] = both(not_over, std::move(action.conditions[0]));
  made.domain.actions.push_back(step("stop here", {}, kOver));
  std::vector<Formula> goal = {problem.goal};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string settled = fmt::format("preference {} is settled", i);
    made.domain.predicates.push_back({settled, {}, {}});
    made.domain.actions.push_back(
        step(fmt::format("keep {}", i), both(atom(kOver), all[i].formula), settled));
    made.domain.actions.push_back(step(fmt::format("give up {}", i), atom(kOver), settled));
    goal.push_back(atom(settled));
  }
  made.problem.goal = {};
  made.problem.goal.parts = std::move(goal);
  made.problem.preferences = std::move(all);
  return made;
}

}  // namespace proven::task
