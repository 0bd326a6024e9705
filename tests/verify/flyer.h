// A robot that is one body and flies: a floating joint between a base without shape and the body.
#pragma once

#include <utility>
#include <vector>

#include "proven/scene/scene_source.h"

namespace proven::test {

inline RobotSource flyer(std::vector<CollisionElement> body) {
  Robot robot;
  robot.name = "flyer";
  robot.links = {{"base", {}, false, nullptr}, {"body", std::move(body), false, nullptr}};
  RobotJoint joint;
  joint.name = "fly";
  joint.type = JointType::floating;
  joint.parent_link = "base";
  joint.child_link = "body";
  robot.joints = {joint};
  return {"flyer", robot, Pose{}};
}

}  // namespace proven::test
