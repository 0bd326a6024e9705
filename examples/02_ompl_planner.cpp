// Uses Proven from an OMPL program: the planner is OMPL's, every motion is proved.
#include <ompl/base/ScopedState.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

#include <cstdio>

#include "proven/certify/check.h"
#include "proven/ompl/adapter.h"

using namespace proven;

// Two bars of one metre that turn about z.
Robot planar_arm() {
  Robot robot;
  robot.name = "arm";
  robot.links.resize(3);
  robot.links[0].name = "base";
  for (std::size_t k = 1; k <= 2; ++k) {
    robot.links[k].name = "link_" + std::to_string(k);
    robot.links[k].collision = {{Box{{0.45, 0.02, 0.02}}, Pose::translation({0.5, 0, 0}), "bar"}};
    RobotJoint joint;
    joint.name = "joint_" + std::to_string(k);
    joint.type = JointType::revolute;
    joint.parent_link = robot.links[k - 1].name;
    joint.child_link = robot.links[k].name;
    joint.axis = {0, 0, 1};
    joint.X_PJ = Pose::translation({k == 1 ? 0.0 : 1.0, 0, 0});
    joint.limits.lower = -3;
    joint.limits.upper = 3;
    robot.joints.push_back(joint);
  }
  return robot;
}

int main() {
  SceneBuilder builder;
  const bool ready = builder.add_robot(planar_arm(), "arm", Pose{}).ok() &&
                     builder
                         .add_obstacle("post", {{Cylinder{0.05, 0.5}, Pose{}, "post"}},
                                       Pose::translation({1.5, 0, 0}))
                         .ok();
  const Result<Scene> scene = std::move(builder).build();
  if (!ready || !scene.ok()) return 4;
  const Query problem{{-0.5, 0.1}, {0.5, -0.1}, {}, {}};

  ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
  ompl::geometric::SimpleSetup setup(adapters::make_state_space(scene.value(), problem));
  const auto map =
      adapters::use_proofs(setup.getSpaceInformation(), scene.value(), problem, proving_check());
  ompl::base::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
  map->to_state(problem.start, start.get());
  map->to_state(problem.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<ompl::geometric::RRTConnect>(setup.getSpaceInformation()));
  if (!setup.solve(10.0)) return 3;

  const Path path = map->to_path(problem.start, setup.getSolutionPath());
  Scratch scratch;
  const Result<CheckResult> result = check(scene.value(), path, {}, scratch);
  if (!result.ok()) return 4;
  std::printf("OMPL's path, checked again: %s\n", to_string(result.value().verdict).data());
  return result.value().verdict == Verdict::free ? 0 : 1;
}
