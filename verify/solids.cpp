#include "verify/solids.h"

#include <fmt/format.h>

#include "verify/rule.h"
#include "verify/walk.h"

namespace proven::verifier {
namespace {

using Point = Vector<Interval>;

int sign(const Interval& x) {
  return x.lo > 0 ? 1 : x.hi < 0 ? -1 : 0;
}

// Whether the ray from p along d surely misses the box.
bool misses(const Box3& box, const Point& p, const Point& d) {
  const Point low = Point(box.lo) - p, high = Point(box.hi) - p;
  Interval ahead = 0.0;
  for (int i = 0; i < 3; ++i) ahead = ahead + d[i] * hull(low[i], high[i]);
  if (ahead.hi < 0) return true;
  for (int i = 0; i < 3; ++i) {  // the line passes beside the box, seen along the axis i
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (sign(d[j] * hull(low[k], high[k]) - d[k] * hull(low[j], high[j])) != 0) return true;
  }
  return false;
}

// A corner, enclosed together with its rounded position: welded corners then share a point, and
// what is decided strictly for all points of the enclosures holds for the closed, welded mesh.
Point corner(const Body& body, const Piece& piece, const Vec3& v) {
  const Point x = point_in_body<Interval>(body.pose_of(piece), v);
  const Vec3 rounded = body.element(piece).X_BS * v;
  return {hull(x.x, rounded.x), hull(x.y, rounded.y), hull(x.z, rounded.z)};
}

struct Crossing {
  bool decided = true;
  int direction = 0;  // 0: none
};

// With a, b, c the corners as seen from the point and s_ab = d · (a × b) and so on, the identity
// s_bc a + s_ca b + s_ab c = det(a, b, c) d says where the line meets the plane.
Crossing cross_triangle(const Body& body, const Piece& piece, const Point& p, const Point& d) {
  const auto v = corners(body, piece);
  const Point a = corner(body, piece, v[0]) - p, b = corner(body, piece, v[1]) - p,
              c = corner(body, piece, v[2]) - p;
  const int ab = sign(dot(d, cross(a, b))), bc = sign(dot(d, cross(b, c))),
            ca = sign(dot(d, cross(c, a)));
  const bool any_left = ab > 0 || bc > 0 || ca > 0, any_right = ab < 0 || bc < 0 || ca < 0;
  if (any_left && any_right) return {};
  const int ahead = sign(dot(a, cross(b, c)));
  if (ab == 0 || bc == 0 || ca == 0 || ahead == 0) return {false, 0};
  return {true, ahead == ab ? ab : 0};
}

struct Count {
  int winding = 0, crossings = 0;
};

// Counts the crossings of the ray with each component; false if one cannot be decided.
bool count_crossings(const Body& body, const Topology& topology, const Point& p, const Point& d,
                     std::vector<Count>& counts) {
  counts.assign(topology.components.size(), {});
  std::vector<int> waiting = {0};
  while (!waiting.empty()) {
    const BoxNode& node = body.tree[static_cast<std::size_t>(waiting.back())];
    waiting.pop_back();
    if (misses(node.box, p, d)) continue;
    if (node.item < 0) {
      waiting.insert(waiting.end(), std::begin(node.children), std::end(node.children));
      continue;
    }
    const auto item = static_cast<std::size_t>(node.item);
    if (item >= topology.component.size() || topology.component[item] < 0) continue;
    const auto component = static_cast<std::size_t>(topology.component[item]);
    if (!topology.components[component].closed) continue;
    const Crossing crossing = cross_triangle(body, body.pieces[item], p, d);
    if (!crossing.decided) return false;
    counts[component].winding += crossing.direction;
    counts[component].crossings += crossing.direction != 0;
  }
  return true;
}

}  // namespace

Side locate(const Body& body, const Topology& topology, const Point& point) {
  const Box3& box = body.tree[0].box;
  for (int i = 0; i < 3; ++i)
    if (point[i].hi < box.lo[i] || point[i].lo > box.hi[i]) return Side::outside;
  // Rays with no relation to the axes of anything; a second one is hardly ever needed.
  static const Vec3 kRays[] = {{31337, 7919, 104729},   {-48611, 66841, 15485},
                               {27644, -95089, -60013}, {-7211, -39119, 88003},
                               {99991, 51341, -12347},  {-64553, 1327, -80021}};
  std::vector<Count> counts;
  for (const Vec3& ray : kRays) {
    if (!count_crossings(body, topology, point, Point(ray), counts)) continue;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (topology.components[i].oriented ? counts[i].winding != 0 : counts[i].crossings % 2 != 0)
        return Side::inside;
    return Side::outside;
  }
  return Side::unknown;
}

const Topology& Solids::topology(int body) {
  auto& known = topologies_[static_cast<std::size_t>(body)];
  if (!known) known = find_topology(model_.bodies[static_cast<std::size_t>(body)]);
  return *known;
}

Solids::Nested Solids::find_nested(int inner, const Placement<Interval>& X_WI, int outer,
                                   const Placement<Interval>& X_WO) {
  const Body& in = model_.bodies[static_cast<std::size_t>(inner)];
  const Body& out = model_.bodies[static_cast<std::size_t>(outer)];
  if (out.pieces[0].triangle < 0 || !topology(outer).any_closed) return {};
  const auto& components = topology(inner).components;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Piece& piece = in.pieces[static_cast<std::size_t>(components[i].piece)];
    Vec3 local;  // a primitive's own centre
    if (piece.triangle >= 0)
      local = corners(in, piece)[0];
    else if (const auto* h =
                 std::get_if<std::shared_ptr<const ConvexHull>>(&in.element(piece).shape))
      local = (*h)->points[0];
    const Point x_W = X_WI * point_in_body<Interval>(in.pose_of(piece), local);
    const Point x_O = X_WO.R.entries().transpose_times(x_W - X_WO.position());
    const Side side = locate(out, topology(outer), x_O);
    if (side != Side::outside) return {static_cast<int>(i), side};
  }
  return {};
}

