// Which arcs (or nodes) the occupied cells block, kept up to date as cells change.
//
// Beside the rows of cells, the unions of the rows of all cubes of side 2 and 4 (planar: squares up
// to 8) are kept in memory, wherever a cube may stand: a solid obstacle is covered by few of them.
// Cells that appear add the cubes that hold them. Where cells go, unions are made anew: of the
// regions of the grid that lost a cell, or of everything if that is most of what is occupied.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "proven/roadmap/grid.h"
#include "proven/roadmap/rows.h"

namespace proven::roadmap {

struct BlockageOptions {
  // For unions of cubes. Sides whose unions do not fit are left out: updates are slower then.
  std::size_t max_union_bytes = std::size_t{512} << 20;
  int threads = 0;  // that make the unions
};

class Blockage {
 public:
  // Both must outlive it.
  Blockage(const Grid& grid, const Rows& rows, const BlockageOptions& options = {});
  Blockage(Blockage&&) noexcept;
  Blockage& operator=(Blockage&&) noexcept;
  ~Blockage();

  // Changes to the given occupancy (a cell that is already so is passed over).
  void update(std::span<const std::uint32_t> occupied, std::span<const std::uint32_t> freed);
  // The same as a whole: finds what changed.
  void set(const CellMask& mask);

  const CellMask& occupied() const { return mask_; }
  const ItemBits& blocked() const { return total_; }
  bool is_blocked(std::uint32_t item) const { return test_bit(total_, item); }
  // Of rows and unions in memory.
  std::size_t size_bytes() const;

 private:
  struct Unions;

  bool change(std::uint32_t cell, bool occupied);
  void add_cover(std::span<const std::uint64_t> occupied, std::span<const std::uint64_t> wanted,
                 ItemBits& bits);
  void join_regions();

  CellMask mask_;
  ItemBits total_;
  std::unique_ptr<Unions> unions_;
};

}  // namespace proven::roadmap
