#include "tools/plan_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>

#include "proven/base/numbers.h"
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

// Coordinates of the group's joints.
Result<std::vector<int>> group_coordinates(const Scene& scene, const std::string& name) {
  const auto joints = group_joints(scene, name);
  if (!joints.ok()) return bad_input(joints.error().message, "--group");
  std::vector<int> coordinates;
  for (const std::string& joint : joints.value())
    for (int c = 0; c < scene.tree().num_coordinates(); ++c)
      if (scene.tree().coordinates()[static_cast<std::size_t>(c)].joint == joint)
        coordinates.push_back(c);
  return coordinates;
}

// "joint=value joint=value", or values of all joints (of the group) in their order; nothing if the
// text is neither, and so a name.
Result<std::optional<JointValues>> parse_values(const Scene& scene, const std::string& text,
                                                const std::string& group) {
  JointValues values;
  std::istringstream words(text);
  bool named = false, plain = false;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const auto value = parse_double(word.substr(equals == std::string::npos ? 0 : equals + 1));
    if (equals == std::string::npos && !value) return std::optional<JointValues>();
    if (!value) return bad_input(fmt::format("'{}' is not JOINT=NUMBER", word));
    (equals == std::string::npos ? plain : named) = true;
    if (equals != std::string::npos) values.names.push_back(word.substr(0, equals));
    values.values.push_back(*value);
  }
  if (named && plain) return bad_input("give JOINT=NUMBER for all of them, or numbers alone");
  if (named || !plain) return std::optional(std::move(values));
  std::vector<int> all(static_cast<std::size_t>(scene.tree().num_coordinates()));
  std::iota(all.begin(), all.end(), 0);
  if (!group.empty()) {
    auto of_group = group_coordinates(scene, group);
    if (!of_group.ok()) return of_group.error();
    all = std::move(of_group).value();
  }
  for (const int c : all)
    values.names.push_back(scene.tree().coordinates()[static_cast<std::size_t>(c)].name);
  if (values.names.size() != values.values.size())
    return bad_input(fmt::format("expected {} values, got {}: {}", values.names.size(),
                                 values.values.size(), fmt::join(values.names, ", ")));
  return std::optional(std::move(values));
}

// Sets what the text says, which is values or a name; the coordinates that it sets.
Result<std::vector<int>> set_configuration(const Scene& scene, const std::string& text,
                                           const std::string& group, std::vector<double>& q) {
  const auto values = parse_values(scene, text, group);
  if (!values.ok()) return values.error();
  return values.value() ? set_values(scene, *values.value(), q) : set_named(scene, text, q);
}

// From home, or a given start; where a query was given, its start and joints stay unless named.
Result<void> take_names(const Scene& scene, const ProblemArguments& arguments, PoseQuery& read) {
  Query& problem = read.query;
  const auto plan_for = [&](const std::vector<int>& coordinates) {
    if (!arguments.query.empty() || !arguments.goal_poses.empty()) return;
    for (const int c : coordinates)
      if (std::ranges::find(problem.planned, c) == problem.planned.end())
        problem.planned.push_back(c);
  };
  const auto take = [&](const std::string& text, const char* option, std::vector<double>& q) {
    const auto set = set_configuration(scene, text, arguments.group, q);
    if (!set.ok()) return Result<void>(bad_input(set.error().message, option));
    // Home is a value of every joint: those that do not move need not be planned.
    std::vector<int> moving;
    for (const int c : set.value())
      if (text != "home" ||
          problem.start[static_cast<std::size_t>(c)] != q[static_cast<std::size_t>(c)])
        moving.push_back(c);
    plan_for(moving);
    return Result<void>();
  };
  if (!arguments.start.empty())
    if (auto taken = take(arguments.start, "--start", problem.start); !taken.ok()) return taken;
  if (!arguments.goals.empty() || !arguments.goal_poses.empty()) read.goals.clear();
  for (const std::string& goal : arguments.goals) {
    std::vector<double> q = problem.start;
    if (auto taken = take(goal, "--goal", q); !taken.ok()) return taken;
    read.goals.emplace_back(std::move(q));
  }
  return {};
}

Result<void> take_poses(const Scene& scene, const ProblemArguments& arguments, PoseQuery& problem) {
  if (arguments.goal_poses.empty()) return {};
  const auto tool = parse_tool(scene, arguments.tool, arguments.tool_pose);
  if (!tool.ok()) return tool.error();
  const Pose X_WT = tool_pose(scene.tree(), tool.value(), problem.query.start);
  for (const std::string& text : arguments.goal_poses) {
    const auto pose = parse_pose(text, "--goal-pose", X_WT);
    if (!pose.ok()) return pose.error();
    PoseGoal goal = arguments.pose;
    goal.target = {tool.value().link, tool.value().X_LT, pose.value(),
                   parse_word<FreeTurn>(arguments.free_axes).value()};
    problem.goals.emplace_back(goal);
  }
  return {};
}

