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
  int base = 0;          // the longest edge
  RealVec<Real> height;  // from the base line to the apex
  Real inverse_height2;
  Real apex;  // foot of the apex on the base, 0 to 1
};

constexpr int next(int i) {
  return i == 2 ? 0 : i + 1;
}

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

// A point of a triangle: vertex[edge] + along · edge[edge] + up · height; up is 0 but on faces.
template <class Real>
struct Foot {
  int edge = 0;
  Real along{0}, up{0};

  RealVec<Real> on(const PreparedTriangle<Real>& t) const {
    const RealVec<Real> p = t.vertex[edge] + along * t.edge[edge];
    return up > Real(0) ? p + up * t.height : p;
  }
};

template <class Real>
struct Projection {
  Real distance2;
  Foot<Real> foot;
};

// The point of the triangle closest to x.
template <class Real>
Projection<Real> project(const RealVec<Real>& x, const PreparedTriangle<Real>& t) {
  const Real zero(0), one(1);
  const RealVec<Real> from_base = x - t.vertex[t.base];
  const Real up = dot(from_base, t.height) * t.inverse_height2;
  const Real along = dot(from_base, t.edge[t.base]) * t.inverse_length2[t.base];
  if (up > zero && along >= up * t.apex && along <= one - up * (one - t.apex))
    return {squared_norm(from_base - along * t.edge[t.base] - up * t.height), {t.base, along, up}};
  Projection<Real> best{Real(std::numeric_limits<double>::infinity()), {}};
  for (int i = 0; i < 3; ++i) {
    const RealVec<Real> from_start = x - t.vertex[i];
    Real s = dot(from_start, t.edge[i]) * t.inverse_length2[i];
    s = s > zero ? s : zero;
    s = s < one ? s : one;
    const Real distance2 = squared_norm(from_start - s * t.edge[i]);
    const bool closer = distance2 < best.distance2;
    best.distance2 = closer ? distance2 : best.distance2;
    best.foot.edge = closer ? i : best.foot.edge;
    best.foot.along = closer ? s : best.foot.along;
  }
  return best;
}

// The closest features found so far: a vertex and a foot on the other triangle, or two edges.
template <class Real>
struct Closest {
  enum class Kind { vertex_of_a, vertex_of_b, edges };
  Real distance2{std::numeric_limits<double>::infinity()};
  Kind kind = Kind::edges;
  int vertex = 0;
  Foot<Real> on_a, on_b;
};

// The closest points and the normal of their features: of the face or of both edges, either way;
// zero for a vertex on an edge.
template <class Real>
struct Candidate {
  Real distance2;
  RealVec<Real> a, b, normal;
};

template <class Real>
RealVec<Real> face_normal(const PreparedTriangle<Real>& t, const Foot<Real>& foot) {
  return foot.up > Real(0) ? cross(t.edge[t.base], t.height) : RealVec<Real>();
}

// The distance is measured between the points as they are: a support gap along their difference is
// divided by it.
template <class Real>
Candidate<Real> candidate(const RealVec<Real>& a, const RealVec<Real>& b,
                          const RealVec<Real>& normal) {
  return {squared_norm(b - a), a, b, normal};
}

template <class Real>
Candidate<Real> candidate(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b,
                          const Closest<Real>& c) {
  using Kind = typename Closest<Real>::Kind;
  if (c.kind == Kind::vertex_of_a)
    return candidate(a.vertex[c.vertex], c.on_b.on(b), face_normal(b, c.on_b));
  if (c.kind == Kind::vertex_of_b)
    return candidate(c.on_a.on(a), b.vertex[c.vertex], face_normal(a, c.on_a));
  return candidate(c.on_a.on(a), c.on_b.on(b), cross(a.edge[c.on_a.edge], b.edge[c.on_b.edge]));
}

template <class Real>
void offer_vertices(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b,
                    Closest<Real>& closest) {
  using Kind = typename Closest<Real>::Kind;
  for (int i = 0; i < 3; ++i) {
    const Projection<Real> to_b = project(a.vertex[i], b);
    if (to_b.distance2 < closest.distance2)
      closest = {to_b.distance2, Kind::vertex_of_a, i, {}, to_b.foot};
    const Projection<Real> to_a = project(b.vertex[i], a);
    if (to_a.distance2 < closest.distance2)
      closest = {to_a.distance2, Kind::vertex_of_b, i, to_a.foot, {}};
  }
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
  const Real s_n2 = dot(cross(r, b.edge[j]), n);
  const Real t_n2 = dot(cross(r, a.edge[i]), n);
  if (!(s_n2 > zero && s_n2 < n2 && t_n2 > zero && t_n2 < n2)) return;
  const Real s = s_n2 / n2, t = t_n2 / n2;
  const Real distance2 = squared_norm(r + t * b.edge[j] - s * a.edge[i]);
  if (distance2 < closest.distance2)
    closest = {distance2, Closest<Real>::Kind::edges, 0, {i, s, zero}, {j, t, zero}};
}

template <class Real>
void offer_edges(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b,
                 Closest<Real>& closest) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) offer_edge_pair(a, i, b, j, closest);
}

template <class Real>
Candidate<Real> closest_features(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b) {
  Closest<Real> closest;
  offer_vertices(a, b, closest);
  offer_edges(a, b, closest);
  return candidate(a, b, closest);
}

