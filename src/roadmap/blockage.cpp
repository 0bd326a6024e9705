#include "proven/roadmap/blockage.h"

#include <algorithm>
#include <bit>

namespace proven::roadmap {
namespace {

constexpr int kRegionSide = 4;  // blocks per region along each axis

void add_bits(const ItemBits& from, ItemBits& to) {
  for (std::size_t w = 0; w < to.size(); ++w) to[w] |= from[w];
}

std::array<int, 3> place_in(const std::array<int, 3>& count, int index) {
  return {index % count[0], index / count[0] % count[1], index / (count[0] * count[1])};
}

int index_in(const std::array<int, 3>& count, const std::array<int, 3>& p) {
  return (p[2] * count[1] + p[1]) * count[0] + p[0];
}

std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace

Blockage::Blockage(const Grid& grid, const Rows& rows)
    : grid_(grid),
      rows_(rows),
      top_level_(num_block_levels(grid)),
      axes_(grid.planar() ? 2 : 3),
      count_(block_count(grid, top_level_)),
      num_blocks_(count_[0] * count_[1] * count_[2]),
      mask_(grid),
      blocks_(static_cast<std::size_t>(num_blocks_) + 1),
      total_(make_bits(rows.num_items)) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    regions_[axis] = (count_[axis] + kRegionSide - 1) / kRegionSide;
  region_unions_.resize(static_cast<std::size_t>(regions_[0] * regions_[1] * regions_[2]) + 1);
  for (int cell = 0; cell <= grid_.outside(); ++cell) {
    const auto [block, bit] = address_of(cell);
    blocks_[static_cast<std::size_t>(block)].inside |= std::uint64_t{1} << bit;
  }
}

Blockage::Address Blockage::address_of(int cell) const {
  if (cell == grid_.outside()) return {num_blocks_, 0};
  auto place = grid_.place(cell);
  int bit = 0;
  for (int level = 0; level < top_level_; ++level)
    for (int axis = 0; axis < axes_; ++axis)
      bit |= (place[static_cast<std::size_t>(axis)] >> level & 1) << (level * axes_ + axis);
  for (int& p : place) p >>= top_level_;
  return {index_in(count_, place), bit};
}

// The outside is a region of its own, after all others.
int Blockage::region_of(int block) const {
  if (block == num_blocks_) return static_cast<int>(region_unions_.size()) - 1;
  auto place = place_in(count_, block);
  for (int& p : place) p /= kRegionSide;
  return index_in(regions_, place);
}

void Blockage::change(std::uint32_t cell, bool occupied) {
  if (mask_.test(static_cast<int>(cell)) == occupied) return;
  if (occupied)
    mask_.set(static_cast<int>(cell));
  else
    mask_.reset(static_cast<int>(cell));
  const auto [index, bit] = address_of(static_cast<int>(cell));
  Block& block = blocks_[static_cast<std::size_t>(index)];
  block.now ^= std::uint64_t{1} << bit;
  if (!block.dirty) dirty_.push_back(index);
  block.dirty = true;
}

void Blockage::add_part(const Block& block, const std::array<int, 3>& place, int level, int first,
                        std::uint64_t fresh, ItemBits& bits) const {
  const std::uint64_t part = low_bits(1 << (axes_ * level)) << first;
  if ((fresh & part) == 0) return;
  if (level == 0) {
    add_row(rows_.cells.row(grid_.index(place[0], place[1], place[2])), bits);
    return;
  }
  if ((block.now & part) == (block.inside & part)) {
    const auto per_axis = block_count(grid_, level);
    add_row(rows_.blocks[static_cast<std::size_t>(level) - 1].row(index_in(per_axis, place)), bits);
    return;
  }
  for (int child = 0; child < 1 << axes_; ++child) {
    std::array<int, 3> below;
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      below[a] = axis < axes_ ? 2 * place[a] + (child >> axis & 1) : place[a];
    }
    add_part(block, below, level - 1, first + (child << (axes_ * (level - 1))), fresh, bits);
  }
}

void Blockage::add_cells(int index, std::uint64_t fresh, ItemBits& bits) const {
  if (index == num_blocks_) {
    if (fresh != 0) add_row(rows_.cells.row(grid_.outside()), bits);
  } else {
    const Block& block = blocks_[static_cast<std::size_t>(index)];
    add_part(block, place_in(count_, index), top_level_, 0, fresh, bits);
  }
}

void Blockage::refresh(int index) {
  Block& block = blocks_[static_cast<std::size_t>(index)];
  const int number = region_of(index);
  Region& region = region_unions_[static_cast<std::size_t>(number)];
  if (region.bits.empty()) region.bits = make_bits(rows_.num_items);
  if (!region.touched) touched_.push_back(number);
  region.touched = true;
  if (!block.listed) region.blocks.push_back(index);
  block.listed = true;
  if ((block.before & ~block.now) != 0)
    region.stale = true;
  else
    add_cells(index, block.now & ~block.before, region.bits);
  block.before = block.now;
  block.dirty = block.known = false;
}

void Blockage::remake(Region& region) {
  std::fill(region.bits.begin(), region.bits.end(), 0);
  std::erase_if(region.blocks, [&](int index) {
    Block& block = blocks_[static_cast<std::size_t>(index)];
    if (block.now != 0) return false;
    block.bits = {};
    block.listed = false;
    return true;
  });
  for (const int index : region.blocks) {
    Block& block = blocks_[static_cast<std::size_t>(index)];
    if (!block.known) {
      block.bits.assign(region.bits.size(), 0);
      add_cells(index, block.now, block.bits);
      block.known = true;
    }
    add_bits(block.bits, region.bits);
  }
}

void Blockage::update(std::span<const std::uint32_t> occupied,
                      std::span<const std::uint32_t> freed) {
  for (const std::uint32_t cell : freed) change(cell, false);
  for (const std::uint32_t cell : occupied) change(cell, true);
  for (const int index : dirty_) refresh(index);
  dirty_.clear();
  bool lost = false;
  for (const int number : touched_) {
    Region& region = region_unions_[static_cast<std::size_t>(number)];
    if (region.stale) remake(region);
    lost |= region.stale;
    region.stale = region.touched = false;
  }
  if (lost) std::fill(total_.begin(), total_.end(), 0);
  for (std::size_t number = 0; lost && number < region_unions_.size(); ++number)
    if (!region_unions_[number].blocks.empty()) add_bits(region_unions_[number].bits, total_);
  for (const int number : touched_)
    if (!lost) add_bits(region_unions_[static_cast<std::size_t>(number)].bits, total_);
  touched_.clear();
}

void Blockage::set(const CellMask& mask) {
  std::vector<std::uint32_t> occupied, freed;
  const auto now = mask.words(), before = mask_.words();
  for (std::size_t w = 0; w < now.size(); ++w)
    for (std::uint64_t changed = now[w] ^ before[w]; changed != 0; changed &= changed - 1) {
      const auto cell = static_cast<std::uint32_t>(w * 64) +
                        static_cast<std::uint32_t>(std::countr_zero(changed));
      (mask.test(static_cast<int>(cell)) ? occupied : freed).push_back(cell);
    }
  update(occupied, freed);
}

}  // namespace proven::roadmap
