// Overlap of two oriented boxes by the fifteen separating axes.
#pragma once

#include "bv_rounding.h"
#include "proven/geometry/bv_tree.h"

namespace proven {

// True only if the OBBs of node a (of body A) and node b (of body B) are truly disjoint; boxes that
// are apart by less than the rounding margin may count as overlapping.
bool obbs_apart(const BvNode& a, const BvNode& b, const BvPairPose& pose);

}  // namespace proven
