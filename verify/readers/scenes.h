// Chapter 13, continued: scenes.
#pragma once

#include "proven/verify/readers.h"
#include "verify/readers/meshes.h"
#include "verify/readers/robots.h"
#include "verify/readers/value.h"

namespace proven::verifier {

SceneSource read_scene_json(const std::filesystem::path& file, const SceneReading& options,
                            Meshes& meshes);
SceneSource read_planning_scene(const std::filesystem::path& file, const SceneReading& options,
                                Meshes& meshes);

// A motion of the scene's joints, in the form of a motion file (path.cpp).
Motion motion_at(const Value& value, const SceneSource& scene);
// A path in JSON that is one line of a file; fails without a place.
Motion read_path_line(std::string_view text, const SceneSource& scene, const PathReading& options);
// A path in a text that would be a *.csv.
Motion read_path_table(const std::string& name, std::string_view text, const SceneSource& scene,
                       const PathReading& options);
std::vector<KeptFrame> constraints_at(const Value& root, const SceneSource& scene);
std::vector<KeptFrame> constraints_in(std::string_view text, const SceneSource& scene);
Motion read_any_path(const std::filesystem::path& file, const SceneSource& scene,
                     const PathReading& options);

Mat3 quaternion_at(const Value& value);  // [x, y, z, w]
Pose scene_pose_at(const Value* value);  // {"xyz", "rpy", ...}; none: the identity
double size_at(const Value& value);

// ROS's messages: header.frame_id without a leading slash (empty if there is none), transforms, and
// the values of a planar or floating joint at one.
std::string frame_of(const Value& value);
Pose transform_at(const Value& value);
std::vector<double> planar_values(const Value& transform);
std::vector<double> floating_values(const Value& transform);

}  // namespace proven::verifier
