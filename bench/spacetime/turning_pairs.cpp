#include "bench/spacetime/turning_pairs.h"

#include <algorithm>
#include <cmath>

namespace proven::bench {
namespace {

using spacetime::Interpolation;
using spacetime::Trajectory;

struct Walk {
  int samples = 2;
  double t0 = 0, step = 0.5;
  double area = 6;    // metres around the origin in which it starts
  double speed = 10;  // m/s along each axis, at most
  double turn = 1;    // rad per step, at most
};

Trajectory random_steps(Random& random, const Walk& walk) {
  Trajectory m;
  double x = random.uniform(-walk.area, walk.area), y = random.uniform(-walk.area, walk.area);
  double heading = random.uniform(-M_PI, M_PI);
  for (int i = 0; i < walk.samples; ++i) {
    m.t.push_back(walk.t0 + i * walk.step);
    m.x.push_back(x), m.y.push_back(y), m.heading.push_back(heading);
    x += random.uniform(-walk.speed, walk.speed) * walk.step;
    y += random.uniform(-walk.speed, walk.speed) * walk.step;
    heading += random.uniform(-walk.turn, walk.turn);
  }
  return m;
}

TurningPair free_pair(Random& random, const Walk& walk) {
  const auto box = [&] {
    const double length = random.uniform(1, 8), width = random.uniform(0.3, 2.5);
    return TurningBox{length, width, random_steps(random, walk)};
  };
  TurningPair p;
  p.a = box();
  p.b = box();
  return p;
}

// A long thin box and a post near the circle of its ends.
TurningPair spinning_pair(Random& random) {
  TurningPair p = free_pair(random, {.area = 0, .speed = 0, .turn = 0});
  p.a.length = random.uniform(8, 20), p.a.width = random.uniform(0.02, 0.2);
  p.b.length = p.b.width = random.uniform(0.05, 0.5);
  p.a.motion.heading[1] += random.uniform(-3, 3);
  const double r = 0.5 * p.a.length + random.uniform(-0.6, 0.4);
  const auto& heading = p.a.motion.heading;
  const double at = heading[0] + random.uniform(0, 1) * (heading[1] - heading[0]);
  p.b.motion.x.assign(2, r * std::cos(at));
  p.b.motion.y.assign(2, r * std::sin(at));
  return p;
}

// A truck turns through the direction across a wall: its end swings out.
TurningPair swinging_pair(Random& random) {
  TurningPair p = free_pair(random, {.area = 0.5, .speed = 2, .turn = 0});
  p.a.length = random.uniform(8, 18), p.a.width = 2.5;
  p.b.length = 40, p.b.width = 0.2;
  const double half = random.uniform(0.05, 0.6);
  p.a.motion.heading = {M_PI / 2 - half, M_PI / 2 + half * random.uniform(0.8, 1.2)};
  const double side = 0.5 * p.a.length * std::cos(half) + 0.5 * p.a.width * std::sin(half);
  p.b.motion.heading = p.b.motion.x = {0, 0};
  p.b.motion.y.assign(
      2, std::max(p.a.motion.y[0], p.a.motion.y[1]) + side + 0.1 + random.uniform(-0.05, 0.6));
  return p;
}

TurningPair wall_pair(Random& random) {
  TurningPair p;
  p.a.length = p.a.width = random.uniform(0.1, 0.5);
  p.b.length = 6, p.b.width = 0.001;
  p.a.motion = random_steps(random, {.area = 4, .speed = 60, .turn = 0.5});
  p.b.motion = random_steps(random, {.area = 4, .speed = 1, .turn = 0.5});
  return p;
}

// Turns of less than 0.01 rad become none: the oracle forms the centre of a turn, and a radius of
// kilometres would cost it digits.
TurningPair arc_pair(Random& random) {
  TurningPair p = free_pair(random, {.speed = 12, .turn = 1.5});
  for (Trajectory* m : {&p.a.motion, &p.b.motion}) {
    m->between = Interpolation::arc;
    if (std::fabs(m->heading[1] - m->heading[0]) < 0.01) m->heading[1] = m->heading[0];
  }
  return p;
}

// Where a box is, how fast it moves and turns, and how strongly its corners can be bent aside.
struct PlacedBox {
  double x = 0, y = 0, c = 1, s = 0, half_length = 0, half_width = 0;
  double vx = 0, vy = 0, turn_rate = 0;
  double bend = 0;  // bound on the acceleration of any corner, constant on a step

