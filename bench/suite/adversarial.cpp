// Scenes that are hard for samplers, simple enough for an exact answer.
#include <cmath>
#include <numbers>

#include "bench/suite/parts.h"
#include "bench/suite/rail.h"

namespace proven::bench {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kThicknesses[] = {5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4};  // of plates, metres

// Turned by `angle` about z, then `radius` out along the new x.
Pose around(double angle, double radius) {
  const Mat3 R = rotation({0, 0, 1}, angle);
  return {R, R * Vec3{radius, 0, 0}};
}

// One moving link on a joint at the origin.
Robot one_joint_robot(JointType type, const Vec3& axis, std::vector<CollisionElement> link) {
  Robot robot;
  robot.name = "mover";
  robot.links = {{"base", {}, false, nullptr}, {"link", std::move(link), false, nullptr}};
  RobotJoint joint;
  joint.name = "joint";
  joint.type = type;
  joint.parent_link = "base";
  joint.child_link = "link";
  joint.axis = axis;
  if (type == JointType::prismatic) joint.limits = {-20, 20, 1, 1};
  robot.joints = {joint};
  return robot;
}

Result<SuiteScene> finish(Robot robot, std::vector<ObstacleSource> obstacles, Rail rail) {
  SceneSource source;
  source.robots.push_back({"mover", std::move(robot), Pose{}});
  source.obstacles = std::move(obstacles);
  return make_suite_scene(std::move(source), [rail = std::move(rail)](FclOracle&, Random& random) {
    return rail_case(rail, random);
  });
}

// A sheet of 0.2 mm slides through plates.
Result<SuiteScene> sliding_sheet(Style style) {
  constexpr double kSheet = 2e-4, kSpacing = 0.37;
  Rail rail{{}, -1, 3, 0};
  rail.gap_per_distance = 1;
  std::vector<ObstacleSource> plates;
  double x = 0;
  for (double thickness : kThicknesses) {
    const std::string name = "plate_" + std::to_string(plates.size());
    plates.push_back({name, {box(style, {thickness / 2, 0.2, 0.5})}, at(x, 0, 0)});
    rail.barriers.push_back({x - (thickness + kSheet) / 2, x + (thickness + kSheet) / 2});
    x += kSpacing;
  }
  // Wider than the plates one way, so that surfaces cross, narrower the other way.
  return finish(
      one_joint_robot(JointType::prismatic, {1, 0, 0}, {box(style, {kSheet / 2, 0.3, 0.3})}),
      std::move(plates), std::move(rail));
}

// Repeats barriers of one turn over the whole rail.
void repeat_turns(Rail& rail) {
  const std::vector<Barrier> one_turn = std::move(rail.barriers);
  rail.barriers.clear();
  const int first = static_cast<int>(std::floor(rail.low / (2 * kPi))) - 1;
  const int last = static_cast<int>(std::ceil(rail.high / (2 * kPi)));
  for (int turn = first; turn <= last; ++turn)
    for (const Barrier& b : one_turn) {
      const Barrier turned{b.low + 2 * kPi * turn, b.high + 2 * kPi * turn};
      if (turned.high >= rail.low && turned.low <= rail.high) rail.barriers.push_back(turned);
    }
}

constexpr double kBarWidth = 5e-4;

// A bar of 1 m along x that turns about z.
std::vector<CollisionElement> thin_bar(Style style) {
  return {box(style, {0.5, kBarWidth / 2, 0.01}, at(0.5, 0, 0))};
}

// Radial plates from 0.6 to 0.95 m. The bar meets the inner edge first: with the plate's half
// thickness h and the bar's half width v at angle δ that is where 0.6 sin δ - h cos δ = v.
Result<SuiteScene> turning_bar_and_plates(Style style, double turns) {
  constexpr double kInner = 0.6, kOuter = 0.95;
  Rail rail{{}, -kPi * turns, kPi * turns, 2 * kPi};
  std::vector<ObstacleSource> plates;
  double angle = 0.3;
  for (double thickness : kThicknesses) {
    const double h = thickness / 2;
    plates.push_back({"plate_" + std::to_string(plates.size()),
                      {box(style, {(kOuter - kInner) / 2, h, 0.1})},
                      around(angle, (kInner + kOuter) / 2)});
    const double half = std::asin(kBarWidth / 2 / std::hypot(kInner, h)) + std::atan2(h, kInner);
    rail.barriers.push_back({angle - half, angle + half});
    angle += 0.9;
  }
  repeat_turns(rail);
  return finish(one_joint_robot(JointType::continuous, {0, 0, 1}, thin_bar(style)),
                std::move(plates), std::move(rail));
}

constexpr double kRodRadii[] = {2e-3, 1e-3, 5e-4, 2e-4, 1e-4};
constexpr double kRodDistance = 0.9;

// Rods along z; the bar's flank meets rod r at the angle with 0.9 sin δ = r + half the bar.
std::vector<ObstacleSource> rods(Rail& rail) {
  std::vector<ObstacleSource> all;
  double angle = 0.4;
  for (double radius : kRodRadii) {
    all.push_back({"rod_" + std::to_string(all.size()),
                   {{Cylinder{radius, 0.3}, Pose{}, ""}},
                   around(angle, kRodDistance)});
    const double half = std::asin((radius + kBarWidth / 2) / kRodDistance);
    rail.barriers.push_back({angle - half, angle + half});
    angle += 1.1;
  }
  repeat_turns(rail);
  return all;
}

Result<SuiteScene> turning_bar_and_rods(Style style, double turns) {
  Rail rail{{}, -kPi * turns, kPi * turns, turns > 2 ? 40.0 : 0.0};
  auto obstacles = rods(rail);
  return finish(one_joint_robot(JointType::continuous, {0, 0, 1}, thin_bar(style)),
                std::move(obstacles), std::move(rail));
}

// The same bar as a floating body that turns by slerp.
Result<SuiteScene> floating_bar_and_rods() {
  Rail rail{{}, -kPi, kPi, 3.0};
  auto obstacles = rods(rail);
  rail.configuration = [](double angle) {
    return std::vector<double>{0, 0, 0, 0, 0, std::sin(angle / 2), std::cos(angle / 2)};
  };
  return finish(one_joint_robot(JointType::floating, {0, 0, 1}, thin_bar(Style::solid)),
                std::move(obstacles), std::move(rail));
}

// The same bar on a joint that follows another one: its angle is -2.5 q + 0.3.
Result<SuiteScene> mimicking_bar_and_rods() {
  constexpr double kMultiplier = -2.5, kOffset = 0.3;
  Rail rail{{}, -2 * kPi, 2 * kPi, 0};
  auto obstacles = rods(rail);
  rail.configuration = [](double angle) {
    return std::vector<double>{(angle - kOffset) / kMultiplier};
  };
  Robot robot = one_joint_robot(JointType::continuous, {0, 0, 1}, thin_bar(Style::mesh));
  robot.links.push_back({"driver", {}, false, nullptr});
  RobotJoint driver = robot.joints[0];
  driver.name = "driver_joint";
  driver.child_link = "driver";
  robot.joints.push_back(driver);
  robot.joints[0].mimic = Mimic{"driver_joint", kMultiplier, kOffset};
  return finish(std::move(robot), std::move(obstacles), std::move(rail));
}

// A needle from the axis to a point at exactly 1 m.
CollisionElement needle() {
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = {{1, 0, 0}, {0.1, 0.005, -0.003}, {0.1, -0.005, -0.003}, {0.1, 0, 0.006}};
  mesh->triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
  return {std::shared_ptr<const TriangleMesh>(mesh), Pose{}, ""};
}

// The tip's circle is tangent to plates, at a gap of 1e-3 down to 1e-7 m or as much too close: with
// the tip's centre at 1 m the overlap lasts for the angle with 1 - cos δ = -gap.
Result<SuiteScene> glancing_tip(Style style) {
  constexpr double kTipRadius = 0.01, kHalfPlate = 0.004;
  const double reach = style == Style::solid ? 1 + kTipRadius : 1;
  Rail rail{{}, -kPi, kPi, 1.5};
  std::vector<ObstacleSource> plates;
  double angle = 0.1;
  for (double size : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7})
    for (double gap : {size, -size}) {
      plates.push_back({"plate_" + std::to_string(plates.size()),
                        {box(style, {kHalfPlate, 0.1, 0.1})},
                        around(angle, reach + gap + kHalfPlate)});
      const double half = gap < 0 ? 2 * std::asin(std::sqrt(-gap / 2)) : 0;
      if (gap < 0) rail.barriers.push_back({angle - half, angle + half});
      angle += 0.6;
    }
  repeat_turns(rail);
  const CollisionElement arm =
      style == Style::solid ? CollisionElement{Sphere{kTipRadius}, at(1, 0, 0), ""} : needle();
  return finish(one_joint_robot(JointType::continuous, {0, 0, 1}, {arm}), std::move(plates),
                std::move(rail));
}

