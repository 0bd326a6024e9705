#include "proven/scene/pair_model.h"

#include <algorithm>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

Hash128 hash_pair_model(const Scene& scene, int body_a, int body_b) {
  const KinematicTree& tree = scene.tree();
  const int top = tree.lowest_common_ancestor(scene.body(body_a).link, scene.body(body_b).link);
  Hasher hasher;
  std::vector<int> coordinates;  // by their first joint: who moves with whom counts
  for (const int index : {body_a, body_b}) {
    const Body& body = scene.body(index);
    hasher.add(body.geometry->hash().high);
    hasher.add(body.geometry->hash().low);
    hasher.add(body.X_LB);
    for (int link = body.link; link != top; link = tree.link(link).parent) {
      const Joint& joint = tree.link(link).joint;
      hasher.add(static_cast<std::uint64_t>(joint.kind));
      hasher.add(joint.X_PJ);
      hasher.add(joint.axis);
      if (joint.kind == JointKind::fixed) continue;
      hasher.add(joint.multiplier);
      hasher.add(joint.offset);
      const auto place = std::find(coordinates.begin(), coordinates.end(), joint.coordinate);
      hasher.add(static_cast<std::uint64_t>(place - coordinates.begin()));
      if (place != coordinates.end()) continue;
      coordinates.push_back(joint.coordinate);
      const Coordinate& c = tree.coordinates()[static_cast<std::size_t>(joint.coordinate)];
      hasher.add(c.lower);
      hasher.add(c.upper);
    }
    hasher.add(std::uint64_t{0});  // the end of a chain
  }
  return hasher.finish();
}

}  // namespace proven
