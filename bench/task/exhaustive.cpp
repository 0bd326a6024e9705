#include "bench/task/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace proven::bench {
namespace {

// Time in whole numbers. A cycle of constraints is a sum of durations, separations and strict
// orders; with fewer than 64 of each, none of them makes up for a greater one.
using Time = std::int64_t;
constexpr Time kStrict = 1, kSeparation = 64, kUnit = Time{1} << 20;
constexpr Time kUnbounded = Time{1} << 50;
constexpr int kMostHappenings = 24;

struct World {
  Facts facts = 0;
  int number = 0;
};

bool holds(const SmallCondition& c, const World& world) {
  return (world.facts & c.yes) == c.yes && (world.facts & c.no) == 0 &&
         (c.either == 0 || (world.facts & c.either) != 0) &&
         (c.least < 0 || world.number >= c.least) && (c.most < 0 || world.number <= c.most);
}

// What an event reads and does, given the state before it.
struct Footprint {
  Facts reads = 0, adds = 0, removes = 0;
  bool reads_number = false;
  SmallEvent::Number change = SmallEvent::Number::keep;
  int amount = 0;
};

Footprint footprint(const SmallEvent& event, const World& before) {
  Footprint f;
  const SmallCondition& c = event.condition;
  f.reads = c.yes | c.no | c.either;
  f.reads_number = c.least >= 0 || c.most >= 0;
  f.adds = event.add;
  f.removes = event.remove & ~event.add;
  if (event.when >= 0 && event.when_add != 0) {  // a condition of nothing is not read
    const Facts asked = Facts{1} << event.when;
    f.reads |= asked;
    if (((before.facts & asked) != 0) == event.when_true) f.adds |= event.when_add;
    f.removes &= ~f.adds;
  }
  f.change = event.number;
  f.amount = event.amount;
  return f;
}

bool interfere(const Footprint& a, const Footprint& b) {
  using Number = SmallEvent::Number;
  if ((a.reads & (b.adds | b.removes)) || (b.reads & (a.adds | a.removes))) return true;
  if ((a.adds & b.removes) || (b.adds & a.removes)) return true;
  const bool a_writes = a.change != Number::keep, b_writes = b.change != Number::keep;
  if ((a.reads_number && b_writes) || (b.reads_number && a_writes)) return true;
  const auto adds_up = [](const Footprint& f) { return f.change != Number::assign; };
  return a_writes && b_writes && !(adds_up(a) && adds_up(b));
}

void take_effect(const std::vector<Footprint>& happening, World& world) {
  using Number = SmallEvent::Number;
  for (const Footprint& f : happening) world.facts &= ~f.removes;
  for (const Footprint& f : happening) {
    world.facts |= f.adds;
    if (f.change == Number::increase) world.number += f.amount;
    if (f.change == Number::decrease) world.number -= f.amount;
    if (f.change == Number::assign) world.number = f.amount;
  }
}

// The times of happenings: all differences bounded as tightly as the constraints say.
class Times {
 public:
  Times() {
    for (auto& row : most_) row.fill(kUnbounded);
    for (std::size_t i = 0; i < kMostHappenings; ++i) most_[i][i] = 0;
  }

  int add() { return count_++; }
  // time(b) - time(a) <= most. False: there are no such times.
  bool bound(int a, int b, Time most) {
    const auto from = static_cast<std::size_t>(a), to = static_cast<std::size_t>(b);
    if (most >= most_[from][to]) return true;
    if (most + most_[to][from] < 0) return false;
    const auto n = static_cast<std::size_t>(count_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        most_[i][k] = std::min(most_[i][k], most_[i][from] + most + most_[to][k]);
    return true;
  }
  bool apart(int earlier, int later, Time least) { return bound(later, earlier, -least); }
  Time earliest(int happening) const { return -most_[static_cast<std::size_t>(happening)][0]; }

 private:
  int count_ = 1;  // the first stands for time 0
  std::array<std::array<Time, kMostHappenings>, kMostHappenings> most_;
};

struct Going {
  int action = 0, start = 0;  // its happening
};

struct Past {
  int happening = 0;
  Footprint footprint;
};

struct Node {
  World world;
  Times times;
  std::vector<Going> going;
  std::vector<Past> past;
  std::vector<std::array<int, 3>> ended;  // action, happenings of start and end
  std::size_t next_timed = 0;
  int last = 0, started = 0;
  bool may_stop = true;  // plans end with a start or an end, not with a timed literal
};

struct Candidate {
  enum class Kind { start, end, timed } kind = Kind::start;
  int index = 0;  // action, or place in `going`
  Footprint footprint;
};

class Searcher {
 public:
  Searcher(const SmallTask& task, int most_actions, std::int64_t most_nodes, Exhaustive& out)
      : task_(task), most_actions_(most_actions), most_nodes_(most_nodes), out_(out) {}

