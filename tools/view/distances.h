// How far apart all pairs are at one configuration: for `proven distance`, and for pages whose
// reader tries one.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/geometry/distance.h"
#include "proven/scene/scene.h"

namespace proven::tools {

struct PairDistance {
  BodyPair pair;
  double distance = 0;                        // 0: they overlap, or one lies inside the other
  double lower = 0;                           // proved: no two points are closer
  std::optional<std::array<Vec3, 2>> points;  // that far apart, in the world
  bool inside = false;                        // one body lies wholly inside the other
};

// Measures one pair: gives distance, lower bound and points for X_AB, the points in A.
using Measure = std::function<ExactDistance(const BodyGeometry& a, const BodyGeometry& b,
                                            const Pose& X_AB, DistanceScratch& scratch)>;

// Of all tested pairs, the nearest first. `with_points`: whether the measure gives any.
std::vector<PairDistance> measure_pairs(const Scene& scene, std::span<const double> q,
                                        const Measure& measure, bool with_points,
                                        DistanceScratch& scratch);
std::vector<PairDistance> measure_pairs(const Scene& scene, std::span<const double> q);

// {"pair": [name, name], "distance", "lower", "inside", "points"}, as many as there are.
nlohmann::ordered_json distances_json(const Scene& scene, std::span<const PairDistance> distances);

// What a page gets that asks for "0.1,0.2,...", the values of all coordinates: {"hash", "pairs"}.
// An Error if that is no configuration of the scene.
Result<std::string> answer_distances(const Scene& scene, std::string_view values);

}  // namespace proven::tools
