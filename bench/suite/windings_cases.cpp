#include "bench/suite/windings_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bench/suite/parts.h"
#include "bench/suite/random_parts.h"
#include "proven/geometry/body_geometry.h"

namespace proven::bench {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kNotSwept = 0x1p19;

template <std::size_t n>
double one_of(const double (&values)[n], Random& random) {
  return values[random.index(static_cast<int>(n))];
}

// None, such that a turn fits, 32 turns and more, and any size.
JointLimits random_limits(Random& random) {
  constexpr double kLimits[] = {2, 3.2, 6.4, 100, 201.1, 206, 1e3, 1e5, 1e7, 1e9};
  const double up = one_of(kLimits, random), down = one_of(kLimits, random);
  return {-down, random.index(2) == 0 ? up : down, 1, 1};
}

RobotJoint& add_link(Robot& robot, const std::string& name, const std::string& parent,
                     JointType type, const Vec3& axis, const Pose& X,
                     std::vector<CollisionElement> collision) {
  RobotLink& link = robot.links.emplace_back();
  link.name = name;
  link.collision = std::move(collision);
  RobotJoint& joint = robot.joints.emplace_back();
  joint.name = "to_" + name, joint.type = type;
  joint.parent_link = parent, joint.child_link = name;
  joint.X_PJ = X;
  joint.axis = axis;
  return joint;
}

JointType turning_type(RobotJoint& joint, Random& random) {
  if (random.index(3) == 0) return joint.type = JointType::continuous;
  joint.limits = random_limits(random);
  return joint.type = JointType::revolute;
}

Robot base_with(std::vector<CollisionElement> collision) {
  Robot robot;
  robot.links.emplace_back().name = "base";
  robot.links[0].collision = std::move(collision);
  return robot;
}

// Posts on the base, an arm that turns over it, and one more on the arm.
Robot turret(Random& random) {
  std::vector<CollisionElement> posts;
  for (int i = 1 + random.index(3); i > 0; --i) {
    const double at = random.uniform(-3, 3), far = random.uniform(0.3, 0.6);
    posts.push_back({Box{{0.04, 0.04, random.uniform(0.1, 0.3)}},
                     Pose::translation({far * std::cos(at), far * std::sin(at), 0}), ""});
  }
  Robot robot = base_with(std::move(posts));
  const auto turn = [&](const std::string& name, const std::string& parent, const Pose& X,
                        std::vector<CollisionElement> collision) {
    turning_type(add_link(robot, name, parent, JointType::revolute,
                          {0, 0, random.index(2) == 0 ? 1.0 : -1.0}, X, std::move(collision)),
                 random);
  };
  const auto rod = [&](double length) {
    const Pose along{rotation({0, 1, 0}, 0.5 * std::numbers::pi), {length, 0, 0}};
    return std::vector<CollisionElement>{{Capsule{0.03, 0.9 * length}, along, ""}};
  };
  turn("turret", "base", {}, {});
  const double length = random.uniform(0.15, 0.25);
  turn("arm", "turret", Pose::translation({0.02, 0, random.uniform(-0.2, 0.3)}), rod(length));
  if (random.index(2) == 0) return robot;
  turn("wrist", "arm", Pose::translation({2 * length, 0, 0.05}), {});
  turn("hand", "wrist", Pose::translation({0.01, 0, 0}), rod(random.uniform(0.1, 0.2)));
  return robot;
}

Robot chain(bool coupled, Random& random) {
  Robot robot = base_with({{random_shape(random, 0.1), random_pose(random, 0.1), ""}});
  const int joints = 2 + random.index(6);
  std::vector<std::string> turning, sliding;  // joints that others may follow
  for (int i = 1; i <= joints; ++i) {
    std::vector<CollisionElement> collision;
    if (i > 1 && random.index(3) != 0)
      collision.push_back({random_shape(random, 0.12), random_pose(random, 0.15), ""});
    const bool slides = random.index(5) == 0;
    RobotJoint& joint =
        add_link(robot, fmt::format("l{}", i), i == 1 ? "base" : fmt::format("l{}", i - 1),
                 JointType::prismatic, random.unit_vector(), random_pose(random, 0.2), collision);
    if (slides) {
      const double limit = random.index(20) == 0 ? 1e9 : random.uniform(0.05, 0.5);
      joint.limits = {-limit, limit, 1, 1};
    } else {
      turning_type(joint, random);
    }
    std::vector<std::string>& leaders = slides ? sliding : turning;
    if (!coupled || leaders.empty() || random.index(2) == 0) {
      leaders.push_back(joint.name);
      continue;
    }
    constexpr double kFactors[] = {1, -1, -1, 2, -3.7, 0.5, -1e-3, 30, -1e3, 1e6, -1e6};
    constexpr double kOffsets[] = {0, 0, 0.7, -2, 100, -200, 1e4, -1e6};
    joint.mimic =
        Mimic{leaders[static_cast<std::size_t>(random.index(static_cast<int>(leaders.size())))],
              slides ? one_of({1, -1, 0.5, -2}, random) : one_of(kFactors, random),
              slides ? 0 : one_of(kOffsets, random)};
    joint.limits = {-1e9, 1e9, 1, 1};
  }
  return robot;
}

void add_obstacles(SceneSource& source, int count, double from, double to, Random& random) {
  for (int i = 0; i < count; ++i)
    source.obstacles.push_back(
        {fmt::format("o{}", i),
         {{random_shape(random, 0.15), Pose{}, ""}},
         {random.rotation(), random.uniform(from, to) * random.unit_vector()}});
}

// A ball and what it carries, on a slide past stones in two rows.
void stones(SceneSource& source, Random& random) {
  Robot robot = base_with({});
  add_link(robot, "ball", "base", JointType::prismatic, {1, 0, 0}, {}, {{Sphere{0.1}, {}, ""}})
      .limits = {-20, 20, 1, 1};
  turning_type(add_link(robot, "rod", "ball", JointType::revolute, {0, 0, 1}, {},
                        {{Capsule{0.03, 0.1}, Pose::translation({0.3, 0, 0}), ""}}),
               random);
  source.robots.push_back({"r", std::move(robot), Pose{}});
  const int count = 1 + random.index(40);
  for (int i = 0; i < count; ++i) {
    Shape shape = Sphere{0.1};
    if (random.index(3) == 0) shape = Box{{0.1, 0.1, 0.1}};
    if (random.index(3) == 0) shape = Cylinder{0.1, 0.1};
    source.obstacles.push_back(
        {fmt::format("o{}", i),
         {{shape, Pose{}, ""}},
         Pose::translation({0.3 * (i - count / 2),
                            (i % 2 == 0 ? 1 : -1) * random.uniform(0.18, 0.5),
                            random.uniform(-0.1, 0.1)})});
  }
}

bool is_one_convex(const Body& body) {
  return body.geometry->triangles().empty() && body.geometry->convexes().size() == 1;
}

// Of the scene, of a class, of pairs; negative where bodies allow that.
Result<Scene> with_clearances(Scene scene, Random& random) {
  const int form = random.index(5);
  if (form == 1)
    return scene.with_clearance(Clearances::everywhere(std::pow(10, random.uniform(-6, -1))));
  if (form == 2)
    return scene.with_clearance({random.uniform(0, 0.05), 0, random.uniform(0, 0.01), 0});
  if (form == 0 || scene.pairs().empty()) return scene;
  const int count = form == 3 ? 1 : 1 + random.index(20);
  Result<Scene> made = std::move(scene);
  for (int i = 0; i < count; ++i) {
    const Scene& now = made.value();
    const BodyPair& pair =
        now.pairs()[static_cast<std::size_t>(random.index(static_cast<int>(now.pairs().size())))];
    const Body &a = now.body(pair.a), &b = now.body(pair.b);
    const bool overlaps = is_one_convex(a) && is_one_convex(b) && random.index(3) != 0;
    const double size = random.index(20) == 0 ? 1e9 : std::pow(10, random.uniform(-5, -1));
    made = now.with_pair_clearance(a.name, b.name, overlaps ? -size : std::min(size, 0.1));
    if (!made.ok()) return made;
  }
  return made;
}

// A coordinate's range and how its values are chosen, from the joints that have it.
WindingRange range_of(const KinematicTree& tree, int coordinate, Random& random) {
  const Coordinate& c = tree.coordinates()[static_cast<std::size_t>(coordinate)];
  WindingRange range;
  double largest = 0;
  for (const Link& link : tree.links()) {
    const Joint& joint = link.joint;
    if (joint.kind == JointKind::fixed || joint.coordinate != coordinate) continue;
    range.turns = range.turns || joint.kind == JointKind::revolute;
    if (std::fabs(joint.multiplier) <= largest) continue;
    largest = std::fabs(joint.multiplier);
    range.scale = 1 / std::max(1.0, largest);
    range.offset = -joint.offset / joint.multiplier;
  }
  range.all = {c.lower, c.upper};
  if (!range.turns) return range;
  // What is prepared may be more than the limits, and its end no multiple of a turn.
  constexpr double kTurns[] = {4, 33, 100, 1000, 1e5, 1e6};
  const double far = one_of(kTurns, random) * kTurn + random.uniform(0, kTurn);
  const double near = random.index(2) == 0 ? far : random.uniform(3, 30);
  if (!std::isfinite(c.lower)) range.all.lower = -near;
  if (!std::isfinite(c.upper)) range.all.upper = far;
  return range;
}

void find_ranges(WindingScene& made, Random& random) {
  const KinematicTree& tree = made.scene.tree();
  for (int i = 0; i < tree.num_coordinates(); ++i) made.ranges.push_back(range_of(tree, i, random));
}

// A value some turns from either end of the range, or from zero.
double start_value(const WindingRange& range, Random& random) {
  constexpr double kTurns[] = {0,  0,  0,  1,   3,   27,  28,     29,     31,  32, 33,
                               60, 64, 65, 100, 1e3, 1e4, 83'442, 83'443, 1e5, 1e6};
  const double turns = one_of(kTurns, random) * kTurn;
  const double within = random.uniform(-std::numbers::pi, std::numbers::pi);
  switch (random.index(4)) {
    case 0:
      return range.all.upper - range.scale * (turns + within);
    case 1:
      return range.offset + range.scale * ((random.index(2) == 0 ? turns : -turns) + within);
    default:
      return range.all.lower + range.scale * (turns + within);
  }
}

}  // namespace

