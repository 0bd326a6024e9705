// Chapter 13, continued: robots in URDF and SRDF files.
#pragma once

#include <map>
#include <set>
#include <string>

#include "proven/kinematics/robot.h"
#include "proven/verify/readers.h"
#include "verify/readers/meshes.h"

namespace proven::verifier {

using Packages = std::map<std::string, std::filesystem::path>;

// Refuses packages that are said to be where no folder is, or that no robot's file names.
void expect_folders(const Packages& packages);
void expect_named(const Packages& packages, const std::set<std::string>& names);

// Unknown elements and attributes named in `ignore` are passed over, and listed in Robot::ignored.
using Names = std::set<std::string, std::less<>>;
Robot read_urdf(const std::filesystem::path& file, const Packages& packages, const Names& ignore,
                Meshes& meshes);
// Adds what the SRDF says; with `virtual_joints` its virtual joint becomes one above the root.
void read_srdf(const std::filesystem::path& file, bool virtual_joints, Robot& robot);

}  // namespace proven::verifier
