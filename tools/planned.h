// What `plan` was asked, what it found, and how that is told.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "proven/plan/plan.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/timing.h"
#include "tools/plan_problem.h"
#include "tools/view/visuals.h"

namespace proven::tools {

struct PlanArguments {
  ProblemArguments problem;
  std::string output, report, certificate, checker{to_string(kProvingChecker)};
  std::string device = "threads";
  PlanOptions options;
  bool list = false, smooth = false, timed = false;
  std::vector<RobotVisuals> visuals;  // of the report
};

// What is found, and what is made of it.
struct Planned : PlanResult {
  std::vector<PlanGoal> asked;
  GoalsResult goals;                  // configurations for them
  double first_length = 0;            // of the path as it was planned
  std::int64_t rounds = 0;            // of other paths, for a shorter one
  std::optional<TimingResult> timed;  // of a proved path, if asked for
};

int exit_code(const PlanResult& result);
nlohmann::ordered_json to_json(const Planned& result, const Scene& scene,
                               const PlanArguments& arguments);
void print(const Planned& result, const Scene& scene, const PlanArguments& arguments);

}  // namespace proven::tools
