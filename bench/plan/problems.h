// Planning problems of the benchmarks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "proven/plan/plan.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"

namespace proven::bench {

struct PlanCase {
  std::string name;
  SceneSource source;
  Scene scene;
  PlanProblem problem;
};

// A built-in scene with its query.
Result<PlanCase> built_in_case(const std::string& name);

// Indices of the names that the options choose; fails on a set that is none of them.
Result<std::vector<std::size_t>> chosen_of(std::span<const std::string> names,
                                           const Options& bench);

}  // namespace proven::bench
