// The argument SCENE of a command: a file, or the name of a built-in scene.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "proven/io/loaded_parts.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/visuals.h"
#include "proven/scene/scene.h"
#include "tools/arguments.h"

namespace proven::tools {

struct SceneArgument {
  std::string scene;
  std::vector<std::string> packages;   // "name=folder"
  std::string robot, ignore_elements;  // the latter by commas
  bool trust_srdf_never = false, allow_empty = false, require_solid = false;
};

// Adds SCENE and the options that say how to read it, which are for these actions alone if there
// are any.
std::shared_ptr<SceneArgument> add_scene_argument(Arguments& arguments,
                                                  const std::string& name = "scene",
                                                  bool required = true,
                                                  const std::vector<std::string>& actions = {});

// Adds --require-solid, which `build` and `load` honour.
void add_require_solid(Arguments& arguments, SceneArgument& argument);
// The error of a scene with bodies that have no well-defined inside.
Error not_solid(const SceneArgument& argument, const std::vector<std::string>& bodies);
// The names of such bodies.
std::vector<std::string> bodies_without_inside(const Scene& scene);
// How a command reads its path.
struct PathReading {
  bool ignore_limits = false;
  std::string interpolation = "as-given";
  PathOptions options() const;
};
void add_path_options(Arguments& arguments, PathReading& reading,
                      const std::vector<std::string>& actions = {});

bool is_built_in(const SceneArgument& argument);
// Names between commas; an Error for an empty one.
Result<std::set<std::string>> parse_ignored(const std::string& names);
// How its file is to be read; an Error if there is none.
Result<SceneOptions> options_of(const SceneArgument& argument);

// What is read, and what is built from it, without the cache of geometry; `load` does both with it.
// `visuals`, if given, are what its robots look like; built-in ones have nothing to tell.
Result<SceneSource> load_source(const SceneArgument& argument,
                                std::vector<RobotVisuals>* visuals = nullptr);
Result<Scene> build(const SceneArgument& argument, const SceneSource& source);
// `parts`, if given, is what scenes share that are loaded one after the other.
Result<Scene> load(const SceneArgument& argument, LoadedParts* parts = nullptr);

}  // namespace proven::tools
