// A hand-written rival: boxes against boxes at common times, all obstacles of a time side by side
// in vectors; circles around them first, then the four axes. It looks at samples only.
#pragma once

#include <vector>

#include "proven/spacetime/check.h"

namespace proven::bench {

class SimdTraffic {
 public:
  // Obstacles that are boxes and have the same times.
  explicit SimdTraffic(const std::vector<spacetime::Obstacle>& obstacles);

  // Half extents, and the poses as the test needs them.
  struct Candidate {
    float half_x = 0, half_y = 0;
    std::vector<float> x, y, cosine, sine;
  };
  static void prepare(const spacetime::Footprint& box, const spacetime::Trajectory& motion,
                      Candidate& out);
  // Poses and obstacles have the same times.
  bool collides(const Candidate& candidate) const;

 private:
  static constexpr int kWide = 16;
  int poses_ = 0, groups_ = 0;
  // [pose][group][kWide], far away where there is nothing.
  std::vector<float> x_, y_, cosine_, sine_;
  std::vector<float> half_x_, half_y_, radius_;  // [group][kWide]
};

}  // namespace proven::bench
