#include "scenes/mesh_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>

#include "proven/base/elementary.h"

namespace proven::scenes {
namespace {

constexpr double kTau = 2 * std::numbers::pi;

std::uint32_t add_vertex(TriangleMesh& mesh, const Vec3& v) {
  mesh.vertices.push_back(v);
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

void add_quad(TriangleMesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c,
              std::uint32_t d) {
  mesh.triangles.push_back({a, b, c});
  mesh.triangles.push_back({a, c, d});
}

std::vector<Vec3> circle(double radius, double z, int segments) {
  std::vector<Vec3> points;
  for (int i = 0; i < segments; ++i) {
    const double angle = kTau * i / segments;
    points.push_back({radius * cosine(angle), radius * sine(angle), z});
  }
  return points;
}

// Two unit vectors that complete `direction` to a right-handed frame.
std::array<Vec3, 2> frame_around(const Vec3& direction) {
  const Vec3 helper = std::fabs(direction.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
  const Vec3 u = normalized(cross(helper, direction));
  return {u, cross(direction, u)};
}

}  // namespace

int num_triangles(const TriangleMesh& mesh) {
  return static_cast<int>(mesh.triangles.size());
}

Mat3 rotation_x(double angle) {
  return rotation({1, 0, 0}, angle);
}
Mat3 rotation_y(double angle) {
  return rotation({0, 1, 0}, angle);
}
Mat3 rotation_z(double angle) {
  return rotation({0, 0, 1}, angle);
}
Pose at(double x, double y, double z) {
  return Pose::translation({x, y, z});
}
Mat3 z_to_x() {
  return Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0});
}
Mat3 z_to_y() {
  return Mat3::from_columns({0, 0, 1}, {1, 0, 0}, {0, 1, 0});
}

void append(TriangleMesh& mesh, const TriangleMesh& part, const Pose& X) {
  const auto base = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Vec3& v : part.vertices) mesh.vertices.push_back(X * v);
  for (const auto& t : part.triangles)
    mesh.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
}

TriangleMesh transformed(TriangleMesh mesh, const Pose& X) {
  for (Vec3& v : mesh.vertices) v = X * v;
  return mesh;
}

TriangleMesh scaled(TriangleMesh mesh, const Vec3& factors) {
  for (Vec3& v : mesh.vertices) v = {v.x * factors.x, v.y * factors.y, v.z * factors.z};
  return mesh;
}

TriangleMesh box(const Vec3& size, std::array<int, 3> cells) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, std::uint32_t> corner;  // grid position on the surface -> vertex
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [it, is_new] = corner.try_emplace(at, 0u);
    if (is_new) {
      const auto coordinate = [&](int axis) {
        const auto i = static_cast<std::size_t>(axis);
        return size[axis] * (static_cast<double>(at[i]) / cells[i] - 0.5);
      };
      it->second = add_vertex(mesh, {coordinate(0), coordinate(1), coordinate(2)});
    }
    return it->second;
  };
  for (std::size_t normal = 0; normal < 3; ++normal) {
    const std::size_t u = (normal + 1) % 3, v = (normal + 2) % 3;
    for (const bool high : {false, true})
      for (int i = 0; i < cells[u]; ++i)
        for (int j = 0; j < cells[v]; ++j) {
          std::array<int, 3> p{};
          p[normal] = high ? cells[normal] : 0;
          const auto grid = [&](int du, int dv) {
            p[u] = i + du, p[v] = j + dv;
            return vertex(p);
          };
          // One after the other: the order of arguments, and with it of vertices, is the
          // compiler's.
          const std::uint32_t d = high ? grid(0, 1) : grid(1, 0), c = grid(1, 1),
                              b = high ? grid(1, 0) : grid(0, 1), a = grid(0, 0);
          add_quad(mesh, a, b, c, d);
        }
  }
  return mesh;
}

TriangleMesh box_between(const Vec3& low, const Vec3& high, std::array<int, 3> cells) {
  return transformed(box(high - low, cells), Pose::translation(0.5 * (low + high)));
}

TriangleMesh loft(const std::vector<std::vector<Vec3>>& rings) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(rings.front().size());
  for (const auto& ring : rings)
    mesh.vertices.insert(mesh.vertices.end(), ring.begin(), ring.end());
  const auto last = static_cast<std::uint32_t>(rings.size() - 1) * n;
  for (std::uint32_t base = 0; base < last; base += n)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t j = (i + 1) % n;
      add_quad(mesh, base + i, base + j, base + n + j, base + n + i);
    }
  for (std::uint32_t i = 1; i + 1 < n; ++i) {
    mesh.triangles.push_back({0, i + 1, i});
    mesh.triangles.push_back({last, last + i, last + i + 1});
  }
  return mesh;
}

TriangleMesh extrude(std::span<const Vec2> outline, double z0, double z1, double bevel) {
  Vec2 centre;
  for (const Vec2& p : outline) centre = {centre.x + p.x, centre.y + p.y};
  const double n = static_cast<double>(outline.size());
  centre = {centre.x / n, centre.y / n};
  const auto ring = [&](double z, double inset) {
    std::vector<Vec3> points;
    for (const Vec2& p : outline) {
      const double dx = p.x - centre.x, dy = p.y - centre.y;
      const double keep = 1 - inset / hypotenuse(dx, dy);
      points.push_back({centre.x + keep * dx, centre.y + keep * dy, z});
    }
    return points;
  };
  if (bevel <= 0) return loft({ring(z0, 0), ring(z1, 0)});
  return loft({ring(z0, bevel), ring(z0 + bevel, 0), ring(z1 - bevel, 0), ring(z1, bevel)});
}

