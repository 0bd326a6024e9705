// Six-joint arms with the proportions of common welding robots. Only proportions are borrowed; the
// shapes are our own.
#include <numbers>

#include "proven/base/elementary.h"
#include "scenes/robots.h"

namespace proven::scenes {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// Turns an outline in (x, y) that is extruded along z into one in (x, z) extruded along -y.
Mat3 upright() {
  return Mat3::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0});
}

JointLimits degrees(double lower, double upper, double speed) {
  return {lower * kDegree, upper * kDegree, speed * kDegree, 4 * speed * kDegree};
}

// Shapes of one arm; g scales thickness.
struct Shaper {
  const ArmDesign& d;
  double g = d.girth;
  int n = d.segments;

  static constexpr double kTurretHeight = 0.28;  // of the plane between base and link_1
  static constexpr double kForearmStart = 0.17;  // axis 3 to the plane between link_3 and link_4

  TriangleMesh turned(double radius, double z0, double z1, double bevel) const {
    return d.bevels ? drum(radius, z0, z1, bevel, n) : cylinder(radius, z0, z1, n);
  }
  TriangleMesh block(const Vec3& size, double bevel) const {
    return d.bevels ? bevelled_box(size, bevel) : box(size);
  }
  TriangleMesh plate(std::span<const Vec2> outline, double half, double bevel) const {
    return extrude(outline, -half, half, d.bevels ? bevel : 0);
  }
  void drum_y(TriangleMesh& m, double radius, double y0, double y1, const Vec3& p) const {
    append(m, turned(g * radius, g * y0, g * y1, 0.012 * g), {z_to_y(), p});
  }
  void drum_x(TriangleMesh& m, double radius, double x0, double x1, const Vec3& p) const {
    append(m, turned(g * radius, x0, x1, 0.008 * g), {z_to_x(), p});
  }

  TriangleMesh base(double foot) const {
    TriangleMesh m;
    append(m, block({0.54 * g, 0.46 * g, 0.03 + foot}, 0.01), at(0, 0, 0.015 - foot / 2));
    const Vec2 pedestal[] = {{0.22 * g, 0.03},
                             {0.22 * g, 0.06},
                             {0.17 * g, 0.12},
                             {0.155 * g, 0.22},
                             {0.185 * g, kTurretHeight - 0.004}};
    append(m, revolve(pedestal, n));
    append(m, block({0.12, 0.18 * g, 0.12}, 0.015), at(-0.21 * g, 0, 0.11));
    for (const double x : {-0.23, 0.23})
      for (const double y : {-0.19, 0.19})
        append(m, cylinder(0.014, 0.03, 0.05, 6), at(x * g, y * g, 0));
    return m;
  }

  TriangleMesh turret() const {
    TriangleMesh m;
    const double h = d.shoulder_height - kTurretHeight, a = d.shoulder_offset;
    const Vec2 table[] = {{0.18 * g, 0.004}, {0.2 * g, 0.02}, {0.2 * g, 0.075}, {0.17 * g, 0.095}};
    append(m, revolve(table, n));
    const Vec2 cheek[] = {{-0.17 * g, 0.07},
                          {a + 0.1 * g, 0.07},
                          {a + 0.13 * g, h},
                          {a + 0.07 * g, h + 0.11 * g},
                          {a - 0.07 * g, h + 0.11 * g},
                          {-0.17 * g, 0.5 * h}};
    for (const double y : {-0.115 * g, 0.115 * g})
      append(m, plate(cheek, 0.025 * g, 0.008), {upright(), {0, y, 0}});
    append(m, block({0.2 * g, 0.2 * g, 0.16 * g}, 0.015), at(-0.06 * g, 0, 0.15 * g));
    append(m, turned(0.075 * g, 0.2 * g, 0.42 * g, 0.012), at(-0.12 * g, 0, 0));
    drum_y(m, 0.085, -0.33, -0.14, {a, 0, h});
    drum_y(m, 0.06, 0.14, 0.2, {a, 0, h});
    return m;
  }

