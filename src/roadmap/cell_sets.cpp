#include "proven/roadmap/cell_sets.h"

namespace proven::roadmap {

CellSets transpose_cells(std::span<const std::vector<std::uint32_t>> cells_of_item, int num_sets) {
  CellSets sets;
  sets.num_items = static_cast<int>(cells_of_item.size());
  sets.first.assign(static_cast<std::size_t>(num_sets) + 1, 0);
  for (const auto& cells : cells_of_item)
    for (const std::uint32_t cell : cells) ++sets.first[cell + 1];
  for (std::size_t c = 1; c < sets.first.size(); ++c) sets.first[c] += sets.first[c - 1];
  sets.items.resize(sets.first.back());
  std::vector<std::uint64_t> next(sets.first.begin(), sets.first.end() - 1);
  for (std::uint32_t item = 0; item < cells_of_item.size(); ++item)
    for (const std::uint32_t cell : cells_of_item[item]) sets.items[next[cell]++] = item;
  return sets;
}

namespace {

template <class Emit>
void walk_difference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                     Emit&& emit) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      ++i, ++j;
    } else if (a[i] < b[j]) {
      emit(a[i++]);
    } else {
      emit(b[j++]);
    }
  }
  for (; i < a.size(); ++i) emit(a[i]);
  for (; j < b.size(); ++j) emit(b[j]);
}

}  // namespace

void symmetric_difference(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                          std::vector<std::uint32_t>& out) {
  out.clear();
  walk_difference(a, b, [&](std::uint32_t item) { out.push_back(item); });
}

std::size_t difference_size(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t count = 0;
  walk_difference(a, b, [&](std::uint32_t) { ++count; });
  return count;
}

}  // namespace proven::roadmap
