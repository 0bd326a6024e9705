#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ompl/base/PlannerTerminationCondition.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "proven/ompl/adapter.h"
#include "proven/plan/joint_space.h"

namespace proven::adapters {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

// Of the goals the first that is valid becomes the query's.
std::optional<BadEnd> find_end_fault(const Scene& scene, Query& query, const PlanOptions& options,
                                     const Budget& budget) {
  CheckOptions check = options.check;
  check.certificate = false;
  Prover prover(CheckModel::build(scene, check, JointSpace(scene, query).full_ranges()).value());
  auto fault = find_bad_end(query, prover, budget);
  if (!fault || fault->is_start) return fault;
  for (const std::vector<double>& goal : options.other_goals) {
    Query other = query;
    other.goal = goal;
    if (!validate_query(scene, other).ok() || find_bad_end(other, prover, budget)) continue;
    query.goal = goal;
    return std::nullopt;
  }
  return fault;
}

void set_ends(og::SimpleSetup& setup, const StateMap& map, const Query& query) {
  ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
  map.to_state(query.start, start.get());
  map.to_state(query.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
}

// The path as literal values, proved as a whole.
Result<void> take_path(const Scene& scene, Path path, const PlanOptions& options,
                       const Budget& budget, PlanResult& answer) {
  auto checked = prove_finally(scene, path, options.check, budget);
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

Result<PlanResult> plan_with_ompl(const Scene& scene, const Query& asked,
                                  const std::string& planner, const PlanOptions& options,
                                  const Budget& budget) {
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  if (auto valid = validate_query(scene, asked); !valid.ok()) return valid.error();
  if (auto within = require_within_limits(scene, asked, options.check); !within.ok())
    return within.error();
  if (!options.constraints.empty())
    return bad_input("planners of OMPL honour no constraints along the path; rrt-connect does");
  Query query = asked;
  PlanResult answer;
  if (auto bad = find_end_fault(scene, query, options, budget)) {
    answer.status = bad->is_start ? PlanStatus::start_invalid : PlanStatus::goal_invalid;
    answer.reason = std::move(bad->reason);
    answer.obstruction = std::move(bad->obstruction);
    return answer;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const ob::StateSpacePtr space = make_state_space(scene, query);
  if (!space) return bad_input("the OMPL adapter does not plan for ball joints");
  ompl::msg::noOutputHandler();
  ompl::RNG::setSeed(static_cast<std::uint_fast32_t>(options.seed));
  og::SimpleSetup setup(space);
  const auto map = use_proofs(setup.getSpaceInformation(), scene, query, options.check);
  set_ends(setup, *map, query);
  const ob::PlannerPtr chosen = make_ompl_planner(planner, setup.getSpaceInformation());
  if (!chosen)
    return bad_input(fmt::format("OMPL has no planner '{}' that can be used here; there are: {}",
                                 planner, fmt::join(ompl_planners(), " ")));
  setup.setPlanner(chosen);
  const auto stop = [&] { return budget.stopped().has_value(); };
  const bool solved =
      setup.solve(ob::PlannerTerminationCondition(stop)) && setup.haveExactSolutionPath();
  const auto& validator = *setup.getSpaceInformation()->getMotionValidator();
  answer.stats.segments = validator.getValidMotionCount() + validator.getInvalidMotionCount();
  if (solved) {
    Path path = map->to_path(query.start, setup.getSolutionPath());
    if (auto taken = take_path(scene, std::move(path), options, budget, answer); !taken.ok())
      return taken.error();
  } else {
    answer.status = budget.cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
    answer.reason =
        fmt::format("no path found in {:.3g} s; there may be one: raise the budget", seconds());
  }
  answer.stats.seconds = seconds();
  return answer;
}

}  // namespace proven::adapters
