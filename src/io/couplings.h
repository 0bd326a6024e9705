// Couplings of joints that a URDF says elsewhere than in <mimic>.
#pragma once

#include <string>
#include <vector>

#include "io/xml.h"
#include "proven/kinematics/robot.h"

namespace proven::io {

struct Coupling {
  const XmlElement* at = nullptr;
  std::string follower;
  Mimic mimic;
};

// <drake:mimic> of a joint, <param name="mimic"> of a joint in <ros2_control>, and <mimicJoint> of
// a Gazebo plugin, in the order of the file.
std::vector<Coupling> find_couplings(const XmlFile& urdf);

// A joint without <mimic> follows what its couplings say, and the robot's remarks say so; couplings
// of one joint that differ fail, as does one of a joint that has no single value.
void add_couplings(const XmlFile& urdf, Robot& robot);

}  // namespace proven::io
