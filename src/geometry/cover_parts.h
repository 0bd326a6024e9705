// The surface of a body in convex parts that can be halved: what covers of it are checked on.
#pragma once

#include <array>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

// Covers the rounding of a distance and of corners that were computed: a few u of what they are
// made of.
inline constexpr double kPartUp = 0x1p-44;

// The convex hull of some points, widened by a radius.
struct Part {
  std::vector<Vec3> points;
  double radius = 0;
};

// The surface lies in the union of the parts.
std::vector<Part> parts_of(const BodyGeometry& geometry);

// Halves a part across its longest extent. The halves hold it: segments between its points are
// split in their middles. What has one point is not split.
bool halves(const Part& part, std::array<Part, 2>& out);

double diameter(const Part& part);

}  // namespace proven
