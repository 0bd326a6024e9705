// A motion along a curve with bounded jerk: the fastest with bounded acceleration, its speed
// averaged over a window of time (docs/algorithms/timing.md).
#pragma once

#include <vector>

#include "plan/timing_law.h"

namespace proven {

// Within all limits, by bounds on the pieces themselves; from rest to rest. Pieces are quintic, and
// their accelerations join.
std::vector<TimedPiece> averaged_law(const std::vector<Stretch>& curve,
                                     const std::vector<AxisLimits>& limits);

}  // namespace proven
