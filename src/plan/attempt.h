// One attempt at a query, as every planner begins and ends it, and the margins that attempts try.
#pragma once

#include <string>
#include <vector>

#include "plan/solve.h"
#include "proven/plan/plan.h"

namespace proven {

// A query that fits the scene, as do other goals and constraints.
Result<void> validate_problem(const Scene& scene, const Query& query, const PlanOptions& options);

class Attempt {
 public:
  // A valid problem. The budget stays the caller's.
  Attempt(const Scene& scene, const Query& query, const PlanOptions& options, const Budget& budget);

  // Tests start and goals; false: the result says why there is nothing to plan.
  bool begin(Prover& prover);
  // Without a path. `prover` knows what was in the way; may be null.
  void give_up(const Prover* prover);
  // With one, which is not proved so far.
  void take(const std::vector<Point>& points);
  // Proves the path as the literal values that are returned, with the certificate that the options
  // ask for. A path that is not proved free is no solution.
  Result<Verdict> prove(const CheckModel& prepared);
  // Work that was done so far.
  void count(const Prover::Counts& counts, std::int64_t candidate_paths);

  const Query& query() const { return query_; }
  const PlanOptions& options() const { return options_; }
  const JointSpace& space() const { return space_; }
  IterationCount& iterations() { return iterations_; }
  const Point& start() const { return start_; }
  // The first is free as it is written; the same with whole turns of continuous joints.
  const std::vector<Point>& goals() const { return goals_; }
  PlanResult& result() { return result_; }

 private:
  bool ends_as_written() const { return !query_.any_turn && !space_.continuous().empty(); }

  Query query_;
  PlanOptions options_;
  JointSpace space_;
  IterationCount iterations_;
  Point start_;
  std::vector<Point> goals_;
  PlanResult result_;
};

// The margins that are tried for one query, the largest first.
class MarginTrials {
 public:
  explicit MarginTrials(const PlanOptions& options);

  // What the next attempt is asked for, and its share of the budget.
  PlanOptions options() const;
  Budget share(const Budget& budget) const;
  // Takes its result, and makes that of all attempts of it; whether it is the answer.
  Result<bool> take(const Scene& scene, const Budget& budget, PlanResult& result);

 private:
  bool last() const { return next_ + 1 == margins_.size(); }
  bool certify_later() const { return options_.check.certificate && !last(); }

  PlanOptions options_;
  std::vector<double> margins_;
  std::size_t next_ = 0;
  PlanStats stats_;
  std::string reason_;  // why the margin before was not kept
};

}  // namespace proven
