#include "proven/kinematics/poses.h"

#include <bit>

#include "proven/kinematics/interpolation.h"

namespace proven {

namespace {

double joint_value(const Joint& joint, std::span<const double> q) {
  return joint.multiplier * q[static_cast<std::size_t>(joint.coordinate)] + joint.offset;
}

void place(const KinematicTree& tree, int link, std::span<const double> q, LinkPoses& poses) {
  const Link& l = tree.link(link);
  poses.X_WL[static_cast<std::size_t>(link)] =
      poses.X_WL[static_cast<std::size_t>(l.parent)] * pose_in_parent(l.joint, q);
}

// Bits rather than values: -0.0 and 0.0 may lead to different bits.
bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool reads_changed_coordinate(const Joint& joint, std::span<const double> before,
                              std::span<const double> after) {
  if (joint.kind == JointKind::fixed) return false;
  const std::size_t count = joint.kind == JointKind::ball ? 4 : 1;
  const auto first = static_cast<std::size_t>(joint.coordinate);
  for (std::size_t i = first; i < first + count; ++i)
    if (!same_bits(before[i], after[i])) return true;
  return false;
}

}  // namespace

Pose pose_in_parent(const Joint& joint, std::span<const double> q) {
  const Pose& X_PJ = joint.X_PJ;
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
      return {X_PJ.R * rotation(joint.axis, joint_value(joint, q)), X_PJ.p};
    case JointKind::prismatic:
      return {X_PJ.R, X_PJ * (joint_value(joint, q) * joint.axis)};
    case JointKind::ball:
      return {X_PJ.R * rotation_from_quaternion(read_quaternion(q, joint.coordinate)), X_PJ.p};
  }
  return X_PJ;
}

void compute_poses(const KinematicTree& tree, std::span<const double> q, LinkPoses& poses) {
  poses.X_WL.resize(static_cast<std::size_t>(tree.num_links()));
  poses.X_WL[0] = Pose{};
  for (int link = 1; link < tree.num_links(); ++link) place(tree, link, q, poses);
  poses.configuration.assign(q.begin(), q.end());
  poses.moved.assign(poses.X_WL.size(), 1);
  poses.moved[0] = 0;
}

int update_poses(const KinematicTree& tree, std::span<const double> q, LinkPoses& poses) {
  if (poses.X_WL.size() != static_cast<std::size_t>(tree.num_links())) {
    compute_poses(tree, q, poses);
    return tree.num_links() - 1;
  }
  int recomputed = 0;
  for (int link = 1; link < tree.num_links(); ++link) {
    const Link& l = tree.link(link);
    const bool moves = poses.moved[static_cast<std::size_t>(l.parent)] != 0 ||
                       reads_changed_coordinate(l.joint, poses.configuration, q);
    poses.moved[static_cast<std::size_t>(link)] = moves;
    if (!moves) continue;
    place(tree, link, q, poses);
    ++recomputed;
  }
  poses.configuration.assign(q.begin(), q.end());
  return recomputed;
}

JointAxis joint_axis(const KinematicTree& tree, const LinkPoses& poses, int link) {
  // The joint's motion leaves its axis in place, so the link's own frame holds it too.
  const Pose& X_WL = poses.X_WL[static_cast<std::size_t>(link)];
  return {X_WL.p, X_WL.R * tree.link(link).joint.axis};
}

void compute_twists(const KinematicTree& tree, const LinkPoses& poses, std::span<const double> dq,
                    std::vector<Twist>& twists) {
  twists.resize(static_cast<std::size_t>(tree.num_links()));
  twists[0] = Twist{};
  for (int link = 1; link < tree.num_links(); ++link) {
    const Link& l = tree.link(link);
    const Joint& joint = l.joint;
    Twist twist = twists[static_cast<std::size_t>(l.parent)];
    if (joint.kind != JointKind::fixed) {
      const auto first = static_cast<std::size_t>(joint.coordinate);
      const JointAxis axis = joint_axis(tree, poses, link);
      Vec3 angular;
      if (joint.kind == JointKind::prismatic) {
        twist.linear += joint.multiplier * dq[first] * axis.direction;
      } else if (joint.kind == JointKind::revolute) {
        angular = joint.multiplier * dq[first] * axis.direction;
      } else {
        const Mat3 R_WJ = poses.X_WL[static_cast<std::size_t>(l.parent)].R * joint.X_PJ.R;
        angular = R_WJ * Vec3{dq[first], dq[first + 1], dq[first + 2]};
      }
      twist.angular += angular;
      twist.linear += cross(axis.point, angular);
    }
    twists[static_cast<std::size_t>(link)] = twist;
  }
}

}  // namespace proven
