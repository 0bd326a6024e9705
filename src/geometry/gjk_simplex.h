// The simplex of the GJK iteration: up to four points of the difference B - A and their point
// closest to the origin.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "real_vec.h"

namespace proven {

template <class Real>
struct SimplexPoint {
  RealVec<Real> a, b;  // points of the two pieces
  RealVec<Real> w;     // b - a
  Real weight;         // of the closest point, which is the sum of weight · w
};

// Rounding of p·(q × r) against |p||q||r|: five roundings of a sum whose absolute terms add up to
// at most sqrt(6) of that product; with slack.
template <class Real>
constexpr double kDeterminantRounding = 0;
template <>
inline constexpr double kDeterminantRounding<double> = 0x1p-49;
template <>
inline constexpr double kDeterminantRounding<DoubleDouble> = 0x1p-96;

template <class Real>
class Simplex {
 public:
  // The point closest to the origin after reduce().
  const RealVec<Real>& closest() const { return closest_; }
  const Real& distance2() const { return distance2_; }
  // Whether the last reduce() found the origin certainly inside a tetrahedron.
  bool holds_origin() const { return holds_origin_; }

  void add(const SimplexPoint<Real>& p) { points_[index(count_++)] = p; }
  bool has(const RealVec<Real>& a, const RealVec<Real>& b) const {
    for (int i = 0; i < count_; ++i)
      if (same(points_[index(i)].a, a) && same(points_[index(i)].b, b)) return true;
    return false;
  }

  // Keeps the points that carry the closest point. The last one added is among them if the
  // distance shrinks, since the closest point to the others was known: faces and edges without it
  // need no test.
  void reduce() {
    distance2_ = Real(std::numeric_limits<double>::infinity());
    const int last = count_ - 1;
    if (count_ == 4 && (holds_origin_ = weigh_inside())) return;
    if (count_ == 4) {
      // The closest point lies on a face, or on an edge.
      try_face(0, 1, last), try_face(0, 2, last), try_face(1, 2, last);
    } else if (count_ == 3) {
      try_face(0, 1, last);
    }
    if (count_ == 1) offer({0, 0, 0}, {Real(1), Real(0), Real(0)});
    // A foot inside a face is closer than that face's edges, not than those of others.
    for (int i = 0; i < last; ++i) try_segment(i, last);
    keep_best();
  }

  RealVec<Real> point_a() const { return weighted(&SimplexPoint<Real>::a); }
  RealVec<Real> point_b() const { return weighted(&SimplexPoint<Real>::b); }

 private:
  using Indices = std::array<int, 3>;
  using Weights = std::array<Real, 3>;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static bool same(const RealVec<Real>& p, const RealVec<Real>& q) {
    const RealVec<Real> d = p - q;
    return !(squared_norm(d) > Real(0));
  }
  const RealVec<Real>& w(int i) const { return points_[index(i)].w; }

  RealVec<Real> weighted(RealVec<Real> SimplexPoint<Real>::*member) const {
    RealVec<Real> sum;
    for (int i = 0; i < count_; ++i)
      sum = sum + points_[index(i)].weight * (points_[index(i)].*member);
    return sum;
  }

  void offer(const Indices& indices, const Weights& weights) {
    const RealVec<Real> v =
        weights[0] * w(indices[0]) + weights[1] * w(indices[1]) + weights[2] * w(indices[2]);
    const Real distance2 = squared_norm(v);
    if (!(distance2 < distance2_)) return;
    distance2_ = distance2, closest_ = v, best_indices_ = indices, best_weights_ = weights;
  }

  void try_segment(int i, int j) {
    const RealVec<Real> edge = w(j) - w(i);
    const Real length2 = squared_norm(edge);
    Real t = length2 > Real(0) ? -dot(w(i), edge) / length2 : Real(0);
    t = t < Real(0) ? Real(0) : t > Real(1) ? Real(1) : t;
    offer({i, j, i}, {Real(1) - t, t, Real(0)});
  }

  // The foot of the origin on the face of a triangle, if it is inside.
  void try_face(int i, int j, int k) {
    const Real ij = squared_norm(w(j) - w(i)), jk = squared_norm(w(k) - w(j));
    const Real ki = squared_norm(w(i) - w(k));
    if (ij >= jk && ij >= ki) return try_face_over(i, j, k, ij);
    jk >= ki ? try_face_over(j, k, i, jk) : try_face_over(k, i, j, ki);
  }

  // The face is spanned by its longest edge ij and the height over it: these are orthogonal, so
  // that slivers lose no accuracy (see triangle_distance.cpp).
  void try_face_over(int i, int j, int k, const Real& base2) {
    if (!(base2 > Real(0))) return;
    const RealVec<Real> base = w(j) - w(i), side = w(k) - w(i);
    const Real apex = dot(side, base) / base2;
    const RealVec<Real> height = side - apex * base;
    const Real height2 = squared_norm(height);
    if (!(height2 > Real(0))) return;
    const Real up = -dot(w(i), height) / height2;
    const Real along = -dot(w(i), base) / base2;
    const Weights weights{Real(1) - along - up * (Real(1) - apex), along - up * apex, up};
    for (const Real& weight : weights)
      if (!(weight > Real(0))) return;
    offer({i, j, k}, weights);
  }

  // The four tetrahedra that the origin makes with the faces have volumes of one sign beyond
  // rounding exactly if the origin is inside for certain.
  bool weigh_inside() {
    Real volume[4], total(0);
    for (int i = 0; i < 4; ++i) {
      const RealVec<Real>&p = w((i + 1) & 3), &q = w((i + 2) & 3), &r = w((i + 3) & 3);
      volume[i] = dot(p, cross(q, r));
      if (i & 1) volume[i] = -volume[i];
      const Vec3 x = p.rounded(), y = q.rounded(), z = r.rounded();
      const double size = norm(x) * norm(y) * norm(z);
      if (!(std::fabs(static_cast<double>(volume[i])) > kDeterminantRounding<Real> * size))
        return false;
      if ((volume[i] > Real(0)) != (volume[0] > Real(0))) return false;
      total = total + volume[i];
    }
    for (int i = 0; i < 4; ++i) points_[index(i)].weight = volume[i] / total;
    return true;
  }

  void keep_best() {
    std::array<SimplexPoint<Real>, 3> kept;
    int kept_count = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(best_weights_[i] > Real(0))) continue;
      kept[index(kept_count)] = points_[index(best_indices_[i])];
      kept[index(kept_count++)].weight = best_weights_[i];
    }
    count_ = kept_count;
    for (int i = 0; i < count_; ++i) points_[index(i)] = kept[index(i)];
  }

  std::array<SimplexPoint<Real>, 4> points_;
  int count_ = 0;
  RealVec<Real> closest_;
  Real distance2_{0};
  Indices best_indices_{};
  Weights best_weights_{};
  bool holds_origin_ = false;
};

}  // namespace proven
