// What robots look like, in the viewer's document (docs/viewer.md): beside their bodies, for a
// reader who knows the robot by its cover.
#pragma once

#include <cstddef>
#include <span>

#include "proven/io/visuals.h"
#include "proven/scene/scene.h"
#include "tools/view/document.h"

namespace proven::tools {

// `visuals` are those of the source's robots, in their order. Shapes beyond `most_triangles` in all
// are left out, with a warning; so is what the reader noticed.
void add_visuals(const SceneSource& source, std::span<const RobotVisuals> visuals,
                 const Scene& scene, std::size_t most_triangles, ViewDocument& document);

// Enough for the robots that we know; a page stays below 10 MB.
inline constexpr std::size_t kMostVisualTriangles = 300000;

}  // namespace proven::tools
