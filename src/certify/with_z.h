// A frame along an axis.
#pragma once

#include <cmath>

#include "proven/base/vec3.h"

namespace proven {

// A rotation that turns z into the unit vector a.
inline Mat3 with_z(const Vec3& a) {
  const Vec3 other = std::fabs(a.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 x = normalized(cross(other, a)), y = cross(a, x);
  Mat3 R;
  for (int i = 0; i < 3; ++i) R.row[static_cast<std::size_t>(i)] = {x[i], y[i], a[i]};
  return R;
}

}  // namespace proven
