// Exact signs of determinants of doubles: +1, 0 or -1. A floating-point filter decides almost all
// calls; double-double and then expansions decide the rest. Exact unless a product underflows,
// which needs coordinates that are not zero but below 1e-90.
#pragma once

#include "proven/base/vec3.h"

namespace proven {

struct Vec2 {
  double x = 0, y = 0;
};

// +1 if a, b, c turn counter-clockwise; 0 if they lie on a line.
int orientation_2d(const Vec2& a, const Vec2& b, const Vec2& c);

// The sign of (a - d) · ((b - d) × (c - d)): +1 if d lies below the plane in which a, b, c turn
// counter-clockwise seen from above; 0 if the four points are coplanar.
int orientation_3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace proven
