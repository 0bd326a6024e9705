// What `plan` is asked: start and goal from a query file, from names, or as a pose of a tool.
#pragma once

#include <string>

#include "proven/io/query_file.h"
#include "tools/arguments.h"
#include "tools/scene_argument.h"

namespace proven::tools {

struct ProblemArguments {
  std::string query, start, goal, group;
  std::string goal_pose, tool, tool_pose, free_axes = "none";
  PoseGoal pose;  // its tolerances
  bool any_turn = false, ignore_limits = false;
};
void add_problem_options(Arguments& arguments, ProblemArguments& chosen);

// What of the options makes no sense together; empty if all does.
std::string refusal(const ProblemArguments& arguments);

Result<PoseQuery> read_problem(const SceneArgument& scene_argument, const Scene& scene,
                               const ProblemArguments& arguments);

}  // namespace proven::tools
