// How fast the joints move on a segment: what the directional rule needs besides poses.
#pragma once

#include <vector>

#include "motion.h"

namespace proven {

// Of the joint of one link, per unit of t.
struct JointRate {
  double value = 0;         // signed, at the anchor
  double upper = 0;         // |rate| on the whole part is at most this, rounded up
  double curvature = 0;     // the rate's own derivative, at the anchor; 0 for ball joints
  double change_upper = 0;  // of |derivative - curvature| on the whole part
  double error = 0;         // of `value`, where rounding is not relative to `upper`
  Vec3 axis;                // unit, in the joint's frame; a ball joint turns about it by slerp
  bool swivels = false;     // a ball joint on a curve: its axis changes

  bool moves() const { return !(upper == 0); }
};

// Of every link's joint at t, with bounds over [t_begin, t_end]. On a straight segment all of it is
// the same for every t.
void joint_rates(const KinematicTree& tree, const SegmentMotion& motion, double t, double t_begin,
                 double t_end, std::vector<JointRate>& rates);

}  // namespace proven
