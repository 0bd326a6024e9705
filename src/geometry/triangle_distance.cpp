// The closest points of two disjoint triangles lie on a vertex and a triangle, or in the interiors
// of two edges: 6 + 9 candidates, of which the closest is taken. If the triangles overlap the
// candidates say nothing, so the answer is checked: the direction between the closest points of
// disjoint triangles separates them, and the support gap along it proves the distance. Where
// rounding leaves that open, exact signs decide overlap and double-double finds the direction.
//
// Forms are chosen so that every candidate is right to a few u times the size of the triangles,
// slivers and needles included: a face is spanned by its longest edge and the height over it
// (orthogonal, so that a poor height moves the foot point by no more than its own rounding), and
// lines by the cross product (error u / sin of their angle, where 1 - cos² would give u / sin²).
#include "triangle_distance.h"

#include <algorithm>
#include <limits>

#include "real_vec.h"

namespace proven {
namespace {

template <class Real>
struct PreparedTriangle {
  RealVec<Real> vertex[3];
  RealVec<Real> edge[3];  // edge[i] from vertex[i] to vertex[next(i)]
  Real inverse_length2[3];
  int base = 0;           // the longest edge
  RealVec<Real> height;   // from the base line to the apex
  Real inverse_height2;
  Real apex;  // foot of the apex on the base, 0 to 1
};

constexpr int next(int i) { return i == 2 ? 0 : i + 1; }

template <class Real>
Real inverse_or_zero(const Real& x) {
  return x > Real(0) ? Real(1) / x : Real(0);
}

template <class Real>
PreparedTriangle<Real> prepare(const Triangle& t, const Vec3& origin) {
  PreparedTriangle<Real> p;
  const RealVec<Real> o(origin);
  p.vertex[0] = RealVec<Real>(t.a) - o;
  p.vertex[1] = RealVec<Real>(t.b) - o;
  p.vertex[2] = RealVec<Real>(t.c) - o;
  Real longest(-1);
  for (int i = 0; i < 3; ++i) {
    p.edge[i] = p.vertex[next(i)] - p.vertex[i];
    const Real length2 = squared_norm(p.edge[i]);
    p.inverse_length2[i] = inverse_or_zero(length2);
    if (length2 > longest) longest = length2, p.base = i;
  }
  const RealVec<Real>& base_edge = p.edge[p.base];
  const RealVec<Real> side = -p.edge[next(next(p.base))];
  p.apex = dot(side, base_edge) * p.inverse_length2[p.base];
  p.height = side - p.apex * base_edge;
  p.inverse_height2 = inverse_or_zero(squared_norm(p.height));
  return p;
}

template <class Real>
struct Candidate {
  Real distance2;
  RealVec<Real> a, b;
};

template <class Real>
struct Closest {
  Candidate<Real> best{std::numeric_limits<double>::infinity(), {}, {}};

