// Distance and overlap of two triangles in one frame. Zero-area triangles are welcome: points and
// segments are posed as such.
#pragma once

#include "proven/geometry/shapes.h"

namespace proven {

struct ClosestPoints {
  double distance_lower = 0;  // proved, less the margin asked for; never below 0
  double distance = 0;        // of the two points
  Vec3 point_a, point_b;      // on the pieces, to rounding; equal if they overlap
};

// `distance` is 0 exactly when triangles_overlap says so. `rounding_margin` is subtracted from the
// support gap that proves `distance_lower`; it must cover the rounding of the gap's evaluation
// (below 64u times the largest |coordinate|) and whatever error the coordinates carry. If the
// distance exceeds a small multiple of it, distance_lower is positive.
ClosestPoints triangle_distance(const Triangle& a, const Triangle& b, double rounding_margin);

// Whether the closed triangles share a point: exact for the given coordinates.
bool triangles_overlap(const Triangle& a, const Triangle& b);

}  // namespace proven
