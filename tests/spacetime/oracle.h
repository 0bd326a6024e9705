// An independent twin: corners in long double, overlap by crossing edges and points inside, time by
// dense samples that are refined around the smallest distance. Shares no code with the library.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "proven/base/random.h"
#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime::twin {

using Real = long double;

struct Point {
  Real x, y;
};

// A convex outline and a radius around it.
struct Blob {
  std::vector<Point> outline;  // one point: a disc
  Real radius = 0;
};

struct OraclePose {
  Real x, y, heading;
};

inline OraclePose pose_between(const Trajectory& m, std::size_t i, Real t) {
  const Real s = (t - m.t[i]) / (static_cast<Real>(m.t[i + 1]) - m.t[i]);
  const Real turn = static_cast<Real>(m.heading[i + 1]) - m.heading[i];
  const Real x0 = m.x[i], y0 = m.y[i], x1 = m.x[i + 1], y1 = m.y[i + 1];
  const Real heading = m.heading[i] + s * turn;
  if (m.between != Interpolation::arc || std::fabs(turn) < 1e-9L)
    return {x0 + s * (x1 - x0), y0 + s * (y1 - y0), heading};
  // The textbook way: the centre of the turn lies on the bisector of the chord.
  const Real half = 0.5L * turn, k = 0.5L / std::tan(half);
  const Real cx = 0.5L * (x0 + x1) - k * (y1 - y0), cy = 0.5L * (y0 + y1) + k * (x1 - x0);
  const Real c = std::cos(s * turn), sn = std::sin(s * turn);
  return {cx + c * (x0 - cx) - sn * (y0 - cy), cy + sn * (x0 - cx) + c * (y0 - cy), heading};
}

inline OraclePose oracle_pose(const Trajectory& m, Real t) {
  std::size_t i = 0;
  while (i + 2 < m.t.size() && t > m.t[i + 1]) ++i;
  return pose_between(m, i, t);
}

inline std::vector<Blob> placed(const Footprint& footprint, const OraclePose& pose) {
  std::vector<Blob> blobs;
  const Real c = std::cos(pose.heading), s = std::sin(pose.heading);
  for (const Piece& piece : footprint.pieces()) {
    std::vector<Point> local;
    if (!piece.corners.empty())
      for (const Vec2 p : piece.corners) local.push_back({p.x, p.y});
    else if (piece.half.x == 0 && piece.half.y == 0)
      local.push_back({piece.centre.x, piece.centre.y});
    else
      for (const auto& [sx, sy] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}})
        local.push_back({piece.centre.x + static_cast<Real>(sx) * piece.half.x,
                         piece.centre.y + static_cast<Real>(sy) * piece.half.y});
    Blob blob;
    blob.radius = piece.radius;
    for (const Point p : local)
      blob.outline.push_back({pose.x + c * p.x - s * p.y, pose.y + s * p.x + c * p.y});
    blobs.push_back(std::move(blob));
  }
  return blobs;
}

inline Real area(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

inline Real point_to_edge(Point p, Point a, Point b) {
  const Real dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  Real s = length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0;
  s = std::min<Real>(1, std::max<Real>(0, s));
  return std::hypot(p.x - a.x - s * dx, p.y - a.y - s * dy);
}

inline bool inside(Point p, const std::vector<Point>& outline) {
  bool odd = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++)
    if ((outline[i].y > p.y) != (outline[j].y > p.y) &&
        p.x < (outline[j].x - outline[i].x) * (p.y - outline[i].y) / (outline[j].y - outline[i].y) +
                  outline[i].x)
      odd = !odd;
  return odd;
}