  static std::vector<Vec3> section(double x, double y, double cut, const Vec3& centre) {
    return {centre + Vec3{x, -y + cut, 0},  centre + Vec3{x, y - cut, 0},
            centre + Vec3{x - cut, y, 0},   centre + Vec3{-x + cut, y, 0},
            centre + Vec3{-x, y - cut, 0},  centre + Vec3{-x, -y + cut, 0},
            centre + Vec3{-x + cut, -y, 0}, centre + Vec3{x - cut, -y, 0}};
  }

  TriangleMesh lower_arm() const {
    TriangleMesh m;
    const double l = d.lower_arm;
    drum_y(m, 0.115, -0.08, 0.08, {});
    append(m, loft({section(0.085 * g, 0.06 * g, 0.02 * g, {0, 0, 0.04}),
                    section(0.07 * g, 0.05 * g, 0.02 * g, {0, 0, 0.3 * l}),
                    section(0.06 * g, 0.045 * g, 0.02 * g, {0, 0, 0.75 * l}),
                    section(0.07 * g, 0.05 * g, 0.02 * g, {0, 0, l})}));
    drum_y(m, 0.095, -0.075, 0.075, {0, 0, l});
    append(m, block({0.03 * g, 0.06 * g, 0.4 * l}, 0.008), at(-0.085 * g, 0, 0.48 * l));
    return m;
  }

  TriangleMesh elbow() const {
    TriangleMesh m;
    const double up = d.elbow_offset;
    for (const double side : {-1.0, 1.0}) {
      const double y = side * 0.108 * g;
      const Vec2 cheek[] = {{-0.075 * g, -0.05 * g},    {0.075 * g, -0.05 * g},
                            {0.11 * g, up * 0.6},       {0.11 * g, up + 0.08 * g},
                            {-0.12 * g, up + 0.08 * g}, {-0.12 * g, up * 0.6}};
      append(m, plate(cheek, 0.025 * g, 0.008), {upright(), {0, y, 0}});
    }
    drum_y(m, 0.07, -0.24, -0.13, {});
    drum_y(m, 0.055, 0.13, 0.16, {});
    append(m, block({0.25 * g, 0.19 * g, 0.17 * g}, 0.02 * g), at(0, 0, up + 0.015 * g));
    drum_x(m, 0.085, 0.1, kForearmStart - 0.004, {0, 0, up});
    for (const double y : {-0.055, 0.055}) drum_x(m, 0.045, -0.33 * g, -0.12 * g, {0, y * g, up});
    drum_x(m, 0.035, -0.27 * g, -0.12 * g, {0, 0, up + 0.065 * g});
    return m;
  }

  TriangleMesh forearm() const {
    TriangleMesh m;
    const double l = d.forearm - kForearmStart;
    if (d.boxed_forearm) {
      const Vec2 neck[] = {{0.08 * g, 0}, {0.085 * g, 0.02}, {0.07 * g, 0.08}};
      append(m, revolve(neck, n), {z_to_x(), {}});
      append(m,
             loft({section(0.065 * g, 0.065 * g, 0.02 * g, {0, 0, 0.07}),
                   section(0.06 * g, 0.06 * g, 0.02 * g, {0, 0, 0.5 * l}),
                   section(0.05 * g, 0.062 * g, 0.018 * g, {0, 0, l - 0.105 * g})}),
             {z_to_x(), {}});
      append(m, block({0.3 * l, 0.05 * g, 0.05 * g}, 0.01 * g), at(0.35 * l, 0, 0.07 * g));
    } else {
      const Vec2 tube_profile[] = {{0.082 * g, 0},
                                   {0.088 * g, 0.012},
                                   {0.088 * g, 0.05},
                                   {0.072 * g, 0.1},
                                   {0.06 * g, 0.6 * l},
                                   {0.062 * g, l - 0.15 * g},
                                   {0.068 * g, l - 0.13 * g},
                                   {0.06 * g, l - 0.105 * g}};
      append(m, revolve(tube_profile, n), {z_to_x(), {}});
    }
    for (const double y : {-0.06 * g, 0.06 * g}) {
      const Vec2 prong[] = {{l - 0.14 * g, -0.05 * g}, {l, -0.05 * g}, {l + 0.035 * g, -0.02 * g},
                            {l + 0.035 * g, 0.02 * g}, {l, 0.05 * g},  {l - 0.14 * g, 0.05 * g}};
      append(m, plate(prong, 0.009 * g, 0.003 * g), {upright(), {0, y, 0}});
    }
    return m;
  }

