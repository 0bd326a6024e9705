#include "roadmap/cell_table.h"

#include <algorithm>

#include "proven/base/random.h"
#include "proven/roadmap/planner.h"
#include "roadmap/cube_cover.h"
#include "roadmap/wide_table.h"
#include "support.h"

namespace proven::roadmap {
namespace {

// Sets with all kinds of chunks: sparse, dense, full, runs, missing runs.
std::vector<std::uint32_t> random_set(Random& random, int num_items) {
  std::vector<std::uint32_t> items;
  int kind = 0;
  double density = 0;
  for (int i = 0; i < num_items; ++i) {
    if (i % 256 == 0) {
      kind = random.index(6);
      density = kind == 0   ? 0
                : kind == 1 ? 0.02
                : kind == 2 ? 0.5
                : kind == 3 ? 1
                            : random.uniform();
    }
    const bool in = kind < 4 ? random.uniform() < density : (i / (kind == 4 ? 17 : 40)) % 3 != 0;
    if (in) items.push_back(static_cast<std::uint32_t>(i));
  }
  return items;
}

TEST(CellTable, ComeBackAsTheyWere) {
  Random random(1);
  for (int k = 0; k < test::cases(400); ++k) {
    const int n = 1 + random.index(90000);
    const auto items = k % 5 == 0 ? std::vector<std::uint32_t>{static_cast<std::uint32_t>(n - 1)}
                                  : random_set(random, std::min(n, 6000));
    std::vector<std::uint8_t> bytes;
    append_row(items, bytes);
    ASSERT_TRUE(check_row(bytes, n));
    ASSERT_EQ(decode_row(bytes, n), items);
  }
}

TEST(CellTable, BytesThatAreNoRowAreRefused) {
  Random random(2);
  int refused = 0, accepted = 0;
  for (int k = 0; k < test::cases(4000); ++k) {
    std::vector<std::uint8_t> bytes;
    append_row(random_set(random, 2000), bytes);
    if (bytes.empty()) continue;
    if (k % 2 == 0)
      bytes.resize(static_cast<std::size_t>(random.index(static_cast<int>(bytes.size()))));
    else
      bytes[static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())))] ^=
          static_cast<std::uint8_t>(1 + random.index(255));
    if (check_row(bytes, 2000)) {
      ++accepted;
      decode_row(bytes, 2000);  // stays within bounds: the sanitizers look on
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, test::cases(1000));
  EXPECT_GT(accepted, test::cases(100));
}

// With `full`, one cell holds every item.
std::vector<std::vector<std::uint32_t>> random_cells(const Grid& grid, int num_items,
                                                     Random& random, bool full) {
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(num_items));
  for (auto& list : cells) {
    CellMask mask(grid);
    if (full) mask.set(7);
    const int runs = 1 + random.index(6);
    for (int r = 0; r < runs; ++r) {
      const int first = random.index(grid.outside() + 1);
      mask.set_run(first, std::min(grid.outside(), first + random.index(30)));
    }
    list = mask.cells();
  }
  return cells;
}

TEST(WideTable, AddWhatTheyWereMadeOf) {
  Random random(5);
  const int n = 90000;  // gaps of more than 255 words
  std::vector<ItemBits> rows;
  for (int k = 0; k < test::cases(60); ++k) {
    ItemBits& bits = rows.emplace_back(make_bits(n));
    if (k == 0) continue;
    for (int i = k == 1 ? n : random.index(30); i > 0; --i) {
      const int item = k == 1 ? i - 1 : random.index(n);
      bits[static_cast<std::size_t>(item) >> 6] |= std::uint64_t{1} << (item & 63);
    }
  }
  const auto count = static_cast<int>(rows.size());
  const WideTable wide(
      count, n, 2, [&](int row, ItemBits& bits) { bits = rows[static_cast<std::size_t>(row)]; });
  ItemBits sum = make_bits(n), expected = sum;
  for (int row = count - 1; row >= 0; --row) {
    EXPECT_EQ(wide.is_full(row), row == 1);
    wide.prefetch(row);
    wide.add(row, sum);
    for (std::size_t w = 0; w < sum.size(); ++w)
      expected[w] |= rows[static_cast<std::size_t>(row)][w];
    ASSERT_EQ(sum, expected);
  }
}

