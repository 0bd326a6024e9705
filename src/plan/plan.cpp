#include "proven/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plan/final_proof.h"
#include "plan/margin.h"
#include "plan/solve.h"
#include "proven/certify/prover.h"

namespace proven {
namespace {

struct Entry {
  PlannerInfo info;
  bool proving;
  // Every edge of a solution was proved as it is returned, or the other way round, which is the
  // same set of configurations.
  bool literal;
  Solution (*solve)(SolveContext&);
};

constexpr Entry kPlanners[] = {
    {{"rrt-connect", "two trees that grow towards each other, every edge proved"},
     true,
     true,
     solve_rrt_connect},
    {{"a-sbl", "two lazy trees, candidate paths proved (A-SBL)"}, true, false, solve_sbl},
    {{"prm", "a roadmap with proved edges, larger until it connects start and goal"},
     true,
     false,
     solve_prm},
    {{"lazy-prm", "the same, proving only the edges on the paths it finds"},
     true,
     false,
     solve_lazy_prm},
    {{"sbl", "the same with a fixed step; finds paths, proves nothing (SBL)"},
     false,
     false,
     solve_sbl},
};

const Entry* find_planner(std::string_view name) {
  for (const Entry& entry : kPlanners)
    if (entry.info.name == name) return &entry;
  return nullptr;
}

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

Result<void> validate_goals(const Scene& scene, Query query, const PlanOptions& options) {
  if (auto valid = validate_query(scene, query); !valid.ok()) return valid;
  for (const std::vector<double>& goal : options.other_goals) {
    query.goal = goal;
    if (auto valid = validate_query(scene, query); !valid.ok()) return valid;
  }
  return {};
}

// Why no path was found, as far as one can tell.
std::string explain_failure(const IterationCount& iterations, const Prover& prover,
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
  const Scene& scene = prover.scene();
  if (const auto blocker = prover.most_frequent_blocker())
    reason += fmt::format("; most in the way: {} and {}, in {} of {} contacts",
                          scene.body(blocker->bodies[0]).name, scene.body(blocker->bodies[1]).name,
                          blocker->times, blocker->of);
  return reason;
}

void give_up(const IterationCount& iterations, const Prover& prover, bool ends_as_written,
             PlanResult& result) {
  const bool cancelled = iterations.budget().cancelled();
  result.status = cancelled ? PlanStatus::cancelled : PlanStatus::budget;
  result.reason = cancelled ? "stopped" : explain_failure(iterations, prover, ends_as_written);
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

PlanStats stats_of(const SolveContext& context) {
  const Prover::Counts& counts = context.prover.counts();
  PlanStats stats;
  stats.iterations = context.iterations.done();
  stats.configurations = counts.configurations;
  stats.segments = counts.segments;
  stats.candidate_paths = context.candidate_paths;
  stats.check = counts.check;
  stats.configuration_seconds = counts.configuration_seconds;
  stats.seconds = context.iterations.seconds();
  return stats;
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

// Whether a path was found that is proved as far as it is going to be.
void take_proof(CheckResult proof, const Budget& budget, PlanResult& result) {
  result.proved = proof.verdict == Verdict::free;
  result.certificate = std::move(proof.certificate);
  if (result.proved) return;
  result.status = budget.cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
  result.reason = "the path was found, but not proved to the end";
}

}  // namespace

CheckOptions proving_check() {
  CheckOptions options;
  options.checker = kProvingChecker;
  options.resolution = 1e-3;
  options.max_cells = 100'000;
  return options;
}

std::span<const PlannerInfo> planners() {
  static const std::vector<PlannerInfo> all = [] {
    std::vector<PlannerInfo> list;
    for (const Entry& entry : kPlanners) list.push_back(entry.info);
    return list;
  }();
  return all;
}

namespace {

// As the planner is going to check.
CheckOptions checking(const Entry& planner, CheckOptions check) {
  if (!planner.proving) check.checker = Checker::fixed;
  return check;
}

CheckModel covering(const CheckModel& model, const std::vector<Interval>& ranges) {
  std::vector<double> lower, upper;
  for (const Interval& range : ranges) {
    lower.push_back(range.lower);
    upper.push_back(range.upper);
  }
  return model.covering(lower, upper);
}

Result<PlanResult> plan_once(const CheckModel& prepared, Query query, const PlanOptions& options,
                             const Budget& budget) {
  const Scene& scene = prepared.scene();
  const Entry* planner = find_planner(options.planner);
  const CheckOptions check = checking(*planner, options.check);
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  if (auto valid = validate_goals(scene, query, options); !valid.ok()) return valid.error();
  if (auto valid = validate(scene.tree(), options.constraints); !valid.ok()) return valid.error();

  IterationCount iterations(options.max_iterations, budget);
  const JointSpace space(scene, query);
  auto model = prepared.with_options(for_planning(check));
  if (!model.ok()) return model.error();
  model = covering(model.value(), space.full_ranges());
  Prover prover(model.value(), options.constraints);
  SolveContext context{query, options, space, prover, iterations};
  const bool ends_as_written = !query.any_turn && !space.continuous().empty();
  PlanResult result;
  const auto goals = valid_goals(query, options, space, prover, budget);
  query.goal = goals.front();
  if (auto bad = find_bad_end(query, prover, budget)) {
    result.stats = stats_of(context);
    if (budget.stopped()) {
      give_up(iterations, prover, ends_as_written, result);
      return result;
    }
    result.status = bad->is_start ? PlanStatus::start_invalid : PlanStatus::goal_invalid;
    result.reason = std::move(bad->reason);
    result.obstruction = std::move(bad->obstruction);
    result.broken = std::move(bad->broken);
    return result;
  }
  context.start = point_of(space, query.start);
  for (const std::vector<double>& goal : goals)
    for (const std::vector<double>& variant : goal_variants(space, query, goal))
      context.goals.push_back(point_of(space, variant));
  const Solution solution =
      options.constraints.empty() ? planner->solve(context) : solve_constrained(context);
  result.stats = stats_of(context);
  if (!solution) {
    give_up(iterations, prover, ends_as_written, result);
    return result;
  }
  result.status = PlanStatus::solved;
  result.path = path_of(space, *solution, query.start.size());
  if (!planner->proving) return result;
  if (planner->literal && !options.check.certificate) {
    result.proved = true;
    return result;
  }
  auto proof = prove_finally(prepared, result.path, options.check, budget);
  if (!proof.ok()) return proof.error();
  take_proof(std::move(proof).value(), budget, result);
  result.stats.seconds = iterations.seconds();
  return result;
}

}  // namespace

Result<PlanResult> plan_with_margin(const Scene& scene, const PlanOptions& options,
                                    const Budget& budget, const PlanAttempt& attempt) {
  if (auto valid = validate_margin(options.margin); !valid.ok()) return valid.error();
  const std::vector<double> margins = margins_to_try(options.margin, options.check.clearance);
  PlanStats stats;
  std::string reason;  // why the margin before was not kept
  for (auto margin = margins.begin();; ++margin) {
    const bool last = margin + 1 == margins.end();
    PlanOptions tried = options;
    tried.margin = *margin;
    tried.check = with_margin(options.check, *margin);
    const bool certify_later = options.check.certificate && !last;
    if (certify_later) tried.check.certificate = false;
    tried.max_iterations = (options.max_iterations - stats.iterations) / (last ? 1 : kMarginShare);
    auto found =
        attempt(tried, last ? budget : budget.at_most(budget.seconds_left() / kMarginShare));
    if (!found.ok()) return found;
    PlanResult& result = found.value();
    add(result.stats, stats);
    result.stats = stats;
    const bool solved = result.status == PlanStatus::solved;
    if (solved) {
      result.margin_kept = *margin;
      result.margin_reason = std::move(reason);
    }
    if (solved && certify_later && result.proved) {
      auto proof = prove_finally(scene, result.path, options.check, budget);
      if (!proof.ok()) return proof.error();
      take_proof(std::move(proof).value(), budget, result);
    }
    if (solved || last || result.status == PlanStatus::cancelled) return found;
    reason = std::move(result.reason);
  }
}

namespace {

Result<const Entry*> valid_planner(const PlanOptions& options) {
  const Entry* planner = find_planner(options.planner);
  if (!planner) {
    std::string names;
    for (const Entry& entry : kPlanners) names += fmt::format(" {}", entry.info.name);
    return bad_input(fmt::format("there is no planner '{}'; there are:{}", options.planner, names));
  }
  if (auto valid = validate(checking(*planner, options.check)); !valid.ok()) return valid.error();
  if (!options.constraints.empty() && options.planner != PlanOptions{}.planner)
    return bad_input(fmt::format("constraints along the path are honoured by '{}', not by '{}'",
                                 PlanOptions{}.planner, options.planner));
  return planner;
}

}  // namespace

Result<PlanResult> plan(const CheckModel& model, const Query& query, const PlanOptions& options,
                        const Budget& budget) {
  if (auto planner = valid_planner(options); !planner.ok()) return planner.error();
  return plan_with_margin(model.scene(), options, budget,
                          [&](const PlanOptions& tried, const Budget& share) {
                            return plan_once(model, query, tried, share);
                          });
}

Result<PlanResult> plan(const Scene& scene, const Query& query, const PlanOptions& options,
                        const Budget& budget) {
  const auto planner = valid_planner(options);
  if (!planner.ok()) return planner.error();
  // Not checked here: what cannot be planned is told by its own words.
  const auto model =
      CheckModel::build(scene, for_planning(checking(*planner.value(), options.check)));
  if (!model.ok()) return model.error();
  return plan(model.value(), query, options, budget);
}

}  // namespace proven
