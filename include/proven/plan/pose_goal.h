// Goals that are poses of a tool: configurations for them, by inverse kinematics and proof.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

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
  int goals = 32;                                 // no more are looked for
  std::vector<FrameConstraint> constraints = {};  // that configurations are proved to keep
};

struct PoseGoalResult {
  // Configurations for the pose, proved free, the nearest to the start first: the goal of a query,
  // and PlanOptions::other_goals.
  std::vector<std::vector<double>> goals;
  std::vector<int> planned;  // coordinates that may move
  int reached = 0;           // configurations that bring the tool there, all different
  std::string reason;        // why there is no goal, for people; empty if there is one
  bool unreachable = false;  // proved: no configuration within limits brings the tool there
};

// Configurations for the pose; the query's own goal is passed over. Planned coordinates move; if
// the query names none, those that the link depends on. Revolute joints end as few turns away from
// the start as their limits allow. That nothing is found proves nothing, unless the result says
// `unreachable`. Fails on a query that makes no sense.
Result<PoseGoalResult> reach_pose(const Scene& scene, const Query& query, const PoseGoal& goal,
                                  const PoseGoalOptions& options = {}, const Budget& budget = {});

// One of several places to go: a full configuration, or a pose of a tool.
using PlanGoal = std::variant<std::vector<double>, PoseGoal>;

struct GoalsResult {
  // Configurations for the goals: the goal of a query, and PlanOptions::other_goals. Those that
  // were given are as they are; those for poses are proved free, the nearest to the start first.
  std::vector<std::vector<double>> configurations;
  std::vector<int> goal_of;           // each belongs to this goal
  std::vector<int> planned;           // coordinates that may move, as in Query
  std::vector<PoseGoalResult> poses;  // of each goal; without meaning where that is a configuration
  std::string reason;                 // why there is none, for people; empty if there is one
  bool unreachable = false;           // proved: no configuration reaches any of them
};

// Configurations for several goals, any of which will do; the query's own goal is passed over.
Result<GoalsResult> reach_goals(const Scene& scene, const Query& query,
                                std::span<const PlanGoal> goals,
                                const PoseGoalOptions& options = {}, const Budget& budget = {});
// Which of them a path that ends here has reached: whole turns of continuous joints do not count.
// -1 if it is none.
int goal_reached(const KinematicTree& tree, const GoalsResult& goals, std::span<const double> end);

// How far the tool is from the pose at a full configuration; free turns do not count.
ToolDeviation distance_to_pose(const KinematicTree& tree, const PoseGoal& goal,
                               std::span<const double> q);

}  // namespace proven
