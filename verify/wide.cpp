// With MPFI; narrow.cpp is the same without.
#ifndef PROVEN_NARROW
#include "verify/wide.h"

namespace proven::verifier {
namespace {

// MPFR keeps constants and scratch memory for each thread; whoever uses a thread gives them back.
struct ThreadCache {
  ~ThreadCache() { mpfr_free_cache(); }
  void use() {}
};
thread_local ThreadCache thread_cache;

template <class Operation, class... Operands>
Wide apply(Operation operation, const Operands&... operands) {
  thread_cache.use();
  Wide result;
  operation(result.get(), operands.get()...);
  return result;
}

// An end of an interval as an interval.
Wide from_end(mpfr_srcptr end) {
  Wide result;
  mpfi_set_fr(result.get(), end);
  return result;
}
Wide lower_end(const Wide& a) {
  return from_end(&a.get()->left);
}
Wide upper_end(const Wide& a) {
  return from_end(&a.get()->right);
}

}  // namespace

Wide operator-(const Wide& a) {
  return apply(mpfi_neg, a);
}
Wide operator+(const Wide& a, const Wide& b) {
  return apply(mpfi_add, a, b);
}
Wide operator-(const Wide& a, const Wide& b) {
  return apply(mpfi_sub, a, b);
}
Wide operator*(const Wide& a, const Wide& b) {
  return apply(mpfi_mul, a, b);
}
Wide operator/(const Wide& a, const Wide& b) {
  return apply(mpfi_div, a, b);
}
Wide abs(const Wide& a) {
  return apply(mpfi_abs, a);
}
Wide square(const Wide& a) {
  return apply(mpfi_sqr, a);
}
Wide atan2(const Wide& y, const Wide& x) {
  return apply(mpfi_atan2, y, x);
}
Wide min(const Wide& a, const Wide& b) {
  Wide result;
  mpfr_min(&result.get()->left, &a.get()->left, &b.get()->left, MPFR_RNDD);
  mpfr_min(&result.get()->right, &a.get()->right, &b.get()->right, MPFR_RNDU);
  return result;
}
Wide max(const Wide& a, const Wide& b) {
  return -min(-a, -b);
}
Wide sqrt(const Wide& a) {
  return apply(mpfi_sqrt, max(a, 0.0));
}

Wide middle(const Wide& a) {
  Wide result;
  mpfi_mid(&result.get()->left, a.get());
  return lower_end(result);
}
Wide radius(const Wide& a) {
  const Wide m = middle(a);
  return upper(max(upper_end(a) - m, m - lower_end(a)));
}
Wide widened(const Wide& a, const Wide& r) {
  const Wide most = upper(r);
  Wide result = a - most;
  const Wide end = a + most;
  mpfr_set(&result.get()->right, &end.get()->right, MPFR_RNDU);
  return result;
}
Wide upper(const Wide& a) {
  return upper_end(a);
}

bool surely_positive(const Wide& a) {
  return mpfi_is_strictly_pos(a.get()) > 0;
}
bool is_zero(const Wide& a) {
  return mpfi_is_zero(a.get()) > 0;
}
double approximate(const Wide& a) {
  return mpfi_get_d(a.get());
}
Interval enclose(const Wide& a) {
  return {mpfr_get_d(&a.get()->left, MPFR_RNDD), mpfr_get_d(&a.get()->right, MPFR_RNDU)};
}

Turn<Wide> turn(const Wide& angle) {
  return {apply(mpfi_sin, angle), apply(mpfi_cos, angle)};
}

}  // namespace proven::verifier
#endif
