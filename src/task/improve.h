// Better plans from a plan: fewer actions, earlier times.
#pragma once

#include "task/search.h"

namespace proven::task {

// Leaves out actions that are not needed, and repeats the plan in the order of its start times,
// which drops orders that only the search imposed. Never worse than `plan`.
FoundPlan improved(const PrefixModel& model, const PlanValue& value, ModuleOracle* oracle,
                   const FoundPlan& plan, const std::function<bool()>& in_time);

}  // namespace proven::task
