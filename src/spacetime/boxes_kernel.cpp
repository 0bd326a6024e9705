#include "spacetime/boxes_kernel.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace proven::spacetime::PROVEN_INSTRUCTION_SET {
namespace {

// pi/2 in three parts of 33, 33 and 53 bits: k times the first two is exact for k < 2^20, hence for
// headings up to 1e5 rad, and the remainder is reduced to below 2^-52 of its true value.
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kTwoByPi = 0x1.45f306dc9c883p-1;
constexpr double kRounder = 0x1.8p52;  // adding it rounds to an integer, held in the low bits

inline double least(double a, double b) {
  return a < b ? a : b;
}
inline double greatest(double a, double b) {
  return a > b ? a : b;
}
inline double magnitude(double a) {
  return __builtin_fabs(a);
}
inline float magnitude(float a) {
  return __builtin_fabsf(a);
}

// Arrays never overlap: the loops below are marked so, since gcc gives up on checking many of them.

// Taylor's series to x^17 and x^16 on [-pi/4, pi/4]: the rest is below 2^-62.
inline void cosine_and_sine(double angle, double& cosine, double& sine) {
  const double shifted = angle * kTwoByPi + kRounder;
  const double k = shifted - kRounder;
  const double r = ((angle - k * kHalfPi1) - k * kHalfPi2) - k * kHalfPi3;
  const double z = r * r;
  double ps = 1.0 / 355687428096000;
  ps = ps * z - 1.0 / 1307674368000;
  ps = ps * z + 1.0 / 6227020800;
  ps = ps * z - 1.0 / 39916800;
  ps = ps * z + 1.0 / 362880;
  ps = ps * z - 1.0 / 5040;
  ps = ps * z + 1.0 / 120;
  ps = ps * z - 1.0 / 6;
  const double sin_r = r + r * z * ps;
  double pc = 1.0 / 20922789888000;
  pc = pc * z - 1.0 / 87178291200;
  pc = pc * z + 1.0 / 479001600;
  pc = pc * z - 1.0 / 3628800;
  pc = pc * z + 1.0 / 40320;
  pc = pc * z - 1.0 / 720;
  pc = pc * z + 1.0 / 24;
  pc = pc * z - 0.5;
  const double cos_r = 1 + z * pc;
  // Odd quadrants swap the two, signs follow the quadrant: on the bits, so that it vectorises.
  const long long quadrant = __builtin_bit_cast(long long, shifted);
  const long long odd = -(quadrant & 1);
  const long long sin_bits = __builtin_bit_cast(long long, sin_r);
  const long long cos_bits = __builtin_bit_cast(long long, cos_r);
  const long long swapped = (sin_bits ^ cos_bits) & odd;
  const long long sine_bits = sin_bits ^ swapped ^ ((quadrant & 2) << 62);
  const long long cosine_bits = cos_bits ^ swapped ^ (((quadrant + 1) & 2) << 62);
  sine = __builtin_bit_cast(double, sine_bits);
  cosine = __builtin_bit_cast(double, cosine_bits);
}

// The nearest float is off by at most 2^-24 of the value.
inline float float_below(double v) {
  return static_cast<float>(v - 0x1p-23 * magnitude(v));
}
inline float float_above(double v) {
  return static_cast<float>(v + 0x1p-23 * magnitude(v));
}

// Magnitudes compare like their bits, and those of NaN are above all numbers.
double largest(int n, const double* values) {
  long long best = 0;
  for (int i = 0; i < n; ++i) {
    const long long bits = __builtin_bit_cast(long long, values[i]) & 0x7fffffffffffffffLL;
    best = bits > best ? bits : best;
  }
  return __builtin_bit_cast(double, best);
}

void place(int n, PoseArrays poses, BodyBox body, double origin_x, double origin_y, PoseBoxes out) {
  const double* __restrict x = poses.x;
  const double* __restrict y = poses.y;
  const double* __restrict heading = poses.heading;
  double* __restrict cosine = out.cosine;
  double* __restrict sine = out.sine;
  double* __restrict x_low = out.x_low;
  double* __restrict x_high = out.x_high;
  double* __restrict y_low = out.y_low;
  double* __restrict y_high = out.y_high;
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) cosine_and_sine(heading[i], cosine[i], sine[i]);
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) {
    const double c = cosine[i], s = sine[i];
    const double mx = x[i] - origin_x + (c * body.cx - s * body.cy);
    const double my = y[i] - origin_y + (s * body.cx + c * body.cy);
    const double ex = magnitude(c) * body.hx + magnitude(s) * body.hy;
    const double ey = magnitude(s) * body.hx + magnitude(c) * body.hy;
    x_low[i] = mx - ex;
    x_high[i] = mx + ex;
    y_low[i] = my - ey;
    y_high[i] = my + ey;
  }
}

