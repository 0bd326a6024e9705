#include "sweep_kernel.h"

#include "moment_lanes.h"

namespace proven::PROVEN_INSTRUCTION_SET {
namespace {

// π/2 in three parts: the first two have 33 bits, so that their products with numbers below 2^20
// are exact; what is left out is below 2^-122.
constexpr double kQuarter[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
constexpr double kPerQuarter = 0x1.45f306dc9c883p-1;
constexpr double kToWhole = 0x1.8p52;  // adding and taking it away rounds to whole numbers

[[gnu::always_inline]] inline double whole(double x) {
  return (x + kToWhole) - kToWhole;
}

// Taylor's series on |r| <= π/4 (and a little): the terms left out are below 2^-63 of the result.
[[gnu::always_inline]] inline void small_sincos(double r, double& s, double& c) {
  const double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  s = r + r * (z * p);
  double q = -1.0 / 6402373705728000.0;
  q = q * z + 1.0 / 20922789888000.0;
  q = q * z - 1.0 / 87178291200.0;
  q = q * z + 1.0 / 479001600.0;
  q = q * z - 1.0 / 3628800.0;
  q = q * z + 1.0 / 40320.0;
  q = q * z - 1.0 / 720.0;
  q = q * z + 1.0 / 24.0;
  c = 1 - z * (0.5 - z * q);
}

void sincos(const double* __restrict angles, double* __restrict sines, double* __restrict cosines) {
  for (int k = 0; k < kMoments; ++k) {
    const double n = whole(angles[k] * kPerQuarter);
    const double r = ((angles[k] - n * kQuarter[0]) - n * kQuarter[1]) - n * kQuarter[2];
    double s, c;
    small_sincos(r, s, c);
    // Which quarter: -2, -1, 0, 1 or 2.
    const double quarter = n - 4 * whole(0.25 * n);
    const bool swapped = quarter * quarter == 1, opposite = quarter * quarter == 4;
    const double first = swapped ? c : s, second = swapped ? s : c;
    sines[k] = opposite || quarter == -1 ? -first : first;
    cosines[k] = opposite || quarter == 1 ? -second : second;
  }
}

// The joint's frame before it moves: R X.R and R X.p + p.
[[gnu::always_inline]] inline void fixed_frame(const FrameLanes* parent, const double* X,
                                               double (*__restrict R)[kMoments],
                                               double (*__restrict p)[kMoments]) {
  const double *m = X, *at = X + 9;
  if (!parent) {
    for (int i = 0; i < 9; ++i)
      for (int k = 0; k < kMoments; ++k) R[i][k] = m[i];
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < kMoments; ++k) p[i][k] = at[i];
    return;
  }
  for (int i = 0; i < 3; ++i) {
    const double *a = parent->R[3 * i], *b = parent->R[3 * i + 1], *c = parent->R[3 * i + 2];
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < kMoments; ++k)
        R[3 * i + j][k] = a[k] * m[j] + b[k] * m[3 + j] + c[k] * m[6 + j];
    for (int k = 0; k < kMoments; ++k)
      p[i][k] = (a[k] * at[0] + b[k] * at[1] + c[k] * at[2]) + parent->p[i][k];
  }
}

void turn(const FrameLanes* parent, const double* X, const double* __restrict angles,
          FrameLanes& out) {
  alignas(64) double R[9][kMoments], s[kMoments], c[kMoments];
  fixed_frame(parent, X, R, out.p);
  sincos(angles, s, c);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k) {
      const double x = R[3 * i][k], y = R[3 * i + 1][k];
      out.R[3 * i][k] = c[k] * x + s[k] * y;
      out.R[3 * i + 1][k] = c[k] * y - s[k] * x;
      out.R[3 * i + 2][k] = R[3 * i + 2][k];
    }
}

void slide(const FrameLanes* parent, const double* X, const double* __restrict values,
           FrameLanes& out) {
  alignas(64) double p[3][kMoments];
  fixed_frame(parent, X, out.R, p);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k) out.p[i][k] = p[i][k] + out.R[3 * i + 2][k] * values[k];
}

