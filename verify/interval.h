// Chapter 1: numbers. Interval encloses a real number between two doubles.
//
// Every operation computes in round-to-nearest and steps outwards. With u = 2^-53 a rounded sum or
// product y of normal size is within u |y| of the exact value; y + 2^-52 |y|, again rounded, is at
// least one unit in the last place above y, hence above the exact value. Sums that are subnormal or
// zero are exact. Products below 2^-1000 get the absolute slack 2^-1000 (unless a factor is zero).
//
// Inputs are limited by the model (model.cpp) so that nothing overflows: no infinity and no NaN can
// arise. Comparisons are written so that a NaN would reject all the same.
#pragma once

#include <algorithm>
#include <cmath>

namespace proven::verifier {

struct Interval {
  double lo = 0, hi = 0;

  Interval() = default;
  Interval(double x) : lo(x), hi(x) {}
  Interval(double low, double high) : lo(low), hi(high) {}
};

inline double above(double y) {
  return y + 0x1p-52 * std::fabs(y);
}
inline double below(double y) {
  return y - 0x1p-52 * std::fabs(y);
}
inline double product_above(double a, double b) {
  const double y = a * b;
  if (std::fabs(y) > 0x1p-1000) return above(y);
  return a == 0 || b == 0 ? y : y + 0x1p-1000;
}
inline double product_below(double a, double b) {
  return -product_above(-a, b);
}

inline Interval operator-(const Interval& a) {
  return {-a.hi, -a.lo};
}
inline Interval operator+(const Interval& a, const Interval& b) {
  return {below(a.lo + b.lo), above(a.hi + b.hi)};
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return {below(a.lo - b.hi), above(a.hi - b.lo)};
}
inline Interval operator*(const Interval& a, const Interval& b) {
  if (a.lo >= 0 && b.lo >= 0) return {product_below(a.lo, b.lo), product_above(a.hi, b.hi)};
  return {std::min({product_below(a.lo, b.lo), product_below(a.lo, b.hi), product_below(a.hi, b.lo),
                    product_below(a.hi, b.hi)}),
          std::max({product_above(a.lo, b.lo), product_above(a.lo, b.hi), product_above(a.hi, b.lo),
                    product_above(a.hi, b.hi)})};
}
// Requires a divisor that does not hold zero.
inline Interval operator/(const Interval& a, const Interval& b) {
  // 1 / x is within u of exact, relative; divisors are far from the ends of the range of doubles.
  return a * Interval{below(1 / b.hi), above(1 / b.lo)};
}
inline Interval min(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}
inline Interval max(const Interval& a, const Interval& b) {
  return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Interval abs(const Interval& a) {
  return {std::max({0.0, a.lo, -a.hi}), std::max(-a.lo, a.hi)};
}
inline Interval square(const Interval& a) {
  const Interval b = abs(a);
  return b * b;
}
// Of a number that is not negative, whatever the interval says.
inline Interval sqrt(const Interval& a) {
  return {below(std::sqrt(std::max(a.lo, 0.0))), above(std::sqrt(std::max(a.hi, 0.0)))};
}

// A double near the middle, and an upper bound on how far the ends are from it.
inline Interval middle(const Interval& a) {
  return 0.5 * a.lo + 0.5 * a.hi;
}
inline Interval radius(const Interval& a) {
  const double m = middle(a).hi;
  return above(std::max(a.hi - m, m - a.lo));
}
// Every number within r.hi of one in a.
inline Interval widened(const Interval& a, const Interval& r) {
  if (r.hi == 0) return a;
  return {below(a.lo - r.hi), above(a.hi + r.hi)};
}
inline Interval upper(const Interval& a) {
  return a.hi;
}

inline bool surely_positive(const Interval& a) {
  return a.lo > 0;
}
inline double approximate(const Interval& a) {
  return 0.5 * a.lo + 0.5 * a.hi;
}
inline Interval enclose(const Interval& a) {
  return a;
}

}  // namespace proven::verifier
