#include "task/pddl_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "proven/base/numbers.h"
#include "task/failure.h"

namespace proven::task {
namespace {

std::optional<Comparison> comparison_of(std::string_view word) {
  if (word == "<") return Comparison::less;
  if (word == "<=") return Comparison::less_equal;
  if (word == "=") return Comparison::equal;
  if (word == ">=") return Comparison::greater_equal;
  if (word == ">") return Comparison::greater;
  return std::nullopt;
}

bool is_arithmetic(std::string_view word) {
  return word == "+" || word == "-" || word == "*" || word == "/";
}

Formula connective(Formula::Kind kind, std::vector<Formula> parts, Place place) {
  Formula f;
  f.kind = kind;
  f.parts = std::move(parts);
  f.place = place;
  return f;
}

bool is_true(const Formula& f) {
  return f.kind == Formula::Kind::conjunction && f.parts.empty();
}

void conjoin(Formula& into, Formula f) {
  if (is_true(f)) return;
  if (is_true(into)) {
    into = std::move(f);
  } else if (into.kind == Formula::Kind::conjunction) {
    into.parts.push_back(std::move(f));
  } else {
    const Place place = into.place;
    std::vector<Formula> parts{std::move(into), std::move(f)};
    into = connective(Formula::Kind::conjunction, std::move(parts), place);
  }
}

// (at start X), (over all X), (at end X); a predicate may also be called `at`.
std::optional<When> time_of(const SExpression& written) {
  if (!written.is_list() || written.items.size() != 3 ||
      written.items[2].kind == SExpression::Kind::token)
    return std::nullopt;
  const SExpression &a = written.items[0], &b = written.items[1];
  if (a.is_token("at") && b.is_token("start")) return When::start;
  if (a.is_token("at") && b.is_token("end")) return When::end;
  if (a.is_token("over") && b.is_token("all")) return When::over_all;
  return std::nullopt;
}

}  // namespace

void PddlReader::fail_at(Place place, std::string message, ErrorCode code) const {
  fail(place_text(file_, place), std::move(message), code);
}

const SExpression& PddlReader::item(const SExpression& list, std::size_t index,
                                    const char* what) const {
  if (list.kind == SExpression::Kind::token || index >= list.items.size())
    fail_at(list.place, fmt::format("expected {} here", what));
  return list.items[index];
}

std::string PddlReader::token(const SExpression& written, const char* what) const {
  if (written.kind != SExpression::Kind::token)
    fail_at(written.place, fmt::format("expected {}, found a list", what));
  return written.text;
}

double PddlReader::number(const SExpression& written, const char* what) const {
  const auto value = parse_double(token(written, what));
  if (!value) fail_at(written.place, fmt::format("expected {}, found '{}'", what, written.text));
  return *value;
}

std::vector<std::string> PddlReader::type_names(const SExpression& written,
                                                const std::set<std::string>* types) const {
  std::vector<std::string> names;
  if (written.kind == SExpression::Kind::token) {
    names.push_back(written.text);
  } else {
    if (written.head() != "either" || written.items.size() < 2)
      fail_at(written.place, "expected a type or (either TYPE ...)");
    for (std::size_t i = 1; i < written.items.size(); ++i)
      names.push_back(token(written.items[i], "a type"));
  }
  if (types)
    for (const std::string& name : names)
      if (name != "object" && !types->contains(name))
        fail_at(written.place, fmt::format("type '{}' is not declared in (:types ...)", name));
  return names;
}

std::vector<TypedName> PddlReader::typed_list(const std::vector<SExpression>& items,
                                              std::size_t first, bool variables,
                                              const std::set<std::string>* types) const {
  std::vector<TypedName> list;
  std::size_t untyped = 0;
  for (std::size_t i = first; i < items.size(); ++i) {
    const std::string name = token(items[i], variables ? "a variable" : "a name");
    // "?g -goods" is common; no name begins with a hyphen.
    if (name[0] == '-') {
      SExpression type = items[i];
      if (name != "-")
        type.text.erase(0, 1);
      else if (i + 1 >= items.size())
        fail_at(items[i].place, "expected a type after '-'");
      else
        type = items[++i];
      const auto names = type_names(type, types);
      for (; untyped < list.size(); ++untyped) list[untyped].types = names;
      continue;
    }
    if (variables && (name.size() < 2 || name[0] != '?'))
      fail_at(items[i].place, fmt::format("expected a variable such as ?x, found '{}'", name));
    if (!variables && name[0] == '?')
      fail_at(items[i].place, fmt::format("'{}' is a variable; expected a name", name));
    list.push_back({name, {"object"}, items[i].place});
  }
  return list;
}

void PddlReader::push_scope(const std::vector<TypedName>& variables) {
  for (const TypedName& variable : variables) scope_.push_back(variable.name);
}

void PddlReader::pop_scope(std::size_t count) {
  scope_.resize(scope_.size() - count);
}

void PddlReader::check_arity(const SExpression& written, const std::string& name,
                             std::size_t declared, std::size_t given) const {
  if (declared != given)
    fail_at(written.place,
            fmt::format("'{}' takes {} argument(s), {} given", name, declared, given));
}

Term PddlReader::term(const SExpression& written) const {
  Term t;
  t.place = written.place;
  if (written.kind == SExpression::Kind::token) {
    t.name = written.text;
    if (t.name[0] == '?') {
      t.kind = Term::Kind::variable;
      if (std::find(scope_.begin(), scope_.end(), t.name) == scope_.end())
        fail_at(written.place, fmt::format("variable '{}' is not a parameter here", t.name));
    } else if (!names_.objects.contains(t.name)) {
      fail_at(written.place, fmt::format("object '{}' is not declared", t.name));
    }
    return t;
  }
  t.kind = Term::Kind::fluent;
  t.name = std::string(written.head());
  const auto found = names_.fluents.find(t.name);
  if (!written.is_list() || found == names_.fluents.end() || found->second->types.empty())
    fail_at(written.place, "expected a variable, an object or a fluent whose value is an object");
  t.arguments = terms(written, 1);
  check_arity(written, t.name, found->second->parameters.size(), t.arguments.size());
  return t;
}

std::vector<Term> PddlReader::terms(const SExpression& list, std::size_t first) const {
  std::vector<Term> result;
  for (std::size_t i = first; i < list.items.size(); ++i) result.push_back(term(list.items[i]));
  return result;
}

const ModuleDeclaration& PddlReader::module(const SExpression& call, ModuleDeclaration::Kind kind,
                                            const char* kind_name) const {
  const std::string name(call.head());
  const auto found = names_.modules.find(name);
  if (found == names_.modules.end())
    fail_at(call.place, fmt::format("module '{}' is not declared in (:modules ...)", name));
  if (found->second->kind != kind)
    fail_at(call.place, fmt::format("'{}' is not a module of kind {}", name, kind_name));
  check_arity(call, name, found->second->parameters.size(), call.items.size() - 1);
  return *found->second;
}

bool PddlReader::is_numeric(const SExpression& written) const {
  if (written.kind == SExpression::Kind::call) return true;
  if (written.is_list() && is_arithmetic(written.head())) return true;
  const std::string name =
      written.kind == SExpression::Kind::token ? written.text : std::string(written.head());
  if (written.kind == SExpression::Kind::token && (name == "?duration" || parse_double(name)))
    return true;
  if (name == "total-time" && !names_.fluents.contains(name)) return true;
  const auto fluent = names_.fluents.find(name);
  if (fluent == names_.fluents.end() || !fluent->second->types.empty()) return false;
  return written.is_list() || !names_.objects.contains(name);
}

Expression PddlReader::arithmetic(const SExpression& written) {
  Expression e;
  e.place = written.place;
  const std::string_view op = written.head();
  e.kind = op == "+"   ? Expression::Kind::sum
           : op == "-" ? Expression::Kind::difference
           : op == "*" ? Expression::Kind::product
                       : Expression::Kind::quotient;
  for (std::size_t i = 1; i < written.items.size(); ++i)
    e.operands.push_back(expression(written.items[i]));
  const std::size_t n = e.operands.size();
  if (n == 0 || (n == 1 && op != "-") || (n > 2 && (op == "-" || op == "/")))
    fail_at(written.place, fmt::format("'{}' with {} operand(s)", op, n));
  return e;
}

Expression PddlReader::fluent_expression(const SExpression& written, const std::string& name) {
  Expression e;
  e.place = written.place;
  e.name = name;
  const auto found = names_.fluents.find(name);
  if (found == names_.fluents.end()) {
    if (name == "total-time") return e.kind = Expression::Kind::total_time, e;
    if (name == "is-violated") {
      e.name = token(item(written, 1, "a preference"), "a preference's name");
      return e.kind = Expression::Kind::violations, e;
    }
    fail_at(written.place, fmt::format("fluent '{}' is not declared in (:functions ...)", name));
  }
  if (!found->second->types.empty())
    fail_at(written.place, fmt::format("fluent '{}' is an object, expected a number", name));
  e.kind = Expression::Kind::fluent;
  if (written.is_list()) e.arguments = terms(written, 1);
  check_arity(written, name, found->second->parameters.size(), e.arguments.size());
  return e;
}

Expression PddlReader::expression(const SExpression& written) {
  if (written.kind == SExpression::Kind::call) {
    module(written, ModuleDeclaration::Kind::cost, "cost");
    Expression e;
    e.kind = Expression::Kind::module;
    e.name = std::string(written.head());
    e.arguments = terms(written, 1);
    e.place = written.place;
    return e;
  }
  if (written.kind == SExpression::Kind::token) {
    Expression e;
    e.place = written.place;
    if (written.text == "?duration") return e.kind = Expression::Kind::duration, e;
    if (written.text == "#t")
      fail_at(written.place, "continuous effects (#t) are not supported", ErrorCode::unsupported);
    if (const auto value = parse_double(written.text)) return e.number = *value, e;
    return fluent_expression(written, written.text);
  }
  if (written.items.size() == 1 && written.items[0].kind == SExpression::Kind::call)
    return expression(written.items[0]);
  if (is_arithmetic(written.head())) return arithmetic(written);
  if (written.head().empty()) fail_at(written.place, "expected a number or a numeric expression");
  return fluent_expression(written, std::string(written.head()));
}

Formula PddlReader::quantified(const SExpression& written, Formula::Kind kind) {
  if (written.items.size() != 3)
    fail_at(written.place, "a quantifier takes a list of variables and a formula");
  Formula f;
  f.kind = kind;
  f.place = written.place;
  f.bound = typed_list(item(written, 1, "variables").items, 0, true, &names_.types);
  push_scope(f.bound);
  f.parts.push_back(formula(written.items[2]));
  pop_scope(f.bound.size());
  return f;
}

Formula PddlReader::comparison(const SExpression& written, Comparison comparison) {
  if (written.items.size() != 3) fail_at(written.place, "a comparison takes two sides");
  Formula f;
  f.kind = Formula::Kind::compare;
  f.comparison = comparison;
  f.place = written.place;
  f.sides = {expression(written.items[1]), expression(written.items[2])};
  return f;
}

Formula PddlReader::equality(const SExpression& written) {
  if (written.items.size() != 3) fail_at(written.place, "'=' takes two sides");
  if (is_numeric(written.items[1]) || is_numeric(written.items[2]))
    return comparison(written, Comparison::equal);
  Formula f;
  f.kind = Formula::Kind::same;
  f.place = written.place;
  f.arguments = terms(written, 1);
  return f;
}

Formula PddlReader::atom(const SExpression& written) {
  Formula f;
  f.kind = Formula::Kind::atom;
  f.place = written.place;
  f.name = std::string(written.head());
  if (f.name.empty()) fail_at(written.place, "expected a formula");
  const auto found = names_.predicates.find(f.name);
  if (found == names_.predicates.end())
    fail_at(written.place, fmt::format("predicate '{}' is not declared", f.name));
  f.arguments = terms(written, 1);
  check_arity(written, f.name, found->second, f.arguments.size());
  return f;
}

Formula PddlReader::module_formula(const SExpression& call) {
  module(call, ModuleDeclaration::Kind::condition, "conditionchecker");
  Formula f;
  f.kind = Formula::Kind::module;
  f.name = std::string(call.head());
  f.arguments = terms(call, 1);
  f.place = call.place;
  return f;
}

Formula PddlReader::formula(const SExpression& written) {
  if (written.kind == SExpression::Kind::call) return module_formula(written);
  if (!written.is_list())
    fail_at(written.place, fmt::format("expected a formula, found '{}'", written.text));
  if (written.items.empty()) return connective(Formula::Kind::conjunction, {}, written.place);
  if (written.items.size() == 1 && written.items[0].kind == SExpression::Kind::call)
    return module_formula(written.items[0]);
  const std::string_view word = written.head();
  if (word == "and" || word == "or") {
    std::vector<Formula> parts;
    for (std::size_t i = 1; i < written.items.size(); ++i)
      parts.push_back(formula(written.items[i]));
    const auto kind = word == "and" ? Formula::Kind::conjunction : Formula::Kind::disjunction;
    return connective(kind, std::move(parts), written.place);
  }
  if (word == "not") {
    if (written.items.size() != 2) fail_at(written.place, "'not' takes one formula");
    return connective(Formula::Kind::negation, {formula(written.items[1])}, written.place);
  }
  if (word == "imply") {
    if (written.items.size() != 3) fail_at(written.place, "'imply' takes two formulas");
    Formula premise =
        connective(Formula::Kind::negation, {formula(written.items[1])}, written.place);
    return connective(Formula::Kind::disjunction, {std::move(premise), formula(written.items[2])},
                      written.place);
  }
  if (word == "forall") return quantified(written, Formula::Kind::forall);
  if (word == "exists") return quantified(written, Formula::Kind::exists);
  if (word == "=") return equality(written);
  if (const auto kind = comparison_of(word)) return comparison(written, *kind);
  if (word == "preference") return preference(written);
  return atom(written);
}

Formula PddlReader::goal(const SExpression& written) {
  in_goal_ = true;
  Formula made = formula(written);
  in_goal_ = false;
  return made;
}

Formula PddlReader::preference(const SExpression& written) {
  if (!in_goal_)
    fail_at(
        written.place,
        "preferences are supported in the goal of a problem alone, not in conditions of actions",
        ErrorCode::unsupported);
  const std::size_t n = written.items.size();
  if (n != 2 && n != 3) fail_at(written.place, "expected (preference NAME FORMULA)");
  in_goal_ = false;  // none inside another
  Formula made =
      connective(Formula::Kind::preference, {formula(written.items[n - 1])}, written.place);
  in_goal_ = true;
  if (n == 3) made.name = token(written.items[1], "the preference's name");
  return made;
}

std::array<Formula, 3> PddlReader::timed_forall(const SExpression& written) {
  const auto bound = typed_list(item(written, 1, "variables").items, 0, true, &names_.types);
  push_scope(bound);
  const auto inner = timed_formula(item(written, 2, "a timed condition"));
  pop_scope(bound.size());
  std::array<Formula, 3> result;
  for (std::size_t i = 0; i < 3; ++i) {
    if (is_true(inner[i])) continue;
    result[i] = connective(Formula::Kind::forall, {inner[i]}, written.place);
    result[i].bound = bound;
  }
  return result;
}

std::array<Formula, 3> PddlReader::timed_formula(const SExpression& written) {
  std::array<Formula, 3> result;
  if (written.is_list() && written.items.empty()) return result;
  if (const auto when = time_of(written)) {
    result[static_cast<std::size_t>(*when)] = formula(written.items[2]);
    return result;
  }
  if (written.head() == "and") {
    for (std::size_t i = 1; i < written.items.size(); ++i) {
      auto part = timed_formula(written.items[i]);
      for (std::size_t k = 0; k < 3; ++k) conjoin(result[k], std::move(part[k]));
    }
    return result;
  }
  if (written.head() == "forall") return timed_forall(written);
  fail_at(written.place, "expected (at start ...), (over all ...) or (at end ...)");
}

std::vector<DurationBound> PddlReader::duration(const SExpression& written) {
  std::vector<DurationBound> bounds;
  if (written.is_list() && written.items.empty()) return bounds;
  if (written.head() == "and") {
    for (std::size_t i = 1; i < written.items.size(); ++i)
      for (DurationBound& bound : duration(written.items[i])) bounds.push_back(std::move(bound));
    return bounds;
  }
  if (const auto when = time_of(written); when && *when != When::over_all) {
    bounds = duration(written.items[2]);
    for (DurationBound& bound : bounds) bound.at_end = *when == When::end;
    return bounds;
  }
  const auto kind = comparison_of(written.head());
  if (!kind || written.items.size() != 3 || !written.items[1].is_token("?duration"))
    fail_at(written.place, "expected a duration such as (= ?duration 5)");
  bounds.push_back({*kind, expression(written.items[2]), false});
  return bounds;
}

void PddlReader::effects(const SExpression& written, bool durative, std::vector<Effect>& out) {
  EffectContext context;
  context.durative = durative;
  context.timed = !durative;
  effects(written, context, out);
}

void PddlReader::effects(const SExpression& written, const EffectContext& context,
                         std::vector<Effect>& out) {
  if (written.is_list() && written.items.empty()) return;
  if (!context.timed) {
    if (const auto when = time_of(written)) {
      if (*when == When::over_all) fail_at(written.place, "an effect cannot be 'over all'");
      EffectContext inner = context;
      inner.timed = true;
      inner.when = *when;
      return effects(written.items[2], inner, out);
    }
  }
  const std::string_view word = written.head();
  if (word == "and") {
    for (std::size_t i = 1; i < written.items.size(); ++i) effects(written.items[i], context, out);
  } else if (word == "forall") {
    quantified_effects(written, context, out);
  } else if (word == "when") {
    conditional_effects(written, context, out);
  } else if (!context.timed) {
    fail_at(written.place, "expected (at start EFFECT) or (at end EFFECT)");
  } else {
    elementary_effect(written, context, out);
  }
}

void PddlReader::quantified_effects(const SExpression& written, EffectContext context,
                                    std::vector<Effect>& out) {
  if (written.items.size() != 3) fail_at(written.place, "'forall' takes variables and an effect");
  const auto bound = typed_list(item(written, 1, "variables").items, 0, true, &names_.types);
  push_scope(bound);
  context.bound.insert(context.bound.end(), bound.begin(), bound.end());
  effects(written.items[2], context, out);
  pop_scope(bound.size());
}

void PddlReader::conditional_effects(const SExpression& written, EffectContext context,
                                     std::vector<Effect>& out) {
  if (written.items.size() != 3) fail_at(written.place, "'when' takes a condition and an effect");
  if (context.timed) {
    conjoin(context.conditions[static_cast<std::size_t>(context.when)], formula(written.items[1]));
  } else {
    auto conditions = timed_formula(written.items[1]);
    for (std::size_t k = 0; k < 3; ++k) conjoin(context.conditions[k], std::move(conditions[k]));
  }
  effects(written.items[2], context, out);
}

void PddlReader::numeric_effect(const SExpression& written, Effect& effect) {
  if (written.items.size() != 3) fail_at(written.place, "expected a fluent and a value");
  const SExpression& target = written.items[1];
  effect.name = target.kind == SExpression::Kind::token ? target.text : std::string(target.head());
  const auto fluent = names_.fluents.find(effect.name);
  if (fluent == names_.fluents.end())
    fail_at(target.place, fmt::format("fluent '{}' is not declared", effect.name));
  if (target.is_list()) effect.arguments = terms(target, 1);
  check_arity(target, effect.name, fluent->second->parameters.size(), effect.arguments.size());
  if (fluent->second->types.empty()) {
    effect.value = expression(written.items[2]);
    return;
  }
  if (effect.kind != Effect::Kind::assign)
    fail_at(written.place, fmt::format("'{}' is an object and cannot be counted", effect.name));
  effect.kind = Effect::Kind::set;
  effect.object = term(written.items[2]);
}

void PddlReader::elementary_effect(const SExpression& written, const EffectContext& context,
                                   std::vector<Effect>& out) {
  Effect effect{};
  effect.when = context.when;
  effect.bound = context.bound;
  effect.conditions = context.conditions;
  effect.place = written.place;
  const SExpression* call = written.kind == SExpression::Kind::call ? &written : nullptr;
  if (written.is_list() && written.items.size() == 1 &&
      written.items[0].kind == SExpression::Kind::call)
    call = &written.items[0];
  const std::string_view word = written.head();
  if (call) {
    module(*call, ModuleDeclaration::Kind::effect, "effect");
    effect.kind = Effect::Kind::module;
    effect.name = std::string(call->head());
    effect.arguments = terms(*call, 1);
  } else if (word == "assign" || word == "increase" || word == "decrease" || word == "scale-up" ||
             word == "scale-down") {
    effect.kind = word == "assign"     ? Effect::Kind::assign
                  : word == "increase" ? Effect::Kind::increase
                  : word == "decrease" ? Effect::Kind::decrease
                  : word == "scale-up" ? Effect::Kind::scale_up
                                       : Effect::Kind::scale_down;
    numeric_effect(written, effect);
  } else {
    const bool negated = word == "not";
    if (negated && written.items.size() != 2) fail_at(written.place, "'not' takes one atom");
    Formula target = atom(negated ? written.items[1] : written);
    effect.kind = negated ? Effect::Kind::remove : Effect::Kind::add;
    effect.name = std::move(target.name);
    effect.arguments = std::move(target.arguments);
  }
  out.push_back(std::move(effect));
}

}  // namespace proven::task
