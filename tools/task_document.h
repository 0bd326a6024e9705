// A task, its plan and the way to it as the viewer's document holds them (docs/viewer.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "manipulation/steps.h"
#include "proven/task/planner.h"

namespace proven::tools {

// All of it must outlive whatever is made of it.
struct ShownTask {
  const task::Domain& domain;
  const task::Problem& problem;
  const task::TaskResult& result;
  std::optional<bool> valid;  // nothing: the validator did not get to it
  std::string judgement;      // of the validator, in words
};

// "[name object ...]" for every module that an action of a plan asks: its conditions, then its
// effects.
std::vector<std::string> calls_of(const task::Domain& domain, const task::PlannedAction& action);
// The place in the plan of the action that each step belongs to; -1: none has its call.
std::vector<int> actions_of(const ShownTask& task,
                            const std::vector<manipulation::PlanStep>& steps);
nlohmann::ordered_json stats_json(const task::TaskStats& stats);
// "motion" of an action is the place of its motion in the document, by `motions`; -1: none.
nlohmann::ordered_json task_json(const ShownTask& task, const std::vector<int>& motions);

}  // namespace proven::tools
