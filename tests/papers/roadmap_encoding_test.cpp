#include "papers/roadmap/encoding.h"
#include "papers/roadmap/labels.h"
#include "roadmap/robots.h"

namespace proven::roadmap {
namespace {

TEST(Labels, ComeBackAndRunsCostNothing) {
  Random random(1);
  for (int k = 0; k < test::cases(500); ++k) {
    const int n = 1 + random.index(5000);
    const double density = random.uniform();
    std::vector<std::uint32_t> items;
    for (int i = 0; i < n; ++i)
      if (random.uniform() < density) items.push_back(static_cast<std::uint32_t>(i));
    const auto bytes = encode_labels(items, n);
    ASSERT_EQ(decode_labels(bytes, n), items);
    // Never worse than a bit per item and the count.
    ASSERT_LE(8 * bytes.size(), static_cast<std::size_t>(1.25 * n) + 48);
  }
  std::vector<std::uint32_t> all(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) all[i] = i;
  EXPECT_LE(encode_labels(all, 1000).size(), 4u);
}

CellLists real_sets(const test::TestRobot& robot, int nodes, Grid& grid) {
  BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 6;
  options.cell = robot.grid.cell.x;
  options.planar = robot.grid.planar();
  const Model model = build(robot.scene, {}, robot.scene.home(), options).value();
  grid = model.grid;
  return list_items(model.edges_at);
}

// All encodings give the same lists, cell by cell, and each step of the paper makes them smaller.
TEST(Encoding, AllDecodeToTheSameSets) {
  for (const auto& robot : test::all_robots()) {
    if (robot.name == "industrial arm" || robot.name == "gantry") continue;
    Grid grid;
    const CellLists lists = real_sets(robot, test::cases(150), grid);
    std::size_t size[4];
    for (const Encoding encoding :
         {Encoding::naive, Encoding::self, Encoding::region, Encoding::hierarchical}) {
      const EncodedLists encoded = EncodedLists::encode(encoding, lists, grid);
      size[static_cast<int>(encoding)] = encoded.size_bytes();
      for (int cell = 0; cell < lists.num_cells(); ++cell) {
        const auto expected = lists.at(cell);
        ASSERT_EQ(encoded.decode(cell),
                  std::vector<std::uint32_t>(expected.begin(), expected.end()))
            << robot.name << " " << to_string(encoding) << " cell " << cell;
      }
      EXPECT_LE(encoded.longest_chain(), 14) << to_string(encoding);
    }
    EXPECT_LT(size[1], size[0]) << robot.name;
    EXPECT_LT(size[2], size[0]) << robot.name;
    EXPECT_LT(size[3], size[0]) << robot.name;
  }
}

TEST(Encoding, RegionKeepsItsLimits) {
  const auto robots = test::all_robots();
  Grid grid;
  const CellLists lists = real_sets(robots[1], test::cases(200), grid);
  RegionOptions shallow;
  shallow.depth = 2;
  const EncodedLists few = EncodedLists::encode(Encoding::region, lists, grid, shallow);
  EXPECT_LE(few.longest_chain(), 3);  // two in η2, one to φ*
  shallow.depth = 30;
  const EncodedLists many = EncodedLists::encode(Encoding::region, lists, grid, shallow);
  EXPECT_GT(many.longest_chain(), few.longest_chain());
  EXPECT_LT(many.num_regions(), few.num_regions());
  for (int cell = 0; cell < lists.num_cells(); ++cell)
    ASSERT_EQ(few.decode(cell), many.decode(cell));
}

}  // namespace
}  // namespace proven::roadmap
