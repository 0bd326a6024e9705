// How paths are told of, for people and as JSON: how long, and how far from everything else.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proven/base/result.h"
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

// Of *.jsonl, files of line 0 and so on stand in a folder as 1.json or 1.proof; empty if the folder
// is.
std::string file_of_line(const std::string& folder, std::size_t line, const char* ending);
// Makes those folders that have a name.
Result<void> make_folders(const std::vector<std::string>& folders);
// A line of the answer that says what is wrong with one; gives its exit code.
int print_line_error(const Error& error, bool json);
// What an earlier run left in the place of these files goes.
void remove_files(const std::vector<std::string>& files);

// Lines that are worked on at a time: a reader sees answers early, and an interrupt loses one batch
// at most. What asks a GPU takes more.
std::size_t lines_at_a_time(const std::string& device);

}  // namespace proven::tools
