// φ as plain lists: for every cell (the outside last) the sorted items, edges or nodes, that may
// touch it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/roadmap/roadmap.h"

namespace proven::roadmap {

struct CellLists {
  int num_items = 0;
  std::vector<std::uint64_t> first;  // one more than there are cells
  std::vector<std::uint32_t> items;

  int num_cells() const { return static_cast<int>(first.size()) - 1; }
  std::span<const std::uint32_t> at(int cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return {items.data() + first[c], static_cast<std::size_t>(first[c + 1] - first[c])};
  }
};

CellLists list_items(const CellTable& table);

// What is in exactly one of two sorted lists.
void symmetric_difference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::vector<std::uint32_t>& out);
std::size_t difference_size(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace proven::roadmap
