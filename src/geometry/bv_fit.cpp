#include "bv_fit.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include "proven/base/elementary.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rotating and shifting a point x of a piece into B errs by at most 7 u (|p| + |x|), u = 2^-53; the
// corners of a polygon around a rim of radius r have errors of 18 u r of their own (angles up to
// 2 pi, a sine and a quotient). Box, capsule and polygon have |x| <= 1.002 |half_extents|.
constexpr double kPlacingError = 0x1p-49;
// Coordinates along a node's axes of w = p - centre: the difference errs by u |w|, the dot product
// by 3 u |w|, axes orthonormal to 8 u by 8 sqrt(3) u |w|, sums with a radius r by 2 u (|w| + r): in
// all less than 24 u (|w| + r). Points of the rectangle err by less. Squares of lengths below
// 2^-511 m underflow: the constant covers what they lose.
double local_error(double length) {
  return 0x1p-48 * length + 0x1p-508;
}

struct Interval {
  double low = kInfinity, high = -kInfinity;

  void include(double from, double to) { low = std::min(low, from), high = std::max(high, to); }
  double centre() const { return 0.5 * (low + high); }
  double half() const { return 0.5 * (high - low); }
};

// The columns of R by decreasing extent of the balls along them.
Mat3 sorted_by_extent(const Mat3& R, std::span<const Ball> balls) {
  Interval x, y, z;
  for (const Ball& ball : balls) {
    const Vec3 p = transpose_times(R, ball.p);
    x.include(p.x - ball.radius, p.x + ball.radius);
    y.include(p.y - ball.radius, p.y + ball.radius);
    z.include(p.z - ball.radius, p.z + ball.radius);
  }
  const double half[3] = {x.half(), y.half(), z.half()};
  int order[3] = {0, 1, 2};
  std::stable_sort(order, order + 3, [&](int i, int j) { return half[i] > half[j]; });
  const Vec3 e0 = R.column(order[0]), e1 = R.column(order[1]);
  return Mat3::from_columns(e0, e1, cross(e0, e1));
}

// The rectangle of an RSS in the node's axes: its sides along axes 0 and 1, its height on axis 2.
struct Rectangle {
  Interval side[2];
  double height = 0;
};

// Moves the corners outwards until they reach the balls that lie beyond two sides at once. A ball
// within reach of each side alone may still be out of reach of the corner between them.
void extend_corners(std::span<const Ball> local_balls, double radius, Rectangle& rectangle) {
  for (const Ball& ball : local_balls) {
    const double height = ball.p.z - rectangle.height;
    const double free = radius - ball.radius;
    const double reach_squared = std::max(free * free - height * height, 0.0);
    double beyond[2];
    for (int i = 0; i < 2; ++i) {
      const Interval& side = rectangle.side[i];
      beyond[i] = std::max(std::max(side.low - ball.p[i], ball.p[i] - side.high), 0.0);
    }
    if (beyond[0] * beyond[0] + beyond[1] * beyond[1] <= reach_squared) continue;
    // Both sides move by t: (beyond0 - t)^2 + (beyond1 - t)^2 = reach^2.
    const double skew = beyond[0] - beyond[1];
    const double root = std::sqrt(std::max(2 * reach_squared - skew * skew, 0.0));
    const double t = 0.5 * (beyond[0] + beyond[1] - root);
    for (int i = 0; i < 2; ++i) {
      Interval& side = rectangle.side[i];
      const double by = std::clamp(t, 0.0, beyond[i]);
      if (ball.p[i] < side.low) side.low -= by;
      if (ball.p[i] > side.high) side.high += by;
    }
  }
}

// The sides are as short as the radius allows.
Rectangle fit_rectangle(std::span<const Ball> local_balls, double radius_factor) {
  Interval thickness;
  for (const Ball& ball : local_balls) {
    thickness.include(ball.p.z - ball.radius, ball.p.z + ball.radius);
  }
  Rectangle rectangle;
  rectangle.height = thickness.centre();
  const double radius = radius_factor * thickness.half();
  Interval reach[2];  // low: the largest permitted lower side; high: the smallest upper side
  for (const Ball& ball : local_balls) {
    const double height = ball.p.z - rectangle.height;
    const double free = radius - ball.radius;
    const double overhang = std::sqrt(std::max(free * free - height * height, 0.0));
    for (int i = 0; i < 2; ++i) reach[i].include(ball.p[i] + overhang, ball.p[i] - overhang);
  }
  for (int i = 0; i < 2; ++i) {
    // Sides that pass each other: any line between them serves.
    if (reach[i].low > reach[i].high) reach[i].low = reach[i].high = reach[i].centre();
    rectangle.side[i] = reach[i];
  }
  extend_corners(local_balls, radius, rectangle);
  return rectangle;
}

