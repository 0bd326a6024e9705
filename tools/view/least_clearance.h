// The least clearance of a motion, for people, as JSON, and for the viewer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proven/certify/least_clearance.h"

namespace proven::tools {

// A length with a unit that suits it: bounds from below are rounded down, those from above up.
std::string length_down(double metres);
std::string length_up(double metres);

// "at least 10.2 mm, proved; at most 10.3 mm, measured between a and b at segment 1, t = 0.25"
std::string bounds_text(const Scene& scene, const Motion& motion, const ClearanceBounds& bounds);
// One line for all pairs, then what else there is to say.
std::vector<std::string> least_clearance_lines(const Scene& scene, const Motion& motion,
                                               const LeastClearance& found);

// What `check --least-clearance --json` holds; null unless the motion is free.
nlohmann::ordered_json least_clearance_json(const Scene& scene, const Motion& motion,
                                            const LeastClearance& found);
// The same for the viewer: bodies by index, times on the clock whose `knots` are those of the
// motion's waypoints, and the bounds over time.
nlohmann::ordered_json shown_clearance_json(const Motion& motion, std::span<const double> knots,
                                            const LeastClearance& found);

}  // namespace proven::tools
