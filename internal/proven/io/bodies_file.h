// Bodies in space from files, for proven/spacetime/bodies.h.
//
//   {"proven": 1, "bodies": [
//     {"name": "drone", "box": [0.4, 0.4, 0.1], "times": [0, 0.1, ...],
//      "poses": [[x, y, z, qx, qy, qz, qw], ...]},
//     {"name": "wall", "mesh": "wall.stl", "pose": [x, y, z]}]}
// Shapes as in scene files: box, sphere, cylinder, capsule, mesh, hull or parts; meshes are sought
// beside the file. A pose without a quaternion does not turn. Steps longer than 2 s are gaps unless
// "max_step" allows them.
#pragma once

#include <filesystem>
#include <vector>

#include "proven/base/result.h"
#include "proven/spacetime/bodies.h"

namespace proven {

// Whether it is a file of bodies in space rather than of outlines in the plane.
Result<bool> holds_bodies(const std::filesystem::path& file);

// At least one; names differ.
Result<std::vector<spacetime::MovingBody>> load_bodies(const std::filesystem::path& file);

}  // namespace proven
