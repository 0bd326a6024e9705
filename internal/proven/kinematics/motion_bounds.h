// How far a body can move: factors R and upper bounds on curve lengths.
//
// λ_i(qa, qb) = Σ_k R_ik |Δ_k| over the joints k between an ancestor link and body i (paper 001,
// lemma 2). R_ik is 1 for prismatic joints; for revolute and ball joints it is the radius of a
// sphere centred on the joint's axis (ball: its centre) that holds the body for all values of the
// joints between (COMPUTE-SPHERE). For the body's own joint it is the largest distance of the body
// itself to the axis. Rounded up.
//
// Deviations from the paper, both tighter: fixed joints are carried along rather than merged into
// links, so "own joint" is the first joint above the body that moves; and the sphere above the own
// joint may come from the cylinder around the axis that holds the body.
//
// Two bodies: in the frame of the lowest common ancestor A of their links, the bodies move by at
// most λ_i + λ_j against each other, each λ taken relative to A. For two links of one chain A is
// the upper of the two, and its λ is 0.
//
// The range of a prismatic joint is that of its limits AND of the path: a path beyond the limits
// would otherwise make R too small.
#pragma once

#include <span>
#include <vector>

#include "proven/base/interval.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/kinematic_tree.h"
#include "proven/kinematics/rounding.h"

namespace proven {

// Ranges of the coordinates to cover: the limits, widened by the given configurations (the
// waypoints of a path). A side without a limit takes what the waypoints (and the other side) need:
// an unlimited coordinate has the range of the waypoints alone, or [0, 0] if there are none. Each
// waypoint has tree.num_coordinates() values.
std::vector<Interval> coordinate_ranges(const KinematicTree& tree,
                                        std::span<const std::vector<double>> waypoints);

// One term of λ: joint of `link` (an ancestor of the body's link, or that link itself).
struct MotionFactor {
  int link;       // the link whose joint moves
  double radius;  // R_ik >= 0, rounded up
};

// The factors of one body, from its own link up to the root; joints that cannot move are left out.
struct MotionFactors {
  std::vector<MotionFactor> factors;
  BoundingSphere swept_sphere;  // in the world: holds the body at every configuration in the ranges
  // On computed positions of the body's points, and on computed axes above it, in the world
  // (rounding.h).
  double rounding_bound = 0, direction_bound = 0;
};

// The body hangs on `link` at X_LB.
MotionFactors compute_motion_factors(const KinematicTree& tree, int link, const Pose& X_LB,
                                     const BodyGeometry& geometry,
                                     std::span<const Interval> ranges);
// The same for anything that a sphere in the body's frame holds, such as a part of the body.
MotionFactors compute_motion_factors(const KinematicTree& tree, int link, const Pose& X_LB,
                                     const BoundingSphere& sphere,
                                     std::span<const Interval> ranges);

// Of computed positions of the body's points in the world: what MotionFactors::rounding_bound says,
// without looking at the geometry.
ChainRounding position_rounding(const KinematicTree& tree, int link, const Pose& X_LB,
                                const BodyGeometry& geometry, std::span<const Interval> ranges);

// |Δ| of each link's joint between two configurations: |multiplier (qb - qa)|; for a ball joint the
// angle of the slerp. Indexed by link; 0 for the world and fixed joints. Rounded up; 0 where qa =
// qb.
void joint_displacements(const KinematicTree& tree, std::span<const double> qa,
                         std::span<const double> qb, std::vector<double>& displacement);
// The same of one joint.
double joint_displacement(const Joint& joint, std::span<const double> qa,
                          std::span<const double> qb);

// λ of the body relative to `ancestor` (a link above it; 0 for the world): an upper bound on the
// length of the curve that any of its points traces in the ancestor's frame.
double curve_length_upper(const MotionFactors& factors, std::span<const double> displacement,
                          int ancestor, const KinematicTree& tree);

}  // namespace proven
