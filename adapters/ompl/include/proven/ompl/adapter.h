// Proven for users of OMPL: a MotionValidator and a StateValidityChecker that prove what they call
// valid.
//
//   auto space = proven::adapters::make_state_space(scene, query);
//   auto si = std::make_shared<ompl::base::SpaceInformation>(space);
//   proven::adapters::use_proofs(si, scene, query, proven::proving_check());
//
// then any planner of OMPL. A motion is valid only if the straight motion between its states is
// proved free; there is no resolution to choose.
#pragma once

#include <ompl/base/MotionValidator.h>
#include <ompl/base/Planner.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/geometric/PathGeometric.h>

#include <memory>
#include <vector>

#include "proven/plan/plan.h"

namespace proven::adapters {

// The planned coordinates of a query, in the scene's order: a RealVectorStateSpace within the joint
// limits, continuous joints unrolled over two turns, so that paths end at the goal as it is
// written. If any turn will do, a compound of such spaces and SO2, one per coordinate. Ball joints
// are not supported (null).
ompl::base::StateSpacePtr make_state_space(const Scene& scene, const Query& query);

// States of such a space as configurations of the scene.
class StateMap {
 public:
  StateMap(const Scene& scene, const Query& query, ompl::base::StateSpacePtr space);

  // The literal values of a state.
  void to_configuration(const ompl::base::State* state, std::vector<double>& q) const;
  // The same, each SO2 joint so many turns on that it is nearest to `from`: where OMPL's straight
  // motion from there ends.
  void to_configuration_after(const std::vector<double>& from, const ompl::base::State* state,
                              std::vector<double>& q) const;
  void to_state(const std::vector<double>& q, ompl::base::State* state) const;
  // A path as literal waypoints from `start`, which is the path's first state.
  Path to_path(const std::vector<double>& start, const ompl::geometric::PathGeometric& path) const;

 private:
  std::vector<int> planned_;
  std::vector<bool> turns_;  // per place: an SO2 joint
  std::vector<double> rest_;
  ompl::base::StateSpacePtr space_;
};

// Provers for any number of threads.
class ProverPool;

class ProvingStateValidityChecker : public ompl::base::StateValidityChecker {
 public:
  ProvingStateValidityChecker(ompl::base::SpaceInformation* si, std::shared_ptr<StateMap> map,
                              std::shared_ptr<ProverPool> pool);
  bool isValid(const ompl::base::State* state) const override;

 private:
  std::shared_ptr<StateMap> map_;
  std::shared_ptr<ProverPool> pool_;
};

class ProvingMotionValidator : public ompl::base::MotionValidator {
 public:
  ProvingMotionValidator(ompl::base::SpaceInformation* si, std::shared_ptr<StateMap> map,
                         std::shared_ptr<ProverPool> pool);
  bool checkMotion(const ompl::base::State* s1, const ompl::base::State* s2) const override;
  // Of an invalid motion: a state on it up to which the motion is proved free, and its fraction.
  // The state may be null. The first state is valid, as OMPL demands.
  bool checkMotion(const ompl::base::State* s1, const ompl::base::State* s2,
                   std::pair<ompl::base::State*, double>& last_valid) const override;

 private:
  void count(bool valid) const;

  std::shared_ptr<StateMap> map_;
  std::shared_ptr<ProverPool> pool_;
};

// Sets both on the space information. Options that make no sense throw std::logic_error.
std::shared_ptr<StateMap> use_proofs(const ompl::base::SpaceInformationPtr& si, const Scene& scene,
                                     const Query& query, const CheckOptions& options);

// Solves with the planner of that name ("RRTConnect"); the result is proved again as literal
// values.
Result<PlanResult> plan_with_ompl(const Scene& scene, const Query& query,
                                  const std::string& planner, const PlanOptions& options,
                                  const Budget& budget = {});
// The names it knows.
std::vector<std::string> ompl_planners();
// A planner by name; null if unknown.
ompl::base::PlannerPtr make_ompl_planner(const std::string& name,
                                         const ompl::base::SpaceInformationPtr& si);

}  // namespace proven::adapters
