// Random motions with cones and boxes for their last link, and a judge: a slow forward kinematics
// in long double that looks at many moments, random ones among them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kinematics/slow_kinematics.h"
#include "proven/base/random.h"
#include "proven/certify/constraints.h"
#include "support.h"

namespace proven::test {

inline Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}
inline Pose any_pose(Random& random, double size) {
  return {rotation(random.unit_vector(), random.uniform(-3, 3)), random_vector(random, size)};
}

// A chain of joints that turn and slide, one of which follows another; some float or stand on a
// planar joint.
inline Robot chain(Random& random, int joints, JointType base) {
  Robot robot;
  robot.name = "r";
  robot.links.resize(static_cast<std::size_t>(joints) + 1);
  robot.links[0].name = "l0";
  for (int i = 1; i <= joints; ++i) {
    robot.links[static_cast<std::size_t>(i)].name = "l" + std::to_string(i);
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = i == 1 ? base : i % 4 == 3 ? JointType::prismatic : JointType::revolute;
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.X_PJ = any_pose(random, 0.4);
    joint.axis = random.unit_vector();
    joint.limits = {-4, 4, 1, 1};
    if (i == 5) joint.mimic = Mimic{"j2", -0.7, 0.3};
    robot.joints.push_back(joint);
  }
  return robot;
}

struct Case {
  Robot robot;
  KinematicTree tree;
  Pose X_WR;
  SlowRobot slow;
  Motion motion;
};

inline Case random_case(Random& random, double size) {
  Case c;
  const JointType bases[] = {JointType::revolute, JointType::floating, JointType::planar};
  const JointType base = bases[random.index(3)];
  c.robot = chain(random, 6, base);
  c.X_WR = any_pose(random, 1);
  EXPECT_TRUE(c.tree.add_robot(c.robot, "r", c.X_WR).ok());
  c.slow = slow_robot(c.robot, c.X_WR);
  std::vector<double> q = c.tree.zero_configuration();
  const auto move = [&](std::vector<double> from, double by) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!c.tree.coordinates()[i].quaternion || c.motion.inner.empty())
        from[i] += random.uniform(-by, by);
    double length = 0;  // of the quaternion
    for (std::size_t i = 0; i < from.size(); ++i)
      if (c.tree.coordinates()[i].quaternion) length += from[i] * from[i];
    for (std::size_t i = 0; i < from.size(); ++i)
      if (c.tree.coordinates()[i].quaternion) from[i] /= std::sqrt(length);
    return from;
  };
  c.motion.waypoints = {move(q, 1.5)};
  // The turn of a floating base is a slerp here: its quaternions are those of straight pieces.
  const int degree = base == JointType::floating ? 1 : 1 + random.index(5);
  for (int i = 0; i < 2; ++i) {
    const std::vector<double> last = c.motion.waypoints.back();
    c.motion.waypoints.push_back(move(last, size));
    std::vector<std::vector<double>> inner;
    for (int k = 1; k < degree; ++k) inner.push_back(move(last, size));
    if (degree > 1) c.motion.inner.push_back(inner);
  }
  return c;
}

// By the definitions of Bernstein's form and of the slerp.
inline SlowValues values_at(const Case& c, int segment, double s, Random* tube = nullptr,
                            double error = 0) {
  const MotionPiece piece = c.motion.piece(segment);
  SlowValues values;
  Real cosine = 0;
  for (std::size_t i = 0; i < piece.from.size(); ++i)
    if (c.tree.coordinates()[i].quaternion)
      cosine += static_cast<Real>(piece.from[i]) * static_cast<Real>(piece.to[i]);
  const Real sign = cosine < 0 ? -1 : 1, angle = std::acos(std::fmin(Real(1), std::fabs(cosine)));
  for (std::size_t i = 0; i < piece.from.size(); ++i) {
    const Coordinate& coordinate = c.tree.coordinates()[i];
    const std::string name = coordinate.name.substr(2);
    if (coordinate.quaternion) {
      const Real a = piece.from[i], b = sign * piece.to[i];
      values[name] = angle < 1e-9L ? a + s * (b - a)
                                   : (std::sin((1 - s) * angle) * a + std::sin(s * angle) * b) /
                                         std::sin(angle);
      continue;
    }
    const int n = piece.degree();
    Real sum = 0, binomial = 1;
    for (int k = 0; k <= n; ++k) {
      sum += binomial * std::pow(static_cast<Real>(s), k) *
             std::pow(1 - static_cast<Real>(s), n - k) * piece.control(k)[i];
      binomial = binomial * (n - k) / (k + 1);
    }
    values[name] = sum + (tube ? tube->uniform(-error, error) : 0);
  }
  return values;
}

