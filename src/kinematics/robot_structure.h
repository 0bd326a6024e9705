// Checks that a robot's joints form a tree and puts its links in order. Used by kinematic_tree.cpp.
#pragma once

#include <string>
#include <vector>

#include "proven/base/result.h"
#include "proven/kinematics/robot.h"

namespace proven {

// value of `joint` = multiplier * (value of `driver`) + offset; the driver itself follows nobody.
struct ResolvedMimic {
  int joint, driver;
  double multiplier, offset;
};

// Indices into Robot::links and Robot::joints.
struct RobotStructure {
  std::vector<int> links_parents_first;  // depth first, children in the order of the file
  std::vector<int> parent_joint;         // per link: the joint it hangs on; -1 for the root
  std::vector<int> joint_parent;         // per joint: its parent link
  std::vector<ResolvedMimic> mimics;     // one per joint that follows another, by joint
};

Result<RobotStructure> check_structure(const Robot& robot, const std::string& context);

}  // namespace proven
