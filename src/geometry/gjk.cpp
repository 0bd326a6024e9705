#include "gjk.h"

#include <algorithm>

#include "convex_support.h"
#include "gjk_simplex.h"

namespace proven {
namespace {

// Far above what is needed: polytopes end after a few vertices, and curved rims gain at least a
// digit in a few steps. A bound only so that the search ends whatever rounding does.
constexpr int kMaxIterations = 256;

// Below this share of |v|, upper and lower bound on the distance are as good as equal.
template <class Real>
constexpr double kRelativeGap = 0;
template <>
constexpr double kRelativeGap<double> = 0x1p-46;
template <>
constexpr double kRelativeGap<DoubleDouble> = 0x1p-56;

// The same where a direction is only proposed.
constexpr double kProposalGap = 1e-3;

// Where the search begins if nothing is known.
constexpr Vec3 kAnyDirection{1, 0, 0};

// What counts as touching, in rounding margins: far below the rounding of the pieces' coordinates.
template <class Real>
constexpr double kTouching = 0;
template <>
constexpr double kTouching<double> = 0x1p-16;
template <>
constexpr double kTouching<DoubleDouble> = 0x1p-46;

// How far upper and lower bound may lie apart, in rounding margins, before double-double is asked.
constexpr double kAcceptedLoss = 1024;

template <class Real>
RealVec<Real> support(const Core& core, const RealVec<Real>& n) {
  if (!core.triangle) return core_support(*core.convex, n);
  const Triangle& t = *core.triangle;
  const Real a = dot(n, RealVec<Real>(t.a)), b = dot(n, RealVec<Real>(t.b));
  const Real c = dot(n, RealVec<Real>(t.c));
  return RealVec<Real>(a >= b && a >= c ? t.a : b >= c ? t.b : t.c);
}

template <class Real>
struct Separation {
  bool overlap = false;
  Real distance2{0};
  RealVec<Real> direction;  // from a to b
  RealVec<Real> point_a, point_b;
};

struct Pair {
  const Core& a;
  const Core& b;
  const Pose& X_AB;

  // The point of B - A lowest along n.
  template <class Real>
  SimplexPoint<Real> lowest(const RealVec<Real>& n) const {
    SimplexPoint<Real> p;
    p.a = support(a, n);
    p.b = X_AB * support(b, transpose_times(X_AB.R, -n));
    p.w = p.b - p.a;
    return p;
  }
};

template <class Real>
Separation<Real> separate(const Pair& pair, const Vec3& guess, double relative_gap) {
  Simplex<Real> simplex;
  simplex.add(pair.lowest(RealVec<Real>(guess)));
  simplex.reduce();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Simplex<Real> previous = simplex;
    const RealVec<Real> v = simplex.closest();
    const SimplexPoint<Real> p = pair.lowest(v);
    if (simplex.distance2() - dot(v, p.w) <= Real(relative_gap) * simplex.distance2()) break;
    if (simplex.has(p.a, p.b)) break;
    simplex.add(p);
    simplex.reduce();
    if (simplex.holds_origin()) return {true, Real(0), {}, simplex.point_a(), simplex.point_b()};
    if (!(simplex.distance2() < previous.distance2())) {
      simplex = previous;
      break;
    }
  }
  return {false, simplex.distance2(), simplex.closest(), simplex.point_a(), simplex.point_b()};
}

// The support gap of the pair along a direction, which bounds the distance from below.
double support_gap(const Pair& pair, const Vec3& unit) {
  return dot(unit, pair.lowest<double>(unit).w.rounded());
}

template <class Real>
ClosestPoints certify(const Pair& pair, const Separation<Real>& found, double rounding_margin) {
  using std::sqrt;
  const Vec3 a = found.point_a.rounded(), b = found.point_b.rounded();
  const double distance = static_cast<double>(sqrt(found.distance2));
  if (found.overlap || distance <= kTouching<Real> * rounding_margin) return {0, 0, a, a};
  const double gap = support_gap(pair, normalized(found.direction.rounded())) - rounding_margin;
  return {std::clamp(gap, 0.0, distance), distance, a, b};
}

}  // namespace

ClosestPoints core_distance(const Core& a, const Core& b, const Pose& X_AB,
                            double rounding_margin) {
  const Pair pair{a, b, X_AB};
  const Separation<double> fast = separate<double>(pair, kAnyDirection, kRelativeGap<double>);
  const ClosestPoints result = certify(pair, fast, rounding_margin);
  const double loss = result.distance - result.distance_lower;
  const bool tight = loss <= kAcceptedLoss * rounding_margin && loss <= 0.5 * result.distance;
  if (fast.overlap || (tight && result.distance_lower > 0)) return result;
  return certify(pair, separate<DoubleDouble>(pair, kAnyDirection, kRelativeGap<DoubleDouble>),
                 rounding_margin);
}

Vec3 core_direction(const Core& a, const Core& b, const Pose& X_AB, const Vec3& guess) {
  const Separation<double> found = separate<double>({a, b, X_AB}, guess, kProposalGap);
  return found.overlap ? Vec3{} : normalized(found.direction.rounded());
}

bool hull_contains(const Convex& hull, const Vec3& p_B) {
  const Triangle point{p_B, p_B, p_B};
  double largest = max_abs(p_B);
  for (const Vec3& q : hull.points) largest = std::max(largest, max_abs(q));
  return core_distance({&point, nullptr}, {nullptr, &hull}, Pose{}, 0x1p-44 * largest).distance ==
         0;
}

}  // namespace proven
