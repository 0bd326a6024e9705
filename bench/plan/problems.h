// Planning problems of the benchmarks.
#pragma once

#include <string>
#include <vector>

#include "proven/plan/plan.h"

namespace proven::bench {

// The query of a built-in scene.
Result<PlanProblem> built_in_problem(const std::string& name, const Scene& scene);

// `share` of the values lie at or below the result; 0 of none.
double quantile(std::vector<double> values, double share);

// What became of a path under the default check.
struct PathJudgement {
  int free = 0, collision = 0, undecided = 0;
  void add(Verdict verdict) {
    ++(verdict == Verdict::free ? free : verdict == Verdict::collision ? collision : undecided);
  }
};

}  // namespace proven::bench
