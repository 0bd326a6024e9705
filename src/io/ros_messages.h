// Parts of ROS messages that scenes, paths and requests share.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proven/geometry/shapes.h"
#include "proven/io/document.h"

namespace proven::io {

// {translation, rotation}; vectors and quaternions are lists or {x, y, z, w}.
Pose read_transform(const Node& node);
// header.frame_id without a slash before it; empty: none.
std::string read_frame_id(const Node& node);
// The values of a planar or floating joint at a transform, each with the coordinate's suffix.
std::vector<std::pair<const char*, double>> read_planar(const Node& transform);
std::vector<std::pair<const char*, double>> read_floating(const Node& transform);

// A CollisionObject: shapes in its own frame O, and that frame in the one that its header names.
struct CollisionObject {
  Pose X_FO;
  std::vector<CollisionElement> elements;
  std::map<std::string, Pose> subframes;  // X_OS, by name
};
CollisionObject read_collision_object(const Node& object);

}  // namespace proven::io
