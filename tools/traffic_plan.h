// proven traffic plan: drive through recorded traffic, one proved trajectory after the other.
#pragma once

#include <string>

#include "proven/base/budget.h"
#include "proven/spacetime/prediction.h"
#include "proven/spacetime/vehicle.h"
#include "tools/command.h"
#include "tools/traffic_spans.h"

namespace proven::tools {

struct PlanOptions {
  std::string problem;
  int candidates = 10000;  // per cycle
  double cycle = 0.1;      // seconds driven before the next decision
  double horizon = 3;      // seconds that a candidate looks ahead
  double clearance = 0;
  double margin = 0.3;  // beyond that, where a candidate can
  bool ignore_road = false;
  bool fail_safe = false;
  spacetime::MoverBounds movers;  // fail_safe
  spacetime::VehicleModel vehicle;
  ChosenAfterwards afterwards;
  std::string trajectory;   // a file to write the drive to
  std::string certificate;  // and its proof
};

int run_traffic_plan(const std::string& scene_file, const PlanOptions& options,
                     const std::string& output, const CommonOptions& common, const Budget& budget);

}  // namespace proven::tools
