// What an MJCF model says of bodies, joints and contacts, before it is said in URDF.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/converted_robot.h"
#include "io/mjcf_file.h"

namespace proven::io {

struct MjcfJoint {
  const MjcfElement* at = nullptr;
  std::string name;
  JointType type = JointType::revolute;  // revolute, prismatic or floating
  Vec3 pos, axis;                        // in the body's frame; the axis has length 1
  double ref = 0;                        // the value at which the body is at its pose
  JointLimits limits;                    // infinite: none
  std::optional<Mimic> mimic;
};

// Geoms of a body that touch the same others.
struct MjcfPart {
  int contype = 1, conaffinity = 1;
  std::vector<CollisionElement> elements;
  std::string link;  // where they are in the URDF
};

struct MjcfBody {
  const MjcfElement* at = nullptr;
  std::string name;
  int parent = -1;
  int weld = 0;  // the body that it is fixed to, or itself
  Pose X;        // in the parent, at the joints' ref
  std::vector<MjcfJoint> joints;
  std::vector<MjcfPart> parts;
};

// A geom that takes part in contacts, or one that does not (part -1), or a plane left out.
struct MjcfGeom {
  int body = 0, part = -1;
  bool is_left_out = false;
};

struct MjcfModel {
  std::unique_ptr<MjcfFile> file;
  std::string name;
  std::vector<MjcfBody> bodies;  // the first is the world; parents before children
  std::map<std::string, MjcfGeom> geoms;
  std::vector<std::pair<int, int>> excludes;
  std::map<const void*, ConvertedRobot::MeshFile> meshes;
  std::vector<std::string> notes;
  XmlFile::Counts left_out;  // since somebody said so, besides what the file's elements say

  // Whether MuJoCo tests the geoms of two parts.
  bool touches(int body_a, const MjcfPart& a, int body_b, const MjcfPart& b) const;
  bool is_excluded(int body_a, int body_b) const;
  // Fixed to each other, or one joint apart and none of them fixed to the world.
  bool is_joined(int body_a, int body_b) const;
  MjcfJoint* find_joint(const std::string& joint);
};

MjcfModel read_mjcf_model(const std::filesystem::path& file, const ConvertOptions& options);

}  // namespace proven::io