template <bool kExtra>
void sweep_all(int n, const double* __restrict heading, PoseBoxes poses, double core_reach,
               const double* __restrict extra, double pad, FloatBoxes out) {
  const double* __restrict px_low = poses.x_low;
  const double* __restrict px_high = poses.x_high;
  const double* __restrict py_low = poses.y_low;
  const double* __restrict py_high = poses.y_high;
  float* __restrict x_low = out.x_low;
  float* __restrict x_high = out.x_high;
  float* __restrict y_low = out.y_low;
  float* __restrict y_high = out.y_high;
#pragma GCC ivdep
  for (int i = 0; i + 1 < n; ++i) {
    const double turn = heading[i + 1] - heading[i];
    double widen = core_reach * least(0.125 * turn * turn, 2.0) * (1 + 0x1p-48) + pad;
    if constexpr (kExtra) widen += extra[i];
    x_low[i] = float_below(least(px_low[i], px_low[i + 1]) - widen);
    x_high[i] = float_above(greatest(px_high[i], px_high[i + 1]) + widen);
    y_low[i] = float_below(least(py_low[i], py_low[i + 1]) - widen);
    y_high[i] = float_above(greatest(py_high[i], py_high[i + 1]) + widen);
  }
}

void sweep(int n, const double* heading, PoseBoxes poses, double core_reach, const double* extra,
           double pad, FloatBoxes out) {
  if (extra)
    sweep_all<true>(n, heading, poses, core_reach, extra, pad, out);
  else
    sweep_all<false>(n, heading, poses, core_reach, extra, pad, out);
}

void move(int n, TurnedBoxes boxes, Move by, float pad, FloatBoxes out) {
  const float* __restrict cx = boxes.cx;
  const float* __restrict cy = boxes.cy;
  const float* __restrict ux = boxes.ux;
  const float* __restrict uy = boxes.uy;
  const float* __restrict hx = boxes.hx;
  const float* __restrict hy = boxes.hy;
  float* __restrict x_low = out.x_low;
  float* __restrict x_high = out.x_high;
  float* __restrict y_low = out.y_low;
  float* __restrict y_high = out.y_high;
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) {
    const float mx = by.c * cx[i] - by.s * cy[i] + by.x;
    const float my = by.s * cx[i] + by.c * cy[i] + by.y;
    const float ax = magnitude(by.c * ux[i] - by.s * uy[i]);
    const float ay = magnitude(by.s * ux[i] + by.c * uy[i]);
    const float ex = ax * hx[i] + ay * hy[i] + pad;
    const float ey = ay * hx[i] + ax * hy[i] + pad;
    x_low[i] = mx - ex;
    x_high[i] = mx + ex;
    y_low[i] = my - ey;
    y_high[i] = my + ey;
  }
}

// The ends of 16 boxes by halves: i with i + 8, then i with i + 4, and so on. All forms keep to
// this order, and take the second of two that are equal or not numbers, so that the bits are the
// same.
#if defined(__AVX2__)

float lowest(const float* v) {
  const __m256 eight = _mm256_min_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
  __m128 four = _mm_min_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_min_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_min_ss(four, _mm_shuffle_ps(four, four, 1)));
}
float highest(const float* v) {
  const __m256 eight = _mm256_max_ps(_mm256_loadu_ps(v), _mm256_loadu_ps(v + 8));
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_shuffle_ps(four, four, 1)));
}

#else

float lowest(const float* v) {
  float w[kLanes / 2];
  for (int i = 0; i < kLanes / 2; ++i) w[i] = v[i] < v[i + 8] ? v[i] : v[i + 8];
  for (int half = kLanes / 4; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) w[i] = w[i] < w[i + half] ? w[i] : w[i + half];
  return w[0];
}
float highest(const float* v) {
  float w[kLanes / 2];
  for (int i = 0; i < kLanes / 2; ++i) w[i] = v[i] > v[i + 8] ? v[i] : v[i + 8];
  for (int half = kLanes / 4; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) w[i] = w[i] > w[i + half] ? w[i] : w[i + half];
  return w[0];
}

