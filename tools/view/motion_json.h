// The parts of the viewer's document that describe how things move.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::tools {

// Times of the waypoints: the motion's own, or those of a constant speed in joint space.
std::vector<double> knots_of(const Motion& motion);
// Its clock and its control points, and in words what it is: `motion` is on one clock with all that
// moves in the scene, each part so late (see Witness).
nlohmann::ordered_json motion_json(const Scene& scene, const Motion& motion,
                                   std::span<const double> delays = {});
// Joints that a motion may move, with their limits; those that follow the clock are not among them.
nlohmann::ordered_json joints_json(const Scene& scene);

}  // namespace proven::tools
