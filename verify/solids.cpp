#include "verify/solids.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "verify/quick.h"
#include "verify/walk.h"

namespace proven::verifier {
namespace {

using Point = Vector<Interval>;

constexpr double kAlmostWhole = 1 - 0x1p-10;  // docs/inside.md

int sign(const Interval& x) {
  return x.lo > 0 ? 1 : x.hi < 0 ? -1 : 0;
}

// Whether the ray from p along d surely misses the box, widened by the slack.
bool misses(const Box3& box, const Point& p, const Point& d, double slack) {
  const Point low = widened(Point(box.lo) - p, Interval(slack)),
              high = widened(Point(box.hi) - p, Interval(slack));
  Interval ahead = 0.0;
  for (int i = 0; i < 3; ++i) ahead = ahead + d[i] * hull(low[i], high[i]);
  if (ahead.hi < 0) return true;
  for (int i = 0; i < 3; ++i) {  // the line passes beside the box, seen along the axis i
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (sign(d[j] * hull(low[k], high[k]) - d[k] * hull(low[j], high[j])) != 0) return true;
  }
  return false;
}

// The corners of a triangle seen from p, each enclosed together with its welded, rounded position:
// welded corners then share a point, and what is decided strictly for all points of the enclosures
// holds for the closed, welded mesh.
std::array<Point, 3> seen_from(const Point& p, const Body& body, std::size_t triangle) {
  const Piece& piece = body.pieces[triangle];
  const auto given = corners(body, piece);
  std::array<Point, 3> seen;
  for (std::size_t k = 0; k < 3; ++k) {
    const Point x = point_in_body<Interval>(body.pose_of(piece), given[k]);
    const Vec3& welded = body.topology.triangles[triangle][k];
    for (int i = 0; i < 3; ++i) seen[k][i] = hull(x[i], welded[i]) - p[i];
  }
  return seen;
}

struct Crossing {
  bool decided = true;
  int direction = 0;  // 0: none
};

// With a, b, c the corners as seen from the point and s_ab = d · (a × b) and so on, the identity
// s_bc a + s_ca b + s_ab c = det(a, b, c) d says where the line meets the plane.
Crossing cross_triangle(const std::array<Point, 3>& seen, const Point& d) {
  const auto& [a, b, c] = seen;
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

// Counts the crossings of the ray with each shell that is wanted, or with open triangles; false if
// one cannot be decided.
template <class Wanted>
bool count_crossings(const Body& body, const Point& p, const Point& d, const Wanted& wanted,
                     std::map<int, Count>& counts) {
  counts.clear();
  std::vector<int> waiting = {0};
  while (!waiting.empty()) {
    const BoxNode& node = body.tree[static_cast<std::size_t>(waiting.back())];
    waiting.pop_back();
    if (misses(node.box, p, d, body.topology.slack)) continue;
    if (node.item < 0) {
      waiting.insert(waiting.end(), std::begin(node.children), std::end(node.children));
      continue;
    }
    const auto item = static_cast<std::size_t>(node.item);
    if (item >= body.topology.shell.size()) continue;
    const int shell = body.topology.shell[item];
    if (shell == kNoShell || !wanted(shell)) continue;
    const Crossing crossing = cross_triangle(seen_from(p, body, item), d);
    if (!crossing.decided) return false;
    if (crossing.direction == 0) continue;
    counts[shell].winding += crossing.direction;
    ++counts[shell].crossings;
  }
  return true;
}

int times_around(const Shell& shell, const Count& count) {
  return shell.directed ? std::abs(count.winding) : count.crossings % 2;
}

// The shells around p and how often they go around it, without the shell `except`; none if no ray
// can be decided.
std::optional<std::map<int, int>> shells_around(const Body& body, const Point& p, int except) {
  // Rays with no relation to the axes of anything; a second one is hardly ever needed.
  static const Vec3 kRays[] = {{31337, 7919, 104729},   {-48611, 66841, 15485},
                               {27644, -95089, -60013}, {-7211, -39119, 88003},
                               {99991, 51341, -12347},  {-64553, 1327, -80021}};
  std::map<int, Count> counts;
  const auto wanted = [&](int shell) { return shell >= 0 && shell != except; };
  for (const Vec3& ray : kRays) {
    if (!count_crossings(body, p, Point(ray), wanted, counts)) continue;
    std::map<int, int> around;
    for (const auto& [shell, count] : counts)
      if (const int times =
              times_around(body.topology.shells[static_cast<std::size_t>(shell)], count);
          times != 0)
        around[shell] = times;
    return around;
  }
  return std::nullopt;
}

// Half of the solid angle of a triangle is that of the vector (x, y) below. Where all vectors of an
// enclosure are within r of its middle m, their angles are within asin(r / |m|) <= 1.6 r / |m|.
Interval half_solid_angle(const std::array<Point, 3>& seen) {
  const auto& [a, b, c] = seen;
  const Interval la = norm(a), lb = norm(b), lc = norm(c);
  const Interval y = dot(a, cross(b, c));
  const Interval x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  const Interval r = sqrt(square(radius(x)) + square(radius(y)));
  const Interval m = sqrt(square(middle(x)) + square(middle(y)));
  // The point may lie on the triangle, or on an edge.
  if ((x.lo <= 0 && sign(y) == 0) || !(2 * r.hi < m.lo)) return {-3.2, 3.2};
  const double angle = std::atan2(approximate(y), approximate(x));
  // The library's arc tangent, and the rounding of the middles, are good to 2^-50.
  return widened(Interval(angle), Interval(1.6) * r / m + Interval(0x1p-48));
}

// Whether open triangles hold the point: a ray along z crosses them, and their winding number is
// almost 1.
Side locate_in_open(const Body& body, const Point& p) {
  const Topology& topology = body.topology;
  if (topology.open.size() <= 2) return Side::outside;
  for (int i = 0; i < 3; ++i) {
    double low = INFINITY, high = -INFINITY;
    for (const int t : topology.open)
      for (const Vec3& corner : topology.triangles[static_cast<std::size_t>(t)])
        low = std::min(low, corner[i]), high = std::max(high, corner[i]);
    if (p[i].hi < low || p[i].lo > high) return Side::outside;
  }
  std::map<int, Count> counts;
  const bool decided = count_crossings(
      body, p, Point(Vec3{0, 0, 1}), [](int shell) { return shell == kOpen; }, counts);
  if (decided && counts[kOpen].winding == 0) return Side::outside;
  Interval sum = 0.0;
  for (const int t : topology.open)
    sum = sum + half_solid_angle(seen_from(p, body, static_cast<std::size_t>(t)));
  const Interval two_pi(6.283185307179586, 6.283185307179587);
  const Interval winding = abs(sum / two_pi);
  if (winding.hi < kAlmostWhole) return Side::outside;
  return winding.lo >= kAlmostWhole ? Side::inside : Side::unknown;
}

}  // namespace

Side locate(const Body& body, const Point& point) {
  const Box3& box = body.tree[0].box;
  for (int i = 0; i < 3; ++i)
    if (point[i].hi < box.lo[i] || point[i].lo > box.hi[i]) return Side::outside;
  const auto around = shells_around(body, point, kNoShell);
  if (!around) return Side::unknown;
  int total = 0;
  for (const auto& [shell, times] : *around)
    total += body.topology.shells[static_cast<std::size_t>(shell)].weight * times;
  return total != 0 ? Side::inside : locate_in_open(body, point);
}

namespace {

// The sign of the volume of each shell; 0: unknown, or it has no direction.
std::vector<int> find_directions(const Topology& topology) {
  std::vector<Interval> volumes(topology.shells.size());
  for (std::size_t t = 0; t < topology.triangles.size(); ++t) {
    if (topology.shell[t] < 0) continue;
    Interval& volume = volumes[static_cast<std::size_t>(topology.shell[t])];
    const Shell& shell = topology.shells[static_cast<std::size_t>(topology.shell[t])];
    const Point origin(topology.triangles[static_cast<std::size_t>(shell.first)][0]);
    const auto& [a, b, c] = topology.triangles[t];
    volume = volume + dot(Point(a) - origin, cross(Point(b) - origin, Point(c) - origin));
  }
  std::vector<int> directions;
  for (std::size_t i = 0; i < volumes.size(); ++i)
    directions.push_back(topology.shells[i].directed ? sign(volumes[i]) : 0);
  return directions;
}

std::vector<Box3> find_boxes(const Topology& topology) {
  std::vector<Box3> boxes;
  for (const Shell& shell : topology.shells) {
    const Vec3& corner = topology.triangles[static_cast<std::size_t>(shell.first)][0];
    boxes.push_back({corner, corner});
  }
  for (std::size_t t = 0; t < topology.triangles.size(); ++t)
    for (const Vec3& corner : topology.triangles[t])
      if (const int shell = topology.shell[t]; shell >= 0) {
        Box3& box = boxes[static_cast<std::size_t>(shell)];
        box = united(box, {corner, corner});
      }
  return boxes;
}

bool lies_in(const Box3& inner, const Box3& outer) {
  for (int i = 0; i < 3; ++i)
    if (inner.lo[i] < outer.lo[i] || inner.hi[i] > outer.hi[i]) return false;
  return true;
}

}  // namespace

void weigh_shells(const Body& body, Topology& topology) {
  const std::vector<int> directions = find_directions(topology);
  const auto any = [&](int d) {
    return std::find(directions.begin(), directions.end(), d) != directions.end();
  };
  if (!any(1) || !any(-1)) return;
  const std::vector<Box3> boxes = find_boxes(topology);
  std::vector<std::vector<std::size_t>> holders(boxes.size());
  std::vector<bool> known(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Shell& shell = topology.shells[i];
    const Point first(topology.triangles[static_cast<std::size_t>(shell.first)][0]);
    const auto around = shells_around(body, first, static_cast<int>(i));
    known[i] = around.has_value();
    for (const auto& [other, times] : around.value_or(std::map<int, int>{}))
      if (lies_in(boxes[i], boxes[static_cast<std::size_t>(other)]))
        holders[i].push_back(static_cast<std::size_t>(other));
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    int outermost = 0, opposite = 0;
    bool sure = directions[i] != 0 && known[i];
    for (const std::size_t holder : holders[i]) {
      sure = sure && known[holder];
      if (!holders[holder].empty()) continue;
      ++outermost;
      if (directions[holder] == -directions[i]) ++opposite;
    }
    if (sure && outermost > 0 && opposite == outermost) topology.shells[i].weight = -1;
  }
}

namespace {

// Whether the point, known up to `error`, surely lies outside of the box.
bool is_beyond(const Box3& box, const Vec3& point, double error) {
  for (int i = 0; i < 3; ++i)
    if (below(point[i] - error) > box.hi[i] || above(point[i] + error) < box.lo[i]) return true;
  return false;
}

// Points of one body, seen from another.
class Sight {
 public:
  Sight(const Body& inner, const Placement<Interval>& X_WI, const Body& outer,
        const Placement<Interval>& X_WO)
      : inner_(inner),
        X_WI_(X_WI),
        outer_(outer),
        X_WO_(X_WO),
        inner_error_(placed(inner, X_WI).error) {}

