// What every planner gets, and the list of them.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <vector>

#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/plan.h"

namespace proven {

// Counts iterations of one solve against its limits.
class IterationCount {
 public:
  IterationCount(std::int64_t most, const Budget& budget)
      : most_(most), budget_(budget), start_(Budget::Clock::now()) {}

  // Counts one iteration; false when the planner has to stop.
  bool next() {
    if (done_ >= most_ || budget_.stopped()) return false;
    if (++done_ % 64 == 0) budget_.report("iterations", done_);
    return true;
  }
  const Budget& budget() const { return budget_; }
  std::int64_t done() const { return done_; }
  bool exhausted() const { return done_ >= most_; }
  double seconds() const {
    return std::chrono::duration<double>(Budget::Clock::now() - start_).count();
  }

 private:
  std::int64_t most_;
  const Budget& budget_;
  Budget::Clock::time_point start_;
  std::int64_t done_ = 0;
};

using Point = JointSpace::Point;

// Points of the space, from the start to one of the goals.
using Solution = std::optional<std::vector<Point>>;

struct SolveContext {
  const Query& query;
  const PlanOptions& options;
  const JointSpace& space;
  Prover& prover;
  IterationCount& iterations;
  std::int64_t candidate_paths = 0;
  // The start, which is free; the goals, the first of which is free as it is written, and the same
  // with whole turns of continuous joints.
  Point start = {};
  std::vector<Point> goals = {};
  // Only shorter paths are of use. Honoured by rrt-connect, as far as its samples go.
  double longest = std::numeric_limits<double>::infinity();
};

// Asks about points of a space.
class PointProver {
 public:
  explicit PointProver(SolveContext& context)
      : PointProver(context.query, context.space, context.prover, context.iterations.budget()) {}
  PointProver(const Query& query, const JointSpace& space, Prover& prover, const Budget& budget)
      : space_(space), prover_(prover), budget_(budget), from_(query.start.size()), to_(from_) {}

  bool sweeps() const { return prover_.model().sweeps(); }
  bool seems_free(std::span<const double> point) {
    space_.complete(point, from_);
    return prover_.seems_free(from_, budget_);
  }
  // The straight motion between two points; `from_is_free`: known of the first.
  bool seems_free(std::span<const double> from, std::span<const double> to, bool from_is_free) {
    return prover_.seems_free(segment(from, to, from_is_free), budget_);
  }
  // The same if there are others to try (Prover::seems_free_quickly).
  bool seems_free_quickly(std::span<const double> from, std::span<const double> to,
                          bool from_is_free) {
    return prover_.seems_free_quickly(segment(from, to, from_is_free), budget_);
  }

 private:
  SegmentQuery segment(std::span<const double> from, std::span<const double> to,
                       bool from_is_free) {
    space_.complete(from, from_);
    space_.complete(to, to_);
    return {from_, to_, from_is_free};
  }

  const JointSpace& space_;
  Prover& prover_;
  const Budget& budget_;
  std::vector<double> from_, to_;  // full configurations
};

// Whether there is such a planner, and its options make sense.
Result<void> validate_planner(const PlanOptions& options);

Solution solve_rrt_connect(SolveContext& context);
// With the constraints of the prover, of which there is one at least.
Solution solve_constrained(SolveContext& context);
Solution solve_sbl(SolveContext& context);
Solution solve_prm(SolveContext& context);
Solution solve_lazy_prm(SolveContext& context);

}  // namespace proven
