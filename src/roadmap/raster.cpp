#include "roadmap/raster.h"

namespace proven::roadmap {

namespace {
// Below this share of the largest component, x counts as flat (see raster.h on divisors).
constexpr double kFlat = 0x1p-10;
}  // namespace

void Raster::set_box(const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    low_[axis] = (box.lo[axis] - grid_.origin[axis]) / grid_.cell[axis];
    high_[axis] = (box.hi[axis] - grid_.origin[axis]) / grid_.cell[axis];
  }
}

void Raster::add_slab(const Vec3& n, double low, double high) {
  // n·x in cells: m·x' + n·origin.
  Vec3 m{n.x * grid_.cell.x, n.y * grid_.cell.y, n.z * grid_.cell.z};
  const double shift = dot(n, grid_.origin);
  low -= shift;
  high -= shift;
  if (m.x < 0) {
    m = -m;
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  // Over the row's unit square m.y y + m.z z spans from its value at the corner by these.
  const double reach_up = std::max(m.y, 0.0) + std::max(m.z, 0.0);
  const double reach_down = std::min(m.y, 0.0) + std::min(m.z, 0.0);
  if (m.x < kFlat * max_abs(m)) {
    if (num_flat_ == kMaxSlabs) return;
    const auto k = static_cast<std::size_t>(num_flat_++);
    // What x can add within the box, so that the test holds for the whole row.
    flat_top_[k] = high - reach_down - m.x * low_.x;
    flat_bottom_[k] = low - reach_up - m.x * high_.x;
    flat_a_[k] = m.y;
    flat_b_[k] = m.z;
    return;
  }
  if (num_steep_ == kMaxSlabs) return;
  const auto k = static_cast<std::size_t>(num_steep_++);
  const double inverse = 1 / m.x;
  top_[k] = (high - reach_down) * inverse;
  // A cell [i, i + 1] is beyond the low side when i + 1 is: the floor of `bottom` is kept.
  bottom_[k] = (low - reach_up) * inverse;
  a_[k] = m.y * inverse;
  b_[k] = m.z * inverse;
}

bool Raster::leaves_grid() const {
  for (int axis = 0; axis < 3; ++axis)
    if (!(low_[axis] >= 0 && high_[axis] <= grid_.count[static_cast<std::size_t>(axis)]))
      return true;
  return false;
}

// Fills up to whole lanes with slabs that leave everything.
void Raster::close() {
  for (; num_steep_ % kLanes != 0; ++num_steep_) {
    const auto k = static_cast<std::size_t>(num_steep_);
    top_[k] = kFar;
    bottom_[k] = -kFar;
    a_[k] = b_[k] = 0;
  }
}

void Raster::narrow(double y, double z, double& low, double& high) const {
  double lows[kLanes], highs[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    lows[lane] = low;
    highs[lane] = high;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(num_steep_); k += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double s = a_[k + lane] * y + b_[k + lane] * z;
      const double upper = top_[k + lane] - s, lower = bottom_[k + lane] - s;
      highs[lane] = upper < highs[lane] ? upper : highs[lane];
      lows[lane] = lower > lows[lane] ? lower : lows[lane];
    }
  for (int lane = 0; lane < kLanes; ++lane) {
    low = std::max(low, lows[lane]);
    high = std::min(high, highs[lane]);
  }
}

bool Raster::flat_reject(double y, double z) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(num_flat_); ++k) {
    const double s = flat_a_[k] * y + flat_b_[k] * z;
    if (s > flat_top_[k] || s < flat_bottom_[k]) return true;
  }
  return false;
}

}  // namespace proven::roadmap