namespace {

// Whether some direction separates the root boxes of two bodies.
bool roots_apart(const Body& a, const Placement<Interval>& X_WA, const Body& b,
                 const Placement<Interval>& X_WB) {
  const Node A{&a, &a.tree, 0}, B{&b, &b.tree, 0};
  const Matrix<Interval> R_A = X_WA.R.entries(), R_B = X_WB.R.entries();
  const auto separates = [&](const Vec3& direction) {
    const Point n(direction);
    const Interval top = highest(A, R_A.transpose_times(n)) + dot(n, X_WA.position());
    const Interval bottom = dot(n, X_WB.position()) - highest(B, R_B.transpose_times(-n));
    return surely_positive(bottom - top);
  };
  const auto either_way = [&](const Vec3& n) { return separates(n) || separates(-n); };
  const auto centre = [](const Body& body, const Placement<Interval>& X) {
    return approximate(X * ball_around<Interval>(body).centre);
  };
  if (separates(centre(b, X_WB) - centre(a, X_WA))) return true;
  for (int i = 0; i < 3; ++i)
    if (either_way(approximate(R_A.column(i))) || either_way(approximate(R_B.column(i))))
      return true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (either_way(cross(approximate(R_A.column(i)), approximate(R_B.column(j))))) return true;
  return false;
}

}  // namespace

void check_solids(const Model& model, const Path& path, Solids& solids) {
  const SegmentEnds ends = segment_ends(path, 0);
  SegmentMotion<Interval> motion(model, ends.from, ends.to, 0);
  std::vector<Placement<Interval>> X_W;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    X_W.push_back(motion.pose(0, static_cast<int>(i)));
  for (const Pair& pair : model.pairs) {
    if (pair.clearance < 0) continue;  // they may overlap
    const Placement<Interval>& X_WA = X_W[static_cast<std::size_t>(pair.a)];
    const Placement<Interval>& X_WB = X_W[static_cast<std::size_t>(pair.b)];
    const Body& a = model.bodies[static_cast<std::size_t>(pair.a)];
    const Body& b = model.bodies[static_cast<std::size_t>(pair.b)];
    if (roots_apart(a, X_WA, b, X_WB)) continue;
    for (const bool swap : {false, true}) {
      const auto nested = swap ? solids.find_nested(pair.b, X_WB, pair.a, X_WA)
                               : solids.find_nested(pair.a, X_WA, pair.b, X_WB);
      if (nested.side != Side::outside)
        throw Rejected{fmt::format(
            "at the start component {} of {} {} {}", nested.component, swap ? b.name : a.name,
            nested.side == Side::inside ? "lies inside" : "cannot be told to lie outside of",
            swap ? a.name : b.name)};
    }
  }
}

}  // namespace proven::verifier
