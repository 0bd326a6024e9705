// Builds a scene in code, checks two paths and prints the verdicts.
#include <cstdio>

#include "proven/certify/check.h"

using namespace proven;

// A bar of one metre that turns about z.
Robot turning_bar() {
  Robot robot;
  robot.name = "bar";
  RobotLink base, bar;
  base.name = "base";
  bar.name = "bar";
  bar.collision = {{Box{{0.5, 0.01, 0.01}}, Pose::translation({0.5, 0, 0}), "bar"}};
  robot.links = {base, bar};
  RobotJoint turn;
  turn.name = "turn";
  turn.type = JointType::continuous;
  turn.parent_link = "base";
  turn.child_link = "bar";
  turn.axis = {0, 0, 1};
  robot.joints = {turn};
  return robot;
}

int main() {
  SceneBuilder builder;
  // A post of two millimetres: easy to miss by sampling.
  const auto ready = builder.add_robot(turning_bar(), "bar", Pose{}).ok() &&
                     builder
                         .add_obstacle("post", {{Cylinder{0.001, 0.5}, Pose{}, "post"}},
                                       Pose::translation({-0.45, 0.78, 0}))
                         .ok();
  const Result<Scene> scene = std::move(builder).build();
  if (!ready || !scene.ok()) return 4;

  Scratch scratch;
  for (const double end : {1.9, 6.0}) {
    const Path path{{{0.0}, {end}}, {}, {}};
    const Result<CheckResult> result = check(scene.value(), path, {}, scratch);
    if (!result.ok()) return 4;
    std::printf("turn from 0 to %.1f rad: %s\n", end, to_string(result.value().verdict).data());
    if (result.value().collision)
      std::printf("  contact at %.4f rad\n", result.value().collision->configuration[0]);
  }
}
