// The motion of one segment: straight in joint space, or a curve.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model_data.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

// What it refers to belongs to the caller.
struct SegmentMotion : MotionPiece {
  int id = 0;                     // unique among the segments that are searched together
  double time = 0, duration = 0;  // by the clock, at t = 0 and from there to t = 1; seconds

  // The configuration at t.
  void configuration(const KinematicTree& tree, double t, std::span<double> q) const;
};

// Bounds on |rate| of each link's joint over a part of the segment, indexed by link.
void segment_displacements(const KinematicTree& tree, const MotionPiece& piece, double t_begin,
                           double t_end, std::vector<double>& displacement);

// Upper bounds on λ of a pair over parts of a segment. For straight segments one rate per pair
// holds on the whole segment; for curves the rate is taken anew on each part.
class CurveLengths {
 public:
  CurveLengths(const ModelData& model, const SegmentMotion& motion);

  // Bound on λ_a + λ_b of the pair on [t_begin, t_end], rounded up.
  double upper(int pair, double t_begin, double t_end) const;
  // Whether the pair's bodies may move relative to each other at all; NaN is no proof of rest.
  bool moves(int pair) const { return !(rate_[static_cast<std::size_t>(pair)] == 0); }
  // Bound on dλ/dt over the whole segment.
  double rate(int pair) const { return rate_[static_cast<std::size_t>(pair)]; }

 private:
  const ModelData& model_;
  const SegmentMotion& motion_;
  std::vector<double> rate_;  // per pair, over the whole segment
};

}  // namespace proven
