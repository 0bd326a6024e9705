// A workshop hall: everything that stands around a robot in a small factory.
#include <numbers>

#include "proven/base/elementary.h"
#include "scenes/fixtures.h"

namespace proven::scenes {
namespace {

constexpr double kPi = std::numbers::pi;

TriangleMesh barrel() {
  const Vec2 profile[] = {{0.28, 0.0},   {0.29, 0.02}, {0.28, 0.04}, {0.28, 0.28},
                          {0.295, 0.30}, {0.28, 0.32}, {0.28, 0.56}, {0.295, 0.58},
                          {0.28, 0.60},  {0.28, 0.84}, {0.29, 0.86}, {0.28, 0.88}};
  return revolve(profile, 32);
}

TriangleMesh gas_bottle() {
  const Vec2 profile[] = {{0.10, 0.0},  {0.115, 0.02}, {0.115, 1.20}, {0.10, 1.30},  {0.06, 1.38},
                          {0.03, 1.41}, {0.03, 1.46},  {0.045, 1.47}, {0.045, 1.55}, {0.02, 1.57}};
  return revolve(profile, 28);
}

TriangleMesh pallet() {
  TriangleMesh m;
  for (int k = 0; k < 7; ++k)
    append(m, box_between({-0.4, -0.6 + 0.175 * k, 0.12}, {0.4, -0.46 + 0.175 * k, 0.142}));
  for (const double x : {-0.36, 0.0, 0.36})
    append(m, box_between({x - 0.05, -0.6, 0.0}, {x + 0.05, 0.6, 0.12}));
  return m;
}

TriangleMesh crate_stack(int layers) {
  TriangleMesh m = pallet();
  for (int z = 0; z < layers; ++z)
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 3; ++y)
        append(m, bevelled_box({0.37, 0.37, 0.27}, 0.012),
               at(-0.19 + 0.38 * x, -0.39 + 0.39 * y, 0.29 + 0.28 * z));
  return m;
}

TriangleMesh rack(double length, int shelves) {
  TriangleMesh m;
  const double depth = 0.6, height = 2.2;
  for (const double x : {0.0, 0.5, 1.0})
    for (const double y : {-depth / 2, depth / 2})
      append(m, bar({x * length, y, 0}, {x * length, y, height}, 0.05));
  for (int k = 0; k < shelves; ++k) {
    const double z = 0.25 + (height - 0.35) * k / (shelves - 1);
    append(m, box_between({0, -depth / 2, z - 0.02}, {length, depth / 2, z + 0.02}, {12, 3, 1}));
    if (k + 1 == shelves) break;
    const int boxes = 5;  // stored goods: boxes and round tins in turn
    for (int i = 0; i < boxes; ++i) {
      const double x = length * (i + 0.5) / boxes;
      if ((i + k) % 3 == 2)
        append(m, drum(0.11, 0.02, 0.3, 0.01, 28), at(x, 0.05, z));
      else
        append(m, bevelled_box({0.3, 0.4, 0.22 + 0.04 * ((i * 7 + k * 3) % 4)}, 0.012),
               at(x, 0, z + 0.15 + 0.02 * ((i * 7 + k * 3) % 4)));
    }
  }
  return m;
}

TriangleMesh vice() {
  TriangleMesh m;
  append(m, drum(0.09, 0, 0.05, 0.008, 28));
  append(m, bevelled_box({0.2, 0.08, 0.09}, 0.012), at(0, 0, 0.09));
  append(m, bevelled_box({0.03, 0.13, 0.09}, 0.008), at(0.08, 0, 0.15));
  append(m, bevelled_box({0.03, 0.13, 0.09}, 0.008), at(-0.03, 0, 0.15));
  append(m, drum(0.014, -0.24, -0.05, 0.003, 16), {z_to_x(), {0, 0, 0.1}});
  append(m, drum(0.007, -0.1, 0.1, 0.002, 12), {z_to_y(), {-0.23, 0, 0.1}});
  return m;
}

TriangleMesh bench(double length) {
  TriangleMesh m;
  append(m, box_between({0, -0.4, 0.84}, {length, 0.4, 0.90}, {14, 5, 1}));
  for (const double x : {0.08, length - 0.08})
    for (const double y : {-0.34, 0.34}) append(m, bar({x, y, 0}, {x, y, 0.84}, 0.08));
  append(m, box_between({0.1, -0.34, 0.25}, {length - 0.1, 0.34, 0.28}, {10, 4, 1}));
  for (int k = 0; k < 4; ++k) {  // drawers
    append(m, bevelled_box({0.5, 0.6, 0.12}, 0.01), at(length - 0.4, 0, 0.35 + 0.13 * k));
    append(m, drum(0.01, -0.08, 0.08, 0.003, 12),
           {z_to_x(), {length - 0.4, -0.32, 0.35 + 0.13 * k}});
  }
  append(m, vice(), at(0.35, -0.2, 0.90));
  return m;
}

TriangleMesh drill_press() {
  TriangleMesh m;
  append(m, bevelled_box({0.5, 0.36, 0.06}, 0.015), at(0.05, 0, 0.03));
  append(m, cylinder(0.045, 0.06, 1.75, 32), at(-0.08, 0, 0));
  append(m, drum(0.18, 0.85, 0.89, 0.01, 40), at(0.14, 0, 0));
  append(m, bevelled_box({0.5, 0.24, 0.3}, 0.03), at(0.06, 0, 1.6));
  const Vec2 chuck[] = {{0.004, -0.12}, {0.004, 0.0}, {0.022, 0.01},
                        {0.03, 0.05},   {0.03, 0.1},  {0.02, 0.12}};
  append(m, revolve(chuck, 28), at(0.16, 0, 1.3));
  append(m, cylinder(0.02, 1.4, 1.46, 24), at(0.16, 0, 0));
  append(m, drum(0.09, 1.55, 1.85, 0.012, 36), at(-0.12, 0, 0));
  for (int k = 0; k < 3; ++k) {  // feed lever
    const double a = 2 * kPi * k / 3;
    const Vec3 hub{0.12, 0.16, 1.55}, tip = hub + 0.16 * Vec3{cosine(a), 0.3, sine(a)};
    const Vec3 line[] = {hub, tip};
    append(m, tube(line, 0.008, 10));
    append(m, sphere(0.022, 14, 9), Pose::translation(tip));
  }
  return m;
}

TriangleMesh lathe() {
  TriangleMesh m;
  append(m, bevelled_box({2.0, 0.5, 0.5}, 0.03), at(0, 0, 0.3));
  append(m, bevelled_box({2.0, 0.36, 0.14}, 0.02), at(0, 0, 0.72));
  append(m, bevelled_box({0.5, 0.46, 0.52}, 0.03), at(-0.72, 0, 1.02));
  const Vec2 chuck[] = {{0.08, 0}, {0.13, 0.01}, {0.13, 0.09}, {0.11, 0.1}};
  append(m, revolve(chuck, 48), {z_to_x(), {-0.46, 0, 1.06}});
  for (int k = 0; k < 3; ++k)
    append(m, bevelled_box({0.05, 0.03, 0.06}, 0.004),
           Pose{rotation_x(2 * kPi * k / 3), {-0.34, 0, 1.06}} * at(0, 0, 0.06));
  append(m, drum(0.035, -0.36, 0.2, 0.004, 36), {z_to_x(), {0, 0, 1.06}});  // workpiece
  append(m, bevelled_box({0.3, 0.34, 0.1}, 0.015), at(0.1, 0, 0.84));
  append(m, bevelled_box({0.12, 0.12, 0.1}, 0.01), at(0.1, -0.1, 0.94));
  append(m, bevelled_box({0.3, 0.24, 0.3}, 0.02), at(0.78, 0, 0.94));
  append(m, drum(0.03, 0.5, 0.64, 0.004, 28), {z_to_x(), {0, 0, 1.06}});
  append(m, torus(0.09, 0.01, 32, 10), {z_to_x(), {0.98, 0, 1.06}});
  append(m, torus(0.07, 0.008, 28, 8), {rotation_x(kPi / 2), {0.1, -0.28, 0.78}});
  append(m, drum(0.012, 0.0, 1.6, 0.002, 20), {z_to_x(), {-0.7, -0.22, 0.66}});
  return m;
}

TriangleMesh conveyor(double length) {
  TriangleMesh m;
  for (const double y : {-0.32, 0.32})
    append(m, box_between({0, y - 0.02, 0.62}, {length, y + 0.02, 0.74}, {14, 1, 1}));
  const int rollers = static_cast<int>(length / 0.11);
  for (int k = 0; k < rollers; ++k) {
    append(m, cylinder(0.035, -0.29, 0.29, 22), {z_to_y(), {0.07 + 0.11 * k, 0, 0.70}});
    append(m, cylinder(0.012, -0.36, 0.36, 10), {z_to_y(), {0.07 + 0.11 * k, 0, 0.70}});
  }
  for (const double x : {0.2, 0.5 * length, length - 0.2})
    for (const double y : {-0.32, 0.32}) append(m, bar({x, y, 0}, {x, y, 0.62}, 0.05));
  append(m, bevelled_box({0.4, 0.4, 0.25}, 0.015), at(0.28 * length, 0, 0.87));
  append(m, drum(0.15, 0.74, 1.05, 0.012, 40), at(0.72 * length, 0, 0));
  return m;
}

TriangleMesh stool() {
  TriangleMesh m;
  append(m, drum(0.17, 0.58, 0.63, 0.012, 36));
  append(m, torus(0.17, 0.012, 36, 8), at(0, 0, 0.2));
  for (int k = 0; k < 4; ++k) {
    const double a = kPi / 4 + kPi / 2 * k;
    const Vec3 line[] = {{0.12 * cosine(a), 0.12 * sine(a), 0.58},
                         {0.2 * cosine(a), 0.2 * sine(a), 0}};
    append(m, tube(line, 0.014, 12));
  }
  return m;
}

TriangleMesh fence(double length) {
  TriangleMesh m;
  for (const double x : {0.0, length}) append(m, bar({x, 0, 0}, {x, 0, 1.6}, 0.05));
  for (const double z : {0.15, 1.55}) append(m, bar({0, 0, z}, {length, 0, z}, 0.03));
  const int wires = static_cast<int>(length / 0.09);
  for (int k = 1; k < wires; ++k) {
    const double x = length * k / wires;
    append(m, bar({x, 0, 0.15}, {x, 0, 1.55}, 0.008));
  }
  for (int k = 1; k < 6; ++k)
    append(m, bar({0, 0, 0.15 + 0.233 * k}, {length, 0, 0.15 + 0.233 * k}, 0.008));
  return m;
}

TriangleMesh pipe(std::vector<Vec3> line, double radius) {
  TriangleMesh m = tube(line, radius, 18);
  for (std::size_t k = 1; k + 1 < line.size(); ++k)
    append(m, sphere(1.35 * radius, 18, 12), Pose::translation(line[k]));
  return m;
}

TriangleMesh building(double x, double y, double height) {
  TriangleMesh m;
  append(m, box_between({-x, -y, -0.1}, {x, y, 0}, {40, 40, 1}));
  append(m, box_between({-x, y, 0}, {x, y + 0.15, height}, {40, 1, 16}));
  append(m, box_between({-x - 0.15, -y, 0}, {-x, y + 0.15, height}, {1, 40, 16}));
  for (const double px : {-x + 0.15, 0.0, x - 0.15})
    append(m, bevelled_box({0.28, 0.28, height}, 0.03), at(px, y - 0.16, height / 2));
  for (int k = 0; k < 3; ++k) {  // roof beams of I section
    const double py = -y + 1.2 + (2 * y - 2.4) * k / 2;
    append(m, box_between({-x, py - 0.09, height}, {x, py + 0.09, height + 0.02}, {20, 1, 1}));
    append(m, box_between({-x, py - 0.01, height - 0.2}, {x, py + 0.01, height}, {20, 1, 1}));
    append(m,
           box_between({-x, py - 0.09, height - 0.22}, {x, py + 0.09, height - 0.2}, {20, 1, 1}));
  }
  for (int k = 0; k < 4; ++k)  // ducts and pipes along the wall
    append(m, pipe({{-x + 0.1, y - 0.4, 2.5 + 0.12 * k},
                    {x - 0.5 - 0.2 * k, y - 0.4, 2.5 + 0.12 * k},
                    {x - 0.5 - 0.2 * k, y - 0.4, 1.2}},
                   0.035));
  return m;
}

}  // namespace

