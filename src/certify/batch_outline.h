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

// A pose that is the same in all lanes: R row by row and p.
struct Placed {
  double X[12];

  PROVEN_LANES V3 operator*(const V3& x) const { return posed(X, x); }
  PROVEN_LANES V3 back(const V3& x) const { return turned_back(X, x - V3{X[9], X[10], X[11]}); }
};

PROVEN_ALONE Placed placed(const Frame& f, int k) {
  Placed at_moment;
  for (int i = 0; i < 9; ++i) at_moment.X[i] = at(f.R[i], k);
  for (int i = 0; i < 3; ++i) at_moment.X[9 + i] = at(f.p[i], k);
  return at_moment;
}

// X_AB from the poses of both in the world.
PROVEN_LANES Placed seen_from(const Placed& X_WA, const Placed& X_WB) {
  const double *A = X_WA.X, *B = X_WB.X;
  Placed made;
  double d[3];
  for (int i = 0; i < 3; ++i) d[i] = B[9 + i] - A[9 + i];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      made.X[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    made.X[9 + i] = A[i] * d[0] + A[3 + i] * d[1] + A[6 + i] * d[2];
  }
  return made;
}

// How far the points of a frame reach along n, a direction of the world at every moment.
PROVEN_ALONE Doubles frame_reach(const Frame& f, const float* points, int count, const Doubles& nx,
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

// Moments at which what was open is likely to collide: in the middle, the end of the segment if it
// is open so far, or a quarter of the way.
inline constexpr int kLikely = 3;
PROVEN_LANES int likely_moment(std::uint32_t open, int attempt) {
  const int first = first_of(open), last = last_of(open) + 1;
  if (attempt == 0) return middle_moment(open, 0);
  if (attempt == 1) return last == kChords ? last : (3 * last + first) / 4;
  return last == kChords ? (3 * last + first) / 4 : (last + 3 * first) / 4;
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

  // Against what stands still, which is wider than its set by `radius`.
  PROVEN_ALONE std::uint32_t narrow_still(const Body& body, const Frame& f, V3 n, double needed,
                                          std::uint32_t open, const ConvexSet& still,
                                          double radius) {
    const float* points = t_.points + 3 * body.outline.first_point;
    const int count = body.outline.num_points;
    needed = (needed + radius + body.outline.radius + body.error +
              bend(bending(t_, body, s_, 0, &Lever::point_radius), 1.0 / kChords)) *
             kLongest;
    for (int attempt = 0; attempt < kTries && open != 0; ++attempt) {
      if (attempt > 0 || !(dot(n, n) > 0.5)) {
        const Placed X = placed(f, middle_moment(open, attempt));
        if (!(dot(n, n) > 0.5))
          n = unit(X * vector(body.outline.middle) - support<By::all>(still, {1, 0, 0}));
        if (!(dot(n, n) > 0.5)) n = {0, 0, 1};
        const Separation found =
            separate<By::all>(still, ConvexSet::of(points, count, X.X), n, enough(attempt, needed));
        if (!found.found) break;
        n = found.direction;
      }
      const double reach = dot(n, support<By::all>(still, n));
      const Doubles far =
          frame_reach(f, points, count, everywhere(-n.x), everywhere(-n.y), everywhere(-n.z));
      open = still_open(open, where([&](int k) { return -own(far, k) - reach > needed; }));
    }
    return open;
  }

  PROVEN_LANES V3 ball_position(const Frame& f, int ball, int k) const {
    return placed(f, k) * vector(t_.balls[ball].centre);
  }

  // From the solid to a ball that is near it; zero if its centre is inside.
  PROVEN_ALONE V3 away(const Solid& s, const V3& p) const {
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
    out.open = narrow_still(body, f, guess, pair.need, entry.chords, ConvexSet::of(s), s.radius);
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
  PROVEN_ALONE static double depth_in(const Solid& s, const V3& p) {
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
    out.open = narrow_still(body, f, guess, pair.need, entry.chords,
                            ConvexSet::of(points, count, nullptr), link.outline.radius);
    if (out.open == 0 || !(pair.need < INFINITY)) return out;
    for (int i = 0; i < kLikely && out.found.pair < 0; ++i) {
      const int k = likely_moment(out.open, i);
      const Placed X = placed(f, k);
      if (balls_meet(body.inner, X, link.inner, nullptr, body.error, pair.need))
        out.found = {pair.pair, k * kChords};
    }
    return out;
  }

  // Whether two of the balls overlap, or are closer than required; X_WB null: the world.
  PROVEN_ALONE bool balls_meet(const Inner& a, const Placed& X_WA, const Inner& b,
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
    for (int i = 0; i < kLikely && out.found.pair < 0; ++i) {
      const int k = likely_moment(out.open, i);
      const Placed X_WA = placed(a, k), X_WB = placed(b, k);
      if (balls_meet(A->inner, X_WA, B->inner, &X_WB, A->error + B->error, pair.need))
        out.found = {pair.pair, k * kChords};
    }
    return out;
  }

  PROVEN_ALONE std::uint32_t try_directions(const Body& A, const Frame& a, const Body& B,
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
        const V3 between = turned_back(X_WA.X, X_WB * vector(t_.balls[ball_b].centre) -
                                                   X_WA * vector(t_.balls[ball_a].centre));
        const V3 u = unit(between);
        if (!(dot(u, u) > 0.5)) continue;
        n = u;
      } else {
        const Placed X_AB = seen_from(X_WA, X_WB);
        const Separation found =
            separate<By::all>(ConvexSet::of(of_a, count_a, nullptr),
                              ConvexSet::of(of_b, count_b, X_AB.X), n, enough(attempt, needed));
        if (!found.found) break;
        n = found.direction;
      }
      // In the world, at every moment.
      const V3 fixed = turned(X_WA.X, n);
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
