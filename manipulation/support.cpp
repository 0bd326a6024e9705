#include "manipulation/support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace proven::manipulation {
namespace {

// An upright box or cylinder.
struct Upright {
  Pose X_WE;
  Vec3 half;  // extents; of a cylinder: radius, radius, half its length
  bool round = false;

  double bottom() const { return X_WE.p.z - half.z; }
  double top() const { return X_WE.p.z + half.z; }
  double volume() const {
    return (round ? std::numbers::pi / 4 : 1.0) * 8 * half.x * half.y * half.z;
  }
};

std::optional<Upright> upright(const CollisionElement& element, const Pose& X_WB) {
  Upright made;
  made.X_WE = X_WB * element.X_BS;
  // Negated, so that NaN is not upright.
  if (!(std::fabs(made.X_WE.R(2, 2)) >= 1 - 1e-9)) return std::nullopt;
  if (const auto* box = std::get_if<Box>(&element.shape)) {
    made.half = box->half_extents;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&element.shape)) {
    made.half = {cylinder->radius, cylinder->radius, cylinder->half_length};
    made.round = true;
  } else {
    return std::nullopt;
  }
  return made;
}

// Positive if c lies to the left of the way from a to b, seen from above: twice the area.
double left_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// A convex polygon within the element seen from above, counter-clockwise.
std::vector<Vec3> outline(const Upright& element) {
  std::vector<Vec3> points;
  constexpr int kRim = 16;
  for (int k = 0; element.round && k < kRim; ++k) {
    const double angle = 2 * std::numbers::pi * k / kRim;
    points.push_back({element.half.x * std::cos(angle), element.half.x * std::sin(angle), 0});
  }
  if (!element.round)
    points = {{-element.half.x, -element.half.y, 0},
              {element.half.x, -element.half.y, 0},
              {element.half.x, element.half.y, 0},
              {-element.half.x, element.half.y, 0}};
  for (Vec3& p : points) p = element.X_WE * p;
  if (left_of(points[0], points[1], points[2]) < 0) std::reverse(points.begin(), points.end());
  return points;
}

// What both polygons have in common: the first, cut along every edge of the second.
std::vector<Vec3> common(std::vector<Vec3> polygon, const std::vector<Vec3>& other) {
  for (std::size_t i = 0; i < other.size(); ++i) {
    const Vec3 &a = other[i], &b = other[(i + 1) % other.size()];
    std::vector<Vec3> kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
      const double at_p = left_of(a, b, p), at_q = left_of(a, b, q);
      if (at_p >= 0) kept.push_back(p);
      if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0))
        kept.push_back(p + (at_p / (at_p - at_q)) * (q - p));
    }
    polygon = std::move(kept);
  }
  return polygon;
}

// Seen from above: every line through two points that has all points on one side has the centre on
// that side, a margin away. With an edge for every side of the hull, that is being inside.
bool is_within(const std::vector<Vec3>& points, const Vec3& centre) {
  bool any = false;
  for (const Vec3& a : points)
    for (const Vec3& b : points) {
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      constexpr double kSamePoint = 1e-6;
      if (length < kSamePoint) continue;
      const bool edge = std::all_of(points.begin(), points.end(),
                                    [&](const Vec3& p) { return left_of(a, b, p) >= -1e-12; });
      if (!edge) continue;
      any = true;
      if (!(left_of(a, b, centre) >= kSupportMargin * length)) return false;
    }
  return any;
}

}  // namespace

bool stands_on(const std::vector<CollisionElement>& object, const Pose& X_WO,
               const std::vector<CollisionElement>& support, const Pose& X_WS) {
  std::vector<Upright> parts;
  double lowest = std::numeric_limits<double>::infinity(), volume = 0;
  Vec3 moment;
  for (const CollisionElement& element : object) {
    const auto part = upright(element, X_WO);
    if (!part) return false;
    parts.push_back(*part);
    lowest = std::min(lowest, part->bottom());
    volume += part->volume();
    moment = moment + part->volume() * part->X_WE.p;
  }
  if (!(volume > 0)) return false;
  std::vector<Vec3> carried;
  constexpr double kSameHeight = 1e-6;
  for (const Upright& part : parts) {
    if (part.bottom() > lowest + kSameHeight) continue;
    for (const CollisionElement& element : support) {
      const auto below = upright(element, X_WS);
      const double drop = below ? part.bottom() - below->top() : -1;
      if (!(drop >= 0 && drop <= kLargestDrop)) continue;
      for (const Vec3& p : common(outline(part), outline(*below))) carried.push_back(p);
    }
  }
  return is_within(carried, (1 / volume) * moment);
}

}  // namespace proven::manipulation
