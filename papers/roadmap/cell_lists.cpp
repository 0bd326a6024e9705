#include "papers/roadmap/cell_lists.h"

namespace proven::roadmap {

CellLists list_items(const CellTable& table) {
  CellLists lists;
  lists.num_items = table.num_items;
  lists.first.push_back(0);
  for (int cell = 0; cell < table.num_rows(); ++cell) {
    const auto items = table.items(cell);
    lists.items.insert(lists.items.end(), items.begin(), items.end());
    lists.first.push_back(lists.items.size());
  }
  return lists;
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
