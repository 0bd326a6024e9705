// What a vehicle is asked to reach: the goal states of a planning problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proven/spacetime/road.h"

namespace proven::spacetime {

struct Interval {
  double low = 0, high = 0;
  bool holds(double value) const { return value >= low && value <= high; }
  double middle() const { return 0.5 * (low + high); }
};

// What a vehicle is and does at a time; x and y are the middle of its outline.
struct VehicleState {
  double t = 0;
  Pose2 pose;
  double speed = 0;
};

// All that is given must hold at one time. Without regions and lanelets any place will do.
struct GoalState {
  std::vector<Footprint> regions;  // in W
  std::vector<std::string> lanelets;
  std::optional<Interval> time, speed, heading;  // seconds, m/s, rad (any number of turns)

  bool has_place() const { return !regions.empty() || !lanelets.empty(); }
};

bool holds(const Footprint& region, Vec2 p);
bool at_place(const GoalState& goal, const Road& road, Vec2 p);
// Times are compared to within a microsecond, since steps times seconds is rounded.
bool reached(const GoalState& goal, const Road& road, const VehicleState& state);

// Where a vehicle is to go: any goal will do.
struct PlanningProblem {
  std::string id;
  Pose2 start;
  double speed = 0, t_start = 0;
  std::vector<GoalState> goals;
};

}  // namespace proven::spacetime
