// Stage two: a uniform grid without limits, whose cells share the buckets of a hash table.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/geometry/box_tree.h"

namespace proven {

class PieceHash {
 public:
  // Puts `boxes` (one per item) into the cells of side `cell` that they touch within `region`.
  void fill(std::span<const Aabb> boxes, const Aabb& region, double cell);

  // Visits every item whose box touches `box` within the region, and some others; each once.
  template <class Visit>  // Visit(item)
  void near(const Aabb& box, Visit visit) {
    ++stamp_;
    for_cells(box, [&](std::uint32_t bucket) {
      for (std::uint32_t k = first_[bucket]; k < first_[bucket + 1]; ++k) {
        const std::uint32_t item = items_[k];
        if (seen_[item] == stamp_) continue;
        seen_[item] = stamp_;
        visit(static_cast<int>(item));
      }
    });
  }

 private:
  // The place of a coordinate rounds, but never decreases where the coordinate grows: boxes that
  // share a point share a cell.
  int place(double x, int axis) const {
    return static_cast<int>((x - region_.lo[axis]) * inverse_cell_);
  }
  static std::uint32_t hash(int x, int y, int z) {
    return static_cast<std::uint32_t>(x) * 73856093u ^ static_cast<std::uint32_t>(y) * 19349663u ^
           static_cast<std::uint32_t>(z) * 83492791u;
  }

  template <class Visit>  // Visit(bucket)
  void for_cells(const Aabb& box, Visit visit) const {
    int low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double lo = std::fmax(box.lo[axis], region_.lo[axis]);
      const double hi = std::fmin(box.hi[axis], region_.hi[axis]);
      if (lo > hi) return;
      low[axis] = place(lo, axis);
      high[axis] = place(hi, axis);
    }
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) visit(hash(x, y, z) & mask_);
  }

  Aabb region_;
  double inverse_cell_ = 1;
  std::uint32_t mask_ = 0;
  std::vector<std::uint32_t> first_, items_, next_, seen_;
  std::uint32_t stamp_ = 0;
};

}  // namespace proven
