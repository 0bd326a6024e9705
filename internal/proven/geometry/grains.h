// What a sensor saw, as many small pieces of one kind that lie flat in memory: balls of one radius,
// or boxes with the same axes (docs/algorithms/sensed.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "proven/geometry/box_tree.h"
#include "proven/geometry/convex.h"
#include "proven/geometry/shapes.h"

namespace proven {

// Cells of a grid: from `first` to before `end` along each axis.
struct CellBox {
  std::array<std::int32_t, 3> first, end;

  friend bool operator==(const CellBox&, const CellBox&) = default;
};

// The cells as boxes that do not overlap, ordered by the last, the middle and the first index of
// their first cell. A rule of the certificate format (section 12): neighbours along the first axis
// form runs, equal runs that are neighbours along the second form plates, equal plates that are
// neighbours along the third form boxes.
std::vector<CellBox> merge_cells(std::span<const std::array<std::int32_t, 3>> cells);

class Grains {
 public:
  Grains() = default;
  // Of an element with a cloud or a voxel set that is good and outlives the grains; `tree` becomes
  // that of the format (section 12), in time linear in their number.
  Grains(const CollisionElement& element, BoxTree& tree);

  std::size_t size() const { return centres().size(); }
  bool empty() const { return size() == 0; }
  bool are_balls() const { return halves_.empty(); }
  double radius() const { return radius_; }  // of balls; else 0
  std::span<const Vec3> centres() const {    // in B
    return placed_.empty() ? given_ : std::span<const Vec3>(placed_);
  }
  // Of boxes: half extents along the columns of R().
  std::span<const Vec3> halves() const { return halves_; }
  const Mat3& R() const { return R_; }

  // One of them as a piece of its own.
  Convex convex(int grain) const;
  // max over the grain of n·x, for any n in B.
  double support(int grain, const Vec3& n) const;
  // At least the largest |coordinate| met when they were placed.
  double max_coordinate() const { return max_coordinate_; }

 private:
  void place_cloud(const PointCloud& cloud, const Pose& X_BS);
  std::vector<CellBox> place_voxels(const VoxelSet& voxels, const Pose& X_BS);

  std::span<const Vec3> given_;  // centres of a cloud that needs no placing
  std::vector<Vec3> placed_;
  std::vector<Vec3> halves_;
  Mat3 R_;
  double radius_ = 0, max_coordinate_ = 0;
};

}  // namespace proven
