#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <chrono>
#include <cmath>

#include "adapters/ompl/adapter.h"
#include "proven/certify/check.h"

namespace proven::adapters {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

// Start and goal judged by our own planner's rules: a plan without iterations.
Result<PlanResult> judge_ends(const Scene& scene, const PlanProblem& problem,
                              const PlanOptions& options) {
  PlanOptions none = options;
  none.planner = "rrt-connect";
  none.max_iterations = 0;
  return plan(scene, problem, none);
}

void set_ends(og::SimpleSetup& setup, const StateMap& map, const PlanProblem& problem) {
  ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
  map.to_state(problem.start, start.get());
  map.to_state(problem.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
}

}  // namespace

Result<PlanResult> plan_with_ompl(const Scene& scene, const PlanProblem& problem,
                                  const std::string& planner, const PlanOptions& options) {
  auto result = judge_ends(scene, problem, options);
  if (!result.ok()) return result;
  const auto status = result.value().status;
  if (status == PlanStatus::start_invalid || status == PlanStatus::goal_invalid) return result;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const ob::StateSpacePtr space = make_state_space(scene, problem);
  if (!space) return bad_input("the OMPL adapter does not plan for ball joints");
  ompl::msg::noOutputHandler();
  ompl::RNG::setSeed(static_cast<std::uint_fast32_t>(options.seed));
  og::SimpleSetup setup(space);
  const auto map = use_proofs(setup.getSpaceInformation(), scene, problem, options.check);
  set_ends(setup, *map, problem);
  const ob::PlannerPtr chosen = make_ompl_planner(planner, setup.getSpaceInformation());
  if (!chosen)
    return bad_input(fmt::format("OMPL has no planner '{}' that can be used here; there are: {}",
                                 planner, fmt::join(ompl_planners(), " ")));
  setup.setPlanner(chosen);
  const auto stop = [&] {
    return seconds() > options.max_seconds ||
           (options.check.cancel && options.check.cancel->load());
  };
  const bool solved =
      setup.solve(ob::PlannerTerminationCondition(stop)) && setup.haveExactSolutionPath();
  PlanResult& answer = result.value();
  answer = PlanResult{};
  const auto& validator = *setup.getSpaceInformation()->getMotionValidator();
  answer.stats.segments = validator.getValidMotionCount() + validator.getInvalidMotionCount();
  answer.reason = "no path within the budget; there may be one";
  if (solved) {
    answer.path = map->to_path(problem.start, setup.getSolutionPath());
    Workspace workspace;
    const auto check_result = check(scene, answer.path, options.check, workspace);
    if (!check_result.ok()) return check_result.error();
    answer.proved = check_result.value().verdict == Verdict::free;
    answer.stats.check = check_result.value().stats;
    if (answer.proved) {
      answer.status = PlanStatus::solved;
      answer.reason.clear();
    } else {
      answer.reason = fmt::format("the path of {} could not be proved free", planner);
    }
  }
  answer.stats.seconds = seconds();
  return result;
}

}  // namespace proven::adapters
