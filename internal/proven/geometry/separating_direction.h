// A direction along which two sets of points may be separated best.
#pragma once

#include <array>
#include <initializer_list>
#include <limits>
#include <span>

#include "proven/base/vec3.h"

namespace proven {

// Up to four points of the difference of two hulls, and the point of theirs that is closest to the
// origin. Whoever uses a direction measures the gap along it: rounding needs no care here.
class DifferenceCorners {
 public:
  const Vec3& closest() const { return closest_; }
  double distance2() const { return distance2_; }
  bool holds_origin() const { return holds_origin_; }

  bool has(const Vec3& p) const {
    for (int i = 0; i < count_; ++i)
      if (corners_[index(i)] == p) return true;
    return false;
  }

  // Keeps the corners that carry the closest point. The new one is among them.
  void add(const Vec3& p) {
    const std::array<Vec3, 3> before = {corners_[0], corners_[1], corners_[2]};
    const int count = count_;
    distance2_ = std::numeric_limits<double>::infinity();
    if (count == 0) offer(p, {p});
    if (count == 1) try_edge(before[0], p);
    if (count == 2) try_face(before[0], before[1], p);
    if (count < 3) return;
    bool outside = false;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 &a = before[i], &b = before[(i + 1) % 3], &other = before[(i + 2) % 3];
      const Vec3 n = cross(a - p, b - p);
      if (dot(n, p) * dot(n, p - other) > 0) continue;  // on the side of the other corner
      outside = true;
      try_face(a, b, p);
    }
    holds_origin_ = !outside;
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  void offer(const Vec3& v, std::initializer_list<Vec3> corners) {
    const double distance2 = dot(v, v);
    if (!(distance2 < distance2_)) return;
    distance2_ = distance2, closest_ = v, count_ = 0;
    for (const Vec3& corner : corners) corners_[index(count_++)] = corner;
  }

  void try_edge(const Vec3& a, const Vec3& p) {
    const Vec3 edge = p - a;
    const double along = -dot(a, edge), length2 = dot(edge, edge);
    if (!(along < length2)) return offer(p, {p});
    if (!(along > 0)) return offer(a, {a});
    offer(a + (along / length2) * edge, {a, p});
  }

  // By the regions around a triangle (Ericson, Real-Time Collision Detection, 5.1.5); the edge ab
  // is known to be farther away.
  void try_face(const Vec3& a, const Vec3& b, const Vec3& p) {
    const Vec3 pa = a - p, pb = b - p;
    const double d1 = -dot(pa, p), d2 = -dot(pb, p);
    if (d1 <= 0 && d2 <= 0) return offer(p, {p});
    const double d3 = -dot(pa, a), d4 = -dot(pb, a), d5 = -dot(pa, b), d6 = -dot(pb, b);
    const double of_b = d1 * d4 - d3 * d2, of_a = d5 * d2 - d1 * d6, of_p = d3 * d6 - d5 * d4;
    if (of_b > 0 && of_a > 0 && of_p > 0) {
      const Vec3 n = cross(pa, pb);
      return offer((dot(n, p) / dot(n, n)) * n, {a, b, p});
    }
    try_edge(a, p);
    try_edge(b, p);
  }

  std::array<Vec3, 4> corners_;
  int count_ = 0;
  Vec3 closest_;
  double distance2_ = 0;
  bool holds_origin_ = false;
};

// The unit direction from one convex set to another between the points where they are closest; zero
// if they overlap, or are found to be no farther apart than `least`. `lowest(n)` is the point of
// their difference, second less first, that is lowest along n. The search begins along `guess`,
// from the first to the second, and ends at the first direction along which they are farther apart
// than `enough`. It is a proposal: what it is worth, support functions tell.
template <class Lowest>
Vec3 separating_direction(const Lowest& lowest, const Vec3& guess, double enough, double least) {
  // Polytopes end after a few vertices; a bound only so that the search ends whatever rounding
  // does.
  constexpr int kMaxIterations = 32;
  // The direction need not be better than this: so close to the largest possible gap it ends.
  constexpr double kRelativeGap = 1e-3;
  DifferenceCorners corners;
  corners.add(lowest(guess));
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vec3 v = corners.closest();
    const double distance2 = corners.distance2();
    // They are not farther apart than this.
    if (!(distance2 > least * least)) return {};
    const Vec3 p = lowest(v);
    const double along = dot(v, p);
    if (distance2 - along <= kRelativeGap * distance2 || corners.has(p)) break;
    if (along > 0 && along * along > enough * enough * distance2) break;
    corners.add(p);
    if (corners.holds_origin()) return {};
    if (!(corners.distance2() < distance2)) return normalized(v);
  }
  return normalized(corners.closest());
}

// The one of these points that is farthest along n.
const Vec3& farthest(std::span<const Vec3> points, const Vec3& n);

// Of the hulls of points, both in one frame.
Vec3 separating_direction(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& guess,
                          double enough = std::numeric_limits<double>::infinity(),
                          double least = 0);

}  // namespace proven
