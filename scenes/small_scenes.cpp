// Small scenes of our own: the demo, and one for each kind of mechanism.
#include <numbers>

#include "scenes/assembly.h"
#include "scenes/makers.h"
#include "scenes/robots.h"

namespace proven::scenes {
namespace {

constexpr double kPi = std::numbers::pi;

void add_box(SceneSource& source, const std::string& name, const Vec3& low, const Vec3& high) {
  add_obstacle(source, name, Box{0.5 * (high - low)}, Pose::translation(0.5 * (low + high)));
}

RobotLink link_of(const std::string& name, std::vector<CollisionElement> elements = {}) {
  RobotLink link;
  link.name = name;
  link.has_visual = !elements.empty();
  link.collision = std::move(elements);
  return link;
}

CollisionElement element(Shape shape, const Pose& X_BS = {}) {
  return {std::move(shape), X_BS, {}};
}

RobotJoint joint_of(const std::string& name, JointType type, const std::string& parent,
                    const std::string& child, const Pose& X_PJ, const Vec3& axis, double lower,
                    double upper) {
  RobotJoint joint;
  joint.name = name;
  joint.type = type;
  joint.parent_link = parent;
  joint.child_link = child;
  joint.X_PJ = X_PJ;
  joint.axis = axis;
  joint.limits = {lower, upper, 1.5, 6};
  return joint;
}

}  // namespace

SceneSource make_demo() {
  SceneSource source;
  add_robot(source, "arm", make_arm("arm", irb_2400_like(20, true), {Tool::gripper, 4200, 0, 0}));
  add_box(source, "table", {0.75, -0.5, 0.55}, {1.45, 0.5, 0.6});
  add_box(source, "table_leg_1", {0.8, -0.45, 0}, {0.88, -0.37, 0.55});
  add_box(source, "table_leg_2", {0.8, 0.37, 0}, {0.88, 0.45, 0.55});
  add_box(source, "table_leg_3", {1.32, -0.45, 0}, {1.4, -0.37, 0.55});
  add_box(source, "table_leg_4", {1.32, 0.37, 0}, {1.4, 0.45, 0.55});
  add_box(source, "box", {0.95, -0.15, 0.6}, {1.2, 0.15, 0.95});
  add_obstacle(source, "pillar_1", Cylinder{0.09, 1.0}, at(0.75, 0.85, 1.0));
  add_obstacle(source, "pillar_2", Cylinder{0.09, 1.0}, at(0.75, -0.85, 1.0));
  for (int k = 0; k < 3; ++k) {
    const double z = 0.35 + 0.5 * k;
    add_box(source, "shelf_" + std::to_string(k + 1), {-0.55, 1.0, z}, {0.45, 1.4, z + 0.03});
  }
  add_box(source, "shelf_left", {-0.58, 1.0, 0}, {-0.55, 1.4, 1.6});
  add_box(source, "shelf_right", {0.45, 1.0, 0}, {0.48, 1.4, 1.6});
  return source;
}

SceneSource make_planar(int links) {
  Robot robot;
  robot.name = "planar";
  robot.links.push_back(link_of("base"));
  for (int k = 1; k <= links; ++k) {
    const std::string number = std::to_string(k);
    // A flat bar from the joint to the end of the unit link.
    robot.links.push_back(
        link_of("link_" + number, {element(Box{{0.5, 0.02, 0.02}}, at(0.5, 0, 0))}));
    robot.joints.push_back(joint_of(
        "joint_" + number, JointType::revolute, k == 1 ? "base" : "link_" + std::to_string(k - 1),
        "link_" + number, at(k == 1 ? 0 : 1, 0, 0), {0, 0, 1}, -kPi, kPi));
  }
  SceneSource source;
  add_robot(source, "planar", std::move(robot));
  return source;
}

SceneSource make_gantry() {
  Robot robot;
  robot.name = "gantry";
  robot.links.push_back(
      link_of("rails", {element(Box{{1.5, 0.04, 0.05}}, at(0, 1.0, 1.8)),
                        element(Box{{1.5, 0.04, 0.05}}, at(0, -1.0, 1.8)),
                        element(Box{{0.05, 0.05, 0.87}}, at(1.45, 1.0, 0.87)),
                        element(Box{{0.05, 0.05, 0.87}}, at(-1.45, 1.0, 0.87)),
                        element(Box{{0.05, 0.05, 0.87}}, at(1.45, -1.0, 0.87)),
                        element(Box{{0.05, 0.05, 0.87}}, at(-1.45, -1.0, 0.87))}));
  robot.links.push_back(link_of("bridge", {element(Box{{0.07, 1.05, 0.06}})}));
  robot.links.push_back(link_of("carriage", {element(Box{{0.12, 0.12, 0.10}})}));
  robot.links.push_back(link_of("column", {element(Box{{0.045, 0.045, 0.5}}, at(0, 0, 0.1))}));
  robot.links.push_back(link_of("yaw", {element(Cylinder{0.055, 0.05}, at(0, 0, -0.06))}));
  robot.links.push_back(link_of("pitch", {element(Capsule{0.04, 0.08}, at(0, 0, -0.08))}));
  robot.links.push_back(link_of("roll", {element(Cylinder{0.05, 0.012}, at(0, 0, -0.02)),
                                         element(Box{{0.01, 0.02, 0.06}}, at(0.035, 0, -0.09)),
                                         element(Box{{0.01, 0.02, 0.06}}, at(-0.035, 0, -0.09))}));
  robot.joints = {
      joint_of("x", JointType::prismatic, "rails", "bridge", at(0, 0, 1.92), {1, 0, 0}, -1.3, 1.1),
      joint_of("y", JointType::prismatic, "bridge", "carriage", at(0.19, 0, 0), {0, 1, 0}, -0.8,
               0.8),
      joint_of("z", JointType::prismatic, "carriage", "column", at(0, 0, 0), {0, 0, 1}, -0.75, 0.1),
      joint_of("wrist_yaw", JointType::continuous, "column", "yaw", at(0, 0, -0.41), {0, 0, 1}, 0,
               0),
      joint_of("wrist_pitch", JointType::revolute, "yaw", "pitch", at(0, 0, -0.13), {0, 1, 0}, -2,
               2),
      joint_of("wrist_roll", JointType::continuous, "pitch", "roll", at(0, 0, -0.21), {0, 0, 1}, 0,
               0)};
  for (RobotJoint& joint : robot.joints)
    if (joint.type == JointType::continuous) joint.limits = {};
  SceneSource source;
  add_robot(source, "gantry", std::move(robot));
  add_box(source, "table", {-1.1, -0.7, 0.6}, {1.1, 0.7, 0.65});
  for (int k = 0; k < 4; ++k) {
    const double x = k % 2 == 0 ? -1.0 : 0.95, y = k < 2 ? -0.65 : 0.6;
    add_box(source, "table_leg_" + std::to_string(k + 1), {x, y, 0}, {x + 0.05, y + 0.05, 0.6});
  }
  add_box(source, "block", {-0.15, -0.4, 0.65}, {0.15, 0.4, 1.05});
  add_obstacle(source, "tin", Cylinder{0.15, 0.15}, at(0.7, 0.25, 0.8));
  add_obstacle(source, "ball", Sphere{0.14}, at(-0.7, -0.3, 0.79));
  source.home = {{"gantry/x", -0.8}};
  return source;
}

SceneSource make_free_flyer() {
  // A small craft: hull, two fins and a mast; it must turn to pass the window.
  Robot robot;
  robot.name = "flyer";
  robot.links.push_back(link_of("world_frame"));
  robot.links.push_back(link_of("hull", {element(Capsule{0.12, 0.3}, {z_to_x(), {}}),
                                         element(Box{{0.12, 0.35, 0.015}}, at(-0.2, 0, 0)),
                                         element(Box{{0.08, 0.015, 0.15}}, at(-0.3, 0, 0.18)),
                                         element(Sphere{0.07}, at(0.1, 0, 0.12))}));
  RobotJoint base;
  base.name = "base";
  base.type = JointType::floating;
  base.parent_link = "world_frame";
  base.child_link = "hull";
  robot.joints = {base};
  SceneSource source;
  add_robot(source, "flyer", std::move(robot));
  // A wall with a window that is narrow upright and wide enough level.
  add_box(source, "wall_left", {-0.05, 0.5, 0}, {0.05, 1.6, 2.4});
  add_box(source, "wall_right", {-0.05, -1.6, 0}, {0.05, -0.5, 2.4});
  add_box(source, "wall_below", {-0.05, -0.5, 0}, {0.05, 0.5, 0.95});
  add_box(source, "wall_above", {-0.05, -0.5, 1.5}, {0.05, 0.5, 2.4});
  source.home = {{"flyer/base.x", -1.2}, {"flyer/base.z", 1.2}};
  return source;
}

SceneSource make_lever() {
  // A parallelogram: the coupler stays level because its joint turns back by what the crank turns.
  constexpr double kCrank = 0.6, kWidth = 0.5;
  Robot robot;
  robot.name = "lever";
  const auto crank = [&] {
    return std::vector{element(Box{{0.03, 0.02, kCrank / 2}}, at(0, 0, kCrank / 2))};
  };
  robot.links.push_back(
      link_of("ground", {element(Box{{kWidth / 2 + 0.1, 0.02, 0.04}}, at(kWidth / 2, 0.08, 0.3)),
                         element(Box{{0.03, 0.02, 0.15}}, at(0.05, 0.13, 0.15)),
                         element(Box{{0.03, 0.02, 0.15}}, at(kWidth - 0.05, 0.13, 0.15))}));
  robot.links.push_back(link_of("front_crank", crank()));
  robot.links.push_back(link_of("rear_crank", crank()));
  robot.links.push_back(
      link_of("coupler", {element(Box{{kWidth / 2 + 0.06, 0.02, 0.03}}, at(kWidth / 2, -0.05, 0)),
                          element(Capsule{0.04, 0.12}, at(kWidth + 0.3, -0.05, 0)),
                          element(Box{{0.13, 0.015, 0.02}}, at(kWidth + 0.17, -0.05, 0))}));
  RobotJoint drive = joint_of("drive", JointType::revolute, "ground", "rear_crank", at(0, 0, 0.3),
                              {0, 1, 0}, -1.2, 1.4);
  RobotJoint follow = joint_of("follow", JointType::revolute, "ground", "front_crank",
                               at(kWidth, 0, 0.3), {0, 1, 0}, -1.2, 1.4);
  follow.mimic = Mimic{"drive", 1, 0};
  RobotJoint level = joint_of("level", JointType::revolute, "rear_crank", "coupler",
                              at(0, 0, kCrank), {0, 1, 0}, -1.4, 1.2);
  level.mimic = Mimic{"drive", -1, 0};
  robot.joints = {drive, follow, level};
  SceneSource source;
  add_robot(source, "lever", std::move(robot));
  // The front crank is pinned to the coupler: a joint that a tree cannot state.
  source.exclusions.push_back({"lever/front_crank", "lever/coupler", "pinned to each other"});
  add_box(source, "floor", {-1.0, -0.6, -0.02}, {2.0, 0.6, 0});
  add_obstacle(source, "post", Cylinder{0.06, 0.35}, at(1.35, -0.05, 0.35));
  add_obstacle(source, "bump", Sphere{0.1}, at(-0.55, 0, 0.9));
  return source;
}

}  // namespace proven::scenes
