// Measures the curves that points of bodies trace, by dense sampling.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"

namespace proven::test {

struct SampledBody {
  int link = 0;
  Pose X_LB;
  std::shared_ptr<const BodyGeometry> geometry;
  std::vector<Vec3> points_B;  // points of the body, extreme ones among them
};

using Motion = std::function<void(double t, std::vector<double>& q)>;

// Lengths of the polylines that the points trace in the frame of each ancestor of the body's link:
// lengths[i][p] belongs to ancestors[i] and points_B[p]. A polyline is never longer than its curve.
struct SampledLengths {
  std::vector<int> ancestors;
  std::vector<std::vector<double>> lengths;
};

inline SampledLengths sample_lengths(const KinematicTree& tree, const SampledBody& body,
                                     const Motion& motion, int steps) {
  SampledLengths result;
  for (int l = body.link; l != 0; l = tree.link(l).parent)
    result.ancestors.push_back(tree.link(l).parent);
  const std::size_t points = body.points_B.size();
  result.lengths.assign(result.ancestors.size(), std::vector<double>(points, 0.0));
  std::vector<std::vector<Vec3>> last(result.ancestors.size(), std::vector<Vec3>(points));
  LinkPoses poses;
  std::vector<double> q(static_cast<std::size_t>(tree.num_coordinates()));
  for (int step = 0; step <= steps; ++step) {
    motion(static_cast<double>(step) / steps, q);
    compute_poses(tree, q, poses);
    const Pose X_WB = poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
    for (std::size_t a = 0; a < result.ancestors.size(); ++a) {
      const Pose& X_WA = poses.X_WL[static_cast<std::size_t>(result.ancestors[a])];
      const Pose X_AB = relative_pose(X_WA, X_WB);
      for (std::size_t p = 0; p < points; ++p) {
        const Vec3 here = X_AB * body.points_B[p];
        if (step > 0) result.lengths[a][p] += norm(here - last[a][p]);
        last[a][p] = here;
      }
    }
  }
  return result;
}

// What a run over many segments found.
struct BoundStatistics {
  int segments = 0, curves = 0, violations = 0, near = 0;
  double largest_ratio = 0;

  // Positions are computed with rounding of their own, which adds up over the steps.
  void compare(const SampledLengths& sampled, const KinematicTree& tree,
               const MotionFactors& factors, const std::vector<double>& displacement, int steps) {
    ++segments;
    const double position_error =
        0x1p-48 * (1 + factors.swept_sphere.radius + norm(factors.swept_sphere.centre));
    for (std::size_t a = 0; a < sampled.ancestors.size(); ++a) {
      const double bound = curve_length_upper(factors, displacement, sampled.ancestors[a], tree);
      for (double length : sampled.lengths[a]) {
        ++curves;
        const double certain = length - steps * position_error;
        if (!(certain <= bound)) ++violations;
        if (bound <= 1e-6) continue;
        largest_ratio = std::fmax(largest_ratio, certain / bound);
        near += certain > 0.9 * bound;
      }
    }
  }

  void report(const char* name) const {
    std::printf(
        "%s: %d segments, %d curves, %d longer than their bound; %.1f %% above 0.9 of it, "
        "largest ratio %.6f\n",
        name, segments, curves, violations, 100.0 * near / std::fmax(1, curves), largest_ratio);
  }
};

// A random segment; every third one goes beyond the limits.
inline std::pair<std::vector<double>, std::vector<double>> random_segment(const KinematicTree& tree,
                                                                          Random& random) {
  std::vector<double> a = random_configuration(tree, random),
                      b = random_configuration(tree, random);
  const bool beyond = random.index(3) == 0;
  const bool few = random.index(3) == 0;  // only one or two coordinates move
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (tree.coordinates()[i].quaternion) continue;
    if (beyond) b[i] *= random.uniform(1, 3);
    if (few && random.index(static_cast<int>(a.size())) > 1) b[i] = a[i];
  }
  return {a, b};
}

// Samples one segment of one body and compares all its curves with their bounds.
inline void check_segment(const KinematicTree& tree, const SampledBody& body,
                          const std::vector<double>& qa, const std::vector<double>& qb, int steps,
                          BoundStatistics& statistics) {
  const std::vector<std::vector<double>> waypoints = {qa, qb};
  const MotionFactors factors = compute_motion_factors(tree, body.link, body.X_LB, *body.geometry,
                                                       coordinate_ranges(tree, waypoints));
  std::vector<double> displacement;
  joint_displacements(tree, qa, qb, displacement);
  const Motion motion = [&](double t, std::vector<double>& q) { interpolate(tree, qa, qb, t, q); };
  statistics.compare(sample_lengths(tree, body, motion, steps), tree, factors, displacement, steps);
}

}  // namespace proven::test
