// What every planner gets, and the list of them.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "plan/prover.h"
#include "proven/base/random.h"

namespace proven {

class PlanBudget {
 public:
  explicit PlanBudget(const PlanOptions& options)
      : options_(options), start_(std::chrono::steady_clock::now()) {}

  // Counts one iteration; false when the planner has to stop.
  bool next();
  bool cancelled() const { return options_.check.cancel && options_.check.cancel->load(); }
  std::int64_t iterations() const { return iterations_; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const PlanOptions& options_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t iterations_ = 0;
};

// Configurations of the prover, from the start to one of the goals.
using Solution = std::optional<std::vector<int>>;

struct SolveContext {
  const Scene& scene;
  const PlanProblem& problem;
  const PlanOptions& options;
  const JointSpace& space;
  Prover& prover;
  PlanBudget& budget;
  int start;
  std::vector<int> goals;  // the goal, and the same with whole turns of continuous joints
};

Solution solve_rrt_connect(SolveContext& context);
Solution solve_sbl(SolveContext& context);
Solution solve_prm(SolveContext& context);
Solution solve_lazy_prm(SolveContext& context);

}  // namespace proven
