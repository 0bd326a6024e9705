// A sphere around points and convex pieces, within 1e-9 of the smallest one.
#pragma once

#include <span>

#include "proven/geometry/convex.h"

namespace proven {

// Needs at least one point or piece. The radius is rounded up: the sphere holds everything.
// Grows a small set of extreme points: the smallest sphere around them (exact, by Welzl's
// recursion) is found, then the farthest point of all is added, until none is outside.
BoundingSphere enclosing_sphere(std::span<const Vec3> points, std::span<const Convex> convexes);

// The point of the piece farthest from `centre`.
Vec3 farthest_point(const Convex& piece, const Vec3& centre);

}  // namespace proven
