// What the benchmarks of motion bounds share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace proven::bench {

struct Summary {
  double mean = 0, deviation = 0, smallest = 0, median = 0;
};

// The values must not be empty.
inline Summary summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  Summary s{.smallest = values.front(), .median = values[values.size() / 2]};
  for (double v : values) s.mean += v / n;
  for (double v : values) s.deviation += (v - s.mean) * (v - s.mean) / n;
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// A seed per case, so that results do not depend on the number of threads.
inline std::uint64_t case_seed(std::uint64_t seed, int study, int number) {
  return seed * 0x9e3779b97f4a7c15u + (static_cast<std::uint64_t>(study) << 32) +
         static_cast<std::uint64_t>(number);
}

}  // namespace proven::bench