std::vector<Interval> WindingScene::intervals() const {
  std::vector<Interval> all;
  for (const WindingRange& range : ranges) all.push_back(range.all);
  return all;
}

std::optional<WindingScene> make_winding_scene(WindingKind kind, Random& random) {
  SceneSource source;
  switch (kind) {
    case WindingKind::turret:
      source.robots.push_back({"r", turret(random), Pose{}});
      add_obstacles(source, random.index(4), 0.5, 0.9, random);
      break;
    case WindingKind::chain:
      source.robots.push_back({"r", chain(false, random), random_pose(random, 0.2)});
      add_obstacles(source, random.index(20), 0.3, 1.2, random);
      break;
    case WindingKind::coupled:
      source.robots.push_back({"r", chain(true, random), random_pose(random, 0.2)});
      add_obstacles(source, random.index(8), 0.3, 1.2, random);
      break;
    case WindingKind::stones:
      stones(source, random);
      break;
  }
  auto scene = build_scene(source);
  if (!scene.ok() || scene.value().pairs().empty()) return std::nullopt;
  auto required = with_clearances(std::move(scene).value(), random);
  if (!required.ok()) return std::nullopt;
  WindingScene made{std::move(required).value(), {}, {}};
  constexpr double kTubes[] = {1e-4, 1e-2, 0.3, 10, 1e6};
  if (random.index(4) == 0) made.options.tracking_error = one_of(kTubes, random);
  if (random.index(4) == 0) made.options.clearance = random.uniform(0, 0.02);
  find_ranges(made, random);
  return made;
}

