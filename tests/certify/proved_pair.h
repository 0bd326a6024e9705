// A block that slides between a wall which it never reaches within limits: the pair is excluded, as
// `doctor --write-srdf` writes it.
#pragma once

#include "certify/random_scenes.h"
#include "proven/scene/pair_model.h"

namespace proven::test {

// The wall is the base's, from x = 2.5 to 3.5; two slides, of 1 and 0.5 m to either side, carry a
// block of 0.2 m.
inline SceneSource sliding_block() {
  Robot robot;
  robot.name = "r";
  robot.links = {
      {"wall", {{Box{{0.5, 0.5, 0.5}}, Pose::translation({3, 0, 0}), ""}}, false, nullptr},
      {"middle", {}, false, nullptr},
      {"block", {{Box{{0.1, 0.1, 0.1}}, Pose{}, ""}}, false, nullptr}};
  const auto slide = [](const char* name, const char* parent, const char* child, double reach) {
    RobotJoint joint;
    joint.name = name;
    joint.type = JointType::prismatic;
    joint.parent_link = parent;
    joint.child_link = child;
    joint.limits = {-reach, reach, 1, 1};
    return joint;
  };
  robot.joints = {slide("long", "wall", "middle", 1), slide("short", "middle", "block", 0.5)};
  SceneSource source;
  source.robots.push_back({"r", robot, {}});
  return source;
}

// The same, the pair excluded as proved never to meet.
inline SceneSource with_proved_pair(SceneSource source = sliding_block()) {
  const Scene scene = build(source);
  Robot& robot = source.robots[0].robot;
  const int a = scene.find_body("r/wall"), b = scene.find_body("r/block");
  robot.disabled_pairs = {
      {"wall", "block", std::string(kProvedFor) + hash_pair_model(scene, a, b).hex()}};
  return source;
}

}  // namespace proven::test
