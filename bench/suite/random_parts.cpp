#include "bench/suite/random_parts.h"

#include <fmt/format.h>

#include "bench/suite/parts.h"
#include "bench/suite/twin.h"

namespace proven::bench {
namespace {

using Real = long double;

Real bernstein(std::span<const Real> p, Real s) {
  const auto d = static_cast<int>(p.size()) - 1;
  Real sum = 0, binomial = 1;
  for (int k = 0; k <= d; ++k) {
    Real weight = binomial;
    for (int i = 0; i < d; ++i) weight *= i < k ? s : 1 - s;
    sum += weight * p[static_cast<std::size_t>(k)];
    binomial = binomial * (d - k) / (k + 1);
  }
  return sum;
}

}  // namespace

Pose random_pose(Random& random, double size) {
  const Vec3 p{random.uniform(-size, size), random.uniform(-size, size),
               random.uniform(-size, size)};
  return {rotation(random.unit_vector(), random.uniform(-3, 3)), p};
}

Shape random_shape(Random& random, double size) {
  const auto extent = [&] { return size * random.uniform(0.2, 1); };
  switch (random.index(5)) {
    case 0:
      return Sphere{extent()};
    case 1:
      return Capsule{0.5 * extent(), extent()};
    case 2:
      return Cylinder{extent(), extent()};
    case 3: {
      const Vec3 h{extent(), extent(), extent()};
      return box(Style::mesh, h).shape;
    }
    default:
      return Box{{extent(), extent(), extent()}};
  }
}

Robot random_robot(Random& random) {
  constexpr JointType kTypes[] = {JointType::revolute,  JointType::revolute, JointType::continuous,
                                  JointType::prismatic, JointType::planar,   JointType::floating};
  Robot robot;
  const int links = 2 + random.index(4);
  std::vector<std::string> drivers;
  for (int i = 0; i < links; ++i) {
    RobotLink link;
    link.name = fmt::format("l{}", i);
    if (i > 0 || random.index(2) == 0)
      link.collision = {{random_shape(random, 0.15), random_pose(random, 0.1), "part"}};
    robot.links.push_back(std::move(link));
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = fmt::format("j{}", i);
    joint.type = kTypes[random.index(i == 1 ? 6 : 4)];
    joint.parent_link = fmt::format("l{}", i - 1);
    joint.child_link = fmt::format("l{}", i);
    joint.X_PJ = random_pose(random, 0.4);
    joint.axis = random.index(2) == 0 ? Vec3{0, 0, -1} : random.unit_vector();
    joint.limits = {-3, 3, 1, 1};
    const bool one_value = joint.type != JointType::planar && joint.type != JointType::floating;
    if (one_value && !drivers.empty() && random.index(4) == 0)
      joint.mimic = Mimic{drivers[0], random.uniform(-2, 2), random.uniform(-1, 1)};
    else if (one_value)
      drivers.push_back(joint.name);
    robot.joints.push_back(std::move(joint));
  }
  return robot;
}

std::vector<double> random_quaternion(Random& random) {
  const Vec3 axis = random.unit_vector();
  const double half = random.uniform(0, 1.5);
  return {axis.x * std::sin(half), axis.y * std::sin(half), axis.z * std::sin(half),
          std::cos(half)};
}

void evaluate(std::span<const Coordinate> coordinates, const Motion& motion, std::size_t i, Real s,
              std::span<double> q, int first) {
  const std::size_t next = std::min(i + 1, motion.waypoints.size() - 1);
  std::vector<const std::vector<double>*> rows = {&motion.waypoints[i]};
  if (!motion.inner.empty() && next > i)
    for (const auto& row : motion.inner[i]) rows.push_back(&row);
  rows.push_back(&motion.waypoints[next]);
  const auto at = static_cast<std::size_t>(first);
  std::vector<Real> p(rows.size());
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    if (!coordinates[c].quaternion) {
      for (std::size_t k = 0; k < rows.size(); ++k) p[k] = (*rows[k])[c];
      q[at + c] = static_cast<double>(bernstein(p, s));
      continue;
    }
    const std::vector<Real> a(rows.front()->begin(), rows.front()->end());
    const std::vector<Real> b(rows.back()->begin(), rows.back()->end());
    const auto from = quaternion_at<Real>(a, static_cast<int>(c));
    Eigen::Quaternion<Real> turn = from.conjugate() * quaternion_at<Real>(b, static_cast<int>(c));
    if (turn.w() < 0) turn.coeffs() *= Real(-1);
    const Vector3<Real> axis = turn.vec();
    const Real size = axis.norm();
    const Vector3<Real> whole = size == 0
                                    ? Vector3<Real>::Zero()
                                    : Vector3<Real>(axis * (2 * std::atan2(size, turn.w()) / size));
    Vector3<Real> phi;
    for (int k = 0; k < 3; ++k) {
      p.front() = 0;
      for (std::size_t r = 1; r + 1 < rows.size(); ++r)
        p[r] = (*rows[r])[c + static_cast<std::size_t>(k)];
      p.back() = whole[k];
      phi[k] = bernstein(p, s);
    }
    const Real angle = phi.norm();
    const Real half = angle == 0 ? Real(0.5) : std::sin(angle / 2) / angle;
    const Eigen::Quaternion<Real> step(std::cos(angle / 2), half * phi.x(), half * phi.y(),
                                       half * phi.z());
    const Eigen::Quaternion<Real> there = from * step;
    for (int k = 0; k < 4; ++k)
      q[at + c + static_cast<std::size_t>(k)] = static_cast<double>(there.coeffs()(k));
    c += 3;
  }
}

}  // namespace proven::bench