  TriangleMesh wrist() const {
    TriangleMesh m;
    drum_y(m, 0.044, -0.047, 0.047, {});
    drum_x(m, 0.034, 0.01 * g, d.flange - 0.024 * g, {});
    return m;
  }

  TriangleMesh flange_disc() const {
    TriangleMesh m;
    drum_x(m, 0.038, -0.022 * g, 0, {});
    return m;
  }
};

TriangleMesh gun_mesh(double tip_length, double tip_radius) {
  TriangleMesh m;
  append(m, bevelled_box({0.05, 0.06, 0.075}, 0.008), at(0.026, 0, 0));
  append(m, drum(0.026, 0.045, 0.17, 0.006, 16), {z_to_x(), {}});
  append(m, drum(0.02, 0.165, 0.215, 0.004, 16), {z_to_x(), {}});
  append(m, drum(0.016, 0.02, 0.1, 0.003, 12), {z_to_x(), {-0.005, 0, 0.045}});
  // The neck leaves along x and bends down by 50 degrees; the nozzle follows.
  const double bend = 50 * kDegree, bend_radius = 0.09, x = 0.25;
  std::vector<Vec3> neck = {{0.2, 0, 0}};
  for (const Vec3& p : arc({x, 0, -bend_radius}, {0, 0, 1}, {1, 0, 0}, bend_radius, bend, 8))
    neck.push_back(p);
  append(m, tube(neck, 0.011, 12));
  const Vec3 forward{cosine(bend), 0, -sine(bend)};
  const Vec2 nozzle[] = {{0.014, -0.01}, {0.016, 0.0}, {0.016, 0.05}, {0.011, 0.07}};
  append(m, revolve(nozzle, 16), {rotation_y(bend) * z_to_x(), neck.back()});
  const Vec3 end = neck.back() + 0.065 * forward;
  const Vec3 tip[] = {end, end + 0.5 * tip_length * forward, end + tip_length * forward};
  append(m, tube(tip, tip_radius, 8));
  return m;
}

void add_gripper(RobotDraft& draft, int jaws) {
  TriangleMesh palm;
  append(palm, drum(0.04, 0.001, 0.03, 0.004, 16), {z_to_x(), {}});
  append(palm, bevelled_box({0.05, 0.15, jaws == 2 ? 0.07 : 0.15}, 0.01), at(0.053, 0, 0));
  draft.add_link("palm", palm);
  draft.add_joint("palm_mount", JointType::fixed, "link_6", "palm", {});
  for (int k = 0; k < jaws; ++k) {
    const std::string name = "jaw_" + std::to_string(k + 1);
    TriangleMesh jaw;
    append(jaw, bevelled_box({0.03, 0.024, 0.035}, 0.004), at(0.09, 0.045, 0));
    append(jaw, bevelled_box({0.09, 0.014, 0.028}, 0.004), at(0.14, 0.05, 0));
    append(jaw, bevelled_box({0.03, 0.02, 0.028}, 0.004), at(0.172, 0.04, 0));
    draft.add_link(name, jaw);
    const Pose X_turned{rotation_x(2 * std::numbers::pi * k / jaws), {}};
    draft.add_joint(name + "_mount", JointType::fixed, "palm", name, X_turned);
  }
}

void add_tool(RobotDraft& draft, const ArmOptions& options) {
  if (options.tool == Tool::gripper || options.tool == Tool::four_jaw)
    return add_gripper(draft, options.tool == Tool::gripper ? 2 : 4);
  const bool lance = options.tool == Tool::welding_lance;
  draft.add_link("gun", lance ? gun_mesh(0.55, 0.004) : gun_mesh(0.025, 0.005));
  draft.add_joint("gun_mount", JointType::fixed, "link_6", "gun", {});
}

}  // namespace

ArmDesign irb_2400_like(int segments, bool bevels) {
  return {0.615,
          0.10,
          0.705,
          0.135,
          0.755,
          0.085,
          1.0,
          false,
          segments,
          bevels,
          {degrees(-180, 180, 150), degrees(-100, 110, 150), degrees(-60, 65, 150),
           degrees(-200, 200, 360), degrees(-115, 115, 360), degrees(-200, 200, 450)}};
}

