// When to be where: a path becomes a smooth motion that joints can run within their limits.
//
// Corners are cut by curves, and the speed along the curve is the highest that all limits allow
// (docs/algorithms/timing.md). The result is the curve that a controller runs: cubic Hermite pieces
// or, with limits of jerk, pieces whose accelerations join too.
#pragma once

#include <limits>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "proven/certify/certificate.h"
#include "proven/certify/verdict.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/limits.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

struct TimingOptions {
  // Of joints whose model gives no limit; rad/s or m/s. Joints that follow others keep their own.
  double velocity = 1;
  double acceleration = 4;  // the same; rad/s² or m/s²
  double scale = 1;         // share of all limits that is used: within (0, 1]
  double interval = 0.1;    // seconds: no piece lasts longer
  double jerk = std::numeric_limits<double>::infinity();  // of all joints; rad/s³ or m/s³
  // How far a corner may be cut, Euclidean in joint space. 0: the motion stops at every waypoint.
  double blend = 0.2;
  // The path is known to be proved by the same scene and requirements: it is not proved first.
  bool input_is_proved = false;
};

struct TimingResult {
  Motion motion;             // timed; begins and ends at rest, at the ends of the path
  double duration = 0;       // seconds
  double with_stops = 0;     // what it would be with a stop at every waypoint
  double at_full_speed = 0;  // the path's segments, each at the top speed of its slowest joint
  double deviation = 0;      // largest distance from the path, and of a waypoint from the motion
  int corners = 0;           // waypoints between the ends where the direction changes
  int stops = 0;             // of these: where the motion stands still
  int tightened = 0;         // of these: cut less than asked, since more was not free or in limits
  // Joints whose model gives no limit (or 0, as many files do): TimingOptions says theirs.
  AssumedRates assumed = {};
  CheckResult input, proof;  // with a scene: of the path, and of the motion if the path is free
  Certificate certificate;   // of the motion, if asked for
};

// The motion stops where a ball joint changes the axis of its turn, and where the path turns back
// on itself. Fails on options that make no sense and on a motion that is not a path.
Result<TimingResult> time_path(const KinematicTree& tree, const Path& path,
                               const TimingOptions& options);

// The same, and proves the motion. Where a cut corner is not proved free it is cut half as far, at
// last not at all: a free path gives a free motion.
Result<TimingResult> time_path(const Scene& scene, const Path& path, const TimingOptions& options,
                               const CheckOptions& check, const Budget& budget = {});

}  // namespace proven
