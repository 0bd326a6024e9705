// A robot in another language on its way to URDF.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/mesh_readers.h"
#include "proven/io/convert.h"
#include "proven/kinematics/robot.h"

namespace proven::io {

struct ConvertedRobot {
  struct MeshFile {
    std::filesystem::path file;
    Vec3 scale;
  };
  Robot robot;                             // its warnings are the notes
  std::map<const void*, MeshFile> meshes;  // by the mesh or hull that a link holds

  // A name for a link or joint that the file does not name: `wanted`, or that with a number.
  std::string new_link_name(const std::string& wanted);
  std::string new_joint_name(const std::string& wanted);
  // An empty link.
  void add_link(const std::string& name);
  // The same below `parent`, fixed at X.
  void add_fixed(const std::string& parent, const std::string& child, const Pose& X);
  RobotLink& link(const std::string& name);

  std::set<std::string> link_names, joint_names;  // taken
};

ConvertedRobot read_mjcf(const std::filesystem::path& file, const ConvertOptions& options);
ConvertedRobot read_sdf(const std::filesystem::path& file, const ConvertOptions& options);

}  // namespace proven::io
