// Random robots, shapes and motions of every kind, and an evaluator of motions from the
// definitions.
#pragma once

#include <span>
#include <vector>

#include "proven/base/random.h"
#include "proven/scene/scene.h"

namespace proven::bench {

Pose random_pose(Random& random, double size);
// A sphere, capsule, cylinder, box, or a box as a mesh, of about that size.
Shape random_shape(Random& random, double size);
// A chain of two to five links and joints of every type; some follow others.
Robot random_robot(Random& random);
std::vector<double> random_quaternion(Random& random);

// Control points of coordinates that the tree describes, about `centre`.
class MotionMaker {
 public:
  MotionMaker(std::span<const Coordinate> coordinates, Random& random, double size)
      : coordinates_(coordinates), random_(random), size_(size), centre_(coordinates.size()) {
    for (double& value : centre_) value = random.uniform(-1, 1);
  }

  // `pieces`: 0 for one to three.
  Motion make(double begin, double end, bool one_axis, int pieces = 0) {
    Motion motion;
    if (pieces == 0) pieces = 1 + random_.index(3);
    for (int i = 0; i <= pieces; ++i) {
      motion.waypoints.push_back(waypoint());
      const double share = i > 0 && i < pieces ? random_.uniform(-0.3, 0.3) : 0;
      motion.times.push_back(begin + (end - begin) * (i + share) / pieces);
    }
    for (int i = 0; i < pieces; ++i) {
      motion.inner.emplace_back();
      for (int k = random_.index(5); k > 0; --k) motion.inner.back().push_back(control(one_axis));
    }
    return motion;
  }

 private:
  double near(std::size_t i) { return centre_[i] + random_.uniform(-size_, size_); }
  std::vector<double> waypoint() {
    std::vector<double> q(coordinates_.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!coordinates_[i].quaternion) {
        q[i] = near(i);
        continue;
      }
      std::ranges::copy(random_quaternion(random_), q.begin() + static_cast<std::ptrdiff_t>(i));
      i += 3;
    }
    return q;
  }
  // Turns: none between the ends, or by any rotation vector.
  std::vector<double> control(bool one_axis) {
    std::vector<double> q(coordinates_.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!coordinates_[i].quaternion) {
        q[i] = near(i);
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) q[i + k] = one_axis ? 0 : random_.uniform(-1, 1);
      q[i + 3] = 0;
      i += 3;
    }
    return q;
  }

  std::span<const Coordinate> coordinates_;
  Random& random_;
  double size_;
  std::vector<double> centre_;
};

// Writes q[first...] at s of piece i of a motion of these coordinates, by Bernstein sums in long
// double.
void evaluate(std::span<const Coordinate> coordinates, const Motion& motion, std::size_t i,
              long double s, std::span<double> q, int first);

}  // namespace proven::bench
