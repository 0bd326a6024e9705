// Forward search over prefixes: deferred evaluation, preferred steps, several open lists.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "task/landmarks.h"
#include "task/relaxed.h"
#include "task/seen_states.h"
#include "task/symmetry.h"

namespace proven::task {

struct SearchSettings {
  double weight = 0;           // 0: greedy; else f = g + weight * h
  bool metric_costs = false;   // steps cost what the metric says, else 1
  bool eager_modules = false;  // ask modules when successors are made, not when they are expanded
  double best_value = 1e300;   // only plans better than this
};

enum class SearchEnd { found, exhausted, undecided };

struct SearchStats {
  std::int64_t expanded = 0, generated = 0, evaluated = 0, postponed = 0;
  std::vector<NodeId> unreached = {};  // parts of the goal that held in no state
};

struct FoundPlan {
  std::vector<Step> steps;
  std::vector<TimedAction> schedule;
  double value = 0;  // metric, to be minimised
};

// How good a plan is: the metric, or makespan, or the number of actions. Smaller is better.
class PlanValue {
 public:
  explicit PlanValue(const GroundTask& task);

  double of(const Prefix& prefix, int actions) const;
  // No step can make it smaller, so that prefixes may be cut off by it.
  bool is_monotone() const { return monotone_; }
  // No plan has a smaller value; nothing where that is not known. `relaxed` is without compression,
  // no plan ends before `earliest`.
  std::optional<double> bound(const RelaxedTask& relaxed, const State& initial, double earliest,
                              const Budget& budget) const;
  // Cost of each action for guidance: 1 plus its share of the metric relative to the mean.
  std::vector<double> action_costs() const;

 private:
  double evaluate(ExprId expr, const State& state, double makespan) const;
  bool never_shrinks(ExprId expr) const;
  double increase_of(const GroundAction& action) const;
  double least_increase(const GroundAction& action) const;
  double penalty(ExprId violated, const State& state) const;

  const GroundTask& task_;
  bool uses_time_ = false, monotone_ = false;
  mutable ExprId forced_ = -1;  // an expression whose value is tried out
  mutable double forced_value_ = 0;
};

// Lives as long as one call of the planner, whose budget it watches.
class Search {
 public:
  // `stats` are added to.
  Search(const PrefixModel& model, const RelaxedTask& relaxed, const Landmarks& landmarks,
         const PlanValue& value, const Symmetry& symmetry, ModuleOracle* oracle,
         const Budget& budget, const Limits& limits, SearchStats& stats);

  // Throws Stopped.
  SearchEnd run(const SearchSettings& settings, FoundPlan& plan);

 private:
  struct Node {
    int parent = -1;
    Step step;
    int actions = 0;
    double cost = 0;
  };
  struct Entry {
    double key = 0;
    std::uint32_t order = 0;
    int parent = 0;
    Step step;
    bool helpful = false;
    bool operator<(const Entry& other) const {  // for a heap with the least key on top
      return key != other.key ? key > other.key : order > other.order;
    }
  };
  enum class Guide : std::uint8_t { relaxed, landmarks, novelty };
  struct Estimates {
    double relaxed = 0;
    int missing = 0;  // landmarks
    bool novel = false;
    double of(Guide guide) const;
  };
  struct OpenList {
    std::vector<Entry> heap;
    std::int64_t priority = 0;
    double best = 1e300;
    bool preferred = false;
    Guide guide = Guide::relaxed;
  };
  struct Context {
    Prefix prefix;
    Landmarks::Accepted accepted;
    Estimates estimates = {};
  };
  // Facts and variables that modules read before they refused a helpful step: whatever changes one
  // of them may make room. No heuristic knows that, so such steps are preferred.
  struct Suspects {
    std::vector<char> facts, variables;
  };

  bool pop(Entry& entry);
  Context context_of(int node);
  void remember(int node, const Context& context);
  void make_key(const State& state);
  bool is_new(const Prefix& prefix, int actions);
  bool visit(const Entry& entry, Context& context, FoundPlan& plan);
  // Unknown: modules left the goal open.
  Truth is_goal(const Context& context, int node, FoundPlan& plan);
  void expand(int node, Context& context, const Estimates& estimates,
              const std::vector<Step>& helpful);
  enum class Preference : std::uint8_t { none, suspect, helpful };
  void push(int parent, Step step, Preference preference, const Estimates& estimates);
  bool is_novel(const State& state, const Estimates& estimates);
  bool wanted_now(const Prefix& prefix, Step step);
  void blame(int node, Step step);
  bool touches(Step step, const Suspects& suspects) const;
  void report_progress() const;
  bool is_out_of_memory() const;  // or would be if a list grew

  const PrefixModel& model_;
  const RelaxedTask& relaxed_;
  const Landmarks& landmarks_;
  const PlanValue& value_;
  const Symmetry& symmetry_;
  ModuleOracle* oracle_;
  const Budget& budget_;
  Limits limits_;
  Watch watch_;
  RelaxedPlanner planner_;
  SearchSettings settings_;
  SearchStats& stats_;
  std::vector<Node> nodes_;
  std::vector<OpenList> open_;
  std::vector<Entry> postponed_;
  SeenStates closed_;
  std::vector<std::uint64_t> key_;                      // of the state in hand
  std::unordered_set<std::uint64_t> tried_;             // (node, step) that were taken from a list
  std::unordered_map<int, Context> kept_;               // expanded lately
  std::deque<std::pair<int, std::size_t>> kept_order_;  // oldest first, with their sizes
  std::size_t kept_bytes_ = 0;
  std::uint32_t order_ = 0;
  double first_estimate_ = 0, least_estimate_ = 0;
  bool time_matters_ = false;
  bool timeless_ = false;  // states are compared as a whole: all tried is a proof
  std::vector<double> costs_;
  Suspects suspects_;
  // States seen so far by their facts alone. Only the first of each prefers suspect steps: numbers
  // that modules write make every state a new one, and objects could be moved about for ever.
  std::unordered_set<std::size_t> fact_states_;
  std::map<std::pair<double, int>, std::vector<std::uint64_t>> seen_;
};

}  // namespace proven::task
