// Ways to grip an object, from its shape.
#pragma once

#include <vector>

#include "proven/base/vec3.h"
#include "proven/geometry/shapes.h"

namespace proven::manipulation {

// Where the hand comes from: above, or level.
enum class GraspSide { top, side };

// Poses X_OT of a grip frame (z the way the hand approaches, x the way its fingers close) for an
// object that is an upright cylinder, a box, or anything else by its box in the frame O: eight
// directions around a cylinder, those of the four across a box where it is narrower than `opening`,
// the metres between open fingers. The grip point lies `depth` metres, or half the way through,
// below the face that the hand comes to. None if it is too wide. Whether a grasp can be used is
// proved when it is.
std::vector<Pose> sample_grasps(const std::vector<CollisionElement>& object, GraspSide side,
                                double opening, double depth = 0.035);

// The least box in O that holds all elements.
Aabb box_of(const std::vector<CollisionElement>& object);

}  // namespace proven::manipulation
