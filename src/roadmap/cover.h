// Convex parts that cover a shape: few points, a radius around their hull, and the normals of its
// faces, which are the directions worth trying.
//
// A mesh is cut into slices along its longest side; each slice is wrapped into a prism with eight
// sides. The slices cover the inside of a closed mesh too: in the plane of the slice a line through
// an inner point leaves the solid on both sides, so the point lies between two points of the
// surface in the same slice, hence in its hull.
#pragma once

#include <vector>

#include "proven/geometry/shapes.h"

namespace proven::roadmap {

struct Part {
  std::vector<Vec3> points;  // at most kMostPoints
  double radius = 0;
  std::vector<Vec3> normals;  // unit
};

// Parts of the element at X_AB (times its own pose), in A; no longer than `length` where it can be
// cut.
void append_parts(const CollisionElement& element, const Pose& X_AB, double length,
                  std::vector<Part>& parts);

}  // namespace proven::roadmap
