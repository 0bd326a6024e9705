#include "proven/roadmap/rows.h"

#include <algorithm>
#include <set>

#include "proven/base/random.h"
#include "proven/roadmap/blockage.h"
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

TEST(Rows, ComeBackAsTheyWere) {
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

TEST(Rows, BytesThatAreNoRowAreRefused) {
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

CellSets random_sets(const Grid& grid, int num_items, Random& random) {
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(num_items));
  for (auto& list : cells) {
    CellMask mask(grid);
    const int runs = 1 + random.index(6);
    for (int r = 0; r < runs; ++r) {
      const int first = random.index(grid.outside() + 1);
      mask.set_run(first, std::min(grid.outside(), first + random.index(30)));
    }
    list = mask.cells();
  }
  return transpose_cells(cells, grid.outside() + 1);
}

TEST(Rows, BlocksHoldTheUnionOfTheirCells) {
  Random random(3);
  for (const auto& count : {std::array<int, 3>{13, 7, 1}, std::array<int, 3>{9, 6, 5}}) {
    Grid grid;
    grid.count = count;
    const CellSets sets = random_sets(grid, 700, random);
    const Rows rows = encode_rows(sets, grid, 2);
    for (int cell = 0; cell < sets.num_sets(); ++cell) {
      const auto items = sets.at(cell);
      ASSERT_EQ(decode_row(rows.cells.row(cell), 700),
                std::vector<std::uint32_t>(items.begin(), items.end()));
    }
    for (int level = 1; level <= num_block_levels(grid); ++level) {
      const auto blocks = block_count(grid, level);
      std::vector<std::set<std::uint32_t>> unions(
          static_cast<std::size_t>(blocks[0] * blocks[1] * blocks[2]));
      for (int cell = 0; cell < grid.num_cells(); ++cell) {
        const auto p = grid.place(cell);
        const int b = ((p[2] >> level) * blocks[1] + (p[1] >> level)) * blocks[0] + (p[0] >> level);
        for (const std::uint32_t item : sets.at(cell))
          unions[static_cast<std::size_t>(b)].insert(item);
      }
      for (std::size_t b = 0; b < unions.size(); ++b)
        ASSERT_EQ(
            decode_row(rows.blocks[static_cast<std::size_t>(level) - 1].row(static_cast<int>(b)),
                       700),
            std::vector<std::uint32_t>(unions[b].begin(), unions[b].end()));
    }
  }
}

// Any sequence of changes gives what counting from scratch gives.
TEST(Blockage, FollowsEveryChange) {
  Random random(4);
  std::int64_t blocked = 0, open = 0;
  for (const auto& count : {std::array<int, 3>{33, 20, 1}, std::array<int, 3>{11, 9, 10}}) {
    Grid grid;
    grid.count = count;
    const int n = 900;
    const CellSets sets = random_sets(grid, n, random);
    const Rows rows = encode_rows(sets, grid);
    Blockage blockage(grid, rows);
    CellMask mask(grid);
    for (int k = 0; k < test::cases(300); ++k) {
      std::vector<std::uint32_t> on, off;
      if (k % 7 == 6) {  // everything moves
        mask.clear();
        for (int i = random.index(4); i > 0; --i) mask.set(random.index(grid.outside() + 1));
        blockage.set(mask);
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
        blockage.update(on, off);
      }
      std::vector<bool> expected(static_cast<std::size_t>(n));
      for (const std::uint32_t cell : mask.cells())
        for (const std::uint32_t item : sets.at(static_cast<int>(cell))) expected[item] = true;
      for (std::uint32_t item = 0; item < static_cast<std::uint32_t>(n); ++item) {
        ASSERT_EQ(blockage.is_blocked(item), expected[item]) << "after change " << k;
        (expected[item] ? blocked : open)++;
      }
      ASSERT_EQ(blockage.occupied(), mask);
    }
  }
  EXPECT_GT(blocked, 1000);
  EXPECT_GT(open, 1000);
}

}  // namespace
}  // namespace proven::roadmap
