// Inside io: the two readers of traffic scenes.
#pragma once

#include "proven/io/document.h"
#include "proven/io/traffic_file.h"
#include "proven/spacetime/vehicle.h"

namespace proven::io {

// Steps longer than this are gaps: the motion between would be a guess.
inline constexpr double kLargestTimeStep = 2.0;

// Fails with `why` on any of these keys, which mean nothing beside the others.
void refuse_keys(const Node& node, std::initializer_list<std::string_view> keys,
                 const std::string& why);
// Fails on a step longer than max_step.
void refuse_gaps(const std::vector<double>& t, double max_step);

// Fails where the motion leaps.
void refuse_leaps(const spacetime::Trajectory& motion, const std::string& name);
std::string describe(const spacetime::Leap& leap, const std::string& name);

TrafficFile read_commonroad(const std::filesystem::path& file);
TrafficFile read_traffic_json(const std::filesystem::path& file);

}  // namespace proven::io
