// Numbers of about 106 bits as an unevaluated sum of two doubles, for the rare cases in which
// double leaves a question open. Relative error of +, -, *, / and sqrt: below 2^-100.
#pragma once

#include <cmath>

#include "error_free.h"

namespace proven {

struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}
  DoubleDouble(double h, double l) : high(h), low(l) {}
  explicit operator double() const { return high + low; }

  DoubleDouble operator-() const { return {-high, -low}; }

  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const ExactPair s = two_sum(a.high, b.high);
    const ExactPair t = two_sum(a.low, b.low);
    const ExactPair v = quick_two_sum(s.high, s.low + t.high);
    return from(quick_two_sum(v.high, t.low + v.low));
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const ExactPair p = two_product(a.high, b.high);
    return from(quick_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high)));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double q1 = a.high / b.high;
    const DoubleDouble r1 = a - b * q1;
    const double q2 = r1.high / b.high;
    const DoubleDouble r2 = r1 - b * q2;
    return DoubleDouble(from(quick_two_sum(q1, q2))) + r2.high / b.high;
  }
  friend bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
  friend bool operator<=(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
  friend bool operator>=(const DoubleDouble& a, const DoubleDouble& b) { return b <= a; }

 private:
  static DoubleDouble from(const ExactPair& p) { return {p.high, p.low}; }
};

inline DoubleDouble sqrt(const DoubleDouble& a) {
  if (!(a.high > 0)) return 0.0;
  // Newton twice: each step doubles the number of correct bits.
  const DoubleDouble x(std::sqrt(a.high));
  const DoubleDouble y = (x + a / x) * 0.5;
  return (y + a / y) * 0.5;
}

}  // namespace proven
