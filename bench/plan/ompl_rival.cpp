#ifdef PROVEN_BENCH_WITH_OMPL

#include "bench/plan/ompl_rival.h"

#include <ompl/base/ScopedState.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include "bench/suite/fcl_oracle.h"
#include "proven/base/processor_time.h"
#include "proven/ompl/adapter.h"

namespace proven::bench {

RivalResult solve_with_rival(const Scene& scene, const Query& problem, double step,
                             double max_seconds, std::uint64_t seed) {
  ompl::msg::noOutputHandler();
  ompl::RNG::setSeed(static_cast<std::uint_fast32_t>(seed));
  const FclModel model(scene);
  FclOracle oracle(model);
  ompl::geometric::SimpleSetup setup(adapters::make_state_space(scene, problem));
  const auto& si = setup.getSpaceInformation();
  const adapters::StateMap map(scene, problem, setup.getStateSpace());
  std::vector<double> q;
  setup.setStateValidityChecker([&](const ompl::base::State* state) {
    if (!si->satisfiesBounds(state)) return false;
    map.to_configuration(state, q);
    return oracle.first_collision(q) < 0;
  });
  if (step > 0) si->setStateValidityCheckingResolution(step / si->getMaximumExtent());
  ompl::base::ScopedState<> start(si), goal(si);
  map.to_state(problem.start, start.get());
  map.to_state(problem.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<ompl::geometric::RRTConnect>(si));
  setup.setup();
  RivalResult result;
  result.milliseconds = 1e3 * processor_seconds([&] {
                          result.solved = setup.solve(max_seconds) && setup.haveExactSolutionPath();
                        });
  if (!result.solved) return result;
  result.raw = map.to_path(problem.start, setup.getSolutionPath());
  result.simplify_milliseconds = 1e3 * processor_seconds([&] { setup.simplifySolution(); });
  result.simplified = map.to_path(problem.start, setup.getSolutionPath());
  return result;
}

}  // namespace proven::bench

#endif