// How far the frame is outside, as the constraint is specified: radians, or metres.
inline double seen_outside(const Case& c, const FrameConstraint& constraint,
                           const SlowValues& values) {
  const Matrix X = multiply(c.slow.pose("l6", values), to_matrix(constraint.X_LF));
  if (const auto* cone = std::get_if<AxisCone>(&constraint.within)) {
    Triple u{};
    for (std::size_t i = 0; i < 3; ++i)
      u[i] = X[i][0] * cone->axis.x + X[i][1] * cone->axis.y + X[i][2] * cone->axis.z;
    const Vec3& d = cone->direction;
    const Triple across = {u[1] * d.z - u[2] * d.y, u[2] * d.x - u[0] * d.z,
                           u[0] * d.y - u[1] * d.x};
    const Real sine =
        std::sqrt(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
    return static_cast<double>(std::atan2(sine, u[0] * d.x + u[1] * d.y + u[2] * d.z) -
                               cone->angle);
  }
  const auto& box = std::get<OriginBox>(constraint.within);
  Real most = -1e9L;
  for (int k = 0; k < 3; ++k) {
    Real along = 0;
    for (std::size_t i = 0; i < 3; ++i)
      along += static_cast<Real>(box.X_WB.R.row[i][k]) *
               (X[i][3] - static_cast<Real>(box.X_WB.p[static_cast<int>(i)]));
    most = std::fmax(most, std::fabs(along) - static_cast<Real>(box.size[k]) / 2);
  }
  return static_cast<double>(most);
}

// The largest at a grid of moments and at random ones.
inline double most_outside(const Case& c, const FrameConstraint& constraint, Random& random,
                           double error = 0) {
  constexpr int kMoments = 200;
  double most = -1e9;
  for (int i = 0; i < c.motion.num_segments(); ++i)
    for (int k = 0; k <= 2 * kMoments; ++k) {
      const double s = k <= kMoments ? static_cast<double>(k) / kMoments : random.uniform();
      most = std::max(most, seen_outside(c, constraint,
                                         values_at(c, i, s, error > 0 ? &random : nullptr, error)));
    }
  return most;
}

// A constraint around where the frame is at the start; with zero size, so that what is seen outside
// is how large it would have to be.
inline FrameConstraint constraint_at_start(const Case& c, bool cone, Random& random) {
  FrameConstraint constraint;
  constraint.link = c.tree.find_link("r/l6");
  constraint.X_LF = any_pose(random, 0.2);
  const Matrix X = multiply(c.slow.pose("l6", values_at(c, 0, 0)), to_matrix(constraint.X_LF));
  const auto number = [&](std::size_t i, std::size_t k) { return static_cast<double>(X[i][k]); };
  if (cone) {
    const Vec3 axis = random.unit_vector();
    Vec3 direction;
    for (int i = 0; i < 3; ++i) {
      const auto r = static_cast<std::size_t>(i);
      direction[i] = number(r, 0) * axis.x + number(r, 1) * axis.y + number(r, 2) * axis.z;
    }
    constraint.within = AxisCone{normalized(axis), normalized(direction), 0};
  } else {
    const Pose there{any_pose(random, 0).R, {number(0, 3), number(1, 3), number(2, 3)}};
    constraint.within = OriginBox{there, {}};
  }
  return constraint;
}

inline FrameConstraint with_room(FrameConstraint constraint, double room) {
  if (auto* cone = std::get_if<AxisCone>(&constraint.within))
    cone->angle = room;
  else
    std::get<OriginBox>(constraint.within).size = {2 * room, 2 * room, 2 * room};
  return constraint;
}

}  // namespace proven::test
