// A vertical machining centre: cabinet with an open door, and inside it a table with a vice, a
// spindle head and a tool changer.
#include <numbers>

#include "proven/base/elementary.h"
#include "scenes/fixtures.h"

namespace proven::scenes {
namespace {

constexpr double kPi = std::numbers::pi;

TriangleMesh tool_holder() {
  const Vec2 profile[] = {{0.010, 0.00},  {0.012, 0.06}, {0.022, 0.065}, {0.022, 0.10},
                          {0.034, 0.105}, {0.034, 0.12}, {0.028, 0.125}, {0.034, 0.13},
                          {0.034, 0.145}, {0.024, 0.15}, {0.016, 0.22},  {0.010, 0.225}};
  return revolve(profile, 20);
}

TriangleMesh spindle_head() {
  TriangleMesh m;
  append(m, bevelled_box({0.5, 0.34, 0.6}, 0.03), at(0.1, 0, 0.45));
  const Vec2 nose[] = {{0.05, 0.0},  {0.07, 0.01}, {0.07, 0.06}, {0.10, 0.07},
                       {0.10, 0.12}, {0.13, 0.14}, {0.13, 0.20}};
  append(m, revolve(nose, 48), at(0, 0, -0.03));
  append(m, drum(0.09, 0.74, 1.0, 0.015, 40));
  for (int k = 0; k < 12; ++k) {  // cooling fins of the motor
    const double a = 2 * kPi * k / 12;
    append(m, box({0.05, 0.008, 0.2}), {rotation_z(a), {0.1 * cosine(a), 0.1 * sine(a), 0.87}});
  }
  append(m, tool_holder(), at(0, 0, -0.2));
  return m;
}

TriangleMesh tool_changer() {
  TriangleMesh m;
  append(m, drum(0.30, 0.0, 0.05, 0.01, 64));
  append(m, drum(0.08, 0.05, 0.14, 0.01, 40));
  for (int k = 0; k < 18; ++k) {
    const double a = 2 * kPi * k / 18;
    append(m, tool_holder(), at(0.26 * cosine(a), 0.26 * sine(a), -0.17));
  }
  return m;
}

TriangleMesh table_with_vice() {
  TriangleMesh m;
  append(m, box_between({-0.30, -0.5, 0.62}, {0.30, 0.5, 0.68}, {6, 10, 1}));
  for (int k = 0; k < 5; ++k) {  // ridges between the T-slots
    const double x = -0.24 + 0.12 * k;
    append(m, box_between({x - 0.04, -0.5, 0.68}, {x + 0.04, 0.5, 0.705}, {1, 16, 1}));
  }
  append(m, bevelled_box({0.26, 0.16, 0.08}, 0.01), at(0, 0, 0.745));
  append(m, bevelled_box({0.03, 0.16, 0.06}, 0.005), at(-0.08, 0, 0.81));
  append(m, bevelled_box({0.03, 0.16, 0.06}, 0.005), at(0.06, 0, 0.81));
  append(m, bevelled_box({0.10, 0.10, 0.07}, 0.006), at(-0.01, 0, 0.83));
  append(m, drum(0.012, -0.25, -0.1, 0.002, 16), {z_to_x(), {0, 0, 0.75}});
  append(m, torus(0.04, 0.006, 24, 8), {z_to_x(), {-0.25, 0, 0.75}});
  append(m, bevelled_box({0.5, 0.9, 0.3}, 0.03), at(0.05, 0, 0.46));
  for (const double y : {-0.28, 0.28})
    append(m, bevelled_box({1.0, 0.08, 0.05}, 0.01), at(0.1, y, 0.30));
  return m;
}

TriangleMesh hose(const Vec3& from, const Vec3& to, double sag, double radius) {
  std::vector<Vec3> line;
  const int pieces = 40;
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    line.push_back(from + t * (to - from) - Vec3{0, 0, 4 * sag * t * (1 - t)});
  }
  return tube(line, radius, 12);
}

TriangleMesh control_panel() {
  TriangleMesh m;
  append(m, bevelled_box({0.08, 0.46, 0.6}, 0.015));
  append(m, bevelled_box({0.01, 0.36, 0.24}, 0.003), at(-0.042, 0, 0.13));
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 8; ++column)
      append(m, drum(0.012, 0.04, 0.05, 0.002, 10),
             {rotation_z(kPi) * z_to_x(), {0, -0.17 + 0.045 * column, -0.07 - 0.045 * row}});
  append(m, drum(0.025, 0.04, 0.07, 0.004, 24), {rotation_z(kPi) * z_to_x(), {0, 0.19, -0.25}});
  return m;
}

