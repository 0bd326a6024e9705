#include "geometry/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>

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

// Farthest that p lies outside the piece, by formulas of its own.
double outside(const PieceCase& c, const Vec3& p_B) {
  if (c.kind == PieceKind::triangle) {
    const auto point = BodyGeometry::build(
        {{std::make_shared<const TriangleMesh>(TriangleMesh{{p_B}, {{0, 0, 0}}}), Pose{}, ""}});
    return piece_distance(*c.body, 0, *point.value(), 0, Pose{}).distance;
  }
  const Vec3 p = transpose_times(c.X_BS.R, p_B - c.X_BS.p);
  if (c.kind == PieceKind::cylinder)
    return std::max(std::hypot(p.x, p.y) - c.half.x, std::fabs(p.z) - c.half.z);
  const Vec3 over{std::max(std::fabs(p.x) - c.half.x, 0.0),
                  std::max(std::fabs(p.y) - c.half.y, 0.0),
                  std::max(std::fabs(p.z) - c.half.z, 0.0)};
  return norm(over) - c.radius;
}

TEST(PieceDistance, KnownByConstructionForAllKindsAndFeatures) {
  Random random(21);
  const int count = test::cases(100000);
  int tiny = 0;
  for (int n = 0; n < count; ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase a = test::random_piece(random, kind(n % kKinds), scale);
    const PieceCase b = test::random_piece(random, kind(n / kKinds % kKinds), scale);
    const double truth = scale * std::pow(10, random.uniform(-13, 1));
    const Pose X_AB = test::facing_pose(random, test::random_feature(random, a),
                                        test::random_feature(random, b), truth);
    const PieceDistance found = piece_distance(*a.body, 0, *b.body, 0, X_AB);
    const double L = magnitude(a, b, X_AB);
    // The construction itself rounds by some u L.
    const double slack = 0x1p-46 * L;
    ASSERT_NEAR(found.distance, truth, 0x1p-34 * L) << n << " " << name(a, b) << " scale " << scale;
    ASSERT_LE(found.distance_lower, truth + slack) << n << " " << name(a, b);
    ASSERT_TRUE(found.distance_lower > 0 || truth <= 0x1p-41 * L)
        << n << " " << name(a, b) << " " << truth;
    ASSERT_EQ(found.distance == 0, pieces_overlap(*a.body, 0, *b.body, 0, X_AB));
    ASSERT_NEAR(norm(found.point_b - found.point_a), found.distance, slack);
    ASSERT_LT(outside(a, found.point_a), 8 * slack) << n << " " << name(a, b);
    ASSERT_LT(outside(b, inverse(X_AB) * found.point_b), 8 * slack) << n << " " << name(a, b);
    tiny += truth < 1e-8 * scale;
  }
  EXPECT_GT(tiny, count / 5);
}

// In any pose, the answer proves itself: the points lie on the pieces (distance from above) and the
// plane at right angles to their connection separates the pieces (distance from below), by support
// functions of the test's own in long double.
long double support_value(const PieceCase& c, const Vec3& n_B) {
  const auto product = [](const Vec3& a, const Vec3& b) {
    return static_cast<long double>(a.x) * b.x + static_cast<long double>(a.y) * b.y +
           static_cast<long double>(a.z) * b.z;
  };
  if (c.kind == PieceKind::triangle)
    return std::max(
        {product(n_B, c.triangle.a), product(n_B, c.triangle.b), product(n_B, c.triangle.c)});
  const long double x = product(c.X_BS.R.column(0), n_B), y = product(c.X_BS.R.column(1), n_B);
  const long double z = product(c.X_BS.R.column(2), n_B);
  const long double centre = product(c.X_BS.p, n_B);
  const long double length = std::sqrt(product(n_B, n_B));
  if (c.kind == PieceKind::cylinder)
    return centre + c.half.x * std::sqrt(x * x + y * y) + c.half.z * std::fabs(z);
  return centre + c.half.x * std::fabs(x) + c.half.y * std::fabs(y) + c.half.z * std::fabs(z) +
         c.radius * length;
}

