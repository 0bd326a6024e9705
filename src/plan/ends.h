// Start and goal: within limits and free, or a reason that names the joint or the pair.
#pragma once

#include "plan/prover.h"

namespace proven {

// Whether start (configuration `start` of the prover) and goal are valid; else fills status, reason
// and obstruction.
bool accept_ends(const Scene& scene, const PlanProblem& problem, Prover& prover, int start,
                 int goal, PlanResult& result);

}  // namespace proven
