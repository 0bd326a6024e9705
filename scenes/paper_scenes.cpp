// The environments of paper 001, figures 1, 11, 12 and 14. Each is laid out in real size and then
// scaled as a whole so that the reference link has the length of table II.
#include <array>
#include <limits>
#include <numbers>

#include "scenes/assembly.h"
#include "scenes/fixtures.h"
#include "scenes/makers.h"
#include "scenes/robots.h"

namespace proven::scenes {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLinkLength = 0.5;      // of the thin linkages
constexpr double kLinkThickness = 0.03;  // diagonal of their square section
constexpr int kLinkageJoints = 20;
constexpr double kLinkageLimit = 2.6;
constexpr double kGridPitch = 0.6;

Robot linkage() {
  return make_linkage("linkage", kLinkageJoints, kLinkLength, kLinkThickness, kLinkageLimit);
}

void scale_to_reference(SceneSource& source, const ArmDesign& design, double reference_length) {
  scale_scene(source, reference_length / design.forearm);
}

void set_home(SceneSource& source, const std::string& robot, std::span<const double> values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    source.home[robot + "/joint_" + std::to_string(k + 1)] = values[k];
}

void add_cage(SceneSource& source, const CageDesign& design) {
  static constexpr const char* kNames[6] = {"cage_front", "cage_left", "cage_back",
                                            "cage_right", "cage_roof", "cage_braces"};
  std::vector<TriangleMesh> parts = make_cage(design);
  for (std::size_t k = 0; k < parts.size(); ++k)
    add_obstacle(source, kNames[k], std::move(parts[k]));
}

// Three arms on each side of a car, facing it.
void add_six_arms(SceneSource& source, const ArmDesign& design, const ArmOptions& options,
                  double distance, double spacing) {
  const double posture[6] = {0, -0.5, 0.35, 0, 0.5, 0};
  for (int k = 0; k < 6; ++k) {
    const std::string name = "arm_" + std::to_string(k + 1);
    const double side = k < 3 ? 1 : -1;
    const Pose X_WR{rotation_z(-side * kPi / 2), {(k % 3 - 1) * spacing, side * distance, 0}};
    add_robot(source, name, make_arm(name, design, options), X_WR);
    set_home(source, name, posture);
  }
}

ArmDesign narrowed(ArmDesign design, double turn_limit) {
  design.limits[0].lower = -turn_limit;
  design.limits[0].upper = turn_limit;
  return design;
}

// Lowest point of a link's mesh, in the root frame.
double lowest_point(const Robot& robot, const std::string& link, std::span<const double> values) {
  const Pose X = link_pose(robot, link, values);
  double lowest = std::numeric_limits<double>::infinity();
  for (const RobotLink& l : robot.links) {
    if (l.name != link) continue;
    for (const CollisionElement& e : l.collision)
      for (const Vec3& v : std::get<std::shared_ptr<const TriangleMesh>>(e.shape)->vertices)
        lowest = std::min(lowest, (X * v).z);
  }
  return lowest;
}

constexpr double kSweepReference = 1.32;  // paper 001 gives none for figure 14; that of 12d
const ArmOptions kGunArm{Tool::welding_gun, 2502, 1080, 0};

// Box whose every face has 8,000 triangles: a grid of 63 x 63 cells, refined within the face.
TriangleMesh fine_box(const Vec3& size) {
  constexpr int kCells = 63, kFace = 8000;
  constexpr std::size_t kGridFace = 2 * kCells * kCells;
  const TriangleMesh grid = box(size, {kCells, kCells, kCells});
  TriangleMesh mesh;
  for (std::size_t face = 0; face < 6; ++face) {
    TriangleMesh part;
    part.vertices = grid.vertices;
    const auto first = grid.triangles.begin() + static_cast<std::ptrdiff_t>(face * kGridFace);
    part.triangles.assign(first, first + static_cast<std::ptrdiff_t>(kGridFace));
    TriangleMesh* parts[] = {&part};
    refine_exactly(parts, kFace);
    append(mesh, part);
  }
  return mesh;
}

}  // namespace

SceneSource make_rings() {
  SceneSource source;
  add_robot(source, "left", linkage(), at(0, 0.2, 0));
  add_robot(source, "right", linkage(), at(0, -0.2, 0));
  TriangleMesh rings;
  for (const double z : {2.25, 4.75, 7.25}) append(rings, torus(0.55, 0.025, 100, 30), at(0, 0, z));
  add_obstacle(source, "rings", std::move(rings));
  return source;
}

SceneSource make_rod() {
  SceneSource source;
  const ArmDesign design = irb_2400_like(14, true);
  add_robot(source, "arm", make_arm("arm", design, {Tool::welding_lance, 3500, 0, 0}));
  // A work table with a thin frame that the lance must not touch.
  TriangleMesh table, frame;
  append(table, box_between({0.75, -0.7, 0.62}, {1.55, 0.7, 0.67}));
  for (const double x : {0.82, 1.48})
    for (const double y : {-0.63, 0.63}) append(table, bar({x, y, 0}, {x, y, 0.62}, 0.06));
  for (const double y : {-0.45, -0.15, 0.15, 0.45})
    append(frame, bar({1.2, y, 0.67}, {1.2, y, 1.5}, 0.008));
  for (const double z : {1.0, 1.5}) append(frame, bar({1.2, -0.45, z}, {1.2, 0.45, z}, 0.008));
  add_obstacle(source, "table", std::move(table));
  add_obstacle(source, "frame", std::move(frame));
  const double posture[6] = {0, -0.5, 0.2, 0, 0.4, 0};
  set_home(source, "arm", posture);
  return source;
}

