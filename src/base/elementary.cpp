#include "proven/base/elementary.h"

#include <cmath>

namespace proven {
namespace {

// π/2 in parts of 33, 33 and 53 bits; what is left is below 2^-122.
constexpr double kQuarter1 = 0x1.921fb544p+0;
constexpr double kQuarter2 = 0x1.0b4611a6p-34;
constexpr double kQuarter3 = 0x1.3198a2e037073p-69;
constexpr double kQuartersPerRadian = 0x1.45f306dc9c883p-1;
constexpr double kFarthest = 0x1p19;
// Added and taken away again, it rounds a number below 2^51 to a whole one.
constexpr double kRounder = 0x1.8p52;

// The sum of coefficients times powers of z, the highest first.
template <int n>
double series(const double (&coefficients)[n], double z) {
  double sum = coefficients[0];
  for (int i = 1; i < n; ++i) sum = sum * z + coefficients[i];
  return sum;
}

// sin x = x + x³ S(x²) and cos x = 1 - x²/2 + x⁴ C(x²): Taylor's, up to x^17 and x^16.
constexpr double kSine[] = {
    1 / 355687428096000.0, -1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0,
    1 / 362880.0,          -1 / 5040.0,          1 / 120.0,        -1 / 6.0};
constexpr double kCosine[] = {
    1 / 20922789888000.0, -1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0,
    1 / 40320.0,          -1 / 720.0,         1 / 24.0};

// arctan x = x + x³ A(x²), up to x^17.
constexpr double kArc[] = {1 / 17.0, -1 / 15.0, 1 / 13.0, -1 / 11.0,
                           1 / 9.0,  -1 / 7.0,  1 / 5.0,  -1 / 3.0};
// arctan(k/4) as a double and what is left.
constexpr double kArcAt[][2] = {{0, 0},
                                {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
constexpr double kPi[] = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// For 0 <= y <= x, 0 < x. With c = k/4 nearest to y/x, d = (y - c x) / (x + c y) is at most 1/8.
// The numerator is exact but for k = 3, where its last sum rounds by at most u x/16 (u = 2^-53);
// the sums and the quotient add 3 u relative to d. Series and its powers: below u/64. So the term
// that is added to arctan c is off by u/16 + 3 u/8 + u/64, the sum, below 1, rounds by u/2: below
// u.
double octant(double y, double x) {
  const double share = y / x;
  const int k = static_cast<int>(4 * share + 0.5);
  const double c = 0.25 * k;
  const double numerator = k == 3 ? (y - x) + 0.25 * x : y - c * x;
  const double d = numerator / (x + c * y), z = d * d;
  return kArcAt[k][0] + (d + (d * z * series(kArc, z) + kArcAt[k][1]));
}

}  // namespace

// With u = 2^-53: k has at most 19 bits, so that k times the first two parts of π/2 is exact, and
// so is the first difference. The second is kept with its error, and the third part rounds below
// 2^-103: x + low is the angle less k π/2, to 2^-100, and low is at most u/2. Sine: x³ S is below
// 0.081 and its six roundings add at most 0.4 u; low takes 1 - x²/2 for its cosine, 0.016 off; the
// last sum, below 1, rounds by u/2. Cosine: half a square, below 0.31, rounds by u/4; x⁴ C, below
// 0.016, by 0.1 u; low takes x for its sine, 0.08 off; the last sum rounds by u/2. What the series
// leave out is below 0.02 u. Each is within u.
SineCosine sine_cosine(double angle) {
  if (!(std::fabs(angle) <= kFarthest)) return {std::sin(angle), std::cos(angle)};
  const double k = (angle * kQuartersPerRadian + kRounder) - kRounder;
  const double first = angle - k * kQuarter1;
  const double second = k * kQuarter2;
  const double rest = first - second;
  const double part = first - rest;
  const double error = (first - (rest + part)) + (part - second);
  const double beyond = error - k * kQuarter3;
  const double x = rest + beyond, low = beyond - (x - rest);

  const double z = x * x;
  const double half = 0.5 * z, most = 1 - half;
  const double sine = x + (x * z * series(kSine, z) + low * most);
  const double cosine = most + (((1 - most) - half) + (z * z * series(kCosine, z) - x * low));
  switch (static_cast<int>(k) & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

// Beyond the octant a sum below 1 and one below 4 are rounded: u + u/2 + 2 u.
double arc_tangent(double y, double x) {
  const double a = std::fabs(y), b = std::fabs(x);
  if (!(std::fmax(a, b) > 0x1p-500 && std::fmax(a, b) < 0x1p500) || std::isnan(x + y))
    return std::atan2(y, x);
  const bool left = std::signbit(x);
  double angle = 0;
  if (a <= b)
    angle = left ? kPi[0] - (octant(a, b) - kPi[1]) : octant(a, b);
  else
    angle =
        left ? kPi[0] / 2 + (octant(b, a) + kPi[1] / 2) : kPi[0] / 2 - (octant(b, a) - kPi[1] / 2);
  return std::copysign(angle, y);
}

double hypotenuse(double x, double y) {
  const double largest = std::fmax(std::fabs(x), std::fabs(y));
  if (largest > 0x1p-480 && largest < 0x1p480) return std::sqrt(x * x + y * y);
  if (!(largest > 0 && largest < HUGE_VAL)) return std::fabs(x) + std::fabs(y);
  const double scale = largest < 1 ? 0x1p600 : 0x1p-600;
  return std::sqrt((x * scale) * (x * scale) + (y * scale) * (y * scale)) / scale;
}

double cube_root(double x) {
  if (!(x != 0 && std::isfinite(x))) return x;
  int exponent = 0;
  const double m = std::frexp(std::fabs(x), &exponent);
  const int thirds = (exponent + 3000) / 3 - 1000;        // rounded down
  const double a = std::ldexp(m, exponent - 3 * thirds);  // from 1/2 to 4
  double root = 0.7 + 0.25 * a;
  for (int step = 0; step < 6; ++step) root -= (root - a / (root * root)) / 3;
  return std::copysign(std::ldexp(root, thirds), x);
}

}  // namespace proven