  struct Corner {
    double along, rate;  // the corner on an axis, and its speed there
  };
  std::array<Corner, 4> corners(double nx, double ny) const {
    std::array<Corner, 4> list;
    for (int i = 0; i < 4; ++i) {
      const double l = i & 1 ? half_length : -half_length, w = i & 2 ? half_width : -half_width;
      const double rx = c * l - s * w, ry = s * l + c * w;
      list[static_cast<std::size_t>(i)] = {nx * (x + rx) + ny * (y + ry),
                                           nx * (vx - turn_rate * ry) + ny * (vy + turn_rate * rx)};
    }
    return list;
  }
};

// Looks at the step that holds t; where two meet, at the later one.
PlacedBox placed(const TurningBox& box, double t) {
  const Trajectory& m = box.motion;
  std::size_t i = 0;
  while (i + 2 < m.t.size() && t >= m.t[i + 1]) ++i;
  const double dt = m.t[i + 1] - m.t[i], s = (t - m.t[i]) / dt;
  const double dx = m.x[i + 1] - m.x[i], dy = m.y[i + 1] - m.y[i];
  const double turn = m.heading[i + 1] - m.heading[i], heading = m.heading[i] + s * turn;
  PlacedBox b{m.x[i] + s * dx, m.y[i] + s * dy, std::cos(heading), std::sin(heading)};
  b.half_length = 0.5 * box.length, b.half_width = 0.5 * box.width;
  b.vx = dx / dt, b.vy = dy / dt, b.turn_rate = turn / dt;
  double radius = std::hypot(b.half_length, b.half_width);
  if (m.between == Interpolation::arc && turn != 0) {
    // About the centre of the turn, which lies on the bisector of the chord.
    const double k = 0.5 / std::tan(0.5 * turn);
    const double cx = m.x[i] + 0.5 * dx - k * dy, cy = m.y[i] + 0.5 * dy + k * dx;
    const double c = std::cos(s * turn), sn = std::sin(s * turn);
    const double rx = c * (m.x[i] - cx) - sn * (m.y[i] - cy);
    const double ry = sn * (m.x[i] - cx) + c * (m.y[i] - cy);
    b.x = cx + rx, b.y = cy + ry;
    b.vx = -b.turn_rate * ry, b.vy = b.turn_rate * rx;
    radius += std::hypot(rx, ry);
  }
  b.bend = b.turn_rate * b.turn_rate * radius;
  return b;
}

struct Gap {
  double size = -1e300;
  double nx = 1, ny = 0;  // the axis that shows it, from a to b
};

Gap largest_gap(const PlacedBox& a, const PlacedBox& b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double c = std::fabs(a.c * b.c + a.s * b.s), s = std::fabs(a.c * b.s - a.s * b.c);
  Gap best;
  const auto look = [&](double nx, double ny, double halves) {
    const double along = nx * dx + ny * dy, size = std::fabs(along) - halves;
    if (size > best.size) best = {size, along < 0 ? -nx : nx, along < 0 ? -ny : ny};
  };
  look(a.c, a.s, a.half_length + b.half_length * c + b.half_width * s);
  look(-a.s, a.c, a.half_width + b.half_length * s + b.half_width * c);
  look(b.c, b.s, b.half_length + a.half_length * c + a.half_width * s);
  look(-b.s, b.c, b.half_width + a.half_length * s + a.half_width * c);
  return best;
}

// The first root of p + q t - k t^2 / 2, for p > 0 and k >= 0.
double root(double p, double q, double k) {
  const double r = std::sqrt(q * q + 2 * k * p);
  if (q > 0) return k > 0 ? (q + r) / k : 1e300;
  return r - q > 0 ? 2 * p / (r - q) : 1e300;
}

// For how long no corner of b can come within `level` of a corner of a along the axis: each keeps
// its speed but for its bend.
double seconds_above(const PlacedBox& a, const PlacedBox& b, const Gap& gap, double level) {
  const double bend = a.bend + b.bend;
  double least = 1e300;
  for (const auto& q : b.corners(gap.nx, gap.ny))
    for (const auto& p : a.corners(gap.nx, gap.ny))
      least = std::min(least, root(q.along - p.along - level, q.rate - p.rate, bend));
  return least;
}

Gap gap_of(const TurningPair& p, double t) {
  return largest_gap(placed(p.a, t), placed(p.b, t));
}

std::vector<double> common_times(const TurningPair& p) {
  const double begin = std::max(p.a.motion.t.front(), p.b.motion.t.front());
  const double end = std::min(p.a.motion.t.back(), p.b.motion.t.back());
  std::vector<double> times = {begin, end};
  for (const TurningBox* box : {&p.a, &p.b})
    for (const double t : box->motion.t)
      if (t > begin && t < end) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// Pairs that touch by a hair: any other kind, b shifted along the axis of the smallest gap found so
// that about nothing is left of it, to either side.
TurningPair grazing_pair(Random& random) {
  TurningPair p = random_pair(random, static_cast<PairKind>(random.index(6)));
  const std::vector<double> times = common_times(p);
  const double begin = times.front(), end = times.back();
  double at = begin, least = 1e300;
  const auto look = [&](double t) {
    const double size = gap_of(p, t).size;
    if (size < least) least = size, at = t;
  };
  for (int i = 0; i <= 32; ++i) look(begin + (end - begin) * i / 32);
  for (double width = (end - begin) / 32; width > 1e-7; width *= 0.6) {
    const double t = at;
    look(std::max(begin, t - width));
    look(std::min(end, t + width));
  }
  const Gap gap = gap_of(p, at);
  const double sign = random.index(2) ? 1 : -1;
  const double shift = -gap.size + sign * std::pow(10.0, random.uniform(-7, -2.5));
  for (double& x : p.b.motion.x) x += shift * gap.nx;
  for (double& y : p.b.motion.y) y += shift * gap.ny;
  return p;
}

}  // namespace

TurningPair random_pair(Random& random, PairKind kind) {
  switch (kind) {
    case PairKind::spinning:
      return spinning_pair(random);
    case PairKind::swinging_tail:
      return swinging_pair(random);
    case PairKind::thin_wall:
      return wall_pair(random);
    case PairKind::time_steps: {
      TurningPair p = free_pair(random, {.samples = 4, .step = 0.17, .turn = 0.7});
      p.b.motion = random_steps(random, {.samples = 3, .t0 = 0.05, .step = 0.23, .turn = 0.7});
      return p;
    }
    case PairKind::arcs:
      return arc_pair(random);
    case PairKind::grazing:
      return grazing_pair(random);
    case PairKind::random:
      break;
  }
  return free_pair(random, {});
}

double gap_at(const TurningPair& pair, double t) {
  return gap_of(pair, t).size;
}

// Advancement: along the axis of the largest gap every corner keeps its speed but for its bend, so
// nothing reaches the level before a time that can be computed; there one looks again.
Oracle compare(const TurningPair& pair, double level) {
  constexpr double kTouch = 1e-9;   // metres: nearer to the level than this gives no answer ...
  constexpr double kStride = 1e-6;  // seconds: ... but is stepped over, in search of a deeper place
  constexpr int kMostStrides = 20000;
  const std::vector<double> times = common_times(pair);
  int strides = 0;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    for (double t = times[i]; t < times[i + 1];) {
      const PlacedBox a = placed(pair.a, t), b = placed(pair.b, t);
      const Gap gap = largest_gap(a, b);
      const double above = gap.size - level;
      if (above < -kOracleRounding) return Oracle::below;
      if (above >= kTouch) {
        t += seconds_above(a, b, gap, level + kOracleRounding);
      } else {
        if (++strides > kMostStrides) return Oracle::grazing;
        t += kStride;
      }
    }
  }
  if (gap_at(pair, times.back()) - level < -kOracleRounding) return Oracle::below;
  return strides > 0 ? Oracle::grazing : Oracle::above;
}

}  // namespace proven::bench