// The distance of the outlines, zero if they overlap.
inline Real outline_distance(const std::vector<Point>& a, const std::vector<Point>& b) {
  if (a.size() > 2 && inside(b[0], a)) return 0;
  if (b.size() > 2 && inside(a[0], b)) return 0;
  Real best = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Point a0 = a[i], a1 = a[(i + 1) % a.size()], b0 = b[j], b1 = b[(j + 1) % b.size()];
      if (area(a0, a1, b0) * area(a0, a1, b1) < 0 && area(b0, b1, a0) * area(b0, b1, a1) < 0)
        return 0;
      best = std::min({best, point_to_edge(b0, a0, a1), point_to_edge(a0, b0, b1)});
    }
  return best;
}

// Negative only by radii: for outlines that overlap it is minus the radii.
inline Real distance_of(const std::vector<Blob>& a, const std::vector<Blob>& b) {
  Real best = std::numeric_limits<Real>::infinity();
  for (const Blob& p : a)
    for (const Blob& q : b)
      best = std::min(best, outline_distance(p.outline, q.outline) - p.radius - q.radius);
  return best;
}

inline Real distance_at(const Footprint& a, const Trajectory& ma, const Footprint& b,
                        const Trajectory& mb, Real t) {
  return distance_of(placed(a, oracle_pose(ma, t)), placed(b, oracle_pose(mb, t)));
}

struct Closest {
  Real distance, t;
};

// The smallest distance seen over the common time.
inline Closest closest(const Footprint& a, const Trajectory& ma, const Footprint& b,
                       const Trajectory& mb, int samples) {
  const Real t0 = std::max(ma.t.front(), mb.t.front()), t1 = std::min(ma.t.back(), mb.t.back());
  Closest best{std::numeric_limits<Real>::infinity(), t0};
  const auto look = [&](Real t) {
    const Real d = distance_at(a, ma, b, mb, t);
    if (d < best.distance) best = {d, t};
  };
  for (int i = 0; i <= samples; ++i) look(t0 + (t1 - t0) * i / samples);
  Real step = (t1 - t0) / samples;
  for (int round = 0; round < 40 && best.distance > 0; ++round, step *= 0.6L) {
    const Real t = best.t;
    look(std::max(t0, t - step));
    look(std::min(t1, t + step));
  }
  return best;
}

inline Footprint random_footprint(Random& random) {
  switch (random.index(5)) {
    case 0:
      return Footprint::circle(random.uniform(0.1, 2), {random.uniform(-2, 2), 0}).value();
    case 1: {
      std::vector<Vec2> corners;
      const int n = 3 + random.index(5);
      for (int i = 0; i < n; ++i) {
        const double angle = 2 * M_PI * (i + 0.8 * random.uniform()) / n,
                     r = random.uniform(0.5, 3);
        corners.push_back({r * std::cos(angle), r * std::sin(angle)});
      }
      return Footprint::polygon(corners).value();
    }
    case 2: {
      const Footprint parts[] = {Footprint::box(4, 1.8).value(),
                                 Footprint::box(6, 2, {-6, 0}, 0.1).value(),
                                 Footprint::circle(0.4, {3, 0}).value()};
      return Footprint::compound(parts);
    }
    default:
      return Footprint::box(random.uniform(0.2, 12), random.uniform(0.05, 2.5),
                            {random.uniform(-1, 3), 0})
          .value();
  }
}

inline Trajectory random_motion(Random& random, int samples, double area, double max_turn) {
  Trajectory m;
  double t = random.uniform(-0.5, 0.5), x = random.uniform(-area, area),
         y = random.uniform(-area, area), heading = random.uniform(-3, 3);
  const double speed = random.uniform(0, 20);
  for (int i = 0; i < samples; ++i) {
    m.t.push_back(t), m.x.push_back(x), m.y.push_back(y), m.heading.push_back(heading);
    const double dt = random.uniform(0.05, 0.6);
    t += dt;
    x += speed * dt * random.uniform(-1, 1);
    y += speed * dt * random.uniform(-1, 1);
    heading += random.uniform(-max_turn, max_turn);
  }
  return m;
}

}  // namespace proven::spacetime::twin
