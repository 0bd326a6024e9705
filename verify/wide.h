// Chapter 1, continued: Wide is an interval between two 128-bit numbers (MPFI), slow and narrow. It
// takes over where Interval does not decide, and computes sines and cosines for both.
//
// Where there is no MPFI (PROVEN_NARROW: a browser), Wide is an interval of doubles too. It
// encloses just as surely and decides less: a leaf that needs more is unverified, and the reason
// says so.
#pragma once

#ifndef PROVEN_NARROW
#include <mpfi.h>
#endif

#include "verify/interval.h"

namespace proven::verifier {

#ifdef PROVEN_NARROW

// Added to the reason of a rejection that 128 bits might not have made.
inline constexpr const char* kUnverified =
    " (unverified: double intervals do not decide it, and this build has no 128-bit ones; proven "
    "verify has)";

class Wide {
 public:
  Wide() = default;
  Wide(double x) : x_(x) {}
  Wide(const Interval& x) : x_(x) {}
  const Interval& get() const { return x_; }

 private:
  Interval x_;
};

#else

inline constexpr const char* kUnverified = "";

class Wide {
 public:
  static constexpr mpfr_prec_t kBits = 128;

  Wide() : Wide(0.0) {}
  Wide(double x) {
    mpfi_init2(x_, kBits);
    mpfi_set_d(x_, x);
  }
  Wide(const Interval& x) {
    mpfi_init2(x_, kBits);
    mpfi_interv_d(x_, x.lo, x.hi);
  }
  Wide(const Wide& other) {
    mpfi_init2(x_, kBits);
    mpfi_set(x_, other.x_);
  }
  Wide& operator=(const Wide& other) {
    mpfi_set(x_, other.x_);
    return *this;
  }
  ~Wide() { mpfi_clear(x_); }

  mpfi_ptr get() { return x_; }
  mpfi_srcptr get() const { return x_; }

 private:
  mpfi_t x_;
};

#endif

Wide operator-(const Wide& a);
Wide operator+(const Wide& a, const Wide& b);
Wide operator-(const Wide& a, const Wide& b);
Wide operator*(const Wide& a, const Wide& b);
Wide operator/(const Wide& a, const Wide& b);
Wide min(const Wide& a, const Wide& b);
Wide max(const Wide& a, const Wide& b);
Wide abs(const Wide& a);
Wide square(const Wide& a);
Wide sqrt(const Wide& a);
Wide atan2(const Wide& y, const Wide& x);

Wide middle(const Wide& a);
Wide radius(const Wide& a);
Wide widened(const Wide& a, const Wide& r);
Wide upper(const Wide& a);

bool surely_positive(const Wide& a);
bool is_zero(const Wide& a);  // exactly
double approximate(const Wide& a);
Interval enclose(const Wide& a);  // in doubles

template <class T>
struct Turn {
  T sine, cosine;
};
Turn<Interval> turn(const Interval& angle);
Turn<Wide> turn(const Wide& angle);
// In doubles, each within kTurnError (turn.cpp).
inline constexpr double kTurnError = 0x1p-50;
Turn<double> near_turn(double angle);

// Between types: exact from Interval to Wide, outwards from Wide to Interval.
template <class T>
T convert(const Wide& a);
template <>
inline Wide convert<Wide>(const Wide& a) {
  return a;
}
template <>
inline Interval convert<Interval>(const Wide& a) {
  return enclose(a);
}

}  // namespace proven::verifier
