// The turn of a ball joint on a curved piece, R(s) = R_0 exp(φ(s)) (docs/algorithms/motions.md).
#pragma once

#include "proven/base/vec3.h"
#include "proven/kinematics/bernstein.h"
#include "proven/kinematics/interpolation.h"

namespace proven {

// φ, by the joint's first coordinate.
Bernstein<Vec3> piece_turn(const MotionPiece& piece, int first);

// J(φ) φ': the angular velocity of exp(φ).
Vec3 turning_rate(const Vec3& turn, const Vec3& rate);
// Its derivative, with φ'' = acceleration.
Vec3 turning_acceleration(const Vec3& turn, const Vec3& rate, const Vec3& acceleration);

// The product of a unit quaternion and exp(φ), normalised.
Quaternion turned(const Quaternion& start, const Vec3& turn);

}  // namespace proven
