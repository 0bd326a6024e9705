#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "proven/certify/check.h"
#include "proven/ompl/adapter.h"

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
  none.check.certificate = false;
  return plan(scene, problem, none);
}

void set_ends(og::SimpleSetup& setup, const StateMap& map, const PlanProblem& problem) {
  ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
  map.to_state(problem.start, start.get());
  map.to_state(problem.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
}

// The path as literal values, proved as a whole without the impatience of single motions.
Result<void> take_path(const Scene& scene, Path path, const PlanOptions& options,
                       PlanResult& answer) {
  const CheckOptions patient;
  CheckOptions check_options = options.check;
  check_options.resolution = std::min(check_options.resolution, patient.resolution);
  check_options.max_cells = patient.max_cells;
  Workspace workspace;
  auto checked = check(scene, path, check_options, workspace);
  if (!checked.ok()) return checked.error();
  answer.stats.check = checked.value().stats;
  answer.proved = checked.value().verdict == Verdict::free;
  if (!answer.proved) {
    answer.reason = "the path that OMPL returned could not be proved free";
    return {};
  }
  answer.status = PlanStatus::solved;
  answer.reason.clear();
  answer.path = std::move(path);
  answer.certificate = std::move(checked.value().certificate);
  return {};
}

}  // namespace

Result<PlanResult> plan_with_ompl(const Scene& scene, const PlanProblem& problem,
                                  const std::string& planner, const PlanOptions& options) {
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
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
  const auto cancelled = [&] { return options.check.cancel && options.check.cancel->load(); };
  const auto stop = [&] { return seconds() > options.max_seconds || cancelled(); };
  const bool solved =
      setup.solve(ob::PlannerTerminationCondition(stop)) && setup.haveExactSolutionPath();
  PlanResult& answer = result.value();
  answer = PlanResult{};
  const auto& validator = *setup.getSpaceInformation()->getMotionValidator();
  answer.stats.segments = validator.getValidMotionCount() + validator.getInvalidMotionCount();
  if (solved) {
    Path path = map->to_path(problem.start, setup.getSolutionPath());
    if (auto taken = take_path(scene, std::move(path), options, answer); !taken.ok())
      return taken.error();
  } else {
    answer.status = cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
    answer.reason =
        fmt::format("no path found in {:.3g} s; there may be one: raise the budget", seconds());
  }
  answer.stats.seconds = seconds();
  return result;
}

}  // namespace proven::adapters
