// Better plans from a plan: fewer actions, earlier times.
#pragma once

#include "task/search.h"

namespace proven::task {

// Leaves out actions that are not needed, and repeats the plan in the order of its start times,
// which drops orders that only the search imposed. Never worse than `plan`; whatever the budget
// leaves no time for is not tried.
FoundPlan improved(const PrefixModel& model, const PlanValue& value, ModuleOracle* oracle,
                   const FoundPlan& plan, const Budget& budget);

}  // namespace proven::task