TriangleMesh bevelled_box(const Vec3& size, double bevel) {
  const double x = size.x / 2, y = size.y / 2;
  const double a = x - bevel, b = y - bevel;
  const Vec2 outline[] = {{x, -b}, {x, b}, {a, y}, {-a, y}, {-x, b}, {-x, -b}, {-a, -y}, {a, -y}};
  return extrude(outline, -size.z / 2, size.z / 2, bevel);
}

TriangleMesh revolve(std::span<const Vec2> profile, int segments) {
  std::vector<std::vector<Vec3>> rings;
  for (const Vec2& p : profile) rings.push_back(circle(p.x, p.y, segments));
  return loft(rings);
}

TriangleMesh cylinder(double radius, double z0, double z1, int segments) {
  const Vec2 profile[] = {{radius, z0}, {radius, z1}};
  return revolve(profile, segments);
}

TriangleMesh drum(double radius, double z0, double z1, double bevel, int segments) {
  const Vec2 profile[] = {
      {radius - bevel, z0}, {radius, z0 + bevel}, {radius, z1 - bevel}, {radius - bevel, z1}};
  return revolve(profile, segments);
}

TriangleMesh sphere(double radius, int segments, int stacks) {
  TriangleMesh mesh;
  const std::uint32_t bottom = add_vertex(mesh, {0, 0, -radius});
  const std::uint32_t top = add_vertex(mesh, {0, 0, radius});
  for (int k = 1; k < stacks; ++k) {
    const double latitude = kTau / 2 * k / stacks;
    const auto ring = circle(radius * sine(latitude), -radius * cosine(latitude), segments);
    mesh.vertices.insert(mesh.vertices.end(), ring.begin(), ring.end());
  }
  const auto n = static_cast<std::uint32_t>(segments);
  const std::uint32_t last = 2 + static_cast<std::uint32_t>(stacks - 2) * n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    mesh.triangles.push_back({bottom, 2 + j, 2 + i});
    mesh.triangles.push_back({top, last + i, last + j});
    for (std::uint32_t base = 2; base < last; base += n)
      add_quad(mesh, base + i, base + j, base + n + j, base + n + i);
  }
  return mesh;
}

TriangleMesh torus(double ring_radius, double tube_radius, int around, int across) {
  TriangleMesh mesh;
  for (int i = 0; i < around; ++i)
    for (const Vec3& p : circle(tube_radius, 0, across)) {
      const double angle = kTau * i / around, r = ring_radius + p.x;
      mesh.vertices.push_back({r * cosine(angle), r * sine(angle), p.y});
    }
  const auto index = [&](int i, int j) {
    return static_cast<std::uint32_t>((i % around) * across + j % across);
  };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j)
      add_quad(mesh, index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1));
  return mesh;
}

TriangleMesh tube(std::span<const Vec3> line, double radius, int segments) {
  std::vector<std::vector<Vec3>> rings;
  const std::size_t n = line.size();
  std::array<Vec3, 2> frame{};
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 tangent = normalized(line[std::min(k + 1, n - 1)] - line[k == 0 ? 0 : k - 1]);
    if (k == 0) {
      frame = frame_around(tangent);
    } else {  // carry the frame along without twist
      frame[0] = normalized(frame[0] - dot(frame[0], tangent) * tangent);
      frame[1] = cross(tangent, frame[0]);
    }
    std::vector<Vec3> ring;
    for (const Vec3& p : circle(radius, 0, segments))
      ring.push_back(line[k] + p.x * frame[0] + p.y * frame[1]);
    rings.push_back(std::move(ring));
  }
  return loft(rings);
}

TriangleMesh bar(const Vec3& from, const Vec3& to, double width) {
  const Vec3 direction = normalized(to - from);
  const auto [u, v] = frame_around(direction);
  const Pose X{Mat3::from_columns(u, v, direction), 0.5 * (from + to)};
  return transformed(box({width, width, norm(to - from)}), X);
}

TriangleMesh sheet(double size_x, double size_y, std::array<int, 2> cells) {
  TriangleMesh mesh;
  for (int i = 0; i <= cells[0]; ++i)
    for (int j = 0; j <= cells[1]; ++j)
      mesh.vertices.push_back({size_x * (static_cast<double>(i) / cells[0] - 0.5),
                               size_y * (static_cast<double>(j) / cells[1] - 0.5), 0});
  const auto index = [&](int i, int j) {
    return static_cast<std::uint32_t>(i * (cells[1] + 1) + j);
  };
  for (int i = 0; i < cells[0]; ++i)
    for (int j = 0; j < cells[1]; ++j)
      add_quad(mesh, index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1));
  return mesh;
}

std::vector<Vec3> arc(const Vec3& centre, const Vec3& u, const Vec3& v, double radius, double angle,
                      int pieces) {
  std::vector<Vec3> points;
  for (int i = 0; i <= pieces; ++i) {
    const double a = angle * i / pieces;
    points.push_back(centre + radius * cosine(a) * u + radius * sine(a) * v);
  }
  return points;
}

}  // namespace proven::scenes
