// Boxes along the axes of the world that hold a body while it moves: the cheapest proof that two
// bodies stay apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model_data.h"
#include "motion.h"
#include "sweep_kernel.h"

namespace proven {

// Of one body, over all segments of a motion and the chords of each.
class SweptBoxes {
 public:
  // A chord's box is that of the body at both ends of it, widened by what the way of a point can
  // bend: an eighth of a bound on its second derivative, times the square of the time between.
  // `prepared`: of that body of the scene.
  SweptBoxes(const Scene& scene, int body, const BodyModel& prepared,
             std::span<const SegmentMotion> segments);

  // The same box at all times.
  bool still() const { return chords_.empty(); }
  const Aabb& whole() const { return whole_; }
  const Aabb& segment(int index) const {
    return still() ? whole_ : segments_[static_cast<std::size_t>(index)];
  }
  const Aabb& chord(int index, int k) const {
    return still()
               ? whole_
               : chords_[static_cast<std::size_t>(index) * kChords + static_cast<std::size_t>(k)];
  }

 private:
  Aabb whole_;
  std::vector<Aabb> segments_, chords_;
};

// Whether boxes are surely farther apart than `clearance`.
bool boxes_apart(const Aabb& a, const Aabb& b, double clearance);

// The chords of a segment, a bit each, on which two bodies may come closer than `clearance`.
std::uint32_t near_chords(const SweptBoxes& a, const SweptBoxes& b, int segment, double clearance);

}  // namespace proven
