#include "proven/geometry/separating_direction.h"

namespace proven {

const Vec3& farthest(std::span<const Vec3> points, const Vec3& n) {
  const Vec3* best = &points[0];
  double most = dot(n, *best);
  for (const Vec3& p : points.subspan(1))
    if (const double height = dot(n, p); height > most) most = height, best = &p;
  return *best;
}

Vec3 separating_direction(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& guess,
                          double enough, double least) {
  return separating_direction([&](const Vec3& n) { return farthest(b, -n) - farthest(a, n); },
                              guess, enough, least);
}

}  // namespace proven
