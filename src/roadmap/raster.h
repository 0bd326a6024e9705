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
//
// Read by CUDA's compiler, too: the same bits everywhere (proven/base/lanes.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "proven/base/lanes.h"

namespace proven::roadmap {

using lanes::V3;

inline constexpr double kRasterMargin = 0x1p-20;

// A Grid as plain numbers.
struct RasterGrid {
  double origin[3], cell[3];
  int count[3];
  double margin;  // what every slab is widened by

  PROVEN_LANES int outside() const { return count[0] * count[1] * count[2]; }
  PROVEN_LANES bool planar() const { return count[2] == 1; }
};

// The words of a mask that hold a run of cells, both ends included, with its bits in each.
template <class F>
PROVEN_LANES void each_word(int first, int last, const F& f) {
  const int a = first >> 6, b = last >> 6;
  const std::uint64_t head = ~std::uint64_t{0} << (first & 63);
  const std::uint64_t tail = ~std::uint64_t{0} >> (63 - (last & 63));
  if (a == b) return f(a, head & tail);
  f(a, head);
  for (int w = a + 1; w < b; ++w) f(w, ~std::uint64_t{0});
  f(b, tail);
}

// The mask of an item among many, to which several warps may add.
struct WordMask {
  std::uint64_t* words;

  PROVEN_LANES void set(int cell) { set_run(cell, cell); }
  PROVEN_LANES void set_run(int first, int last) {
    each_word(first, last, [&](int w, std::uint64_t bits) { lanes::add_bits(words[w], bits); });
  }
};

// All lanes fill and read one of these together. Slabs have no order: those that leave the least of
// a row count.
class Raster {
 public:
  static constexpr int kMaxSlabs = 32;  // of each kind; more are left out

  // The box around the set along an axis of the world, widened already: `each` of the three.
  PROVEN_LANES void set_box(const RasterGrid& grid, int axis, double low, double high) {
    low_[axis] = (low - grid.origin[axis]) / grid.cell[axis];
    high_[axis] = (high - grid.origin[axis]) / grid.cell[axis];
  }

  // No slab yet.
  PROVEN_LANES void begin() {
    lanes::once([&] { num_steep_ = num_flat_ = 0; });
  }

  // Another slab, n in the world, |n| <= 1, low and high widened already: after the box, within
  // `each`.
  PROVEN_LANES void add_slab(const RasterGrid& grid, const V3& n, double low, double high) {
    // n·x in cells: m·x' + n·origin.
    V3 m{n.x * grid.cell[0], n.y * grid.cell[1], n.z * grid.cell[2]};
    const double shift = dot(n, V3{grid.origin[0], grid.origin[1], grid.origin[2]});
    low -= shift;
    high -= shift;
    if (m.x < 0) {
      m = {-m.x, -m.y, -m.z};
      const double lower = -high;
      high = -low;
      low = lower;
    }
    // Over the row's unit square m.y y + m.z z spans from its value at the corner by these.
    const double reach_up = lanes::larger(m.y, 0.0) + lanes::larger(m.z, 0.0);
    const double reach_down = lanes::smaller(m.y, 0.0) + lanes::smaller(m.z, 0.0);
    const double largest =
        lanes::larger(std::fabs(m.x), lanes::larger(std::fabs(m.y), std::fabs(m.z)));
    if (m.x < kFlat * largest) {
      const int k = lanes::take_place(num_flat_);
      if (k >= kMaxSlabs) return;
      // What x can add within the box, so that the test holds for the whole row.
      flat_top_[k] = high - reach_down - m.x * low_[0];
      flat_bottom_[k] = low - reach_up - m.x * high_[0];
      flat_a_[k] = m.y;
      flat_b_[k] = m.z;
      return;
    }
    const int k = lanes::take_place(num_steep_);
    if (k >= kMaxSlabs) return;
    const double inverse = 1 / m.x;
    top_[k] = (high - reach_down) * inverse;
    // A cell [i, i + 1] is beyond the low side when i + 1 is: the floor of `bottom` is kept.
    bottom_[k] = (low - reach_up) * inverse;
    a_[k] = m.y * inverse;
    b_[k] = m.z * inverse;
  }

  // After the last slab: fills up to whole groups with slabs that leave everything.
  PROVEN_LANES void end() {
    lanes::once([&] {
      if (num_flat_ > kMaxSlabs) num_flat_ = kMaxSlabs;
      if (num_steep_ > kMaxSlabs) num_steep_ = kMaxSlabs;
      for (; num_steep_ % kGroup != 0; ++num_steep_) {
        top_[num_steep_] = HUGE_VAL;
        bottom_[num_steep_] = -HUGE_VAL;
        a_[num_steep_] = b_[num_steep_] = 0;
      }
    });
  }

