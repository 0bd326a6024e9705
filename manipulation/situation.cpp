#include "manipulation/situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "manipulation/support.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"

namespace proven::manipulation {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Matrices in problems are written with six digits or so.
constexpr double kRotationTolerance = 1e-4;

// The scene with every object where it is; those that do not exist are left out.
SceneSource placed(const World& world, const Situation& situation) {
  SceneSource source = world.scene;
  std::erase_if(source.obstacles, [&](const ObstacleSource& obstacle) {
    return world.find_object(obstacle.name) && !situation.poses.contains(obstacle.name);
  });
  for (ObstacleSource& obstacle : source.obstacles)
    if (world.find_object(obstacle.name)) obstacle.X_WB = situation.poses.at(obstacle.name);
  for (std::size_t a = 0; a < world.arms.size(); ++a) {
    const Arm& arm = world.arms[a];
    if (!arm.fingers.empty())
      source.home[arm.fingers] = fingers_of(world, situation, static_cast<int>(a));
    if (a < situation.q.size())
      for (std::size_t i = 0; i < arm.joints.size(); ++i)
        source.home[arm.joints[i]] = situation.q[a][i];
  }
  for (const Fixture& fixture : world.fixtures)
    if (const auto value = situation.joints.find(fixture.name); value != situation.joints.end())
      source.home[fixture.joint] = value->second;
  return source;
}

// The object becomes part of a link, where it is in the situation.
void attach(const World& world, const Situation& situation, const std::string& object,
            const std::string& link, std::vector<std::string> touch, SceneSource& source) {
  const auto held = std::find_if(source.obstacles.begin(), source.obstacles.end(),
                                 [&](const ObstacleSource& o) { return o.name == object; });
  AttachedSource attached;
  attached.name = object;
  attached.link = link;
  attached.elements = held->elements;
  attached.touch = std::move(touch);
  source.obstacles.erase(held);
  const RobotsAlone robots = robots_alone(world, situation);
  LinkPoses poses;
  compute_poses(robots.tree, robots.rest, poses);
  attached.X_LB =
      relative_pose(poses.X_WL[at(robots.tree.find_link(link))], situation.poses.at(object));
  source.attached.push_back(std::move(attached));
}

// Bodies of a hand: its link and what a held object may touch.
bool is_hand(const World& world, const std::string& body) {
  return std::any_of(world.arms.begin(), world.arms.end(), [&](const Arm& arm) {
    return body == arm.hand ||
           std::find(arm.touch.begin(), arm.touch.end(), body) != arm.touch.end();
  });
}

// What stands on the fixture goes with it, and the fingers may touch the handle.
void operate(const World& world, const Situation& situation, const Fixture& fixture, const Arm& arm,
             SceneSource& source) {
  for (const std::string& rider : riders_of(world, situation, fixture))
    attach(world, situation, rider, fixture.link, {}, source);
  for (const std::string& finger : arm.touch)
    for (const std::string& handle : fixture.handle)
      source.exclusions.push_back({finger, handle, "the hand holds the handle"});
}

// The world's clearance for every pair but the exceptions: hand and objects, the object held and
// what stands still.
void keep_clearance(const World& world, SceneSource& source) {
  if (!(world.clearance > 0)) return;
  std::vector<std::string> moving, still;
  const auto is_furniture = [&](const RobotSource& robot) {
    return std::any_of(world.fixtures.begin(), world.fixtures.end(), [&](const Fixture& fixture) {
      return fixture.joint.rfind(robot.name + "/", 0) == 0;
    });
  };
  for (const RobotSource& robot : source.robots)
    for (const RobotLink& link : robot.robot.links)
      if (is_furniture(robot))
        continue;
      else if (!link.collision.empty())
        moving.push_back(robot.name + "/" + link.name);
  for (const ObstacleSource& obstacle : source.obstacles) still.push_back(obstacle.name);
  for (const std::string& link : moving)
    for (const std::string& body : still)
      if (!(is_hand(world, link) && world.find_object(body)))
        source.clearances.push_back({link, body, world.clearance});
}

}  // namespace