ArmDesign f_200_like(int segments, bool bevels) {
  return {0.70,
          0.15,
          0.60,
          0.10,
          0.66,
          0.09,
          0.92,
          true,
          segments,
          bevels,
          {degrees(-180, 180, 165), degrees(-80, 110, 165), degrees(-70, 80, 175),
           degrees(-190, 190, 350), degrees(-115, 115, 340), degrees(-200, 200, 520)}};
}

Robot make_arm(const std::string& name, const ArmDesign& d, const ArmOptions& options) {
  const Shaper shape{d};
  RobotDraft draft(name);
  TriangleMesh base = shape.base(options.foot);
  // A name plate: the one open sheet, which makes odd totals possible.
  if (options.triangles % 2 != 0)
    append(base, sheet(0.08, 0.05, {1, 1}),
           {Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0}), {0.235 * d.girth, 0, 0.09}});
  draft.add_link("base", base);
  draft.add_link("link_1", shape.turret());
  draft.add_link("link_2", shape.lower_arm());
  draft.add_link("link_3", shape.elbow());
  draft.add_link("link_4", shape.forearm());
  draft.add_link("link_5", shape.wrist());
  draft.add_link("link_6", shape.flange_disc());

  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const double turret = Shaper::kTurretHeight, start = Shaper::kForearmStart;
  const std::pair<Vec3, Vec3> place_and_axis[6] = {
      {{0, 0, turret}, z},
      {{d.shoulder_offset, 0, d.shoulder_height - turret}, y},
      {{0, 0, d.lower_arm}, y},
      {{start, 0, d.elbow_offset}, x},
      {{d.forearm - start, 0, 0}, y},
      {{d.flange, 0, 0}, x}};
  std::string parent = "base";
  for (int k = 0; k < 6; ++k) {
    const std::string number = std::to_string(k + 1), child = "link_" + number;
    const auto& [place, axis] = place_and_axis[k];
    draft.add_joint("joint_" + number, JointType::revolute, parent, child, Pose::translation(place),
                    axis, d.limits[k]);
    parent = child;
  }
  add_tool(draft, options);
  if (options.tool_triangles > 0) {
    TriangleMesh* gun[] = {&draft.mesh("gun")};
    refine_to(gun, options.tool_triangles);
  }
  if (options.triangles > 0)
    draft.refine_to(options.triangles, options.tool_triangles > 0 ? "gun" : "");
  return std::move(draft).finish();
}

Robot make_linkage(const std::string& name, int joints, double link_length, double thickness,
                   double joint_limit) {
  const double r = thickness / std::numbers::sqrt2, point = 2 * thickness;
  RobotDraft draft(name);
  draft.add_link("base");
  std::string parent = "base";
  for (int k = 1; k <= joints; ++k) {
    // A square rod with pointed ends: neighbours meet in a point, whatever the angle.
    const auto ring = [&](double z) {
      return std::vector<Vec3>{{r, -r, z}, {r, r, z}, {-r, r, z}, {-r, -r, z}};
    };
    TriangleMesh rod;
    rod.vertices = {{0, 0, 0}, {0, 0, link_length}};
    for (const double z : {point, link_length - point})
      for (const Vec3& p : ring(z)) rod.vertices.push_back(p);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t j = (i + 1) % 4;
      rod.triangles.push_back({0, 2 + j, 2 + i});
      rod.triangles.push_back({2 + i, 2 + j, 6 + j});
      rod.triangles.push_back({2 + i, 6 + j, 6 + i});
      rod.triangles.push_back({1, 6 + i, 6 + j});
    }
    const std::string child = "link_" + std::to_string(k);
    draft.add_link(child, rod);
    draft.add_joint("joint_" + std::to_string(k), JointType::revolute, parent, child,
                    at(0, 0, k == 1 ? 0 : link_length), k % 2 == 1 ? Vec3{1, 0, 0} : Vec3{0, 1, 0},
                    {-joint_limit, joint_limit, std::numbers::pi, 2 * std::numbers::pi});
    parent = child;
  }
  return std::move(draft).finish();
}

}  // namespace proven::scenes
