// A planning task without variables: facts, numbers, actions as start and end events.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "proven/base/budget.h"
#include "task/formula_pool.h"
#include "task/limits.h"

namespace proven::task {

struct GroundEffect {
  enum class Kind : std::uint8_t {
    add,
    remove,
    assign,
    increase,
    decrease,
    scale_up,
    scale_down,
    call
  } kind = Kind::add;
  int index = 0;  // fact, variable or module call
  ExprId value = 0;
  NodeId condition = FormulaPool::kYes;        // tested when the effect happens
  NodeId start_condition = FormulaPool::kYes;  // end effects: tested at the start
};

struct GroundEvent {
  NodeId condition = FormulaPool::kYes;
  std::vector<GroundEffect> effects;
};

struct GroundAction {
  int schema = 0;
  std::vector<int> arguments;  // objects
  bool durative = false;
  // No other event ever needs to come between start and end: search may apply both at once.
  bool compressed = false;
  // Its over-all condition may wait for another start that waits for this one: see compression.h.
  bool circle = false;
  GroundEvent start, end;
  NodeId invariant = FormulaPool::kYes;
  std::vector<std::pair<Comparison, ExprId>> duration;
};

struct TimedEvent {
  double time = 0;
  std::vector<GroundEffect> effects;
};

// A derived fact that cannot be replaced by its body because it depends on itself.
struct Axiom {
  int fact = 0;
  NodeId body = FormulaPool::kNo;
  int stratum = 0;
};

struct GroundCall {
  int module = 0;
  std::vector<int> arguments;
  std::vector<int> written;  // variables, in the order of the declaration
};

// What modules may ask for: an atom and its place in the state.
struct GroundAtom {
  int predicate = 0;
  std::vector<int> arguments;
  int fact = -1;       // -1: never changes
  bool truth = false;  // then this
};

struct GroundNumber {
  int fluent = 0;
  std::vector<int> arguments;
  int variable = -1;  // -1: never changes
  double value = 0;   // then this
};

struct GroundTask {
  const Domain* domain = nullptr;
  const Problem* problem = nullptr;
  std::vector<std::string> objects;
  std::vector<std::string> object_types;  // the first declared type of each

  FormulaPool pool;
  int fact_count = 0;  // plain facts first, then derived ones
  std::vector<std::string> fact_names;
  std::vector<bool> initial_facts;
  std::vector<std::string> variable_names;
  std::vector<double> initial_values;
  // Variables that some condition, duration, effect or module may read. The others only serve the
  // metric: states that differ in them alone have the same future.
  std::vector<int> observed;
  std::vector<Axiom> axioms;  // by stratum
  std::vector<GroundAction> actions;
  std::vector<TimedEvent> timed;  // by time
  std::vector<GroundCall> calls;
  std::vector<GroundAtom> atoms;
  std::vector<GroundNumber> numbers;
  NodeId goal = FormulaPool::kYes;
  std::string impossible_goal;  // a part of the goal that can never hold, with its place
  bool has_metric = false, minimize = true;
  ExprId metric = 0;
  std::vector<ExprId> violations;  // of the problem's preferences
  // Actions of schemas from here on are steps of preferences.h: no part of the plan.
  int first_step = std::numeric_limits<int>::max();

  std::string action_name(int action) const;  // "(name object ...)"
  std::string text(NodeId node) const;        // as PDDL; long ones are cut
  // Without durations and timed events equal states are equal in every respect.
  bool is_timeless() const;
  bool metric_mentions_time() const;
  // Comparisons were decided without rounding, as far as they were.
  bool is_exact() const;
  // Some module's answer is an effect: a choice among many that it did not offer.
  bool has_module_effects() const;
};

// Throws Failure on too many actions or unsupported constructs, and Stopped. Domain and problem
// must outlive the result.
GroundTask ground(const Domain& domain, const Problem& problem, const Budget& budget,
                  const Limits& limits = {});

}  // namespace proven::task