  void offer(const RealVec<Real>& a, const RealVec<Real>& b) {
    const Real distance2 = squared_norm(b - a);
    if (distance2 < best.distance2) best = {distance2, a, b};
  }
};

// The point of the triangle closest to x.
template <class Real>
RealVec<Real> closest_on_triangle(const RealVec<Real>& x, const PreparedTriangle<Real>& t) {
  const Real zero(0), one(1);
  const RealVec<Real> from_base = x - t.vertex[t.base];
  const Real up = dot(from_base, t.height) * t.inverse_height2;
  if (up > zero && up < one) {
    const Real along = dot(from_base, t.edge[t.base]) * t.inverse_length2[t.base];
    if (along >= up * t.apex && along <= one - up * (one - t.apex))
      return t.vertex[t.base] + along * t.edge[t.base] +
             up * t.height;
  }
  RealVec<Real> best;
  Real best_distance2(std::numeric_limits<double>::infinity());
  for (int i = 0; i < 3; ++i) {
    const RealVec<Real> from_start = x - t.vertex[i];
    Real s = dot(from_start, t.edge[i]) * t.inverse_length2[i];
    s = s < zero ? zero : s > one ? one : s;
    const RealVec<Real> foot = t.vertex[i] + s * t.edge[i];
    const Real distance2 = squared_norm(x - foot);
    if (distance2 < best_distance2) best_distance2 = distance2, best = foot;
  }
  return best;
}

// The common perpendicular of two edges, if its feet lie on both. With r from a's start to b's and
// n = d_a × d_b: s d_a - t d_b - h n = r, hence s n² = (r × d_b)·n and t n² = (r × d_a)·n.
template <class Real>
void offer_edge_pair(const PreparedTriangle<Real>& a, int i, const PreparedTriangle<Real>& b, int j,
                     Closest<Real>& closest) {
  const Real zero(0);
  const RealVec<Real> n = cross(a.edge[i], b.edge[j]);
  const RealVec<Real> r = b.vertex[j] - a.vertex[i];
  const Real n2 = squared_norm(n);
  const Real s = dot(cross(r, b.edge[j]), n);
  const Real t = dot(cross(r, a.edge[i]), n);
  if (!(s > zero && s < n2 && t > zero && t < n2)) return;
  const Real inverse = Real(1) / n2;
  closest.offer(a.vertex[i] + (s * inverse) * a.edge[i], b.vertex[j] + (t * inverse) * b.edge[j]);
}

template <class Real>
Candidate<Real> closest_features(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b) {
  Closest<Real> closest;
  for (int i = 0; i < 3; ++i) {
    closest.offer(a.vertex[i], closest_on_triangle(a.vertex[i], b));
    closest.offer(closest_on_triangle(b.vertex[i], a), b.vertex[i]);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) offer_edge_pair(a, i, b, j, closest);
  return closest.best;
}

// min over b of n·x - max over a of n·x.
double support_gap(const PreparedTriangle<double>& a, const PreparedTriangle<double>& b,
                   const RealVec<double>& n) {
  const double a_max = std::max({dot(n, a.vertex[0]), dot(n, a.vertex[1]), dot(n, a.vertex[2])});
  const double b_min = std::min({dot(n, b.vertex[0]), dot(n, b.vertex[1]), dot(n, b.vertex[2])});
  return b_min - a_max;
}

// A point that overlapping triangles share, to rounding: where an edge of one pierces the other, or
// the closest features if those are closer (coplanar triangles).
Candidate<double> common_point(const PreparedTriangle<double>& a, const PreparedTriangle<double>& b,
                               Closest<double> closest) {
  const auto offer_piercing = [](const PreparedTriangle<double>& edges,
                                 const PreparedTriangle<double>& face, auto&& offer) {
    const RealVec<double> n = cross(face.edge[face.base], face.height);
    for (int i = 0; i < 3; ++i) {
      const double start = dot(n, edges.vertex[i] - face.vertex[face.base]);
      const double end = dot(n, edges.vertex[next(i)] - face.vertex[face.base]);
      if (start * end > 0 || start == end) continue;
      const RealVec<double> x = edges.vertex[i] + (start / (start - end)) * edges.edge[i];
      offer(x, closest_on_triangle(x, face));
    }
  };
  offer_piercing(a, b, [&](const auto& x, const auto& y) { closest.offer(x, y); });
  offer_piercing(b, a, [&](const auto& x, const auto& y) { closest.offer(y, x); });
  return closest.best;
}

// Close enough to the distance that a better direction would not help: 1 part in 1024, or the
// margin. The direction between points a distance d apart errs by about u L / d, which costs
// u L² / d of the gap: below this for d > 1e-6 L.
bool is_tight(double lower, double distance, double rounding_margin) {
  return distance - lower <= 0x1p-10 * distance + 2 * rounding_margin;
}

ClosestPoints result(double lower, double distance, const Vec3& a, const Vec3& b,
                     const Vec3& origin) {
  return {std::max(lower, 0.0), distance, a + origin, b + origin};
}

// Disjoint, but closer than double can tell the direction.
ClosestPoints careful_distance(const Triangle& a, const Triangle& b,
                               const PreparedTriangle<double>& fast_a,
                               const PreparedTriangle<double>& fast_b, double rounding_margin) {
  const Vec3& origin = a.a;
  const Candidate<DoubleDouble> best =
      closest_features(prepare<DoubleDouble>(a, origin), prepare<DoubleDouble>(b, origin));
  const Vec3 direction = normalized((best.b - best.a).rounded());
  const double lower = support_gap(fast_a, fast_b, direction) - rounding_margin;
  // Disjoint triangles are never at distance 0, however close.
  const double distance = std::max(static_cast<double>(sqrt(best.distance2)),
                                   std::numeric_limits<double>::min());
  return result(std::min(lower, distance), distance, best.a.rounded(), best.b.rounded(), origin);
}

}  // namespace

ClosestPoints triangle_distance(const Triangle& a, const Triangle& b, double rounding_margin) {
  const Vec3& origin = a.a;
  const PreparedTriangle<double> pa = prepare<double>(a, origin);
  const PreparedTriangle<double> pb = prepare<double>(b, origin);
  const Candidate<double> best = closest_features(pa, pb);
  const double distance = std::sqrt(best.distance2);
  const double gap = support_gap(pa, pb, best.b - best.a);
  const double lower = distance > 0 ? gap / distance - rounding_margin : 0.0;
  if (lower > 0 && is_tight(lower, distance, rounding_margin))
    return result(lower, distance, best.a.rounded(), best.b.rounded(), origin);
  if (lower <= 0 && triangles_overlap(a, b)) {
    const Candidate<double> common = common_point(pa, pb, {best});
    return result(0, 0, common.a.rounded(), common.a.rounded(), origin);
  }
  return careful_distance(a, b, pa, pb, rounding_margin);
}

}  // namespace proven
