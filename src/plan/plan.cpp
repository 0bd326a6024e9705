#include "proven/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plan/ends.h"
#include "plan/final_proof.h"
#include "plan/solve.h"
#include "proven/certify/check.h"

namespace proven {
namespace {

struct Entry {
  PlannerInfo info;
  bool proving;
  Solution (*solve)(SolveContext&);
};

constexpr Entry kPlanners[] = {
    {{"rrt-connect", "two trees that grow towards each other, every edge proved"},
     true,
     solve_rrt_connect},
    {{"a-sbl", "two lazy trees, candidate paths proved (A-SBL)"}, true, solve_sbl},
    {{"prm", "a roadmap with proved edges, larger until it connects start and goal"},
     true,
     solve_prm},
    {{"lazy-prm", "the same, proving only the edges on the paths it finds"}, true, solve_lazy_prm},
    {{"sbl", "the same with a fixed step; finds paths, proves nothing (SBL)"}, false, solve_sbl},
};

const Entry* find_planner(std::string_view name) {
  for (const Entry& entry : kPlanners)
    if (entry.info.name == name) return &entry;
  return nullptr;
}

// The goal, and the same with whole turns of each continuous joint alone, nearest first.
std::vector<std::vector<double>> goal_variants(const JointSpace& space,
                                               const PlanProblem& problem) {
  constexpr double kTurn = 2 * std::numbers::pi;
  std::vector<double> nearest = problem.goal;
  for (const int place : space.continuous()) {
    const auto c = static_cast<std::size_t>(space.planned()[static_cast<std::size_t>(place)]);
    const double turns = std::round((problem.start[c] - problem.goal[c]) / kTurn);
    if (turns != 0) nearest[c] = problem.goal[c] + turns * kTurn;
  }
  std::vector<std::vector<double>> variants = {nearest};
  for (const int place : space.continuous()) {
    const auto c = static_cast<std::size_t>(space.planned()[static_cast<std::size_t>(place)]);
    variants.push_back(nearest);
    variants.back()[c] += nearest[c] > problem.start[c] ? -kTurn : kTurn;
  }
  return variants;
}

// Why no path was found, as far as one can tell.
std::string explain_failure(const Scene& scene, const PlanBudget& budget, const Prover& prover) {
  std::string reason = fmt::format(
      "no path found in {} iterations and {:.3g} s; there may be one: raise the budget or try "
      "another seed or planner",
      budget.iterations(), budget.seconds());
  if (const auto blocker = prover.most_frequent_blocker())
    reason += fmt::format("; most in the way: {} and {}, in {} of {} contacts",
                          scene.body(blocker->bodies[0]).name, scene.body(blocker->bodies[1]).name,
                          blocker->times, blocker->of);
  return reason;
}

void finish(const Scene& scene, const Solution& solution, const PlanBudget& budget,
            const Prover& prover, PlanResult& result) {
  if (!solution) {
    result.status = budget.cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
    result.reason = budget.cancelled() ? "stopped" : explain_failure(scene, budget, prover);
    return;
  }
  result.status = PlanStatus::solved;
  result.proved = prover.proves();
  for (const int configuration : *solution) {
    std::vector<double> waypoint(scene.home().size());
    prover.space().complete(prover.point(configuration), waypoint);
    result.path.waypoints.push_back(std::move(waypoint));
  }
}

}  // namespace

CheckOptions proving_check() {
  CheckOptions options;
  options.checker = kProvingChecker;
  options.resolution = 1e-3;
  options.max_cells = 100'000;
  return options;
}

bool PlanBudget::next() {
  if (iterations_ >= options_.max_iterations || cancelled()) return false;
  if (std::isfinite(options_.max_seconds) && seconds() > options_.max_seconds) return false;
  ++iterations_;
  if (options_.progress && iterations_ % 64 == 0) options_.progress(iterations_);
  return true;
}

PlanProblem problem_of(const Query& query) {
  return {query.start, query.goal, query.planned, {}};
}

std::span<const PlannerInfo> planners() {
  static const std::vector<PlannerInfo> all = [] {
    std::vector<PlannerInfo> list;
    for (const Entry& entry : kPlanners) list.push_back(entry.info);
    return list;
  }();
  return all;
}

Result<PlanResult> plan(const Scene& scene, const PlanProblem& problem,
                        const PlanOptions& options) {
  const Entry* planner = find_planner(options.planner);
  if (!planner) {
    std::string names;
    for (const Entry& entry : kPlanners) names += fmt::format(" {}", entry.info.name);
    return bad_input(fmt::format("there is no planner '{}'; there are:{}", options.planner, names));
  }
  CheckOptions check = options.check;
  if (!planner->proving) check.checker = Checker::fixed;
  check.max_seconds = std::min(check.max_seconds, options.max_seconds);
  if (auto valid = validate(check); !valid.ok()) return valid.error();
  if (auto valid = validate_problem(scene, problem); !valid.ok()) return valid.error();

  PlanBudget budget(options);
  const JointSpace space(scene, problem);
  Prover prover(scene, without_certificate(check), space);
  PlanResult result;
  const int start = prover.add_full(problem.start);
  std::vector<int> goals;
  for (const std::vector<double>& goal : goal_variants(space, problem))
    goals.push_back(prover.add_full(goal));
  if (accept_ends(scene, problem, prover, start, goals[0], result)) {
    SolveContext context{scene, problem, options, space, prover, budget, start, std::move(goals)};
    finish(scene, planner->solve(context), budget, prover, result);
  }
  result.stats = prover.stats();
  result.stats.iterations = budget.iterations();
  result.stats.seconds = budget.seconds();
  if (!result.proved) return result;
  auto certificate = certificate_of(scene, result.path, options.check);
  if (!certificate.ok()) return certificate.error();
  result.certificate = std::move(certificate).value();
  return result;
}

}  // namespace proven
