// The cells of the workspace: a uniform grid of boxes, and one more cell for all that lies outside.
// Obstacles as cells.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/base/result.h"
#include "proven/geometry/shapes.h"

namespace proven::roadmap {

struct Grid {
  Vec3 origin;                           // smallest corner, in the world
  Vec3 cell = {1, 1, 1};                 // size of a cell
  std::array<int, 3> count = {1, 1, 1};  // x runs fastest; a planar grid has one layer

  int num_cells() const { return count[0] * count[1] * count[2]; }
  // The index of the outside; sets over cells have num_cells() + 1 places.
  int outside() const { return num_cells(); }
  int index(int x, int y, int z) const { return (z * count[1] + y) * count[0] + x; }
  std::array<int, 3> place(int index) const {
    return {index % count[0], index / count[0] % count[1], index / (count[0] * count[1])};
  }
  bool planar() const { return count[2] == 1; }
  double smallest_side() const;
  Aabb box(int index) const;
  friend bool operator==(const Grid&, const Grid&) = default;
};

// At most 2^27 cells, sizes positive and finite, and coordinates within 2^20 cells of zero: the
// rounding margins rest on it.
Result<void> validate(const Grid& grid);

// A grid over the box with cells of about the given size, which is kept: the box grows.
Grid cover_box(const Aabb& box, const Vec3& cell);

// One bit per cell and one for the outside.
class CellMask {
 public:
  CellMask() = default;
  explicit CellMask(const Grid& grid) : words_(static_cast<std::size_t>(grid.outside()) / 64 + 1) {}

  bool test(int cell) const { return words_[word(cell)] >> (cell & 63) & 1; }
  void set(int cell) { words_[word(cell)] |= std::uint64_t{1} << (cell & 63); }
  void reset(int cell) { words_[word(cell)] &= ~(std::uint64_t{1} << (cell & 63)); }
  void set_run(int first, int last);  // both included
  bool any_in_run(int first, int last) const;
  void clear();
  // The cells that are set, in increasing order.
  std::vector<std::uint32_t> cells() const;
  std::span<const std::uint64_t> words() const { return words_; }
  friend bool operator==(const CellMask&, const CellMask&) = default;

 private:
  static std::size_t word(int cell) { return static_cast<std::size_t>(cell) >> 6; }
  std::vector<std::uint64_t> words_;
};

// Marks the cells of shapes at a pose in the world, conservatively: a cell that is not marked does
// not touch them. Closed meshes are solid. What reaches beyond the grid marks the outside.
Result<void> mark_obstacle(const Grid& grid, std::span<const CollisionElement> elements,
                           const Pose& X_WB, CellMask& mask);

// The same for the points of a cloud, each a ball of the given radius (0: the point alone).
void mark_points(const Grid& grid, std::span<const Vec3> points, double radius, CellMask& mask);

}  // namespace proven::roadmap
