// Which arcs (or nodes) the occupied cells block, kept up to date as cells change.
//
// The grid is cut into blocks of 64 cells and blocks into regions; each that holds an occupied cell
// keeps the union of its rows. A cell that becomes occupied adds its row to its region; a cell that
// becomes free has its region made anew from the unions of its blocks, which are made when they are
// first needed. Parts of a block that are full use their stored unions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/roadmap/rows.h"

namespace proven::roadmap {

class Blockage {
 public:
  // Both must outlive it.
  Blockage(const Grid& grid, const Rows& rows);

  // Changes to the given occupancy (a cell that is already so is passed over).
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed);
  // The same as a whole: finds what changed.
  void set(const CellMask& mask);

  const CellMask& occupied() const { return mask_; }
  const ItemBits& blocked() const { return total_; }
  bool is_blocked(std::uint32_t item) const { return test_bit(total_, item); }

 private:
  struct Block {
    // Bit k: the k-th cell of the block in Morton order, so that a part of side 2^l is a run of
    // bits.
    std::uint64_t inside = 0;  // within the grid
    std::uint64_t before = 0, now = 0;
    bool dirty = false, listed = false;  // listed: in its region's list
    bool known = false;                  // bits are the union of the rows of `now`
    ItemBits bits;
  };
  struct Region {
    ItemBits bits;  // empty unless a block of it ever was occupied
    bool touched = false, stale = false;
    std::vector<int> blocks;  // that are occupied, and perhaps some that were
  };

  struct Address {
    int block, bit;
  };
  Address address_of(int cell) const;
  int region_of(int block) const;
  void change(std::uint32_t cell, bool occupied);
  void refresh(int index);
  void add_cells(int index, std::uint64_t fresh, ItemBits& bits) const;
  // Adds the rows of the new cells in the part of side 2^level that begins at `first`.
  void add_part(const Block& block, const std::array<int, 3>& place, int level, int first,
                std::uint64_t fresh, ItemBits& bits) const;
  void remake(Region& region);

  const Grid& grid_;
  const Rows& rows_;
  int top_level_, axes_;
  std::array<int, 3> count_, regions_;
  int num_blocks_ = 0;  // without the outside, which is the last
  CellMask mask_;
  std::vector<Block> blocks_;
  std::vector<Region> region_unions_;
  std::vector<int> dirty_, touched_;  // blocks, regions
  ItemBits total_;
};

}  // namespace proven::roadmap
