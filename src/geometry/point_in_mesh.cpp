#include "point_in_mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mesh_topology.h"
#include "predicates.h"
#include "proven/base/elementary.h"

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
// it past a double, so that no point of a box, whose sides are exact, is taken for outside; the
// slack is large enough for the rounding of a sum.
bool may_hold_or_top(const BoxNode& node, const Vec3& p, double slack) {
  return std::fabs(p.x - node.centre.x) <= node.half.x + slack &&
         std::fabs(p.y - node.centre.y) <= node.half.y + slack &&
         p.z - node.centre.z <= node.half.z + slack;
}
bool may_hold(const BoxNode& node, const Vec3& p) {
  return may_hold_or_top(node, p, 0) && node.centre.z - p.z <= node.half.z;
}
bool holds(const Aabb& box, const Vec3& p) {
  return box.lo.x <= p.x && p.x <= box.hi.x && box.lo.y <= p.y && p.y <= box.hi.y &&
         box.lo.z <= p.z && p.z <= box.hi.z;
}

bool in_any_leaf(const BoxTree& tree, int index, const Vec3& p) {
  const BoxNode& node = tree.nodes[static_cast<std::size_t>(index)];
  if (!may_hold(node, p)) return false;
  return node.is_leaf() || in_any_leaf(tree, node.first_child, p) ||
         in_any_leaf(tree, node.first_child + 1, p);
}

struct Crossing {
  int shell;
  int turn;
};

// Adds all crossings of the ray from p along +z with triangles below the node.
void find_crossings(const Vec3& p, const MeshView& mesh, int index,
                    std::vector<Crossing>& crossings) {
  const BoxNode& node = mesh.tree.nodes[static_cast<std::size_t>(index)];
  if (!may_hold_or_top(node, p, mesh.slack)) return;
  if (!node.is_leaf()) {
    find_crossings(p, mesh, node.first_child, crossings);
    find_crossings(p, mesh, node.first_child + 1, crossings);
    return;
  }
  const auto t = static_cast<std::size_t>(node.item);
  if (t >= mesh.triangles.size() || mesh.shell[t] == MeshTopology::kNone) return;
  const int turn = crossing(mesh.triangles[t], p);
  if (turn != 0) crossings.push_back({mesh.shell[t], turn});
}

// Calls found(shell, times) for every shell around p, and for what is open.
template <class Found>
void find_around(const Vec3& p, const MeshView& mesh, const Found& found) {
  std::vector<Crossing> crossings;
  find_crossings(p, mesh, 0, crossings);
  std::ranges::sort(crossings, {}, &Crossing::shell);
  for (std::size_t i = 0; i < crossings.size();) {
    const int shell = crossings[i].shell;
    int winding = 0, count = 0;
    for (; i < crossings.size() && crossings[i].shell == shell; ++i, ++count)
      winding += crossings[i].turn;
    const bool parity = shell >= 0 && !mesh.shells[static_cast<std::size_t>(shell)].directed;
    const int times = parity ? count % 2 : std::abs(winding);
    if (times != 0) found(shell, times);
  }
}

// The angle of the triangle seen from p, halved, and bounds as docs/inside.md derives them.
void add_angle(const Triangle& t, const Vec3& p, Winding& sum, double& size) {
  const Vec3 a = t.a - p, b = t.b - p, c = t.c - p;
  const double la = norm(a), lb = norm(b), lc = norm(c), m = la * lb * lc;
  const double y = dot(a, cross(b, c));
  const double x = m + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  const double r = hypotenuse(x, y);
  if (!(r > 0x1p-43 * m) || (x < 0 && std::fabs(y) <= 0x1p-46 * m)) {
    sum.error += 2 * std::numbers::pi;
    return;
  }
  const double angle = arc_tangent(y, x);
  sum.number += angle;
  size += std::fabs(sum.number);
  sum.error += 0x1p-43 * m / r;
}

}  // namespace

Winding winding_number(const Vec3& p, std::span<const Triangle> triangles,
                       std::span<const int> which) {
  Winding sum;
  double size = 0;  // of all partial sums
  for (const int t : which) add_angle(triangles[static_cast<std::size_t>(t)], p, sum, size);
  sum.error = (sum.error + 0x1p-51 * size) / 6 + 0x1p-50;  // 6 < 2 pi
  sum.number /= 2 * std::numbers::pi;
  return sum;
}

