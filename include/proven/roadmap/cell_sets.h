// φ as plain lists: for every cell (the outside last) the sorted items, arcs or nodes, that may
// touch it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace proven::roadmap {

struct CellSets {
  int num_items = 0;
  std::vector<std::uint64_t> first;  // one more than there are sets
  std::vector<std::uint32_t> items;

  int num_sets() const { return static_cast<int>(first.size()) - 1; }
  std::span<const std::uint32_t> at(int cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return {items.data() + first[c], static_cast<std::size_t>(first[c + 1] - first[c])};
  }
  friend bool operator==(const CellSets&, const CellSets&) = default;
};

// From the cells of every item.
CellSets transpose_cells(std::span<const std::vector<std::uint32_t>> cells_of_item, int num_sets);

// Of two sorted lists: what is in exactly one.
void symmetric_difference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::vector<std::uint32_t>& out);
std::size_t difference_size(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace proven::roadmap
