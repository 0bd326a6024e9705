// proven traffic check for bodies in space.
#pragma once

#include <string>

#include "proven/spacetime/check.h"
#include "tools/command.h"
#include "tools/traffic_spans.h"

namespace proven::tools {

// Checks every body of `candidates` against those of `scene`; without candidates, every moving body
// of the scene against all others.
int run_bodies_check(const std::string& scene, const std::string& candidates,
                     const spacetime::TrafficOptions& options, ChosenAfterwards afterwards,
                     const CommonOptions& common, const Budget& budget);

}  // namespace proven::tools
