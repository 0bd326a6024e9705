#include "proven/roadmap/grid.h"

#include <algorithm>
#include <cmath>

#include "roadmap/cell_words.h"
#include "roadmap/raster.h"

namespace proven::roadmap {

namespace {
constexpr double kMaxCells = 0x1p27;
constexpr double kMaxCoordinate = 0x1p20;  // in cells
constexpr double kMaxAspect = 256;         // so that margins of the short side cover the long one
}  // namespace

double Grid::smallest_side() const {
  return planar() ? std::min(cell.x, cell.y) : std::min({cell.x, cell.y, cell.z});
}

Aabb Grid::box(int index) const {
  const auto p = place(index);
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    box.lo[axis] = origin[axis] + p[static_cast<std::size_t>(axis)] * cell[axis];
    box.hi[axis] = origin[axis] + (p[static_cast<std::size_t>(axis)] + 1) * cell[axis];
  }
  return box;
}

Result<void> validate(const Grid& grid) {
  double cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int n = grid.count[static_cast<std::size_t>(axis)];
    const double side = grid.cell[axis];
    if (n < 1 || !(side > 0) || !std::isfinite(side) || !std::isfinite(grid.origin[axis]))
      return bad_input("a grid needs at least one cell of positive size along every axis");
    if (std::fabs(grid.origin[axis]) + n * side > kMaxCoordinate * side)
      return bad_input(
          "the grid's cells are too small for its place: at most 2^20 cells from zero");
    cells *= n;
  }
  const auto [least, most] = std::minmax({grid.cell.x, grid.cell.y, grid.cell.z});
  if (most > kMaxAspect * least)
    return bad_input("the grid's cells are longer than 256 times their width");
  if (cells > kMaxCells) return bad_input("the grid has more than 2^27 cells: take larger ones");
  return {};
}

Grid cover_box(const Aabb& box, const Vec3& cell) {
  Grid grid;
  grid.cell = cell;
  for (int axis = 0; axis < 3; ++axis) {
    const double extent = box.hi[axis] - box.lo[axis];
    // A little more than the extent, so that rounding leaves nothing outside.
    // More cells than any grid may have are refused by validate.
    const double cells = std::floor(extent / cell[axis] * (1 + 1e-9));
    const int n = cells > 0 ? static_cast<int>(std::min(cells, 2 * kMaxCells)) + 1 : 1;
    grid.count[static_cast<std::size_t>(axis)] = n;
    grid.origin[axis] = 0.5 * (box.lo[axis] + box.hi[axis]) - 0.5 * n * cell[axis];
  }
  return grid;
}

void CellMask::set_run(int first, int last) {
  each_word(first, last,
            [&](int w, std::uint64_t bits) { words_[static_cast<std::size_t>(w)] |= bits; });
}

bool CellMask::any_in_run(int first, int last) const {
  std::uint64_t found = 0;
  each_word(first, last, [&](int w, std::uint64_t bits) {
    found |= words_[static_cast<std::size_t>(w)] & bits;
  });
  return found != 0;
}

void CellMask::clear() {
  std::fill(words_.begin(), words_.end(), 0);
}

std::vector<std::uint32_t> CellMask::cells() const {
  std::vector<std::uint32_t> found;
  append_cells(words_, found);
  return found;
}

}  // namespace proven::roadmap
