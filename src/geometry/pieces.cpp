#include "pieces.h"

#include <algorithm>
#include <cmath>

#include "gjk.h"
#include "triangle_distance.h"

namespace proven {
namespace {

// Rounding of a support gap, against L = largest |coordinate| of a + that of b + largest
// |coordinate| of p_AB. In units of u = 2^-53, along a unit direction n:
//
// Two triangles. Posing a vertex rounds each coordinate 4 times, sums of absolute terms at most
// sqrt(3) |x| + |p|: as a vector at most 4 (3 M_b + sqrt(3) |p|) <= 12 L. Points relative to a
// vertex of a are within 3 L; each support value rounds 4 times: 2 · 12 L. The difference, |n| and
// the quotient: 5 roundings of at most 6 L. In all 66 L < 2^7 L.
constexpr double kTriangleRounding = 0x1p-46;
// Convex pieces add their own pose X_BS (extents up to 2 sqrt(3) M about a centre within M: 72 L on
// each side), and the support point found for a rounded direction: 3 roundings of each component
// per pose, which lose at most 2 · 5.2 of the extent, 36 L on one side and 54 L on the other. With
// the evaluation as above, 300 L < 2^9 L; relative errors of rotations and radii are within the
// rest.
constexpr double kConvexRounding = 0x1p-44;

double magnitude(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB) {
  return a.max_coordinate() + b.max_coordinate() + max_abs(X_AB.p);
}

Triangle posed(const Pose& X, const Triangle& t) {
  return {X * t.a, X * t.b, X * t.c};
}

const Triangle& triangle_piece(const BodyGeometry& body, int piece) {
  return body.triangles()[static_cast<std::size_t>(piece)];
}

// Triangles, and the cores of spheres (a point) and capsules (a segment), have closed forms.
bool has_flat_core(const Convex& c) {
  return c.kind == ConvexKind::sphere || c.kind == ConvexKind::capsule;
}

Triangle flat_core(const Convex& c) {
  const Vec3 start = c.X_BS * Vec3{0, 0, -c.half_extents.z};
  const Vec3 end = c.X_BS * Vec3{0, 0, c.half_extents.z};
  return {start, end, end};
}

struct Piece {
  const Triangle* triangle = nullptr;
  const Convex* convex = nullptr;
  double radius = 0;

  bool is_flat() const { return triangle || has_flat_core(*convex); }
  Triangle flat() const { return triangle ? *triangle : flat_core(*convex); }
};

// `room` holds the piece if it is a grain.
Piece piece_of(const BodyGeometry& body, int piece, Convex& room) {
  if (body.is_triangle(piece)) return {&triangle_piece(body, piece), nullptr, 0};
  const Convex& c = body.convex(piece, room);
  return {nullptr, &c, c.radius};
}

// From the cores to the pieces: the radii shorten the way on both sides.
PieceDistance dilated(const ClosestPoints& cores, double radius_a, double radius_b) {
  const double radii = radius_a + radius_b;
  if (radii == 0) return {cores.distance_lower, cores.distance, cores.point_a, cores.point_b};
  if (cores.distance <= radii) {
    const Vec3 common = cores.point_a + (radius_a / radii) * (cores.point_b - cores.point_a);
    return {0, 0, common, common};
  }
  const Vec3 unit = (1 / cores.distance) * (cores.point_b - cores.point_a);
  return {std::max(cores.distance_lower - radii, 0.0), cores.distance - radii,
          cores.point_a + radius_a * unit, cores.point_b - radius_b * unit};
}

PieceDistance convex_distance(const Piece& a, const Piece& b, const Pose& X_AB, double scale) {
  const double margin = kConvexRounding * scale;
  const ClosestPoints cores =
      a.is_flat() && b.is_flat()
          ? triangle_distance(a.flat(), posed(X_AB, b.flat()), margin)
          : core_distance({a.triangle, a.convex}, {b.triangle, b.convex}, X_AB, margin);
  return dilated(cores, a.radius, b.radius);
}

}  // namespace

PieceDistance piece_distance(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                             const Pose& X_AB) {
  const double scale = magnitude(a, b, X_AB);
  if (!a.is_triangle(piece_a) || !b.is_triangle(piece_b)) {
    Convex room_a, room_b;
    return convex_distance(piece_of(a, piece_a, room_a), piece_of(b, piece_b, room_b), X_AB, scale);
  }
  const ClosestPoints found =
      triangle_distance(triangle_piece(a, piece_a), posed(X_AB, triangle_piece(b, piece_b)),
                        kTriangleRounding * scale);
  return {found.distance_lower, found.distance, found.point_a, found.point_b};
}

Vec3 piece_direction(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                     const Pose& X_AB, const Vec3& guess) {
  Convex room_a, room_b;
  const Piece first = piece_of(a, piece_a, room_a), second = piece_of(b, piece_b, room_b);
  if (first.is_flat() && second.is_flat()) return {};
  return core_direction({first.triangle, first.convex}, {second.triangle, second.convex}, X_AB,
                        guess);
}

bool pieces_overlap(const BodyGeometry& a, int piece_a, const BodyGeometry& b, int piece_b,
                    const Pose& X_AB) {
  if (a.is_triangle(piece_a) && b.is_triangle(piece_b))
    return triangles_overlap(triangle_piece(a, piece_a), posed(X_AB, triangle_piece(b, piece_b)));
  return piece_distance(a, piece_a, b, piece_b, X_AB).distance == 0;
}

double piece_support(const BodyGeometry& body, int piece, const Vec3& n) {
  if (!body.grains().empty()) return body.grains().support(piece, n);
  if (!body.is_triangle(piece))
    return body.convexes()[static_cast<std::size_t>(piece) - body.triangles().size()].support(n);
  const Triangle& t = triangle_piece(body, piece);
  return std::max({dot(n, t.a), dot(n, t.b), dot(n, t.c)});
}

PieceDistance convex_to_piece_distance(const Convex& a, const BodyGeometry& b, int piece_b,
                                       const Pose& X_AB) {
  // A convex piece lies within the box of its support values.
  double reach = 0;
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    reach = std::max({reach, std::fabs(a.support(axis)), std::fabs(a.support(-axis))});
  const double scale = reach + b.max_coordinate() + max_abs(X_AB.p);
  Convex room;
  return convex_distance({nullptr, &a, a.radius}, piece_of(b, piece_b, room), X_AB, scale);
}

}  // namespace proven
