// Obstacles as cells, conservatively: a cell that is not marked does not touch the obstacle.
#pragma once

#include <span>

#include "proven/base/result.h"
#include "proven/geometry/shapes.h"
#include "proven/roadmap/grid.h"
#include "proven/scene/scene_source.h"

namespace proven::roadmap {

// Shapes at a pose in the world. Closed meshes are solid. What reaches beyond the grid marks the
// outside.
Result<void> mark_obstacle(const Grid& grid, std::span<const CollisionElement> elements,
                           const Pose& X_WB, CellMask& mask);

// Points of a cloud, each a ball of the given radius (0: the point alone).
void mark_points(const Grid& grid, std::span<const Vec3> points, double radius, CellMask& mask);

}  // namespace proven::roadmap
