// Motions of what must stay upright, as a mug: planned by plan_constrained.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "manipulation/held.h"
#include "manipulation/motions.h"
#include "proven/base/budget.h"
#include "proven/certify/prover.h"

namespace proven::manipulation {

struct UprightProblem {
  std::span<const int> joints;  // that may move
  LinkFrame frame;              // whose z axis stays within `cone` of the world's
  double cone = 0;
};

// What is carried must stay upright; nothing if it need not. `joints` are left to the caller.
std::optional<UprightProblem> upright_problem(const World& world, const MotionRequest& request,
                                              const Scene& scene);

// A path from one configuration to another, shortened; empty if none is found. Both ends are free
// and upright. The same for the same seed, budgets apart.
Path plan_upright(const UprightProblem& problem, const std::vector<double>& start,
                  const std::vector<double>& goal, std::int64_t iterations, std::uint64_t seed,
                  Prover& prover, const Budget& budget);

}  // namespace proven::manipulation
