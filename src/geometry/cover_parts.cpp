#include "cover_parts.h"

#include <algorithm>
#include <cmath>

#include "proven/base/elementary.h"

namespace proven {
namespace {

Part part_of(const Triangle& t) {
  return {{t.a, t.b, t.c}, 0};
}

// The surface of a cylinder, between its circle and tangent planes; the bottom and the top with all
// that the tangent planes hold.
void add_cylinder(const Convex& c, double radius, bool ends, std::vector<Part>& parts) {
  constexpr int kSides = 16;
  const double rim = radius / cosine(M_PI / kSides) * (1 + kPartUp), h = c.half_extents.z;
  const auto at = [&](double r, int k, double z) {
    const double angle = 2 * M_PI * k / kSides;
    return c.X_BS * Vec3{r * cosine(angle), r * sine(angle), z};
  };
  const double inner = radius * (1 - kPartUp);
  for (int k = 0; k < kSides; ++k) {
    parts.push_back({{at(inner, k, -h), at(rim, k, -h), at(inner, k + 1, -h), at(rim, k + 1, -h),
                      at(inner, k, h), at(rim, k, h), at(inner, k + 1, h), at(rim, k + 1, h)},
                     0});
    if (!ends) continue;
    for (const double z : {-h, h})
      parts.push_back({{c.X_BS * Vec3{0, 0, z}, at(rim, k, z), at(rim, k + 1, z)}, 0});
  }
}

Part solid_box(const Pose& X, const Vec3& half) {
  Part part;
  for (int i = 0; i < 8; ++i)
    part.points.push_back(
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  return part;
}

// The surface alone.
void add_box(const Pose& X, const Vec3& half, std::vector<Part>& parts) {
  const std::vector<Vec3> p = solid_box(X, half).points;
  for (const std::size_t axis : {1u, 2u, 4u})
    for (const std::size_t side : {std::size_t{0}, axis}) {
      const std::size_t u = axis == 1 ? 2 : 1, v = axis == 4 ? 2 : 4;
      parts.push_back({{p[side], p[side + u], p[side + v]}, 0});
      parts.push_back({{p[side + u + v], p[side + u], p[side + v]}, 0});
    }
}

}  // namespace

std::vector<Part> parts_of(const BodyGeometry& geometry) {
  std::vector<Part> parts;
  const Grains& grains = geometry.grains();
  for (int i = 0; i < static_cast<int>(grains.size()); ++i) {
    const Convex c = grains.convex(i);
    if (grains.are_balls())
      parts.push_back({{c.X_BS.p}, c.radius});
    else
      add_box(c.X_BS, c.half_extents, parts);
  }
  for (const Triangle& triangle : geometry.triangles()) parts.push_back(part_of(triangle));
  for (const Convex& c : geometry.convexes()) {
    switch (c.kind) {
      case ConvexKind::box:
        add_box(c.X_BS, c.half_extents, parts);
        break;
      case ConvexKind::sphere:
        parts.push_back({{c.X_BS.p}, c.radius});
        break;
      case ConvexKind::capsule:
        add_cylinder(c, c.radius, false, parts);
        for (const double end : {-c.half_extents.z, c.half_extents.z})
          parts.push_back({{c.X_BS * Vec3{0, 0, end}}, c.radius});
        break;
      case ConvexKind::cylinder:
        add_cylinder(c, c.half_extents.x, true, parts);
        break;
      case ConvexKind::hull: {
        const Aabb box = box_of(c);
        parts.push_back(
            solid_box(Pose::translation(0.5 * (box.lo + box.hi)), 0.5 * (box.hi - box.lo)));
        break;
      }
    }
  }
  return parts;
}

bool halves(const Part& part, std::array<Part, 2>& out) {
  const auto& p = part.points;
  if (p.size() == 1) return false;
  out[0] = out[1] = part;
  const auto length = [&](std::size_t i, std::size_t j) { return norm(p[i] - p[j]); };
  const auto cut = [&](std::size_t i, std::size_t j) {
    out[0].points[j] = out[1].points[i] = 0.5 * (p[i] + p[j]);
  };
  if (p.size() == 3) {
    const std::array<double, 3> l = {length(0, 1), length(1, 2), length(2, 0)};
    const auto k = static_cast<std::size_t>(std::ranges::max_element(l) - l.begin());
    cut(k, (k + 1) % 3);
    return true;
  }
  // Eight corners as of a box; opposite faces that are cut have parallel edges.
  const std::array<double, 3> l = {length(0, 1), length(0, 2), length(0, 4)};
  const std::size_t bit = std::size_t{1} << (std::ranges::max_element(l) - l.begin());
  for (std::size_t i = 0; i < 8; ++i)
    if (!(i & bit)) cut(i, i | bit);
  return true;
}

double diameter(const Part& part) {
  Vec3 lo = part.points[0], hi = lo;
  for (const Vec3& p : part.points)
    for (int i = 0; i < 3; ++i) lo[i] = std::min(lo[i], p[i]), hi[i] = std::max(hi[i], p[i]);
  return norm(hi - lo);
}

}  // namespace proven