SceneSource make_cage_a() {
  SceneSource source;
  const ArmDesign design = irb_2400_like(12, true);
  add_robot(source, "arm", make_arm("arm", design, {Tool::gripper, 2991, 0, 0}));
  add_cage(source, {1.9, 1.9, 1.75, 0.025});
  scale_to_reference(source, design, 1.77);
  return source;
}

SceneSource make_cage_b() {
  SceneSource source;
  const ArmDesign design = f_200_like(13, false);
  add_robot(source, "arm", make_arm("arm", design, kGunArm));
  add_cage(source, {1.8, 1.8, 1.7, 0.025});
  scale_to_reference(source, design, 1.65);
  return source;
}

SceneSource make_lattice(int arms) {
  SceneSource source;
  for (int k = 0; k < 9; ++k) {
    if (arms == 1 && k != 4) continue;
    const std::string name = arms == 1 ? "linkage" : "linkage_" + std::to_string(k + 1);
    add_robot(source, name, linkage(), at((k % 3 - 1) * kGridPitch, (k / 3 - 1) * kGridPitch, 0));
  }
  for (int k = 0; k < 4; ++k)
    add_obstacle(source, "grid_" + std::to_string(k + 1), make_grid(kGridPitch, 0.03),
                 at(0, 0, 3.0 + 1.5 * k));
  return source;
}

SceneSource make_machine_tool_scene() {
  SceneSource source;
  const ArmDesign design = narrowed(f_200_like(13, false), 1.5);
  add_robot(source, "arm", make_arm("arm", design, kGunArm), at(-1.55, 0, 0));
  MachineTool machine = make_machine_tool();
  TriangleMesh* parts[] = {&machine.cabinet, &machine.inside};
  refine_exactly(parts, 34171);
  add_obstacle(source, "cabinet", std::move(machine.cabinet));
  add_obstacle(source, "machine", std::move(machine.inside));
  scale_to_reference(source, design, 1.16);
  return source;
}

SceneSource make_workshop_scene() {
  SceneSource source;
  const ArmDesign design = irb_2400_like(26, true);
  add_robot(source, "arm", make_arm("arm", design, {Tool::four_jaw, 5450, 0, 0}));
  Workshop workshop = make_workshop();
  TriangleMesh* parts[] = {&workshop.building, &workshop.equipment};
  refine_exactly(parts, 74681);
  add_obstacle(source, "building", std::move(workshop.building));
  add_obstacle(source, "equipment", std::move(workshop.equipment));
  scale_to_reference(source, design, 0.64);
  return source;
}

SceneSource make_car_a() {
  SceneSource source;
  const ArmDesign design = narrowed(irb_2400_like(14, true), 1.2);
  add_six_arms(source, design, {Tool::welding_gun, 3594, 0, 0}, 2.05, 1.7);
  TriangleMesh car = make_car_body(2.8);
  TriangleMesh* parts[] = {&car};
  refine_exactly(parts, 19668);
  add_obstacle(source, "car", std::move(car));
  scale_to_reference(source, design, 1.59);
  return source;
}

SceneSource make_car_b() {
  SceneSource source;
  const ArmDesign design = narrowed(f_200_like(13, false), 1.2);
  add_six_arms(source, design, kGunArm, 2.0, 1.7);
  TriangleMesh car = make_car_body(1);
  TriangleMesh* parts[] = {&car};
  refine_exactly(parts, 4016);
  add_obstacle(source, "car", std::move(car));
  scale_to_reference(source, design, 1.32);
  return source;
}

SceneSource make_floor(double clearance) {
  SceneSource source;
  const ArmDesign design = f_200_like(13, false);
  const double scale = kSweepReference / design.forearm;
  // The arm stands on a foot just high enough for the gun to pass at the given height.
  const double lowest = lowest_point(make_arm("arm", design, kGunArm), "gun", kSweepPosture);
  ArmOptions options = kGunArm;
  options.foot = clearance / scale - lowest;
  add_robot(source, "arm", make_arm("arm", design, options), at(0, 0, options.foot));
  set_home(source, "arm", kSweepPosture);
  add_obstacle(source, "floor", sheet(4.2, 4.2, {80, 50}));
  scale_scene(source, scale);
  return source;
}

SceneSource make_box(double clearance, double width) {
  SceneSource source;
  const ArmDesign design = f_200_like(13, false);
  const double scale = kSweepReference / design.forearm;
  constexpr double kStand = 0.5;
  const Robot arm = make_arm("arm", design, kGunArm);
  const double top = kStand + lowest_point(arm, "gun", kSweepPosture) - clearance / scale;
  add_robot(source, "arm", arm, at(0, 0, kStand));
  set_home(source, "arm", kSweepPosture);
  add_obstacle(source, "stand", box_between({-0.4, -0.4, 0}, {0.4, 0.4, kStand}));
  add_obstacle(source, "box", fine_box({0.5, width, top}), at(1.085, 0, top / 2));
  scale_scene(source, scale);
  return source;
}

}  // namespace proven::scenes
