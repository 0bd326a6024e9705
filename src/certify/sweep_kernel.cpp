#include "sweep_kernel.h"

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

void track(const FrameLanes& frame, const double* point, Track& out, float* __restrict box) {
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < kMoments; ++k)
      out.v[i][k] =
          static_cast<float>((frame.R[3 * i][k] * point[0] + frame.R[3 * i + 1][k] * point[1] +
                              frame.R[3 * i + 2][k] * point[2]) +
                             frame.p[i][k]);
    out.v[i][kMoments] = out.v[i][kMoments - 1];
    // Halves against each other: vector instructions for all but the last steps.
    float lo[kMoments], hi[kMoments];
    for (int k = 0; k < 8; ++k) {
      const float a = out.v[i][k], b = out.v[i][k + 8];
      lo[k] = a < b ? a : b;
      hi[k] = a < b ? b : a;
    }
    for (int width = 4; width > 0; width /= 2)
      for (int k = 0; k < width; ++k) {
        lo[k] = lo[k] < lo[k + width] ? lo[k] : lo[k + width];
        hi[k] = hi[k] < hi[k + width] ? hi[k + width] : hi[k];
      }
    box[i] = lo[0];
    box[3 + i] = hi[0];
  }
}

void round(const FrameLanes& frame, FrameFloats& out) {
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < kMoments; ++k) out.R[i][k] = static_cast<float>(frame.R[i][k]);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k) out.p[i][k] = static_cast<float>(frame.p[i][k]);
}

void tracks(const FrameFloats& frame, const float* points, int count, Track* __restrict out) {
  for (int b = 0; b < count; ++b) {
    const float x = points[3 * b], y = points[3 * b + 1], z = points[3 * b + 2];
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < kMoments; ++k)
        out[b].v[i][k] =
            (frame.R[3 * i][k] * x + frame.R[3 * i + 1][k] * y + frame.R[3 * i + 2][k] * z) +
            frame.p[i][k];
      out[b].v[i][kMoments] = out[b].v[i][kMoments - 1];
    }
  }
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

struct Excess {
  float x, y, z;
};

// From the nearest point of the core to the point y, in the frame of the solid.
[[gnu::always_inline]] inline float beyond(float y, float half) {
  const float less = y - half, more = y + half;
  return less > 0 ? less : more < 0 ? more : 0.0f;
}
template <bool kCylinder>
[[gnu::always_inline]] inline Excess excess(float x, float y, float z, const SweepSolid& s) {
  if constexpr (!kCylinder)
    return {beyond(x, s.half[0]), beyond(y, s.half[1]), beyond(z, s.half[2])};
  const float r = __builtin_sqrtf(x * x + y * y);
  const float share = r > s.half[0] ? (r - s.half[0]) / r : 0.0f;
  return {x * share, y * share, beyond(z, s.half[2])};
}

// Points of the track in the frame of the solid.
[[gnu::always_inline]] inline void enter(const Track& t, const SweepSolid& s,
                                         float (*__restrict y)[kMoments + 16]) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k)
      y[i][k] = s.R[3 * i] * (t.v[0][k] - s.c[0]) + s.R[3 * i + 1] * (t.v[1][k] - s.c[1]) +
                s.R[3 * i + 2] * (t.v[2][k] - s.c[2]);
}

[[gnu::always_inline]] inline std::uint32_t bits(const std::int32_t* open) {
  std::uint32_t mask = 0;
  for (int k = 0; k < kMoments; ++k) mask |= static_cast<std::uint32_t>(open[k]) << k;
  return mask & kAllChords;
}

