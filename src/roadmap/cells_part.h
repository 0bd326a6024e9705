// Which cells a part of a robot may touch over an interval of time: the one program for it, on
// threads and on a GPU, where the lanes of a warp run it together (proven/base/lanes.h).
#pragma once

#include "roadmap/cells_tables.h"

namespace proven::roadmap {

struct Reach {
  double low, high;
};

// The memory of one thread, or of one warp.
struct PartRoom {
  Raster raster;
  double points[3][kMostPoints];  // in the world, in the middle of the interval
  double steps[3][kMostPoints];   // how far they get until its end, to first order
  double drift[3];                // their sum
};

class SweptPart {
 public:
  static PROVEN_LANES V3 unit_of(int axis) {
    return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
  }

  PROVEN_LANES SweptPart(const CellTables& tables, PartRoom& room) : t_(tables), room_(room) {}

  PROVEN_LANES void place(const Passage& passage, const FlatPart& part) {
    const double* R = passage.R;
    const V3 rows[3] = {{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}};
    part_ = &part;
    for (int i = 0; i < 3; ++i) rows_[i] = rows[i];
    radius_ = part.radius + passage.widen + t_.grid.margin;
    lanes::each(part.num_points, [&](int i) {
      const V3 x =
          turned(t_.points[part.first_point + i]) + V3{passage.p[0], passage.p[1], passage.p[2]};
      const V3 step = passage.half * (cross(passage.angular, x) + passage.linear);
      put(room_.points, i, x);
      put(room_.steps, i, step);
    });
  }

  // The points x ± step, widened, along n.
  PROVEN_LANES Reach reach_along(const V3& n) const {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i < part_->num_points; ++i) {
      const double at = dot(n, get(room_.points, i)), step = std::fabs(dot(n, get(room_.steps, i)));
      low = lanes::smaller(at - step, low);
      high = lanes::larger(at + step, high);
    }
    return {low - radius_, high + radius_};
  }

  // The box and the slabs: diagonals, the normals of its faces, and the normals across its drift.
  PROVEN_LANES const Raster& fill_raster() {
    Raster& raster = room_.raster;
    raster.begin();
    lanes::each(3, [&](int axis) {
      const Reach r = reach_along(unit_of(axis));
      raster.set_box(t_.grid, axis, r.low, r.high);
      double sum = 0;
      for (int i = 0; i < part_->num_points; ++i) sum += room_.steps[axis][i];
      room_.drift[axis] = sum;
    });
    const V3 along = direction_of({room_.drift[0], room_.drift[1], room_.drift[2]});
    const int fixed = t_.grid.planar() ? 2 : 6;
    const int across = t_.grid.planar() ? 1 : part_->num_normals;
    lanes::each(fixed + part_->num_normals + across, [&](int k) {
      if (k < fixed) {
        add(diagonal(k));
      } else if (k < fixed + part_->num_normals) {
        add_unit(flattened(normal(k - fixed)));
      } else {
        const int i = k - fixed - part_->num_normals;
        add_unit(flattened(cross(along, t_.grid.planar() ? V3{0, 0, 1} : normal(i))));
      }
    });
    raster.end();
    return raster;
  }

 private:
  template <class Columns>
  static PROVEN_LANES V3 get(const Columns& columns, int i) {
    return {columns[0][i], columns[1][i], columns[2][i]};
  }
  template <class Columns>
  static PROVEN_LANES void put(Columns& columns, int i, const V3& v) {
    columns[0][i] = v.x;
    columns[1][i] = v.y;
    columns[2][i] = v.z;
  }
  // (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1), shorter than 1.
  static PROVEN_LANES V3 diagonal(int k) {
    constexpr double kHalfRoot = 0.70710678118654746;  // below the root of 1/2
    const double other = k % 2 == 0 ? kHalfRoot : -kHalfRoot;
    if (k < 2) return {kHalfRoot, other, 0};
    if (k < 4) return {kHalfRoot, 0, other};
    return {0, kHalfRoot, other};
  }
  static PROVEN_LANES double norm_of(const V3& v) { return std::sqrt(dot(v, v)); }
  // v / |v|, safe against overflow and underflow of the square; the zero vector stays zero.
  static PROVEN_LANES V3 direction_of(const V3& v) {
    const double largest =
        lanes::larger(std::fabs(v.x), lanes::larger(std::fabs(v.y), std::fabs(v.z)));
    if (!(largest > 0)) return v;
    int exponent = 0;
    std::frexp(largest, &exponent);
    const V3 scaled{std::ldexp(v.x, -exponent), std::ldexp(v.y, -exponent),
                    std::ldexp(v.z, -exponent)};
    return (1.0 / norm_of(scaled)) * scaled;
  }
  PROVEN_LANES V3 turned(const V3& v) const {
    return {dot(rows_[0], v), dot(rows_[1], v), dot(rows_[2], v)};
  }
  PROVEN_LANES V3 normal(int i) const { return turned(t_.normals[part_->first_normal + i]); }
  PROVEN_LANES V3 flattened(V3 n) const {
    if (t_.grid.planar()) n.z = 0;
    return n;
  }
  PROVEN_LANES void add(const V3& n) {
    const Reach r = reach_along(n);
    room_.raster.add_slab(t_.grid, n, r.low, r.high);
  }
  PROVEN_LANES void add_unit(const V3& direction) {
    const double length = norm_of(direction);
    if (length > 1e-3) add((1 / (length * (1 + 0x1p-50))) * direction);
  }

  const CellTables& t_;
  PartRoom& room_;
  const FlatPart* part_ = nullptr;
  V3 rows_[3];  // of the rotation
  double radius_ = 0;
};

// Marks the cells of a part.
template <class Mask>
PROVEN_LANES void mark_part(const CellTables& tables, const Passage& passage, const FlatPart& part,
                            PartRoom& room, Mask& mask) {
  SweptPart swept(tables, room);
  swept.place(passage, part);
  const Raster& raster = swept.fill_raster();
  mark_raster(tables.grid, raster, mask);
}

// A task of a GPU: `words` words of `masks` are an item's.
PROVEN_LANES void run_task(const CellTables& tables, const Passage* passages, const CellTask& task,
                           PartRoom& room, std::uint64_t* masks, std::int64_t words) {
  const Passage& passage = passages[task.passage];
  WordMask mask{masks + words * passage.item};
  mark_part(tables, passage, tables.parts[task.part], room, mask);
}

}  // namespace proven::roadmap
