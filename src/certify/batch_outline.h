// The second stage: one entry that balls left open. The chord rule on outlines, along directions
// that separate them at one moment; then balls inside the bodies at likely moments
// (docs/algorithms/sweep.md). What stays open goes to the search, chord by chord.
#pragma once

#include "batch_gjk.h"
#include "batch_sweep.h"

namespace proven::batch {

// What the stage says of an entry.
struct Narrowed {
  std::uint32_t open = 0;
  Found found = {-1, 0};  // pair >= 0: a contact
};

// A pose that is the same in all lanes.
struct Placed {
  double R[9], p[3];

  PROVEN_LANES V3 operator*(const V3& x) const {
    return {R[0] * x.x + R[1] * x.y + R[2] * x.z + p[0],
            R[3] * x.x + R[4] * x.y + R[5] * x.z + p[1],
            R[6] * x.x + R[7] * x.y + R[8] * x.z + p[2]};
  }
  PROVEN_LANES V3 turn(const V3& x) const {
    return {R[0] * x.x + R[1] * x.y + R[2] * x.z, R[3] * x.x + R[4] * x.y + R[5] * x.z,
            R[6] * x.x + R[7] * x.y + R[8] * x.z};
  }
  PROVEN_LANES V3 turn_back(const V3& x) const {
    return {R[0] * x.x + R[3] * x.y + R[6] * x.z, R[1] * x.x + R[4] * x.y + R[7] * x.z,
            R[2] * x.x + R[5] * x.y + R[8] * x.z};
  }
  PROVEN_LANES V3 back(const V3& x) const { return turn_back(x - V3{p[0], p[1], p[2]}); }
};

PROVEN_LANES Placed placed(const Frame& f, int k) {
  Placed X;
  for (int i = 0; i < 9; ++i) X.R[i] = at(f.R[i], k);
  for (int i = 0; i < 3; ++i) X.p[i] = at(f.p[i], k);
  return X;
}

PROVEN_LANES V3 vector(const float* p) {
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

// The point of a list that reaches farthest along n, by all lanes.
PROVEN_LANES V3 farthest_point(const float* points, int count, const V3& n) {
  const float x = static_cast<float>(n.x), y = static_cast<float>(n.y), z = static_cast<float>(n.z);
  const auto height = [&](int i) {
    return x * points[3 * i] + y * points[3 * i + 1] + z * points[3 * i + 2];
  };
  // Each lane its own best one.
  const Floats own_least = per_lane([&](int k) {
    float most = -INFINITY;
    for (int i = k; i < count; i += kLanes) most = larger(most, height(i));
    return -most;
  });
  const int lane = lane_of_least(own_least);
  const float most = -least_of(own_least);
  int best = lane;
  for (int i = lane; i < count; i += kLanes)
    if (height(i) == most) {
      best = i;
      break;
    }
  return vector(points + 3 * best);
}

// A support point of the solid's core, in the world.
PROVEN_LANES V3 solid_support(const Solid& s, const V3& n) {
  double along[3], y[3];
  for (int i = 0; i < 3; ++i)
    along[i] = static_cast<double>(s.R[3 * i]) * n.x + static_cast<double>(s.R[3 * i + 1]) * n.y +
               static_cast<double>(s.R[3 * i + 2]) * n.z;
  for (int i = 0; i < 3; ++i)
    y[i] = along[i] >= 0 ? static_cast<double>(s.half[i]) : -static_cast<double>(s.half[i]);
  if (s.cylinder != 0) {
    const float r = square_root(static_cast<float>(along[0] * along[0] + along[1] * along[1]));
    const double share = r > 0 ? static_cast<double>(s.half[0] / r) : 0;
    y[0] = along[0] * share;
    y[1] = along[1] * share;
  }
  V3 p;
  p.x = s.c[0] + s.R[0] * y[0] + s.R[3] * y[1] + s.R[6] * y[2];
  p.y = s.c[1] + s.R[1] * y[0] + s.R[4] * y[1] + s.R[7] * y[2];
  p.z = s.c[2] + s.R[2] * y[0] + s.R[5] * y[1] + s.R[8] * y[2];
  return p;
}

// How far the solid reaches along n; not less, as n may be longer than 1 by 2^-20.
PROVEN_LANES double solid_reach(const Solid& s, const V3& n) {
  double along[3];
  for (int i = 0; i < 3; ++i)
    along[i] = static_cast<double>(s.R[3 * i]) * n.x + static_cast<double>(s.R[3 * i + 1]) * n.y +
               static_cast<double>(s.R[3 * i + 2]) * n.z;
  const double core = s.cylinder != 0 ? s.half[0] * sqrt(along[0] * along[0] + along[1] * along[1])
                                      : s.half[0] * fabs(along[0]) + s.half[1] * fabs(along[1]);
  return s.c[0] * n.x + s.c[1] * n.y + s.c[2] * n.z + core + s.half[2] * fabs(along[2]) + s.radius;
}

PROVEN_LANES double points_reach(const float* points, int count, const V3& n) {
  return dot(farthest_point(points, count, n), n);
}

// How far the points of a frame reach along n, a direction of the world at every moment.
PROVEN_LANES Doubles frame_reach(const Frame& f, const float* points, int count, const Doubles& nx,
                                 const Doubles& ny, const Doubles& nz) {
  const Floats mx = to_floats(f.R[0] * nx + f.R[3] * ny + f.R[6] * nz),
               my = to_floats(f.R[1] * nx + f.R[4] * ny + f.R[7] * nz),
               mz = to_floats(f.R[2] * nx + f.R[5] * ny + f.R[8] * nz);
  Floats reach = mx * all(points[0]) + my * all(points[1]) + mz * all(points[2]);
  for (int v = 1; v < count; ++v)
    reach = most(
        reach, mx * all(points[3 * v]) + my * all(points[3 * v + 1]) + mz * all(points[3 * v + 2]));
  const Doubles base = nx * f.p[0] + ny * f.p[1] + nz * f.p[2];
  return per_lane([&](int k) { return static_cast<double>(own(reach, k)) + own(base, k); });
}

PROVEN_LANES Doubles everywhere(double x) {
  return per_lane([&](int) { return x; });
}

// Chords of `open` at one of whose ends the gap is not larger than what is needed.
PROVEN_LANES std::uint32_t still_open(std::uint32_t open, std::uint32_t far) {
  return open & ~(far & far >> 1);
}

// A moment of the chord in the middle of those that are open; of its ends, one after the other.
PROVEN_LANES int middle_moment(std::uint32_t open, int attempt) {
  for (int skip = count_of(open) / 2; skip > 0; --skip) open &= open - 1;
  return first_of(open) + attempt % 2;
}

class OutlineStage {
 public:
  PROVEN_LANES explicit OutlineStage(const Tables& tables) : t_(tables) {}

  PROVEN_LANES Narrowed run(const Entry& entry, const Segment& segment) {
    s_ = segment;
    const Doubles t = per_lane([](int k) { return moment(k); });
    if (entry.kind == Entry::kPair) return narrow_pair(entry, t);
    const Body& body = t_.bodies[entry.body];
    Frame f;
    place_body(t_, body, s_, t, f);
    return entry.kind == Entry::kLink ? narrow_link(entry, body, f) : narrow_solid(entry, body, f);
  }

 private:
  static constexpr int kTries = 4;
  // The first direction need not be the best: one along which they are so much farther apart will
  // do.
  PROVEN_LANES static double enough(int attempt, double needed) {
    return attempt == 1 ? 2 * needed + 0.01 : static_cast<double>(INFINITY);
  }
  // Directions may be longer than 1 by 2^-20.
  static constexpr double kLongest = 1 + 0x1p-19;

  // Against what stands still: `support` and `reach` tell its shape.
  template <class Support, class Reach>
  PROVEN_LANES std::uint32_t narrow_still(const Body& body, const Frame& f, V3 n, double needed,
                                          std::uint32_t open, const Support& support,
                                          const Reach& reach) {
    const float* points = t_.points + 3 * body.outline.first_point;
    const int count = body.outline.num_points;
    needed = (needed + body.outline.radius + body.error +
              bend(bending(t_, body, s_, 0, &Lever::point_radius), 1.0 / kChords)) *
             kLongest;
    for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
      if (attempt > 0 || !(dot(n, n) > 0.5)) {
        const Placed X = placed(f, middle_moment(open, attempt));
        if (!(dot(n, n) > 0.5)) n = unit(X * vector(body.outline.middle) - support({1, 0, 0}));
        if (!(dot(n, n) > 0.5)) n = {0, 0, 1};
        const Separation found = separate(
            support,
            [&](const V3& v) { return X * farthest_point(points, count, -1 * X.turn_back(v)); }, n,
            enough(attempt, needed));
        if (!found.found) break;
        n = found.direction;
      }
      const double own_reach = reach(n);
      const Doubles far =
          frame_reach(f, points, count, everywhere(-n.x), everywhere(-n.y), everywhere(-n.z));
      open = still_open(open, where([&](int k) { return -own(far, k) - own_reach > needed; }));
    }
    return open;
  }

  PROVEN_LANES V3 ball_position(const Frame& f, int ball, int k) const {
    return placed(f, k) * vector(t_.balls[ball].centre);
  }

  // From the solid to a ball that is near it; zero if its centre is inside.
  PROVEN_LANES V3 away(const Solid& s, const V3& p) const {
    double y[3];
    for (int i = 0; i < 3; ++i)
      y[i] = s.R[3 * i] * (p.x - s.c[0]) + s.R[3 * i + 1] * (p.y - s.c[1]) +
             s.R[3 * i + 2] * (p.z - s.c[2]);
    const auto outside = [](double x, double half) {
      return x > half ? x - half : x < -half ? x + half : 0;
    };
    if (s.cylinder != 0) {
      const double r = sqrt(y[0] * y[0] + y[1] * y[1]);
      const double share = r > s.half[0] ? (r - s.half[0]) / r : 0;
      y[0] *= share;
      y[1] *= share;
    } else {
      y[0] = outside(y[0], s.half[0]);
      y[1] = outside(y[1], s.half[1]);
    }
    y[2] = outside(y[2], s.half[2]);
    const V3 n = {s.R[0] * y[0] + s.R[3] * y[1] + s.R[6] * y[2],
                  s.R[1] * y[0] + s.R[4] * y[1] + s.R[7] * y[2],
                  s.R[2] * y[0] + s.R[5] * y[1] + s.R[8] * y[2]};
    const V3 u = unit(n);
    return dot(u, u) > 0.5 ? u : V3{0, 0, 0};
  }

  PROVEN_LANES Narrowed narrow_solid(const Entry& entry, const Body& body, const Frame& f) {
    const Solid& s = t_.solids[entry.other];
    const StillPair& pair = t_.still_pairs[body.first_still + s.still];
    const V3 guess = away(s, ball_position(f, entry.ball, middle_moment(entry.chords, 0)));
    Narrowed out;
    out.open = narrow_still(
        body, f, guess, pair.need, entry.chords, [&](const V3& n) { return solid_support(s, n); },
        [&](const V3& n) { return solid_reach(s, n); });
    if (out.open == 0 || s.whole == 0 || !(pair.need < INFINITY)) return out;
    // Balls inside of the body against the solid, each moment its own.
    for (int i = 0; i < body.inner.count; ++i) {
      const float* ball = t_.inner + 4 * (body.inner.first + i);
      const std::uint32_t meeting = where([&](int k) {
        const V3 p = own_position(f, vector(ball), k);
        return depth_in(s, p) - ball[3] + body.error < pair.need * kNeedDown;
      });
      if (meeting == 0) continue;
      out.found = {pair.pair, first_of(meeting) * kChords};
      return out;
    }
    return out;
  }

  PROVEN_LANES static V3 own_position(const Frame& f, const V3& c, int k) {
    return {own(f.R[0], k) * c.x + own(f.R[1], k) * c.y + own(f.R[2], k) * c.z + own(f.p[0], k),
            own(f.R[3], k) * c.x + own(f.R[4], k) * c.y + own(f.R[5], k) * c.z + own(f.p[1], k),
            own(f.R[6], k) * c.x + own(f.R[7], k) * c.y + own(f.R[8], k) * c.z + own(f.p[2], k)};
  }

  // Above the distance of the point to the solid; below zero: as deep in it at least.
  PROVEN_LANES static double depth_in(const Solid& s, const V3& p) {
    double y[3];
    for (int i = 0; i < 3; ++i)
      y[i] = s.R[3 * i] * (p.x - s.c[0]) + s.R[3 * i + 1] * (p.y - s.c[1]) +
             s.R[3 * i + 2] * (p.z - s.c[2]);
    const double z = fabs(y[2]) - s.half[2];
    const double x =
        s.cylinder != 0 ? sqrt(y[0] * y[0] + y[1] * y[1]) - s.half[0] : fabs(y[0]) - s.half[0];
    const double side = s.cylinder != 0 ? x : fabs(y[1]) - s.half[1];
    if (x <= 0 && side <= 0 && z <= 0) return larger(larger(x, side), z) - s.radius;
    const double a = larger(0.0, x), b = s.cylinder != 0 ? 0 : larger(0.0, side),
                 c = larger(0.0, z);
    return sqrt(a * a + b * b + c * c) - s.radius;
  }

  PROVEN_LANES Narrowed narrow_link(const Entry& entry, const Body& body, const Frame& f) {
    const Solid& s = t_.solids[entry.other];
    const StillPair& pair = t_.still_pairs[body.first_still + s.still];
    const StillLink& link = t_.still_links[pair.link];
    const float* points = t_.points + 3 * link.outline.first_point;
    const int count = link.outline.num_points;
    const V3 guess = away(s, ball_position(f, entry.ball, middle_moment(entry.chords, 0)));
    Narrowed out;
    out.open = narrow_still(
        body, f, guess, static_cast<double>(pair.need) + link.outline.radius, entry.chords,
        [&](const V3& n) { return farthest_point(points, count, n); },
        [&](const V3& n) { return points_reach(points, count, n); });
    if (out.open == 0 || !(pair.need < INFINITY)) return out;
    const int k = middle_moment(out.open, 0);
    const Placed X = placed(f, k);
    if (balls_meet(body.inner, X, link.inner, nullptr, body.error, pair.need))
      out.found = {pair.pair, k * kChords};
    return out;
  }

  // Whether two of the balls overlap, or are closer than required; X_WB null: the world.
  PROVEN_LANES bool balls_meet(const Inner& a, const Placed& X_WA, const Inner& b,
                               const Placed* X_WB, float error, float need) {
    const double limit = need * static_cast<double>(kNeedDown) - static_cast<double>(error);
    for (int j = 0; j < b.count; ++j) {
      const float* y = t_.inner + 4 * (b.first + j);
      const V3 q = X_WA.back(X_WB != nullptr ? *X_WB * vector(y) : vector(y));
      const std::uint32_t meeting = where([&](int k) {
        for (int i = k; i < a.count; i += kLanes) {
          const float* x = t_.inner + 4 * (a.first + i);
          const V3 d = vector(x) - q;
          const double reach = limit + static_cast<double>(x[3]) + static_cast<double>(y[3]);
          if (reach > 0 && dot(d, d) < reach * reach) return true;
        }
        return false;
      });
      if (meeting != 0) return true;
    }
    return false;
  }

  // Seen from a body that carries the other, directions are fixed, and only joints between bend.
  PROVEN_LANES Narrowed narrow_pair(const Entry& entry, const Doubles& t) {
    const Pair& pair = t_.pairs[entry.other];
    const Body *A = &t_.bodies[pair.a], *B = &t_.bodies[pair.b];
    int ball_a = entry.ball, ball_b = entry.other_ball;
    if (A->num_levers > B->num_levers) {
      const Body* body = A;
      A = B;
      B = body;
      const int ball = ball_a;
      ball_a = ball_b;
      ball_b = ball;
    }
    Frame a, b;
    place_body(t_, *A, s_, t, a);
    place_body(t_, *B, s_, t, b);
    const bool carried = pair.shared >= 0;
    double second = bending(t_, *B, s_, carried ? pair.shared : 0, &Lever::point_radius);
    if (!carried) second += bending(t_, *A, s_, 0, &Lever::point_radius);
    const double needed = (static_cast<double>(pair.need) + A->outline.radius + B->outline.radius +
                           A->error + B->error + bend(second, 1.0 / kChords)) *
                          kLongest;
    Narrowed out;
    out.open = try_directions(*A, a, *B, b, carried, needed, entry.chords, ball_a, ball_b);
    if (out.open == 0 || !(pair.need < INFINITY)) return out;
    const int k = middle_moment(out.open, 0);
    const Placed X_WA = placed(a, k), X_WB = placed(b, k);
    if (balls_meet(A->inner, X_WA, B->inner, &X_WB, A->error + B->error, pair.need))
      out.found = {pair.pair, k * kChords};
    return out;
  }

  PROVEN_LANES std::uint32_t try_directions(const Body& A, const Frame& a, const Body& B,
                                            const Frame& b, bool carried, double needed,
                                            std::uint32_t open, int ball_a, int ball_b) {
    const float *of_a = t_.points + 3 * A.outline.first_point,
                *of_b = t_.points + 3 * B.outline.first_point;
    const int count_a = A.outline.num_points, count_b = B.outline.num_points;
    V3 n = {0, 0, 1};
    for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
      const int k = middle_moment(open, attempt);
      const Placed X_WA = placed(a, k), X_WB = placed(b, k);
      if (attempt == 0) {
        const V3 between = X_WA.turn_back(X_WB * vector(t_.balls[ball_b].centre) -
                                          X_WA * vector(t_.balls[ball_a].centre));
        const V3 u = unit(between);
        if (!(dot(u, u) > 0.5)) continue;
        n = u;
      } else {
        const Separation found =
            separate([&](const V3& v) { return farthest_point(of_a, count_a, v); },
                     [&](const V3& v) {
                       const V3 w = X_WB.turn_back(X_WA.turn(-1 * v));
                       return X_WA.back(X_WB * farthest_point(of_b, count_b, w));
                     },
                     n, enough(attempt, needed));
        if (!found.found) break;
        n = found.direction;
      }
      // In the world, at every moment.
      const V3 fixed = X_WA.turn(n);
      Doubles along[3];
      for (int i = 0; i < 3; ++i) {
        const double own_fixed = i == 0 ? fixed.x : i == 1 ? fixed.y : fixed.z;
        along[i] = carried ? a.R[3 * i] * n.x + a.R[3 * i + 1] * n.y + a.R[3 * i + 2] * n.z
                           : everywhere(own_fixed);
      }
      const Doubles near = frame_reach(a, of_a, count_a, along[0], along[1], along[2]);
      const Doubles far =
          frame_reach(b, of_b, count_b, -1.0 * along[0], -1.0 * along[1], -1.0 * along[2]);
      open = still_open(open, where([&](int l) { return -own(far, l) - own(near, l) > needed; }));
    }
    return open;
  }

  const Tables& t_;
  Segment s_ = {};
};

}  // namespace proven::batch
