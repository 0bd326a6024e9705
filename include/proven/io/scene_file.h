// Scenes from files: our JSON, a URDF alone, or a planning scene in YAML.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "proven/base/result.h"
#include "proven/scene/scene.h"
#include "proven/scene/scene_source.h"

namespace proven {

struct SceneOptions {
  bool trust_srdf_never = false;                          // see SceneBuilder::trust_srdf_never
  std::map<std::string, std::filesystem::path> packages;  // besides those that the file names
  std::filesystem::path robot;  // URDF for a planning scene; sought near the file if empty
};

// By the file's ending:
//   .json         a scene in our format ("proven": 1). Paths in it are relative to it.
//   .urdf, .xml   one robot, named after itself, and nothing else.
//   .yaml, .yml   a planning scene as MoveIt and MotionBenchMaker write it. The robot is
//                 options.robot, or "<robot_model_name>.urdf" in the file's folder or the two
//                 above; an SRDF of the same stem beside it is used. Pairs that the allowed
//                 collision matrix allows are excluded with that note; the robot's state is the
//                 home.
// Errors say "file:line: /json/pointer: ...". Unknown and repeated keys are errors.
Result<Scene> load_scene(const std::filesystem::path& file, const SceneOptions& options = {});

// The same before it is built.
Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options = {});

}  // namespace proven
