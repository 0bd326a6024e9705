// Distance between two convex cores through their support functions (Gilbert, Johnson, Keerthi),
// for pairs without a closed form: boxes, cylinders and hulls against anything.
#pragma once

#include "proven/geometry/convex.h"
#include "triangle_distance.h"

namespace proven {

// What a piece is without its radius: a triangle or a convex piece, in its own body's frame.
struct Core {
  const Triangle* triangle = nullptr;
  const Convex* convex = nullptr;  // used if triangle is null
};

// As triangle_distance, for solid cores: distance 0 if one lies inside the other. Both points in A.
// `rounding_margin` must cover the evaluation of the support functions and poses. The distance is
// right to 1024 of these margins (1e-10 for shapes of a metre): where double does not reach that,
// the search is repeated in double-double.
ClosestPoints core_distance(const Core& a, const Core& b, const Pose& X_AB, double rounding_margin);

// A unit direction from a to b, in A, along which they may be separated best, found in a few steps
// from `guess`; zero if they overlap.
Vec3 core_direction(const Core& a, const Core& b, const Pose& X_AB, const Vec3& guess);

// Whether p (in the hull's frame B) lies in the hull, to rounding.
bool hull_contains(const Convex& hull, const Vec3& p_B);

}  // namespace proven
