// A slow, plain twin of the kinematics: 4x4 matrices in long double, evaluated link by link from
// names, with no tree, no order and no reuse. It shares no code with the library.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "proven/kinematics/robot.h"

namespace proven::test {

using Real = long double;
using Matrix = std::array<std::array<Real, 4>, 4>;
using Triple = std::array<Real, 3>;

inline Matrix identity() {
  Matrix m{};
  for (std::size_t i = 0; i < 4; ++i) m[i][i] = 1;
  return m;
}

inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix m{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) m[i][j] += a[i][k] * b[k][j];
  return m;
}

inline Matrix shift(const Triple& p) {
  Matrix m = identity();
  for (std::size_t i = 0; i < 3; ++i) m[i][3] = p[i];
  return m;
}

inline Triple scale(Real s, const Triple& a) {
  return {s * a[0], s * a[1], s * a[2]};
}

inline Triple unit(const Triple& a) {
  return scale(1 / std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), a);
}

inline Matrix turn(const Triple& axis, Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  const Triple a = unit(axis);
  const std::array<Triple, 3> skew = {{{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}}};
  Matrix m = identity();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      m[i][j] = (i == j ? c : 0) + s * skew[i][j] + (1 - c) * a[i] * a[j];
  return m;
}

// Turn by a quaternion of any length.
inline Matrix turn_by_quaternion(Real x, Real y, Real z, Real w) {
  const Real sine = std::sqrt(x * x + y * y + z * z);
  if (sine == 0) return identity();
  return turn({x, y, z}, 2 * std::atan2(sine, w));
}

inline Matrix to_matrix(const Pose& X) {
  Matrix m = shift({X.p.x, X.p.y, X.p.z});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = X.R.row[i][static_cast<int>(j)];
  return m;
}

inline Triple apply(const Matrix& m, const Triple& p) {
  Triple r{};
  for (std::size_t i = 0; i < 3; ++i)
    r[i] = m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3];
  return r;
}

struct SlowJoint {
  std::string type, parent, child;
  Matrix origin = identity();
  Triple axis = {1, 0, 0};
  std::optional<Mimic> mimic;
};

// Values by the names that the library gives to coordinates, without the robot's name: "joint",
// "joint.x", ...
using SlowValues = std::map<std::string, Real>;

struct SlowRobot {
  std::map<std::string, SlowJoint> joints;  // by name
  Matrix base = identity();

  Real value(const std::string& name, const SlowValues& values) const {
    const SlowJoint& joint = joints.at(name);
    if (!joint.mimic) return values.at(name);
    return static_cast<Real>(joint.mimic->multiplier) * value(joint.mimic->joint, values) +
           static_cast<Real>(joint.mimic->offset);
  }

  Matrix motion(const std::string& name, const SlowValues& values) const {
    const SlowJoint& joint = joints.at(name);
    const auto at = [&](const char* suffix) { return values.at(name + suffix); };
    if (joint.type == "fixed") return identity();
    if (joint.type == "revolute" || joint.type == "continuous")
      return turn(joint.axis, value(name, values));
    if (joint.type == "prismatic") return shift(scale(value(name, values), unit(joint.axis)));
    if (joint.type == "floating")
      return multiply(shift({at(".x"), at(".y"), at(".z")}),
                      turn_by_quaternion(at(".qx"), at(".qy"), at(".qz"), at(".qw")));
    if (joint.type != "planar") throw std::runtime_error("unknown joint type " + joint.type);
    const Triple a = unit(joint.axis);
    std::size_t largest = 2;
    if (std::fabs(a[1]) > std::fabs(a[largest])) largest = 1;
    if (std::fabs(a[0]) > std::fabs(a[largest])) largest = 0;
    const std::size_t next = (largest + 1) % 3;
    Triple x = scale(-a[next], a);
    x[next] += 1;
    x = unit(x);
    const Triple y = {a[1] * x[2] - a[2] * x[1], a[2] * x[0] - a[0] * x[2],
                      a[0] * x[1] - a[1] * x[0]};
    return multiply(multiply(shift(scale(at(".x"), x)), shift(scale(at(".y"), y))),
                    turn(joint.axis, at(".angle")));
  }

  Matrix pose(std::string link, const SlowValues& values) const {
    Matrix m = identity();
    for (bool climbed = true; climbed;) {
      climbed = false;
      for (const auto& [name, joint] : joints) {
        if (joint.child != link) continue;
        m = multiply(multiply(joint.origin, motion(name, values)), m);
        link = joint.parent;
        climbed = true;
        break;
      }
    }
    return multiply(base, m);
  }
};

inline SlowRobot slow_robot(const Robot& robot, const Pose& X_WR) {
  static const std::array<const char*, 6> types = {"fixed",     "revolute", "continuous",
                                                   "prismatic", "planar",   "floating"};
  SlowRobot slow;
  slow.base = to_matrix(X_WR);
  for (const RobotJoint& j : robot.joints)
    slow.joints[j.name] = {
        types[static_cast<std::size_t>(j.type)], j.parent_link, j.child_link, to_matrix(j.X_PJ),
        {j.axis.x, j.axis.y, j.axis.z},          j.mimic};
  return slow;
}

// The largest difference of any of the twelve numbers.
inline double difference(const Pose& X, const Matrix& m) {
  Real largest = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      largest = std::fmax(largest, std::fabs(m[i][j] - X.R.row[i][static_cast<int>(j)]));
    largest = std::fmax(largest, std::fabs(m[i][3] - X.p[static_cast<int>(i)]));
  }
  return static_cast<double>(largest);
}

}  // namespace proven::test
