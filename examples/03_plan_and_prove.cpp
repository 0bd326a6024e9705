// Plans around what is in the way, shortens the path, and lets the verifier check the proof.
#include <algorithm>
#include <cstdio>
#include <limits>

#include "proven/io/scene_file.h"
#include "proven/plan/plan.h"
#include "proven/plan/smooth.h"
#include "proven/verify/verify.h"

using namespace proven;

// Two bars of one metre that turn about z, and a post.
SceneSource cell() {
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
  SceneSource source;
  source.robots = {{"arm", robot, Pose{}}};
  source.obstacles = {
      {"post", {{Cylinder{0.05, 0.5}, Pose{}, "post"}}, Pose::translation({1.5, 0, 0})}};
  return source;
}

int main() {
  const SceneSource source = cell();
  const Result<Scene> scene = build_scene(source);
  if (!scene.ok()) return 4;

  Query problem;
  problem.start = {-0.5, 0.1};
  problem.goal = {0.5, -0.1};
  const Result<PlanResult> planned = plan(scene.value(), problem, {});
  if (!planned.ok() || planned.value().status != PlanStatus::solved) return 3;

  SmoothOptions options;
  options.check.certificate = true;
  const Result<SmoothResult> smoothed = smooth(scene.value(), planned.value().path, options);
  if (!smoothed.ok()) return 4;
  std::printf("%zu waypoints, length %.3f to %.3f\n", smoothed.value().path.waypoints.size(),
              smoothed.value().length_before, smoothed.value().length_after);

  // Every leaf of the proof tells how far apart two parts stay, for how long.
  double least = std::numeric_limits<double>::infinity();
  VerifyOptions verifying;
  verifying.on_leaf = [&](const ProofLeaf& leaf) {
    least = std::min({least, leaf.lower_begin, leaf.lower_anchor, leaf.lower_end});
  };
  const VerifyReport report =
      verify(source, smoothed.value().path, smoothed.value().certificate, verifying);
  std::printf("%s\n", report.accepted ? "accepted" : report.reason.c_str());
  for (const std::string& sentence : report.theorem) std::printf("  %s\n", sentence.c_str());
  std::printf("at every moment everything is proved at least %.2f mm apart\n", 1e3 * least);
  return report.accepted ? 0 : 5;
}
