// An obstacle that moves in a loop: one edit of the scene and one question per step.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "proven/certify/check.h"

using namespace proven;

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
  if (!builder.add_robot(turning_bar(), "bar", Pose{}).ok()) return 4;
  if (!builder.add_obstacle("ball", {{Sphere{0.05}, {}, "ball"}}, Pose::translation({2, 0, 0}))
           .ok())
    return 4;
  Scene scene = std::move(builder).build().value();
  CheckModel model = CheckModel::build(scene).value();
  Scratch scratch;
  const std::vector<double> from = {0.0}, to = {1.0};
  int free = 0, collision = 0;
  const auto start = std::chrono::steady_clock::now();
  constexpr int kSteps = 1000;
  for (int i = 0; i < kSteps; ++i) {
    // The ball circles around (1.2, 0): at times it comes into the way of the bar.
    const double angle = 2 * 3.14159265358979 * i / kSteps;
    scene =
        scene
            .with_pose("ball",
                       Pose::translation({1.2 + 0.4 * std::cos(angle), 0.4 * std::sin(angle), 0}))
            .value();
    model = model.with_scene(scene);
    const Verdict verdict = model.check_segment({from, to}, scratch).verdict;
    free += verdict == Verdict::free;
    collision += verdict == Verdict::collision;
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  std::printf("%d steps: free %d, collision %d; %.1f us each, edit and proof\n", kSteps, free,
              collision, spent.count() / kSteps);
}