// Sets half extents and radius from the stored centres and axes, so that rounding in the fit above
// cannot leave a ball outside.
void enclose(std::span<const Ball> balls, BvNode& node) {
  const Vec3 e[3] = {node.R_BN.column(0), node.R_BN.column(1), node.R_BN.column(2)};
  node.obb_half = {0, 0, 0};
  node.rss_radius = 0;
  for (const Ball& ball : balls) {
    const Vec3 w = ball.p - node.obb_centre;
    const double grown = ball.radius + local_error(norm(w) + ball.radius);
    for (int i = 0; i < 3; ++i) {
      node.obb_half[i] = std::max(node.obb_half[i], std::fabs(dot(e[i], w)) + grown);
    }
    const Vec3 v = ball.p - node.rss_centre;
    Vec3 rest = v;
    for (int i = 0; i < 2; ++i) {
      rest -= std::clamp(dot(e[i], v), -node.rss_half[i], node.rss_half[i]) * e[i];
    }
    const double needed = norm(rest) + (ball.radius + local_error(norm(v) + ball.radius));
    node.rss_radius = std::max(node.rss_radius, needed);
  }
}

}  // namespace

void append_balls(const Triangle& triangle, std::vector<Ball>& balls) {
  for (const Vec3& p : {triangle.a, triangle.b, triangle.c}) balls.push_back({p, 0});
}

void append_balls(const Convex& convex, std::vector<Ball>& balls) {
  const Vec3& h = convex.half_extents;
  const double placing_error = kPlacingError * (norm(convex.X_BS.p) + 2 * norm(h));
  const auto append = [&](const Vec3& p_S) {
    balls.push_back({convex.X_BS * p_S, convex.radius + placing_error});
  };
  switch (convex.kind) {
    case ConvexKind::sphere:
      balls.push_back({convex.X_BS.p, convex.radius});
      break;
    case ConvexKind::capsule:
      for (const double side : {-1.0, 1.0}) append({0, 0, side * h.z});
      break;
    case ConvexKind::box:
      for (int k = 0; k < 8; ++k) {
        append({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
      }
      break;
    case ConvexKind::cylinder: {
      constexpr int kCorners = 64;  // the polygon's corners stand out by 0.12 % of the radius
      const double step = 2 * std::numbers::pi / kCorners;
      const double corner_radius = h.x / cosine(0.5 * step);
      for (int k = 0; k < kCorners; ++k) {
        const double x = corner_radius * cosine(k * step), y = corner_radius * sine(k * step);
        for (const double side : {-1.0, 1.0}) append({x, y, side * h.z});
      }
      break;
    }
    case ConvexKind::hull:
      for (const Vec3& p : convex.points) balls.push_back({p, convex.radius});
      break;
  }
}

BvNode fit_volumes(const Mat3& R, std::span<const Ball> balls, double radius_factor) {
  BvNode node;
  node.R_BN = sorted_by_extent(R, balls);
  // Local coordinates about a ball of the set: about the origin, small sets far away would lose
  // their digits.
  const Vec3 origin = balls.front().p;
  std::vector<Ball> local;
  local.reserve(balls.size());
  Interval extent[3];
  for (const Ball& ball : balls) {
    local.push_back({transpose_times(node.R_BN, ball.p - origin), ball.radius});
    const Vec3& x = local.back().p;
    for (int i = 0; i < 3; ++i) extent[i].include(x[i] - ball.radius, x[i] + ball.radius);
  }
  const Rectangle rectangle = fit_rectangle(local, radius_factor);
  node.obb_centre =
      origin + node.R_BN * Vec3{extent[0].centre(), extent[1].centre(), extent[2].centre()};
  node.rss_centre = origin + node.R_BN * Vec3{rectangle.side[0].centre(),
                                              rectangle.side[1].centre(), rectangle.height};
  for (int i = 0; i < 2; ++i) node.rss_half[i] = rectangle.side[i].half();
  enclose(balls, node);
  node.size = 2 * norm(node.obb_half);
  return node;
}

double fit_cost(const BvNode& node) {
  const Vec3& h = node.obb_half;
  const double box = 8 * (h.x * h.y + h.y * h.z + h.z * h.x);
  const double a = 2 * node.rss_half[0], b = 2 * node.rss_half[1], r = node.rss_radius;
  const double swept =
      2 * a * b + 2 * std::numbers::pi * r * (a + b) + 4 * std::numbers::pi * r * r;
  return box + swept;
}

}  // namespace proven
