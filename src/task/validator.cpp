#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "task/failure.h"
#include "task/validator_world.h"

namespace proven::task {
namespace judge {
namespace {

struct PlanStep {
  double start = 0, duration = 0;
  std::string name;
  std::vector<std::string> arguments;
  std::string text;
};

// "t: (name a b) [d]"; the time and the duration may be missing.
std::vector<PlanStep> read_plan(std::string_view text, double separation) {
  std::vector<PlanStep> steps;
  std::size_t begin = 0;
  int line_number = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    begin = end + 1;
    ++line_number;
    line = line.substr(0, line.find(';'));
    const std::size_t open = line.find('('), close = line.find(')');
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto bad = [&](const char* what) {
      return Unreadable{fmt::format("plan: line {}: {}", line_number, what)};
    };
    if (open == std::string::npos || close == std::string::npos || close < open)
      throw bad("expected TIME: (ACTION OBJECT ...) [DURATION]");
    PlanStep step;
    const std::size_t colon = line.find(':');
    step.start = static_cast<double>(steps.size()) * separation;
    if (colon != std::string::npos && colon < open) {
      char* stop = nullptr;
      step.start = std::strtod(line.c_str(), &stop);
      if (stop == line.c_str() || !(step.start >= 0)) throw bad("the time is not a number >= 0");
    }
    std::string word;
    for (std::size_t i = open + 1; i <= close; ++i) {
      const char c = line[i];
      if (i < close && !std::isspace(static_cast<unsigned char>(c))) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (!word.empty()) {
        (step.name.empty() ? step.name : step.arguments.emplace_back()) = word;
        word.clear();
      }
    }
    if (step.name.empty()) throw bad("an action without a name");
    if (const std::size_t bracket = line.find('[', close); bracket != std::string::npos) {
      char* stop = nullptr;
      step.duration = std::strtod(line.c_str() + bracket + 1, &stop);
      if (*stop != ']' || !(step.duration >= 0)) throw bad("the duration is not a number >= 0");
    }
    step.text = line.substr(open, close - open + 1);
    steps.push_back(std::move(step));
  }
  return steps;
}

struct Change {
  enum class Kind { add, remove, assign, add_to, multiply, set } kind = Kind::add;
  std::string target, object;
  double value = 0;
};

// A start, an end or a timed literal.
struct Event {
  double time = 0;
  int step = -1;  // of the plan; -1: timed literal
  bool end = false;
  Tree literal;
};

struct Happened {
  double time = 0;
  std::string name;
  Reads reads;
  std::vector<Change> changes;
};

class Judge {
 public:
  Judge(const World& world, const std::vector<PlanStep>& plan, const ValidationOptions& options,
        const Budget& budget)
      : world_(world),
        plan_(plan),
        options_(options),
        watch_(budget, "judging the plan"),
        evaluator_(world, options.modules, budget) {
    set_initial();
  }

  void run(Validation& result) {
    bind_all();
    std::vector<Event> events = list_events();
    for (std::size_t i = 0; i < events.size();) {
      watch_.look();
      std::size_t n = i;
      while (n < events.size() && events[n].time <= events[i].time + options_.time_tolerance) ++n;
      happen({events.begin() + static_cast<long>(i), events.begin() + static_cast<long>(n)});
      i = n;
    }
    for (const PlanStep& step : plan_)
      result.makespan = std::max(result.makespan, step.start + step.duration);
    Reads reads;
    if (!evaluator_.truth(world_.goal, {}, state_, reads))
      throw Broken{"the goal does not hold at the end"};
    if (!world_.metric.leaf() || !world_.metric.word.empty()) {
      evaluator_.total_time = result.makespan;
      result.metric = evaluator_.number(world_.metric, {}, state_, reads);
    }
    result.valid = true;
  }

 private:
  void set_initial() {
    Reads reads;
    for (const Tree& item : world_.initial.items) {
      if (item.head() == "not") continue;
      if (item.head() != "=") {
        state_.facts.insert(evaluator_.atom(item, {}, state_, reads));
        continue;
      }
      const std::string target = evaluator_.atom(item.items.at(1), {}, state_, reads);
      const std::string& name = item.items[1].leaf() ? item.items[1].word : item.items[1].head();
      if (world_.object_fluents.contains(name))
        state_.values[target] = item.items.at(2).word;
      else
        state_.numbers[target] = std::strtod(item.items.at(2).word.c_str(), nullptr);
    }
  }

