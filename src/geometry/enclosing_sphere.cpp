#include "enclosing_sphere.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace proven {
namespace {

constexpr double kRelativeTolerance = 1e-9;
// Far more than are needed (a dozen at most in the tests). The sphere is sound whenever the search
// ends.
constexpr int kMaxRounds = 200;

// The end of [-half, half] farther from x.
double away(double x, double half) {
  return x > 0 ? -half : half;
}

// Solves the symmetric system of the circumsphere of up to four points: the centre is p0 plus a
// combination of the differences d_i with 2 d_i·c = d_i². Fails if the points are dependent.
bool circumsphere(std::span<const Vec3> support, BoundingSphere& sphere) {
  const std::size_t n = support.size();
  if (n == 0) return false;
  std::array<Vec3, 3> d;
  std::array<std::array<double, 4>, 3> m{};
  for (std::size_t i = 1; i < n; ++i) d[i - 1] = support[i] - support[0];
  for (std::size_t i = 0; i + 1 < n; ++i) {
    for (std::size_t j = 0; j + 1 < n; ++j) m[i][j] = 2 * dot(d[i], d[j]);
    m[i][3] = dot(d[i], d[i]);
  }
  Vec3 centre;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    // The matrix is positive semidefinite: no pivoting, a pivot near zero means dependence.
    if (!(m[k][k] > 1e-14 * dot(d[k], d[k]))) return false;
    for (std::size_t i = k + 1; i + 1 < n; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < 4; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  std::array<double, 3> weight{};
  for (std::size_t k = n - 1; k-- > 0;) {
    double sum = m[k][3];
    for (std::size_t j = k + 1; j + 1 < n; ++j) sum -= m[k][j] * weight[j];
    weight[k] = sum / m[k][k];
    centre += weight[k] * d[k];
  }
  sphere = {support[0] + centre, norm(centre)};
  return true;
}

// Welzl: the smallest sphere around points[0, count) with `support` on its surface. `points` is
// short (a few dozen), so the recursion is too.
BoundingSphere smallest_sphere(std::span<const Vec3> points, std::vector<Vec3>& support) {
  BoundingSphere sphere;
  sphere.radius = -1;
  if (!support.empty()) circumsphere(support, sphere);
  if (support.size() == 4) return sphere;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double reach = norm(points[i] - sphere.centre);
    if (sphere.radius >= 0 && reach <= sphere.radius * (1 + 1e-13)) continue;
    support.push_back(points[i]);
    BoundingSphere probe;
    if (circumsphere(support, probe)) sphere = smallest_sphere(points.first(i), support);
    support.pop_back();
  }
  return sphere;
}

struct Farthest {
  Vec3 point;
  double distance = -1, square = -1;

  void offer(const Vec3& p, const Vec3& centre) {
    const double s = squared_norm(p - centre);
    if (s <= square) return;  // then its root is no greater either
    const double d = std::sqrt(s);
    if (d > distance) distance = d, square = s, point = p;
  }
};

Farthest farthest_of(std::span<const Vec3> points, std::span<const Convex> convexes,
                     const Vec3& centre) {
  Farthest far;
  for (const Vec3& p : points) far.offer(p, centre);
  for (const Convex& c : convexes) far.offer(farthest_point(c, centre), centre);
  return far;
}

Vec3 scaled_to(const Vec3& v, double length) {
  return length * normalized(v);
}

}  // namespace

Vec3 farthest_point(const Convex& piece, const Vec3& centre) {
  if (piece.kind == ConvexKind::hull) {
    Farthest far;
    for (const Vec3& p : piece.points) far.offer(p, centre);
    return far.point;
  }
  const Vec3 c = transpose_times(piece.X_BS.R, centre - piece.X_BS.p);
  const Vec3& half = piece.half_extents;
  Vec3 local{away(c.x, half.x), away(c.y, half.y), away(c.z, half.z)};
  if (piece.kind == ConvexKind::cylinder) {
    const Vec3 radial = c.x == 0 && c.y == 0 ? Vec3{1, 0, 0} : Vec3{-c.x, -c.y, 0};
    local = scaled_to(radial, half.x) + Vec3{0, 0, local.z};
  }
  const Vec3 outward = local == c ? Vec3{1, 0, 0} : local - c;
  return piece.X_BS * (local + scaled_to(outward, piece.radius));
}

BoundingSphere enclosing_sphere(std::span<const Vec3> points, std::span<const Convex> convexes) {
  const Vec3 start = points.empty() ? convexes[0].core_support({1, 0, 0}) : points[0];
  std::vector<Vec3> extreme{farthest_of(points, convexes, start).point};
  BoundingSphere best;
  best.radius = HUGE_VAL;
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<Vec3> support;
    const BoundingSphere inner = smallest_sphere(extreme, support);
    const Farthest far = farthest_of(points, convexes, inner.centre);
    if (far.distance < best.radius) best = {inner.centre, far.distance};
    if (far.distance <= inner.radius * (1 + kRelativeTolerance)) break;
    extreme.insert(extreme.begin(), far.point);
  }
  // A distance is a norm of rounded differences: relative 4u. The point itself, if it belongs to a
  // primitive, has passed a pose: a few u of the coordinates.
  best.radius += 0x1p-47 * (best.radius + max_abs(best.centre));
  return best;
}

}  // namespace proven
