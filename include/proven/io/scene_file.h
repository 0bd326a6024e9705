// Scenes from files: our JSON, a URDF alone, or a planning scene in YAML.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "proven/base/result.h"
#include "proven/scene/scene.h"

namespace proven {

struct SceneOptions {
  bool trust_srdf_never = false;  // see SceneBuilder::trust_srdf_never
  // Folders of packages, besides those that the file maps. A package that is mapped is there and
  // nowhere else; one that is mapped to no folder, or that no robot names, is an error.
  std::map<std::string, std::filesystem::path> packages;
  bool allow_empty = false;             // robots without any collision geometry are no error
  std::filesystem::path robot;          // URDF for a planning scene; sought near the file if empty
  bool packages_may_be_unused = false;  // for programs that map whatever folders there are
  // Unknown elements of URDFs that are passed over, besides those that the file names; see
  // Scene::ignored.
  std::set<std::string> ignore_elements = {};
  // Where load_scene keeps prepared geometry for the next time (docs/formats.md); empty: nowhere.
  std::filesystem::path cache;
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

// The same before it is built. Everything is read from the files themselves, never from a cache.
Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options = {});

// The folder that the environment asks for: PROVEN_CACHE, else $XDG_CACHE_HOME/proven/geometry,
// else ~/.cache/proven/geometry. Empty if PROVEN_CACHE is "off" or there is no home.
std::filesystem::path default_cache_folder();

}  // namespace proven
