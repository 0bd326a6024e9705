// One step of an object's motion, and its pose at any time within it.
#pragma once

#include <cmath>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

// A pose with the cosine and sine of its heading.
struct Placed {
  double x = 0, y = 0, c = 1, s = 0;
};

struct Segment {
  double t0 = 0, t1 = 0;  // infinite for an object that never moves
  Placed start, end;
  double heading = 0, turn = 0;  // at t0, and to t1
  bool fixed = false, arc = false;
  // The true motion is within w(s) = (1 - s) deviation0 + s deviation1 + bulge s (1 - s) of the
  // nominal one, s from 0 to 1: every point of the object.
  double deviation0 = 0, deviation1 = 0, bulge = 0;
};

// A trajectory by its arrays, wherever they are kept.
struct MotionView {
  int size = 0;
  const double *t = nullptr, *x = nullptr, *y = nullptr, *heading = nullptr;
  Interpolation between = Interpolation::linear;
  double max_acceleration = 0, max_angular_acceleration = 0;
  const double *position_deviation = nullptr, *heading_deviation = nullptr;  // null: exact

  bool is_exact() const {
    return between != Interpolation::bounded_acceleration && !position_deviation &&
           !heading_deviation;
  }
};
MotionView view(const Trajectory& motion);

// Demands as many of every array as there are samples, and at least two.
Result<void> validate_lengths(const Trajectory& motion);
// Whether it needs no closer look: it is exact, every value is within its limit, times increase.
bool is_plainly_valid(const MotionView& motion);

// `core_reach` turns deviations of the heading into metres (|R(a) - R(b)| <= |a - b|).
Segment make_segment(const MotionView& motion, int index, double core_reach);
// The same with the cosines and sines of the samples at hand.
Segment make_segment(const MotionView& motion, const double* cosines, const double* sines,
                     int index, double core_reach);
Segment fixed_segment(double t0, double t1, const Placed& pose);

Pose2 nominal_pose(const Segment& segment, double t);
Placed place(const Segment& segment, double t);

// Upper bound on the deviation of any point from its nominal motion within [a, b].
double deviation_upper(const Segment& segment, double a, double b);

// Upper bound on how far a core point leaves its chord within [a, b], compared at equal times:
// |x(t) - ((b - t) x(a) + (t - a) x(b)) / (b - a)|. See docs/algorithms/spacetime.md, lemma 1.
double sagitta_upper(const Segment& segment, double reach, double a, const Placed& at_a, double b,
                     const Placed& at_b);

// The largest magnitude of n values.
double largest(const double* values, int n);

// Upper bound on the error of a computed projection of any point of the object: positions,
// rotation, sum and projection cost fewer than 40 roundings of the largest coordinate, the heading
// 12 roundings of itself times the reach (lemma 3); 128 leaves room for the comparisons.
inline double rounding_bound(double largest_coordinate, double largest_heading, double reach) {
  return 0x1p-46 * (largest_coordinate + reach * (1 + largest_heading));
}

}  // namespace proven::spacetime
