#include "proven/spacetime/goal.h"

#include <algorithm>
#include <cmath>

namespace proven::spacetime {

bool holds(const Footprint& region, Vec2 p) {
  if (!std::isfinite(p.x) || !std::isfinite(p.y)) return false;
  for (const Piece& piece : region.pieces()) {
    bool in = !piece.is_box();
    for (std::size_t i = 0; in && i < piece.corners.size(); ++i)
      in = dot(piece.normals[i], p - piece.corners[i]) <= 0;
    if (in) return true;
    if (!piece.is_box()) continue;
    const Vec2 off = p - piece.centre;
    const Vec2 beyond{std::max(0.0, std::fabs(off.x) - piece.half.x),
                      std::max(0.0, std::fabs(off.y) - piece.half.y)};
    if (norm(beyond) <= piece.radius) return true;
  }
  return false;
}

bool at_place(const GoalState& goal, const Road& road, Vec2 p) {
  if (!goal.has_place()) return true;
  for (const Footprint& region : goal.regions)
    if (holds(region, p)) return true;
  return std::ranges::any_of(goal.lanelets, [&](const std::string& id) {
    const int lanelet = road.find(id);
    return lanelet >= 0 && road.holds(lanelet, p);
  });
}

bool reached(const GoalState& goal, const Road& road, const VehicleState& state) {
  constexpr double kSameTime = 1e-6;
  if (goal.time &&
      !(state.t >= goal.time->low - kSameTime && state.t <= goal.time->high + kSameTime))
    return false;
  if (goal.speed && !goal.speed->holds(state.speed)) return false;
  if (goal.heading) {
    // The turn from the lower end, in [0, 2 pi).
    double turn = std::fmod(state.pose.heading - goal.heading->low, 2 * M_PI);
    if (turn < 0) turn += 2 * M_PI;
    if (!(turn <= goal.heading->high - goal.heading->low)) return false;
  }
  return at_place(goal, road, {state.pose.x, state.pose.y});
}

}  // namespace proven::spacetime
