// What `plan` is asked: start and goals from a query file, from names and values, or as poses of a
// tool; and what must be kept on the way.
#pragma once

#include <string>
#include <vector>

#include "proven/io/query_file.h"
#include "tools/arguments.h"
#include "tools/scene_argument.h"

namespace proven::tools {

struct ProblemArguments {
  std::string query, start, group, constraints;
  std::vector<std::string> goals, goal_poses;
  std::string tool, tool_pose, free_axes = "none";
  PoseGoal pose;  // its tolerances
  bool any_turn = false, ignore_limits = false;

  // A file with one query per line.
  bool many() const { return query.ends_with(".jsonl"); }
};
void add_problem_options(Arguments& arguments, ProblemArguments& chosen);

// What of the options makes no sense together; empty if all does.
std::string refusal(const ProblemArguments& arguments);

Result<PoseQuery> read_problem(const SceneArgument& scene_argument, const Scene& scene,
                               const ProblemArguments& arguments);
// Of a file with many.
Result<std::vector<Result<PoseQuery>>> read_problems(const Scene& scene,
                                                     const ProblemArguments& arguments);

}  // namespace proven::tools
