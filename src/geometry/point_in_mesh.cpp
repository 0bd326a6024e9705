#include "point_in_mesh.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

// Whether a piece below the node can meet the ray from p along +z. With u = 2^-53 and S the sum of
// the half extents: axes that are orthonormal to 8 u only cost 14 u S (bv_rounding.h), the extents
// and the differences to p less than 8 u (S + |centre| + |p|); together below 32 u of that sum.
bool ray_may_meet(const BvNode& node, const Vec3& p) {
  const double size = node.obb_half.x + node.obb_half.y + node.obb_half.z;
  const auto extent = [&](int axis) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += std::fabs(node.R_BN(axis, k)) * node.obb_half[k];
    return sum + 0x1p-48 * (size + std::fabs(node.obb_centre[axis]) + std::fabs(p[axis]));
  };
  return std::fabs(p.x - node.obb_centre.x) <= extent(0) &&
         std::fabs(p.y - node.obb_centre.y) <= extent(1) && p.z - node.obb_centre.z <= extent(2);
}

struct Crossing {
  int component;
  int turn;
};

// All crossings of the ray from p along +z.
std::vector<Crossing> find_crossings(const Vec3& p, const MeshView& mesh) {
  std::vector<Crossing> crossings;
  std::vector<int> waiting = {0};
  while (!waiting.empty()) {
    const BvNode& node = mesh.tree.nodes[static_cast<std::size_t>(waiting.back())];
    waiting.pop_back();
    if (!ray_may_meet(node, p)) continue;
    if (!node.is_leaf()) {
      waiting.insert(waiting.end(), {node.first_child, node.first_child + 1});
      continue;
    }
    const auto t = static_cast<std::size_t>(node.piece);
    if (t >= mesh.triangles.size()) continue;
    const int turn = crossing(mesh.triangles[t], p);
    if (turn != 0) crossings.push_back({mesh.component[t], turn});
  }
  return crossings;
}

}  // namespace

bool is_in_mesh(const Vec3& p, const MeshView& mesh) {
  std::vector<Crossing> crossings = find_crossings(p, mesh);
  std::ranges::sort(crossings, {}, &Crossing::component);
  for (std::size_t i = 0; i < crossings.size();) {
    const Component& component = mesh.components[static_cast<std::size_t>(crossings[i].component)];
    int winding = 0, count = 0;
    for (const int c = crossings[i].component; i < crossings.size() && crossings[i].component == c;
         ++i, ++count)
      winding += crossings[i].turn;
    if (component.closed && (component.oriented ? winding != 0 : count % 2 != 0)) return true;
  }
  return false;
}

}  // namespace proven
