// What every planner stands on, and a planner of one's own: the space that it searches (the planned
// coordinates, their ranges, a metric, samples) and the test of start and goal. Whether a point or
// a motion is free, a Prover says (certify/prover.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/kinematics/limits.h"
#include "proven/scene/motion.h"
#include "proven/scene/scene.h"

namespace proven {

// Points are the planned coordinates alone, in the query's order. Scalar coordinates live on a
// line; continuous joints too, unrolled over two turns around the start, so that every path is
// written as literal values. Distances are Euclidean, a ball joint counting by its angle.
class JointSpace {
 public:
  using Point = std::vector<double>;

  // The query must have passed validate_query.
  JointSpace(const Scene& scene, const Query& query);

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

  // Per coordinate of the scene: all values that points of the space, start and goal have. What a
  // model must cover.
  std::vector<Interval> full_ranges() const;

  // Coordinates (places in a point) of continuous joints.
  std::span<const int> continuous() const { return continuous_; }

 private:
  std::vector<int> planned_;
  std::vector<Interval> ranges_;  // per place; unused for ball joints
  std::vector<int> scalars_;      // places
  std::vector<int> balls_;        // first places of ball joints
  std::vector<int> continuous_;
  std::vector<double> rest_;  // the start
  std::vector<double> goal_;
};

// Widens the limits of the query to what its start and goal need. A plan beyond the limits of
// joints also needs CheckOptions::limits: ignore.
void ignore_limits(const Scene& scene, Query& query);

// Sizes, finite values, coordinates that exist once, equal values of what is not planned.
Result<void> validate_query(const Scene& scene, const Query& query);
// An Error if the options refuse values beyond limits and the query's own limits allow them. Start
// and goal: see find_bad_end.
Result<void> require_within_limits(const Scene& scene, const Query& query,
                                   const CheckOptions& options);

// Start or goal beyond its limits, in collision, or too close to contact to be proved free.
struct BadEnd {
  bool is_start = true;
  std::string reason;  // one sentence that names the joint or the pair
  std::optional<Witness>
      obstruction;  // the pair and the distance; segment 0 for the start, 1 for the goal
  std::optional<ConstraintResult> broken = {};  // the constraint of the prover that is not kept
};
// The first of start and goal that is not valid; nothing if both are.
std::optional<BadEnd> find_bad_end(const Query& query, Prover& prover, const Budget& budget = {});

}  // namespace proven
