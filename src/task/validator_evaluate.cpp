#include <cmath>
#include <cstdlib>

#include "task/validator_world.h"

namespace proven::task::judge {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
// Sums in another order than the planner's differ by rounding only.
double rounding_bound(double a, double b) {
  return 1e-9 * (1 + std::abs(a) + std::abs(b));
}

bool compare(const std::string& how, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return false;
  const double slack = rounding_bound(a, b);
  if (how == "<") return a < b;
  if (how == ">") return a > b;
  if (how == "<=") return a <= b + slack;
  if (how == ">=") return a >= b - slack;
  return std::abs(a - b) <= slack;
}

bool parse(const std::string& word, double& value) {
  char* end = nullptr;
  value = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0 &&
         (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-' || word[0] == '+' ||
          word[0] == '.');
}

}  // namespace

bool Evaluator::truth(const Tree& formula, const Bindings& bindings, const WorldState& state,
                      Reads& reads) {
  return outcome(formula, bindings, state, reads).value;
}

// Parts that never change decide alone: what the others looked at then does not count.
Evaluator::Outcome Evaluator::several(const std::vector<Outcome>& parts,
                                      const std::vector<Reads>& looked, bool all,
                                      Reads& reads) const {
  for (const Outcome& part : parts)
    if (part.fixed && part.value != all) return {!all, true};
  Outcome result{all, true};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].fixed) continue;
    result.fixed = false;
    if (parts[i].value != all) result.value = !all;
    reads.insert(looked[i].begin(), looked[i].end());
  }
  return result;
}

Evaluator::Outcome Evaluator::outcome(const Tree& formula, const Bindings& bindings,
                                      const WorldState& state, Reads& reads) {
  watch_.tick();
  if (formula.bracket == '[') return module_condition(formula, bindings, state);
  if (formula.leaf()) {
    if (formula.word.empty()) return {true, true};  // no condition was written
    throw Unreadable{"line " + std::to_string(formula.line) + ": expected a formula"};
  }
  if (formula.items.empty()) return {true, true};
  if (formula.items.size() == 1 && formula.items[0].bracket == '[')
    return module_condition(formula.items[0], bindings, state);
  const std::string& word = formula.head();
  if (word == "and" || word == "or" || word == "imply") {
    std::vector<Outcome> parts;
    std::vector<Reads> looked;
    for (std::size_t i = 1; i < formula.items.size(); ++i) {
      looked.emplace_back();
      parts.push_back(outcome(formula.items[i], bindings, state, looked.back()));
    }
    if (word == "imply") parts.at(0).value = !parts[0].value;
    return several(parts, looked, word == "and", reads);
  }
  if (word == "preference") return {true, true};  // counted by the metric alone
  if (word == "not") {
    Outcome inner = outcome(formula.items.at(1), bindings, state, reads);
    inner.value = !inner.value;
    return inner;
  }
  if (word == "forall" || word == "exists") return quantified(formula, bindings, state, reads);
  if (word == "=") return equality(formula, bindings, state, reads);
  if (word == "<" || word == ">" || word == "<=" || word == ">=") {
    Reads looked;
    const double a = number(formula.items.at(1), bindings, state, looked);
    const double b = number(formula.items.at(2), bindings, state, looked);
    reads.insert(looked.begin(), looked.end());
    return {compare(word, a, b), looked.empty()};
  }
  return fact(formula, bindings, state, reads);
}

Evaluator::Outcome Evaluator::quantified(const Tree& formula, const Bindings& bindings,
                                         const WorldState& state, Reads& reads) {
  std::vector<Outcome> parts;
  std::vector<Reads> looked;
  Bindings inner = bindings;
  for_each(read_variables(formula.items.at(1).items, 0), 0, inner, [&] {
    looked.emplace_back();
    parts.push_back(outcome(formula.items.at(2), inner, state, looked.back()));
  });
  return several(parts, looked, formula.head() == "forall", reads);
}

bool Evaluator::is_numeric(const Tree& written) const {
  double value = 0;
  if (written.bracket == '[') return true;
  const std::string& name = written.leaf() ? written.word : written.head();
  if (written.leaf() && (name == "?duration" || parse(name, value))) return true;
  if (!written.leaf() && (name == "+" || name == "-" || name == "*" || name == "/")) return true;
  if (written.leaf() && world_.objects.contains(name)) return false;
  return world_.numbers.contains(name);
}

Evaluator::Outcome Evaluator::equality(const Tree& formula, const Bindings& bindings,
                                       const WorldState& state, Reads& reads) {
  const Tree &left = formula.items.at(1), &right = formula.items.at(2);
  Reads looked;
  bool equal = false;
  if (is_numeric(left) || is_numeric(right)) {
    equal =
        compare("=", number(left, bindings, state, looked), number(right, bindings, state, looked));
  } else {
    const std::string a = object(left, bindings, state, looked);
    equal = !a.empty() && a == object(right, bindings, state, looked);
  }
  reads.insert(looked.begin(), looked.end());
  return {equal, looked.empty()};
}

std::string Evaluator::object(const Tree& term, const Bindings& bindings, const WorldState& state,
                              Reads& reads) {
  if (term.leaf()) {
    const auto bound = bindings.find(term.word);
    return bound == bindings.end() ? term.word : bound->second;
  }
  const std::string name = atom(term, bindings, state, reads);
  if (world_.changing.contains(term.head())) reads.insert(name);
  const auto found = state.values.find(name);
  return found == state.values.end() ? "" : found->second;
}