// As the file or the built-in scene has it; where options say all, from home.
Result<PoseQuery> written_query(const SceneArgument& scene_argument, const Scene& scene,
                                const ProblemArguments& arguments) {
  if (!arguments.query.empty()) return load_pose_query(arguments.query, scene, {true});
  PoseQuery read;
  if (arguments.goals.empty() && arguments.goal_poses.empty()) {
    auto query = built_in_query(scene_argument, scene);
    if (!query.ok()) return query.error();
    read.query = std::move(query).value();
    read.goals.emplace_back(read.query.goal);
    return read;
  }
  read.query.start.assign(scene.home().begin(), scene.home().end());
  return read;
}

// What options say of a problem, beyond where it goes.
Result<void> take_options(const Scene& scene, const ProblemArguments& arguments, PoseQuery& read) {
  Query& problem = read.query;
  problem.any_turn = arguments.any_turn;
  problem.goal.clear();
  for (const PlanGoal& goal : read.goals)
    if (const auto* q = std::get_if<std::vector<double>>(&goal)) {
      problem.goal = *q;
      if (arguments.ignore_limits) ignore_limits(scene, problem);
    }
  if (!arguments.group.empty()) {
    auto coordinates = group_coordinates(scene, arguments.group);
    if (!coordinates.ok()) return coordinates.error();
    problem.planned = std::move(coordinates).value();
  }
  if (arguments.constraints.empty()) return {};
  auto constraints = load_constraints(arguments.constraints, scene);
  if (!constraints.ok()) return constraints.error();
  read.constraints.insert(read.constraints.end(), constraints.value().begin(),
                          constraints.value().end());
  return {};
}

}  // namespace

std::string refusal(const ProblemArguments& arguments) {
  if (arguments.many() && (!arguments.start.empty() || !arguments.goals.empty() ||
                           !arguments.goal_poses.empty() || !arguments.tool.empty()))
    return "the lines of *.jsonl say start and goal: leave out --start, --goal and --goal-pose";
  if (arguments.goal_poses.empty() != arguments.tool.empty())
    return "--goal-pose and --tool belong together";
  if (arguments.goal_poses.empty() &&
      (!arguments.tool_pose.empty() || arguments.free_axes != "none"))
    return "--tool-pose and --free-axes are for --goal-pose";
  return "";
}

Result<PoseQuery> read_problem(const SceneArgument& scene_argument, const Scene& scene,
                               const ProblemArguments& arguments) {
  auto read = written_query(scene_argument, scene, arguments);
  if (!read.ok()) return read;
  if (auto taken = take_names(scene, arguments, read.value()); !taken.ok()) return taken.error();
  if (auto taken = take_poses(scene, arguments, read.value()); !taken.ok()) return taken.error();
  if (auto taken = take_options(scene, arguments, read.value()); !taken.ok()) return taken.error();
  return read;
}

Result<std::vector<Result<PoseQuery>>> read_problems(const Scene& scene,
                                                     const ProblemArguments& arguments) {
  auto read = load_pose_queries(arguments.query, scene, {true});
  if (!read.ok()) return read;
  for (Result<PoseQuery>& problem : read.value())
    if (problem.ok())
      if (auto taken = take_options(scene, arguments, problem.value()); !taken.ok())
        return taken.error();
  return read;
}

void add_problem_options(Arguments& arguments, ProblemArguments& chosen) {
  arguments.add("query", chosen.query,
                "Query file with start and goal, *.jsonl with one query per line; a built-in scene "
                "comes with one");
  arguments.add("--start", chosen.start,
                "Start at this named configuration (SRDF), at home or at values \"JOINT=X ...\" or "
                "\"X X ...\" instead; default: the query's, or home");
  arguments.add_repeatable("--goal", chosen.goals,
                           "Go there instead, written as for --start; any of several will do");
  arguments.add_repeatable(
      "--goal-pose", chosen.goal_poses,
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
  arguments.add(
      "--constraints", chosen.constraints,
      "File with what frames must keep all along the path, proved with it: cones and boxes");
  arguments.add("--group", chosen.group, "Plan for the joints of this group (SRDF) alone");
  arguments.add_flag("--any-turn", chosen.any_turn,
                     "Continuous joints may end whole turns away from the goal");
  arguments.add_flag("--ignore-limits", chosen.ignore_limits,
                     "Accept a start or goal beyond joint limits");
}

}  // namespace proven::tools