  // Whether all that is within `reach` of a point of the inner body surely lies outside of the
  // outer one's box. Turning v back rounds by less than 8 u |v|.
  bool far_away(const Vec3& point, double reach) const {
    const Vec3 v = X_WI_.R.M * point + X_WI_.p - X_WO_.p;
    const double error =
        kUp * (1.01 * (inner_error_ + X_WO_.eps) + (X_WO_.R.rho + 0x1p-48) * size(v) + reach);
    return X_WO_.R.rho <= 0x1p-10 &&
           is_beyond(outer_.tree[0].box, transpose_times(X_WO_.R.M, v), error);
  }
  Side side_of(int component) const {
    const auto i = static_cast<std::size_t>(component);
    if (far_away(inner_.component_points[i], 0)) return Side::outside;
    const int piece = inner_.topology.components[i];
    const Point x_W = X_WI_ * point_of(inner_, inner_.pieces[static_cast<std::size_t>(piece)]);
    return locate(outer_, X_WO_.R.entries().transpose_times(x_W - X_WO_.position()));
  }

 private:
  const Body& inner_;
  const Placement<Interval>& X_WI_;
  const Body& outer_;
  const Placement<Interval>& X_WO_;
  double inner_error_;
};

// Of grains, which are components in their order, the tree says which are near.
Nested find_nested_grain(const Body& inner, const Sight& sight) {
  std::vector<int> waiting = {0};
  while (!waiting.empty()) {
    const BoxNode& node = inner.tree[static_cast<std::size_t>(waiting.back())];
    waiting.pop_back();
    if (node.item >= 0) {
      const Side side = sight.side_of(node.item);
      if (side != Side::outside) return {node.item, side};
      continue;
    }
    const Vec3 centre = 0.5 * (node.box.lo + node.box.hi);
    const double reach = kUp * (size(node.box.hi - centre) + size(centre - node.box.lo));
    if (sight.far_away(centre, reach)) continue;
    waiting.insert(waiting.end(), std::begin(node.children), std::end(node.children));
  }
  return {};
}

}  // namespace

Nested find_nested(const Body& inner, const Placement<Interval>& X_WI, const Body& outer,
                   const Placement<Interval>& X_WO) {
  if (!outer.topology.may_hold()) return {};
  const Sight sight(inner, X_WI, outer, X_WO);
  if (inner.sensed()) return find_nested_grain(inner, sight);
  for (std::size_t i = 0; i < inner.topology.components.size(); ++i) {
    const Side side = sight.side_of(static_cast<int>(i));
    if (side != Side::outside) return {static_cast<int>(i), side};
  }
  return {};
}

namespace {

// Whether some direction surely separates the root boxes of two bodies.
bool roots_apart(const Body& a, const PlacedBody& at_a, const Body& b, const PlacedBody& at_b) {
  const Node A{&a, &a.tree, 0}, B{&b, &b.tree, 0};
  const auto highest = [](const Node& node, const PlacedBody& at, const Vec3& n) {
    return near_highest(node, transpose_times(at.R_WB, n)) + dot(n, at.p_WB);
  };
  const auto separates = [&](const Vec3& n) {
    const double gap = -highest(B, at_b, -n) - highest(A, at_a, n);
    return gap > kUp * kUp * norm(n) * (at_a.error + at_b.error);
  };
  const auto either_way = [&](const Vec3& n) { return separates(n) || separates(-n); };
  if (separates(at_b.centre - at_a.centre)) return true;
  for (int i = 0; i < 3; ++i)
    if (either_way(at_a.R_WB.column(i)) || either_way(at_b.R_WB.column(i))) return true;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (either_way(cross(at_a.R_WB.column(i), at_b.R_WB.column(j)))) return true;
  return false;
}

}  // namespace

void check_solids(const Model& model, const Motion& motion) {
  SegmentMotion<Interval> first(model, motion.piece(0), {});
  std::vector<Placement<Interval>> X_W;
  std::vector<PlacedBody> at;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    X_W.push_back(first.pose(0, static_cast<int>(i)));
    at.push_back(placed(model.bodies[i], X_W.back()));
  }
  for (const Pair& pair : model.pairs) {
    if (pair.clearance < 0) continue;  // they may overlap
    const Placement<Interval>& X_WA = X_W[static_cast<std::size_t>(pair.a)];
    const Placement<Interval>& X_WB = X_W[static_cast<std::size_t>(pair.b)];
    const Body& a = model.bodies[static_cast<std::size_t>(pair.a)];
    const Body& b = model.bodies[static_cast<std::size_t>(pair.b)];
    if (!a.topology.may_hold() && !b.topology.may_hold()) continue;
    if (roots_apart(a, at[static_cast<std::size_t>(pair.a)], b,
                    at[static_cast<std::size_t>(pair.b)]))
      continue;
    for (const bool swap : {false, true}) {
      const Nested nested = swap ? find_nested(b, X_WB, a, X_WA) : find_nested(a, X_WA, b, X_WB);
      if (nested.side != Side::outside)
        throw Rejected{fmt::format(
            "at the start component {} of {} {} {}", nested.component, swap ? b.name : a.name,
            nested.side == Side::inside ? "lies inside" : "cannot be told to lie outside of",
            swap ? a.name : b.name)};
    }
  }
}

std::vector<std::string> bodies_without_inside(const Model& model) {
  std::set<int> found;
  for (const Pair& pair : model.pairs)
    for (const int i : {pair.a, pair.b})
      if (!model.bodies[static_cast<std::size_t>(i)].topology.open.empty()) found.insert(i);
  std::vector<std::string> names;
  for (const int i : found) names.push_back(model.bodies[static_cast<std::size_t>(i)].name);
  return names;
}

}  // namespace proven::verifier
