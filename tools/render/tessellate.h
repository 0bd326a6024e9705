// Triangles with normals for drawing.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "proven/geometry/shapes.h"

namespace proven::render_detail {

struct DrawTriangle {
  std::array<Vec3, 3> point;
  std::array<Vec3, 3> normal;  // per corner; smooth over edges flatter than the crease angle
};

// The surface of a shape, in its frame; round shapes by many small triangles.
TriangleMesh surface_of(const Shape& shape);

// All shapes of a body in its frame.
std::vector<DrawTriangle> tessellate(std::span<const CollisionElement> elements);

}  // namespace proven::render_detail
