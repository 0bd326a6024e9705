// Meshes that a robot names and nobody found, by the package or folder where they should be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "proven/io/scene_file.h"

namespace proven {

struct MissingMeshes {
  std::string package;              // empty: files of a folder
  std::vector<std::string> meshes;  // as the robot names them
  std::vector<std::filesystem::path>
      tried;           // folders where the package, or these files, were sought
  std::string remedy;  // one sentence
};

// "3 meshes of package far are missing: ...; tried ...; ..."
std::string describe(const MissingMeshes& missing);

// Those of the first robot of a scene or robot file that misses any; none if all are there, or the
// file cannot be read for another reason.
std::vector<MissingMeshes> find_missing_meshes(const std::filesystem::path& file,
                                               const SceneOptions& options = {});

}  // namespace proven