  void bind_all() {
    for (const PlanStep& step : plan_) {
      watch_.look();
      const auto found = world_.actions.find(step.name);
      if (found == world_.actions.end()) throw Broken{step.text + ": there is no such action"};
      const ActionScheme& scheme = found->second;
      if (scheme.parameters.size() != step.arguments.size())
        throw Broken{step.text + ": wrong number of arguments"};
      Bindings bindings;
      for (std::size_t i = 0; i < scheme.parameters.size(); ++i) {
        if (!world_.is_of(step.arguments[i], scheme.parameters[i].types))
          throw Broken{step.text + ": '" + step.arguments[i] + "' has the wrong type"};
        bindings[scheme.parameters[i].name] = step.arguments[i];
      }
      schemes_.push_back(&scheme);
      bindings_.push_back(std::move(bindings));
      durations_.push_back(step.duration);
      held_.emplace_back();
      running_.push_back(false);
    }
  }

  std::vector<Event> list_events() const {
    std::vector<Event> events;
    double last = 0;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      events.push_back({plan_[i].start, static_cast<int>(i), false, {}});
      last = std::max(last, plan_[i].start + plan_[i].duration);
      if (schemes_[i]->durative)
        events.push_back({plan_[i].start + plan_[i].duration, static_cast<int>(i), true, {}});
    }
    for (const auto& [time, literal] : world_.timed)
      if (time <= last) events.push_back({time, -1, false, literal});
    std::stable_sort(events.begin(), events.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    return events;
  }

  // Calls visit(time, formula, bindings) for every timed part of a durative condition.
  template <class Visit>
  void timed_parts(const Tree& condition, Bindings& bindings, const Visit& visit) {
    const std::string& word = condition.head();
    if (word == "and") {
      for (std::size_t i = 1; i < condition.items.size(); ++i)
        timed_parts(condition.items[i], bindings, visit);
    } else if (word == "forall") {
      evaluator_.for_each(read_variables(condition.items.at(1).items, 0), 0, bindings,
                          [&] { timed_parts(condition.items.at(2), bindings, visit); });
    } else if (condition.items.size() == 3) {
      visit(condition.items[0].word + " " + condition.items[1].word, condition.items[2]);
    }
  }

  bool condition_holds(std::size_t step, const std::string& when, Reads& reads) {
    const ActionScheme& scheme = *schemes_[step];
    Bindings bindings = bindings_[step];
    if (!scheme.durative)
      return when != "at start" || evaluator_.truth(scheme.condition, bindings, state_, reads);
    bool all = true;
    timed_parts(scheme.condition, bindings, [&](const std::string& time, const Tree& formula) {
      if (time == when && !evaluator_.truth(formula, bindings, state_, reads)) all = false;
    });
    return all;
  }

  void check_duration(std::size_t step, const Tree& bound, Reads& reads) {
    const std::string& word = bound.head();
    if (word == "and") {
      for (std::size_t i = 1; i < bound.items.size(); ++i)
        check_duration(step, bound.items[i], reads);
    } else if (word == "at") {
      check_duration(step, bound.items.at(2), reads);
    } else if (!word.empty()) {
      const double value = evaluator_.number(bound.items.at(2), bindings_[step], state_, reads);
      double& duration = durations_[step];
      const double slack = options_.time_tolerance + 1e-9 * std::abs(value);
      const bool fits = word == "="    ? std::abs(duration - value) <= slack
                        : word == "<=" ? duration <= value + slack
                        : word == ">=" ? duration >= value - slack
                        : word == "<"  ? duration < value
                                       : duration > value;
      if (!fits)
        throw Broken{
            fmt::format("{}: duration {} is not {} {}", plan_[step].text, duration, word, value)};
      if (word == "=") duration = value;  // what was lost in writing
    }
  }

  void collect(std::size_t step, const Tree& effect, bool timed, bool now, bool at_end,
               const Bindings& bindings, Happened& event) {
    const std::string& word = effect.head();
    if (effect.leaf() || effect.items.empty()) return;
    const bool time_word = !timed && effect.items.size() == 3 && word == "at" &&
                           effect.items[1].leaf() && !effect.items[2].leaf();
    if (time_word) {
      const bool mine = (effect.items[1].word == "end") == at_end;
      if (mine) collect(step, effect.items[2], true, true, at_end, bindings, event);
      return;
    }
    if (word == "and") {
      for (std::size_t i = 1; i < effect.items.size(); ++i)
        collect(step, effect.items[i], timed, now, at_end, bindings, event);
    } else if (word == "forall") {
      Bindings inner = bindings;
      evaluator_.for_each(read_variables(effect.items.at(1).items, 0), 0, inner, [&] {
        collect(step, effect.items.at(2), timed, now, at_end, inner, event);
      });
    } else if (word == "when") {
      // A condition of nothing is not read.
      const Tree& then = effect.items.at(2);
      if (then.head() == "and" && then.items.size() == 1) return;
      if (when_holds(step, effect.items.at(1), timed, at_end, bindings, event))
        collect(step, effect.items.at(2), timed, now, at_end, bindings, event);
    } else if (now) {
      elementary(effect, bindings, event);
    }
  }