TriangleMesh cabinet() {
  TriangleMesh m;
  const double w = 1.15, front = -0.75, back = 0.95, top = 2.15;
  append(m, box_between({front, -w, 0.08}, {back, w, 0.26}, {12, 16, 2}));       // plinth
  append(m, box_between({front, w - 0.06, 0.26}, {back, w, top}, {12, 1, 14}));  // sides
  append(m, box_between({front, -w, 0.26}, {back, -w + 0.06, top}, {12, 1, 14}));
  append(m, box_between({back - 0.06, -w + 0.06, 0.26}, {back, w - 0.06, top}, {1, 16, 14}));
  append(m, box_between({0.3, -w + 0.06, top - 0.06}, {back - 0.06, w - 0.06, top}, {5, 16, 1}));
  // The front: a low apron, fixed panels left and right of the opening, a lintel.
  append(m, box_between({front, -w + 0.06, 0.26}, {front + 0.05, w - 0.06, 0.72}, {1, 16, 4}));
  append(m, box_between({front, -w + 0.06, 0.72}, {front + 0.05, -0.62, top}, {1, 4, 11}));
  append(m, box_between({front, 0.62, 0.72}, {front + 0.05, w - 0.06, top}, {1, 4, 11}));
  append(m, box_between({front, -0.62, 1.92}, {front + 0.05, 0.62, top}, {1, 10, 2}));
  // The door, slid to the side on its rails, with a window frame and a handle.
  const double door = front - 0.035;
  for (const double z : {0.76, 1.88})
    append(m,
           box_between({door - 0.02, -1.14, z - 0.06}, {door + 0.02, -0.60, z + 0.06}, {1, 6, 2}));
  for (const double y : {-1.09, -0.65})
    append(m,
           box_between({door - 0.02, y - 0.05, 0.82}, {door + 0.02, y + 0.05, 1.82}, {1, 2, 10}));
  for (const double z : {0.70, 1.96}) append(m, bar({door, -1.14, z}, {door, 1.14, z}, 0.025));
  const Vec3 handle[] = {{door - 0.02, -0.65, 1.15},
                         {door - 0.08, -0.65, 1.18},
                         {door - 0.08, -0.65, 1.42},
                         {door - 0.02, -0.65, 1.45}};
  append(m, tube(handle, 0.014, 16));
  for (const double y : {-0.9, 0.9})
    for (const double x : {-0.6, 0.8}) append(m, drum(0.06, 0.0, 0.08, 0.01, 20), at(x, y, 0));
  append(m, control_panel(), {rotation_z(0.35), {front - 0.12, 0.98, 1.35}});
  for (int k = 0; k < 14; ++k)  // louvres of the electric cabinet
    append(m, bevelled_box({0.5, 0.02, 0.03}, 0.005), at(0.5, w + 0.01, 0.5 + 0.07 * k));
  return m;
}

TriangleMesh chip_conveyor() {
  TriangleMesh m;
  append(m, bevelled_box({0.5, 0.9, 0.16}, 0.02), at(0.55, 1.35, 0.14));
  append(m, bevelled_box({0.4, 0.14, 1.0}, 0.02), {rotation_x(-0.7), {0.55, 1.95, 0.55}});
  append(m, bevelled_box({0.6, 0.5, 0.5}, 0.03), at(0.55, 2.4, 0.27));
  for (int k = 0; k < 16; ++k)
    append(m, cylinder(0.02, -0.2, 0.2, 16), {z_to_x(), {0.55, 0.95 + 0.05 * k, 0.24}});
  return m;
}

}  // namespace

MachineTool make_machine_tool() {
  MachineTool machine;
  machine.cabinet = cabinet();
  append(machine.cabinet, chip_conveyor());
  append(machine.inside, table_with_vice());
  append(machine.inside, bevelled_box({0.3, 0.7, 1.5}, 0.03), at(0.72, 0, 1.1));  // column
  append(machine.inside, spindle_head(), at(0.15, 0, 1.35));
  append(machine.inside, tool_changer(), at(0.35, -0.72, 1.65));
  append(machine.inside, hose({0.3, 0.15, 1.9}, {0.7, 0.6, 1.95}, -0.12, 0.025));
  append(machine.inside, hose({0.3, 0.1, 1.85}, {0.7, 0.5, 1.8}, -0.15, 0.018));
  append(machine.inside, hose({0.12, 0.18, 1.5}, {0.02, 0.16, 1.25}, 0.02, 0.01));
  append(machine.inside, hose({0.12, -0.18, 1.5}, {0.02, -0.16, 1.25}, 0.02, 0.01));
  // Bellows over the guide ways, made of many thin folds.
  for (int k = 0; k < 16; ++k) {
    const double half = k % 2 == 0 ? 0.30 : 0.27;
    for (const double side : {-1.0, 1.0})
      append(machine.inside, bevelled_box({2 * half, 0.028, 0.3}, 0.008),
             at(0.05, side * (0.52 + 0.03 * k), 0.47));
  }
  append(machine.inside, sheet(0.10, 0.06, {1, 1}), {z_to_x(), {-0.252, 0.0, 1.75}});
  return machine;
}

}  // namespace proven::scenes
