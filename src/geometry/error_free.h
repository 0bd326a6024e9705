// Floating-point arithmetic without loss: sums and products with their exact rounding errors, and
// expansions (sums of doubles that represent a number exactly). Exact unless a product underflows.
#pragma once

#include <array>
#include <cmath>

namespace proven {

struct ExactPair {
  double high, low;  // high = the rounded result, high + low = the exact one
};

inline ExactPair two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// Requires |a| >= |b|, or a == 0.
inline ExactPair quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline ExactPair two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

// The exact sum of its terms, which do not overlap and grow in magnitude; zeros are left out, so
// the sign is that of the last term.
template <int kCapacity>
class Expansion {
 public:
  Expansion() = default;

  void add(double value) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const ExactPair s = two_sum(value, term(i));
      value = s.high;
      if (s.low != 0) term(kept++) = s.low;
    }
    if (value != 0) term(kept++) = value;
    count_ = kept;
  }

  int count() const { return count_; }
  double operator[](int i) const { return terms_[static_cast<std::size_t>(i)]; }
  int sign() const { return count_ == 0 ? 0 : (*this)[count_ - 1] > 0 ? 1 : -1; }

 private:
  double& term(int i) { return terms_[static_cast<std::size_t>(i)]; }

  std::array<double, kCapacity> terms_;
  int count_ = 0;
};

inline Expansion<2> exact_difference(double a, double b) {
  const ExactPair d = two_sum(a, -b);
  Expansion<2> e;
  e.add(d.low);
  e.add(d.high);
  return e;
}

template <int kA, int kB>
Expansion<kA + kB> operator+(const Expansion<kA>& a, const Expansion<kB>& b) {
  Expansion<kA + kB> sum;
  for (int i = 0; i < a.count(); ++i) sum.add(a[i]);
  for (int i = 0; i < b.count(); ++i) sum.add(b[i]);
  return sum;
}

template <int kA, int kB>
Expansion<kA + kB> operator-(const Expansion<kA>& a, const Expansion<kB>& b) {
  Expansion<kA + kB> difference;
  for (int i = 0; i < a.count(); ++i) difference.add(a[i]);
  for (int i = 0; i < b.count(); ++i) difference.add(-b[i]);
  return difference;
}

template <int kA, int kB>
Expansion<2 * kA * kB> operator*(const Expansion<kA>& a, const Expansion<kB>& b) {
  Expansion<2 * kA * kB> product;
  for (int i = 0; i < a.count(); ++i)
    for (int j = 0; j < b.count(); ++j) {
      const ExactPair p = two_product(a[i], b[j]);
      product.add(p.low);
      product.add(p.high);
    }
  return product;
}

}  // namespace proven
