// The task without deletions: reachability costs, the FF heuristic and its helpful steps.
//
// Propositions are facts, negations of facts, comparisons, running actions, pending timed events
// and disjunctions; rules make propositions true. A comparison that fails by some deficit costs as
// many applications of a rule as its effect, measured in the present state, needs to cover the
// deficit. An effect whose size depends on other numbers counts as able to do it at once, so that
// infinity is answered only where the goal is truly out of reach of the relaxation. Module calls
// count as true.
#pragma once

#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "task/prefix.h"

namespace proven::task {

// Times in the relaxation are sums of at most some million durations, each rounded: what is late by
// less is not late.
inline double rounding_bound(double time) {
  return 1e-8 * (1 + time);
}

struct RelaxedEffect {
  int variable = 0;
  GroundEffect::Kind kind = GroundEffect::Kind::assign;  // call: any value
  ExprId value = 0;
  bool constant = false;  // its size is the same in every state
};

struct Rule {
  Step step;
  bool silent = false;  // not a step: disjunctions, derived facts
  std::vector<int> conditions, adds;
  std::vector<RelaxedEffect> effects;
  std::vector<int> comparisons;  // that the effects may make true
  double duration = 0;           // of what happens until the adds; 0 where it varies
  int begun = -1;                // the proposition from which on that lasts; -1: all conditions
};

class RelaxedTask {
 public:
  RelaxedTask(const GroundTask& task, bool split_all, const Watch& watch);

  const GroundTask& task() const { return task_; }
  int proposition_count() const { return static_cast<int>(kinds_.size()); }
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<int>& goals() const { return goals_; }
  // Rules by the propositions they need.
  const std::vector<int>& needed_by(int proposition) const {
    return needed_by_[static_cast<std::size_t>(proposition)];
  }
  bool holds(int proposition, const State& state) const;
  std::string text(int proposition) const;  // for people
  bool is_fact(int proposition) const {
    return kinds_[static_cast<std::size_t>(proposition)].kind == Kind::fact;
  }
  // Does the action provide a fact just while it runs?
  bool is_envelope(int action) const;
  double duration(int action) const;  // the least, where it is a constant
  // How often the rule must be applied for the comparison to hold; infinity: never helps.
  double repetitions(const Rule& rule, int comparison, const State& state) const;

 private:
  enum class Kind : std::uint8_t {
    fact,
    not_fact,
    comparison,
    running,
    pending,
    formula,
    envelope
  };
  struct Proposition {
    Kind kind = Kind::fact;
    int index = 0;  // fact, node, action or timed event
  };

  // A fact that is to hold without a break, and the envelopes that are long enough for it.
  struct Stretch {
    int fact = 0;
    std::vector<int> fitting;
    bool operator==(const Stretch&) const = default;
  };

  bool holds(const Stretch& stretch, const State& state) const;
  int proposition(Kind kind, int index);
  void add_conditions(NodeId node, std::vector<int>& out);
  int formula(NodeId node);
  // What an event writes, conditional or not.
  struct Written {
    std::vector<int> added, removed, numbers;
    bool anything = false;
  };

  Written written_by(const std::vector<GroundEffect>& effects) const;
  bool may_change(NodeId node, const Written& written) const;
  bool may_change_expr(ExprId expr, const Written& written) const;
  bool start_provides(const GroundAction& action) const;
  void add_action(int index, bool split_all);
  void add_part(int index, Step step, const std::vector<NodeId>& conditions,
                const std::vector<const std::vector<GroundEffect>*>& effects, int extra_add,
                int extra_condition, const Written& own);
  void add_effect(const GroundEffect& effect, Rule& rule);
  void find_envelopes(bool split_all);
  int within(int fact, double duration);
  void add_stretches();
  void link_comparisons(const Watch& watch);
  double change(const RelaxedEffect& effect, NodeId comparison, const State& state) const;

  const GroundTask& task_;
  std::vector<Proposition> kinds_;
  std::unordered_map<int, int> ids_[7];
  std::vector<char> negation_used_, is_derived_;
  // Facts that hold only between start and end of certain actions: those actions.
  std::vector<std::vector<int>> envelopes_;
  std::vector<Stretch> stretches_;
  std::vector<Rule> rules_;
  std::vector<int> goals_;
  std::vector<std::vector<int>> needed_by_;
};

class RelaxedPlanner {
 public:
  RelaxedPlanner(const RelaxedTask& relaxed, Watch& watch);

  static constexpr double kDeadEnd = std::numeric_limits<double>::infinity();

  // Costs of steps; 1 each until set. Indexed by action.
  void set_costs(std::vector<double> costs) { costs_ = std::move(costs); }

  struct Estimate {
    double value = 0;           // cost of a relaxed plan
    std::vector<Step> helpful;  // its steps whose conditions hold now
  };
  // `prefix` gives earliest times; rules that would come after a deadline are not used.
  Estimate estimate(const Prefix& prefix);
  // No plan that goes on from here ends earlier.
  double earliest_end(const Prefix& prefix);
  // After a dead end: a goal that is out of reach, and what it would need, in words.
  std::string unreached() const;

 private:
  void find_discounts();
  void find_times(const Prefix& prefix);
  void explore(const State& state);
  void reach(int proposition, double cost, int rule);
  void fire(int rule, const State& state);
  void extract(const State& state, Estimate& estimate);
  double cost_of(const Rule& rule) const;

  const RelaxedTask& relaxed_;
  Watch& watch_;
  bool timed_ = false;
  std::vector<double> costs_, discount_;
  std::vector<double> deadline_;  // of facts that timed events end
  std::vector<double> cost_, rule_cost_, time_;
  std::vector<int> supporter_, missing_;
  std::vector<char> late_;
  std::vector<std::pair<double, int>> queue_;
};

}  // namespace proven::task
