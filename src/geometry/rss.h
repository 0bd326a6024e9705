// Distance between two rectangle-swept spheres, as a safe lower bound.
#pragma once

#include "bv_rounding.h"
#include "proven/geometry/bv_tree.h"

namespace proven {

// A lower bound on the distance between the RSS of node a (of body A) and of node b (of body B);
// 0 if they are not proved apart. Tight up to twice the rounding margin.
double rss_distance_lower(const BvNode& a, const BvNode& b, const BvPairPose& pose);

}  // namespace proven
