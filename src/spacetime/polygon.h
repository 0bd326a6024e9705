// Polygons: is the outline simple, and which convex pieces make it up.
#pragma once

#include <vector>

#include "proven/spacetime/traffic_scene.h"

namespace proven::spacetime {

// Twice the signed area of triangle abc, in 113 bits: the sign is right for all coordinates that
// differ by less than 2^60 in magnitude.
__float128 twice_area(Vec2 a, Vec2 b, Vec2 c);

// Drops a repeated last corner and corners on a straight edge, turns it counter-clockwise; an Error
// if fewer than three corners stay, edges cross or touch, or the area vanishes.
Result<std::vector<Vec2>> clean_outline(std::vector<Vec2> outline);

// Convex polygons, counter-clockwise, of at most kMaxCorners corners, whose union is the polygon.
// Requires a clean outline.
std::vector<std::vector<Vec2>> convex_parts(const std::vector<Vec2>& outline);

}  // namespace proven::spacetime
