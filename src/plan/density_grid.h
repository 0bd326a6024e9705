// Picks members of a tree so that sparse regions come as often as crowded ones: a grid over two of
// the coordinates; first a cell that is not empty, then a member of it, both uniformly.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "proven/plan/joint_space.h"

namespace proven {

class DensityGrid {
 public:
  explicit DensityGrid(const JointSpace& space) : space_(space), cells_(kCells * kCells) {}

  // Forgets all members and takes two other coordinates.
  void choose_projection(Random& random);
  void add(int member, std::span<const double> point);
  void remove(int member, std::span<const double> point);
  int pick(Random& random) const;  // requires a member

 private:
  static constexpr int kCells = 10;  // per axis

  std::size_t cell_of(std::span<const double> point) const;

  const JointSpace& space_;
  std::array<std::size_t, 2> axes_ = {0, 0};
  std::vector<std::vector<int>> cells_;
  std::vector<std::size_t> filled_;  // cells that are not empty
};

}  // namespace proven
