// Vectors and grids as the plain numbers that programs for GPUs take.
#pragma once

#include <algorithm>

#include "proven/roadmap/grid.h"
#include "roadmap/raster.h"

namespace proven::roadmap {

inline V3 plain(const Vec3& v) {
  return {v.x, v.y, v.z};
}

inline RasterGrid plain(const Grid& grid) {
  RasterGrid made = {};
  for (int axis = 0; axis < 3; ++axis) {
    made.origin[axis] = grid.origin[axis];
    made.cell[axis] = grid.cell[axis];
    made.count[axis] = grid.count[static_cast<std::size_t>(axis)];
  }
  made.margin = kRasterMargin * std::min({grid.cell.x, grid.cell.y, grid.cell.z});
  return made;
}

}  // namespace proven::roadmap