std::string Evaluator::atom(const Tree& written, const Bindings& bindings, const WorldState& state,
                            Reads& reads) {
  if (written.leaf()) return written.word;
  std::string text = written.head();
  for (std::size_t i = 1; i < written.items.size(); ++i)
    text += " " + object(written.items[i], bindings, state, reads);
  return text;
}

Evaluator::Outcome Evaluator::fact(const Tree& formula, const Bindings& bindings,
                                   const WorldState& state, Reads& reads) {
  Reads looked;
  const std::string text = atom(formula, bindings, state, looked);
  const auto rules = world_.derived.find(formula.head());
  if (rules == world_.derived.end()) {
    if (world_.changing.contains(formula.head())) looked.insert(text);
    reads.insert(looked.begin(), looked.end());
    return {state.facts.contains(text), looked.empty()};
  }
  // A derived fact needs a proof without itself.
  if (!in_progress_.insert(text).second) return {false, false};
  std::vector<Outcome> parts;
  std::vector<Reads> seen;
  for (const DerivedScheme& rule : rules->second) {
    Bindings inner;
    bool fits = true;
    for (std::size_t i = 0; i < rule.parameters.size(); ++i) {
      const std::string value = object(formula.items.at(i + 1), bindings, state, looked);
      fits = fits && world_.is_of(value, rule.parameters[i].types);
      inner[rule.parameters[i].name] = value;
    }
    if (!fits) continue;
    seen.emplace_back();
    parts.push_back(outcome(rule.body, inner, state, seen.back()));
  }
  in_progress_.erase(text);
  Outcome result = several(parts, seen, false, looked);
  reads.insert(looked.begin(), looked.end());
  result.fixed = result.fixed && looked.empty();
  return result;
}

double Evaluator::number(const Tree& e, const Bindings& bindings, const WorldState& state,
                         Reads& reads) {
  double value = 0;
  if (e.leaf() && parse(e.word, value)) return value;
  if (e.leaf() && e.word == "?duration") return duration;
  const std::string& word = e.leaf() ? e.word : e.head();
  if (word == "total-time" && !world_.numbers.contains(word)) return total_time;
  if (word == "is-violated" && !world_.numbers.contains(word))
    return violations(world_.goal, e.items.at(1).word, bindings, state);
  if (e.bracket == '(' && e.items.size() == 1 && e.items[0].bracket == '[')
    return number(e.items[0], bindings, state, reads);
  if (e.bracket == '[') {
    if (!modules_) throw Broken{"module '" + word + "' is called, but no modules are given"};
    const std::string call = atom(e, bindings, state, reads);
    const auto cost = modules_->cost(call, words(state), budget_);
    if (!cost) throw Broken{"module [" + call + "] did not decide"};
    return *cost;
  }
  if (word == "+" || word == "-" || word == "*" || word == "/") {
    double result = number(e.items.at(1), bindings, state, reads);
    if (e.items.size() == 2) return -result;
    for (std::size_t i = 2; i < e.items.size(); ++i) {
      const double next = number(e.items[i], bindings, state, reads);
      if (word == "+") result += next;
      if (word == "-") result -= next;
      if (word == "*") result *= next;
      if (word == "/") result = next == 0 ? kUndefined : result / next;
    }
    return result;
  }
  const std::string text = atom(e, bindings, state, reads);
  if (world_.changing.contains(word)) reads.insert(text);
  const auto found = state.numbers.find(text);
  return found == state.numbers.end() ? kUndefined : found->second;
}

// How many preferences of this name in a part of the goal do not hold.
double Evaluator::violations(const Tree& goal, const std::string& name, const Bindings& bindings,
                             const WorldState& state) {
  double count = 0;
  const std::string& word = goal.head();
  if (word == "and") {
    for (std::size_t i = 1; i < goal.items.size(); ++i)
      count += violations(goal.items[i], name, bindings, state);
  } else if (word == "forall") {
    Bindings inner = bindings;
    for_each(read_variables(goal.items.at(1).items, 0), 0, inner,
             [&] { count += violations(goal.items.at(2), name, inner, state); });
  } else if (word == "preference" && goal.items.size() == 3 && goal.items[1].word == name) {
    Reads reads;
    count = truth(goal.items[2], bindings, state, reads) ? 0 : 1;
  }
  return count;
}

ValidationModules::World Evaluator::words(const WorldState& state) const {
  ValidationModules::World result;
  result.time = time;
  result.true_facts.assign(state.facts.begin(), state.facts.end());
  for (const auto& [name, value] : state.values) result.true_facts.push_back(name + " " + value);
  result.numbers = state.numbers;
  return result;
}

Evaluator::Outcome Evaluator::module_condition(const Tree& call, const Bindings& bindings,
                                               const WorldState& state) {
  if (!modules_) throw Broken{"module '" + call.head() + "' is called, but no modules are given"};
  Reads looked;
  const std::string text = atom(call, bindings, state, looked);
  const auto answer = modules_->condition(text, words(state), budget_);
  if (!answer) throw Broken{"module [" + text + "] did not decide"};
  // What a module looks at is not known here and cannot count as interference.
  return {*answer, false};
}

std::vector<double> Evaluator::module_effect(const std::string& call, const WorldState& state) {
  if (!modules_) throw Broken{"module [" + call + "] is called, but no modules are given"};
  const auto values = modules_->effect(call, words(state), budget_);
  if (!values) throw Broken{"module [" + call + "] did not decide"};
  return *values;
}

}  // namespace proven::task::judge