// Along the direction from the nearest point of the solid, at one end of the chord, both ends must
// be farther than the radius: the solid is convex and does not reach beyond that plane.
template <bool kCylinder>
[[gnu::always_inline]] inline std::uint32_t solid_chords(const Track& t, const SweepSolid& s,
                                                         float radius) {
  alignas(64) float y[3][kMoments + 16];
  enter(t, s, y);
  for (int i = 0; i < 3; ++i) y[i][kMoments] = y[i][kMoments - 1];
  alignas(64) float e[3][kMoments + 16], d[kMoments + 16];
  for (int k = 0; k < kMoments; ++k) {
    const Excess x = excess<kCylinder>(y[0][k], y[1][k], y[2][k], s);
    e[0][k] = x.x, e[1][k] = x.y, e[2][k] = x.z;
    d[k] = __builtin_sqrtf(x.x * x.x + x.y * x.y + x.z * x.z);
  }
  for (int i = 0; i < 3; ++i) e[i][kMoments] = e[i][kMoments - 1];
  d[kMoments] = d[kMoments - 1];
  const float need = radius + s.radius;
  alignas(64) std::int32_t open[kMoments];
  for (int k = 0; k < kMoments; ++k) {
    const float dx = y[0][k + 1] - y[0][k], dy = y[1][k + 1] - y[1][k], dz = y[2][k + 1] - y[2][k];
    const float here = d[k] * (d[k] - need) + (e[0][k] * dx + e[1][k] * dy + e[2][k] * dz);
    const float there =
        d[k + 1] * (d[k + 1] - need) - (e[0][k + 1] * dx + e[1][k + 1] * dy + e[2][k + 1] * dz);
    const float best = here > there ? here : there;
    const bool free = (d[k] > need) & (d[k + 1] > need) & (best > 0);
    open[k] = free ? 0 : 1;
  }
  return bits(open);
}

std::uint32_t solid(const Track& t, const SweepSolid& s, float radius) {
  return s.cylinder ? solid_chords<true>(t, s, radius) : solid_chords<false>(t, s, radius);
}

void distances(const Track& t, const SweepSolid& s, float* __restrict out) {
  alignas(64) float y[3][kMoments + 16];
  enter(t, s, y);
  for (int k = 0; k < kMoments; ++k) {
    const Excess x = s.cylinder ? excess<true>(y[0][k], y[1][k], y[2][k], s)
                                : excess<false>(y[0][k], y[1][k], y[2][k], s);
    out[k] = __builtin_sqrtf(x.x * x.x + x.y * x.y + x.z * x.z) - s.radius;
  }
}

std::uint32_t pair(const Track& a, const Track& b, float radius) {
  alignas(64) float e[3][kMoments + 16], d[kMoments + 16];
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < kMoments; ++k) e[i][k] = a.v[i][k] - b.v[i][k];
  for (int i = 0; i < 3; ++i) e[i][kMoments] = e[i][kMoments - 1];
  for (int k = 0; k < kMoments; ++k)
    d[k] = __builtin_sqrtf(e[0][k] * e[0][k] + e[1][k] * e[1][k] + e[2][k] * e[2][k]);
  d[kMoments] = d[kMoments - 1];
  alignas(64) std::int32_t open[kMoments];
  for (int k = 0; k < kMoments; ++k) {
    const float along = e[0][k] * e[0][k + 1] + e[1][k] * e[1][k + 1] + e[2][k] * e[2][k + 1];
    // The direction of the nearer end: at the other one it is along it that counts.
    const float shorter = d[k] > d[k + 1] ? d[k + 1] : d[k];
    const bool free = (shorter > radius) & (along > radius * shorter);
    open[k] = free ? 0 : 1;
  }
  return bits(open);
}

float nearest(const Track& a, const Track& b, int& moment) {
  alignas(64) float square[kMoments], least[8];
  for (int k = 0; k < kMoments; ++k) {
    const float dx = a.v[0][k] - b.v[0][k], dy = a.v[1][k] - b.v[1][k], dz = a.v[2][k] - b.v[2][k];
    square[k] = dx * dx + dy * dy + dz * dz;
  }
  for (int k = 0; k < 8; ++k) least[k] = square[k] < square[k + 8] ? square[k] : square[k + 8];
  for (int width = 4; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) {
      const float x = least[k], y = least[k + width];
      least[k] = x < y ? x : y;
    }
  for (moment = 0; moment < kMoments - 1 && square[moment] != least[0];) ++moment;
  return square[moment];
}

}  // namespace

const SweepKernel sweep_kernel = {sincos, turn, slide,   place, track, round,    tracks,
                                  solid,  pair, nearest, carry, reach, distances};

}  // namespace proven::PROVEN_INSTRUCTION_SET
