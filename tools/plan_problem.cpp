#include "tools/plan_problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "proven/plan/joint_space.h"
#include "scenes/scenes.h"
#include "tools/tool_argument.h"

namespace proven::tools {
namespace {

// The query that a built-in scene comes with.
Result<Query> built_in_query(const SceneArgument& argument, const Scene& scene) {
  const SceneInfo* info = find_scene(argument.scene);
  if (!info || info->query.joints.empty())
    return bad_input("this scene comes without a query: give a query file", argument.scene);
  Query query;
  query.start = query.goal = {scene.home().begin(), scene.home().end()};
  for (std::size_t k = 0; k < info->query.joints.size(); ++k) {
    const int c = scene.tree().find_coordinate(info->query.joints[k]);
    query.planned.push_back(c);
    query.start[static_cast<std::size_t>(c)] = info->query.start[k];
    query.goal[static_cast<std::size_t>(c)] = info->query.goal[k];
  }
  return query;
}

// Plans for the joints of a group alone: "robot/group", or without the robot's name.
Result<void> take_group(const Scene& scene, const std::string& name, Query& problem) {
  std::string known;
  for (const JointGroup& group : scene.groups()) {
    known += " " + group.name;
    if (group.name != name && !group.name.ends_with("/" + name)) continue;
    problem.planned.clear();
    for (const std::string& joint : group.joints) {
      const int c = scene.tree().find_coordinate(joint);
      if (c >= 0) problem.planned.push_back(c);
    }
    return {};
  }
  return bad_input(fmt::format("there is no joint group '{}'; there are:{}", name,
                               known.empty() ? " none" : known));
}

// From home, or a named start; where a query was given, its start and joints stay unless named.
Result<void> take_names(const Scene& scene, const ProblemArguments& arguments, Query& problem) {
  const auto plan_for = [&](const std::vector<int>& coordinates) {
    if (!arguments.query.empty() || !arguments.goal_pose.empty()) return;
    for (const int c : coordinates)
      if (std::ranges::find(problem.planned, c) == problem.planned.end())
        problem.planned.push_back(c);
  };
  const auto take = [&](const std::string& name, const char* option, std::vector<double>& q) {
    const auto set = set_named(scene, name, q);
    if (!set.ok()) return Result<void>(bad_input(set.error().message, option));
    // Home is a value of every joint: those that do not move need not be planned.
    std::vector<int> moving;
    for (const int c : set.value())
      if (name != "home" ||
          problem.start[static_cast<std::size_t>(c)] != problem.goal[static_cast<std::size_t>(c)])
        moving.push_back(c);
    plan_for(moving);
    return Result<void>();
  };
  if (!arguments.start.empty()) {
    if (auto taken = take(arguments.start, "--start", problem.start); !taken.ok()) return taken;
    if (!arguments.goal.empty() || !arguments.goal_pose.empty()) problem.goal = problem.start;
  }
  if (arguments.goal.empty()) return {};
  problem.goal = problem.start;
  return take(arguments.goal, "--goal", problem.goal);
}

Result<void> take_pose(const Scene& scene, const ProblemArguments& arguments, PoseQuery& problem) {
  if (!arguments.goal.empty()) problem.pose.reset();
  if (arguments.goal_pose.empty()) return {};
  const auto tool = parse_tool(scene, arguments.tool, arguments.tool_pose);
  if (!tool.ok()) return tool.error();
  const Pose X_WT = tool_pose(scene.tree(), tool.value(), problem.query.start);
  const auto pose = parse_pose(arguments.goal_pose, "--goal-pose", X_WT);
  if (!pose.ok()) return pose.error();
  problem.pose = arguments.pose;
  problem.pose->target = {tool.value().link, tool.value().X_LT, pose.value(),
                          parse_word<FreeTurn>(arguments.free_axes).value()};
  problem.query.goal.clear();
  return {};
}

// As the file or the built-in scene has it; where names or a pose say all, from home.
Result<PoseQuery> written_query(const SceneArgument& scene_argument, const Scene& scene,
                                const ProblemArguments& arguments) {
  if (!arguments.query.empty()) return load_pose_query(arguments.query, scene, {true});
  PoseQuery read;
  if (arguments.goal.empty() && arguments.goal_pose.empty()) {
    auto query = built_in_query(scene_argument, scene);
    if (!query.ok()) return query.error();
    read.query = std::move(query).value();
    return read;
  }
  read.query.start.assign(scene.home().begin(), scene.home().end());
  read.query.goal = read.query.start;
  return read;
}

}  // namespace

std::string refusal(const ProblemArguments& arguments) {
  if (!arguments.goal.empty() && !arguments.goal_pose.empty())
    return "give one of --goal and --goal-pose";
  if (arguments.goal_pose.empty() != arguments.tool.empty())
    return "--goal-pose and --tool belong together";
  if (arguments.goal_pose.empty() &&
      (!arguments.tool_pose.empty() || arguments.free_axes != "none"))
    return "--tool-pose and --free-axes are for --goal-pose";
  return "";
}

Result<PoseQuery> read_problem(const SceneArgument& scene_argument, const Scene& scene,
                               const ProblemArguments& arguments) {
  auto read = written_query(scene_argument, scene, arguments);
  if (!read.ok()) return read;
  Query& problem = read.value().query;
  if (auto taken = take_names(scene, arguments, problem); !taken.ok()) return taken.error();
  if (auto taken = take_pose(scene, arguments, read.value()); !taken.ok()) return taken.error();
  problem.any_turn = arguments.any_turn;
  if (arguments.ignore_limits && !read.value().pose) ignore_limits(scene, problem);
  if (!arguments.group.empty())
    if (auto taken = take_group(scene, arguments.group, problem); !taken.ok()) return taken.error();
  return read;
}

void add_problem_options(Arguments& arguments, ProblemArguments& chosen) {
  arguments.add("query", chosen.query,
                "Query file with start and goal; a built-in scene comes with one");
  arguments.add("--start", chosen.start,
                "Start at this named configuration (SRDF) or home instead; default: the query's, "
                "or home");
  arguments.add("--goal", chosen.goal, "Go to this named configuration (SRDF) or home instead");
  arguments.add("--goal-pose", chosen.goal_pose,
                "Bring the tool to \"x y z [roll pitch yaw | qx qy qz qw]\" in the world; without "
                "a turn that of the start");
  arguments.add("--tool", chosen.tool, "The link that carries the tool, as ROBOT/LINK");
  arguments.add("--tool-pose", chosen.tool_pose,
                "The tool's frame in the link: \"x y z roll pitch yaw\"");
  arguments.add_choice("--free-axes", chosen.free_axes, {"none", "x", "y", "z", "all"},
                       "The tool's own axis about which any turn will do; all: only its place "
                       "counts");
  arguments.add("--tolerance", chosen.pose.position_tolerance,
                "How far the tool may be from its pose, in metres", 1e-12);
  arguments.add("--angle-tolerance", chosen.pose.angle_tolerance,
                "The same of its turn, in radians", 1e-12);
  arguments.add("--group", chosen.group, "Plan for the joints of this group (SRDF) alone");
  arguments.add_flag("--any-turn", chosen.any_turn,
                     "Continuous joints may end whole turns away from the goal");
  arguments.add_flag("--ignore-limits", chosen.ignore_limits,
                     "Accept a start or goal beyond joint limits");
}

}  // namespace proven::tools