void place(const FrameLanes* parent, const double* X, const double (*own)[kMoments],
           FrameLanes& out) {
  alignas(64) double R[9][kMoments];
  fixed_frame(parent, X, R, out.p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < kMoments; ++k)
        out.R[3 * i + j][k] = R[3 * i][k] * own[j][k] + R[3 * i + 1][k] * own[3 + j][k] +
                              R[3 * i + 2][k] * own[6 + j][k];
}

void round(const FrameLanes& frame, FrameFloats& out) {
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < kMoments; ++k) out.R[i][k] = static_cast<float>(frame.R[i][k]);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k) out.p[i][k] = static_cast<float>(frame.p[i][k]);
}

[[gnu::always_inline]] inline Floats along(const FrameFloats& frame, const float* point, int i) {
  return (load(frame.R[3 * i]) * all(point[0]) + load(frame.R[3 * i + 1]) * all(point[1]) +
          load(frame.R[3 * i + 2]) * all(point[2])) +
         load(frame.p[i]);
}

void tracks(const FrameFloats& frame, const float* points, int count, Track* __restrict out) {
  for (int i = 0; i < 3; ++i)
    for (int b = 0; b < count; ++b) store(out[b].v[i], along(frame, points + 3 * b, i));
}

void track(const FrameFloats& frame, const float* point, Track& out, float* __restrict box) {
  for (int i = 0; i < 3; ++i) {
    const Floats x = along(frame, point, i);
    store(out.v[i], x);
    box[i] = least_of(x);
    box[3 + i] = most_of(x);
  }
}

std::uint32_t near(const float* const* bounds, const float* box, float around) {
  std::uint32_t apart = 0;
  for (int i = 0; i < 3; ++i)
    apart |= above(load(bounds[i]), all(box[3 + i] + around)) |
             above(all(box[i] - around), load(bounds[3 + i]));
  return ~apart & 0xffffu;
}

void carry(const FrameLanes& frame, const double* direction, DirectionLanes& out) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k)
      out.v[i][k] = frame.R[3 * i][k] * direction[0] + frame.R[3 * i + 1][k] * direction[1] +
                    frame.R[3 * i + 2][k] * direction[2];
}

void reach(const FrameLanes& frame, const SweepPoints& points, const DirectionLanes& along,
           double* __restrict out) {
  alignas(64) float m[3][kMoments], most[kMoments];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k)
      m[i][k] =
          static_cast<float>(frame.R[i][k] * along.v[0][k] + frame.R[3 + i][k] * along.v[1][k] +
                             frame.R[6 + i][k] * along.v[2][k]);
  const float* xyz = points.xyz;
  for (int k = 0; k < kMoments; ++k)
    most[k] = m[0][k] * xyz[0] + m[1][k] * xyz[1] + m[2][k] * xyz[2];
  for (int v = 1; v < points.count; ++v) {
    const float x = xyz[3 * v], y = xyz[3 * v + 1], z = xyz[3 * v + 2];
    for (int k = 0; k < kMoments; ++k) {
      const float own = m[0][k] * x + m[1][k] * y + m[2][k] * z;
      most[k] = most[k] > own ? most[k] : own;
    }
  }
  for (int k = 0; k < kMoments; ++k)
    out[k] = static_cast<double>(most[k]) +
             (along.v[0][k] * frame.p[0][k] + along.v[1][k] * frame.p[1][k] +
              along.v[2][k] * frame.p[2][k]);
}

