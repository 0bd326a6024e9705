// Things in space ordered along Morton's curve, and the tree over them: a node's items share the
// highest bits of their codes. All in linear time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proven {

// Ascending; three passes for every 33 bits in which the numbers differ.
void sort_numbers(std::vector<std::uint64_t>& numbers);

// The bits of three numbers below 2^21 in turn, those of x highest.
std::uint64_t curve_code(std::uint64_t x, std::uint64_t y, std::uint64_t z);

struct Coded {
  std::uint64_t code;
  std::uint32_t item;
};
// By code; equal ones stay in their order.
void sort_by_code(std::vector<Coded>& items);

// Where a node over the places from `first` to before `end`, at least two, is split: before the
// first that has the highest bit in which code and, of equal codes, place differ.
std::size_t split_place(std::span<const Coded> items, std::size_t first, std::size_t end);

}  // namespace proven
