#include "proven/scene/voxel_map.h"

#include <fmt/format.h>

#include <bit>

namespace proven {
namespace {

using Cell = VoxelMap::Cell;

constexpr std::int32_t kMost = 1 << 20;  // of indices, as VoxelSet says
constexpr int kShift = 5;
static_assert(VoxelMap::kSide == 1 << kShift);

// Shifts round downwards, of negative indices too.
Cell block_of(const Cell& cell) {
  return {cell[0] >> kShift, cell[1] >> kShift, cell[2] >> kShift};
}

std::size_t row_of(const Cell& cell) {
  constexpr int kMask = VoxelMap::kSide - 1;
  return static_cast<std::size_t>((cell[2] & kMask) * VoxelMap::kSide + (cell[1] & kMask));
}

std::uint32_t bit_of(const Cell& cell) {
  return std::uint32_t{1} << (cell[0] & (VoxelMap::kSide - 1));
}

Result<void> check_cells(std::span<const Cell> cells) {
  for (const Cell& cell : cells)
    for (const std::int32_t i : cell)
      if (i < -kMost || i >= kMost)
        return bad_input(fmt::format("a voxel has the index {}, beyond -2^20 to 2^20 - 1", i));
  return {};
}

}  // namespace

Result<std::vector<ObstacleSource>> VoxelMap::update(std::span<const Cell> occupied,
                                                     std::span<const Cell> freed) {
  for (const std::span<const Cell> cells : {occupied, freed})
    if (auto valid = check_cells(cells); !valid.ok()) return valid.error();
  ++updates_;
  last_ = nullptr;
  std::vector<Cell> touched;
  for (const Cell& cell : freed) set(cell, false, touched);
  for (const Cell& cell : occupied) set(cell, true, touched);
  std::vector<ObstacleSource> changed;
  for (const Cell& place : touched) {
    const auto block = blocks_.find(place);
    const bool empty = block->second.count == 0;
    if (!empty || block->second.known) changed.push_back(obstacle(place, block->second));
    block->second.known = true;
    if (empty) blocks_.erase(block);
  }
  return changed;
}

bool VoxelMap::is_occupied(const Cell& cell) const {
  const auto found = blocks_.find(block_of(cell));
  return found != blocks_.end() && (found->second.rows[row_of(cell)] & bit_of(cell)) != 0;
}

void VoxelMap::set(const Cell& cell, bool occupied, std::vector<Cell>& touched) {
  const Cell place = block_of(cell);
  if (!last_ || last_->first != place) {
    const auto found = blocks_.find(place);
    if (found == blocks_.end() && !occupied) return;
    last_ = found != blocks_.end() ? &*found : &*blocks_.try_emplace(place).first;
  }
  Block& block = last_->second;
  std::uint32_t& row = block.rows[row_of(cell)];
  const std::uint32_t bit = bit_of(cell);
  if (((row & bit) != 0) == occupied) return;
  row ^= bit;
  block.count += occupied ? 1 : -1;
  occupied ? ++num_cells_ : --num_cells_;
  if (block.touched != updates_) touched.push_back(place);
  block.touched = updates_;
}

ObstacleSource VoxelMap::obstacle(const Cell& place, const Block& block) const {
  ObstacleSource source;
  source.name = fmt::format("{}[{},{},{}]", name_, place[0], place[1], place[2]);
  source.X_WB = X_WG_;
  if (block.count == 0) return source;
  auto voxels = std::make_shared<VoxelSet>();
  voxels->size = size_;
  voxels->cells.reserve(static_cast<std::size_t>(block.count));
  for (int row = 0; row < kSide * kSide; ++row)
    for (std::uint32_t bits = block.rows[static_cast<std::size_t>(row)]; bits != 0;
         bits &= bits - 1)
      voxels->cells.push_back({place[0] * kSide + std::countr_zero(bits),
                               place[1] * kSide + row % kSide, place[2] * kSide + row / kSide});
  source.elements.push_back({std::move(voxels), Pose{}, source.name});
  return source;
}

}  // namespace proven
