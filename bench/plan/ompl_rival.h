// The rival of the planning benchmark: OMPL's RRTConnect with FCL, motions sampled.
#pragma once

#include "proven/plan/plan.h"

namespace proven::bench {

struct RivalResult {
  bool solved = false;
  double milliseconds = 0;  // of the search
  double simplify_milliseconds = 0;
  Path raw, simplified;
};

// `step`: radians between samples in joint space; 0: OMPL's default, a hundredth of the extent.
RivalResult solve_with_rival(const Scene& scene, const Query& problem, double step,
                             double max_seconds, std::uint64_t seed);

}  // namespace proven::bench
