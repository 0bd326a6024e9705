// Random robots with every kind of joint, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "kinematics/slow_kinematics.h"
#include "proven/base/random.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/kinematic_tree.h"

namespace proven::test {

inline Pose random_pose(Random& random, double reach) {
  return {random.rotation(), Vec3{random.uniform(-reach, reach), random.uniform(-reach, reach),
                                  random.uniform(-reach, reach)}};
}

inline Vec3 random_axis(Random& random) {
  // Coordinate axes of both signs and any direction of any length, as files have them.
  if (random.index(2) == 0) {
    Vec3 axis;
    axis[random.index(3)] = random.index(2) == 0 ? 1 : -1;
    return axis;
  }
  return random.uniform(0.1, 5) * random.unit_vector();
}

struct RandomRobotOptions {
  int links = 8;
  bool several_values = true;  // planar and floating joints too
  double straight = 0.7;       // share of links that hang on the last one rather than on any
};

// Lists of links and joints come in random order. Every link has one box.
inline Robot random_robot(Random& random, const RobotLink& prototype,
                          const RandomRobotOptions& options) {
  Robot robot;
  robot.name = "random";
  std::vector<std::string> drivers;
  for (int i = 0; i < options.links; ++i) {
    RobotLink link = prototype;
    link.name = fmt::format("l{}", i);
    robot.links.push_back(link);
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = fmt::format("j{}", i);
    const int parent = random.uniform() < options.straight ? i - 1 : random.index(i);
    joint.parent_link = fmt::format("l{}", parent);
    joint.child_link = link.name;
    joint.X_PJ = random.index(4) == 0 ? Pose{} : random_pose(random, 0.5);
    joint.axis = random_axis(random);
    constexpr JointType kTypes[] = {
        JointType::revolute, JointType::revolute, JointType::continuous, JointType::prismatic,
        JointType::fixed,    JointType::planar,   JointType::floating};
    joint.type = kTypes[random.index(options.several_values ? 7 : 5)];
    joint.limits.lower = random.uniform(-3, 0);
    joint.limits.upper = random.uniform(0, 3);
    const bool one_value = joint.type == JointType::revolute ||
                           joint.type == JointType::continuous ||
                           joint.type == JointType::prismatic;
    if (one_value && !drivers.empty() && random.index(4) == 0) {
      const auto driver = static_cast<std::size_t>(random.index(static_cast<int>(drivers.size())));
      joint.mimic = Mimic{drivers[driver], random.uniform(-2, 2), random.uniform(-1, 1)};
    }
    if (one_value) drivers.push_back(joint.name);
    robot.joints.push_back(joint);
  }
  for (std::size_t i = robot.joints.size(); i > 1; --i)
    std::swap(robot.joints[i - 1],
              robot.joints[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  for (std::size_t i = robot.links.size(); i > 1; --i)
    std::swap(robot.links[i - 1],
              robot.links[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  return robot;
}

// Configuration by name for the slow twin; names lose the prefix "robot/".
inline SlowValues slow_values(const KinematicTree& tree, const std::vector<double>& q,
                              const std::string& robot_name) {
  SlowValues values;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::string& name = tree.coordinates()[i].name;
    if (name.starts_with(robot_name + "/")) values[name.substr(robot_name.size() + 1)] = q[i];
  }
  return values;
}

}  // namespace proven::test
