// A car that turns left in front of another: candidates with other speeds, proved or refuted.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "proven/spacetime/check.h"

using namespace proven;
using namespace proven::spacetime;

// Along x to the crossing at the origin, a quarter turn of radius 8 m to the left, then along y.
Trajectory left_turn(double speed) {
  constexpr double kRadius = 8, kQuarter = std::numbers::pi / 2, kRun = 20;
  Trajectory trajectory;
  trajectory.between = Interpolation::arc;
  for (double s = 0; s <= 2 * kRun + kQuarter * kRadius; s += 0.5) {
    const double turned = std::clamp((s - kRun) / kRadius, 0.0, kQuarter);
    const double after = std::max(s - kRun - kQuarter * kRadius, 0.0);
    trajectory.t.push_back(s / speed);
    trajectory.x.push_back(std::min(s, kRun) - kRun + kRadius * std::sin(turned) - kRadius);
    trajectory.y.push_back(kRadius * (1 - std::cos(turned)) + after);
    trajectory.heading.push_back(turned);
  }
  return trajectory;
}

int main() {
  const auto car = Footprint::box(4.5, 2.0);
  Trajectory oncoming;  // from x = 40 at 10 m/s, in the lane beside
  oncoming.t = {0, 8};
  oncoming.x = {40, -40};
  oncoming.y = {4, 4};
  oncoming.heading = {std::numbers::pi, std::numbers::pi};
  Obstacle other;
  other.name = "oncoming";
  other.footprint = car.value();
  other.motion = oncoming;
  const auto scene = TrafficScene::build({other});
  if (!scene.ok()) return 4;

  TrafficScratch workspace;
  for (const double speed : {4.0, 6.0, 9.0}) {
    const Trajectory turn = left_turn(speed);
    const auto result = check(scene.value(), car.value(), turn, {}, workspace);
    const auto nearest = clearance(scene.value(), car.value(), turn, {});
    if (!result.ok() || !nearest.ok()) return 4;
    std::printf("%.0f m/s: %s, distance %.2f m", speed, to_string(result.value().verdict).data(),
                nearest.value().distance.lower);
    if (result.value().contact) std::printf(", contact after %.2f s", result.value().contact->t);
    std::printf("\n");
  }
}
