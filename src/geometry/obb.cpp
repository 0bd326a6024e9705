#include "obb.h"

namespace proven {

bool obbs_apart(const BvNode& a, const BvNode& b, const BvPairPose& pose) {
  const double margin = pose.rounding_margin;
  const Vec3 c_A = pose.X_AB * b.obb_centre - a.obb_centre;
  const Vec3 c = transpose_times(a.R_BN, c_A);  // in a's axes
  const Mat3 R_BM_in_A = pose.X_AB.R * b.R_BN;
  const Mat3 R = transpose(a.R_BN) * R_BM_in_A;  // b's axes in a's axes
  Mat3 Q;                                        // |R|
  for (std::size_t i = 0; i < 3; ++i) {
    Q.row[i] = {std::fabs(R.row[i].x), std::fabs(R.row[i].y), std::fabs(R.row[i].z)};
  }
  const Vec3& ha = a.obb_half;
  const Vec3& hb = b.obb_half;

  // Axes of a, then axes of b.
  for (int i = 0; i < 3; ++i) {
    if (std::fabs(c[i]) - (ha[i] + dot(Q.row[static_cast<std::size_t>(i)], hb)) > margin) {
      return true;
    }
  }
  const Vec3 c_in_b = transpose_times(R, c);
  const Vec3 extent_in_b = transpose_times(Q, ha);
  for (int j = 0; j < 3; ++j) {
    if (std::fabs(c_in_b[j]) - (hb[j] + extent_in_b[j]) > margin) return true;
  }
  // Cross products a_i x b_j, not normalised: they are no longer than 1, so the computed gap is at
  // most the true one, and near-parallel axes prove nothing.
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double between = c[i2] * R(i1, j) - c[i1] * R(i2, j);
      const double extent =
          (ha[i1] * Q(i2, j) + ha[i2] * Q(i1, j)) + (hb[j1] * Q(i, j2) + hb[j2] * Q(i, j1));
      if (std::fabs(between) - extent > margin) return true;
    }
  }
  return false;
}

}  // namespace proven
