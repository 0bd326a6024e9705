// Planning problems of the benchmarks.
#pragma once

#include <ctime>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "proven/plan/plan.h"
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

// CPU time of the program, which works on one thread meanwhile: the same on a busy machine.
class CpuTimer {
 public:
  double milliseconds() const {
    return 1e3 * static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t start_ = std::clock();
};

// `share` of the values lie at or below the result; 0 of none.
double quantile_of(std::vector<double> values, double share);

}  // namespace proven::bench
