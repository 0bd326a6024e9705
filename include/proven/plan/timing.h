// When to be where on a path: joints stay within their limits of velocity and acceleration.
#pragma once

#include "proven/base/result.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/scene/motion.h"

namespace proven {

struct TimingOptions {
  double velocity = 1;      // of joints whose model gives no limit; rad/s or m/s
  double acceleration = 4;  // the same; rad/s² or m/s²
  double scale = 1;         // share of all limits that is used: within (0, 1]
  double interval = 0.02;   // seconds between the waypoints of the result
};

// The fastest motion along the path that stops at each of its waypoints, as a path cannot turn a
// corner at speed: on each segment the joint that needs longest speeds up, travels and slows down
// at its limits, the others keep step. Waypoints are added along the segments; repeated ones are
// dropped.
Result<Path> time_path(const KinematicTree& tree, const Path& path, const TimingOptions& options);

}  // namespace proven
