// Seeded random numbers, the same on every platform and compiler (std:: distributions are not).
#pragma once

#include <cstdint>

#include "proven/base/vec3.h"

namespace proven {

// xoshiro256++ seeded by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t bits();
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  int index(int n);  // 0 <= index < n; n > 0
  double normal();
  Vec3 unit_vector();
  Mat3 rotation();  // uniform over SO(3)

 private:
  std::uint64_t state_[4];
};

}  // namespace proven
