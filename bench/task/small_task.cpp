#include "bench/task/small_task.h"

#include <fmt/format.h>

#include <algorithm>

namespace proven::bench {
namespace {

Facts bit(int fact) {
  return Facts{1} << fact;
}

class Maker {
 public:
  explicit Maker(Random& random) : random_(random) {}

  SmallTask make() {
    task_.facts = 3 + random_.index(3);
    for (int f = 0; f < task_.facts; ++f)
      if (chance(0.25)) task_.initial |= bit(f);
    task_.number = random_.index(3);
    numeric_ = chance(0.25);
    const int actions = 2 + random_.index(3);
    for (int i = 0; i < actions; ++i) task_.actions.push_back(action());
    if (chance(0.3)) add_timed();
    do task_.goal = condition(0.8, 0.15);
    while (task_.goal.yes == 0 && task_.goal.least < 0);
    return task_;
  }

 private:
  bool chance(double share) { return random_.uniform() < share; }
  int fact() { return random_.index(task_.facts); }

  SmallCondition condition(double yes, double no) {
    SmallCondition made;
    if (chance(yes)) made.yes |= bit(fact());
    if (chance(yes * 0.4)) made.yes |= bit(fact());
    if (chance(no)) made.no |= bit(fact()) & ~made.yes;
    if (chance(0.07)) made.either = bit(fact()) | bit(fact());
    if (numeric_ && chance(0.2)) made.least = random_.index(4);
    if (numeric_ && chance(0.1)) made.most = std::max(made.least, random_.index(4));
    return made;
  }

  void effects(SmallEvent& event, double share) {
    if (chance(share)) event.add |= bit(fact());
    if (chance(share * 0.4)) event.add |= bit(fact());
    if (chance(share * 0.6)) event.remove |= bit(fact());
    event.remove &= ~event.add;
    if (chance(0.1)) {
      event.when = fact();
      event.when_true = chance(0.7);
      event.when_add = bit(fact()) & ~event.remove;
    }
    if (!numeric_ || !chance(0.4)) return;
    event.number =
        std::array{SmallEvent::Number::increase, SmallEvent::Number::decrease,
                   SmallEvent::Number::assign}[static_cast<std::size_t>(random_.index(3))];
    event.amount = 1 + random_.index(2);
  }

  SmallAction action() {
    SmallAction made;
    made.durative = chance(0.85);
    made.start.condition = condition(0.4, 0.15);
    effects(made.start, made.durative ? 0.5 : 0.9);
    if (!made.durative) return made;
    made.throughout = condition(0.4, 0.08);
    made.end.condition = condition(0.2, 0.08);
    effects(made.end, 0.7);
    made.least = made.longest = 1 + random_.index(3);
    if (chance(0.2)) made.longest += 1 + random_.index(2);
    // What holds just while the action runs makes others overlap with it.
    if (chance(0.35)) {
      const Facts envelope = bit(fact());
      task_.initial &= ~envelope;
      made.start.add |= envelope;
      made.start.remove &= ~envelope;
      made.end.add &= ~envelope;
      made.end.when_add &= ~envelope;
      made.end.remove |= envelope;
    }
    return made;
  }

  void add_timed() {
    int time = 0;
    const int count = 1 + random_.index(2);
    for (int i = 0; i < count; ++i) {
      SmallTimed timed;
      time += 1 + random_.index(4);
      timed.time = time;
      (chance(0.5) ? timed.add : timed.remove) |= bit(fact());
      task_.timed.push_back(timed);
    }
  }

  Random& random_;
  SmallTask task_;
  bool numeric_ = false;
};

std::string atoms(Facts facts, const char* form) {
  std::string text;
  for (int f = 0; f < 32; ++f)
    if (facts & bit(f)) text += fmt::format(fmt::runtime(form), fmt::format("(f{})", f));
  return text;
}

std::string condition_text(const SmallCondition& condition) {
  std::string text = atoms(condition.yes, " {}") + atoms(condition.no, " (not {})");
  if (condition.either) text += " (or" + atoms(condition.either, " {}") + ")";
  if (condition.least >= 0) text += fmt::format(" (>= (n) {})", condition.least);
  if (condition.most >= 0) text += fmt::format(" (<= (n) {})", condition.most);
  return text;
}

std::string timed_condition(const SmallCondition& condition, const char* time) {
  const std::string text = condition_text(condition);
  return text.empty() ? "" : fmt::format(" ({} (and{}))", time, text);
}

std::string effect_text(const SmallEvent& event, const std::string& form) {
  const auto in_time = [&](const std::string& effect) {
    return fmt::format(fmt::runtime(form), effect);
  };
  std::string text = atoms(event.add, form.c_str());
  for (int f = 0; f < 32; ++f)
    if (event.remove & bit(f)) text += in_time(fmt::format("(not (f{}))", f));
  if (event.when >= 0)
    text += in_time(fmt::format(
        "(when {} (and{}))",
        fmt::format(fmt::runtime(event.when_true ? "(f{})" : "(not (f{}))"), event.when),
        atoms(event.when_add, " {}")));
  constexpr const char* kWords[] = {"", "increase", "decrease", "assign"};
  if (event.number != SmallEvent::Number::keep)
    text +=
        in_time(fmt::format("({} (n) {})", kWords[static_cast<int>(event.number)], event.amount));
  return text;
}

std::string action_text(const SmallAction& action, std::size_t index) {
  if (!action.durative)
    return fmt::format("(:action a{} :parameters () :precondition (and{}) :effect (and{}))\n",
                       index, condition_text(action.start.condition),
                       effect_text(action.start, " {}"));
  const std::string duration =
      action.least == action.longest
          ? fmt::format("(= ?duration {})", action.least)
          : fmt::format("(and (>= ?duration {}) (<= ?duration {}))", action.least, action.longest);
  return fmt::format(
      "(:durative-action a{} :parameters () :duration {}\n :condition (and{}{}{})\n"
      " :effect (and{}{}))\n",
      index, duration, timed_condition(action.start.condition, "at start"),
      timed_condition(action.throughout, "over all"),
      timed_condition(action.end.condition, "at end"), effect_text(action.start, " (at start {})"),
      effect_text(action.end, " (at end {})"));
}

}  // namespace

SmallTask random_task(Random& random) {
  return Maker(random).make();
}

std::string domain_text(const SmallTask& task) {
  std::string text =
      "(define (domain small)\n(:requirements :durative-actions :adl :fluents"
      " :duration-inequalities :timed-initial-literals)\n(:predicates";
  for (int f = 0; f < task.facts; ++f) text += fmt::format(" (f{})", f);
  text += ")\n(:functions (n))\n";
  for (std::size_t i = 0; i < task.actions.size(); ++i) text += action_text(task.actions[i], i);
  return text + ")\n";
}

std::string problem_text(const SmallTask& task) {
  std::string text = fmt::format("(define (problem p) (:domain small)\n(:init (= (n) {}){}",
                                 task.number, atoms(task.initial, " {}"));
  for (const SmallTimed& timed : task.timed)
    text += atoms(timed.add, fmt::format(" (at {} {{}})", timed.time).c_str()) +
            atoms(timed.remove, fmt::format(" (at {} (not {{}}))", timed.time).c_str());
  return text + fmt::format(")\n(:goal (and{})))\n", condition_text(task.goal));
}

}  // namespace proven::bench
