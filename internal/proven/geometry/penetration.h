// How deep two convex bodies overlap: for pairs that may do so up to a stated depth.
//
// The signed distance of two convex bodies is the largest support gap over all unit directions:
// their distance if they are apart, else minus the length of the shortest translation that
// separates them. It changes no faster than the points of the bodies move.
#pragma once

#include "proven/geometry/body_geometry.h"

namespace proven {

// Whether the body is one convex piece. (On a mesh every triangle is shallower than any depth, so
// the depth of a mesh says nothing about its inside.)
bool is_convex_body(const BodyGeometry& body);

struct SignedDistance {
  double lower = 0;  // safe under rounding: the support gap along `direction`
  Vec3 direction;    // the best found, from a to b; unit, in A
};
SignedDistance signed_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB);

// Whether two convex bodies surely overlap deeper than `depth` >= 0: a point of one lies that deep
// in the other. May miss it for hulls and for bodies thinner than the depth.
bool overlap_deeper_than(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                         double depth);

}  // namespace proven