// min over b of n·x - max over a of n·x.
double support_gap(const PreparedTriangle<double>& a, const PreparedTriangle<double>& b,
                   const RealVec<double>& n) {
  const double a_max = std::max({dot(n, a.vertex[0]), dot(n, a.vertex[1]), dot(n, a.vertex[2])});
  const double b_min = std::min({dot(n, b.vertex[0]), dot(n, b.vertex[1]), dot(n, b.vertex[2])});
  return b_min - a_max;
}

// Where the edges of one triangle pass through the plane of the other.
template <class Real, class Offer>
void for_each_piercing(const PreparedTriangle<Real>& edges, const PreparedTriangle<Real>& face,
                       Offer offer) {
  const RealVec<Real> n = cross(face.edge[face.base], face.height);
  Real side[3];
  for (int i = 0; i < 3; ++i) side[i] = dot(n, edges.vertex[i] - face.vertex[face.base]);
  for (int i = 0; i < 3; ++i) {
    const Real start = side[i], end = side[next(i)];
    if (start * end > Real(0) || !(start < end || end < start)) continue;
    const RealVec<Real> x = edges.vertex[i] + (start / (start - end)) * edges.edge[i];
    offer(x, project(x, face).foot.on(face));
  }
}

// Where overlapping triangles come closest: where an edge of one pierces the other, or the closest
// features if those are closer (coplanar triangles).
template <class Real>
Candidate<Real> common_point(const PreparedTriangle<Real>& a, const PreparedTriangle<Real>& b,
                             const Candidate<Real>& features) {
  Candidate<Real> best = features;
  const auto keep_closest = [&](const RealVec<Real>& on_a, const RealVec<Real>& on_b) {
    const Candidate<Real> piercing = candidate(on_a, on_b, {});
    if (piercing.distance2 < best.distance2) best = piercing;
  };
  for_each_piercing(a, b, keep_closest);
  for_each_piercing(b, a, [&](const auto& x, const auto& y) { keep_closest(y, x); });
  return best;
}

// The best gap among the directions that a candidate proposes: from point to point, which errs by
// u L / d if these are d apart, and the normal of the features, which errs by u over the sine of
// the triangle's least angle or of the angle between the edges.
template <class Real>
double best_gap(const PreparedTriangle<double>& a, const PreparedTriangle<double>& b,
                const Candidate<Real>& candidate) {
  const Vec3 between = normalized((candidate.b - candidate.a).rounded());
  const Vec3 normal = normalized(candidate.normal.rounded());
  return std::max(
      {support_gap(a, b, between), support_gap(a, b, normal), support_gap(a, b, -normal)});
}

ClosestPoints result(double lower, double distance, const Vec3& a, const Vec3& b,
                     const Vec3& origin) {
  return {std::max(lower, 0.0), distance, a + origin, b + origin};
}

// Double leaves it open whether the triangles overlap, or how far they are apart.
ClosestPoints careful_distance(const Triangle& a, const Triangle& b,
                               const PreparedTriangle<double>& pa,
                               const PreparedTriangle<double>& pb, double rounding_margin) {
  const Vec3& origin = a.a;
  const auto wide_a = prepare<DoubleDouble>(a, origin), wide_b = prepare<DoubleDouble>(b, origin);
  const Candidate<DoubleDouble> best = closest_features(wide_a, wide_b);
  const double lower = best_gap(pa, pb, best) - rounding_margin;
  if (lower <= 0 && triangles_overlap(a, b)) {
    const Vec3 common = common_point(wide_a, wide_b, best).a.rounded();
    return result(0, 0, common, common, origin);
  }
  // Disjoint triangles are never at distance 0, however close.
  const double distance =
      std::max(static_cast<double>(sqrt(best.distance2)), std::numeric_limits<double>::min());
  return result(lower, distance, best.a.rounded(), best.b.rounded(), origin);
}

}  // namespace

ClosestPoints triangle_distance(const Triangle& a, const Triangle& b, double rounding_margin) {
  const Vec3& origin = a.a;
  const PreparedTriangle<double> pa = prepare<double>(a, origin);
  const PreparedTriangle<double> pb = prepare<double>(b, origin);
  Closest<double> closest;
  Candidate<double> best;
  double distance = 0, lower = 0;
  const auto update = [&] {
    best = candidate(pa, pb, closest);
    distance = std::sqrt(best.distance2);
    lower = distance > 0 ? support_gap(pa, pb, best.b - best.a) / distance - rounding_margin : 0;
  };
  const auto found = [&] {
    return result(lower, distance, best.a.rounded(), best.b.rounded(), origin);
  };
  offer_vertices(pa, pb, closest);
  update();
  // A gap as large as the distance proves that the edges are no closer: most pairs end here.
  if (lower > 0 && distance - lower <= 2 * rounding_margin) return found();
  offer_edges(pa, pb, closest);
  update();
  // All features are known; the bound need not be tighter than a millionth.
  const double tight_enough = (1 - 0x1p-20) * distance - 2 * rounding_margin;
  if (lower > 0 && lower >= tight_enough) return found();
  lower = best_gap(pa, pb, best) - rounding_margin;
  if (lower > 0 && lower >= tight_enough) return found();
  if (lower <= 0 && triangles_overlap(a, b)) {
    const Candidate<double> common = common_point(pa, pb, best);
    if (common.distance2 <= rounding_margin * rounding_margin)
      return result(0, 0, common.a.rounded(), common.a.rounded(), origin);
  }
  return careful_distance(a, b, pa, pb, rounding_margin);
}

}  // namespace proven
