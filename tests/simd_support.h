// What tests of kernels share: every instruction set of this machine, and values that tell sloppy
// code from exact code.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "proven/base/random.h"
#include "proven/base/simd.h"

namespace proven::test {

inline std::vector<simd::InstructionSet> instruction_sets() {
  std::vector<simd::InstructionSet> sets;
  for (const simd::InstructionSet set : simd::kInstructionSets)
    if (simd::available(set)) sets.push_back(set);
  return sets;
}

// All kernels use one instruction set as long as this lives.
class Forced {
 public:
  explicit Forced(simd::InstructionSet set) : before_(simd::used()) { (void)simd::force(set); }
  ~Forced() { (void)simd::force(before_); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  simd::InstructionSet before_;
};

// Zeros, denormals, the largest and smallest numbers, infinities and NaN, among `ordinary` values.
template <class Real>
Real adversarial(Random& random, double ordinary) {
  using Limits = std::numeric_limits<Real>;
  const Real sign = random.index(2) ? Real(-1) : Real(1);
  switch (random.index(12)) {
    case 0:
      return sign * Real(0);
    case 1:
      return sign * Limits::denorm_min();
    case 2:
      return sign * Limits::min() * static_cast<Real>(random.uniform());
    case 3:
      return sign * Limits::max();
    case 4:
      return sign * Limits::infinity();
    case 5:
      return Limits::quiet_NaN();
    case 6:
      return sign;
    default:
      return static_cast<Real>(random.uniform(-ordinary, ordinary));
  }
}

// The same bits. One NaN is as good as another: which operand it comes from is the compiler's
// choice, and nothing looks at it.
inline bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}
template <class Real>
bool same(const std::vector<Real>& a, const std::vector<Real>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

}  // namespace proven::test
