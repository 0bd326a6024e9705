// Cells that a convex set may touch, row by row.
//
// The set is known by slabs: low <= n·x <= high. A row is the cells with the same y and z. A cell
// is left out exactly when one slab alone separates it: n is then a direction along which cell and
// set lie apart. Along a row the cells that one slab leaves are an interval, and so are those that
// all leave.
//
// Rounding: `margin` widens every slab. With coordinates below 2^20 cells (validate), |n| <= 1 and
// divisors of at least 2^-10, what is computed here errs by less than 2^-28 of a cell's side on the
// side of `high`; kRasterMargin of the smallest side covers it a hundredfold.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "proven/roadmap/grid.h"

namespace proven::roadmap {

inline constexpr double kRasterMargin = 0x1p-20;

class Raster {
 public:
  explicit Raster(const Grid& grid)
      : grid_(grid), margin_(kRasterMargin * std::min({grid.cell.x, grid.cell.y, grid.cell.z})) {}

  static constexpr int kMaxSlabs = 32;

  void begin() {
    num_steep_ = num_flat_ = 0;
    low_ = {-kFar, -kFar, -kFar};
    high_ = {kFar, kFar, kFar};
  }
  double margin() const { return margin_; }
  // The box around the set, widened already; in the world.
  void set_box(const Aabb& box);
  // Another slab, n in the world, |n| <= 1, low and high widened already.
  void add_slab(const Vec3& n, double low, double high);
  bool leaves_grid() const;
  // Calls visit(first, last) with indices of cells; stops when it returns false. Returns whether it
  // went through.
  template <class Visit>
  bool visit_rows(Visit&& visit);

 private:
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  static constexpr int kLanes = 4;

  void close();
  // The interval of x that all slabs leave, in cells.
  void narrow(double y, double z, double& low, double& high) const;
  bool flat_reject(double y, double z) const;

  const Grid& grid_;
  double margin_;
  Vec3 low_, high_;  // box, in cells from the origin
  int num_steep_ = 0, num_flat_ = 0;
  // Steep: x <= top - a y - b z and x >= bottom - a y - b z, in cells.
  std::array<double, kMaxSlabs> top_, bottom_, a_, b_;
  // Flat, where x hardly counts: bottom <= a y + b z <= top.
  std::array<double, kMaxSlabs> flat_top_, flat_bottom_, flat_a_, flat_b_;
};

template <class Visit>
bool Raster::visit_rows(Visit&& visit) {
  close();
  const auto clip = [&](int axis, int& first, int& last) {
    const double n = grid_.count[static_cast<std::size_t>(axis)];
    first = static_cast<int>(std::floor(std::clamp(low_[axis], 0.0, n)));
    last = static_cast<int>(std::floor(std::clamp(high_[axis], -1.0, n - 1)));
  };
  int x0, x1, y0, y1, z0, z1;
  clip(0, x0, x1);
  clip(1, y0, y1);
  clip(2, z0, z1);
  for (int z = z0; z <= z1; ++z)
    for (int y = y0; y <= y1; ++y) {
      if (flat_reject(y, z)) continue;
      double low = x0, high = x1;
      narrow(y, z, low, high);
      const int first = std::max(x0, static_cast<int>(std::floor(low)));
      const int last = std::min(x1, static_cast<int>(std::floor(high)));
      if (first > last) continue;
      const int row = grid_.index(0, y, z);
      if (!visit(row + first, row + last)) return false;
    }
  return true;
}

}  // namespace proven::roadmap
