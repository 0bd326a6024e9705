// Why a cell cuts the roadmap (paper 004, figure 9), as far as the components tell.
#pragma once

#include <cstdint>
#include <vector>

#include "proven/roadmap/roadmap.h"

namespace proven::roadmap {

// The components that are left, the largest last; at least two.
Pathology classify(const JointGraph& graph, const std::vector<std::vector<std::uint32_t>>& groups);

}  // namespace proven::roadmap
