#include "papers/geometry/hull_gap.h"

#include "geometry/gjk_simplex.h"

namespace proven {
namespace {

// Bounds, not distances, are wanted: few steps give most of them. The size of cells goes with the
// root of what is left open.
constexpr int kMaxIterations = 40;
constexpr double kCloseEnough = 0.995;

}  // namespace

HullGap hull_gap(const PieceSets& a, int set_a, const PieceSets& b, int set_b, double limit,
                 double rounding_margin) {
  HullGap gap;
  Simplex<double> simplex;
  const auto look = [&](const Vec3& n) {
    const PieceSets::Support top = a.support(set_a, n), bottom = b.support(set_b, -n);
    const double lower = -bottom.height - top.height - rounding_margin;
    // A pose that is not a number has no extreme pieces, and proves nothing.
    if (lower > gap.distance_lower && top.piece >= 0 && bottom.piece >= 0)
      gap = {lower, n, top.height, -bottom.height, {top.piece, bottom.piece}, {}};
    SimplexPoint<double> p{top.point, bottom.point, {}, 0};
    p.w = p.b - p.a;
    return p;
  };
  Vec3 n = normalized(centre(b[set_b].box) - centre(a[set_a].box));
  if (squared_norm(n) == 0) n = {1, 0, 0};
  simplex.add(look(n));
  simplex.reduce();
  for (int i = 0; i < kMaxIterations && gap.distance_lower < limit; ++i) {
    const double distance = std::sqrt(simplex.distance2());
    if (distance <= rounding_margin || gap.distance_lower >= kCloseEnough * distance) break;
    const SimplexPoint<double> p = look(normalized(simplex.closest().rounded()));
    if (simplex.has(p.a, p.b)) break;
    const Simplex<double> previous = simplex;
    simplex.add(p);
    simplex.reduce();
    if (simplex.holds_origin()) break;
    if (!(simplex.distance2() < previous.distance2())) {
      simplex = previous;
      break;
    }
  }
  gap.meeting = 0.5 * (simplex.point_a() + simplex.point_b()).rounded();
  return gap;
}

}  // namespace proven
