// Cells of a grid merged into boxes.
#include <algorithm>
#include <bit>
#include <limits>

#include "proven/geometry/curve_order.h"
#include "proven/geometry/grains.h"

namespace proven {
namespace {

using Cell = std::array<std::int32_t, 3>;

// Cells as numbers that are ordered by their last, middle and first index.
class CellOrder {
 public:
  explicit CellOrder(std::span<const Cell> cells) {
    std::array<std::int32_t, 3> most = cells.front();
    least_ = most;
    for (const Cell& cell : cells)
      for (std::size_t i = 0; i < 3; ++i) {
        least_[i] = std::min(least_[i], cell[i]);
        most[i] = std::max(most[i], cell[i]);
      }
    for (std::size_t i = 0; i < 3; ++i)
      bits_[i] = std::bit_width(static_cast<std::uint32_t>(most[i] - least_[i]));
  }

  std::uint64_t number(const Cell& cell) const {
    const auto place = [&](std::size_t i) {
      return static_cast<std::uint64_t>(cell[i] - least_[i]);
    };
    return (place(2) << bits_[1] | place(1)) << bits_[0] | place(0);
  }
  Cell cell(std::uint64_t number) const {
    const auto part = [&](int shift, std::size_t i) {
      const std::uint64_t mask = (std::uint64_t{1} << bits_[i]) - 1;
      return static_cast<std::int32_t>(number >> shift & mask) + least_[i];
    };
    return {part(0, 0), part(bits_[0], 1), part(bits_[0] + bits_[1], 2)};
  }

 private:
  Cell least_ = {};
  std::array<int, 3> bits_ = {};
};

bool comes_before(const Cell& a, const Cell& b) {
  return a[2] != b[2] ? a[2] < b[2] : a[1] != b[1] ? a[1] < b[1] : a[0] < b[0];
}

// Of cells that are in order; those that stand there twice count once.
void add_to_runs(const Cell& cell, std::vector<CellBox>& runs) {
  if (!runs.empty()) {
    CellBox& last = runs.back();
    if (last.first[1] == cell[1] && last.first[2] == cell[2]) {
      if (last.end[0] > cell[0]) return;
      if (last.end[0] == cell[0]) {
        ++last.end[0];
        return;
      }
    }
  }
  runs.push_back({cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}});
}

std::vector<CellBox> runs_of(std::span<const Cell> cells) {
  std::vector<CellBox> runs;
  if (std::ranges::is_sorted(cells, comes_before)) {  // as maps of voxels give them
    runs.reserve(cells.size());
    for (const Cell& cell : cells) add_to_runs(cell, runs);
    return runs;
  }
  const CellOrder order(cells);
  LargeArray<std::uint64_t> numbers;
  numbers.reserve(cells.size());
  for (const Cell& cell : cells) numbers.push_back(order.number(cell));
  sort_numbers(numbers);
  for (const std::uint64_t number : numbers) add_to_runs(order.cell(number), runs);
  return runs;
}

// Grows boxes along the axis by boxes that are equal but for it. They are ordered by the first
// cells: those that may grow and those that may be added stand in two rows with the same order.
std::vector<CellBox> merged_along(std::size_t axis, std::span<const CellBox> boxes) {
  std::vector<CellBox> merged;
  merged.reserve(boxes.size());
  std::vector<std::size_t> row, next;  // of `merged`: those that end where the current ones begin
  const auto before = [&](const CellBox& a, const CellBox& b) {
    return axis == 2 && a.first[1] != b.first[1] ? a.first[1] < b.first[1]
                                                 : a.first[0] < b.first[0];
  };
  const auto same_layer = [&](const CellBox& a, const CellBox& b) {
    return a.first[axis] == b.first[axis] && (axis == 2 || a.first[2] == b.first[2]);
  };
  for (std::size_t begin = 0, end = 0; begin < boxes.size(); begin = end) {
    while (end < boxes.size() && same_layer(boxes[begin], boxes[end])) ++end;
    const bool adjacent = !row.empty() && merged[row[0]].end[axis] == boxes[begin].first[axis] &&
                          (axis == 2 || merged[row[0]].first[2] == boxes[begin].first[2]);
    if (!adjacent) row.clear();
    next.clear();
    std::size_t at = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const CellBox& box = boxes[i];
      while (at < row.size() && before(merged[row[at]], box)) ++at;
      const auto fits = [&](const CellBox& other) {
        for (std::size_t k = 0; k < axis; ++k)
          if (other.first[k] != box.first[k] || other.end[k] != box.end[k]) return false;
        return true;
      };
      if (at < row.size() && fits(merged[row[at]])) {
        merged[row[at]].end[axis] = box.end[axis];
        next.push_back(row[at]);
      } else {
        next.push_back(merged.size());
        merged.push_back(box);
      }
    }
    std::swap(row, next);
  }
  return merged;
}

}  // namespace

std::vector<CellBox> merge_cells(std::span<const Cell> cells) {
  if (cells.empty()) return {};
  // Rows and layers end with the boxes of one index: plates come out ordered by their first rows.
  return merged_along(2, merged_along(1, runs_of(cells)));
}

}  // namespace proven
