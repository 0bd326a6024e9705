// The argument SCENE of a command: a file, or the name of a built-in scene.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proven/io/scene_file.h"
#include "proven/scene/scene.h"
#include "tools/arguments.h"

namespace proven::tools {

struct SceneArgument {
  std::string scene;
  std::vector<std::string> packages;  // "name=folder"
  std::string robot;
  bool trust_srdf_never = false;
};

// Adds SCENE and the options that say how to read it.
std::shared_ptr<SceneArgument> add_scene_argument(Arguments& arguments,
                                                  const std::string& name = "scene",
                                                  bool required = true);

Result<Scene> load(const SceneArgument& argument);
// The same before it is built.
Result<SceneSource> load_source(const SceneArgument& argument);

}  // namespace proven::tools
