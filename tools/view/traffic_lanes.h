// What the time line tells of a trajectory in traffic: limits, what was proved, and figures over
// time.
#pragma once

#include <nlohmann/json.hpp>

#include "proven/io/traffic_file.h"
#include "proven/spacetime/check.h"

namespace proven::tools {

// "lanes": intervals with labels.
nlohmann::ordered_json traffic_intervals(const spacetime::Road& road,
                                         const spacetime::Trajectory& motion,
                                         const spacetime::TrafficResult& result, double clearance);

// "series": one value per step of the trajectory: speed beside its limit, and proved lower bounds
// on the distance, on the time gap, and on the time to a collision if everybody went straight on.
nlohmann::ordered_json traffic_series(const spacetime::TrafficScene& scene,
                                      const spacetime::Road& road,
                                      const spacetime::Footprint& shape,
                                      const spacetime::Trajectory& motion);

}  // namespace proven::tools