  PROVEN_LANES bool leaves_grid(const RasterGrid& grid) const {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis)
      inside = inside && low_[axis] >= 0 && high_[axis] <= grid.count[axis];
    return !inside;
  }

  // Which rows there are, and which cells of a row the box leaves.
  struct Rows {
    int x0, x1, y0, z0, num_y, num_z;
  };
  PROVEN_LANES Rows rows(const RasterGrid& grid) const {
    int first[3], last[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double n = grid.count[axis];
      first[axis] = static_cast<int>(between(low_[axis], 0.0, n));
      // Of what ends below the grid nothing is left.
      last[axis] = high_[axis] < 0 ? -1 : static_cast<int>(between(high_[axis], 0.0, n - 1));
    }
    const int num_y = last[1] - first[1] + 1, num_z = last[2] - first[2] + 1;
    return {first[0], last[0], first[1], first[2], num_y > 0 ? num_y : 0, num_z > 0 ? num_z : 0};
  }

  // The cells of a row that are left, by their indices; false if none is.
  PROVEN_LANES bool run_of(const RasterGrid& grid, const Rows& rows, int y, int z, int& first,
                           int& last) const {
    if (flat_reject(y, z)) return false;
    double low = rows.x0, high = rows.x1;
    narrow(y, z, low, high);
    if (!(high >= 0 && low < rows.x1 + 1.0)) return false;
    first = static_cast<int>(low);
    last = static_cast<int>(high);
    if (first > last) return false;
    const int row = (z * grid.count[1] + y) * grid.count[0];
    first += row;
    last += row;
    return true;
  }

  // visit(first, last) for each row of which something is left.
  template <class Visit>
  PROVEN_LANES void each_run(const RasterGrid& grid, const Visit& visit) const {
    const Rows r = rows(grid);
    lanes::each_place(r.num_y, r.num_z, [&](int y, int z) {
      int first, last;
      if (run_of(grid, r, r.y0 + y, r.z0 + z, first, last)) visit(first, last);
    });
  }

 private:
  // Below this share of the largest component, x counts as flat (see above on divisors).
  static constexpr double kFlat = 0x1p-10;
  static constexpr int kGroup = 4;

  static PROVEN_LANES double between(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
  }

  // The interval of x that all slabs leave, in cells.
  PROVEN_LANES void narrow(double y, double z, double& low, double& high) const {
    double lows[kGroup], highs[kGroup];
    for (int i = 0; i < kGroup; ++i) {
      lows[i] = low;
      highs[i] = high;
    }
    for (int k = 0; k < num_steep_; k += kGroup)
      for (int i = 0; i < kGroup; ++i) {
        const double s = a_[k + i] * y + b_[k + i] * z;
        const double upper = top_[k + i] - s, lower = bottom_[k + i] - s;
        highs[i] = upper < highs[i] ? upper : highs[i];
        lows[i] = lower > lows[i] ? lower : lows[i];
      }
    for (int i = 0; i < kGroup; ++i) {
      low = lanes::larger(low, lows[i]);
      high = lanes::smaller(high, highs[i]);
    }
  }

  PROVEN_LANES bool flat_reject(double y, double z) const {
    for (int k = 0; k < num_flat_; ++k) {
      const double s = flat_a_[k] * y + flat_b_[k] * z;
      if (s > flat_top_[k] || s < flat_bottom_[k]) return true;
    }
    return false;
  }

  double low_[3], high_[3];  // box, in cells from the origin
  // Steep: x <= top - a y - b z and x >= bottom - a y - b z, in cells.
  double top_[kMaxSlabs], bottom_[kMaxSlabs], a_[kMaxSlabs], b_[kMaxSlabs];
  // Flat, where x hardly counts: bottom <= a y + b z <= top.
  double flat_top_[kMaxSlabs], flat_bottom_[kMaxSlabs], flat_a_[kMaxSlabs], flat_b_[kMaxSlabs];
  int num_steep_, num_flat_;
};

// Marks what is left: mask.set(cell) by one lane, mask.set_run(first, last) by any.
template <class Mask>
PROVEN_LANES void mark_raster(const RasterGrid& grid, const Raster& raster, Mask& mask) {
  if (raster.leaves_grid(grid)) lanes::once([&] { mask.set(grid.outside()); });
  raster.each_run(grid, [&](int first, int last) { mask.set_run(first, last); });
}

}  // namespace proven::roadmap
