#include "proven/geometry/solid.h"
#include "proven/scene/measure.h"

namespace proven {

ExactDistance measure_exactly(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                              DistanceScratch& scratch) {
  return exact_distance(a, b, X_AB, {-1, -1}, scratch);
}

std::vector<PairDistance> distances_at(const Scene& scene, const LinkPoses& poses,
                                       const Measure& measure, DistanceScratch& scratch) {
  std::vector<PairDistance> distances;
  distances.reserve(scene.pairs().size());
  for (const BodyPair& pair : scene.pairs()) {
    const BodyGeometry &a = *scene.body(pair.a).geometry, &b = *scene.body(pair.b).geometry;
    const Pose X_WA = scene.body_pose(pair.a, poses);
    const Pose X_AB = relative_pose(X_WA, scene.body_pose(pair.b, poses));
    const ExactDistance found = measure(a, b, X_AB, scratch);
    PairDistance& result = distances.emplace_back();
    result = {pair.a,
              pair.b,
              found.distance,
              found.distance_lower,
              {X_WA * found.points[0], X_WA * found.points[1]}};
    result.inside = result.distance > 0 && find_containment(a, b, X_AB).inside;
    if (result.inside) result.distance = result.lower = 0;
  }
  return distances;
}

std::vector<PairDistance> distances_at(const Scene& scene, const LinkPoses& poses) {
  DistanceScratch scratch;
  return distances_at(scene, poses, measure_exactly, scratch);
}

}  // namespace proven
