// Frames of joints at thirty-two moments of a straight segment, and how far points bend away from
// the chords between them. Arithmetic and bounds are those of sweeps (docs/algorithms/sweep.md).
#pragma once

#include "batch_tables.h"
#include "margins.h"

namespace proven::batch {

// Angles beyond this are not reduced exactly.
inline constexpr double kLargestValue = 0x1p19;

struct Segment {
  const double* from;
  const double* to;
  int index;
};

struct Frame {
  Doubles R[9], p[3];
};

PROVEN_LANES double whole_number(double x) {
  constexpr double kToWhole = 0x1.8p52;
  return (x + kToWhole) - kToWhole;
}

// Each within 4 u, u = 2^-53: reducing the angle errs by less than u, the series and their sums by
// less than 3 u.
PROVEN_LANES void sine_cosine(double angle, double& sine, double& cosine) {
  constexpr double kQuarter0 = 0x1.921fb544p+0, kQuarter1 = 0x1.0b4611a6p-34,
                   kQuarter2 = 0x1.3198a2e037073p-69, kPerQuarter = 0x1.45f306dc9c883p-1;
  const double n = whole_number(angle * kPerQuarter);
  const double r = ((angle - n * kQuarter0) - n * kQuarter1) - n * kQuarter2, z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  const double s = r + r * (z * p);
  double q = -1.0 / 6402373705728000.0;
  q = q * z + 1.0 / 20922789888000.0;
  q = q * z - 1.0 / 87178291200.0;
  q = q * z + 1.0 / 479001600.0;
  q = q * z - 1.0 / 3628800.0;
  q = q * z + 1.0 / 40320.0;
  q = q * z - 1.0 / 720.0;
  q = q * z + 1.0 / 24.0;
  const double c = 1 - z * (0.5 - z * q);
  const double quarter = n - 4 * whole_number(0.25 * n);
  const bool swapped = quarter * quarter == 1, opposite = quarter * quarter == 4;
  const double first = swapped ? c : s, second = swapped ? s : c;
  sine = opposite || quarter == -1 ? -first : first;
  cosine = opposite || quarter == 1 ? -second : second;
}

#ifndef __CUDACC__
PROVEN_LANES void sine_cosine(const Doubles& angles, Doubles& sines, Doubles& cosines) {
  for (int k = 0; k < kLanes; ++k) sine_cosine(angles.v[k], sines.v[k], cosines.v[k]);
}
#endif

// The value of a joint at the moment t.
PROVEN_LANES double joint_value(const Joint& joint, const Segment& segment, double t) {
  const double from = segment.from[joint.coordinate];
  const double by = segment.to[joint.coordinate] - from;
  return joint.multiplier * (from + t * by) + joint.offset;
}

// The frame of the joint, from the one above in place; `t` is each lane's moment.
PROVEN_LANES void go_down(const Joint& joint, const Segment& segment, const Doubles& t, bool world,
                          Frame& f) {
  const double* m = joint.X_PJ;
  const double* o = m + 9;
  const Doubles value = per_lane([&](int k) { return joint_value(joint, segment, own(t, k)); });
  Doubles s = value, c = value;
  if (joint.slides == 0) sine_cosine(value, s, c);
  for (int i = 0; i < 3; ++i) {
    Doubles x, y, z;
    if (world) {
      x = per_lane([&](int) { return m[3 * i]; });
      y = per_lane([&](int) { return m[3 * i + 1]; });
      z = per_lane([&](int) { return m[3 * i + 2]; });
      f.p[i] = per_lane([&](int) { return o[i]; });
    } else {
      const Doubles a = f.R[3 * i], b = f.R[3 * i + 1], g = f.R[3 * i + 2];
      x = a * m[0] + b * m[3] + g * m[6];
      y = a * m[1] + b * m[4] + g * m[7];
      z = a * m[2] + b * m[5] + g * m[8];
      f.p[i] = (a * o[0] + b * o[1] + g * o[2]) + f.p[i];
    }
    if (joint.slides != 0) {
      f.R[3 * i] = x;
      f.R[3 * i + 1] = y;
      f.p[i] = f.p[i] + z * value;
    } else {
      f.R[3 * i] = c * x + s * y;
      f.R[3 * i + 1] = c * y - s * x;
    }
    f.R[3 * i + 2] = z;
  }
}

// The frame that carries a body: its levers are the joints from the world down.
PROVEN_ALONE void place_body(const Tables& tables, const Body& body, const Segment& segment,
                             const Doubles& t, Frame& f) {
  for (int l = 0; l < body.num_levers; ++l)
    go_down(tables.joints[tables.levers[body.first_lever + l].joint], segment, t, l == 0, f);
}

// The largest rate of a joint, on the whole segment.
PROVEN_LANES double joint_speed(const Joint& joint, const Segment& segment) {
  return fabs(joint.multiplier * (segment.to[joint.coordinate] - segment.from[joint.coordinate])) *
         kProductUp;
}

// A bound on the second derivative of the body's points, or of its balls' centres, seen from what
// the joints before `first` carry: Σ_k R_k D_k (2 Ω_{k-1} + [k turns] D_k).
PROVEN_LANES double bending(const Tables& tables, const Body& body, const Segment& segment,
                            int first, double Lever::*radius) {
  double sum = 0, turning = 0;
  for (int l = first; l < body.num_levers; ++l) {
    const Lever& lever = tables.levers[body.first_lever + l];
    const double speed = joint_speed(tables.joints[lever.joint], segment);
    sum += lever.*radius * (speed * (2 * turning + (lever.turns != 0 ? speed : 0)));
    if (lever.turns != 0) turning += speed;
  }
  return sum * kSumUp;
}

// How far chords that take so much of the segment's time can be from the points.
PROVEN_LANES double bend(double second_derivative, double width) {
  return second_derivative * (width * width) * (1.0 / 8) * kSumUp;
}

PROVEN_LANES float up(double x) {
  // A float that is not smaller: the nearest one is off by less than 2^-24 of itself.
  const float nearest = static_cast<float>(x);
  return nearest + nearest * 0x1p-22f;
}

// Whether the body moves at all, beyond what the joints before `first` carry.
PROVEN_LANES bool moves(const Tables& tables, const Body& body, const Segment& segment, int first) {
  for (int l = first; l < body.num_levers; ++l)
    if (!(joint_speed(tables.joints[tables.levers[body.first_lever + l].joint], segment) == 0))
      return true;
  return false;
}

}  // namespace proven::batch
