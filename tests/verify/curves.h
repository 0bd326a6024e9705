// Curved motions for tests: a plain evaluator of its own (Bernstein sums and rotation vectors in
// long double), random motions, and scenes with joints of every type.
#pragma once

#include <array>
#include <cmath>

#include "certify/random_scenes.h"
#include "proven/scene/motion.h"

namespace proven::test {

using Real = long double;
using RealQuaternion = std::array<Real, 4>;  // x, y, z, w

inline Real bernstein(int degree, int k, Real t) {
  Real value = 1;
  for (int i = 1; i <= k; ++i) value *= t * (degree + 1 - i) / i;
  for (int i = k; i < degree; ++i) value *= 1 - t;
  return value;
}

inline RealQuaternion times(const RealQuaternion& a, const RealQuaternion& b) {
  return {a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2],
          a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

inline RealQuaternion unit(const double* q) {
  Real sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<Real>(q[i]) * q[i];
  const Real scale = 1 / std::sqrt(sum);
  return {q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

// Of the turn from a to b, the shorter way.
inline std::array<Real, 3> rotation_vector(const double* a, const double* b) {
  RealQuaternion from = unit(a);
  for (std::size_t i = 0; i < 3; ++i) from[i] = -from[i];
  RealQuaternion c = times(from, unit(b));
  if (c[3] < 0)
    for (Real& x : c) x = -x;
  const Real size = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  const Real scale = size == 0 ? 0 : 2 * std::atan2(size, c[3]) / size;
  return {scale * c[0], scale * c[1], scale * c[2]};
}

inline RealQuaternion turn_by(const std::array<Real, 3>& phi) {
  const Real angle = std::sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]);
  const Real scale = angle == 0 ? 0 : std::sin(angle / 2) / angle;
  return {scale * phi[0], scale * phi[1], scale * phi[2], std::cos(angle / 2)};
}

// The configuration at t of a piece, straight or curved.
inline std::vector<double> configuration_at(const KinematicTree& tree, const MotionPiece& piece,
                                            double t) {
  const int degree = piece.degree();
  std::vector<double> q;
  for (std::size_t i = 0; i < tree.coordinates().size();) {
    if (!tree.coordinates()[i].quaternion) {
      Real sum = 0;
      for (int k = 0; k <= degree; ++k) sum += bernstein(degree, k, t) * piece.control(k)[i];
      q.push_back(static_cast<double>(sum));
      ++i;
      continue;
    }
    std::array<Real, 3> phi = rotation_vector(&piece.from[i], &piece.to[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      phi[axis] *= bernstein(degree, degree, t);
      for (int k = 1; k < degree; ++k)
        phi[axis] += bernstein(degree, k, t) * piece.control(k)[i + axis];
    }
    for (const Real x : times(unit(&piece.from[i]), turn_by(phi)))
      q.push_back(static_cast<double>(x));
    i += 4;
  }
  return q;
}

// The smallest distance of any tested pair at steps + 1 times of each piece; 0 if any overlap.
inline double sampled_distance(const Scene& scene, const Motion& motion, int steps) {
  double smallest = INFINITY;
  for (int s = 0; s < std::max(1, motion.num_segments()); ++s)
    for (int i = 0; i <= steps; ++i) {
      const auto q =
          configuration_at(scene.tree(), motion.piece(s), static_cast<double>(i) / steps);
      smallest = std::fmin(smallest, sampled_distance(scene, {q, q}, 1));
    }
  return smallest;
}

// From `from` by about `reach`; some coordinates rest.
inline void add_random_piece(const KinematicTree& tree, Random& random, double reach, int degree,
                             Motion& motion) {
  const std::vector<double> from = motion.waypoints.back();
  std::vector<double> to = from;
  std::vector<std::vector<double>> inner(static_cast<std::size_t>(degree - 1), from);
  for (std::size_t i = 0; i < from.size();) {
    const Coordinate& c = tree.coordinates()[i];
    const bool rests = random.index(4) == 0;
    const double range = c.rotary || c.quaternion ? reach : 0.2 * reach;
    if (!c.quaternion) {
      if (!rests) to[i] = from[i] + random.uniform(-range, range);
      for (std::size_t k = 0; k < inner.size(); ++k) {
        const double u = static_cast<double>(k + 1) / degree;
        inner[k][i] = rests
                          ? from[i]
                          : (1 - u) * from[i] + u * to[i] + random.uniform(-range, range) / degree;
      }
      ++i;
      continue;
    }
    if (!rests) {
      for (std::size_t j = i; j < i + 4; ++j) to[j] += 0.3 * range * random.normal();
      const RealQuaternion normal = unit(&to[i]);
      const double sign = random.index(2) ? 1 : -1;
      for (std::size_t j = 0; j < 4; ++j) to[i + j] = static_cast<double>(normal[j]) * sign;
    }
    const auto whole = rotation_vector(&from[i], &to[i]);
    for (std::size_t k = 0; k < inner.size(); ++k)
      for (std::size_t j = 0; j < 4; ++j)
        inner[k][i + j] =
            rests || j == 3 ? 0.0
                            : static_cast<double>(whole[j]) * static_cast<double>(k + 1) / degree +
                                  random.uniform(-range, range) / degree;
    i += 4;
  }
  motion.waypoints.push_back(to);
  motion.inner.push_back(inner);
}

// Pieces of random degrees, the first of them curved.
inline Motion random_motion(const KinematicTree& tree, Random& random, double reach, int pieces) {
  Motion motion;
  motion.waypoints.push_back(random_configuration(tree, random, 0.3));
  for (int i = 0; i < pieces; ++i)
    add_random_piece(tree, random, reach, i == 0 ? 2 + random.index(4) : 1 + random.index(5),
                     motion);
  return motion;
}

// A random scene whose joints are revolute, continuous, prismatic, planar, floating, or follow
// another backwards; every fifth has two robots.
inline SceneSource scene_of_all_joints(Random& random, int number) {
  SceneSource source = random_scene(
      random, {.links = 2 + number % 3, .obstacles = 1 + number % 4, .floating = number % 3 == 0});
  auto& joints = source.robots[0].robot.joints;
  for (std::size_t i = 1; i < joints.size(); ++i) {
    static constexpr JointType kTypes[] = {JointType::revolute, JointType::continuous,
                                           JointType::prismatic, JointType::planar};
    joints[i].mimic.reset();
    joints[i].type = kTypes[random.index(4)];
    joints[i].limits = {-3, 3, 1, 1};
  }
  if (joints.size() > 2 && number % 2 == 0) {
    joints[1].type = JointType::revolute;
    joints.back().type = JointType::revolute;
    joints.back().mimic =
        Mimic{joints[1].name, -random.uniform(0.3, 1.5), random.uniform(-0.5, 0.5)};
  }
  if (number % 5 == 0) {
    source.robots.push_back(source.robots[0]);
    source.robots[1].name = "second";
    source.robots[1].X_WR.p += Vec3{1.0, 0, 0};
  }
  return source;
}

}  // namespace proven::test
