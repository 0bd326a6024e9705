// Time-indexed motion of an object in the plane: samples, and what is promised between them.
#pragma once

#include <vector>

#include "proven/base/result.h"
#include "proven/base/words.h"

namespace proven::spacetime {

// Headings are literal: from 3.1 to -3.1 is a turn of 6.2 rad (readers shorten it on request), so
// that an object may spin.
enum class Interpolation {
  linear,  // position and heading change at constant rates
  arc,     // the object turns about one fixed point (constant twist); turns up to pi per step
  // Position and heading are known at the samples only; between them their second derivatives are
  // bounded, so they stay near the linear motion: within a/2 (t - t0)(t1 - t).
  bounded_acceleration,
};
using proven::to_string;

// Metres, radians, seconds; frame W. One entry per sample in every array.
struct Trajectory {
  std::vector<double> t, x, y, heading;
  Interpolation between = Interpolation::linear;
  double max_acceleration = 0, max_angular_acceleration = 0;  // bounded_acceleration only
  // The true position and heading at a sample are within these; empty: exact. Between samples the
  // bound goes over linearly.
  std::vector<double> position_deviation, heading_deviation;

  int size() const { return static_cast<int>(x.size()); }
  int num_segments() const { return size() - 1; }
};

inline constexpr double kLargestHeading = 1e5;
inline constexpr double kLargestTime = 1e9;

// At least two samples, finite values, strictly increasing times, turns that the interpolation
// allows.
Result<void> validate(const Trajectory& trajectory);

struct Pose2 {
  double x = 0, y = 0, heading = 0;
};
// The nominal pose at a time within the samples.
Pose2 pose_at(const Trajectory& trajectory, double t);

// Adds multiples of 2 pi so that every turn between samples is at most pi.
void take_shortest_turns(std::vector<double>& heading);

}  // namespace proven::spacetime
