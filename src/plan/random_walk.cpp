#include "proven/plan/random_walk.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "plan/prover.h"
#include "proven/certify/check.h"

namespace proven {
namespace {

// The session may keep a record per pair and configuration; past this many it starts anew.
constexpr std::size_t kMaxRecords = 4'000'000;

class Walk {
 public:
  Walk(const Scene& scene, const PlanProblem& problem, const WalkOptions& options)
      : scene_(scene), options_(options), space_(scene, problem), random_(options.seed) {
    for (int place = 0; place < space_.dimension(); ++place) {
      const auto c = static_cast<std::size_t>(space_.planned()[static_cast<std::size_t>(place)]);
      if (!scene.tree().coordinates()[c].quaternion) movable_.push_back(place);
    }
    begin_session(problem.start);
  }

  bool can_move() const { return !movable_.empty(); }

  // Tries one step from q, which it changes if the step is free.
  bool step(std::vector<double>& q) {
    const int place =
        movable_[static_cast<std::size_t>(random_.index(static_cast<int>(movable_.size())))];
    const auto k = static_cast<std::size_t>(place);
    const auto c = static_cast<std::size_t>(space_.planned()[k]);
    const Interval& range = space_.ranges()[k];
    const double reach = options_.largest_step;
    std::vector<double> next = q;
    next[c] =
        random_.uniform(std::max(range.lower, q[c] - reach), std::min(range.upper, q[c] + reach));
    const int to = prover_->add_full(next);
    if (!prover_->passes(prover_->add_segment(here_, to))) {
      forget(q);
      return false;
    }
    here_ = to;
    q = std::move(next);
    forget(q);
    return true;
  }

  const CheckStats& stats() const { return prover_->stats().check; }

 private:
  void begin_session(const std::vector<double>& q) {
    const PlanStats stats = prover_ ? prover_->stats() : PlanStats{};
    prover_ = std::make_unique<Prover>(scene_, options_.check, space_);
    prover_->stats() = stats;
    here_ = prover_->add_full(q);
  }

  void forget(const std::vector<double>& q) {
    const auto records =
        static_cast<std::size_t>(prover_->num_configurations()) * scene_.pairs().size();
    if (records > kMaxRecords) begin_session(q);
  }

  const Scene& scene_;
  const WalkOptions& options_;
  JointSpace space_;
  Random random_;
  std::vector<int> movable_;
  std::unique_ptr<Prover> prover_;
  int here_ = 0;
};

}  // namespace

Result<WalkResult> random_walk(const Scene& scene, std::span<const double> start,
                               std::span<const int> planned,
                               const std::function<bool(std::span<const double>)>& arrived,
                               const WalkOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> q(start.begin(), start.end());
  const PlanProblem problem{q, q, {planned.begin(), planned.end()}, {}};
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  if (auto valid = validate_problem(scene, problem); !valid.ok()) return valid.error();
  Walk walk(scene, problem, options);
  WalkResult result;
  result.path.waypoints.push_back(q);
  result.arrived = arrived(q);
  while (!result.arrived && walk.can_move() && result.steps < options.max_steps) {
    if (options.check.cancel && options.check.cancel->load()) break;
    if (std::isfinite(options.max_seconds) && seconds() > options.max_seconds) break;
    ++result.steps;
    if (options.progress && result.steps % 64 == 0) options.progress(result.steps);
    if (!walk.step(q)) continue;
    result.path.waypoints.push_back(q);
    result.arrived = arrived(q);
  }
  result.check = walk.stats();
  result.seconds = seconds();
  return result;
}

}  // namespace proven
