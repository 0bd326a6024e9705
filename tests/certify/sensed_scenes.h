// Random scenes with clouds and voxel sets around a robot, and the same scenes with every ball and
// cell as an element of its own.
#pragma once

#include <set>

#include "certify/random_scenes.h"

namespace proven::test {

struct SensedScene {
  SceneSource sensed, plain;
};

// Points on the surface of a box, as a sensor sees them.
inline PointCloud scanned_box(Random& random, int count) {
  const Vec3 half{random.uniform(0.02, 0.3), random.uniform(0.02, 0.3), random.uniform(0.02, 0.3)};
  PointCloud cloud;
  cloud.radius = random.uniform(0.002, 0.03);
  for (int i = 0; i < count; ++i) {
    Vec3 p{random.uniform(-half.x, half.x), random.uniform(-half.y, half.y),
           random.uniform(-half.z, half.z)};
    const int axis = random.index(3);
    p[axis] = random.index(2) ? half[axis] : -half[axis];
    cloud.points.push_back(p);
  }
  return cloud;
}

inline VoxelSet random_voxels(Random& random, int count) {
  VoxelSet voxels;
  voxels.size = random.uniform(0.01, 0.06);
  std::array<int, 3> extent = {1 + random.index(8), 1 + random.index(8), 1 + random.index(8)};
  std::set<std::array<std::int32_t, 3>> cells;
  for (int i = 0; i < count; ++i)
    cells.insert({random.index(extent[0]) - extent[0] / 2, random.index(extent[1]),
                  random.index(extent[2]) - 2});
  voxels.cells.assign(cells.begin(), cells.end());
  return voxels;
}

inline std::vector<CollisionElement> single_pieces(const CollisionElement& element) {
  std::vector<CollisionElement> all;
  if (const auto* cloud = std::get_if<std::shared_ptr<const PointCloud>>(&element.shape)) {
    for (const Vec3& p : (*cloud)->points)
      all.push_back({Sphere{(*cloud)->radius}, element.X_BS * Pose::translation(p), "ball"});
    return all;
  }
  const VoxelSet& voxels = *std::get<std::shared_ptr<const VoxelSet>>(element.shape);
  const double h = 0.5 * voxels.size;
  for (const auto& [i, j, k] : voxels.cells)
    all.push_back({Box{{h, h, h}},
                   element.X_BS * Pose::translation(voxels.size * Vec3{i + 0.5, j + 0.5, k + 0.5}),
                   "cell"});
  return all;
}

inline CollisionElement random_sensed(Random& random, int most) {
  const int count = 1 + random.index(most);
  CollisionElement element;
  if (random.index(2))
    element.shape = std::make_shared<const PointCloud>(scanned_box(random, count));
  else
    element.shape = std::make_shared<const VoxelSet>(random_voxels(random, count));
  if (random.index(2)) element.X_BS = {random.rotation(), 0.05 * random.unit_vector()};
  element.source = "sensed";
  return element;
}

// `held`: the last link holds one as well.
inline SensedScene random_sensed_scene(Random& random, int most, bool held = false) {
  RandomSceneOptions options;
  options.obstacles = 1 + random.index(3);
  options.floating = random.index(4) == 0;
  SceneSource source = random_scene(random, options);
  SensedScene scene{source, source};
  for (std::size_t i = 0; i < source.obstacles.size(); ++i) {
    if (i > 0 && random.index(3) == 0) continue;
    const CollisionElement element = random_sensed(random, most);
    scene.sensed.obstacles[i].elements = {element};
    scene.plain.obstacles[i].elements = single_pieces(element);
  }
  if (held) {
    const CollisionElement element = random_sensed(random, 20);
    AttachedSource object{"held", "arm/l4", {element}, Pose::translation({0.3, 0, 0}), {"arm/l3"}};
    scene.sensed.attached.push_back(object);
    object.elements = single_pieces(element);
    scene.plain.attached.push_back(object);
  }
  return scene;
}

}  // namespace proven::test