  void run() {
    Node root;
    root.world = {task_.initial, task_.number};
    visit(root);
  }

 private:
  const SmallAction& action(int index) const {
    return task_.actions[static_cast<std::size_t>(index)];
  }

  void visit(const Node& node) {
    if (++out_.nodes > most_nodes_) out_.complete = false;
    if (out_.plan || !out_.complete) return;
    if (node.may_stop && node.going.empty() && holds(task_.goal, node.world)) return keep(node);
    if (!can_still_end(node)) return;
    std::vector<Candidate> candidates;
    if (node.next_timed < task_.timed.size()) {
      const SmallTimed& timed = task_.timed[node.next_timed];
      candidates.push_back({Candidate::Kind::timed, 0, {0, timed.add, timed.remove}});
    }
    for (std::size_t i = 0; i < node.going.size(); ++i) {
      const SmallEvent& end = action(node.going[i].action).end;
      if (holds(end.condition, node.world))
        candidates.push_back(
            {Candidate::Kind::end, static_cast<int>(i), footprint(end, node.world)});
    }
    for (std::size_t a = 0; a < task_.actions.size(); ++a)
      if (holds(task_.actions[a].start.condition, node.world))
        candidates.push_back({Candidate::Kind::start, static_cast<int>(a),
                              footprint(task_.actions[a].start, node.world)});
    std::vector<const Candidate*> chosen;
    choose(node, candidates, 0, chosen);
  }

  // Goals that neither the rest of what was begun nor timed literals bring need one more action.
  bool can_still_end(const Node& node) const {
    if (node.started < most_actions_) return true;
    Facts adds = node.world.facts, removes = ~node.world.facts;
    bool number = task_.goal.least < 0 && task_.goal.most < 0;
    for (const Going& going : node.going) {
      const SmallEvent& end = action(going.action).end;
      adds |= end.add | end.when_add;
      removes |= end.remove;
      number = number || end.number != SmallEvent::Number::keep;
    }
    for (std::size_t k = node.next_timed; k < task_.timed.size(); ++k) {
      adds |= task_.timed[k].add;
      removes |= task_.timed[k].remove;
    }
    return (task_.goal.yes & ~adds) == 0 && (task_.goal.no & ~removes) == 0 &&
           (number || holds({0, 0, 0, task_.goal.least, task_.goal.most}, node.world));
  }

  void choose(const Node& node, const std::vector<Candidate>& candidates, std::size_t next,
              std::vector<const Candidate*>& chosen) {
    if (out_.plan || !out_.complete) return;
    if (next == candidates.size()) {
      if (!chosen.empty()) happen(node, chosen);
      return;
    }
    choose(node, candidates, next + 1, chosen);
    const Candidate& candidate = candidates[next];
    for (const Candidate* other : chosen)
      if (interfere(candidate.footprint, other->footprint)) return;
    chosen.push_back(&candidate);
    choose(node, candidates, next + 1, chosen);
    chosen.pop_back();
  }

  void happen(const Node& before, const std::vector<const Candidate*>& chosen) {
    Node node = before;
    const int now = node.times.add();
    if (now + 1 >= kMostHappenings) {
      out_.complete = false;
      return;
    }
    if (!node.times.apart(before.last, now, before.last == 0 ? 0 : kStrict)) return;
    std::vector<Footprint> footprints;
    std::vector<char> ends(before.going.size());
    node.going.clear();
    node.may_stop = std::any_of(chosen.begin(), chosen.end(), [](const Candidate* candidate) {
      return candidate->kind != Candidate::Kind::timed;
    });
    for (const Candidate* candidate : chosen) {
      footprints.push_back(candidate->footprint);
      if (candidate->kind == Candidate::Kind::timed) {
        const Time time = task_.timed[node.next_timed++].time * kUnit;
        if (!node.times.apart(0, now, time) || !node.times.bound(0, now, time)) return;
      } else if (candidate->kind == Candidate::Kind::end) {
        ends[static_cast<std::size_t>(candidate->index)] = 1;
        const Going& going = before.going[static_cast<std::size_t>(candidate->index)];
        const SmallAction& ended = action(going.action);
        if (!node.times.apart(going.start, now, ended.least * kUnit) ||
            !node.times.bound(going.start, now, ended.longest * kUnit))
          return;
        node.ended.push_back({going.action, going.start, now});
      } else {
        if (++node.started > most_actions_) return;
        if (action(candidate->index).durative)
          node.going.push_back({candidate->index, now});
        else
          node.ended.push_back({candidate->index, now, now});
      }
    }
    for (std::size_t i = 0; i < before.going.size(); ++i) {
      if (ends[i]) continue;
      node.going.push_back(before.going[i]);
      if (!node.times.bound(before.going[i].start, now,
                            action(before.going[i].action).longest * kUnit - kStrict))
        return;
    }
    if (node.next_timed < task_.timed.size() &&
        !node.times.bound(0, now, task_.timed[node.next_timed].time * kUnit - kStrict))
      return;
    for (const Past& past : before.past)
      for (const Footprint& footprint : footprints)
        if (interfere(past.footprint, footprint) &&
            !node.times.apart(past.happening, now, kSeparation))
          return;
    take_effect(footprints, node.world);
    for (const Going& going : node.going)
      if (!holds(action(going.action).throughout, node.world)) return;
    for (const Footprint& footprint : footprints) node.past.push_back({now, footprint});
    node.last = now;
    visit(node);
  }

