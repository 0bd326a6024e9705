#include "verify/polynomial.h"

#include "verify/model.h"

namespace proven::verifier {
namespace {

constexpr int kTerms = 17;

// Σ (-z)^k / (2k + m)! for 0 <= z <= 1, by Horner's scheme.
template <class T>
T series(const T& z, int m) {
  T sum = 1.0;
  for (int k = kTerms - 1; k > 0; --k)
    sum = 1.0 - z * sum / T(static_cast<double>((2 * k + m) * (2 * k + m - 1)));
  return widened(sum, T(0x1p-130)) / T(m == 3 ? 6.0 : static_cast<double>(m));
}

}  // namespace

template <class T>
TurnSeries<T> turn_series(const Vector<T>& phi) {
  const T z = square(phi.x) + square(phi.y) + square(phi.z);
  if (enclose(z).lo > 0.5) {
    const T angle = sqrt(z);
    const Turn<T> t = turn(angle);
    return {t.sine / angle, (1.0 - t.cosine) / z, (angle - t.sine) / (z * angle)};
  }
  if (!(enclose(z).hi <= 1)) throw Rejected{"a turn is known too vaguely"};
  return {series(z, 1), series(z, 2), series(z, 3)};
}
template TurnSeries<Interval> turn_series(const Vector<Interval>&);
template TurnSeries<Wide> turn_series(const Vector<Wide>&);

}  // namespace proven::verifier
