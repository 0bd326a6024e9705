// proven traffic plan: drive through recorded traffic, one proved trajectory after the other.
#pragma once

#include <string>

#include "proven/base/budget.h"
#include "tools/command.h"

namespace proven::tools {

struct PlanOptions {
  std::string problem;
  int candidates = 10000;  // per cycle
  double cycle = 0.1;      // seconds driven before the next decision
  double horizon = 3;      // seconds that a candidate looks ahead
  double clearance = 0;
};

int run_traffic_plan(const std::string& scene_file, const PlanOptions& options,
                     const std::string& output, const CommonOptions& common, const Budget& budget);

}  // namespace proven::tools
