// Whether an object stands on another: a proof for bodies made of upright boxes and cylinders.
#pragma once

#include <vector>

#include "manipulation/world.h"

namespace proven::manipulation {

// What is put down may hang this far above what carries it, in metres, before it settles.
inline constexpr double kLargestDrop = 0.02;
// The centre of mass is so far within the points that carry, in metres.
inline constexpr double kSupportMargin = 0.002;

// Where the lowest faces of the object (of cylinders: polygons within them) are above top faces of
// the support, kLargestDrop at most, there is contact once it has settled. If the centre of mass
// (of uniform density, elements that do not overlap) lies above the convex hull of these areas, the
// object does not tip: its weight is a convex combination of forces at their corners. Elements of
// other shapes, or inclined, carry nothing; an object that has such is not proved to stand.
bool stands_on(const std::vector<CollisionElement>& object, const Pose& X_WO,
               const std::vector<CollisionElement>& support, const Pose& X_WS);

}  // namespace proven::manipulation
