#include "scenes/arms.h"

#include <numbers>
#include <string>

#include "scenes/assembly.h"
#include "scenes/makers.h"

namespace proven::scenes {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLayer = 0.01;  // height between the links of a planar arm

RobotLink link_with(const std::string& name, Shape shape, const Pose& X) {
  RobotLink link;
  link.name = name;
  link.has_visual = true;
  link.collision = {{std::move(shape), X, {}}};
  return link;
}

RobotJoint turning(const std::string& name, const std::string& parent, const std::string& child,
                   const Vec3& p, const Vec3& axis, double limit) {
  RobotJoint joint;
  joint.name = name;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.X_PJ = Pose::translation(p);
  joint.axis = axis;
  joint.type = limit < kPi ? JointType::revolute : JointType::continuous;
  if (limit < kPi) joint.limits = {-limit, limit, 1.5, 6};
  return joint;
}

std::string numbered(const char* word, int k) {
  return word + std::to_string(k);
}

}  // namespace

SceneSource make_planar_arm(int joints, double bend) {
  const double length = 1.0 / joints;
  Robot robot;
  robot.name = "arm";
  robot.links.emplace_back().name = "base";
  for (int k = 1; k <= joints; ++k) {
    robot.links.push_back(link_with(numbered("link_", k), Box{{length / 2, 0.008, 0.004}},
                                    Pose::translation({length / 2, 0, 0})));
    const Vec3 p = k == 1 ? Vec3{} : Vec3{length, 0, kLayer};
    robot.joints.push_back(turning(numbered("joint_", k),
                                   k == 1 ? "base" : numbered("link_", k - 1), numbered("link_", k),
                                   p, {0, 0, 1}, k == 1 ? kPi : bend));
  }
  SceneSource source;
  add_robot(source, "arm", std::move(robot));
  for (int a = 1; a <= joints; ++a)
    for (int b = a + 2; b <= joints; ++b)
      source.exclusions.push_back({numbered("arm/link_", a), numbered("arm/link_", b),
                                   "at different heights: they pass over each other"});
  return source;
}

SceneSource make_spatial_arm(int joints) {
  const double length = 1.0 / joints;
  const double radius = 0.03;
  Robot robot;
  robot.name = "arm";
  robot.links.push_back(link_with("base", Cylinder{0.05, 0.1}, Pose::translation({0, 0, -0.1})));
  for (int k = 1; k <= joints; ++k) {
    // The first link is a short hub that only turns.
    const bool hub = k == 1;
    const double half = hub ? 0.01 : (length - 2 * radius) / 2;
    robot.links.push_back(link_with(numbered("link_", k), Capsule{radius, half > 0 ? half : 1e-3},
                                    Pose::translation({0, 0, hub ? radius : length / 2})));
    const Vec3 axis = k == 1       ? Vec3{0, 0, 1}
                      : k <= 3     ? Vec3{0, 1, 0}
                      : k % 2 == 0 ? Vec3{1, 0, 0}
                                   : Vec3{0, 1, 0};
    const Vec3 p = k == 1 ? Vec3{} : Vec3{0, 0, k == 2 ? 0.06 : length};
    robot.joints.push_back(turning(numbered("joint_", k),
                                   k == 1 ? "base" : numbered("link_", k - 1), numbered("link_", k),
                                   p, axis, k == 1 ? kPi : 2.4));
  }
  SceneSource source;
  add_robot(source, "arm", std::move(robot));
  source.exclusions.push_back({"arm/base", "arm/link_2", "the hub between them is short"});
  return source;
}

// Two blocks leave a corridor (figure 1); they reach from below the lowest link to above the
// highest.
SceneSource make_corridor(int joints) {
  SceneSource source = make_planar_arm(joints, joints > 10 ? 0.5 : 2.2);
  const double low = -kLayer, high = kLayer * joints;
  const auto add = [&](const std::string& name, double x0, double x1, double y0, double y1) {
    add_obstacle(source, name, Box{{(x1 - x0) / 2, (y1 - y0) / 2, (high - low) / 2}},
                 Pose::translation({(x0 + x1) / 2, (y0 + y1) / 2, (low + high) / 2}));
  };
  add("block_left", 0.45, 0.6, 0.2, 0.8);
  add("block_right", 0.45, 0.6, -0.8, -0.2);
  return source;
}

}  // namespace proven::scenes
