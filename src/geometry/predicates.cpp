#include "predicates.h"

#include "double_double.h"
#include "error_free.h"

namespace proven {
namespace {

constexpr double kUnit = 0x1p-53;

// Each determinant is compared with its permanent: the same sum with absolute values. In double,
// every product of the 3x3 determinant passes three subtractions of coordinates, two
// multiplications, and three sums: at most 8 roundings, relative 8u to first order. The permanent
// itself is rounded by at most 8u of itself; 10u covers both. The 2x2 determinant has at most 5
// roundings; 6u covers it.
constexpr double kFilter3d = 10 * kUnit;
constexpr double kFilter2d = 6 * kUnit;
// In double-double the subtractions are exact and five operations of relative error below 2^-100
// follow; the permanent computed in double is right to 2^-49.
constexpr double kWideFilter = 0x1p-97;

int sign_beyond(double value, double bound) {
  return value > bound ? 1 : value < -bound ? -1 : 0;
}

DoubleDouble wide_difference(double a, double b) {
  const ExactPair d = two_sum(a, -b);
  return {d.high, d.low};
}

// (a - d) · ((b - d) × (c - d)) in the number type that `minus` returns.
template <class Difference>
auto determinant(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, Difference minus) {
  const auto ax = minus(a.x, d.x), ay = minus(a.y, d.y), az = minus(a.z, d.z);
  const auto bx = minus(b.x, d.x), by = minus(b.y, d.y), bz = minus(b.z, d.z);
  const auto cx = minus(c.x, d.x), cy = minus(c.y, d.y), cz = minus(c.z, d.z);
  return (bx * cy - by * cx) * az + (cx * ay - cy * ax) * bz + (ax * by - ay * bx) * cz;
}

int careful_orientation_3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d,
                           double permanent) {
  const int sign =
      sign_beyond(determinant(a, b, c, d, wide_difference).high, kWideFilter * permanent);
  return sign != 0 ? sign : determinant(a, b, c, d, exact_difference).sign();
}

}  // namespace

int orientation_2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (a.x - c.x) * (b.y - c.y);
  const double right = (a.y - c.y) * (b.x - c.x);
  const int sign = sign_beyond(left - right, kFilter2d * (std::fabs(left) + std::fabs(right)));
  if (sign != 0) return sign;
  const auto ax = exact_difference(a.x, c.x), ay = exact_difference(a.y, c.y);
  const auto bx = exact_difference(b.x, c.x), by = exact_difference(b.y, c.y);
  return (ax * by - ay * bx).sign();
}

int orientation_3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 ad = a - d, bd = b - d, cd = c - d;
  const double bc = bd.x * cd.y, cb = bd.y * cd.x;
  const double ca = cd.x * ad.y, ac = cd.y * ad.x;
  const double ab = ad.x * bd.y, ba = ad.y * bd.x;
  const double det = (bc - cb) * ad.z + (ca - ac) * bd.z + (ab - ba) * cd.z;
  const double permanent = (std::fabs(bc) + std::fabs(cb)) * std::fabs(ad.z) +
                           (std::fabs(ca) + std::fabs(ac)) * std::fabs(bd.z) +
                           (std::fabs(ab) + std::fabs(ba)) * std::fabs(cd.z);
  const int sign = sign_beyond(det, kFilter3d * permanent);
  return sign != 0 ? sign : careful_orientation_3d(a, b, c, d, permanent);
}

}  // namespace proven
