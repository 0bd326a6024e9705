// How the coordinates of a piece move on a part of it: what bounds on motion need. Enclosures are
// control points of the part (docs/algorithms/motions.md). No allocation.
#pragma once

#include "proven/base/interval.h"
#include "proven/base/vec3.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

// One scalar coordinate on [begin, end], seen at t within. Derivatives are by s. A coordinate whose
// control points are all equal has zeros throughout.
struct CoordinateRates {
  double rate = 0;          // at t, to within rate_error
  double rate_error = 0;    // by rounding
  double rate_upper = 0;    // of |rate|, on the whole part
  double curvature = 0;     // the second derivative at t, as computed
  double change_upper = 0;  // of |second derivative - curvature|, on the whole part
};
CoordinateRates coordinate_rates(const MotionPiece& piece, int coordinate, double t, double begin,
                                 double end);

// A ball joint, by its first coordinate.
struct BallRates {
  Vec3 angular;             // angular velocity at t in the joint's frame, to within rate_error
  double rate_error = 0;    // by rounding
  double rate_upper = 0;    // of |angular velocity|, on the whole part
  double change_upper = 0;  // of |angular acceleration|, on the whole part
};
BallRates ball_rates(const MotionPiece& piece, int first, double t, double begin, double end);

// Least and greatest control point: the coordinate stays between.
Interval control_range(const MotionPiece& piece, int coordinate);

}  // namespace proven
