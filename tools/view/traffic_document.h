// Traffic in the viewer: roads, obstacles while they exist, and trajectories with their verdicts.
#pragma once

#include <vector>

#include "proven/io/traffic_file.h"
#include "proven/spacetime/check.h"
#include "tools/view/document.h"

namespace proven::tools {

struct ShownTrajectory {
  NamedTrajectory motion;
  spacetime::TrafficResult result;
};

// One motion of the document per trajectory; without any, the traffic alone.
ViewDocument traffic_document(const TrafficFile& file, const std::vector<ShownTrajectory>& shown,
                              double clearance);

}  // namespace proven::tools
