// An arm of two bars in a plane, and an evaluator of its own: closed-form poses, FCL's boxes.
#pragma once

#include <fcl/fcl.h>

#include <cmath>
#include <random>
#include <vector>

#include "proven_moveit/guard.h"

namespace proven::test {

constexpr double kBar = 1.0, kWide = 0.06;

inline CollisionElement bar() {
  return {Box{{kBar / 2, kWide / 2, kWide / 2}}, Pose::translation({kBar / 2, 0, 0}), "bar"};
}

// A post on the ground, two bars that turn about z; the second turns without limits. `lifts`: the
// whole may also float.
inline Robot arm(bool floats = false) {
  Robot robot;
  robot.name = "arm";
  if (floats) robot.links.push_back({"ground", {}, false, nullptr});
  robot.links.push_back(
      {"post", {{Cylinder{0.05, 0.2}, Pose::translation({0, 0, -0.3}), "post"}}, false, nullptr});
  for (const char* name : {"upper", "fore"}) robot.links.push_back({name, {bar()}, false, nullptr});
  if (floats)
    robot.joints.push_back({"base", JointType::floating, "ground", "post", {}, {}, {}, {}});
  RobotJoint shoulder;
  shoulder.name = "shoulder";
  shoulder.type = JointType::revolute;
  shoulder.parent_link = "post";
  shoulder.child_link = "upper";
  shoulder.axis = {0, 0, 1};
  shoulder.limits = {-3, 3, 2, 4};
  robot.joints.push_back(shoulder);
  RobotJoint elbow = shoulder;
  elbow.name = "elbow";
  elbow.type = JointType::continuous;
  elbow.parent_link = "upper";
  elbow.child_link = "fore";
  elbow.X_PJ = Pose::translation({kBar, 0, 0});
  robot.joints.push_back(elbow);
  return robot;
}

// Joined links may touch; the arm cannot reach its post.
inline adapters::Surroundings around_arm(std::vector<ObstacleSource> objects) {
  adapters::Surroundings around;
  around.objects = std::move(objects);
  around.allowed = {{"post", "upper"}, {"fore", "upper"}, {"fore", "post"}};
  return around;
}

inline ObstacleSource block(const std::string& name, const Vec3& at, const Vec3& half) {
  return {name, {{Box{half}, {}, name}}, Pose::translation(at)};
}

// Whether a bar overlaps one of the blocks, by FCL.
inline bool twin_collides(const std::vector<ObstacleSource>& blocks, double shoulder,
                          double elbow) {
  const auto box = std::make_shared<fcl::Boxd>(kBar, kWide, kWide);
  double angle = 0;
  Eigen::Vector3d at(0, 0, 0);
  for (const double turn : {shoulder, elbow}) {
    angle += turn;
    const Eigen::Vector3d along(std::cos(angle), std::sin(angle), 0);
    fcl::Transform3d X = fcl::Transform3d::Identity();
    X.rotate(Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()));
    X.translation() = at + 0.5 * kBar * along;
    for (const ObstacleSource& block : blocks) {
      const Vec3 half = std::get<Box>(block.elements[0].shape).half_extents;
      fcl::Transform3d Y = fcl::Transform3d::Identity();
      Y.translation() = Eigen::Vector3d(block.X_WB.p.x, block.X_WB.p.y, block.X_WB.p.z);
      const fcl::CollisionObjectd a(box, X),
          b(std::make_shared<fcl::Boxd>(2 * half.x, 2 * half.y, 2 * half.z), Y);
      fcl::CollisionResultd result;
      if (fcl::collide(&a, &b, fcl::CollisionRequestd(), result) > 0) return true;
    }
    at += kBar * along;
  }
  return false;
}

// Samples on the straight way between two configurations.
inline bool samples_collide(const std::vector<ObstacleSource>& blocks,
                            const std::vector<double>& from, const std::vector<double>& to,
                            int samples) {
  for (int i = 0; i <= samples; ++i) {
    const double t = static_cast<double>(i) / samples;
    if (twin_collides(blocks, from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])))
      return true;
  }
  return false;
}

// A thin post that the bars pass between the two states of `passing`.
inline std::vector<ObstacleSource> thin_post() {
  return {block("post_ahead", {1.5, 0, 0}, {0.01, 0.01, 0.5})};
}
inline std::array<std::vector<double>, 2> passing() {
  return {std::vector<double>{-0.5, 0}, std::vector<double>{0.5, 0}};
}

}  // namespace proven::test
