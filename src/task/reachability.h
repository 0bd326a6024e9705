// Which actions can ever be applied, by forward chaining that ignores deletions.
//
// Positive atoms of start and over-all conditions are joined against the atoms reached so far;
// numbers, negations, disjunctions and derived predicates count as satisfiable. End conditions are
// left out, and over-all atoms that an action may add itself, because the action's own start may
// enable them.
#pragma once

#include <vector>

#include "task/ground_task.h"
#include "task/symbols.h"
#include "task/watch.h"

namespace proven::task {

struct Instance {
  int schema = 0;
  std::vector<int> arguments;
};

std::vector<Instance> reachable_instances(const Domain& domain, const Problem& problem,
                                          const Symbols& symbols, Watch& watch);

}  // namespace proven::task
