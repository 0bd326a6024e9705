// Overlap that rounding cannot explain away: the evidence behind the verdict `collision`.
#pragma once

#include <array>
#include <optional>

#include "proven/geometry/distance.h"

namespace proven {

enum class Overlap {
  none,      // no two pieces share a point
  touching,  // some do, but none of them surely: they may only touch
  certain,   // two pieces still overlap however every point of both moves by up to `margin / 2`
};

struct Contact {
  Overlap overlap = Overlap::none;
  std::array<int, 2> pieces = {-1, -1};  // the pieces that surely overlap, else some that touch
  Vec3 point;                            // of both, in A, to rounding
};

// Looks through all overlapping pieces until one pair is certain.
//
// A triangle and an edge stay crossed under such motion if the edge's ends are farther than
// `margin` from the triangle, and the edge farther than that from the triangle's sides: no
// intersection can then appear or vanish at a boundary. A point of one piece that lies deeper than
// `margin` in a convex piece stays inside it.
Contact find_contact(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, double margin,
                     DistanceScratch& workspace);

// The same for two pieces: a point of both, in A, if they surely overlap.
std::optional<Vec3> find_sure_overlap(const BodyGeometry& a, int piece_a, const BodyGeometry& b,
                                      int piece_b, const Pose& X_AB, double margin);

}  // namespace proven
