// How far apart all pairs are at one configuration: for `proven distance`, and for pages whose
// reader tries one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/result.h"
#include "proven/scene/measure.h"

namespace proven::tools {

// Of all tested pairs, the nearest first.
std::vector<PairDistance> measure_pairs(const Scene& scene, std::span<const double> q,
                                        const Measure& measure, DistanceScratch& scratch);

// {"pair": [name, name], "distance", "lower", "inside", "points"}, as many as there are.
// `with_points`: whether the measure gives any.
nlohmann::ordered_json distances_json(const Scene& scene, std::span<const PairDistance> distances,
                                      bool with_points);

// What a page gets that asks for "0.1,0.2,...", the values of all coordinates: {"hash", "pairs"}.
// An Error if that is no configuration of the scene.
Result<std::string> answer_distances(const Scene& scene, std::string_view values);

}  // namespace proven::tools
