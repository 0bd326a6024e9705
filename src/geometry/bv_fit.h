// Fits an oriented box and a rectangle-swept sphere to a set of points with radii.
#pragma once

#include <span>
#include <vector>

#include "proven/geometry/bv_tree.h"
#include "proven/geometry/convex.h"

namespace proven {

// A ball. A piece is held by any convex volume that holds its balls.
struct Ball {
  Vec3 p;
  double radius = 0;
};

// Appends balls whose convex hull holds the piece. Exact for triangles, spheres and hulls; for
// boxes and capsules up to rounding (balls slightly too large, never too small); rims of cylinders
// are circumscribed polygons.
void append_balls(const Triangle& triangle, std::vector<Ball>& balls);
void append_balls(const Convex& convex, std::vector<Ball>& balls);

// The volumes of a node (its links stay unset) with axes along the columns of R, which must be
// orthonormal to 8 units of rounding; they come out sorted by decreasing extent. Holds every ball.
// The radius of the RSS is half the smallest extent times `radius_factor` (>= 1): a larger radius
// reaches over the sides of the rectangle and lets them shrink, which suits round things.
BvNode fit_volumes(const Mat3& R, std::span<const Ball> balls, double radius_factor);

// What a tree wants small: the surface areas of both volumes of the node.
double fit_cost(const BvNode& node);

}  // namespace proven
