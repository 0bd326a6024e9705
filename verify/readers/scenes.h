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

Mat3 quaternion_at(const Value& value);  // [x, y, z, w] or {x, y, z, w}
double size_at(const Value& value);

}  // namespace proven::verifier
