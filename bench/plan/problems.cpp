#include "bench/plan/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/data.h"
#include "scenes/scenes.h"

namespace proven::bench {

std::filesystem::path problems_of(const std::string& robot) {
  return data_dir() / "motionbenchmaker" / robot / "problems.json";
}

Result<void> require_problem_robot(const Options& options) {
  if (options.robot.empty() || std::ranges::count(kProblemRobots, options.robot)) return {};
  return bad_input(fmt::format("there is no robot '{}'; there are: {}", options.robot,
                               fmt::join(kProblemRobots, " ")));
}

std::vector<std::string> problem_robots(const Options& options, Report& report) {
  std::vector<std::string> robots;
  for (const char* robot : kProblemRobots) {
    if (!options.robot.empty() && options.robot != robot) continue;
    if (std::filesystem::exists(problems_of(robot)))
      robots.emplace_back(robot);
    else
      report.notes.push_back(fmt::format(
          "skipped: {}: no motionbenchmaker/{}/problems.json in the data folder; set PROVEN_DATA",
          robot, robot));
  }
  return robots;
}

Result<void> run_robots_and_scenes(
    const Options& options, std::span<const char* const> scenes, Report& report,
    const std::function<Result<void>(const std::string& robot)>& run_robot,
    const std::function<Result<void>(const std::string& scene)>& run_scene) {
  std::vector<std::string> chosen;
  for (const char* scene : scenes)
    if (options.robot == scene || (options.robot.empty() && !options.quick))
      chosen.emplace_back(scene);
  const auto robots = problem_robots(options, report);
  const auto all = static_cast<double>(robots.size() + chosen.size());
  double done = 0;
  for (const std::string& robot : robots) {
    if (auto ran = run_robot(robot); !ran.ok()) return ran;
    options.progress(++done / all);
  }
  for (const std::string& scene : chosen) {
    if (auto ran = run_scene(scene); !ran.ok()) return ran;
    options.progress(++done / all);
  }
  if (report.rows.empty() && report.notes.empty())
    return bad_input(fmt::format("there is no robot or scene '{}' here: {}, {}", options.robot,
                                 fmt::join(kProblemRobots, ", "), fmt::join(scenes, ", ")));
  return {};
}

Result<PlanCase> built_in_case(const std::string& name) {
  const SceneInfo* info = find_scene(name);
  if (!info || info->query.joints.empty())
    return bad_input("the scene comes without a query", name);
  auto source = make_scene(name);
  if (!source.ok()) return source.error();
  auto scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  PlanCase c{name, std::move(source).value(), std::move(scene).value(), {}};
  c.problem.start = c.problem.goal = {c.scene.home().begin(), c.scene.home().end()};
  for (std::size_t k = 0; k < info->query.joints.size(); ++k) {
    const int coordinate = c.scene.tree().find_coordinate(info->query.joints[k]);
    c.problem.planned.push_back(coordinate);
    c.problem.start[static_cast<std::size_t>(coordinate)] = info->query.start[k];
    c.problem.goal[static_cast<std::size_t>(coordinate)] = info->query.goal[k];
  }
  return c;
}

Result<std::vector<std::size_t>> chosen_of(std::span<const std::string> names,
                                           const Options& bench) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (bench.set.empty() || bench.set == names[i]) chosen.push_back(i);
  if (chosen.empty())
    return bad_input(
        fmt::format("there is no set '{}'; there are: {}", bench.set, fmt::join(names, " ")));
  return chosen;
}

}  // namespace proven::bench
