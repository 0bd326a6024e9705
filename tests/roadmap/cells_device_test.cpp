// Cells by the program of a GPU, on the host and, where there is one, on it: those of `mark`.
#include "roadmap/cells_device.h"

#include "proven/base/parallel.h"
#include "robots.h"

namespace proven::roadmap {
namespace {

using Ways = std::vector<std::vector<std::vector<double>>>;

// Motions short and long, and some that rest.
Ways random_ways(const Scene& scene, Random& random, int count) {
  Ways ways;
  for (int i = 0; i < count; ++i)
    ways.push_back(test::random_motion(scene, random, i % 5 == 0 ? 0.0 : i % 3 == 0 ? 2.5 : 0.4));
  return ways;
}

using Lists = std::vector<std::vector<std::uint32_t>>;

Lists list_by_threads(const Sweeper& sweeper, const Ways& ways) {
  Lists lists;
  Sweeper::Scratch scratch;
  for (const auto& way : ways) {
    CellMask mask(sweeper.grid());
    sweeper.mark(way[0], way[1], scratch, mask);
    lists.push_back(mask.cells());
  }
  return lists;
}

Lists list_by(CellDevice& device, const Sweeper& sweeper, const Ways& ways, int threads) {
  Lists lists(ways.size());
  const int block = static_cast<int>(ways.size() + 2) / 3;
  parallel_for(3, threads, [&](int part, int thread) {
    const int count = static_cast<int>(ways.size());
    const int first = std::min(count, part * block), end = std::min(count, first + block);
    Sweeper::Scratch scratch;
    int next = first;
    device.list(
        first, end, thread,
        [&](int item, int number, std::vector<Passage>& passages) {
          const auto& way = ways[static_cast<std::size_t>(item)];
          sweeper.append_passages(way[0], way[1], number, scratch, passages);
        },
        [&](std::span<const std::uint32_t> cells) {
          lists[static_cast<std::size_t>(next++)].assign(cells.begin(), cells.end());
        });
    EXPECT_EQ(next, end);
  });
  return lists;
}

// A grid that the robot leaves now and then.
Grid cut_off(Grid grid) {
  for (int axis = 0; axis < 2; ++axis)
    grid.count[static_cast<std::size_t>(axis)] = grid.count[static_cast<std::size_t>(axis)] * 2 / 3;
  return grid;
}

// Of all robots, whole and cut off grids, without and with a clearance.
void compare(BatchDevice wanted, int count) {
  constexpr int kThreads = 2;
  Random random(21);
  int outside = 0, inside = 0;
  for (const auto& robot : test::all_robots())
    for (const double clearance : {0.0, 0.07})
      for (const Grid& grid : {robot.grid, cut_off(robot.grid)}) {
        Clearances clearances;
        clearances.world = clearance;
        const Scene scene = robot.scene.with_clearance(clearances).value();
        const Sweeper sweeper = Sweeper::build(scene, grid).value();
        const auto device = CellDevice::open(sweeper, wanted, kThreads);
        if (!device.ok()) GTEST_SKIP() << device.error().text();
        ASSERT_TRUE(device.value());
        const Ways ways = random_ways(scene, random, count);
        const Lists expected = list_by_threads(sweeper, ways);
        const Lists lists = list_by(*device.value(), sweeper, ways, kThreads);
        for (std::size_t i = 0; i < ways.size(); ++i) {
          EXPECT_EQ(lists[i], expected[i]) << robot.name << " " << i;
          const bool leaves =
              !lists[i].empty() && lists[i].back() == static_cast<std::uint32_t>(grid.outside());
          ++(leaves ? outside : inside);
        }
      }
  EXPECT_GT(outside, count);
  EXPECT_GT(inside, count);
}

TEST(CellDevice, ProgramsOfAGpuMarkTheSame) {
  compare(BatchDevice::emulated, test::cases(30));
}

TEST(CellDevice, AGpuHasTheBitsOfTheHost) {
  // More than are under way together.
  compare(BatchDevice::gpu, test::cases(600));
}

TEST(CellDevice, ListsMoreThanAreUnderWayTogether) {
  const auto robot = test::make_robot("planar 3", scenes::make_planar_arm(3), 0.05, true);
  const Sweeper sweeper = Sweeper::build(robot.scene, robot.grid).value();
  const auto device = CellDevice::open(sweeper, BatchDevice::emulated, 2).value();
  Random random(22);
  for (const int count : {0, 1, 64, 65, 500}) {
    const Ways ways = random_ways(robot.scene, random, count);
    EXPECT_EQ(list_by(*device, sweeper, ways, 2), list_by_threads(sweeper, ways)) << count;
  }
}

TEST(CellDevice, ThreadsNeedNone) {
  const auto robot = test::make_robot("planar 2", scenes::make_planar_arm(2), 0.05, true);
  const Sweeper sweeper = Sweeper::build(robot.scene, robot.grid).value();
  EXPECT_EQ(CellDevice::open(sweeper, BatchDevice::threads, 1).value(), nullptr);
  EXPECT_TRUE(CellDevice::open(sweeper, BatchDevice::automatic, 1).ok());
}

}  // namespace
}  // namespace proven::roadmap
