// The rounding margin that every test between two bounding volumes subtracts.
#pragma once

#include "proven/base/vec3.h"

namespace proven {

// The pose of body B in A's frame, with the margin for all node pairs of the two bodies.
struct BvPairPose {
  Pose X_AB;
  double rounding_margin = 0;  // metres

  // max_a, max_b: the largest |coordinate| of any point of the bodies. |X_AB.R| is 1 up to 2^-45:
  // products of 128 rotations (two chains of 64 joints) stay below half of that (rss_test.cpp).
  // Whether X_AB is the pose that is meant is the caller's concern.
  //
  // Let S = |p_AB| + 3 (max_a + max_b) and u = 2^-53. A node's volumes lie between the extents of
  // its pieces along the node's axes, at most sqrt(3) max each, so |centre| <= 3 max and the sum of
  // half extents is at most 3 sqrt(3) max. A gap |n.c| - sum h_i |n.e_i| - radii, |n| = 1, collects
  //   the vector c between the centres    7.2 u S   (a rotation 5.2, two sums 2)
  //   n.c                                   3 u S
  //   the extents h_i |n.e_i|              16 u S   (a rotated axis 5.2, dot 3, product 1; 1.74 S)
  //   their sum, radii, the difference     13 u S
  //   |n| = 1 + 3 u                         3 u S
  //   axes orthonormal to 8 u only         14 u S
  // below 57 u S, and 256 u S from X_AB.R: in all less than 2^-44 S = 512 u S.
  static BvPairPose make(const Pose& X_AB, double max_a, double max_b) {
    return {X_AB, 0x1p-44 * (norm(X_AB.p) + 3 * (max_a + max_b))};
  }
};

}  // namespace proven
