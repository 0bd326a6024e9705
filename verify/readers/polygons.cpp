// Polygons of mesh files as triangles (docs/formats.md, Meshes).
#include <algorithm>
#include <cmath>
#include <list>

#include "verify/readers/meshes.h"

namespace proven::verifier {
namespace {

struct Corner {
  std::uint32_t vertex = 0;
  double x = 0, y = 0;  // in the polygon's plane
};

double turn(const Corner& a, const Corner& b, const Corner& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
bool same_place(const Corner& a, const Corner& b) {
  return a.x == b.x && a.y == b.y;
}

// Whether the triangle can go: it turns as the polygon does and none of the others is in it; or, if
// `flat`, it has no area.
bool can_go(const Corner& a, const Corner& b, const Corner& c, const std::list<Corner>& all,
            double rounding, bool flat) {
  const double own = turn(a, b, c);
  if (flat) return std::fabs(own) <= rounding;
  if (!(own > rounding)) return false;
  for (const Corner& p : all) {
    if (same_place(p, a) || same_place(p, b) || same_place(p, c)) continue;
    if (turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0) return false;
  }
  return true;
}

// Takes the first ear away; false if there is none.
bool take_ear(std::list<Corner>& rest, double rounding, bool flat, TriangleMesh& mesh) {
  for (auto at = rest.begin(); at != rest.end(); ++at) {
    const Corner& before = at == rest.begin() ? rest.back() : *std::prev(at);
    const Corner& after = std::next(at) == rest.end() ? rest.front() : *std::next(at);
    if (!can_go(before, *at, after, rest, rounding, flat)) continue;
    mesh.triangles.push_back({before.vertex, at->vertex, after.vertex});
    rest.erase(at);
    return true;
  }
  return false;
}

void take_ears(std::list<Corner> rest, double rounding, TriangleMesh& mesh) {
  if (rest.size() > 1000) refuse("", "more than 1000 corners of a polygon that is not convex");
  while (rest.size() > 3)
    if (!take_ear(rest, rounding, false, mesh) && !take_ear(rest, rounding, true, mesh))
      refuse("", "a polygon crosses itself");
  const Corner &a = rest.front(), &b = *std::next(rest.begin()), &c = rest.back();
  if (!(turn(a, b, c) >= -rounding)) refuse("", "a polygon crosses itself");
  mesh.triangles.push_back({a.vertex, b.vertex, c.vertex});
}

}  // namespace

void add_fan(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners) {
  for (std::size_t i = 1; i + 1 < corners.size(); ++i)
    mesh.triangles.push_back({corners[0], corners[i], corners[i + 1]});
}

void add_polygon(TriangleMesh& mesh, const std::vector<std::uint32_t>& corners) {
  if (corners.size() <= 3) return add_fan(mesh, corners);
  std::vector<Vec3> from_first;
  double size = 0;
  for (const std::uint32_t corner : corners) {
    from_first.push_back(mesh.vertices[corner] - mesh.vertices[corners[0]]);
    size = std::max(size, max_abs(from_first.back()));
  }
  Vec3 normal, sizes;
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const Vec3 area = cross(from_first[i - 1], from_first[i]);
    normal = normal + area;
    sizes = sizes + Vec3{std::fabs(area.x), std::fabs(area.y), std::fabs(area.z)};
  }
  if (max_abs(sizes) <= 0x1p-16 * (size * size)) return add_fan(mesh, corners);
  if (!(max_abs(normal) > 0x1p-16 * max_abs(sizes))) refuse("", "a polygon crosses itself");
  const double most = 0.01 * size * norm(normal);
  for (const Vec3& p : from_first)
    if (std::fabs(dot(normal, p)) > most) refuse("", "a polygon is not flat");
  // Seen along the axis that the normal is nearest to, of equal ones x, then y.
  int axis = 0;
  for (const int i : {1, 2})
    if (std::fabs(normal[i]) > std::fabs(normal[axis])) axis = i;
  std::list<Corner> flat;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    Corner corner{corners[i], from_first[i][(axis + 1) % 3], from_first[i][(axis + 2) % 3]};
    if (normal[axis] < 0) std::swap(corner.x, corner.y);
    flat.push_back(corner);
  }
  const double rounding = 0x1p-40 * (size * size);
  bool fan = true;
  for (auto at = std::next(flat.begin()); std::next(at) != flat.end(); ++at)
    fan = fan && turn(flat.front(), *at, *std::next(at)) >= -rounding;
  if (fan) return add_fan(mesh, corners);
  take_ears(std::move(flat), rounding, mesh);
}

}  // namespace proven::verifier
