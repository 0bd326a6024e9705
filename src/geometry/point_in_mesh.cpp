#include "point_in_mesh.h"

#include <algorithm>

#include "predicates.h"

namespace proven {
namespace {

// The side of the projected edge from a to b on which p + (ε, ε²) lies; 0 only if a and b project
// to the same point.
int perturbed_side(const Vec3& a, const Vec3& b, const Vec3& p) {
  const int side = orientation_2d({a.x, a.y}, {b.x, b.y}, {p.x, p.y});
  if (side != 0) return side;
  if (a.y != b.y) return a.y > b.y ? 1 : -1;
  return a.x == b.x ? 0 : a.x < b.x ? 1 : -1;
}

bool may_be_above(const Triangle& t, const Vec3& p) {
  return std::min({t.a.x, t.b.x, t.c.x}) <= p.x && std::max({t.a.x, t.b.x, t.c.x}) >= p.x &&
         std::min({t.a.y, t.b.y, t.c.y}) <= p.y && std::max({t.a.y, t.b.y, t.c.y}) >= p.y &&
         std::max({t.a.z, t.b.z, t.c.z}) >= p.z;
}

// +1 or -1 if the ray from p along +z crosses the triangle from below or from above its directed
// side; 0 if it does not cross.
int crossing(const Triangle& t, const Vec3& p) {
  if (!may_be_above(t, p)) return 0;
  const int turn = perturbed_side(t.a, t.b, p);
  if (turn == 0 || perturbed_side(t.b, t.c, p) != turn || perturbed_side(t.c, t.a, p) != turn)
    return 0;
  const bool p_is_below = orientation_3d(t.a, t.b, t.c, p) == turn;
  return p_is_below ? turn : 0;
}

}  // namespace

bool is_in_mesh(const Vec3& p, std::span<const Triangle> triangles, std::span<const int> component,
                std::span<const Component> components) {
  struct Count {
    int winding = 0, crossings = 0;
  };
  std::vector<Count> counts(components.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const int turn = crossing(triangles[t], p);
    Count& count = counts[static_cast<std::size_t>(component[t])];
    count.winding += turn;
    count.crossings += turn != 0;
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (!components[i].closed) continue;
    if (components[i].oriented ? counts[i].winding != 0 : counts[i].crossings % 2 != 0) return true;
  }
  return false;
}

}  // namespace proven
