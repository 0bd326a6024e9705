// Wide without MPFI: every operation is that of Interval.
#ifdef PROVEN_NARROW
#include <limits>

#include "proven/base/elementary.h"
#include "verify/wide.h"

namespace proven::verifier {
namespace {

// Nothing is known of it: NaN proves nothing.
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kFarthest = 0x1p19;  // of turn.cpp

}  // namespace

Wide operator-(const Wide& a) {
  return -a.get();
}
Wide operator+(const Wide& a, const Wide& b) {
  return a.get() + b.get();
}
Wide operator-(const Wide& a, const Wide& b) {
  return a.get() - b.get();
}
Wide operator*(const Wide& a, const Wide& b) {
  return a.get() * b.get();
}
Wide operator/(const Wide& a, const Wide& b) {
  if (!(b.get().lo > 0 || b.get().hi < 0)) return kNothing;
  return a.get() / b.get();
}
Wide min(const Wide& a, const Wide& b) {
  return min(a.get(), b.get());
}
Wide max(const Wide& a, const Wide& b) {
  return max(a.get(), b.get());
}
Wide abs(const Wide& a) {
  return abs(a.get());
}
Wide square(const Wide& a) {
  return square(a.get());
}
Wide sqrt(const Wide& a) {
  return sqrt(a.get());
}

// The angle changes by at most 1/r per unit of x or y, r the distance from the origin; on the way
// from the middle it must not cross the negative half of the x-axis, where it jumps.
Wide atan2(const Wide& y, const Wide& x) {
  const Interval r = sqrt(square(x.get()) + square(y.get()));
  if (!(r.lo > 0) || (x.get().lo <= 0 && y.get().lo < 0 && y.get().hi >= 0)) return Interval{-4, 4};
  const Interval slack = (radius(x.get()) + radius(y.get())) / Interval(r.lo);
  const double middle = arc_tangent(approximate(y.get()), approximate(x.get()));
  return widened(Interval(middle), slack + Interval(0x1p-50));
}

Wide middle(const Wide& a) {
  return middle(a.get());
}
Wide radius(const Wide& a) {
  return radius(a.get());
}
Wide widened(const Wide& a, const Wide& r) {
  return widened(a.get(), r.get());
}
Wide upper(const Wide& a) {
  return upper(a.get());
}

bool surely_positive(const Wide& a) {
  return surely_positive(a.get());
}
bool is_zero(const Wide& a) {
  return a.get().lo == 0 && a.get().hi == 0;
}
double approximate(const Wide& a) {
  return approximate(a.get());
}
Interval enclose(const Wide& a) {
  return a.get();
}

Turn<Wide> turn(const Wide& angle) {
  if (!(std::fabs(approximate(angle.get())) <= kFarthest)) return {Wide(kNothing), Wide(kNothing)};
  const Turn<Interval> found = turn(angle.get());
  return {found.sine, found.cosine};
}

}  // namespace proven::verifier
#endif