  void keep(const Node& node) {
    out_.plan.emplace();
    const auto seconds = [&](int happening) {
      return static_cast<double>(node.times.earliest(happening)) / static_cast<double>(kUnit);
    };
    for (const auto& [index, start, end] : node.ended)
      out_.plan->push_back({index, seconds(start), seconds(end) - seconds(start)});
  }

  const SmallTask& task_;
  int most_actions_;
  std::int64_t most_nodes_;
  Exhaustive& out_;
};

struct PlanEvent {
  std::int64_t time = 0;  // microseconds
  int step = -1;          // -1: a timed literal
  bool end = false;
  Facts add = 0, remove = 0;
};

std::int64_t microseconds(double seconds) {
  return std::llround(seconds * 1e6);
}

}  // namespace

Exhaustive search_all(const SmallTask& task, int most_actions, std::int64_t most_nodes) {
  Exhaustive out;
  for (int n = 0; n <= most_actions && !out.plan && out.complete; ++n)
    Searcher(task, n, most_nodes, out).run();
  return out;
}

std::string refute(const SmallTask& task, const SmallPlan& plan, double separation) {
  std::map<std::int64_t, std::vector<PlanEvent>> happenings;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const SmallAction& action = task.actions[static_cast<std::size_t>(plan[i].action)];
    const std::int64_t start = microseconds(plan[i].start);
    const std::int64_t end = microseconds(plan[i].start + plan[i].duration);
    happenings[start].push_back({start, static_cast<int>(i), false});
    if (action.durative) {
      if (plan[i].duration < action.least - 1e-9 || plan[i].duration > action.longest + 1e-9)
        return fmt::format("a{} takes {}", plan[i].action, plan[i].duration);
      happenings[end].push_back({end, static_cast<int>(i), true});
    }
    last = std::max(last, end);
  }
  for (const SmallTimed& timed : task.timed)
    if (const std::int64_t time = microseconds(timed.time); time <= last)
      happenings[time].push_back({time, -1, false, timed.add, timed.remove});
  World world{task.initial, task.number};
  std::vector<char> going(plan.size());
  std::vector<std::pair<std::int64_t, Footprint>> past;
  for (const auto& [time, events] : happenings) {
    std::vector<Footprint> footprints;
    for (const PlanEvent& event : events) {
      if (event.step < 0) {
        footprints.push_back({0, event.add, event.remove});
        continue;
      }
      const auto step = static_cast<std::size_t>(event.step);
      const SmallAction& action = task.actions[static_cast<std::size_t>(plan[step].action)];
      const SmallEvent& what = event.end ? action.end : action.start;
      if (!holds(what.condition, world))
        return fmt::format("a{} at {} us: its condition does not hold", plan[step].action, time);
      footprints.push_back(footprint(what, world));
      going[step] = action.durative && !event.end;
    }
    for (std::size_t i = 0; i < footprints.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k)
        if (interfere(footprints[i], footprints[k]))
          return fmt::format("events at {} us interfere", time);
      for (const auto& [before, footprint] : past)
        if (interfere(footprints[i], footprint) && time - before < microseconds(separation) - 2)
          return fmt::format("events at {} and {} us interfere", before, time);
    }
    take_effect(footprints, world);
    for (std::size_t i = 0; i < plan.size(); ++i)
      if (going[i] &&
          !holds(task.actions[static_cast<std::size_t>(plan[i].action)].throughout, world))
        return fmt::format("a{}: its over-all condition fails at {} us", plan[i].action, time);
    for (const Footprint& footprint : footprints) past.emplace_back(time, footprint);
  }
  return holds(task.goal, world) ? "" : "the goal does not hold at the end";
}

}  // namespace proven::bench