SceneSource scene_with(const World& world, const Situation& situation,
                       const std::vector<Grip>& grips) {
  SceneSource source = placed(world, situation);
  for (const auto& [object, holder] : situation.held) {
    std::vector<std::string> touch = world.arms[at(holder)].touch;
    for (const Grip& grip : grips)
      if (grip.object == object && grip.arm != holder) {
        const auto& second = world.arms[at(grip.arm)].touch;
        touch.insert(touch.end(), second.begin(), second.end());
      }
    attach(world, situation, object, world.arms[at(holder)].hand, std::move(touch), source);
  }
  for (const Grip& grip : grips) {
    const Arm& arm = world.arms[at(grip.arm)];
    if (const Fixture* fixture = world.find_fixture(grip.object))
      operate(world, situation, *fixture, arm, source);
    else if (!situation.held.contains(grip.object))
      attach(world, situation, grip.object, arm.hand, arm.touch, source);
  }
  keep_clearance(world, source);
  return source;
}

double fingers_of(const World& world, const Situation& situation, int arm) {
  for (const auto& [object, holder] : situation.held)
    if (holder == arm) return world.find_object(object)->grip;
  return world.arms[at(arm)].open;
}

std::optional<Pose> frame_of(const World& world, const Situation& situation,
                             const std::string& name) {
  if (const Fixture* fixture = world.find_fixture(name)) {
    if (!situation.joints.contains(name)) return std::nullopt;
    const RobotsAlone robots = robots_alone(world, situation);
    LinkPoses poses;
    compute_poses(robots.tree, robots.rest, poses);
    return poses.X_WL[at(robots.tree.find_link(fixture->link))];
  }
  const auto pose = situation.poses.find(name);
  if (pose != situation.poses.end()) return pose->second;
  if (world.find_object(name)) return std::nullopt;
  for (const ObstacleSource& obstacle : world.scene.obstacles)
    if (obstacle.name == name) return obstacle.X_WB;
  return std::nullopt;
}

std::vector<std::string> riders_of(const World& world, const Situation& situation,
                                   const Fixture& fixture) {
  std::vector<std::string> carriers = {fixture.name};
  for (std::size_t i = 0; i < carriers.size(); ++i)
    for (const auto& [name, X_WO] : situation.poses)
      if (std::find(carriers.begin(), carriers.end(), name) == carriers.end() &&
          stands_on(world.elements_of(name), X_WO, world.elements_of(carriers[i]),
                    frame_of(world, situation, carriers[i]).value_or(Pose{})))
        carriers.push_back(name);
  carriers.erase(carriers.begin());
  return carriers;
}

Situation with_joint(const World& world, const Situation& situation, const Fixture& fixture,
                     double value) {
  Situation after = situation;
  after.joints[fixture.name] = value;
  const auto from = frame_of(world, situation, fixture.name);
  const auto to = frame_of(world, after, fixture.name);
  if (!from || !to) return after;
  for (const std::string& rider : riders_of(world, situation, fixture))
    after.poses[rider] = *to * relative_pose(*from, situation.poses.at(rider));
  return after;
}

