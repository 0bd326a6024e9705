#include "manipulation/grasps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace proven::manipulation {
namespace {

// Fingers must pass the object with so much room in all, in metres.
constexpr double kRoom = 0.01;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

void extend(Aabb& box, const Vec3& lower, const Vec3& upper) {
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = std::fmin(box.lo[k], lower[k]);
    box.hi[k] = std::fmax(box.hi[k], upper[k]);
  }
}

// A box of half extents h in the element's frame, and the element's pose.
void extend(Aabb& box, const Pose& X_OE, const Vec3& half) {
  Vec3 reach;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) reach[k] += std::fabs(X_OE.R(k, i)) * half[i];
  extend(box, X_OE.p - reach, X_OE.p + reach);
}

void extend(Aabb& box, const Pose& X_OE, const std::vector<Vec3>& points, double radius) {
  const Vec3 around = {radius, radius, radius};
  for (const Vec3& p : points) extend(box, X_OE * p - around, X_OE * p + around);
}

// The radius of an object that is one upright cylinder.
std::optional<double> round_radius(const std::vector<CollisionElement>& object) {
  if (object.size() != 1) return std::nullopt;
  const auto* cylinder = std::get_if<Cylinder>(&object[0].shape);
  if (!cylinder || !(std::fabs(object[0].X_BS.R(2, 2)) >= 1 - 1e-9)) return std::nullopt;
  return cylinder->radius;
}

}  // namespace

Aabb box_of(const std::vector<CollisionElement>& object) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Aabb box{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  for (const CollisionElement& element : object) {
    const Pose& X = element.X_BS;
    std::visit(
        Overloaded{
            [&](const Box& b) { extend(box, X, b.half_extents); },
            [&](const Sphere& s) { extend(box, X, {{}}, s.radius); },
            [&](const Cylinder& c) {
              extend(box, X, {c.radius, c.radius, c.half_length});
            },
            [&](const Capsule& c) {
              extend(box, X, {{0, 0, c.half_length}, {0, 0, -c.half_length}}, c.radius);
            },
            [&](const std::shared_ptr<const ConvexHull>& h) { extend(box, X, h->points, 0); },
            [&](const std::shared_ptr<const TriangleMesh>& m) { extend(box, X, m->vertices, 0); },
            // What a sensor saw is not gripped.
            [](const auto&) {}},
        element.shape);
  }
  return box;
}

std::vector<Pose> sample_grasps(const std::vector<CollisionElement>& object, GraspSide side,
                                double opening, double depth) {
  std::vector<Pose> grasps;
  const Aabb box = box_of(object);
  const Vec3 size = box.hi - box.lo, centre = 0.5 * (box.lo + box.hi);
  // Negated, so that NaN and an empty object have none.
  if (!(size.x > 0 && size.y > 0 && size.z > 0) || !std::isfinite(norm(size))) return grasps;
  const auto round = round_radius(object);
  const int directions = round ? 8 : 4;
  for (int k = 0; k < directions; ++k) {
    const double angle = 2 * std::numbers::pi * k / directions;
    const bool along_x = !round && k % 2 == 0;
    const Vec3 level = round    ? Vec3{std::cos(angle), std::sin(angle), 0}
                       : k == 0 ? Vec3{1, 0, 0}
                       : k == 1 ? Vec3{0, 1, 0}
                       : k == 2 ? Vec3{-1, 0, 0}
                                : Vec3{0, -1, 0};
    const Vec3 across = {-level.y, level.x, 0};
    // From above the fingers close along `level`, from a side across it.
    const double through = round ? 2 * *round : along_x ? size.x : size.y;
    const double width = side == GraspSide::top ? through
                         : round                ? 2 * *round
                                                : (along_x ? size.y : size.x);
    if (!(width + kRoom <= opening)) continue;
    const Vec3 approach = side == GraspSide::top ? Vec3{0, 0, -1} : -level;
    const Vec3 closing = side == GraspSide::top ? level : across;
    const double thick = side == GraspSide::top ? size.z : through;
    const Vec3 p = centre - (0.5 * thick - std::fmin(depth, 0.5 * thick)) * approach;
    grasps.push_back({Mat3::from_columns(closing, cross(approach, closing), approach), p});
  }
  return grasps;
}

}  // namespace proven::manipulation
