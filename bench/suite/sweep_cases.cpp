#include "bench/suite/sweep_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/suite/parts.h"
#include "bench/suite/random_parts.h"
#include "bench/suite/suite.h"
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
  constexpr double kFar[] = {10, 100, 1000};
  const Vec3 by = kFar[random.index(3)] * random.unit_vector();
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

std::shared_ptr<const Scene> make_sweep_scene(SweepKind kind, Random& random) {
  SceneSource source;
  switch (kind) {
    case SweepKind::balls:
      source = balls(random);
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
  if (!scene.ok() || scene.value().pairs().empty()) return nullptr;
  return std::make_shared<const Scene>(std::move(scene).value());
}

std::vector<RealRobot> load_real_robots(const std::filesystem::path& data) {
  std::vector<RealRobot> robots;
  for (const SuiteEntry& entry : robot_entries(data))
    if (entry.name == "panda" || entry.name == "ur5" || entry.name.starts_with("lbr_iiwa") ||
        entry.name == "pr2")
      if (auto scene = entry.load(); scene.ok())
        robots.push_back({entry.name, std::move(scene.value().scene)});
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
