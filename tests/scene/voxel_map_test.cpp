// Voxels that change: the blocks together are the set that a plain list of cells gives, and scenes
// that follow the changes are those built anew.
#include "proven/scene/voxel_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/scene/scene.h"
#include "support.h"

namespace proven::test {
namespace {

using Cell = VoxelMap::Cell;

std::set<Cell> cells_of(const Scene& scene) {
  std::set<Cell> all;
  for (const Body& body : scene.bodies())
    for (const CollisionElement& element : body.geometry->elements())
      for (const Cell& cell : std::get<std::shared_ptr<const VoxelSet>>(element.shape)->cells)
        EXPECT_TRUE(all.insert(cell).second);
  return all;
}

TEST(VoxelMap, ScenesFollowWhatChanges) {
  int emptied = 0, kept = 0;
  for (int i = 0; i < cases(60); ++i) {
    Random random(10 + static_cast<std::uint64_t>(i));
    const Pose X{random.rotation(), {1, 2, 3}};
    VoxelMap map("map", 0.05, X);
    Scene scene = build_scene({}).value();
    std::set<Cell> truth;
    const int extent = 20 + random.index(60);
    for (int step = 0; step < 12; ++step) {
      std::vector<Cell> occupied, freed;
      const auto random_cell = [&] {
        return Cell{random.index(extent) - extent / 2, random.index(extent) - 3,
                    random.index(2) - 1};
      };
      for (int k = random.index(40); k > 0; --k) occupied.push_back(random_cell());
      for (int k = random.index(40); k > 0; --k) freed.push_back(random_cell());
      if (step % 4 == 3) freed.assign(truth.begin(), truth.end());  // nothing is left but these
      for (const Cell& cell : freed) truth.erase(cell);
      truth.insert(occupied.begin(), occupied.end());
      const Scene before = scene;
      const auto changes = map.update(occupied, freed);
      ASSERT_TRUE(changes.ok());
      for (const ObstacleSource& change : changes.value()) emptied += change.elements.empty();
      auto after = scene.with_obstacles(changes.value());
      ASSERT_TRUE(after.ok()) << after.error().text();
      scene = std::move(after).value();
      EXPECT_EQ(cells_of(scene), truth);
      EXPECT_EQ(map.num_cells(), truth.size());
      EXPECT_EQ(map.num_blocks(), scene.bodies().size());
      for (int k = 0; k < 20; ++k) {
        const Cell cell = random_cell();
        EXPECT_EQ(map.is_occupied(cell), truth.contains(cell));
      }
      // Blocks that were not touched are the same, not equal.
      for (const Body& body : scene.bodies()) {
        const int index = before.find_body(body.name);
        const bool changed = std::ranges::find(changes.value(), body.name, &ObstacleSource::name) !=
                             changes.value().end();
        if (index >= 0 && !changed) {
          ++kept;
          EXPECT_EQ(before.body(index).geometry, body.geometry);
        }
        EXPECT_EQ(body.X_LB, X);
      }
      EXPECT_EQ(build_scene(scene.description()).value().hash(), scene.hash());
    }
  }
  EXPECT_GT(emptied, 0);
  EXPECT_GT(kept, 0);
}

TEST(VoxelMap, ChangesNothingWhereAnIndexIsTooLarge) {
  VoxelMap map("map", 0.1);
  const Cell good{1, 2, 3};
  for (const std::int32_t bad : {1 << 20, -(1 << 20) - 1, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max()}) {
    const Cell cells[] = {good, {0, bad, 0}};
    EXPECT_FALSE(map.update(cells).ok());
    EXPECT_FALSE(map.update({}, cells).ok());
    EXPECT_EQ(map.num_cells(), 0u);
  }
  const Cell corners[] = {{-(1 << 20), (1 << 20) - 1, -1}};
  EXPECT_EQ(map.update(corners).value().size(), 1u);
  EXPECT_TRUE(map.is_occupied(corners[0]));
}

TEST(Scene, ObstaclesChangeTogetherOrNotAtAll) {
  SceneSource source;
  source.obstacles.push_back({"a", {{Sphere{1}, Pose{}, ""}}, {}});
  source.obstacles.push_back({"b", {{Sphere{2}, Pose{}, ""}}, {}});
  const Scene scene = build_scene(source).value();
  const ObstacleSource larger{"a", {{Sphere{3}, Pose{}, ""}}, Pose::translation({0, 0, 9})};
  const ObstacleSource other{"c", {{Box{{1, 1, 1}}, Pose{}, ""}}, {}};
  const auto changed = scene.with_obstacles({larger, {"b", {}, {}}, other});
  ASSERT_TRUE(changed.ok()) << changed.error().text();
  SceneSource expected;
  expected.obstacles = {larger, other};
  EXPECT_EQ(changed.value().hash(), build_scene(expected).value().hash());
  EXPECT_FALSE(scene.with_obstacles({larger, {"nobody", {}, {}}}).ok());
  EXPECT_FALSE(scene.with_obstacles({larger, {"d", {{Sphere{-1}, Pose{}, ""}}, {}}}).ok());
  EXPECT_FALSE(scene.with_obstacles({{"", {{Sphere{1}, Pose{}, ""}}, {}}}).ok());
  EXPECT_EQ(scene.body(0).geometry->bounding_sphere().radius < 2, true);
  ObstacleSource grows = larger;
  grows.grows = 1;
  EXPECT_FALSE(scene.with_obstacles({grows}).ok());
}

}  // namespace
}  // namespace proven::test
