// An independent judge of plans: reads the PDDL files itself, keeps formulas as they are written
// and steps through the plan one happening after the other. It shares no code with the planner.
//
// Semantics of PDDL 2.1 with timed initial literals and derived predicates: effects of events at
// the same time are applied together and must not interfere; events that interfere at different
// times are at least `separation` apart; over-all conditions hold in the state after every
// happening from the start of the action up to, and not including, its end.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/result.h"

namespace proven::task {

// Answers for module calls, given the state in words.
class ValidationModules {
 public:
  struct World {
    std::vector<std::string> true_facts;    // "predicate object ..."
    std::map<std::string, double> numbers;  // "fluent object ..."
    double time = 0;                        // of the happening
  };
  virtual ~ValidationModules() = default;
  // `call` is "module object ...". No value: the module did not decide.
  virtual std::optional<bool> condition(const std::string& call, const World& world,
                                        const Budget& budget) = 0;
  virtual std::optional<double> cost(const std::string& call, const World& world,
                                     const Budget& budget) = 0;
  virtual std::optional<std::vector<double>> effect(const std::string& call, const World& world,
                                                    const Budget& budget) = 0;
};

struct ValidationOptions {
  double separation = 0.001;
  double time_tolerance = 2e-6;  // plans are written with six decimals
  ValidationModules* modules = nullptr;
};

struct Validation {
  bool valid = false;
  std::string reason;  // of a rejection: time, action, what failed
  int actions = 0;
  double makespan = 0;
  std::optional<double> metric;
};

// Error: a file cannot be read as PDDL or as a plan, or the budget ended (`exhausted`). A wrong
// plan is a value.
Result<Validation> validate_plan(std::string_view domain, std::string_view problem,
                                 std::string_view plan, const ValidationOptions& options,
                                 const Budget& budget = {});

}  // namespace proven::task
