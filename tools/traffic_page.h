// A self-contained page of a traffic scene: roads, obstacles over time, trajectories in the colour
// of their verdict, contacts; a slider moves time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "proven/io/traffic_file.h"
#include "proven/spacetime/check.h"

namespace proven::tools {

struct PageCandidate {
  NamedTrajectory motion;
  spacetime::TrafficResult result;
  int self = -1;        // the obstacle that it is itself
  bool chosen = false;  // drawn on top, thick
};

// A candidate that was only looked at.
struct FaintPath {
  std::vector<spacetime::Vec2> line;
  Verdict verdict = Verdict::undecided;
};

struct TrafficPage {
  std::string title, subtitle;
  std::vector<Lanelet> lanelets;
  std::vector<spacetime::Obstacle> obstacles;
  std::vector<PageCandidate> candidates;
  std::vector<FaintPath> faint_paths;
  std::vector<spacetime::Footprint> goals;
};

Result<void> write_page(const TrafficPage& page, const std::filesystem::path& file);

}  // namespace proven::tools