// A forearm that folds back on the upper arm: two capsules along x, the elbow 0.2 m above. Its tip
// is at height 0.2 - 0.8 sin φ and, for φ < π/2, above the upper arm.
Result<SuiteScene> folding_arm() {
  constexpr double kElbow = 0.2, kForearm = 0.8, kRadius = 0.004;
  const auto capsule = [&](double from, double to) {
    const Pose X{Mat3{{Vec3{0, 0, 1}, Vec3{1, 0, 0}, Vec3{0, 1, 0}}}, {(from + to) / 2, 0, 0}};
    return CollisionElement{Capsule{kRadius, (to - from) / 2}, X, ""};
  };
  Robot robot;
  robot.name = "arm";
  robot.links = {{"upper_arm", {capsule(0, 1)}, false, nullptr},
                 {"elbow", {}, false, nullptr},
                 {"forearm", {capsule(-kForearm, 0)}, false, nullptr}};
  RobotJoint fixed, fold;
  fixed.name = "mount";
  fixed.parent_link = "upper_arm";
  fixed.child_link = "elbow";
  fixed.X_PJ = at(1, kElbow, 0);
  fold.name = "fold";
  fold.type = JointType::revolute;
  fold.parent_link = "elbow";
  fold.child_link = "forearm";
  fold.axis = {0, 0, 1};
  fold.limits = {-1, 1.5, 1, 1};
  robot.joints = {fixed, fold};
  Rail rail{{{std::asin((kElbow - 2 * kRadius) / kForearm), 2.0}}, -1, 1.5, 0};
  // The tip's height over contact is 0.8 (sin φ₀ - sin φ), at least 0.77 (φ₀ - φ) down to φ = -1;
  // the elbow's is 0.19 m.
  rail.gap_per_distance = 0.15;
  return finish(std::move(robot), {}, std::move(rail));
}

}  // namespace

std::vector<SuiteEntry> adversarial_entries() {
  return {
      {"sheet through plates", 15000, [] { return sliding_sheet(Style::solid); }},
      {"sheet through plates, meshes", 15000, [] { return sliding_sheet(Style::mesh); }},
      {"bar through plates", 15000, [] { return turning_bar_and_plates(Style::solid, 1); }},
      {"bar through plates, meshes", 15000, [] { return turning_bar_and_plates(Style::mesh, 4); }},
      {"bar through rods", 15000, [] { return turning_bar_and_rods(Style::solid, 1); }},
      {"bar mesh through rods", 15000, [] { return turning_bar_and_rods(Style::mesh, 1); }},
      {"fast turns through rods", 5000, [] { return turning_bar_and_rods(Style::solid, 20); }},
      {"floating bar, rods", 10000, [] { return floating_bar_and_rods(); }},
      {"mimicking bar, rods", 10000, [] { return mimicking_bar_and_rods(); }},
      {"glancing ball", 10000, [] { return glancing_tip(Style::solid); }},
      {"glancing needle", 10000, [] { return glancing_tip(Style::mesh); }},
      {"folding arm", 15000, [] { return folding_arm(); }},
  };
}

}  // namespace proven::bench
