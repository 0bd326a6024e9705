// Contacts that are called certain, against 113-bit arithmetic and against motion of the pieces.
#include "proven/geometry/contact.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "geometry/pieces.h"
#include "piece_cases.h"
#include "quad_twin.h"
#include "support.h"

namespace proven {
namespace {

using test::kind;
using test::kKinds;
using test::magnitude;
using test::name;
using test::PieceCase;
using test::PieceKind;

// X_AB moved so that no point of the body moves by more than `reach`.
Pose nudged(Random& random, const Pose& X_AB, const BodyGeometry& b, double reach) {
  const BoundingSphere& sphere = b.bounding_sphere();
  const Vec3 centre = X_AB * sphere.centre;
  const double turn = random.index(2) == 0 ? 0 : random.uniform();
  const Mat3 R = rotation(random.unit_vector(), turn * reach / sphere.radius);
  const Vec3 shift = (1 - turn) * reach * random.unit_vector();
  return {R * X_AB.R, centre + R * (X_AB.p - centre) + shift};
}

// How far the pieces are apart: by 113-bit arithmetic for triangles.
double distance(const PieceCase& a, const PieceCase& b, const Pose& X_AB) {
  if (a.kind != PieceKind::triangle || b.kind != PieceKind::triangle)
    return piece_distance(*a.body, 0, *b.body, 0, X_AB).distance;
  const Triangle& t = b.triangle;
  return test::quad_distance(
      {a.triangle.a, a.triangle.b, a.triangle.c},
      {test::quad_posed(X_AB, t.a), test::quad_posed(X_AB, t.b), test::quad_posed(X_AB, t.c)});
}

TEST(Contact, CertainOnlyIfNoMotionOfTheMarginEndsIt) {
  Random random(1);
  DistanceScratch workspace;
  const int count = test::cases(30000);
  int certain = 0, touching = 0, none = 0;
  for (int n = 0; n < count; ++n) {
    const double scale = std::pow(10, random.uniform(-2, 2));
    const PieceCase a = test::random_piece(random, kind(n % kKinds), scale);
    const PieceCase b = test::random_piece(random, kind(n / kKinds % kKinds), scale);
    const double depth = std::pow(10, random.uniform(-13, -1));
    const double gap = (random.index(3) == 0 ? 1 : -1) * depth * std::min(a.size, b.size);
    const Pose X_AB = test::facing_pose(random, test::random_feature(random, a),
                                        test::random_feature(random, b), gap);
    const double L = magnitude(a, b, X_AB);
    const double margin = random.index(2) == 0 ? 0x1p-38 * L : random.uniform() * depth * scale;
    const Contact contact = find_contact(*a.body, *b.body, X_AB, margin, workspace);
    ASSERT_EQ(contact.overlap == Overlap::none, !pieces_overlap(*a.body, 0, *b.body, 0, X_AB))
        << n << " " << name(a, b);
    certain += contact.overlap == Overlap::certain;
    touching += contact.overlap == Overlap::touching;
    none += contact.overlap == Overlap::none;
    if (contact.overlap != Overlap::certain) continue;
    // The construction rounds: what stands apart by more than that cannot be in contact.
    ASSERT_LT(gap, 0x1p-44 * L) << n << " " << name(a, b);
    for (int k = 0; k < 8; ++k) {
      const Pose other = nudged(random, X_AB, *b.body, 0.999 * margin);
      ASSERT_LE(distance(a, b, other), 0x1p-46 * L) << n << " " << name(a, b);
    }
  }
  std::printf("certain %d, touching %d, none %d\n", certain, touching, none);
  EXPECT_GT(certain, count / 10);
  EXPECT_GT(touching, count / 20);
  EXPECT_GT(none, count / 10);
}

// By how much an edge of one triangle passes the other's boundary, and its ends the other: the
// largest over all edges that cross.
double crossing_margin(const Triangle& a, const Triangle& b) {
  const auto of_edge = [](const Vec3& p, const Vec3& q, const Triangle& t) {
    const Triangle edge{p, q, q}, ab{t.a, t.b, t.b}, bc{t.b, t.c, t.c}, ca{t.c, t.a, t.a};
    if (test::quad_distance(edge, t) > 0) return 0.0;
    return std::min({test::quad_distance(Triangle{p, p, p}, t),
                     test::quad_distance(Triangle{q, q, q}, t), test::quad_distance(edge, ab),
                     test::quad_distance(edge, bc), test::quad_distance(edge, ca)});
  };
  return std::max({of_edge(a.a, a.b, b), of_edge(a.b, a.c, b), of_edge(a.c, a.a, b),
                   of_edge(b.a, b.b, a), of_edge(b.b, b.c, a), of_edge(b.c, b.a, a)});
}

TEST(Contact, TrianglesAreCertainExactlyBeyondTheirMargin) {
  Random random(2);
  DistanceScratch workspace;
  int certain = 0, shallow = 0;
  const int count = test::cases(10000);
  for (int n = 0; n < count; ++n) {
    const PieceCase a = test::random_piece(random, PieceKind::triangle, 1);
    // One vertex of b stands a little beyond the face of a, the others on the near side.
    const Vec3 normal = test::accurate_normal(a.triangle);
    const double beyond = std::pow(10, random.uniform(-9, 0));
    const auto near = [&] {
      return a.inner - random.uniform(0.1, 1) * normal + 0.5 * random.unit_vector();
    };
    const Triangle t{a.inner + beyond * normal, near(), near()};
    const auto b =
        BodyGeometry::build(
            {{std::make_shared<const TriangleMesh>(TriangleMesh{{t.a, t.b, t.c}, {{0, 1, 2}}}),
              Pose{}, ""}})
            .value();
    const double truth = crossing_margin(a.triangle, t);
    // Below this the rounding of the distances matters.
    if (!(truth > 1e-10)) continue;
    const auto overlap_with = [&](double margin) {
      return find_contact(*a.body, *b, Pose{}, margin, workspace).overlap;
    };
    ASSERT_EQ(overlap_with(0.99 * truth), Overlap::certain) << n;
    ASSERT_EQ(overlap_with(1.01 * truth), Overlap::touching) << n;
    ++certain;
    shallow += truth < 1e-3;
  }
  EXPECT_GT(certain, count / 20);
  EXPECT_GT(shallow, count / 200);
}

// The radius of a ball about the middle that fits into a convex piece.
double inner_radius(const PieceCase& c) {
  if (c.kind == PieceKind::sphere || c.kind == PieceKind::capsule) return c.radius;
  return std::min({c.half.x, c.half.y, c.half.z});
}

TEST(Contact, ConvexPiecesAreCertainAFewMarginsDeep) {
  Random random(3);
  DistanceScratch workspace;
  const int count = test::cases(30000);
  int shallow = 0;
  for (int n = 0; n < count; ++n) {
    const PieceCase a = test::random_piece(random, kind(1 + n % (kKinds - 1)), 1);
    const PieceCase b = test::random_piece(random, kind(n / kKinds % kKinds), 1);
    // A point of b's surface stands at a share of the way from a's surface to its middle.
    const double share = std::pow(10, random.uniform(-9, -0.1));
    const Vec3 surface = test::random_feature(random, a).point;
    const Vec3 point = surface + share * (a.inner - surface);
    const Mat3 R = random.rotation();
    const Pose X_AB{R, point - R * test::random_feature(random, b).point};
    const double L = magnitude(a, b, X_AB);
    const double margin = 0x1p-38 * L, deep_enough = 32 * (margin + 0x1p-33 * L);
    if (share * inner_radius(a) < deep_enough) continue;
    const Contact contact = find_contact(*a.body, *b.body, X_AB, margin, workspace);
    ASSERT_EQ(contact.overlap, Overlap::certain) << n << " " << name(a, b) << " share " << share;
    shallow += share < 1e-6;
  }
  EXPECT_GT(shallow, count / 50);
}

}  // namespace
}  // namespace proven