// The robots are those of a world that was validated: adding them cannot fail.
RobotsAlone robots_alone(const World& world, const Situation& situation) {
  RobotsAlone robots;
  for (const RobotSource& robot : world.scene.robots)
    (void)robots.tree.add_robot(robot.robot, robot.name, robot.X_WR);
  robots.rest = robots.tree.zero_configuration();
  for (const auto& [name, value] : world.scene.home)
    if (const int c = robots.tree.find_coordinate(name); c >= 0) robots.rest[at(c)] = value;
  for (std::size_t a = 0; a < world.arms.size(); ++a) {
    const ArmIndex index = index_arm(world.arms[a], robots.tree);
    if (index.fingers >= 0)
      robots.rest[at(index.fingers)] = fingers_of(world, situation, static_cast<int>(a));
    if (a >= situation.q.size()) continue;
    for (std::size_t i = 0; i < index.joints.size(); ++i)
      robots.rest[at(index.joints[i])] = situation.q[a][i];
  }
  for (const Fixture& fixture : world.fixtures)
    if (const auto value = situation.joints.find(fixture.name); value != situation.joints.end())
      robots.rest[at(robots.tree.find_coordinate(fixture.joint))] = value->second;
  return robots;
}

ArmIndex index_arm(const Arm& arm, const KinematicTree& tree) {
  ArmIndex index;
  for (const std::string& joint : arm.joints) index.joints.push_back(tree.find_coordinate(joint));
  if (!arm.fingers.empty()) index.fingers = tree.find_coordinate(arm.fingers);
  index.hand = tree.find_link(arm.hand);
  return index;
}

Pose hand_pose(const Scene& scene, const ArmIndex& index, std::span<const double> configuration) {
  LinkPoses poses;
  compute_poses(scene.tree(), configuration, poses);
  return poses.X_WL[at(index.hand)];
}

std::vector<Pose> release_poses(const World& world, const Place& place,
                                const Situation& situation) {
  if (place.on.empty()) return place.release;
  std::vector<Pose> poses;
  const auto X_WS = frame_of(world, situation, place.on);
  if (!X_WS) return poses;
  for (const Pose& X_SO : place.release) poses.push_back(*X_WS * X_SO);
  return poses;
}

std::vector<Pose> sample_poses(const World& world, const Place& place, const Situation& situation,
                               int count, std::uint64_t seed) {
  std::vector<Pose> poses;
  const auto X_WS = frame_of(world, situation, place.on);
  if (!X_WS || !place.surface) return poses;
  const Surface& surface = *place.surface;
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform(surface.lower[0], surface.upper[0]);
    const double y = random.uniform(surface.lower[1], surface.upper[1]);
    const double turn = random.uniform(-std::numbers::pi, std::numbers::pi);
    poses.push_back(*X_WS * Pose{rotation(Vec3{0, 0, 1}, turn), {x, y, surface.height}});
  }
  return poses;
}

bool stands_on_surface(const World& world, const Place& place, const Situation& situation,
                       const std::string& object, const Pose& X_WO) {
  const auto X_WS = frame_of(world, situation, place.on);
  if (!X_WS || !place.surface) return false;
  // What inverse kinematics may be off.
  constexpr double kSlack = 1e-5;
  const Vec3 p = relative_pose(*X_WS, X_WO).p;
  for (int k = 0; k < 2; ++k)
    if (!(p[k] >= place.surface->lower[k] - kSlack && p[k] <= place.surface->upper[k] + kSlack))
      return false;
  return stands_on(world.elements_of(object), X_WO, world.elements_of(place.on), *X_WS);
}

Result<std::string> blocker(const World& world, const Situation& situation,
                            const std::string& object, const Pose& X_WO) {
  SceneSource still;
  still.obstacles = placed(world, situation).obstacles;
  for (ObstacleSource& o : still.obstacles)
    if (o.name == object) o.X_WB = X_WO;
  const auto scene = build_scene(still);
  if (!scene.ok()) return scene.error();
  Scratch scratch;
  const int body = scene.value().find_body(object);
  const CheckResult result = check_placement(scene.value(), body, scratch);
  if (result.verdict != Verdict::collision) return std::string();
  const auto& bodies = result.collision->bodies;
  return scene.value().body(bodies[0] == body ? bodies[1] : bodies[0]).name;
}

