// A second, slow implementation of kinematics and interpolation, in any precision, for judging the
// checkers' answers: nothing here uses the code that it judges.
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "proven/scene/scene.h"

namespace proven::bench {

template <class Real>
using Frame = Eigen::Transform<Real, 3, Eigen::Isometry>;
template <class Real>
using Vector3 = Eigen::Matrix<Real, 3, 1>;

template <class Real>
Vector3<Real> to_eigen(const Vec3& v) {
  return {Real(v.x), Real(v.y), Real(v.z)};
}

template <class Real>
Frame<Real> to_eigen(const Pose& X) {
  Frame<Real> T = Frame<Real>::Identity();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) T.linear()(i, j) = Real(X.R(i, j));
  T.translation() = to_eigen<Real>(X.p);
  return T;
}

template <class Real>
Eigen::Quaternion<Real> quaternion_at(std::span<const Real> q, int first) {
  const auto i = static_cast<std::size_t>(first);
  return Eigen::Quaternion<Real>(q[i + 3], q[i], q[i + 1], q[i + 2]).normalized();
}

// How a link's joint moves it.
template <class Real>
Frame<Real> joint_motion(const Joint& joint, std::span<const Real> q) {
  Frame<Real> T = Frame<Real>::Identity();
  if (joint.kind == JointKind::fixed) return T;
  if (joint.kind == JointKind::ball) {
    T.linear() = quaternion_at(q, joint.coordinate).toRotationMatrix();
    return T;
  }
  const Real value =
      Real(joint.multiplier) * q[static_cast<std::size_t>(joint.coordinate)] + Real(joint.offset);
  const Vector3<Real> axis = to_eigen<Real>(joint.axis);
  if (joint.kind == JointKind::revolute)
    T.linear() = Eigen::AngleAxis<Real>(value, axis).toRotationMatrix();
  else
    T.translation() = value * axis;
  return T;
}

// World poses of all links.
template <class Real>
void twin_poses(const KinematicTree& tree, std::span<const Real> q,
                std::vector<Frame<Real>>& poses) {
  poses.assign(static_cast<std::size_t>(tree.num_links()), Frame<Real>::Identity());
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const Link& link = tree.links()[i];
    poses[i] = poses[static_cast<std::size_t>(link.parent)] * to_eigen<Real>(link.joint.X_PJ) *
               joint_motion(link.joint, q);
  }
}

template <class Real>
void twin_interpolate(const KinematicTree& tree, std::span<const double> from,
                      std::span<const double> to, Real t, std::vector<Real>& q) {
  q.resize(from.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = Real(from[i]) + t * (Real(to[i]) - Real(from[i]));
  const std::vector<Real> a(from.begin(), from.end()), b(to.begin(), to.end());
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const int first = link.joint.coordinate;
    const auto turned = quaternion_at<Real>(a, first).slerp(t, quaternion_at<Real>(b, first));
    for (int k = 0; k < 4; ++k) q[static_cast<std::size_t>(first + k)] = turned.coeffs()(k);
  }
}

// Length of a straight segment in joint space: Euclidean over radians and metres; a ball joint
// counts by its angle.
inline double joint_space_length(const KinematicTree& tree, std::span<const double> from,
                                 std::span<const double> to) {
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!tree.coordinates()[i].quaternion) sum += (to[i] - from[i]) * (to[i] - from[i]);
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const double angle = quaternion_at(from, link.joint.coordinate)
                             .angularDistance(quaternion_at(to, link.joint.coordinate));
    sum += angle * angle;
  }
  return std::sqrt(sum);
}

}  // namespace proven::bench
