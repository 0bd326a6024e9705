// Distances of all pairs by other measures than the exact one.
#pragma once

#include <functional>

#include "proven/geometry/distance.h"
#include "proven/scene/distances.h"

namespace proven {

// Measures one pair: gives distance, lower bound and, if it has any, points for X_AB, in A.
using Measure = std::function<ExactDistance(const BodyGeometry& a, const BodyGeometry& b,
                                            const Pose& X_AB, DistanceScratch& scratch)>;

ExactDistance measure_exactly(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                              DistanceScratch& scratch);

std::vector<PairDistance> distances_at(const Scene& scene, const LinkPoses& poses,
                                       const Measure& measure, DistanceScratch& scratch);

}  // namespace proven
