// Stage one: how far the convex hulls of two sets of pieces are apart, at least.
#pragma once

#include "papers/geometry/piece_sets.h"

namespace proven {

struct HullGap {
  double distance_lower = 0;       // proved, rounding included; 0 if the hulls are not proved apart
  Vec3 direction;                  // unit, from a to b: the support gap along it proves the bound
  double top_a = 0, bottom_b = 0;  // largest n·x of a and smallest n·y of b along it
  std::array<int, 2> pieces = {-1, -1};  // that are extreme along it
  Vec3 meeting;  // between the closest points found, or common to both hulls
};

// GJK, ended as soon as the bound is within half a percent of the hulls' distance, or reaches
// `limit`.
HullGap hull_gap(const PieceSets& a, int set_a, const PieceSets& b, int set_b, double limit,
                 double rounding_margin);

}  // namespace proven
