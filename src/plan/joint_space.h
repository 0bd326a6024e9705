// The space that a planner searches: the planned coordinates, their ranges, a metric, samples.
#pragma once

#include <span>
#include <vector>

#include "proven/base/random.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/plan/plan.h"

namespace proven {

// Points are the planned coordinates alone, in the problem's order. Scalar coordinates live on a
// line; continuous joints too, unrolled over two turns around the start, so that every path is
// written as literal values. Distances are Euclidean, a ball joint counting by its angle.
class JointSpace {
 public:
  using Point = std::vector<double>;

  // The problem must have passed validate_problem.
  JointSpace(const Scene& scene, const PlanProblem& problem);

  int dimension() const { return static_cast<int>(planned_.size()); }
  std::span<const int> planned() const { return planned_; }
  std::span<const Interval> ranges() const { return ranges_; }
  bool euclidean() const { return balls_.empty(); }

  double distance(std::span<const double> a, std::span<const double> b) const;
  // The largest difference of a coordinate as a share of its range (a ball joint: of π).
  double normalised_distance(std::span<const double> a, std::span<const double> b) const;
  void interpolate(std::span<const double> a, std::span<const double> b, double t,
                   std::span<double> out) const;

  void sample(Random& random, std::span<double> out) const;
  // Uniform among the points whose normalised distance to `centre` is at most `radius`.
  void sample_near(std::span<const double> centre, double radius, Random& random,
                   std::span<double> out) const;

  void restrict(std::span<const double> full, std::span<double> out) const;
  // Other coordinates take the start's values.
  void complete(std::span<const double> point, std::span<double> full) const;

  // Coordinates (places in a point) of continuous joints.
  std::span<const int> continuous() const { return continuous_; }

 private:
  std::vector<int> planned_;
  std::vector<Interval> ranges_;  // per place; unused for ball joints
  std::vector<int> scalars_;      // places
  std::vector<int> balls_;        // first places of ball joints
  std::vector<int> continuous_;
  std::vector<double> rest_;  // the start
};

// Sizes, finite values, coordinates that exist once, equal values of what is not planned.
Result<void> validate_problem(const Scene& scene, const PlanProblem& problem);

}  // namespace proven
