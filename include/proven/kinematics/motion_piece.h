// A piece of a motion: a polynomial in s from 0 to 1 for every coordinate, by its control points in
// Bernstein form. Plain data; interpolation.h evaluates it.
//
// Scalar coordinates: q(s) = Σ_k B_k(s) p_k, the p_k the doubles as given, and no wrapping. A ball
// joint turns by R(s) = R_0 exp(φ(s)), φ a polynomial too: the ends of the piece hold the
// quaternions of R_0 and R_1, φ begins with 0 and ends with the rotation vector of R_0⁻¹ R_1 (the
// shorter way), and control points between hold φ in the first three places of the quaternion and 0
// in the fourth. A straight piece is thus a slerp.
#pragma once

#include <span>
#include <vector>

namespace proven {

inline constexpr int kMaxDegree = 5;

// A view of configurations that belong to others.
struct MotionPiece {
  std::span<const double> from, to;                 // full configurations
  std::span<const std::vector<double>> inner = {};  // control points between; none: straight

  int degree() const { return static_cast<int>(inner.size()) + 1; }
  bool straight() const { return inner.empty(); }
  std::span<const double> control(int k) const {
    if (k == 0) return from;
    return k == degree() ? to : std::span<const double>(inner[static_cast<std::size_t>(k) - 1]);
  }
};

}  // namespace proven
