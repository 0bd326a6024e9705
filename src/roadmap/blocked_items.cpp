#include <algorithm>
#include <bit>

#include "proven/roadmap/planner.h"
#include "roadmap/cell_table.h"
#include "roadmap/cube_cover.h"
#include "roadmap/wide_table.h"

namespace proven::roadmap {
namespace {

// Cells along each side of a region, about: few regions, whose bitmaps are quickly joined.
constexpr int kRegionSide = 16;
// Rows that are asked for before they are added: enough to hide the latency of memory.
constexpr std::size_t kAhead = 8;

int top_level(const Grid& grid) {
  return grid.planar() ? 3 : 2;
}

// The rows of all cubes of one level from those of the level below.
WideTable join_cubes(const Grid& grid, int level, const WideTable& below, int num_items,
                     int threads) {
  const int half = 1 << (level - 1), parts = grid.planar() ? 4 : 8;
  return WideTable(grid.num_cells(), num_items, threads, [&](int corner, ItemBits& bits) {
    const auto p = grid.place(corner);
    const int side = 2 * half, depth = grid.planar() ? 1 : side;
    if (p[0] + side > grid.count[0] || p[1] + side > grid.count[1] || p[2] + depth > grid.count[2])
      return;
    for (int part = 0; part < parts; ++part)
      below.add(grid.index(p[0] + (part & 1) * half, p[1] + (part >> 1 & 1) * half,
                           p[2] + (part >> 2) * half),
                bits);
  });
}

}  // namespace

struct BlockedItems::Unions {
  struct Region {
    int occupied = 0;    // cells
    bool known = false;  // bits are the union of the rows of its occupied cells
    bool lost = false;   // a cell went in this update
    ItemBits bits;
  };

  const Grid& grid;
  std::vector<WideTable> tables;  // per level; level 0: cells and the outside
  CubeCover cover;
  std::array<int, 3> region_side, region_count;
  std::vector<Region> regions;              // the outside is the last
  std::vector<std::uint32_t> region_index;  // of each cell
  std::vector<std::uint64_t> full;          // cells that block everything
  std::vector<std::uint64_t> fresh, part;
  int occupied = 0;

  Unions(const Grid& g, const CellTable& from, const BlockedItemsOptions& options)
      : grid(g),
        tables(make_tables(g, from, options)),
        cover(g, static_cast<int>(tables.size()) - 1) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Regions have about equal sides.
      region_count[axis] = (g.count[axis] + kRegionSide - 1) / kRegionSide;
      region_side[axis] = (g.count[axis] + region_count[axis] - 1) / region_count[axis];
    }
    regions.resize(static_cast<std::size_t>(region_count[0] * region_count[1] * region_count[2]) +
                   1);
    fresh.resize(static_cast<std::size_t>(g.outside()) / 64 + 1);
    full = part = fresh;
    for (int cell = 0; cell <= g.outside(); ++cell)
      if (tables[0].is_full(cell))
        full[static_cast<std::size_t>(cell) >> 6] |= std::uint64_t{1} << (cell & 63);
    for (int cell = 0; cell < g.num_cells(); ++cell) {
      const auto place = g.place(cell);
      const int index = (place[2] / region_side[2] * region_count[1] + place[1] / region_side[1]) *
                            region_count[0] +
                        place[0] / region_side[0];
      region_index.push_back(static_cast<std::uint32_t>(index));
    }
    region_index.push_back(static_cast<std::uint32_t>(regions.size() - 1));
  }

  static std::vector<WideTable> make_tables(const Grid& grid, const CellTable& from,
                                            const BlockedItemsOptions& options) {
    std::vector<WideTable> tables;
    tables.emplace_back(from.num_rows(), from.num_items, options.threads,
                        [&](int row, ItemBits& bits) { add_row(from.row(row), bits); });
    std::size_t bytes = 0;
    for (int level = 1; level <= top_level(grid); ++level) {
      // A union is larger than its parts.
      if (bytes + tables.back().size_bytes() > options.max_union_bytes) break;
      tables.push_back(join_cubes(grid, level, tables.back(), from.num_items, options.threads));
      bytes += tables.back().size_bytes();
      if (bytes <= options.max_union_bytes) continue;
      tables.pop_back();
      break;
    }
    return tables;
  }

  Region& region_of(std::uint32_t cell) { return regions[region_index[cell]]; }

  // The occupied cells of one region, in `part`.
  void select(std::size_t index, const CellMask& mask) {
    std::fill(part.begin(), part.end(), 0);
    const auto copy = [&](int cell) {
      part[static_cast<std::size_t>(cell) >> 6] |= std::uint64_t{mask.test(cell)} << (cell & 63);
    };
    if (index + 1 == regions.size()) return copy(grid.outside());
    const int i = static_cast<int>(index);
    const std::array<int, 3> at = {i % region_count[0], i / region_count[0] % region_count[1],
                                   i / (region_count[0] * region_count[1])};
    std::array<int, 3> low, high;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = at[axis] * region_side[axis];
      high[axis] = std::min(grid.count[axis], low[axis] + region_side[axis]);
    }
    for (int z = low[2]; z < high[2]; ++z)
      for (int y = low[1]; y < high[1]; ++y) {
        const int first = grid.index(low[0], y, z), last = grid.index(high[0] - 1, y, z);
        if (!mask.any_in_run(first, last)) continue;
        for (int cell = first; cell <= last; ++cell) copy(cell);
      }
  }
};

