// The independent verifier of traffic: checks the proof that a trajectory is free among moving
// obstacles, or a witness that it is not. It reads the files itself, in code of its own, and
// computes in interval arithmetic (docs/verifier.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace proven {

struct TrafficVerifyOptions {
  double clearance = 0;               // metres, required of every obstacle
  std::vector<std::string> left_out;  // names of obstacles that are not asked about
  // What obstacles are taken to do after their last sample or occupancy: "rest", "continue"
  // (straight on as in the last step; sets stay) or "gone". A proof made for another is rejected.
  std::string after = "continue";
  // Of trajectories whose file gives no shape.
  double length = 4.5, width = 2.0;
};

struct TrafficVerifyReport {
  bool accepted = false;
  std::string reason;                // why not: the first failure
  std::vector<std::string> theorem;  // what has been proved, in sentences
  int trajectories = 0, free = 0, collisions = 0;
  std::int64_t pairs = 0, leaves = 0;
  double seconds = 0;
};

// The scene is CommonRoad .xml or traffic .json, the trajectories are .json.
TrafficVerifyReport verify_traffic(const std::filesystem::path& scene,
                                   const std::filesystem::path& trajectories,
                                   std::string_view certificate,
                                   const TrafficVerifyOptions& options);

}  // namespace proven
