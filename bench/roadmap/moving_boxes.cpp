#include "bench/roadmap/moving_boxes.h"

#include <algorithm>

namespace proven::bench {

std::vector<MovingBox> random_boxes(const roadmap::Grid& grid, int count, double smallest_cells,
                                    double largest_cells, Random& random) {
  std::vector<MovingBox> boxes;
  for (int k = 0; k < count; ++k) {
    MovingBox box;
    for (int axis = 0; axis < 3; ++axis) {
      const double extent = grid.cell[axis] * grid.count[static_cast<std::size_t>(axis)];
      const bool layer = axis == 2 && grid.planar();
      const double half = 0.5 * grid.cell[axis] * random.uniform(smallest_cells, largest_cells);
      box.half[axis] = layer ? 0.49 * extent : std::min(half, 0.4 * extent);
      const double low = grid.origin[axis] + box.half[axis] * 1.001;
      const double high = grid.origin[axis] + extent - box.half[axis] * 1.001;
      box.centre[axis] = layer ? grid.origin[axis] + 0.5 * extent : random.uniform(low, high);
      box.step[axis] = layer ? 0 : grid.cell[axis] * random.uniform(-0.7, 0.7);
    }
    boxes.push_back(box);
  }
  return boxes;
}

void advance(std::vector<MovingBox>& boxes, const roadmap::Grid& grid) {
  for (MovingBox& box : boxes)
    for (int axis = 0; axis < 3; ++axis) {
      const double extent = grid.cell[axis] * grid.count[static_cast<std::size_t>(axis)];
      const double low = grid.origin[axis] + box.half[axis] * 1.001;
      const double high = grid.origin[axis] + extent - box.half[axis] * 1.001;
      const double next = box.centre[axis] + box.step[axis];
      if (next < low || next > high) box.step[axis] = -box.step[axis];
      box.centre[axis] = std::clamp(box.centre[axis] + box.step[axis], low, std::max(low, high));
    }
}

roadmap::CellMask cells_of(const roadmap::Grid& grid, const std::vector<MovingBox>& boxes) {
  roadmap::CellMask mask(grid);
  for (const MovingBox& box : boxes) {
    const CollisionElement element = box.element();
    // A box can always be marked.
    (void)mark_obstacle(grid, {&element, 1}, Pose::translation(box.centre), mask).ok();
  }
  return mask;
}

}  // namespace proven::bench
