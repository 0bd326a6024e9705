// Preferences of the goal as steps: at the end of a plan each is kept, which needs its formula, or
// given up, which costs what the metric says.
#pragma once

#include "proven/task/pddl.h"
#include "task/symbols.h"

namespace proven::task {

// A problem without preferences in its goal that has the same plans, but for steps at their end.
// Those steps belong to the actions from `first_step` on: the first says that the plan is over,
// then come two for each preference in Problem::preferences, to keep it and to give it up.
struct Hardened {
  Domain domain;
  Problem problem;
  std::size_t first_step = 0;
};
// Preferences under forall become one for each binding, of the same name.
Hardened harden(const Domain& domain, const Problem& problem);

}  // namespace proven::task