Result<void> check_start(const World& world, const Situation& situation) {
  for (const auto& [name, X_WO] : situation.poses) {
    double off = 0;
    const Mat3& R = X_WO.R;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        off = std::max(off, std::fabs(dot(R.row[i], R.row[k]) - (i == k ? 1 : 0)));
    const double turn = dot(cross(R.row[0], R.row[1]), R.row[2]);
    // Negated, so that NaN fails.
    if (!(off <= kRotationTolerance) || !(turn > 0))
      return bad_input(
          fmt::format("the pose of '{}' is no rotation: of (p0 {}) to (p11 {}), those but "
                      "p3, p7 and p11 are "
                      "three rows of length 1, at right angles and right-handed",
                      name, name, name));
    if (!(std::isfinite(X_WO.p.x) && std::isfinite(X_WO.p.y) && std::isfinite(X_WO.p.z)))
      return bad_input(fmt::format("the position of '{}' is not finite", name));
  }
  const RobotsAlone robots = robots_alone(world, situation);
  for (const Fixture& fixture : world.fixtures) {
    const Coordinate& joint =
        robots.tree.coordinates()[at(robots.tree.find_coordinate(fixture.joint))];
    const double value = situation.joints.at(fixture.name);
    if (!(value >= joint.lower && value <= joint.upper))
      return bad_input(fmt::format("(j {}) is {}: joint '{}' goes from {} to {}", fixture.name,
                                   value, joint.name, joint.lower, joint.upper));
  }
  for (std::size_t a = 0; a < world.arms.size(); ++a) {
    const ArmIndex index = index_arm(world.arms[a], robots.tree);
    for (std::size_t i = 0; i < index.joints.size(); ++i) {
      const Coordinate& joint = robots.tree.coordinates()[at(index.joints[i])];
      const double value = situation.q[a][i];
      if (!(value >= joint.lower && value <= joint.upper))
        return bad_input(fmt::format("(q{}{}{}) is {}: joint '{}' goes from {} to {}", i,
                                     world.arms[a].name.empty() ? "" : " ", world.arms[a].name,
                                     value, joint.name, joint.lower, joint.upper));
    }
  }
  return {};
}

Result<std::vector<std::string>> doubts_about(const World& world, const Situation& situation) {
  std::vector<std::string> doubts;
  const auto scene = build_scene(scene_with(world, situation));
  if (!scene.ok()) return scene.error();
  CheckOptions any;
  any.limits = Limits::ignore;  // a posture beyond limits may be in contact, too
  const auto model = CheckModel::build(scene.value(), any);
  if (!model.ok()) return model.error();
  Scratch scratch;
  const CheckResult posture = model.value().check_configuration(scene.value().home(), scratch);
  if (posture.verdict == Verdict::collision)
    doubts.push_back(fmt::format("the arm starts in contact: {} and {}",
                                 scene.value().body(posture.collision->bodies[0]).name,
                                 scene.value().body(posture.collision->bodies[1]).name));
  for (const auto& [name, X_WO] : situation.poses) {
    const auto other = blocker(world, situation, name, X_WO);
    if (!other.ok()) return other.error();
    if (!other.value().empty())
      doubts.push_back(fmt::format("'{}' starts in contact with '{}'", name, other.value()));
  }
  // A place is empty of objects in the best case; what stands still is always there.
  for (const Place& place : world.places) {
    if (!place.on.empty()) continue;
    std::string inside;
    const bool useless =
        !situation.poses.empty() &&
        std::all_of(situation.poses.begin(), situation.poses.end(), [&](const auto& object) {
          return std::all_of(place.release.begin(), place.release.end(), [&](const Pose& X_WO) {
            Situation alone;
            alone.poses[object.first] = X_WO;
            const auto other = blocker(world, alone, object.first, X_WO);
            if (other.ok()) inside = other.value();
            return other.ok() && !other.value().empty();
          });
        });
    if (useless)
      doubts.push_back(
          fmt::format("no object can stand at place '{}': '{}' is there", place.name, inside));
  }
  return doubts;
}

}  // namespace proven::manipulation
