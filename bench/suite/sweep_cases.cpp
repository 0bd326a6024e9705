#include "bench/suite/sweep_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suite/parts.h"
#include "bench/suite/random_parts.h"
#include "proven/kinematics/interpolation.h"

namespace proven::bench {
namespace {

// One to three joints that carry spheres, with obstacles where the last of them comes by.
SceneSource balls(Random& random) {
  constexpr JointType kTypes[] = {JointType::revolute, JointType::continuous, JointType::revolute,
                                  JointType::prismatic};
  Robot robot;
  const int joints = 1 + random.index(3);
  for (int i = 0; i <= joints; ++i) {
    RobotLink& link = robot.links.emplace_back();
    link.name = fmt::format("l{}", i);
    for (int k = i == 0 ? 0 : 1 + random.index(2); k > 0; --k)
      link.collision.push_back({Sphere{random.uniform(0.01, 0.08)}, random_pose(random, 0.3), ""});
    if (i == 0) continue;
    RobotJoint& joint = robot.joints.emplace_back();
    joint.name = fmt::format("j{}", i);
    joint.type = kTypes[random.index(4)];
    joint.parent_link = fmt::format("l{}", i - 1);
    joint.child_link = link.name;
    joint.X_PJ = random_pose(random, 0.4);
    joint.axis = random.index(2) == 0 ? Vec3{0, 0, -1} : random.unit_vector();
    joint.limits = {-3, 3, 1, 1};
  }
  SceneSource source;
  source.robots.push_back({"r1", std::move(robot), random_pose(random, 0.2)});
  for (int i = 2 + random.index(4); i > 0; --i)
    source.obstacles.push_back(
        {fmt::format("o{}", i),
         {{random_shape(random, 0.2), Pose{}, ""}},
         {random.rotation(), random.uniform(0.2, 1.2) * random.unit_vector()}});
  return source;
}

// The second derivative of a ball's way is nowhere larger than its bound where the arm is
// stretched, and half between two moments the way is farthest from their chord.
SceneSource arcs(Random& random, std::vector<Motion>& motions) {
  const int joints = 1 + random.index(2);
  const double radius = random.uniform(0.01, 0.05);
  double lengths[2] = {}, rates[2] = {}, starts[2] = {};
  Robot robot;
  robot.links.emplace_back().name = "l0";
  // All turn the same way, and pass the stretched arm half between two moments.
  const double middle = (random.index(15) + 0.5) / 15;
  const double way = random.index(2) == 0 ? 1 : -1;
  Motion& motion = motions.emplace_back();
  motion.waypoints.resize(2);
  for (int i = 0; i < joints; ++i) {
    lengths[i] = random.uniform(0.2, 1);
    rates[i] = way * random.uniform(0.3, 2.5);
    starts[i] = (i == 0 ? random.uniform(-1, 1) : 0) - middle * rates[i];
    motion.waypoints[0].push_back(starts[i]);
    motion.waypoints[1].push_back(starts[i] + rates[i]);
    RobotLink& link = robot.links.emplace_back();
    link.name = fmt::format("l{}", i + 1);
    RobotJoint& joint = robot.joints.emplace_back();
    joint.name = fmt::format("j{}", i + 1);
    joint.type = JointType::continuous;
    joint.parent_link = fmt::format("l{}", i);
    joint.child_link = link.name;
    joint.axis = {0, 0, 1};
    joint.X_PJ = at(i == 0 ? 0 : lengths[0], 0, 0);
  }
  robot.links.back().collision = {{Sphere{radius}, at(lengths[joints - 1], 0, 0), ""}};
  SceneSource source;
  source.robots.push_back({"r1", std::move(robot), random_pose(random, 0.2)});
  // At that moment the whole arm points along `angle`.
  const double angle = starts[0] + middle * rates[0];
  const double reach = lengths[0] + lengths[1] + radius;
  const double half = random.uniform(0.02, 0.3), gap = random.uniform(0.001, 0.1);
  const Shape shapes[] = {Sphere{half}, Box{{half, 0.3, 0.3}}, Capsule{half, 0.2},
                          box(Style::mesh, {half, 0.3, 0.3}).shape};
  const Pose X_RO = Pose{rotation({0, 0, 1}, angle), {}} * at(reach + gap + half, 0, 0);
  source.obstacles.push_back(
      {"o", {{shapes[random.index(4)], Pose{}, ""}}, source.robots[0].X_WR * X_RO});
  return source;
}

SceneSource trees(Random& random) {
  SceneSource source;
  for (int i = random.index(4) == 0 ? 2 : 1; i > 0; --i)
    source.robots.push_back(
        {fmt::format("r{}", i), random_robot(random), random_pose(random, 0.4)});
  for (int i = 1 + random.index(4); i > 0; --i)
    source.obstacles.push_back({fmt::format("o{}", i),
                                {{random_shape(random, 0.3), Pose{}, ""}},
                                random_pose(random, 1.3)});
  if (random.index(2) == 0)
    source.attached.push_back({"held",
                               "r1/" + source.robots.back().robot.links.back().name,
                               {{random_shape(random, 0.1), random_pose(random, 0.1), ""}},
                               random_pose(random, 0.15),
                               {}});
  return source;
}

// A robot within a closed mesh; or a link that is a closed mesh with something small where it may
// be found inside.
SceneSource contained(Random& random) {
  SceneSource source = random.index(2) == 0 ? balls(random) : trees(random);
  if (random.index(2) == 0) {
    source.obstacles.resize(1);
    const double half = random.uniform(0.5, 4);
    source.obstacles[0].elements = {box(Style::mesh, {half, half, random.uniform(0.5, 4)})};
    source.obstacles[0].X_WB = random_pose(random, 0.3);
    return source;
  }
  Robot& robot = source.robots[0].robot;
  const double half = random.uniform(0.2, 0.6);
  robot.links.back().collision = {
      box(random.index(3) == 0 ? Style::solid : Style::mesh, {half, half, half})};
  for (ObstacleSource& obstacle : source.obstacles) {
    obstacle.elements[0].shape = random_shape(random, 0.06);
    obstacle.X_WB = random_pose(random, 0.8);
  }
  return source;
}

// Everything that stands in the world, moved.
void move_away(SceneSource& source, Random& random) {
  constexpr double kFar[] = {10, 100, 1000, 1000};
  const Vec3 by = kFar[random.index(4)] * random.unit_vector();
  for (RobotSource& robot : source.robots) robot.X_WR.p += by;
  for (ObstacleSource& obstacle : source.obstacles) obstacle.X_WB.p += by;
}

// Degrees 2 to 5: control points off the line.
void bend(const Scene& scene, Motion& motion, Random& random) {
  const auto coordinates = scene.tree().coordinates();
  const auto &from = motion.waypoints[0], &to = motion.waypoints[1];
  motion.inner.resize(1);
  const int inner = 1 + random.index(4);
  for (int k = 1; k <= inner; ++k) {
    std::vector<double>& q = motion.inner[0].emplace_back(from.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double t = static_cast<double>(k) / (inner + 1), by = to[i] - from[i];
      q[i] = std::clamp(from[i] + by * (t + random.uniform(-0.3, 0.3)), coordinates[i].lower,
                        coordinates[i].upper);
    }
  }
}

}  // namespace

SweepScene make_sweep_scene(SweepKind kind, SweepPairs pairs, Random& random) {
  SweepScene made;
  SceneSource source;
  switch (kind) {
    case SweepKind::balls:
      source = balls(random);
      break;
    case SweepKind::arcs:
      source = arcs(random, made.motions);
      break;
    case SweepKind::contained:
      source = contained(random);
      break;
    case SweepKind::far:
      source = random.index(3) > 0 ? balls(random) : trees(random);
      move_away(source, random);
      break;
    default:
      source = trees(random);
  }
  auto scene = build_scene(source);
  if (scene.ok() && pairs != SweepPairs::all) {
    for (const BodyPair& pair : scene.value().pairs())
      if (pair.kind == PairClass::self ||
          (pairs == SweepPairs::world && pair.kind != PairClass::world))
        source.exclusions.push_back(
            {scene.value().body(pair.a).name, scene.value().body(pair.b).name, "not looked at"});
    scene = build_scene(source);
  }
  if (scene.ok() && !scene.value().pairs().empty())
    made.scene = std::make_shared<const Scene>(std::move(scene).value());
  return made;
}

std::vector<SuiteEntry> real_robot_entries(const std::filesystem::path& data) {
  std::vector<SuiteEntry> robots = robot_entries(data);
  std::erase_if(robots, [](const SuiteEntry& entry) {
    return entry.name != "panda" && entry.name != "ur5" && entry.name != "pr2" &&
           !entry.name.starts_with("lbr_iiwa");
  });
  return robots;
}

Motion random_sweep_motion(const Scene& scene, bool real, Random& random) {
  const double size = std::pow(10, random.uniform(-2.5, 0.3));
  Motion motion;
  if (!real) {
    MotionMaker maker(scene.tree().coordinates(), random, size);
    motion = maker.make(0, 1, false, 1);
    motion.times.clear();
    if (random.index(2) == 0 || motion.inner[0].empty()) motion.inner.clear();
    return motion;
  }
  const auto coordinates = scene.tree().coordinates();
  const std::vector<double> from = random_configuration(scene.tree(), random);
  std::vector<double> to = from;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!coordinates[i].quaternion)
      to[i] = std::clamp(from[i] + size * random.uniform(-1, 1), coordinates[i].lower,
                         coordinates[i].upper);
  motion.waypoints = {from, to};
  const bool turns = std::ranges::any_of(coordinates, &Coordinate::quaternion);
  if (!turns && random.index(4) == 0) bend(scene, motion, random);
  return motion;
}

}  // namespace proven::bench
