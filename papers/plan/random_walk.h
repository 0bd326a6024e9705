// A walk that changes one joint per step, each step proved, until it arrives (paper 000, 4.3).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "proven/plan/plan.h"

namespace proven {

struct WalkOptions {
  std::uint64_t seed = 1;
  CheckOptions check = proving_check();
  double largest_step = 0.5;  // of a joint, radians or metres
  std::int64_t max_steps = 1'000'000;
};

struct WalkResult {
  bool arrived = false;
  Path path;               // steps that were free
  std::int64_t steps = 0;  // tried: free and blocked
  CheckStats check;
  double seconds = 0;
};

// `arrived` sees full configurations. `planned` as in Query; ball joints stay as they are.
// Fails on a start that does not fit the scene; a start that is not free makes every step blocked.
// Progress counts steps.
Result<WalkResult> random_walk(const Scene& scene, std::span<const double> start,
                               std::span<const int> planned,
                               const std::function<bool(std::span<const double>)>& arrived,
                               const WalkOptions& options, const Budget& budget = {});

}  // namespace proven
