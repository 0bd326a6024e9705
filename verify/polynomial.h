// Chapter 5, first part: polynomials on [0, 1] by their control points in Bernstein form (format,
// section 8). T is Interval or Wide, points are of T or of Vector<T>.
//
// With the blossom B of a polynomial p of degree d (symmetric, affine in each of its d arguments,
// p(t) = B(t, ..., t)), the control points of p on [a, b] are B(a, ..., a, b, ..., b) with 0 to d
// times b. De Casteljau's scheme evaluates it, one argument a round. As p is a mixture of its
// control points, these enclose it.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "proven/kinematics/motion_piece.h"
#include "verify/algebra.h"

namespace proven::verifier {

template <class T, class Point = T>
struct Polynomial {
  std::vector<Point> points;  // one more than the degree; none: zero

  Point at(double t) const { return blossom(t, t, 0); }

  // Those of the part on [a, b].
  std::vector<Point> part(double a, double b) const {
    std::vector<Point> there;
    for (std::size_t k = 0; k < points.size(); ++k) there.push_back(blossom(a, b, k));
    return there;
  }

  Polynomial derivative() const {
    Polynomial rate;
    for (std::size_t k = 0; k + 1 < points.size(); ++k)
      rate.points.push_back(T(static_cast<double>(points.size() - 1)) *
                            (points[k + 1] - points[k]));
    return rate;
  }

 private:
  // With `count` arguments b and the others a.
  Point blossom(double a, double b, std::size_t count) const {
    if (points.empty()) return {};
    if (points.size() == 1) return points[0];
    std::array<Point, kMaxDegree + 1> row;
    std::copy(points.begin(), points.end(), row.begin());
    for (std::size_t round = 0; round + 1 < points.size(); ++round) {
      const T t = round < count ? b : a, rest = 1.0 - t;
      // Not row[i] + t (row[i + 1] - row[i]), which widens intervals up to threefold.
      for (std::size_t i = 0; i + round + 1 < points.size(); ++i)
        row[i] = rest * row[i] + t * row[i + 1];
    }
    return row[0];
  }
};

// exp(φ) = I + sine [φ]× + cosine [φ]×², and J(φ) = I + cosine [φ]× + rest [φ]×².
template <class T>
struct TurnSeries {
  T sine, cosine, rest;  // sin θ / θ, (1 - cos θ) / θ², (θ - sin θ) / θ³, θ = |φ|
};

// Each is an alternating series in z = θ²: Σ (-z)^k / (2k + m)! with m = 1, 2, 3. While z <= 1 its
// terms fall, so that the sum is off by less than the first that is left out: 17 terms leave less
// than 1 / 35! < 2^-132. For larger z the formulas themselves lose few bits.
template <class T>
TurnSeries<T> turn_series(const Vector<T>& phi);

// The rotation by the vector phi, and its angular velocity J(phi) rate where phi changes by `rate`.
template <class T>
Rotation<T> exponential(const Vector<T>& phi) {
  const TurnSeries<T> f = turn_series(phi);
  Matrix<T> R;
  for (int j = 0; j < 3; ++j) {
    Vec3 unit;
    unit[j] = 1;
    const Vector<T> e(unit), once = cross(phi, e);
    const Vector<T> column = e + f.sine * once + f.cosine * cross(phi, once);
    for (int i = 0; i < 3; ++i) R.row[i][j] = column[i];
  }
  return Rotation<T>(R);
}

template <class T>
Vector<T> angular_velocity(const Vector<T>& phi, const Vector<T>& rate) {
  const TurnSeries<T> f = turn_series(phi);
  const Vector<T> once = cross(phi, rate);
  return rate + f.cosine * once + f.rest * cross(phi, once);
}

}  // namespace proven::verifier
