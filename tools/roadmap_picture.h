// Pictures of planar arms and of cells, as SVG seen from above.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "proven/roadmap/grid.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven::tools {

// The robot's outlines along a path among the obstacles of the scene.
std::string draw_path(const Scene& scene, const roadmap::Grid& grid, const Path& path);
// Cells in colours by the words given; columns of a spatial grid are seen from above, one cell
// each.
std::string draw_cells(const roadmap::Grid& grid, const std::map<int, std::string>& words,
                       const std::string& title);

}  // namespace proven::tools
