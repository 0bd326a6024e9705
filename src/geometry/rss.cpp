#include "rss.h"

#include <algorithm>
#include <limits>

namespace proven {
namespace {

// Two rectangles in A's frame. Points are s0 u0 + s1 u1 and c + t0 v0 + t1 v1 with |s_i| <= a_i and
// |t_j| <= b_j; d is the difference of the second and the first.
struct RectanglePair {
  Vec3 c, u[2], v[2];
  double a[2], b[2];
  double cu[2], cv[2];  // c.u_i, c.v_j
  double m[2][2];       // u_i.v_j
};

// A pair of points of the two rectangles.
struct Parameters {
  double s[2] = {0, 0};
  double t[2] = {0, 0};
};

RectanglePair make_pair(const BvNode& a, const BvNode& b, const Pose& X_AB) {
  RectanglePair p;
  p.c = X_AB * b.rss_centre - a.rss_centre;
  for (int i = 0; i < 2; ++i) {
    p.u[i] = a.R_BN.column(i);
    p.v[i] = X_AB.R * b.R_BN.column(i);
    p.a[i] = a.rss_half[i];
    p.b[i] = b.rss_half[i];
    p.cu[i] = dot(p.c, p.u[i]);
    p.cv[i] = dot(p.c, p.v[i]);
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) p.m[i][j] = dot(p.u[i], p.v[j]);
  }
  return p;
}

double clamp_to(double value, double limit) {
  return std::min(std::max(value, -limit), limit);
}

// The s that is nearest to the point t of the other rectangle, and the other way round.
void project_to_a(const RectanglePair& p, Parameters& x) {
  for (int i = 0; i < 2; ++i) {
    x.s[i] = clamp_to(p.cu[i] + x.t[0] * p.m[i][0] + x.t[1] * p.m[i][1], p.a[i]);
  }
}
void project_to_b(const RectanglePair& p, Parameters& x) {
  for (int j = 0; j < 2; ++j) {
    x.t[j] = clamp_to(x.s[0] * p.m[0][j] + x.s[1] * p.m[1][j] - p.cv[j], p.b[j]);
  }
}

Vec3 difference(const RectanglePair& p, const Parameters& x) {
  return p.c + (x.t[0] * p.v[0] + x.t[1] * p.v[1]) - (x.s[0] * p.u[0] + x.s[1] * p.u[1]);
}

// The closest points of the segments in which only s_i and t_j vary.
void solve_edges(const RectanglePair& p, int i, int j, Parameters& x) {
  // A square root of the smallest double keeps parallel edges (1 - m^2 = 0) free of 0/0: the
  // quotient is then 0 or huge, and clamping takes the right end.
  constexpr double kTiny = 0x1p-500;
  const double m = p.m[i][j];
  const double s_part = p.cu[i] + x.t[1 - j] * p.m[i][1 - j];
  const double t_part = x.s[1 - i] * p.m[1 - i][j] - p.cv[j];
  x.s[i] = clamp_to((s_part + m * t_part) / std::max(1 - m * m, kTiny), p.a[i]);
  x.t[j] = clamp_to(x.s[i] * m + t_part, p.b[j]);
  x.s[i] = clamp_to(s_part + x.t[j] * m, p.a[i]);
}

// The support gap along n, for n of any length.
double gap_along(const RectanglePair& p, const Vec3& n) {
  const double length = norm(n);
  if (!(length > 0)) return 0;
  const double extent = (p.a[0] * std::fabs(dot(n, p.u[0])) + p.a[1] * std::fabs(dot(n, p.u[1]))) +
                        (p.b[0] * std::fabs(dot(n, p.v[0])) + p.b[1] * std::fabs(dot(n, p.v[1])));
  return (std::fabs(dot(n, p.c)) - extent) / length;
}

// Which of the four parameters could still move either way.
struct FreeAxes {
  int u = -1, v = -1;  // a free one of each rectangle
  int count_u = 0, count_v = 0;
};
FreeAxes free_axes(const RectanglePair& p, const Parameters& x) {
  FreeAxes free;
  for (int i = 0; i < 2; ++i) {
    if (std::fabs(x.s[i]) < p.a[i]) free.u = i, ++free.count_u;
    if (std::fabs(x.t[i]) < p.b[i]) free.v = i, ++free.count_v;
  }
  return free;
}

Vec3 without_component(const Vec3& d, const Vec3& unit) {
  return d - dot(d, unit) * unit;
}

// The difference d of the closest points, made perpendicular to the directions in which the points
// could still slide: rounding in a short d would otherwise cost gap in proportion to the sides.
Vec3 polished_direction(const RectanglePair& p, const Parameters& x, const Vec3& d) {
  const FreeAxes free = free_axes(p, x);
  if (free.count_u == 2) return cross(p.u[0], p.u[1]);
  if (free.count_v == 2) return cross(p.v[0], p.v[1]);
  if (free.count_u == 1 && free.count_v == 1) return cross(p.u[free.u], p.v[free.v]);
  if (free.count_u == 1) return without_component(d, p.u[free.u]);
  if (free.count_v == 1) return without_component(d, p.v[free.v]);
  return d;
}

// Alternating projections, with exact steps for pairs of edges. Once s stays in place, s and t are
// each the best for the other; the problem is convex and s and t are limited separately, so they
// are the best of all. Usually one or two rounds.
Parameters close_points(const RectanglePair& p) {
  constexpr int kRounds = 6;
  const double still = 0x1p-48 * ((p.a[0] + p.a[1]) + (p.b[0] + p.b[1]));
  Parameters x;
  project_to_a(p, x);
  for (int round = 0; round < kRounds; ++round) {
    const double s0 = x.s[0], s1 = x.s[1];
    project_to_b(p, x);
    project_to_a(p, x);
    if (std::fabs(x.s[0] - s0) + std::fabs(x.s[1] - s1) <= still) break;
    const FreeAxes free = free_axes(p, x);
    if (free.count_u == 1 && free.count_v == 1) solve_edges(p, free.u, free.v, x);
  }
  return x;
}

// The largest gap over all features: closest pair of edges (which covers corners), then the normals
// (a corner over a face) and the cross products of edges.
double gap_by_enumeration(const RectanglePair& p) {
  Parameters best;
  double best_squared = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 16; ++k) {
    const int i = k & 1, j = (k >> 1) & 1;
    Parameters x;
    x.s[1 - i] = (k & 4) ? p.a[1 - i] : -p.a[1 - i];
    x.t[1 - j] = (k & 8) ? p.b[1 - j] : -p.b[1 - j];
    solve_edges(p, i, j, x);
    const double squared = squared_norm(difference(p, x));
    if (squared < best_squared) best_squared = squared, best = x;
  }
  const Vec3 d = difference(p, best);
  double gap = std::max(gap_along(p, cross(p.u[0], p.u[1])), gap_along(p, cross(p.v[0], p.v[1])));
  gap = std::max(gap, gap_along(p, polished_direction(p, best, d)));
  for (int i = 0; i < 2; ++i) {  // nearly parallel edges: their cross product is too coarse
    gap = std::max(gap, gap_along(p, without_component(d, p.u[i])));
    gap = std::max(gap, gap_along(p, without_component(d, p.v[i])));
  }
  return std::max(gap, gap_along(p, d));
}

}  // namespace

double rss_distance_lower(const BvNode& a, const BvNode& b, const BvPairPose& pose) {
  const RectanglePair p = make_pair(a, b, pose.X_AB);
  const double taken = (a.rss_radius + b.rss_radius) + pose.rounding_margin;
  const Parameters x = close_points(p);
  const Vec3 d = difference(p, x);
  const double apart = norm(d);
  if (apart <= taken) return 0;  // two points this close: no direction can do better
  double gap = gap_along(p, polished_direction(p, x, d));
  // No gap exceeds the distance of two points, so a gap close to it is the best one.
  if (gap < apart - pose.rounding_margin) gap = std::max(gap, gap_by_enumeration(p));
  const double lower = gap - taken;
  return lower > 0 ? lower : 0;  // also for NaN
}

}  // namespace proven
