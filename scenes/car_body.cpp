#include <algorithm>
#include <cmath>
#include <numbers>

#include "proven/base/elementary.h"
#include "scenes/fixtures.h"

namespace proven::scenes {
namespace {

// The outline of the lower body at a station x, with straight lines between stations.
struct Station {
  double x, half_width, bottom, top;
};
constexpr Station kStations[] = {{-2.20, 0.62, 0.42, 0.78}, {-2.12, 0.74, 0.32, 0.92},
                                 {-1.80, 0.82, 0.26, 0.98}, {-1.10, 0.87, 0.22, 0.96},
                                 {0.00, 0.89, 0.20, 0.92},  {0.80, 0.88, 0.20, 0.90},
                                 {1.30, 0.86, 0.22, 0.84},  {1.80, 0.80, 0.26, 0.74},
                                 {2.08, 0.70, 0.32, 0.66},  {2.20, 0.58, 0.40, 0.58}};

Station station_at(double x) {
  const Station* next = std::find_if(std::begin(kStations), std::end(kStations),
                                     [&](const Station& s) { return s.x >= x; });
  if (next == std::begin(kStations)) return kStations[0];
  if (next == std::end(kStations)) return *(next - 1);
  const Station &a = *(next - 1), &b = *next;
  const double t = (x - a.x) / (b.x - a.x);
  const auto mix = [&](double u, double v) { return u + t * (v - u); };
  return {x, mix(a.half_width, b.half_width), mix(a.bottom, b.bottom), mix(a.top, b.top)};
}

// The n-th root of a number from 0 to 1, by Newton's method from above: the same on every machine.
double root(double a, int n) {
  double y = 1;
  for (int step = 0; step < 200; ++step) {
    double power = 1;
    for (int k = 1; k < n; ++k) power *= y;
    y -= (y - a / power) / n;
  }
  return y;
}

// A rounded cross-section in the y, z plane (superellipse), counter-clockwise seen from +x.
std::vector<Vec3> cross_section(double x, double half_width, double bottom, double top, int points,
                                int squareness) {
  std::vector<Vec3> ring;
  for (int i = 0; i < points; ++i) {
    const double a = 2 * std::numbers::pi * (i + 0.5) / points;
    const auto rounded = [&](double v) { return std::copysign(root(v * v, squareness), v); };
    ring.push_back({x, half_width * rounded(cosine(a)),
                    0.5 * (bottom + top) + 0.5 * (top - bottom) * rounded(sine(a))});
  }
  return ring;
}

TriangleMesh lower_body(double detail) {
  std::vector<std::vector<Vec3>> rings;
  const int stations = static_cast<int>(16 * detail), points = static_cast<int>(16 * detail);
  for (int i = 0; i <= stations; ++i) {
    // Closer stations at both ends, where the body curves.
    const double x = -2.2 * cosine(std::numbers::pi * i / stations);
    const Station s = station_at(x);
    rings.push_back(cross_section(x, s.half_width, s.bottom, s.top, points, 5));
  }
  return loft(rings);
}

TriangleMesh roof(double detail) {
  std::vector<std::vector<Vec3>> rings;
  const int stations = static_cast<int>(9 * detail), points = static_cast<int>(12 * detail);
  for (int i = 0; i <= stations; ++i) {
    const double t = static_cast<double>(i) / stations, x = -1.25 + 1.55 * t;
    const double crown = 1.43 - 0.05 * (2 * t - 1) * (2 * t - 1);
    rings.push_back(cross_section(x, 0.62, crown - 0.045, crown, points, 3));
  }
  return loft(rings);
}

// Pillars from the belt to the roof, one side (y > 0): windscreen, door, rear.
void add_pillars(TriangleMesh& mesh, double side, double detail) {
  const int segments = static_cast<int>(6 * detail), pieces = static_cast<int>(5 * detail);
  const std::pair<Vec3, Vec3> ends[] = {{{0.98, 0.78, 0.86}, {0.28, 0.56, 1.37}},
                                        {{-0.32, 0.82, 0.88}, {-0.38, 0.58, 1.40}},
                                        {{-1.86, 0.70, 0.93}, {-1.22, 0.56, 1.37}}};
  for (const auto& [foot, head] : ends) {
    std::vector<Vec3> line;
    for (int i = 0; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, bulge = 0.06 * t * (1 - t) * 4;
      const Vec3 p = foot + t * (head - foot);
      line.push_back({p.x, side * (p.y + bulge), p.z});
    }
    append(mesh, tube(line, 0.03, segments));
  }
}

void add_wheel(TriangleMesh& mesh, double x, double side, double detail) {
  const int n = static_cast<int>(14 * detail);
  const Vec2 tyre[] = {{0.20, 0},    {0.29, 0.01}, {0.31, 0.04},
                       {0.31, 0.16}, {0.29, 0.19}, {0.20, 0.2}};
  const Vec2 rim[] = {{0.19, 0.03}, {0.20, 0.19}, {0.17, 0.195}, {0.06, 0.17}, {0.04, 0.2}};
  const Mat3 outwards = side > 0 ? z_to_y() : rotation_x(std::numbers::pi) * z_to_y();
  const Pose X{outwards, {x, side * 0.70, 0.31}};
  append(mesh, revolve(tyre, n), X);
  append(mesh, revolve(rim, n), X);
  // The lip of the wheel arch.
  const double reach = 0.37;
  const auto lip = arc({x, side * 0.86, 0.31}, {1, 0, 0}, {0, 0, 1}, reach, std::numbers::pi,
                       static_cast<int>(10 * detail));
  append(mesh, tube(lip, 0.03, static_cast<int>(5 * detail)));
}

}  // namespace

TriangleMesh make_car_body(double detail) {
  TriangleMesh mesh = lower_body(detail);
  append(mesh, roof(detail));
  for (const double side : {-1.0, 1.0}) {
    add_pillars(mesh, side, detail);
    for (const double x : {-1.35, 1.35}) add_wheel(mesh, x, side, detail);
    // Sill and belt line.
    const int segments = static_cast<int>(5 * detail);
    std::vector<Vec3> belt;
    for (int i = 0; i <= static_cast<int>(10 * detail); ++i) {
      const double x = -1.9 + 2.95 * i / static_cast<int>(10 * detail);
      const Station s = station_at(x);
      belt.push_back({x, side * 0.93 * s.half_width, s.top - 0.03});
    }
    append(mesh, tube(belt, 0.025, segments));
    append(mesh, sphere(0.09, static_cast<int>(8 * detail), static_cast<int>(5 * detail)),
           at(2.06, side * 0.52, 0.55));
    append(mesh, bevelled_box({0.09, 0.12, 0.08}, 0.015), at(0.72, side * 0.93, 0.98));
  }
  append(mesh, scaled(bevelled_box({0.12, 1.30, 0.14}, 0.03), {1, 1, 1}), at(2.19, 0, 0.40));
  append(mesh, bevelled_box({0.12, 1.40, 0.14}, 0.03), at(-2.19, 0, 0.44));
  // Seats seen through the windows.
  for (const double y : {-0.36, 0.36}) {
    append(mesh, bevelled_box({0.14, 0.46, 0.5}, 0.04), {rotation_y(-0.25), {-0.35, y, 1.02}});
    append(mesh, bevelled_box({0.10, 0.24, 0.16}, 0.03), {rotation_y(-0.25), {-0.42, y, 1.30}});
  }
  return mesh;
}

}  // namespace proven::scenes
