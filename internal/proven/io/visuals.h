// What robots look like, from the <visual> elements of their files: for people's eyes alone. Scenes
// and proofs know nothing of it, and nothing about it is an error.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "proven/geometry/shapes.h"
#include "proven/io/scene_file.h"

namespace proven {

struct VisualElement {
  Shape shape;
  Pose X_LV;
  std::optional<std::array<double, 4>> colour;  // red, green, blue and opacity, 0 to 1
};

struct LinkVisuals {
  std::string link;
  std::vector<VisualElement> elements;
};

struct RobotVisuals {
  std::vector<LinkVisuals> links;  // those that have any
  std::vector<std::string> notes;  // what is not shown as the file says, with the place
};

// As load_scene_source; `visuals` are those of its robots, in their order.
Result<SceneSource> load_scene_source(const std::filesystem::path& file,
                                      const SceneOptions& options,
                                      std::vector<RobotVisuals>& visuals);

}  // namespace proven
