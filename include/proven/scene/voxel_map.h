// Voxels that change with what a sensor sees. The grid is cut into blocks of 32 x 32 x 32 cells,
// and every block with an occupied cell is an obstacle of its own: a change builds only the blocks
// that it touches, and all other geometry, and what was proved about it, stands.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/scene_source.h"

namespace proven {

class VoxelMap {
 public:
  using Cell = std::array<std::int32_t, 3>;

  // Cell (i, j, k) is the product of [i, i + 1], [j, j + 1] and [k, k + 1], times `size`, in a
  // frame at X_WG. The obstacles are called "name[i,j,k]", with the place of the block.
  VoxelMap(std::string name, double size, const Pose& X_WG = {})
      : name_(std::move(name)), size_(size), X_WG_(X_WG) {}

  // The obstacles that a change touches, for Scene::with_obstacles: those without elements are to
  // be taken out. A cell in both lists becomes occupied. Fails, and changes nothing, on indices
  // beyond those of VoxelSet.
  Result<std::vector<ObstacleSource>> update(std::span<const Cell> occupied,
                                             std::span<const Cell> freed = {});

  std::size_t num_cells() const { return num_cells_; }
  std::size_t num_blocks() const { return blocks_.size(); }
  bool is_occupied(const Cell& cell) const;

  static constexpr int kSide = 32;  // cells

 private:
  // A bit for every cell; a word is a row along the first axis.
  struct Block {
    std::array<std::uint32_t, kSide* kSide> rows = {};
    int count = 0;
    std::size_t touched = 0;  // by which update
    bool known = false;       // an earlier update told of it
  };

  void set(const Cell& cell, bool occupied, std::vector<Cell>& touched);
  ObstacleSource obstacle(const Cell& place, const Block& block) const;

  std::string name_;
  double size_;
  Pose X_WG_;
  std::map<Cell, Block> blocks_;
  std::pair<const Cell, Block>* last_ =
      nullptr;  // of the cells of an update: neighbours come along
  std::size_t num_cells_ = 0, updates_ = 0;
};

}  // namespace proven
