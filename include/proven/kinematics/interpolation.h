// The motion between two configurations, straight or a polynomial, and what a configuration must
// satisfy.
//
// On a straight piece scalar coordinates move on the straight line of their values: no wrapping,
// not even for continuous joints. A ball joint moves by slerp between its quaternions, that is by a
// turn about one fixed axis. Since q and -q are the same rotation, the slerp takes the short way
// round, of at most π; between rotations exactly π apart it goes the way of the quaternions as
// given.
#pragma once

#include <span>

#include "proven/base/random.h"
#include "proven/base/result.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/motion_piece.h"

namespace proven {

// Writes the configuration at t in [0, 1] between qa and qb. t = 0 and t = 1 give qa and qb
// exactly, and coordinates that are equal in both keep their value exactly.
void interpolate(const KinematicTree& tree, std::span<const double> qa, std::span<const double> qb,
                 double t, std::span<double> out);

// The same on a piece of any degree.
void interpolate(const KinematicTree& tree, const MotionPiece& piece, double s,
                 std::span<double> out);

// The first and second derivatives by s of every coordinate; of a ball joint its angular velocity
// and angular acceleration in the joint's frame, in the first three places.
void differentiate(const KinematicTree& tree, const MotionPiece& piece, double s,
                   std::span<double> rate, std::span<double> acceleration);

// The quaternion at t; inputs need not be normalised, the result is (except at t = 0 and 1).
Quaternion slerp(const Quaternion& a, const Quaternion& b, double t);

// Whether the slerp from a to b goes the way of the quaternions as given rather than from a to -b:
// their inner product is not negative. Exact.
bool turns_as_given(const Quaternion& a, const Quaternion& b);

// The angle of the rotation from a to b, in [0, π].
double rotation_angle(const Quaternion& a, const Quaternion& b);

// The four coordinates of a ball joint, from its first.
Quaternion read_quaternion(std::span<const double> q, int first);

// An Error, naming the coordinate, unless q has as many values as the tree, all finite, and unit
// quaternions (|q| within 1e-6 of 1; they are normalised where used). Limits are not checked.
Result<void> check_configuration(const KinematicTree& tree, std::span<const double> q);

// The same of a control point between the ends of a piece: the fourth place of a ball joint is 0.
Result<void> check_control_point(const KinematicTree& tree, std::span<const double> q);

// Uniform within the limits. Sides without a limit take -π and π for angles, -`reach` and `reach`
// for lengths; ball joints are uniform over all rotations.
std::vector<double> random_configuration(const KinematicTree& tree, Random& random,
                                         double reach = 1.0);

}  // namespace proven
