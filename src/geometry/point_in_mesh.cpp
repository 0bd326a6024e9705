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

// Whether p may lie in the node's box, or below it (along +z). Rounding a difference never carries
// it past a double, so that no point of a box, whose sides are exact, is taken for outside.
bool may_hold_or_top(const BoxNode& node, const Vec3& p) {
  return std::fabs(p.x - node.centre.x) <= node.half.x &&
         std::fabs(p.y - node.centre.y) <= node.half.y && p.z - node.centre.z <= node.half.z;
}
bool may_hold(const BoxNode& node, const Vec3& p) {
  return may_hold_or_top(node, p) && node.centre.z - p.z <= node.half.z;
}

bool in_any_leaf(const BoxTree& tree, int index, const Vec3& p) {
  const BoxNode& node = tree.nodes[static_cast<std::size_t>(index)];
  if (!may_hold(node, p)) return false;
  return node.is_leaf() || in_any_leaf(tree, node.first_child, p) ||
         in_any_leaf(tree, node.first_child + 1, p);
}

struct Crossing {
  int component;
  int turn;
};

// Adds all crossings of the ray from p along +z with triangles below the node.
void find_crossings(const Vec3& p, const MeshView& mesh, int index,
                    std::vector<Crossing>& crossings) {
  const BoxNode& node = mesh.tree.nodes[static_cast<std::size_t>(index)];
  if (!may_hold_or_top(node, p)) return;
  if (!node.is_leaf()) {
    find_crossings(p, mesh, node.first_child, crossings);
    find_crossings(p, mesh, node.first_child + 1, crossings);
    return;
  }
  const auto t = static_cast<std::size_t>(node.item);
  if (t >= mesh.triangles.size()) return;
  const int turn = crossing(mesh.triangles[t], p);
  if (turn != 0) crossings.push_back({mesh.component[t], turn});
}

}  // namespace

bool is_in_mesh(const Vec3& p, const MeshView& mesh) {
  if (mesh.component_boxes.nodes.empty() || !in_any_leaf(mesh.component_boxes, 0, p)) return false;
  std::vector<Crossing> crossings;
  find_crossings(p, mesh, 0, crossings);
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
