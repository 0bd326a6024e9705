// What must hold at every time of a motion, by bounds that are derived in
// docs/algorithms/held.md: two frames that stay together, an axis that stays upright.
//
// `yes` is a proof for every time and every piece; what is not proved is refused.
#pragma once

#include "proven/certify/constraints.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/scene/motion.h"

namespace proven::manipulation {

// A frame fixed on a link.
struct LinkFrame {
  int link = 0;
  Pose X_LF = {};
};

// How far apart two frames may be: metres of their origins, radians of their turns.
struct HoldTolerance {
  double position = 5e-4, angle = 5e-3;
};

// Whether the frames are together at every time of the motion.
bool stay_together(const KinematicTree& tree, const LinkFrame& a, const LinkFrame& b,
                   const Motion& motion, const HoldTolerance& tolerance = {});

// The z axis of the frame within `cone` radians of the world's z.
FrameConstraint upright_within(const LinkFrame& frame, double cone);
// Whether the z axis of the frame is within `cone` radians of the world's z at every time.
bool stays_upright(const KinematicTree& tree, const LinkFrame& frame, double cone,
                   const Motion& motion);

}  // namespace proven::manipulation
