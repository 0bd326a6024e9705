// What is a moving body's pose at the samples of another, and how far is that off?
#pragma once

#include "proven/spacetime/bodies.h"

namespace proven::spacetime {

struct BodyPose {
  Vec3 position;
  Quaternion rotation;
};
// The nominal pose at t; exact where t is a sample.
BodyPose sample(const BodyTrajectory& motion, double t);

// How far a motion that is cut at another body's samples may be from the true one, in metres along
// each axis and in radians. With u = 2^-53: the share of time is off by 3u, a position by 8u of the
// largest coordinate, the four parts of a slerp by 16u, hence its angle by 32u. Between two such
// cuts the line and the turn between them are off by no more than their ends, twice for the turn.
// 256u leaves a factor of 4.
inline double sample_error(double largest_coordinate) {
  return 0x1p-45 * (1 + largest_coordinate);
}

}  // namespace proven::spacetime