Workshop make_workshop() {
  Workshop w;
  const double x = 3.6, y = 3.0;
  w.building = building(x, y, 3.2);
  append(w.building, sheet(1.2, 0.8, {1, 1}), {rotation_x(kPi / 2), {1.6, y - 0.02, 1.9}});

  TriangleMesh& m = w.equipment;
  append(m, rack(2.4, 5), at(-3.3, 2.3, 0));
  append(m, rack(2.4, 4), at(0.3, 2.3, 0));
  append(m, rack(2.0, 5), {rotation_z(kPi / 2), {-3.25, -0.3, 0}});
  append(m, bench(2.2), at(-1.1, 1.15, 0));
  append(m, bench(1.8), {rotation_z(-kPi / 2), {1.45, 0.9, 0}});
  append(m, lathe(), {rotation_z(kPi / 2), {2.75, -0.6, 0}});
  append(m, drill_press(), {rotation_z(-kPi / 2), {2.6, 1.6, 0}});
  append(m, conveyor(3.6), at(-2.2, -1.2, 0));
  append(m, crate_stack(3), at(-2.4, -2.5, 0));
  append(m, crate_stack(2), at(-1.4, -2.5, 0));
  for (int k = 0; k < 4; ++k)
    append(m, barrel(), at(2.9 - 0.62 * (k % 2), -2.6 + 0.62 * (k / 2), 0));
  for (int k = 0; k < 3; ++k) append(m, gas_bottle(), at(-1.9 + 0.27 * k, 1.9, 0));
  append(m, stool(), at(-0.4, 0.55 + 1.4, 0));
  append(m, stool(), at(2.0, 0.1, 0));
  append(m, fence(2.4), at(-0.2, -2.3, 0));
  append(m, fence(1.4), {rotation_z(kPi / 2), {-2.35, -0.4, 0}});
  return w;
}

}  // namespace proven::scenes
