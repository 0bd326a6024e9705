// Time-optimal speeds along a curve by reachability analysis (TOPP-RA of Pham and Pham, 2018).
#pragma once

#include <vector>

#include "plan/timing_curve.h"

namespace proven {

// A line, or part of a blend; speeds along the curve at its ends. On a part of a blend the speed's
// square changes evenly.
struct Stage {
  std::size_t stretch;
  double begin, end;  // along the stretch
  double from = 0, to = 0;
};

// From rest to rest. Limits of velocity and acceleration hold on lines and where stages meet; those
// of each stretch are divided by its entry in `ease`, but for the velocity on lines.
std::vector<Stage> reachable_speeds(const std::vector<Stretch>& curve,
                                    const std::vector<AxisLimits>& limits,
                                    const std::vector<double>& ease);

}  // namespace proven
