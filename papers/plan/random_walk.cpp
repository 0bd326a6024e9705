#include "papers/plan/random_walk.h"

#include <algorithm>
#include <chrono>

#include "proven/plan/joint_space.h"

namespace proven {
namespace {

class Walk {
 public:
  Walk(CheckModel model, const JointSpace& space, const WalkOptions& options, const Budget& budget)
      : options_(options),
        budget_(budget),
        space_(space),
        random_(options.seed),
        prover_(std::move(model)) {
    for (int place = 0; place < space_.dimension(); ++place) {
      const auto c = static_cast<std::size_t>(space_.planned()[static_cast<std::size_t>(place)]);
      if (!prover_.scene().tree().coordinates()[c].quaternion) movable_.push_back(place);
    }
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
    if (!prover_.seems_free({q, next, started_free_}, budget_)) return false;
    started_free_ = true;
    q = std::move(next);
    return true;
  }

  const CheckStats& stats() const { return prover_.counts().check; }

 private:
  const WalkOptions& options_;
  const Budget& budget_;
  const JointSpace& space_;
  Random random_;
  Prover prover_;
  std::vector<int> movable_;
  bool started_free_ = false;  // a step from or to where it stands was proved
};

}  // namespace

Result<WalkResult> random_walk(const Scene& scene, std::span<const double> start,
                               std::span<const int> planned,
                               const std::function<bool(std::span<const double>)>& arrived,
                               const WalkOptions& options, const Budget& budget) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> q(start.begin(), start.end());
  const Query query{q, q, {planned.begin(), planned.end()}, {}};
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  if (auto valid = validate_query(scene, query); !valid.ok()) return valid.error();
  const JointSpace space(scene, query);
  const auto model = CheckModel::build(scene, options.check, space.full_ranges());
  if (!model.ok()) return model.error();
  Walk walk(model.value(), space, options, budget);
  WalkResult result;
  result.path.waypoints.push_back(q);
  result.arrived = arrived(q);
  while (!result.arrived && walk.can_move() && result.steps < options.max_steps) {
    if (budget.stopped()) break;
    if (++result.steps % 64 == 0) budget.report("steps", result.steps);
    if (!walk.step(q)) continue;
    result.path.waypoints.push_back(q);
    result.arrived = arrived(q);
  }
  result.check = walk.stats();
  result.seconds = seconds();
  return result;
}

}  // namespace proven