// From the nearest point of the core to the point y, in the frame of the solid.
[[gnu::always_inline]] inline Floats beyond(const Floats& y, float half) {
  return most(y - all(half), all(0)) + least(y + all(half), all(0));
}
template <bool kCylinder>
[[gnu::always_inline]] inline Vectors excess(const Vectors& p, const SweepSolid& s) {
  const Floats z = beyond(p.z, s.half[2]);
  if constexpr (!kCylinder) return {beyond(p.x, s.half[0]), beyond(p.y, s.half[1]), z};
  const Floats r = root(p.x * p.x + p.y * p.y);
  // The middle has no direction, and needs none: it is in the core.
  const Floats share = most(r - all(s.half[0]), all(0)) / most(r, all(s.half[0]));
  return {p.x * share, p.y * share, z};
}

// Points of the track in the frame of the solid.
[[gnu::always_inline]] inline Vectors enter(const Track& t, const SweepSolid& s) {
  const Vectors p = load(t);
  const Vectors d = {p.x - all(s.c[0]), p.y - all(s.c[1]), p.z - all(s.c[2])};
  const auto row = [&](int i) {
    return all(s.R[3 * i]) * d.x + all(s.R[3 * i + 1]) * d.y + all(s.R[3 * i + 2]) * d.z;
  };
  return {row(0), row(1), row(2)};
}

// Along the direction from the nearest point of the solid, at one end of the chord, both ends must
// be farther than the radius: the solid is convex and does not reach beyond that plane.
template <bool kCylinder>
[[gnu::always_inline]] inline std::uint32_t solid_chords(const Track& t, const SweepSolid& s,
                                                         float radius) {
  const Vectors y = enter(t, s), e = excess<kCylinder>(y, s);
  const Floats d = root(dot(e, e)), need = all(radius + s.radius), none = all(0);
  const std::uint32_t far = above(d, need);
  if (far == 0) return kAllChords;
  const Vectors step = next(y) - y;
  const Floats here = d * (d - need) + dot(e, step);
  const Floats end = next(d), there = end * (end - need) - dot(next(e), step);
  return ~(far & far >> 1 & (above(here, none) | above(there, none))) & kAllChords;
}

std::uint32_t solid(const Track& t, const SweepSolid& s, float radius) {
  return s.cylinder ? solid_chords<true>(t, s, radius) : solid_chords<false>(t, s, radius);
}

void distances(const Track& t, const SweepSolid& s, float* __restrict out) {
  const Vectors y = enter(t, s), e = s.cylinder ? excess<true>(y, s) : excess<false>(y, s);
  store(out, root(dot(e, e)) - all(s.radius));
}

std::uint32_t pair(const Track& a, const Track& b, float radius) {
  const Vectors e = load(a) - load(b);
  const Floats square = dot(e, e), r = all(radius);
  // The direction of the nearer end: at the other one it is along it that counts.
  const Floats shorter = root(least(square, next(square)));
  return ~(above(shorter, r) & above(dot(e, next(e)), r * shorter)) & kAllChords;
}

float nearest(const Track& a, const Track& b, int& moment) {
  const Vectors e = load(a) - load(b);
  const Floats square = dot(e, e);
  const float least = least_of(square);
  const std::uint32_t at = ~above(square, all(least)) & 0xffffu;
  moment = at == 0 ? 0 : __builtin_ctz(at);
  return least;
}

float ball(const float* const* balls, int count, const float* point, int& index) {
  float least = __builtin_inff();
  for (int i = 0; i < count; i += kMoments) {
    const Vectors d = {load(balls[0] + i) - all(point[0]), load(balls[1] + i) - all(point[1]),
                       load(balls[2] + i) - all(point[2])};
    const Floats own = root(dot(d, d)) - load(balls[3] + i);
    if (above(all(least), own) == 0) continue;
    least = least_of(own);
    const std::uint32_t at = ~above(own, all(least)) & 0xffffu;
    index = i + (at == 0 ? 0 : __builtin_ctz(at));
  }
  return least;
}

}  // namespace

const SweepKernel sweep_kernel = {sincos, turn, slide,   place, track, near, round,    tracks,
                                  solid,  pair, nearest, carry, reach, ball, distances};

}  // namespace proven::PROVEN_INSTRUCTION_SET