  // Start parts of the condition of an end effect are judged at the start and remembered.
  bool when_holds(std::size_t step, const Tree& condition, bool timed, bool at_end,
                  const Bindings& bindings, Happened& event) {
    if (timed) return evaluator_.truth(condition, bindings, state_, event.reads);
    bool all = true;
    Bindings inner = bindings;
    timed_parts(condition, inner, [&](const std::string& time, const Tree& formula) {
      std::string key = fmt::format("{}:{}", formula.line, static_cast<const void*>(&formula));
      for (const auto& [name, value] : inner) key += " " + name + value;
      if (time == "at start" && !at_end) {
        const bool truth = evaluator_.truth(formula, inner, state_, event.reads);
        held_[step][key] = truth;
        all = all && truth;
      } else if (time == "at start") {
        all = all && held_[step][key];
      } else if (at_end) {
        all = all && evaluator_.truth(formula, inner, state_, event.reads);
      }
    });
    return all;
  }

  void elementary(const Tree& effect, const Bindings& bindings, Happened& event) {
    const std::string& word = effect.head();
    const Tree* call = effect.bracket == '[' ? &effect : nullptr;
    if (effect.items.size() == 1 && effect.items[0].bracket == '[') call = &effect.items[0];
    if (call) return module_effect(*call, bindings, event);
    Change change;
    if (word == "not") {
      change.kind = Change::Kind::remove;
      change.target = evaluator_.atom(effect.items.at(1), bindings, state_, event.reads);
    } else if (word == "assign" || word == "increase" || word == "decrease" || word == "scale-up" ||
               word == "scale-down") {
      const Tree& target = effect.items.at(1);
      change.target = evaluator_.atom(target, bindings, state_, event.reads);
      if (world_.object_fluents.contains(target.leaf() ? target.word : target.head())) {
        change.kind = Change::Kind::set;
        change.object = evaluator_.object(effect.items.at(2), bindings, state_, event.reads);
      } else {
        const double value = evaluator_.number(effect.items.at(2), bindings, state_, event.reads);
        if (std::isnan(value)) throw Broken{event.name + ": an effect has no defined value"};
        change.kind = word == "assign"                           ? Change::Kind::assign
                      : word == "increase" || word == "decrease" ? Change::Kind::add_to
                                                                 : Change::Kind::multiply;
        change.value = word == "decrease" ? -value : word == "scale-down" ? 1 / value : value;
      }
    } else {
      change.target = evaluator_.atom(effect, bindings, state_, event.reads);
    }
    event.changes.push_back(std::move(change));
  }

  void module_effect(const Tree& call, const Bindings& bindings, Happened& event) {
    const std::string text = evaluator_.atom(call, bindings, state_, event.reads);
    const auto values = evaluator_.module_effect(text, state_);
    const Module& module = world_.modules.at(call.head());
    Bindings inner;
    for (std::size_t i = 0; i < module.parameters.size(); ++i)
      inner[module.parameters[i].name] =
          evaluator_.object(call.items.at(i + 1), bindings, state_, event.reads);
    for (std::size_t i = 0; i < values.size() && i < module.written.size(); ++i) {
      Change change;
      change.kind = Change::Kind::assign;
      change.target = evaluator_.atom(module.written[i], inner, state_, event.reads);
      change.value = values[i];
      event.changes.push_back(std::move(change));
    }
  }

  void happen(const std::vector<Event>& events) {
    std::vector<Happened> happened;
    std::set<std::size_t> starting;
    for (const Event& event : events) {
      Happened one;
      one.time = event.time;
      if (event.step < 0) {
        one.name = "a timed literal";
        elementary_timed(event.literal, one);
      } else {
        judge_event(event, one);
        if (!event.end) starting.insert(static_cast<std::size_t>(event.step));
      }
      happened.push_back(std::move(one));
    }
    check_interference(happened);
    apply(happened);
    for (const std::size_t step : starting)
      if (schemes_[step]->durative) running_[step] = true;
    // After the starts: what takes no time never runs.
    for (const Event& event : events)
      if (event.step >= 0 && event.end) running_[static_cast<std::size_t>(event.step)] = false;
    check_invariants(events[0].time);
    for (Happened& one : happened) past_.push_back(std::move(one));
  }

  void elementary_timed(const Tree& literal, Happened& event) {
    if (literal.head() != "=") return elementary(literal, {}, event);
    Change change;
    change.kind = Change::Kind::assign;
    change.target = evaluator_.atom(literal.items.at(1), {}, state_, event.reads);
    change.value = evaluator_.number(literal.items.at(2), {}, state_, event.reads);
    event.changes.push_back(std::move(change));
  }

