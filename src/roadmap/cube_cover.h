// Few cubes of side 1, 2, 4, ... that hold given cells, and occupied cells alone.
//
// They may stand anywhere and overlap: the union of rows does not mind, and a box of any sides from
// 2^l on is covered by ⌈side / 2^l⌉ cubes along each axis. All planes of bits are worked on a word
// at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/roadmap/grid.h"

namespace proven::roadmap {

struct Cube {
  int level;  // side 2^level
  int cell;   // its smallest corner; the outside is a cube of its own, of level 0
};

class CubeCover {
 public:
  // Cubes up to side 2^top_level; squares on a planar grid.
  CubeCover(const Grid& grid, int top_level);

  // Cubes of cells that are `occupied`, which hold all `wanted` ones; these must be occupied.
  std::span<const Cube> cover(std::span<const std::uint64_t> occupied,
                              std::span<const std::uint64_t> wanted);

 private:
  using Words = std::vector<std::uint64_t>;

  void find_cubes(int level);
  void mark_reached(int level);
  void take_cubes(int level);
  int cube_with(int cell, int level) const;
  void take(int cell, int level);

  int top_level_, num_axes_;
  int stride_[3];
  std::size_t begin_ = 0, end_ = 0;  // words with occupied cells
  std::vector<Words> fits_;          // per level: corners whose cube is within the grid
  std::vector<Words> corners_;       // per level: corners of cubes of occupied cells
  Words reached_, left_;             // cells of any such cube; cells still to be covered
  std::vector<Cube> cubes_;
};

}  // namespace proven::roadmap
