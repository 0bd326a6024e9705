// Included once per instruction set, inside a namespace of its own. See kernel.h.

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

inline float magnitude(float a) {
  return __builtin_fabsf(a);
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

Kernel kernel(const char* name) {
  return {name, largest, place, sweep, move, gather, meet_one, meet_each};
}
