// OMPL's planners for the command `plan`; keeps its headers out of the commands.
#pragma once

#include <string>
#include <vector>

#include "proven/plan/plan.h"

namespace proven::tools {

Result<PlanResult> plan_by_ompl(const Scene& scene, const Query& problem,
                                const std::string& planner, const PlanOptions& options,
                                const Budget& budget);
std::vector<std::string> ompl_planner_names();

}  // namespace proven::tools
