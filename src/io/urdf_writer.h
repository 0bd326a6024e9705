// Robots as the texts of URDF and SRDF files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proven/kinematics/robot.h"

namespace proven::io {

using XmlAttributes = std::vector<std::pair<const char*, std::string>>;
// The attributes of <mesh> for a mesh or hull of this link.
using MeshNamer = std::function<XmlAttributes(const std::string& link, const Shape& shape)>;

// All numbers are read back bit for bit. Fails, with `place`, on limits that URDF cannot say and on
// sensed shapes.
std::string urdf_text(const Robot& robot, const std::string& place, const MeshNamer& mesh);

// Groups, states, end effectors and disabled pairs, below a comment, if there is one.
std::string srdf_text(const Robot& robot, const std::string& comment);

// Roll, pitch and yaw of a rotation, and whether they give back the very matrix.
struct RollPitchYaw {
  Vec3 angles;
  bool exact = false;
};
RollPitchYaw roll_pitch_yaw(const Mat3& R);

}  // namespace proven::io
