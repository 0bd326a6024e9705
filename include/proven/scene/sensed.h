// What a sensor saw, as it stands in a scene. A verdict is about these solids and no others: how
// large each point is, and what space that was not seen counts as, is part of what it says.
#pragma once

#include <string>
#include <vector>

#include "proven/scene/scene.h"

namespace proven {

struct SensedBody {
  std::string name;
  // For people, as its reader wrote it down, with what was left out and what is unknown: "scan.pcd:
  // 20000 points, radius 0.01 m, 12 points that were not seen count as free". Of a shape that no
  // reader made, what `describe_sensed` says.
  std::string statement;
};

// Obstacles and held objects that are clouds or voxels, in the order of the scene's bodies.
std::vector<SensedBody> sensed_bodies(const Scene& scene);

// How many points or cells of which size a cloud or a voxel set has.
std::string describe_sensed(const Shape& shape);

}  // namespace proven