TEST(PieceDistance, ProvesItselfInRandomPoses) {
  Random random(22);
  const int count = test::cases(100000);
  int apart = 0, overlaps = 0;
  for (int n = 0; n < count; ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase a = test::random_piece(random, kind(n % kKinds), scale);
    const PieceCase b = test::random_piece(random, kind(n / kKinds % kKinds), scale);
    const Mat3 R = random.rotation();
    const Vec3 offset = 2 * random.uniform() * (a.size + b.size) * random.unit_vector();
    const Pose X_AB{R, a.inner - R * b.inner + offset};
    const PieceDistance found = piece_distance(*a.body, 0, *b.body, 0, X_AB);
    const double L = magnitude(a, b, X_AB);
    const Vec3 p_B = inverse(X_AB) * found.point_b;
    ASSERT_LT(outside(a, found.point_a), 0x1p-43 * L) << n << " " << name(a, b);
    ASSERT_LT(outside(b, p_B), 0x1p-43 * L) << n << " " << name(a, b);
    if (found.distance == 0) {
      ++overlaps;
      ASSERT_EQ(found.point_a, found.point_b);
      continue;
    }
    ++apart;
    const Vec3 unit = normalized(found.point_b - found.point_a);
    const long double gap = -support_value(b, transpose_times(R, -unit)) +
                            static_cast<long double>(dot(unit, X_AB.p)) - support_value(a, unit);
    const double tolerance = 0x1p-34 * L + 0x1p-48 * L * L / found.distance;
    ASSERT_NEAR(static_cast<double>(gap), found.distance, tolerance) << n << " " << name(a, b);
    ASSERT_LE(found.distance_lower, found.distance);
  }
  EXPECT_GT(apart, count / 3);
  EXPECT_GT(overlaps, count / 20);
}

// kTriangleRounding covers the rounding of poses and gaps: the true distance of the unrounded
// triangles stays above the lower bound, and the error within half of the margin.
TEST(PieceDistance, TriangleMarginCoversPoseRounding) {
  Random random(25);
  double largest_error = 0;
  int positive = 0;
  const int count = test::cases(20000);
  for (int n = 0; n < count; ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase a = test::random_piece(random, PieceKind::triangle, scale);
    const PieceCase b = test::random_piece(random, PieceKind::triangle, scale);
    const double distance = scale * std::pow(10, random.uniform(-13, -1));
    // Far from both frames, so that poses round more than the triangles are large.
    const Pose X_AB = test::facing_pose(random, test::random_feature(random, a),
                                        test::random_feature(random, b), distance);
    const Vec3 far = 30 * scale * random.uniform() * random.unit_vector();
    const Triangle moved{b.triangle.a + far, b.triangle.b + far, b.triangle.c + far};
    const auto body = BodyGeometry::build({{std::make_shared<const TriangleMesh>(TriangleMesh{
                                                {moved.a, moved.b, moved.c}, {{0, 1, 2}}}),
                                            Pose{}, ""}});
    const Pose X{X_AB.R, X_AB.p - X_AB.R * far};
    const double truth = test::quad_distance(
        test::QuadTriangle{a.triangle.a, a.triangle.b, a.triangle.c},
        test::QuadTriangle{test::quad_posed(X, moved.a), test::quad_posed(X, moved.b),
                           test::quad_posed(X, moved.c)});
    const double lower = piece_distance(*a.body, 0, *body.value(), 0, X).distance_lower;
    const double margin =
        0x1p-46 * (a.body->max_coordinate() + body.value()->max_coordinate() + max_abs(X.p));
    ASSERT_LE(lower, truth) << n;
    if (lower > 0)
      ++positive, largest_error = std::max(largest_error, (lower + margin - truth) / margin);
  }
  EXPECT_LT(largest_error, 0.5);
  EXPECT_GT(largest_error, 0.001);
  EXPECT_GT(positive, count / 2);
}

// Cores that share an inner point overlap, however they are turned; one inside the other as well.
TEST(PieceDistance, ZeroIfAPointIsShared) {
  Random random(23);
  for (int n = 0; n < test::cases(20000); ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    PieceCase a = test::random_piece(random, kind(n % kKinds), scale);
    const int other = n / kKinds % kKinds;
    if (a.kind == PieceKind::triangle && kind(other) == PieceKind::triangle) continue;
    PieceCase b = test::random_piece(random, kind(other), scale * (random.index(2) ? 1 : 1e-3));
    const Mat3 R = random.rotation();
    const Pose X_AB{R, a.inner - R * b.inner};
    const PieceDistance found = piece_distance(*a.body, 0, *b.body, 0, X_AB);
    ASSERT_EQ(found.distance, 0) << n << " " << name(a, b);
    ASSERT_EQ(found.distance_lower, 0);
    ASSERT_TRUE(pieces_overlap(*a.body, 0, *b.body, 0, X_AB));
  }
}

// Resting exactly on each other: the distance is 0 or rounding, the lower bound is 0.
TEST(PieceDistance, Touching) {
  Random random(24);
  for (int n = 0; n < test::cases(20000); ++n) {
    const PieceCase a = test::random_piece(random, kind(n % kKinds), 1);
    const PieceCase b = test::random_piece(random, kind(n / kKinds % kKinds), 1);
    const Pose X_AB = test::facing_pose(random, test::random_feature(random, a),
                                        test::random_feature(random, b), 0);
    const PieceDistance found = piece_distance(*a.body, 0, *b.body, 0, X_AB);
    ASSERT_LT(found.distance, 1e-10) << n << " " << name(a, b);
    ASSERT_EQ(found.distance_lower, 0) << n << " " << name(a, b);
  }
}

}  // namespace
}  // namespace proven
