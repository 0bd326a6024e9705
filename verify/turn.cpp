// Chapter 1, continued: sine and cosine in doubles, with a derived bound on their errors. They take
// most of what a pose costs; MPFR takes over beyond the range of the reduction.
#include <cmath>

#include "verify/wide.h"

namespace proven::verifier {
namespace {

// π/2 as a sum: 33 bits, the next 33 and the next 53. What is left is below 2^-122.
constexpr double kHalfPi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
constexpr double kTurnsPerRadian = 0x1.45f306dc9c883p-1;  // 2/π
constexpr double kFarthest = 0x1p19;

// x³ (−1/3! + z/5! − ...) and z (−1/2! + z/4! − ...), z = x².
double sine_rest(double z) {
  double sum = 1.0 / 355687428096000.0;
  for (const double f : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                         1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0})
    sum = sum * z + f;
  return sum;
}
double cosine_rest(double z) {
  double sum = 1.0 / 20922789888000.0;
  for (const double f : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0, 1.0 / 40320.0,
                         -1.0 / 720.0, 1.0 / 24.0, -1.0 / 2.0})
    sum = sum * z + f;
  return sum;
}

}  // namespace

// With u = 2^-53 and |angle| <= 2^19, k has at most 19 bits, so that k times the first two parts of
// π/2 is exact. If k is not 0, the angle is a multiple of u and the first difference, which is
// below 1, is exact too. Each of the other two differences rounds by at most u/2: the reduced angle
// x is off by at most u (1 + 2^-20), and below π/4 + 2^-30. The series leave out less than
// x^19/19! < 2^-63 and x^18/18! < 2^-58. Rounding: the sums `rest` are off by at most 8 u relative
// to their largest term, 1/6 and 1/2; times x³ or x², and with the last sum, that makes
// 0.49 · 1/6 · 10 u + u and 0.62 · 1/2 · 10 u + u. All together is below 6 u < kTurnError.
Turn<double> near_turn(double angle) {
  if (!(std::fabs(angle) <= kFarthest)) {
    const Turn<Wide> far = turn(Wide(angle));
    return {approximate(far.sine), approximate(far.cosine)};
  }
  const double k = std::nearbyint(angle * kTurnsPerRadian);
  const double x = ((angle - k * kHalfPi[0]) - k * kHalfPi[1]) - k * kHalfPi[2];
  const double z = x * x;
  const double sine = x + x * z * sine_rest(z), cosine = 1 + z * cosine_rest(z);
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

// Sine and cosine of the others differ from those of the middle by at most their distance from it.
Turn<Interval> turn(const Interval& angle) {
  const Turn<double> at_middle = near_turn(approximate(angle));
  const Interval slack = radius(angle) + Interval(kTurnError);
  return {widened(Interval(at_middle.sine), slack), widened(Interval(at_middle.cosine), slack)};
}

}  // namespace proven::verifier
