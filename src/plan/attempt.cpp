#include "plan/attempt.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "plan/margin.h"

namespace proven {
namespace {

// A goal; if any turn will do, the nearest one, and the same with one turn more or less of each
// continuous joint.
std::vector<std::vector<double>> goal_variants(const JointSpace& space, const Query& query,
                                               const std::vector<double>& goal) {
  if (!query.any_turn) return {goal};
  constexpr double kTurn = 2 * std::numbers::pi;
  std::vector<double> nearest = goal;
  for (const int place : space.continuous()) {
    const auto c = static_cast<std::size_t>(space.planned()[static_cast<std::size_t>(place)]);
    const double turns = std::round((query.start[c] - goal[c]) / kTurn);
    if (turns != 0) nearest[c] = goal[c] + turns * kTurn;
  }
  std::vector<std::vector<double>> variants = {nearest};
  for (const int place : space.continuous()) {
    const auto c = static_cast<std::size_t>(space.planned()[static_cast<std::size_t>(place)]);
    variants.push_back(nearest);
    variants.back()[c] += nearest[c] > query.start[c] ? -kTurn : kTurn;
  }
  return variants;
}

bool is_within(const JointSpace& space, const std::vector<double>& q) {
  for (int place = 0; place < space.dimension(); ++place) {
    const auto k = static_cast<std::size_t>(place);
    const double value = q[static_cast<std::size_t>(space.planned()[k])];
    if (value < space.ranges()[k].lower || value > space.ranges()[k].upper) return false;
  }
  return true;
}

// The query's goal and the others, those alone that are valid if there is such a one.
std::vector<std::vector<double>> valid_goals(const Query& query, const PlanOptions& options,
                                             const JointSpace& space, Prover& prover,
                                             const Budget& budget) {
  if (options.other_goals.empty()) return {query.goal};
  std::vector<std::vector<double>> goals;
  Query tried = query;
  const auto try_goal = [&](const std::vector<double>& goal) {
    tried.goal = goal;
    if (!find_bad_end(tried, prover, budget)) goals.push_back(goal);
  };
  try_goal(query.goal);
  for (const std::vector<double>& goal : options.other_goals)
    if (is_within(space, goal)) try_goal(goal);
  if (goals.empty()) goals.push_back(query.goal);
  return goals;
}

// Why no path was found, as far as one can tell.
std::string explain_failure(const IterationCount& iterations, const Prover* prover,
                            bool ends_as_written) {
  std::string reason = fmt::format(
      "no path found in {} iterations and {:.3g} s; there may be one: {} or try another seed or "
      "planner",
      iterations.done(), iterations.seconds(),
      iterations.exhausted() ? "allow more iterations" : "raise the budget");
  if (ends_as_written)
    reason +=
        "; continuous joints end at the goal as it is written (any_turn lets them end whole "
        "turns away)";
  if (!prover) return reason;
  const Scene& scene = prover->scene();
  if (const auto blocker = prover->most_frequent_blocker())
    reason += fmt::format("; most in the way: {} and {}, in {} of {} contacts",
                          scene.body(blocker->bodies[0]).name, scene.body(blocker->bodies[1]).name,
                          blocker->times, blocker->of);
  return reason;
}

Path path_of(const JointSpace& space, const std::vector<Point>& points, std::size_t size) {
  Path path;
  for (const Point& point : points) {
    path.waypoints.emplace_back(size);
    space.complete(point, path.waypoints.back());
  }
  return path;
}

Point point_of(const JointSpace& space, const std::vector<double>& q) {
  Point point(static_cast<std::size_t>(space.dimension()));
  space.restrict(q, point);
  return point;
}

// Of several attempts at one query.
void add(const PlanStats& other, PlanStats& stats) {
  stats.iterations += other.iterations;
  stats.configurations += other.configurations;
  stats.segments += other.segments;
  stats.candidate_paths += other.candidate_paths;
  stats.check += other.check;
  stats.configuration_seconds += other.configuration_seconds;
  stats.seconds += other.seconds;
}

// A margin that is tried gets this share of what is left of time and iterations.
constexpr int kMarginShare = 10;

// A path that is not proved free is no solution.
void take_proof(const Scene& scene, CheckResult proof, const Budget& budget, PlanResult& result) {
  result.proved = proof.verdict == Verdict::free;
  result.certificate = std::move(proof.certificate);
  if (result.proved) return;
  result.status = budget.cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
  result.reason = "the path was found, but not proved to the end";
  if (proof.collision)
    result.reason = fmt::format(
        "the planner's path collides: {} and {} meet; this is a defect of the pre-check, please "
        "report it",
        scene.body(proof.collision->bodies[0]).name, scene.body(proof.collision->bodies[1]).name);
}

}  // namespace

Result<void> validate_problem(const Scene& scene, const Query& query, const PlanOptions& options) {
  if (auto still = scene.require_no_clock(); !still.ok()) return still;
  if (auto valid = validate_query(scene, query); !valid.ok()) return valid;
  Query other = query;
  for (const std::vector<double>& goal : options.other_goals) {
    other.goal = goal;
    if (auto valid = validate_query(scene, other); !valid.ok()) return valid;
  }
  return validate(scene.tree(), options.constraints);
}

Attempt::Attempt(const Scene& scene, const Query& query, const PlanOptions& options,
                 const Budget& budget)
    : query_(query),
      options_(options),
      space_(scene, query),
      iterations_(options.max_iterations, budget) {}

bool Attempt::begin(Prover& prover) {
  const Budget& budget = iterations_.budget();
  const auto goals = valid_goals(query_, options_, space_, prover, budget);
  query_.goal = goals.front();
  if (auto bad = find_bad_end(query_, prover, budget)) {
    count(prover.counts(), 0);
    if (budget.stopped()) {
      give_up(&prover);
      return false;
    }
    result_.status = bad->is_start ? PlanStatus::start_invalid : PlanStatus::goal_invalid;
    result_.reason = std::move(bad->reason);
    result_.obstruction = std::move(bad->obstruction);
    result_.broken = std::move(bad->broken);
    return false;
  }
  start_ = point_of(space_, query_.start);
  for (const std::vector<double>& goal : goals)
    for (const std::vector<double>& variant : goal_variants(space_, query_, goal))
      goals_.push_back(point_of(space_, variant));
  return true;
}

void Attempt::give_up(const Prover* prover) {
  const bool cancelled = iterations_.budget().cancelled();
  result_.status = cancelled ? PlanStatus::cancelled : PlanStatus::budget;
  result_.reason = cancelled ? "stopped" : explain_failure(iterations_, prover, ends_as_written());
}

void Attempt::take(const std::vector<Point>& points) {
  result_.status = PlanStatus::solved;
  result_.path = path_of(space_, points, query_.start.size());
}

Result<Verdict> Attempt::prove(const CheckModel& prepared) {
  auto proof = prove_finally(prepared, result_.path, options_.check, iterations_.budget());
  if (!proof.ok()) return proof.error();
  const Verdict verdict = proof.value().verdict;
  take_proof(prepared.scene(), std::move(proof).value(), iterations_.budget(), result_);
  if (result_.proved && !options_.constraints.empty()) {
    const KinematicTree& tree = prepared.scene().tree();
    ConstraintProver constraints(tree, options_.constraints, options_.check.tracking_error);
    const ConstraintResult kept = constraints.check(result_.path);
    if (kept.verdict != ConstraintVerdict::kept) {
      result_.proved = false;
      result_.status = PlanStatus::budget;
      result_.reason = describe(tree, options_.constraints, kept);
    }
  }
  result_.stats.seconds = iterations_.seconds();
  return verdict;
}

void Attempt::count(const Prover::Counts& counts, std::int64_t candidate_paths) {
  PlanStats& stats = result_.stats;
  stats.iterations = iterations_.done();
  stats.configurations = counts.configurations;
  stats.segments = counts.segments;
  stats.candidate_paths = candidate_paths;
  stats.check = counts.check;
  stats.configuration_seconds = counts.configuration_seconds;
  stats.seconds = iterations_.seconds();
}

MarginTrials::MarginTrials(const PlanOptions& options)
    : options_(options), margins_(margins_to_try(options.margin, options.check.clearance)) {}

PlanOptions MarginTrials::options() const {
  PlanOptions tried = options_;
  tried.margin = margins_[next_];
  tried.check = with_margin(options_.check, tried.margin);
  if (certify_later()) tried.check.certificate = false;
  tried.max_iterations =
      (options_.max_iterations - stats_.iterations) / (last() ? 1 : kMarginShare);
  return tried;
}

Budget MarginTrials::share(const Budget& budget) const {
  return last() ? budget : budget.at_most(budget.seconds_left() / kMarginShare);
}

Result<bool> MarginTrials::take(const Scene& scene, const Budget& budget, PlanResult& result) {
  add(result.stats, stats_);
  result.stats = stats_;
  const bool solved = result.status == PlanStatus::solved;
  if (solved) {
    result.margin_kept = margins_[next_];
    result.margin_reason = std::move(reason_);
  }
  if (solved && certify_later() && result.proved) {
    auto proof = prove_finally(scene, result.path, options_.check, budget);
    if (!proof.ok()) return proof.error();
    take_proof(scene, std::move(proof).value(), budget, result);
  }
  if (solved || last() || result.status == PlanStatus::cancelled) return true;
  reason_ = std::move(result.reason);
  ++next_;
  return false;
}

}  // namespace proven
