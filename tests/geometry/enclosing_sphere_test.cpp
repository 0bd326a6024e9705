#include "geometry/enclosing_sphere.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "piece_cases.h"
#include "support.h"

namespace proven {
namespace {

using test::PieceCase;
using test::PieceKind;

// The smallest sphere is optimal exactly if its centre lies in the hull of the points it touches:
// no direction may point away from all of them.
bool is_smallest(const std::vector<Vec3>& points, const BoundingSphere& s, Random& random) {
  std::vector<Vec3> touching;
  for (const Vec3& p : points)
    if (norm(p - s.centre) > s.radius * (1 - 1e-7)) touching.push_back(p - s.centre);
  for (int i = 0; i < 200; ++i) {
    const Vec3 n = random.unit_vector();
    const bool held = std::any_of(touching.begin(), touching.end(),
                                  [&](const Vec3& d) { return dot(n, d) > -1e-4 * s.radius; });
    if (!held) return false;
  }
  return true;
}

TEST(EnclosingSphere, SmallestAroundPoints) {
  Random random(41);
  for (int n = 0; n < test::cases(2000); ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const int dimension = 1 + random.index(3);
    const Vec3 offset = 10 * scale * random.unit_vector();
    std::vector<Vec3> points(static_cast<std::size_t>(2 + random.index(60)));
    for (Vec3& p : points) {
      for (int i = 0; i < dimension; ++i) p[i] = random.uniform(-scale, scale);
      if (n % 3 == 0) p = scale * normalized(p);  // all on the sphere
      p += offset;
    }
    const BoundingSphere s = enclosing_sphere(points, {});
    for (const Vec3& p : points) ASSERT_LE(norm(p - s.centre), s.radius);
    const bool one_point = s.radius < 1e-9 * scale;
    ASSERT_TRUE(one_point || is_smallest(points, s, random)) << n;
  }
}

TEST(EnclosingSphere, KnownSpheres) {
  const auto radius = [](const Shape& shape) {
    const std::vector<Convex> pieces{make_convex(shape, Pose::translation({1, 2, 3}))};
    const BoundingSphere s = enclosing_sphere({}, pieces);
    EXPECT_LT(norm(s.centre - Vec3{1, 2, 3}), 1e-4);
    return s.radius;
  };
  EXPECT_NEAR(radius(Sphere{2}), 2, 1e-8);
  EXPECT_NEAR(radius(Box{{3, 4, 12}}), 13, 1e-8);
  EXPECT_NEAR(radius(Cylinder{3, 4}), 5, 1e-8);
  EXPECT_NEAR(radius(Capsule{1, 4}), 5, 1e-8);
}

TEST(EnclosingSphere, HoldsMixedPieces) {
  Random random(42);
  for (int n = 0; n < test::cases(2000); ++n) {
    std::vector<Convex> pieces;
    std::vector<PieceCase> cases;
    for (int i = 0; i <= random.index(4); ++i) {
      cases.push_back(test::random_piece(random, static_cast<PieceKind>(1 + random.index(5)), 1));
      pieces.push_back(cases.back().body->convexes()[0]);
    }
    const BoundingSphere s = enclosing_sphere({}, pieces);
    for (const PieceCase& c : cases)
      for (int i = 0; i < 100; ++i) {
        const Vec3 p = test::random_feature(random, c).point;
        ASSERT_LE(norm(p - s.centre), s.radius + 1e-14);
        ASSERT_LE(norm(p - s.centre),
                  norm(farthest_point(c.body->convexes()[0], s.centre) - s.centre) + 1e-13);
      }
    // No smaller sphere about a nearby centre.
    for (int i = 0; i < 20; ++i) {
      const Vec3 centre = s.centre + 1e-3 * s.radius * random.unit_vector();
      double reach = 0;
      for (const Convex& c : pieces)
        reach = std::max(reach, norm(farthest_point(c, centre) - centre));
      ASSERT_GT(reach, s.radius * (1 - 1e-7)) << n;
    }
  }
}

}  // namespace
}  // namespace proven