BlockedItems::BlockedItems(const Grid& grid, const CellTable& table,
                           const BlockedItemsOptions& options)
    : mask_(grid),
      bits_(make_bits(table.num_items)),
      unions_(std::make_unique<Unions>(grid, table, options)) {}
BlockedItems::BlockedItems(BlockedItems&&) noexcept = default;
BlockedItems& BlockedItems::operator=(BlockedItems&&) noexcept = default;
BlockedItems::~BlockedItems() = default;

std::size_t BlockedItems::size_bytes() const {
  std::size_t sum = 0;
  for (const WideTable& table : unions_->tables) sum += table.size_bytes();
  return sum;
}

bool BlockedItems::change(std::uint32_t cell, bool occupied) {
  if (mask_.test(static_cast<int>(cell)) == occupied) return false;
  if (occupied)
    mask_.set(static_cast<int>(cell));
  else
    mask_.reset(static_cast<int>(cell));
  Unions::Region& region = unions_->region_of(cell);
  const int more = occupied ? 1 : -1;
  region.occupied += more;
  unions_->occupied += more;
  region.known = false;
  region.lost |= !occupied;
  return true;
}

void BlockedItems::add_cover(std::span<const std::uint64_t> occupied,
                             std::span<const std::uint64_t> wanted, ItemBits& bits) {
  // A cell that blocks everything, such as that of the base, makes the others needless.
  for (std::size_t w = 0; w < wanted.size(); ++w)
    if (const std::uint64_t full = wanted[w] & unions_->full[w]; full != 0)
      return unions_->tables[0].add(static_cast<int>(w * 64) + std::countr_zero(full), bits);
  const auto cubes = unions_->cover.cover(occupied, wanted);
  const auto table = [&](std::size_t k) -> const WideTable& {
    return unions_->tables[static_cast<std::size_t>(cubes[k].level)];
  };
  for (std::size_t k = 0; k < std::min(kAhead, cubes.size()); ++k) table(k).prefetch(cubes[k].cell);
  for (std::size_t k = 0; k < cubes.size(); ++k) {
    if (k + kAhead < cubes.size()) table(k + kAhead).prefetch(cubes[k + kAhead].cell);
    table(k).add(cubes[k].cell, bits);
  }
}

// The total from the unions of regions; those that changed are made anew, of cubes within them.
void BlockedItems::join_regions() {
  std::fill(bits_.begin(), bits_.end(), 0);
  for (std::size_t index = 0; index < unions_->regions.size(); ++index) {
    Unions::Region& region = unions_->regions[index];
    if (region.occupied == 0) continue;
    if (!region.known) {
      region.bits.assign(bits_.size(), 0);
      unions_->select(index, mask_);
      add_cover(unions_->part, unions_->part, region.bits);
      region.known = true;
    }
    for (std::size_t w = 0; w < bits_.size(); ++w) bits_[w] |= region.bits[w];
  }
}

void BlockedItems::update(std::span<const std::uint32_t> occupied,
                          std::span<const std::uint32_t> freed) {
  std::fill(unions_->fresh.begin(), unions_->fresh.end(), 0);
  bool lost = false;
  for (const std::uint32_t cell : freed) lost |= change(cell, false);
  for (const std::uint32_t cell : occupied)
    if (change(cell, true)) unions_->fresh[cell >> 6] |= std::uint64_t{1} << (cell & 63);
  if (!lost) return add_cover(mask_.words(), unions_->fresh, bits_);
  int touched = 0;
  for (Unions::Region& region : unions_->regions) {
    touched += region.lost ? region.occupied : 0;
    region.lost = false;
  }
  if (2 * touched < unions_->occupied) return join_regions();
  std::fill(bits_.begin(), bits_.end(), 0);
  add_cover(mask_.words(), mask_.words(), bits_);
}

void BlockedItems::set(const CellMask& mask) {
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
