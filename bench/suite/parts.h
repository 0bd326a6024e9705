// Parts that the suite's own scenes are made of.
#pragma once

#include "proven/geometry/shapes.h"

namespace proven::bench {

enum class Style { solid, mesh };

CollisionElement box(Style style, const Vec3& half, const Pose& X = {});
// From z = 0 to z = -length, with round ends.
CollisionElement hanging_capsule(double radius, double length);
// A thin pyramid that points down: its tip at exactly z = -length.
CollisionElement hanging_needle(double length);
Pose at(double x, double y, double z);

}  // namespace proven::bench
