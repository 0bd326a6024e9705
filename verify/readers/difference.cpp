// What two readers read, compared: the same bodies, shapes, joints, pairs and numbers?
#include <fmt/format.h>

#include <algorithm>

#include "proven/verify/readers.h"

namespace proven::verifier {
namespace {

struct Differs {
  std::string text;
};

// Where the comparison stands: "obstacle 'table'", "link 'arm/tool', shape 2".
class At {
 public:
  At(std::string place) : place_(std::move(place)) {}
  At then(std::string_view part) const {
    return At(place_.empty() ? std::string(part) : fmt::format("{}, {}", place_, part));
  }

  template <class T>
  void same(std::string_view field, const T& a, const T& b) const {
    if (!(a == b)) differ(field, fmt::format("{}", a), fmt::format("{}", b));
  }
  void same(std::string_view field, const Vec3& a, const Vec3& b) const {
    if (!(a == b)) differ(field, text(a), text(b));
  }
  void same(std::string_view field, const Pose& a, const Pose& b) const {
    same(fmt::format("position of the {}", field), a.p, b.p);
    for (std::size_t i = 0; i < 3; ++i)
      same(fmt::format("row {} of the rotation of the {}", i + 1, field), a.R.row[i], b.R.row[i]);
  }
  // Lists of one length, entry by entry.
  template <class T, class Compare>
  void each(std::string_view what, const std::vector<T>& a, const std::vector<T>& b,
            Compare&& compare) const {
    same(fmt::format("number of {}", what), a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) compare(a[i], b[i], i);
  }
  void same_list(std::string_view what, const std::vector<std::string>& a,
                 const std::vector<std::string>& b) const {
    each(what, a, b, [&](const auto& x, const auto& y, std::size_t i) {
      same(fmt::format("{} {}", what, i + 1), x, y);
    });
  }
  [[noreturn]] void differ(std::string_view field, const std::string& a,
                           const std::string& b) const {
    throw Differs{
        fmt::format("{}{}{}: {} and {}", place_, place_.empty() ? "" : ", ", field, a, b)};
  }

