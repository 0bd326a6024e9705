#include "manipulation/situation.h"

#include <algorithm>

#include "proven/certify/check.h"

namespace proven::manipulation {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The scene with every object where it is; those that do not exist are left out.
SceneSource placed(const World& world, const Situation& situation) {
  SceneSource source = world.scene;
  std::erase_if(source.obstacles, [&](const ObstacleSource& obstacle) {
    return world.find_object(obstacle.name) && !situation.poses.contains(obstacle.name);
  });
  for (ObstacleSource& obstacle : source.obstacles)
    if (world.find_object(obstacle.name)) obstacle.X_WB = situation.poses.at(obstacle.name);
  if (!world.arm.fingers.empty()) source.home[world.arm.fingers] = world.arm.open;
  return source;
}

// Bodies of the hand: its link and what a held object may touch.
bool is_hand(const World& world, const std::string& body) {
  const auto& touch = world.arm.touch;
  return body == world.arm.hand || std::find(touch.begin(), touch.end(), body) != touch.end();
}

// The world's clearance for every pair but the exceptions: hand and objects, the object held and
// what stands still.
void keep_clearance(const World& world, SceneSource& source) {
  if (!(world.clearance > 0)) return;
  std::vector<std::string> moving, still;
  for (const RobotSource& robot : source.robots)
    for (const RobotLink& link : robot.robot.links)
      if (!link.collision.empty()) moving.push_back(robot.name + "/" + link.name);
  for (const ObstacleSource& obstacle : source.obstacles) still.push_back(obstacle.name);
  for (const std::string& link : moving)
    for (const std::string& body : still)
      if (!(is_hand(world, link) && world.find_object(body)))
        source.clearances.push_back({link, body, world.clearance});
}

}  // namespace

SceneSource transit_scene(const World& world, const Situation& situation) {
  SceneSource source = placed(world, situation);
  keep_clearance(world, source);
  return source;
}

SceneSource transfer_scene(const World& world, const Situation& situation,
                           const std::string& object) {
  SceneSource source = placed(world, situation);
  const auto held = std::find_if(source.obstacles.begin(), source.obstacles.end(),
                                 [&](const ObstacleSource& o) { return o.name == object; });
  AttachedSource attached;
  attached.name = object;
  attached.link = world.arm.hand;
  attached.elements = held->elements;
  attached.touch = world.arm.touch;
  source.obstacles.erase(held);
  const RobotsAlone robots = robots_alone(world, situation.q);
  LinkPoses poses;
  compute_poses(robots.tree, robots.rest, poses);
  attached.X_LB = relative_pose(poses.X_WL[at(robots.index.hand)], situation.poses.at(object));
  source.attached.push_back(std::move(attached));
  keep_clearance(world, source);
  return source;
}

// The robots are those of a world that was validated: adding them cannot fail.
RobotsAlone robots_alone(const World& world, const std::vector<double>& q) {
  RobotsAlone robots;
  for (const RobotSource& robot : world.scene.robots)
    (void)robots.tree.add_robot(robot.robot, robot.name, robot.X_WR);
  robots.rest = robots.tree.zero_configuration();
  for (const auto& [name, value] : world.scene.home)
    if (const int c = robots.tree.find_coordinate(name); c >= 0) robots.rest[at(c)] = value;
  robots.index = index_arm(world, robots.tree);
  if (robots.index.fingers >= 0) robots.rest[at(robots.index.fingers)] = world.arm.open;
  for (std::size_t i = 0; i < q.size(); ++i) robots.rest[at(robots.index.joints[i])] = q[i];
  return robots;
}

ArmIndex index_arm(const World& world, const KinematicTree& tree) {
  ArmIndex index;
  for (const std::string& joint : world.arm.joints)
    index.joints.push_back(tree.find_coordinate(joint));
  if (!world.arm.fingers.empty()) index.fingers = tree.find_coordinate(world.arm.fingers);
  index.hand = tree.find_link(world.arm.hand);
  return index;
}

std::vector<double> configuration(const Scene& scene, const ArmIndex& index,
                                  const std::vector<double>& q, double fingers) {
  std::vector<double> full(scene.home().begin(), scene.home().end());
  for (std::size_t i = 0; i < index.joints.size(); ++i) full[at(index.joints[i])] = q[i];
  if (index.fingers >= 0) full[at(index.fingers)] = fingers;
  return full;
}

Pose hand_pose(const Scene& scene, const ArmIndex& index,
               const std::vector<double>& configuration) {
  LinkPoses poses;
  compute_poses(scene.tree(), configuration, poses);
  return poses.X_WL[at(index.hand)];
}

Result<bool> is_blocked(const World& world, const Situation& situation, const std::string& object,
                        const Pose& X_WO) {
  SceneSource objects;
  objects.obstacles = placed(world, situation).obstacles;
  std::erase_if(objects.obstacles,
                [&](const ObstacleSource& o) { return world.find_object(o.name) == nullptr; });
  for (ObstacleSource& o : objects.obstacles)
    if (o.name == object) o.X_WB = X_WO;
  const auto scene = build_scene(objects);
  if (!scene.ok()) return scene.error();
  Scratch scratch;
  return check_placement(scene.value(), scene.value().find_body(object), scratch).verdict ==
         Verdict::collision;
}

}  // namespace proven::manipulation
