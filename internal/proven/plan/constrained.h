// A planner for motions with constraints, as of a mug that must stay upright: two trees whose nodes
// are brought back to the constraints, every edge proved free and proved to keep them.
#pragma once

#include <cstdint>

#include "proven/base/budget.h"
#include "proven/certify/prover.h"
#include "proven/scene/motion.h"

namespace proven {

// A path from start to goal, shortened; empty if none is found. Both ends are free and keep the
// constraints of the prover. The same for the same seed, budgets apart.
Path plan_constrained(const Query& query, std::int64_t iterations, std::uint64_t seed,
                      Prover& prover, const Budget& budget);

}  // namespace proven