 private:
  static std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }
  std::string place_;
};

constexpr std::string_view kShapeNames[] = {"box",  "sphere", "cylinder", "capsule",
                                            "hull", "mesh",   "cloud",    "voxels"};

void compare(const At& at, const TriangleMesh& a, const TriangleMesh& b) {
  at.each("vertices", a.vertices, b.vertices, [&](const Vec3& x, const Vec3& y, std::size_t i) {
    if (!(x == y)) at.same(fmt::format("vertex {}", i), x, y);
  });
  at.each("triangles", a.triangles, b.triangles, [&](const auto& x, const auto& y, std::size_t i) {
    for (std::size_t k = 0; k < 3; ++k)
      if (x[k] != y[k]) at.same(fmt::format("corner {} of triangle {}", k, i), x[k], y[k]);
  });
}

void compare_shapes(const At& at, const Shape& a, const Shape& b) {
  at.same("kind of shape", kShapeNames[a.index()], kShapeNames[b.index()]);
  if (const auto* x = std::get_if<Box>(&a))
    at.same("half extents", x->half_extents, std::get<Box>(b).half_extents);
  if (const auto* x = std::get_if<Sphere>(&a))
    at.same("radius", x->radius, std::get<Sphere>(b).radius);
  const auto round = [&](const auto& x, const auto& y) {
    at.same("radius", x.radius, y.radius);
    at.same("half length", x.half_length, y.half_length);
  };
  if (const auto* x = std::get_if<Cylinder>(&a)) round(*x, std::get<Cylinder>(b));
  if (const auto* x = std::get_if<Capsule>(&a)) round(*x, std::get<Capsule>(b));
  const auto points = [&](const std::vector<Vec3>& x, const std::vector<Vec3>& y) {
    at.each("points", x, y, [&](const Vec3& p, const Vec3& q, std::size_t i) {
      if (!(p == q)) at.same(fmt::format("point {}", i), p, q);
    });
  };
  if (const auto* x = std::get_if<std::shared_ptr<const ConvexHull>>(&a))
    points((*x)->points, std::get<std::shared_ptr<const ConvexHull>>(b)->points);
  if (const auto* x = std::get_if<std::shared_ptr<const PointCloud>>(&a)) {
    const PointCloud& y = *std::get<std::shared_ptr<const PointCloud>>(b);
    at.same("radius", (*x)->radius, y.radius);
    points((*x)->points, y.points);
  }
  if (const auto* x = std::get_if<std::shared_ptr<const VoxelSet>>(&a)) {
    const VoxelSet& y = *std::get<std::shared_ptr<const VoxelSet>>(b);
    at.same("size", (*x)->size, y.size);
    at.each("cells", (*x)->cells, y.cells, [&](const auto& p, const auto& q, std::size_t i) {
      for (std::size_t k = 0; k < 3; ++k)
        if (p[k] != q[k]) at.same(fmt::format("index {} of cell {}", k, i), p[k], q[k]);
    });
  }
  if (const auto* x = std::get_if<std::shared_ptr<const TriangleMesh>>(&a))
    compare(at, **x, *std::get<std::shared_ptr<const TriangleMesh>>(b));
}

void compare(const At& at, const std::vector<CollisionElement>& a,
             const std::vector<CollisionElement>& b) {
  at.each("shapes", a, b, [&](const auto& x, const auto& y, std::size_t i) {
    const At shape = at.then(fmt::format("shape {}", i + 1));
    compare_shapes(shape, x.shape, y.shape);
    shape.same("pose", x.X_BS, y.X_BS);
  });
}

constexpr std::string_view kTypeNames[] = {"fixed",     "revolute", "continuous",
                                           "prismatic", "planar",   "floating"};

void compare(const At& at, const RobotJoint& a, const RobotJoint& b) {
  at.same("type", kTypeNames[static_cast<int>(a.type)], kTypeNames[static_cast<int>(b.type)]);
  at.same("parent link", a.parent_link, b.parent_link);
  at.same("child link", a.child_link, b.child_link);
  at.same("origin", a.X_PJ, b.X_PJ);
  at.same("axis", a.axis, b.axis);
  at.same("lower limit", a.limits.lower, b.limits.lower);
  at.same("upper limit", a.limits.upper, b.limits.upper);
  at.same("velocity", a.limits.velocity, b.limits.velocity);
  at.same("acceleration", a.limits.acceleration, b.limits.acceleration);
  const Mimic none, &x = a.mimic ? *a.mimic : none, &y = b.mimic ? *b.mimic : none;
  at.same("joint that it follows", x.joint, y.joint);
  at.same("multiplier", x.multiplier, y.multiplier);
  at.same("offset", x.offset, y.offset);
}

void compare(const At& at, const Robot& a, const Robot& b) {
  at.each("things left out", a.ignored, b.ignored,
          [&](const std::string& x, const std::string& y, std::size_t i) {
            at.same(fmt::format("left out, {}", i + 1), x, y);
          });
  at.each("links", a.links, b.links, [&](const RobotLink& x, const RobotLink& y, std::size_t i) {
    at.same(fmt::format("link {}", i + 1), x.name, y.name);
    compare(at.then(fmt::format("link '{}'", x.name)), x.collision, y.collision);
  });
  at.each("joints", a.joints, b.joints, [&](const auto& x, const auto& y, std::size_t i) {
    at.same(fmt::format("joint {}", i + 1), x.name, y.name);
    compare(at.then(fmt::format("joint '{}'", x.name)), x, y);
  });
  at.each("disabled pairs", a.disabled_pairs, b.disabled_pairs,
          [&](const DisabledPair& x, const DisabledPair& y, std::size_t i) {
            const At pair = at.then(fmt::format("disabled pair {}", i + 1));
            pair.same("first link", x.link_a, y.link_a);
            pair.same("second link", x.link_b, y.link_b);
            pair.same("reason", x.reason, y.reason);
          });
}

// Pairs of bodies and what is said of each.
template <class Pair, class Said>
void compare_pairs(std::string_view what, const std::vector<Pair>& a, const std::vector<Pair>& b,
                   Said said) {
  const At top("");
  top.each(what, a, b, [&](const Pair& x, const Pair& y, std::size_t i) {
    const At pair = top.then(fmt::format("{} {}", what, i + 1));
    pair.same("first body", x.body_a, y.body_a);
    pair.same("second body", x.body_b, y.body_b);
    pair.same("value", x.*said, y.*said);
  });
}

void compare(const At& top, const Motion& a, const Motion& b) {
  const auto rows = [](const At& at, std::string_view what, const auto& x, const auto& y) {
    at.each(fmt::format("{}s", what), x, y, [&](const auto& row, const auto& other, std::size_t i) {
      if (row == other) return;
      const At here = at.then(fmt::format("{} {}", what, i));
      here.each("values", row, other, [&](double u, double v, std::size_t k) {
        here.same(fmt::format("value {}", k), u, v);
      });
    });
  };
  rows(top, "waypoint", a.waypoints, b.waypoints);
  for (int i = 0; i < a.num_segments() && !(a.straight() && b.straight()); ++i) {
    const auto x = a.piece(i).inner, y = b.piece(i).inner;
    rows(top.then(fmt::format("piece {}", i)), "inner control point",
         std::vector(x.begin(), x.end()), std::vector(y.begin(), y.end()));
  }
  top.each("times", a.times, b.times, [&](double u, double v, std::size_t i) {
    if (u != v) top.same(fmt::format("time {}", i), u, v);
  });
  top.same_list("joints that are not named", a.defaulted, b.defaulted);
}

void compare_clocks(const At& at, const std::shared_ptr<const Motion>& a,
                    const std::shared_ptr<const Motion>& b) {
  at.same("motion by the clock", a ? "given" : "none", b ? "given" : "none");
  if (a) compare(at.then("motion"), *a, *b);
}

void compare(const SceneSource& a, const SceneSource& b) {
  const At top("");
  top.each("robots", a.robots, b.robots, [&](const auto& x, const auto& y, std::size_t i) {
    top.same(fmt::format("robot {}", i + 1), x.name, y.name);
    const At robot = top.then(fmt::format("robot '{}'", x.name));
    robot.same("pose", x.X_WR, y.X_WR);
    robot.same("lateness", x.late, y.late);
    compare_clocks(robot, x.motion, y.motion);
    compare(robot, x.robot, y.robot);
  });
  top.each("obstacles", a.obstacles, b.obstacles, [&](const auto& x, const auto& y, std::size_t i) {
    top.same(fmt::format("obstacle {}", i + 1), x.name, y.name);
    const At obstacle = top.then(fmt::format("obstacle '{}'", x.name));
    obstacle.same("pose", x.X_WB, y.X_WB);
    obstacle.same("growth", x.grows, y.grows);
    obstacle.same("lateness", x.late, y.late);
    compare_clocks(obstacle, x.motion, y.motion);
    compare(obstacle, x.elements, y.elements);
  });
  top.each("attached objects", a.attached, b.attached,
           [&](const auto& x, const auto& y, std::size_t i) {
             top.same(fmt::format("attached object {}", i + 1), x.name, y.name);
             const At object = top.then(fmt::format("attached object '{}'", x.name));
             object.same("link", x.link, y.link);
             object.same("pose", x.X_LB, y.X_LB);
             object.same_list("bodies that it may touch", x.touch, y.touch);
             compare(object, x.elements, y.elements);
           });
  top.same("clearance from the world", a.clearance.world, b.clearance.world);
  top.same("clearance of robots", a.clearance.robots, b.clearance.robots);
  top.same("clearance of links", a.clearance.self, b.clearance.self);
  top.same("clearance of held objects", a.clearance.attached, b.clearance.attached);
  compare_pairs("excluded pairs", a.exclusions, b.exclusions, &ExclusionSource::note);
  compare_pairs("pairs with a clearance", a.clearances, b.clearances, &ClearanceSource::clearance);
  for (const auto& [x, y] : {std::pair(&a.home, &b.home), std::pair(&b.home, &a.home)})
    for (const auto& [name, value] : *x) {
      const auto other = y->find(name);
      if (other == y->end()) top.differ("home of " + name, "one value", "none");
      top.same("home of " + name, a.home.at(name), b.home.at(name));
    }
}

template <class Compare>
std::optional<std::string> first(Compare&& compare_them) {
  try {
    compare_them();
  } catch (const Differs& differs) {
    return differs.text;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> first_difference(const SceneSource& a, const SceneSource& b) {
  return first([&] { compare(a, b); });
}

std::optional<std::string> first_difference(const TriangleMesh& a, const TriangleMesh& b) {
  return first([&] { compare(At("mesh"), a, b); });
}

std::optional<std::string> first_difference(const Motion& a, const Motion& b) {
  return first([&] { compare(At(""), a, b); });
}

}  // namespace proven::verifier
