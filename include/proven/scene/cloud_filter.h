// What is taken out of a cloud before it becomes an obstacle: what lies outside the region of
// interest, the ground, and the robot that sees itself.
//
// What is left out is not there for a proof. So the counts are part of the answer, and a ground
// that is left out needs an obstacle in its place.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene.h"

namespace proven {

struct CloudFilter {
  std::optional<Aabb> region;    // only points within it stay
  std::optional<double> ground;  // points at this height (z) or below go
  // The robots of the scene, with what they hold, at this configuration: points within them, or
  // within `padding` of them, go.
  std::optional<std::vector<double>> configuration;
  double padding = 0;
};

struct FilteredCloud {
  std::vector<Vec3> points;  // in their order
  // How many went, each for the first of these reasons.
  std::size_t not_finite = 0, outside = 0, ground = 0, robot = 0;
};

// Points in the world's frame. Fails on a configuration of another length, on a padding that is
// negative, and on bounds that are not finite.
Result<FilteredCloud> filter_cloud(std::span<const Vec3> points, const CloudFilter& filter,
                                   const Scene& scene);

}  // namespace proven
