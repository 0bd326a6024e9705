#include "tools/ompl_planner.h"

#ifdef PROVEN_WITH_OMPL

#include "proven/ompl/adapter.h"

namespace proven::tools {

Result<PlanResult> plan_by_ompl(const Scene& scene, const Query& problem,
                                const std::string& planner, const PlanOptions& options,
                                const Budget& budget) {
  return adapters::plan_with_ompl(scene, problem, planner, options, budget);
}

std::vector<std::string> ompl_planner_names() {
  return adapters::ompl_planners();
}

}  // namespace proven::tools

#endif