WindingScene unlimited(const Scene& scene, Random& random) {
  WindingScene made{scene, {}, {}};
  find_ranges(made, random);
  for (WindingRange& range : made.ranges)
    if (range.turns) range.all = {range.all.lower, range.all.upper + 1000 * kTurn};
  return made;
}

WindingMotion make_winding_motion(const WindingScene& scene, bool curved, Random& random) {
  WindingMotion made;
  const std::size_t size = scene.ranges.size();
  std::vector<std::vector<double>> rows(2 + (curved ? 1 + random.index(4) : 0));
  for (std::vector<double>& row : rows) row.resize(size);
  const double reach = std::pow(10, random.uniform(-2, random.index(8) == 0 ? 2 : 0.4));
  for (std::size_t i = 0; i < size; ++i) {
    const WindingRange& range = scene.ranges[i];
    const double own = (range.turns ? reach : 0.2 * reach) * range.scale;
    const double from =
        range.turns ? start_value(range, random) : random.uniform(range.all.lower, range.all.upper);
    const bool rests = random.index(3) == 0;
    for (std::vector<double>& row : rows) {
      const double value = &row == rows.data() || rests ? from : from + random.uniform(-own, own);
      row[i] = std::clamp(value, range.all.lower, range.all.upper);
      made.far = made.far || (range.turns && (row[i] - range.all.lower) / range.scale > 28 * kTurn);
      made.too_far = made.too_far || std::fabs((row[i] - range.offset) / range.scale) > kNotSwept;
    }
  }
  made.motion.waypoints = {rows.front(), rows.back()};
  if (curved)
    made.motion.inner = {std::vector<std::vector<double>>(rows.begin() + 1, rows.end() - 1)};
  return made;
}

}  // namespace proven::bench
