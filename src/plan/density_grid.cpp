#include "plan/density_grid.h"

#include <algorithm>

namespace proven {

void DensityGrid::choose_projection(Random& random) {
  const int n = space_.dimension();
  axes_[0] = static_cast<std::size_t>(random.index(n));
  axes_[1] = static_cast<std::size_t>(random.index(n));
  if (n > 1 && axes_[1] == axes_[0]) axes_[1] = (axes_[0] + 1) % static_cast<std::size_t>(n);
  for (const std::size_t cell : filled_) cells_[cell].clear();
  filled_.clear();
}

std::size_t DensityGrid::cell_of(std::span<const double> point) const {
  std::size_t cell = 0;
  for (const std::size_t axis : axes_) {
    const Interval& range = space_.ranges()[axis];
    const double width = range.upper - range.lower;
    const double place = width > 0 ? (point[axis] - range.lower) / width * kCells : 0;
    // What is no number, as where limits are too far apart for a width, is in the first cell.
    const int index = place > 0 ? static_cast<int>(std::min(place, kCells - 1.0)) : 0;
    cell = cell * kCells + static_cast<std::size_t>(index);
  }
  return cell;
}

void DensityGrid::add(int member, std::span<const double> point) {
  const std::size_t cell = cell_of(point);
  if (cells_[cell].empty()) filled_.push_back(cell);
  cells_[cell].push_back(member);
}

void DensityGrid::remove(int member, std::span<const double> point) {
  const std::size_t cell = cell_of(point);
  std::erase(cells_[cell], member);
  if (cells_[cell].empty()) std::erase(filled_, cell);
}

int DensityGrid::pick(Random& random) const {
  const std::size_t cell =
      filled_[static_cast<std::size_t>(random.index(static_cast<int>(filled_.size())))];
  const std::vector<int>& members = cells_[cell];
  return members[static_cast<std::size_t>(random.index(static_cast<int>(members.size())))];
}

}  // namespace proven
