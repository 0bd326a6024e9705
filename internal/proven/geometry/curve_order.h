// Things in space ordered along Morton's curve, and the tree over them: a node's items share the
// highest bits of their codes. All in linear time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "proven/base/large_array.h"
#include "proven/base/vec3.h"

namespace proven {

// Ascending; three passes for every 33 bits in which the numbers differ.
void sort_numbers(LargeArray<std::uint64_t>& numbers);

// Two zero bits before every bit of the lowest 21.
inline std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}
// The bits of three numbers below 2^21 in turn, those of x highest.
inline std::uint64_t curve_code(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return spread(x) << 2 | spread(y) << 1 | spread(z);
}

struct Coded {
  std::uint64_t code;
  std::uint32_t item;
};
// Points between two corners, on a grid of 2048 cells along the longest side.
LargeArray<Coded> code_points(std::span<const Vec3> points, const Vec3& low, const Vec3& high);
// By code; equal ones stay in their order.
void sort_by_code(LargeArray<Coded>& items);

// Where a node over the places from `first` to before `end`, at least two, is split: before the
// first that has the highest bit in which code and, of equal codes, place differ.
inline std::size_t split_place(std::span<const Coded> items, std::size_t first, std::size_t end) {
  const std::uint64_t differing = items[first].code ^ items[end - 1].code;
  if (differing == 0) return (end - 1) & ~(std::bit_floor(first ^ (end - 1)) - 1);
  const std::uint64_t bit = std::bit_floor(differing);
  const auto begin = items.begin() + static_cast<std::ptrdiff_t>(first);
  const auto found =
      std::partition_point(begin, items.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const Coded& item) { return (item.code & bit) == 0; });
  return static_cast<std::size_t>(found - items.begin());
}

}  // namespace proven
