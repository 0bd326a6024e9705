// Scenes to files.
#pragma once

#include <filesystem>

#include "proven/base/result.h"
#include "proven/scene/scene.h"

namespace proven {

// Writes folder/scene.json with a URDF (and, if there is something to say, an SRDF) per robot and
// its meshes as OBJ; creates the folder. load_scene reads back a scene of the same hash: all
// numbers come back bit for bit, rotations as matrices where roll, pitch and yaw would not. Fails
// on what URDF cannot say: sliding joints without limits, limits on one side only.
// `robots`: a folder, seen from this one, where an earlier call wrote the same robots; they are
// then not written again. Obstacles must have no meshes then.
Result<void> save_scene(const SceneSource& scene, const std::filesystem::path& folder,
                        const std::filesystem::path& robots = {});

// Writes an SRDF: groups (by their joints), states, end effectors, the virtual joint and the
// disabled pairs of the robot, below a comment for people.
Result<void> save_srdf(const Robot& robot, const std::string& comment,
                       const std::filesystem::path& file);

}  // namespace proven
