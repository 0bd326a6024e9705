// Planning problems of the benchmarks.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "proven/plan/plan.h"
#include "proven/scene/scene.h"

namespace proven::bench {

struct PlanCase {
  std::string name;
  SceneSource source;
  Scene scene;
  Query problem;
};

// A built-in scene with its query.
Result<PlanCase> built_in_case(const std::string& name);

// The robots of MotionBenchMaker's problem sets.
inline constexpr const char* kProblemRobots[] = {"panda", "ur5"};
std::filesystem::path problems_of(const std::string& robot);

// Fails if the options name a robot that is none of them.
Result<void> require_problem_robot(const Options& options);

// Those that the options choose. One whose problems are not there is left out, with a note.
std::vector<std::string> problem_robots(const Options& options, Report& report);

// Runs what the options choose of the robots with problems and of built-in scenes, which a short
// form leaves out. A name that is neither is refused.
Result<void> run_robots_and_scenes(
    const Options& options, std::span<const char* const> scenes, Report& report,
    const std::function<Result<void>(const std::string& robot)>& run_robot,
    const std::function<Result<void>(const std::string& scene)>& run_scene);

// Indices of the names that the options choose; fails on a set that is none of them.
Result<std::vector<std::size_t>> chosen_of(std::span<const std::string> names,
                                           const Options& bench);

}  // namespace proven::bench