bool is_in_shells(const Vec3& p, const MeshView& mesh) {
  if (mesh.shell_boxes.nodes.empty() || !in_any_leaf(mesh.shell_boxes, 0, p)) return false;
  int total = 0;
  find_around(p, mesh, [&](int shell, int times) {
    if (shell != MeshTopology::kOpen)
      total += mesh.shells[static_cast<std::size_t>(shell)].weight * times;
  });
  return total != 0;
}

bool is_in_mesh(const Vec3& p, const MeshView& mesh) {
  const bool near_shell = !mesh.shell_boxes.nodes.empty() && in_any_leaf(mesh.shell_boxes, 0, p);
  const bool near_open = !mesh.open.empty() && holds(mesh.open_box, p);
  if (!near_shell && !near_open) return false;
  int total = 0;
  bool crosses_open = false;
  find_around(p, mesh, [&](int shell, int times) {
    if (shell == MeshTopology::kOpen)
      crosses_open = true;
    else
      total += mesh.shells[static_cast<std::size_t>(shell)].weight * times;
  });
  if (total != 0) return true;
  if (!near_open || !crosses_open) return false;
  const Winding w = winding_number(p, mesh.triangles, mesh.open);
  return std::fabs(w.number) + w.error >= kAlmostWhole;
}

namespace {

// The sign of the volume of each shell; 0 where rounding hides it, or it has no direction.
std::vector<int> find_directions(const MeshView& mesh, std::span<const int> first,
                                 std::span<const Shell> shells) {
  struct Volume {
    double sum = 0, error = 0;
  };
  std::vector<Volume> volumes(shells.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (mesh.shell[t] < 0) continue;
    const auto shell = static_cast<std::size_t>(mesh.shell[t]);
    const Vec3& origin = mesh.triangles[static_cast<std::size_t>(first[shell])].a;
    const Triangle& triangle = mesh.triangles[t];
    const Vec3 a = triangle.a - origin, b = triangle.b - origin, c = triangle.c - origin;
    Volume& volume = volumes[shell];
    volume.sum += dot(a, cross(b, c));
    volume.error += 0x1p-46 * (norm(a) * norm(b) * norm(c)) + 0x1p-51 * std::fabs(volume.sum);
  }
  std::vector<int> directions;
  for (std::size_t i = 0; i < shells.size(); ++i) {
    const auto [sum, error] = volumes[i];
    directions.push_back(!shells[i].directed ? 0 : sum > error ? 1 : sum < -error ? -1 : 0);
  }
  return directions;
}

bool lies_in(const Aabb& inner, const Aabb& outer) {
  return holds(outer, inner.lo) && holds(outer, inner.hi);
}

}  // namespace

void weigh_shells(const MeshView& mesh, std::span<const int> first, std::span<const Aabb> boxes,
                  std::vector<Shell>& shells) {
  const std::vector<int> directions = find_directions(mesh, first, shells);
  const auto has = [&](int d) { return std::ranges::find(directions, d) != directions.end(); };
  if (!has(1) || !has(-1)) return;
  std::vector<std::vector<std::size_t>> holders(shells.size());
  for (std::size_t i = 0; i < shells.size(); ++i)
    find_around(mesh.triangles[static_cast<std::size_t>(first[i])].a, mesh, [&](int shell, int) {
      const auto other = static_cast<std::size_t>(shell);
      if (shell >= 0 && other != i && lies_in(boxes[i], boxes[other])) holders[i].push_back(other);
    });
  for (std::size_t i = 0; i < shells.size(); ++i) {
    if (holders[i].empty() || directions[i] == 0) continue;
    // Of the outermost shells around it; those with the same box may hold each other.
    int outermost = 0, opposite = 0;
    for (const std::size_t holder : holders[i]) {
      if (!holders[holder].empty()) continue;
      ++outermost, opposite += directions[holder] == -directions[i];
    }
    if (outermost > 0 && opposite == outermost) shells[i].weight = -1;
  }
}

}  // namespace proven
