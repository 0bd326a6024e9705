// How paths are told of, for people and as JSON: how long, and how far from everything else.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "proven/certify/options.h"
#include "proven/scene/scene.h"

namespace proven::tools {

// The margin that commands ask for, in metres, and how much shorter a waypoint must make a path.
inline constexpr double kMargin = 0.01, kWaypointCost = 1e-3;
// With a budget, other paths are tried until it is spent.
inline constexpr std::int64_t kRoundsForBudget = std::numeric_limits<std::int64_t>::max();
inline constexpr const char* kMarginHelp =
    "Wanted distance in metres to the world and other robots, beyond what is required; less where "
    "nothing else is possible; 0: none";

struct PathReport {
  const Path& path;
  const CheckOptions& required;
  double margin_asked = 0, margin_kept = 0;
  std::string margin_reason = {};
  bool proved = true;
};

// Fields to be added to the report of a command.
nlohmann::ordered_json path_json(const Scene& scene, const PathReport& report);
// Lines that follow the first one.
void print_path(const Scene& scene, const PathReport& report);

// Where the path goes to standard output ("-"), what people and programs read of it goes to
// standard error.
void keep_stdout_for(const std::string& output);

}  // namespace proven::tools