// Cubes hold what is wanted and nothing that is free, and are few where obstacles are solid.
TEST(CubeCover, HoldsWhatIsWantedAndOccupiedCellsAlone) {
  Random random(3);
  int large = 0, single = 0;
  for (int k = 0; k < test::cases(400); ++k) {
    Grid grid;
    grid.count = {1 + random.index(40), 1 + random.index(20),
                  k % 3 == 0 ? 1 : 1 + random.index(12)};
    CellMask occupied(grid), wanted(grid);
    for (int box = 1 + random.index(4); box > 0; --box) {
      std::array<int, 3> first, last;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = random.index(grid.count[axis]);
        last[axis] = std::min(grid.count[axis] - 1, first[axis] + random.index(10));
      }
      for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y)
          occupied.set_run(grid.index(first[0], y, z), grid.index(last[0], y, z));
    }
    if (k % 4 == 0) occupied.set(grid.outside());
    for (const std::uint32_t cell : occupied.cells())
      if (k % 2 == 0 || random.index(3) == 0) wanted.set(static_cast<int>(cell));
    const int levels = grid.planar() ? 3 : 2;
    CubeCover cover(grid, levels);
    CellMask held(grid);
    for (const Cube& cube : cover.cover(occupied.words(), wanted.words())) {
      (cube.level == 0 ? single : large)++;
      if (cube.cell == grid.outside()) {
        held.set(cube.cell);
        continue;
      }
      const auto corner = grid.place(cube.cell);
      const int side = 1 << cube.level, depth = grid.planar() ? 1 : side;
      ASSERT_LE(corner[0] + side, grid.count[0]);
      ASSERT_LE(corner[1] + side, grid.count[1]);
      for (int z = 0; z < depth; ++z)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x)
            held.set(grid.index(corner[0] + x, corner[1] + y, corner[2] + z));
    }
    for (int cell = 0; cell <= grid.outside(); ++cell) {
      ASSERT_TRUE(!wanted.test(cell) || held.test(cell)) << cell;
      ASSERT_TRUE(!held.test(cell) || occupied.test(cell)) << cell;
    }
  }
  EXPECT_GT(large, test::cases(400));
  EXPECT_GT(single, test::cases(400));
}

TEST(CubeCover, CoversABoxWithFewCubes) {
  Grid grid;
  grid.count = {20, 20, 20};
  CellMask box(grid);
  for (int z = 3; z < 8; ++z)
    for (int y = 5; y < 12; ++y) box.set_run(grid.index(2, y, z), grid.index(6, y, z));
  CubeCover cover(grid, 2);
  EXPECT_EQ(cover.cover(box.words(), box.words()).size(), 8u);  // 5 × 7 × 5 cells by 2 × 2 × 2
}

// Any sequence of changes gives what counting from scratch gives.
TEST(BlockedItems, FollowsEveryChange) {
  Random random(4);
  std::int64_t blocked = 0, open = 0;
  const struct {
    std::array<int, 3> count;
    bool full;
    std::size_t union_bytes;
  } kCases[] = {{{33, 20, 1}, false, 1 << 28}, {{70, 41, 1}, true, 1 << 28},
                {{11, 9, 10}, false, 1 << 28}, {{37, 5, 21}, true, 1 << 28},
                {{37, 5, 21}, false, 150000},  {{37, 5, 21}, false, 0}};
  for (const auto& [count, full, union_bytes] : kCases) {
    Grid grid;
    grid.count = count;
    const int n = 900;
    const auto cells = random_cells(grid, n, random, full);
    const CellTable table = make_table(cells, grid.outside() + 1);
    BlockedItemsOptions options;
    options.max_union_bytes = union_bytes;
    BlockedItems blocked_items(grid, table, options);
    CellMask mask(grid);
    for (int k = 0; k < test::cases(300); ++k) {
      std::vector<std::uint32_t> on, off;
      if (k % 7 == 6) {  // everything moves
        mask.clear();
        for (int i = random.index(4); i > 0; --i) mask.set(random.index(grid.outside() + 1));
        blocked_items.set(mask);
      } else {
        // A block of cells appears or goes.
        std::array<int, 3> first, last;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          first[axis] = random.index(count[axis]);
          last[axis] = std::min(count[axis] - 1, first[axis] + random.index(9));
        }
        const bool appears = random.index(2) == 0;
        for (int z = first[2]; z <= last[2]; ++z)
          for (int y = first[1]; y <= last[1]; ++y)
            for (int x = first[0]; x <= last[0]; ++x)
              (appears ? on : off).push_back(static_cast<std::uint32_t>(grid.index(x, y, z)));
        if (k % 5 == 0) (appears ? on : off).push_back(static_cast<std::uint32_t>(grid.outside()));
        for (const auto c : on) mask.set(static_cast<int>(c));
        for (const auto c : off) mask.reset(static_cast<int>(c));
        blocked_items.update(on, off);
      }
      std::vector<bool> expected;
      for (const auto& own : cells)
        expected.push_back(std::ranges::any_of(
            own, [&](std::uint32_t cell) { return mask.test(static_cast<int>(cell)); }));
      for (std::uint32_t item = 0; item < static_cast<std::uint32_t>(n); ++item) {
        ASSERT_EQ(blocked_items.contains(item), expected[item]) << "after change " << k;
        (expected[item] ? blocked : open)++;
      }
      ASSERT_EQ(blocked_items.occupied(), mask);
    }
  }
  EXPECT_GT(blocked, 1000);
  EXPECT_GT(open, 1000);
}

}  // namespace
}  // namespace proven::roadmap
