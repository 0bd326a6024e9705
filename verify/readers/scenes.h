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

Mat3 quaternion_at(const Value& value);  // [x, y, z, w]
double size_at(const Value& value);

// ROS's messages: header.frame_id without a leading slash (empty if there is none), transforms, and
// the values of a planar or floating joint at one.
std::string frame_of(const Value& value);
Pose transform_at(const Value& value);
std::vector<double> planar_values(const Value& transform);
std::vector<double> floating_values(const Value& transform);

}  // namespace proven::verifier
