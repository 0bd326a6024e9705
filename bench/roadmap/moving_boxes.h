// Boxes that drift through the workspace of a roadmap.
#pragma once

#include <vector>

#include "proven/base/random.h"
#include "proven/roadmap/grid.h"

namespace proven::bench {

struct MovingBox {
  Vec3 centre, half, step;

  CollisionElement element() const { return {Box{half}, {}, {}}; }
};

// Boxes of some cells' size inside the grid.
std::vector<MovingBox> random_boxes(const roadmap::Grid& grid, int count, double smallest_cells,
                                    double largest_cells, Random& random);
// One step each; they turn back at the walls.
void advance(std::vector<MovingBox>& boxes, const roadmap::Grid& grid);
roadmap::CellMask cells_of(const roadmap::Grid& grid, const std::vector<MovingBox>& boxes);

}  // namespace proven::bench
