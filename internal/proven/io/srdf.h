// What an SRDF adds to a robot.
#pragma once

#include <filesystem>

#include "proven/base/result.h"
#include "proven/kinematics/robot.h"

namespace proven {

struct SrdfOptions {
  // Adds a virtual joint on the root link as a real one, from a new root link that is named after
  // the joint's parent frame. Otherwise virtual joints that can move are only noted in a warning.
  bool virtual_joints = false;
};

// Adds disabled pairs, groups (their joints that can move by themselves, in the robot's order) and
// end effectors. Links and joints that the robot does not have are ignored, with a warning.
Result<void> apply_srdf(const std::filesystem::path& file, Robot& robot,
                        const SrdfOptions& options = {});
// The same of a text; `name` stands in messages.
Result<void> apply_srdf_text(const std::string& text, const std::filesystem::path& name,
                             Robot& robot, const SrdfOptions& options = {});

}  // namespace proven