#endif

void gather(int n, FloatBoxes in, FloatBoxes out) {
  for (int k = 0; k < n; ++k) {
    out.x_low[k] = lowest(in.x_low + kLanes * k);
    out.x_high[k] = highest(in.x_high + kLanes * k);
    out.y_low[k] = lowest(in.y_low + kLanes * k);
    out.y_high[k] = highest(in.y_high + kLanes * k);
  }
}

// Compilers do not turn comparisons into a mask by themselves.
#if defined(__AVX512F__)

unsigned meet(FloatBoxes a, int at, __m512 x_low, __m512 x_high, __m512 y_low, __m512 y_high) {
  const __mmask16 x =
      _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(_mm512_loadu_ps(a.x_low + at), x_high, _CMP_LE_OQ),
                              _mm512_loadu_ps(a.x_high + at), x_low, _CMP_GE_OQ);
  return _mm512_mask_cmp_ps_mask(
      _mm512_mask_cmp_ps_mask(x, _mm512_loadu_ps(a.y_low + at), y_high, _CMP_LE_OQ),
      _mm512_loadu_ps(a.y_high + at), y_low, _CMP_GE_OQ);
}

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  return meet(boxes, at, _mm512_set1_ps(box.x_low), _mm512_set1_ps(box.x_high),
              _mm512_set1_ps(box.y_low), _mm512_set1_ps(box.y_high));
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  return meet(a, at, _mm512_loadu_ps(b.x_low + bt), _mm512_loadu_ps(b.x_high + bt),
              _mm512_loadu_ps(b.y_low + bt), _mm512_loadu_ps(b.y_high + bt));
}

#elif defined(__AVX2__)

__m256 at_most(const float* a, __m256 b) {
  return _mm256_cmp_ps(_mm256_loadu_ps(a), b, _CMP_LE_OQ);
}
__m256 at_least(const float* a, __m256 b) {
  return _mm256_cmp_ps(_mm256_loadu_ps(a), b, _CMP_GE_OQ);
}

unsigned meet_eight(FloatBoxes a, int at, __m256 x_low, __m256 x_high, __m256 y_low,
                    __m256 y_high) {
  const __m256 x = _mm256_and_ps(at_most(a.x_low + at, x_high), at_least(a.x_high + at, x_low));
  const __m256 y = _mm256_and_ps(at_most(a.y_low + at, y_high), at_least(a.y_high + at, y_low));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_and_ps(x, y)));
}

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  const __m256 x_low = _mm256_set1_ps(box.x_low), x_high = _mm256_set1_ps(box.x_high);
  const __m256 y_low = _mm256_set1_ps(box.y_low), y_high = _mm256_set1_ps(box.y_high);
  return meet_eight(boxes, at, x_low, x_high, y_low, y_high) |
         meet_eight(boxes, at + 8, x_low, x_high, y_low, y_high) << 8;
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  unsigned mask = 0;
  for (int half = 0; half < kLanes; half += 8)
    mask |= meet_eight(a, at + half, _mm256_loadu_ps(b.x_low + bt + half),
                       _mm256_loadu_ps(b.x_high + bt + half), _mm256_loadu_ps(b.y_low + bt + half),
                       _mm256_loadu_ps(b.y_high + bt + half))
            << half;
  return mask;
}

#else

unsigned meet_one(FloatBoxes boxes, int at, FloatBox box) {
  unsigned mask = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool meets = boxes.x_low[at + i] <= box.x_high && boxes.x_high[at + i] >= box.x_low &&
                       boxes.y_low[at + i] <= box.y_high && boxes.y_high[at + i] >= box.y_low;
    mask |= static_cast<unsigned>(meets) << i;
  }
  return mask;
}

unsigned meet_each(FloatBoxes a, int at, FloatBoxes b, int bt) {
  unsigned mask = 0;
  for (int i = 0; i < kLanes; ++i) {
    const bool meets = a.x_low[at + i] <= b.x_high[bt + i] && a.x_high[at + i] >= b.x_low[bt + i] &&
                       a.y_low[at + i] <= b.y_high[bt + i] && a.y_high[at + i] >= b.y_low[bt + i];
    mask |= static_cast<unsigned>(meets) << i;
  }
  return mask;
}

#endif

}  // namespace

const BoxesKernel boxes_kernel = {largest, place, sweep, move, gather, meet_one, meet_each};

}  // namespace proven::spacetime::PROVEN_INSTRUCTION_SET
