// How far computed positions may be from exact ones: the one place of these constants.
//
// u = 2^-53. Exact means: real arithmetic on the doubles of the files (origins, axes, mimic
// factors, configurations). Consider the chain of n joints (fixed ones included) from a frame down
// to a point of a body. Let L be the sum of the lengths of all joint origins, of the largest
// prismatic values and of the point's own offset: it bounds every position and every intermediate
// value.
//
// Error of the rotation of one joint, in the Frobenius norm (sines and cosines err by at most u):
//   64 u  the origin's rotation: three Rodrigues matrices (10 u each) and two products (9 u each)
//         make 48 u from roll, pitch, yaw; is_rigid() admits at most 64 u
//   46 u  the joint's Rodrigues matrix: 28 u from v a aᵀ with v <= 2 and a normalised to 4.5 u,
//         10 u from s [a]×, 8 u from c I and the sums
//   18 u  two matrix products, 3 u per element, elements at most 1
//  280 A u  for a revolute joint with |multiplier| max|q| + |offset| <= A: 15 u for evaluating a
//         polynomial of degree 5 (a straight line takes 2 u), 2 u for the mimic relation, 256 u for
//         control points that were converted (docs/certificate_format.md, section 8)
//   (ball joints: 40 u from the slerp become 113 u in the matrix, 20 u from the conversion; on a
//   curve 32 u and 15 * 8 u from the rotation vector and 256 u as above: 280 A with A = 2)
// Each acts on a lever of at most L. Positions add 4 u L per joint for R p + p and 14 u L once; the
// value of a sliding joint errs by 280 u of itself, which is a part of L. Together less than
// u L Σ (160 + 280 A_k), whose part beyond 132 + 280 A also covers second-order terms; A = 1 stands
// for a slide.
//
// Up to Σ (160 + 280 A_k) = 2^14, e.g. 16 joints that turn by up to π, this is 2^-39 L, and that
// value is used for all such chains; longer chains or wider turns take the sum.
#pragma once

#include <algorithm>
#include <cmath>

#include "proven/base/vec3.h"

namespace proven {

// Largest |RᵀR - I| per element of a rotation that is accepted as one: twice 64 u.
inline constexpr double kRotationDeviation = 0x1p-46;
// Whether the pose is finite and its matrix such a rotation.
bool is_rigid(const Pose& X);
// Relative slack of every radius: more than the operations of COMPUTE-SPHERE, whose roots, sums and
// products err by less than 16 u per joint relative to L (the rest is in the rounding bound).
inline constexpr double kRadiusSlack = 0x1p-45;

// Accumulates L and the weight along a chain.
class ChainRounding {
 public:
  // A point at most `length` from the origin of the last frame.
  explicit ChainRounding(double length) : length_(length) {}

  void add_joint(double origin_length, double slide_extent, double turn_extent) {
    length_ += origin_length + slide_extent;
    weight_ += kWeightPerJoint + kWeightPerRadian * (slide_extent > 0 ? 1 : turn_extent);
  }

  // Bounds |computed - exact| of the point's position in the first frame of the chain.
  double bound() const { return length_ * direction_bound(); }
  double length() const { return length_; }
  // The same of unit vectors that the chain carries: errors of rotations on a lever of 1.
  double direction_bound() const { return std::fmax(0x1p-39, 0x1p-53 * weight_); }

  // What stands for A in a ball joint.
  static constexpr double kBallTurn = 2;

 private:
  static constexpr double kWeightPerJoint = 160, kWeightPerRadian = 280;
  double length_;
  double weight_ = kWeightPerJoint;  // of the shape's own pose in its body
};

// A radius that was computed for points of a chain, rounded up.
inline double radius_upper(double radius, const ChainRounding& rounding) {
  return radius * (1 + kRadiusSlack) + rounding.bound();
}

}  // namespace proven