  void judge_event(const Event& event, Happened& one) {
    const auto step = static_cast<std::size_t>(event.step);
    evaluator_.time = event.time;
    one.name = fmt::format("{} {} at {:.6f}", event.end ? "end of" : "start of", plan_[step].text,
                           event.time);
    if (!condition_holds(step, event.end ? "at end" : "at start", one.reads))
      throw Broken{one.name + ": its condition does not hold"};
    if (!event.end && schemes_[step]->durative)
      check_duration(step, schemes_[step]->duration, one.reads);
    evaluator_.duration = durations_[step];
    collect(step, schemes_[step]->effect, !schemes_[step]->durative, !schemes_[step]->durative,
            event.end, bindings_[step], one);
  }

  static bool interferes(const Happened& a, const Happened& b) {
    const auto one_way = [](const Happened& x, const Happened& y) {
      return std::any_of(y.changes.begin(), y.changes.end(),
                         [&](const Change& change) { return x.reads.contains(change.target); });
    };
    if (one_way(a, b) || one_way(b, a)) return true;
    for (const Change& x : a.changes)
      for (const Change& y : b.changes) {
        if (x.target != y.target) continue;
        const bool same_fact =
            x.kind == y.kind && (x.kind == Change::Kind::add || x.kind == Change::Kind::remove);
        if (!same_fact && !(x.kind == Change::Kind::add_to && y.kind == Change::Kind::add_to))
          return true;
      }
    return false;
  }

  void check_interference(const std::vector<Happened>& happened) const {
    for (std::size_t i = 0; i < happened.size(); ++i) {
      watch_.look();
      for (std::size_t k = 0; k < i; ++k)
        if (interferes(happened[i], happened[k]))
          throw Broken{happened[i].name + " interferes with " + happened[k].name};
      for (auto it = past_.rbegin(); it != past_.rend(); ++it) {
        const double apart = happened[i].time - it->time;
        if (apart >= options_.separation - options_.time_tolerance) break;
        if (interferes(happened[i], *it))
          throw Broken{fmt::format("{} comes {:.6f} after {}, with which it interferes",
                                   happened[i].name, apart, it->name)};
      }
    }
  }

  void apply(const std::vector<Happened>& happened) {
    const auto each = [&](auto&& visit) {
      for (const Happened& one : happened)
        for (const Change& change : one.changes) visit(change);
    };
    each([&](const Change& c) {
      if (c.kind == Change::Kind::remove) state_.facts.erase(c.target);
    });
    each([&](const Change& c) {
      if (c.kind == Change::Kind::add) state_.facts.insert(c.target);
      if (c.kind == Change::Kind::set) state_.values[c.target] = c.object;
      if (c.kind == Change::Kind::assign) state_.numbers[c.target] = c.value;
      if (c.kind != Change::Kind::add_to && c.kind != Change::Kind::multiply) return;
      const auto found = state_.numbers.find(c.target);
      if (found == state_.numbers.end()) throw Broken{"'" + c.target + "' has no value to change"};
      found->second =
          c.kind == Change::Kind::add_to ? found->second + c.value : found->second * c.value;
    });
  }

  void check_invariants(double time) {
    for (std::size_t step = 0; step < plan_.size(); ++step) {
      Reads reads;
      if (running_[step] && !condition_holds(step, "over all", reads))
        throw Broken{
            fmt::format("{}: its over-all condition fails after {:.6f}", plan_[step].text, time)};
    }
  }

  const World& world_;
  const std::vector<PlanStep>& plan_;
  const ValidationOptions& options_;
  Watch watch_;
  Evaluator evaluator_;
  WorldState state_;
  std::vector<const ActionScheme*> schemes_;
  std::vector<Bindings> bindings_;
  std::vector<double> durations_;
  std::vector<std::map<std::string, bool>> held_;
  std::vector<bool> running_;
  std::vector<Happened> past_;
};

}  // namespace
}  // namespace judge

Result<Validation> validate_plan(std::string_view domain, std::string_view problem,
                                 std::string_view plan, const ValidationOptions& options,
                                 const Budget& budget) {
  Validation result;
  try {
    const judge::World world = judge::read_world(domain, problem);
    const auto steps = judge::read_plan(plan, options.separation);
    result.actions = static_cast<int>(steps.size());
    judge::Judge(world, steps, options, budget).run(result);
  } catch (const judge::Broken& broken) {
    result.valid = false;
    result.reason = broken.message;
  } catch (const judge::Unreadable& unreadable) {
    return bad_input(unreadable.message);
  } catch (const Failure& failure) {  // of a module
    return failure.error();
  } catch (const Stopped& stopped) {
    return stopped.error();
  } catch (const std::out_of_range&) {
    return bad_input("the domain or the problem is incomplete: a list is too short");
  }
  return result;
}

}  // namespace proven::task
