#include "proven/scene/distances.h"

#include "proven/geometry/distance.h"
#include "proven/geometry/solid.h"

namespace proven {
namespace {

PairDistance distance_of(const Scene& scene, const BodyPair& pair, const LinkPoses& poses,
                         DistanceScratch& scratch) {
  const Body &a = scene.body(pair.a), &b = scene.body(pair.b);
  const Pose X_WA = scene.body_pose(pair.a, poses);
  const Pose X_AB = relative_pose(X_WA, scene.body_pose(pair.b, poses));
  const ExactDistance exact = exact_distance(*a.geometry, *b.geometry, X_AB, {-1, -1}, scratch);
  PairDistance result{
      pair.a, pair.b, exact.distance, {X_WA * exact.points[0], X_WA * exact.points[1]}};
  if (result.distance > 0 && find_containment(*a.geometry, *b.geometry, X_AB).inside)
    result.distance = 0;
  return result;
}

}  // namespace

std::vector<PairDistance> distances_at(const Scene& scene, const LinkPoses& poses) {
  DistanceScratch scratch;
  std::vector<PairDistance> distances;
  distances.reserve(scene.pairs().size());
  for (const BodyPair& pair : scene.pairs())
    distances.push_back(distance_of(scene, pair, poses, scratch));
  return distances;
}

}  // namespace proven
