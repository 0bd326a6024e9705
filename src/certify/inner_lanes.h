// Balls inside a body, as kernels want them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

// Balls inside a body, the largest first, and corners of it, which have no radius; by lanes, and
// filled up to a multiple of sixteen.
struct InnerLanes {
  // In a frame in which the body has this pose.
  static std::shared_ptr<const InnerLanes> of(const BodyGeometry& geometry, const Pose& X);

  int count = 0;
  std::array<std::vector<float>, 4> lanes;  // x, y, z and radius
  Aabb around;                              // of the balls, rounded outward

  Vec3 centre(int i) const {
    const auto at = static_cast<std::size_t>(i);
    return {lanes[0][at], lanes[1][at], lanes[2][at]};
  }
  float radius(int i) const { return lanes[3][static_cast<std::size_t>(i)]; }
  InnerBall ball(int i) const { return {centre(i), radius(i)}; }
  // How far a point is from the nearest ball, and which that is. Below zero: inside.
  float distance(const Vec3& p, int& nearest) const;
};

}  // namespace proven
