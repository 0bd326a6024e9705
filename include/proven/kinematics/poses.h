// Poses, joint axes and twists of all links at a configuration.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/kinematics/kinematic_tree.h"

namespace proven {

// X_WL of every link. Owned by a caller's workspace and reused.
struct LinkPoses {
  std::vector<Pose> X_WL;
  std::vector<double> configuration;  // the one that X_WL belongs to; empty before the first call
  std::vector<std::uint8_t> moved;    // per link: whether the last call recomputed it
};

// The pose in its parent of a link with this joint.
Pose pose_in_parent(const Joint& joint, std::span<const double> q);

// Computes all poses. q has tree.num_coordinates() finite values; quaternions need not be exactly
// unit, but not zero.
void compute_poses(const KinematicTree& tree, std::span<const double> q, LinkPoses& poses);

// The same, but recomputes only the links below coordinates that differ from
// poses.configuration. Bit for bit equal to compute_poses. Returns the number recomputed. The poses
// must be of the same tree.
int update_poses(const KinematicTree& tree, std::span<const double> q, LinkPoses& poses);

// The axis of a link's joint in the world: a point on it and its unit direction. A ball joint has a
// centre only: its direction is zero, as is that of a fixed joint.
struct JointAxis {
  Vec3 point, direction;
};
JointAxis joint_axis(const KinematicTree& tree, const LinkPoses& poses, int link);

// Twist of a frame in the world: velocity of a point x is angular × x + linear (at the origin).
struct Twist {
  Vec3 angular, linear;
};
// Twists of all links for a constant rate dq per coordinate; for ball joints dq holds the angular
// velocity, in the joint frame (which the parent carries), in its first three places.
void compute_twists(const KinematicTree& tree, const LinkPoses& poses, std::span<const double> dq,
                    std::vector<Twist>& twists);

}  // namespace proven
