#include "proven/geometry/separating_direction.h"

#include "gjk_simplex.h"

namespace proven {
namespace {

// Polytopes end after a few vertices; a bound only so that the search ends whatever rounding does.
constexpr int kMaxIterations = 32;
// The direction need not be better than this: so close to the largest possible gap it ends.
constexpr double kRelativeGap = 1e-3;

const Vec3& farthest(std::span<const Vec3> points, const Vec3& n) {
  const Vec3* best = &points[0];
  double most = dot(n, *best);
  for (const Vec3& p : points.subspan(1))
    if (const double height = dot(n, p); height > most) most = height, best = &p;
  return *best;
}

}  // namespace

Vec3 separating_direction(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& guess,
                          double enough) {
  Simplex<double> simplex;
  const auto lowest = [&](const Vec3& n) {
    SimplexPoint<double> p;
    p.a = RealVec<double>(farthest(a, n));
    p.b = RealVec<double>(farthest(b, -n));
    p.w = p.b - p.a;
    return p;
  };
  simplex.add(lowest(guess));
  simplex.reduce();
  for (int i = 0; i < kMaxIterations; ++i) {
    const RealVec<double> v = simplex.closest();
    const double distance2 = simplex.distance2();
    const SimplexPoint<double> p = lowest(v.rounded());
    const double along = dot(v, p.w);
    if (distance2 - along <= kRelativeGap * distance2 || simplex.has(p.a, p.b)) break;
    if (along > 0 && along * along > enough * enough * distance2) break;
    simplex.add(p);
    simplex.reduce();
    if (simplex.holds_origin()) return {};
    if (!(simplex.distance2() < distance2)) return normalized(v.rounded());
  }
  return normalized(simplex.closest().rounded());
}

}  // namespace proven
