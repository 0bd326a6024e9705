// Readers of scene formats, and the parts of scenes that several formats share.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/failure.h"
#include "io/mesh_readers.h"
#include "proven/io/document.h"
#include "proven/io/scene_file.h"
#include "proven/scene/scene_source.h"

namespace proven::io {

SceneSource read_scene_json(const std::filesystem::path& file, const SceneOptions& options,
                            MeshCache& meshes);
SceneSource read_planning_scene(const std::filesystem::path& file, const SceneOptions& options,
                                MeshCache& meshes);

// A unit quaternion x, y, z, w within 1e-3 (rounded files), normalised; ROS also writes
// {x: .., y: .., z: .., w: ..}.
Mat3 read_quaternion(const Node& node);
Mat3 read_ros_quaternion(const Node& node);
Vec3 read_position(const Node& node);
double read_size(const Node& node);
// As read_pose, of an object that has other keys, too.
Pose read_pose_fields(const Node& node);

// Fails on keys that are neither of shapes nor listed.
void allow_shape_keys(const Node& node, std::initializer_list<std::string_view> others);
// The factor of the key "scale", one number or three; 1 without it.
Vec3 read_scale(const Node& node);
// The shape of an object, by its key: box, sphere, mesh, points and so on.
std::vector<CollisionElement> read_shapes(const Node& node, const std::filesystem::path& folder,
                                          MeshCache& meshes);
// The same of what sensors saw: cloud, voxels, octomap, depth, heights (sensed_shapes.cpp).
CollisionElement read_sensed(const Node& shape, const std::filesystem::path& folder);

double read_metres(const Node& node);  // up to 1e9
// A number is about the world and other robots, an object names classes of pairs.
Clearances read_clearances(const Node& node);

// Runs `read` on a file that a node names; one that is not there fails at the node.
template <class Read>
auto read_named(const Node& node, Read&& read) {
  try {
    return read();
  } catch (const Failure& failure) {
    if (failure.error().message != "no such file") throw;
    fail(node.place(), failure.error().text(), failure.error().code);
  }
}

// A URDF under its own name, and the SRDF of the same stem if there is one beside it.
RobotSource read_robot_with_srdf(const std::filesystem::path& urdf, const SceneOptions& options,
                                 MeshCache& meshes);
// Excludes two links or obstacles that a planning scene allows to touch; names that are not there
// go to `unknown`.
void add_allowed_pair(const RobotSource& robot, const std::string& a, const std::string& b,
                      SceneSource& scene, std::set<std::string>& unknown);
void warn_of_unknown_bodies(const std::set<std::string>& unknown, SceneSource& scene);

}  // namespace proven::io
