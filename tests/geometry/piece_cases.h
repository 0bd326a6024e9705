// Random pieces for tests, and pairs of pieces whose distance is known by construction.
#pragma once

#include <array>
#include <memory>
#include <numbers>
#include <string>

#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"

namespace proven::test {

enum class PieceKind { triangle, box, sphere, cylinder, capsule, hull };
constexpr std::array<const char*, 6> kPieceNames = {"triangle", "box",     "sphere",
                                                    "cylinder", "capsule", "hull"};

// A point of a piece's surface with a direction n (unit) along which no point of the piece lies
// farther: n supports the piece there.
struct SupportedPoint {
  Vec3 point, normal;
};

// One piece as a body; `features` draws supported points of vertices, edges, faces, rims and caps.
struct PieceCase {
  PieceKind kind;
  std::shared_ptr<const BodyGeometry> body;
  double size;  // of its largest dimension
  Vec3 half;    // as Convex::half_extents; hull: of the box whose corners it holds
  double radius = 0;
  Pose X_BS;
  Triangle triangle;  // in B
  Vec3 inner;         // a point well inside (for triangles: the centroid)
};

inline Vec3 random_size(Random& random, double scale) {
  const auto side = [&] { return scale * std::pow(10, random.uniform(-2, 0)); };
  return {side(), side(), side()};
}

inline Triangle random_test_triangle(Random& random, double scale) {
  const auto point = [&] {
    return Vec3{random.uniform(-scale, scale), random.uniform(-scale, scale),
                random.uniform(-scale, scale)};
  };
  const Vec3 a = point(), b = point();
  const int shape = random.index(4);
  if (shape == 0) return {a, b, b + 1e-6 * point()};                               // needle
  if (shape == 1) return {a, b, a + random.uniform() * (b - a) + 1e-7 * point()};  // sliver
  return {a, b, point()};
}

inline Shape shape_of(const PieceCase& c, Random& random) {
  switch (c.kind) {
    case PieceKind::box:
      return Box{c.half};
    case PieceKind::sphere:
      return Sphere{c.radius};
    case PieceKind::cylinder:
      return Cylinder{c.half.x, c.half.z};
    case PieceKind::capsule:
      return Capsule{c.radius, c.half.z};
    case PieceKind::hull: {
      ConvexHull hull;
      for (int i = 0; i < 8; ++i)
        hull.points.push_back({i & 1 ? c.half.x : -c.half.x, i & 2 ? c.half.y : -c.half.y,
                               i & 4 ? c.half.z : -c.half.z});
      for (int i = 0; i < 5; ++i)
        hull.points.push_back({c.half.x * random.uniform(-1, 1), c.half.y * random.uniform(-1, 1),
                               c.half.z * random.uniform(-1, 1)});
      return std::make_shared<const ConvexHull>(hull);
    }
    default:
      return std::make_shared<const TriangleMesh>(
          TriangleMesh{{c.triangle.a, c.triangle.b, c.triangle.c}, {{0, 1, 2}}});
  }
}

inline PieceCase random_piece(Random& random, PieceKind kind, double scale) {
  PieceCase c;
  c.kind = kind;
  c.half = random_size(random, scale);
  c.radius = 0;
  if (kind == PieceKind::sphere) c.half = {0, 0, 0}, c.radius = random_size(random, scale).x;
  if (kind == PieceKind::capsule)
    c.half = {0, 0, c.half.z}, c.radius = random_size(random, scale).x;
  if (kind == PieceKind::cylinder) c.half.y = c.half.x;
  c.X_BS = {random.rotation(), scale * random.uniform() * random.unit_vector()};
  c.triangle = random_test_triangle(random, scale);
  c.inner = c.X_BS.p;
  CollisionElement element{shape_of(c, random), c.X_BS,
                           kPieceNames[static_cast<std::size_t>(kind)]};
  if (kind == PieceKind::triangle) {
    element.X_BS = c.X_BS = Pose{};
    c.inner = 1.0 / 3 * (c.triangle.a + c.triangle.b + c.triangle.c);
  }
  c.body = BodyGeometry::build({element}).value();
  c.size = c.body->bounding_sphere().radius;
  return c;
}

// The normal to the last bit, also of slivers.
inline Vec3 accurate_normal(const Triangle& t) {
  using Quad = __float128;
  const Quad e[3] = {Quad(t.b.x) - t.a.x, Quad(t.b.y) - t.a.y, Quad(t.b.z) - t.a.z};
  const Quad f[3] = {Quad(t.c.x) - t.a.x, Quad(t.c.y) - t.a.y, Quad(t.c.z) - t.a.z};
  return normalized({static_cast<double>(e[1] * f[2] - e[2] * f[1]),
                     static_cast<double>(e[2] * f[0] - e[0] * f[2]),
                     static_cast<double>(e[0] * f[1] - e[1] * f[0])});
}

// A vertex, edge or face of a triangle.
inline SupportedPoint triangle_feature(Random& random, const Triangle& t) {
  const Vec3 normal = accurate_normal(t);
  const double u = random.uniform(), v = random.uniform() * (1 - u);
  const Vec3 p[3] = {t.a, t.b, t.c};
  const int choice = random.index(3);
  if (choice == 0) return {t.a + u * (t.b - t.a) + v * (t.c - t.a), normal};
  if (choice == 1) {
    // Any direction at right angles to the edge that does not point to the third vertex's side.
    const int i = random.index(3);
    const Vec3 from = p[i], to = p[(i + 1) % 3];
    Vec3 out = normalized(cross(to - from, normal));
    if (dot(out, p[(i + 2) % 3] - from) > 0) out = -out;
    const double angle = random.uniform(-std::numbers::pi / 2, std::numbers::pi / 2);
    return {from + u * (to - from), normalized(std::cos(angle) * out + std::sin(angle) * normal)};
  }
  const Vec3 n = random.unit_vector();
  const double a = dot(n, t.a), b = dot(n, t.b), c = dot(n, t.c);
  return {a >= b && a >= c ? t.a : b >= c ? t.b : t.c, n};
}

// In the piece's own frame S. A zero component of the normal leaves that coordinate free.
inline SupportedPoint box_feature(Random& random, const Vec3& half) {
  Vec3 n = random.unit_vector(), p;
  const int free_axes = random.index(7);  // bits: x, y, z; not all three
  for (int i = 0; i < 3; ++i) {
    if (free_axes >> i & 1) n[i] = 0;
    p[i] = n[i] == 0 ? half[i] * random.uniform(-1, 1) : std::copysign(half[i], n[i]);
  }
  return {p, normalized(n)};
}

inline SupportedPoint cylinder_feature(Random& random, double r, double half_length) {
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  const Vec3 radial{std::cos(angle), std::sin(angle), 0};
  const double top = random.index(2) ? 1 : -1;
  const int choice = random.index(3);
  if (choice == 0)
    return {r * std::sqrt(random.uniform()) * radial + Vec3{0, 0, top * half_length}, {0, 0, top}};
  if (choice == 1) return {r * radial + Vec3{0, 0, half_length * random.uniform(-1, 1)}, radial};
  const double tilt = random.uniform(0, std::numbers::pi / 2);
  return {r * radial + Vec3{0, 0, top * half_length},
          std::cos(tilt) * radial + Vec3{0, 0, top * std::sin(tilt)}};
}

inline SupportedPoint random_feature(Random& random, const PieceCase& c) {
  SupportedPoint f;
  switch (c.kind) {
    case PieceKind::triangle:
      return triangle_feature(random, c.triangle);
    case PieceKind::cylinder:
      f = cylinder_feature(random, c.half.x, c.half.z);
      break;
    case PieceKind::sphere:
      f = {{}, random.unit_vector()};
      break;
    default:
      f = box_feature(random, c.half);
  }
  f.point += c.radius * f.normal;
  return {c.X_BS * f.point, c.X_BS.R * f.normal};
}

// A rotation that takes the unit vector `from` to `to`, and is otherwise random.
inline Mat3 random_alignment(Random& random, const Vec3& from, const Vec3& to) {
  const auto frame = [&](const Vec3& n) {
    const Vec3 side = normalized(cross(n, random.unit_vector()));
    return Mat3::from_columns(n, side, cross(n, side));
  };
  return frame(to) * transpose(frame(from));
}

// B stands so that the two features face each other at the given distance along their normals:
// the plane between them separates the pieces, hence this is their distance.
inline Pose facing_pose(Random& random, const SupportedPoint& a, const SupportedPoint& b,
                        double distance) {
  const Mat3 R_AB = random_alignment(random, b.normal, -a.normal);
  return {R_AB, a.point + distance * a.normal - R_AB * b.point};
}

inline constexpr int kKinds = 6;

inline PieceKind kind(int i) {
  return static_cast<PieceKind>(i);
}

inline std::string name(const PieceCase& a, const PieceCase& b) {
  return std::string(kPieceNames[static_cast<std::size_t>(a.kind)]) + " - " +
         kPieceNames[static_cast<std::size_t>(b.kind)];
}

inline double magnitude(const PieceCase& a, const PieceCase& b, const Pose& X_AB) {
  return a.body->max_coordinate() + b.body->max_coordinate() + max_abs(X_AB.p);
}

}  // namespace proven::test
