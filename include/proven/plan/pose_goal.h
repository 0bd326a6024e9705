// Goals that are poses of a tool: configurations for them, by inverse kinematics and proof.
#pragma once

#include <cstdint>
#include <string>

#include "proven/kinematics/inverse.h"
#include "proven/plan/plan.h"
#include "proven/plan/tool_motion.h"

namespace proven {

// A tool's frame at a pose, as near as the tolerances say.
struct PoseGoal {
  InverseTarget target;
  double position_tolerance = 1e-6;  // metres
  double angle_tolerance = 1e-6;     // radians, of what is not free
};

struct PoseGoalOptions {
  CheckOptions check = proving_check();  // what configurations are proved to keep
  std::uint64_t seed = 1;
  // Of inverse kinematics: the first from the start, the others from random configurations.
  int descents = 300;
  int goals = 32;  // no more are looked for
};

struct PoseGoalResult {
  // Configurations for the pose, proved free, the nearest to the start first: the goal of a query,
  // and PlanOptions::other_goals.
  std::vector<std::vector<double>> goals;
  std::vector<int> planned;  // coordinates that may move
  int reached = 0;           // configurations that bring the tool there, all different
  std::string reason;        // why there is no goal, for people; empty if there is one
};

// Configurations for the pose; the query's own goal is passed over. Planned coordinates move; if
// the query names none, those that the link depends on. Revolute joints end as few turns away from
// the start as their limits allow. That nothing is found proves nothing. Fails on a query that
// makes no sense.
Result<PoseGoalResult> reach_pose(const Scene& scene, const Query& query, const PoseGoal& goal,
                                  const PoseGoalOptions& options = {}, const Budget& budget = {});

// How far the tool is from the pose at a full configuration; free turns do not count.
ToolDeviation distance_to_pose(const KinematicTree& tree, const PoseGoal& goal,
                               std::span<const double> q);

}  // namespace proven
