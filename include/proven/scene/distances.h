// How far apart bodies are at one configuration.
#pragma once

#include <array>
#include <vector>

#include "proven/kinematics/poses.h"
#include "proven/scene/scene.h"

namespace proven {

struct PairDistance {
  int a = 0, b = 0;            // indices into Scene::bodies()
  double distance = 0;         // 0 where they overlap, or one lies inside the other
  double lower = 0;            // proved: no two points are closer
  std::array<Vec3, 2> points;  // where they are closest, in the world; of no meaning if inside
  bool inside = false;         // one body lies wholly inside the other
};

// Of all tested pairs, in their order, at poses that were computed from a configuration.
std::vector<PairDistance> distances_at(const Scene& scene, const LinkPoses& poses);

}  // namespace proven
