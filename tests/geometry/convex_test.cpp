#include "proven/geometry/convex.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "piece_cases.h"
#include "support.h"

namespace proven {
namespace {

using test::PieceCase;
using test::PieceKind;

const Convex& convex_of(const PieceCase& c) {
  return c.body->convexes()[0];
}

TEST(ConvexSupport, FeaturesAttainIt) {
  Random random(31);
  for (int n = 0; n < test::cases(50000); ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase c = test::random_piece(random, static_cast<PieceKind>(1 + n % 5), scale);
    const test::SupportedPoint f = test::random_feature(random, c);
    const double length = std::pow(10, random.uniform(-100, 100));
    const double support = convex_of(c).support(length * f.normal) / length;
    ASSERT_NEAR(support, dot(f.point, f.normal), 1e-14 * scale);
  }
}

TEST(ConvexSupport, AxisParallelDirectionsOfACylinder) {
  const Convex c = make_convex(Cylinder{2, 3}, Pose::translation({10, 0, 0}));
  EXPECT_EQ(c.support({0, 0, 1}), 3);
  EXPECT_EQ(c.support({0, 0, -5}), 15);
  EXPECT_EQ(c.support({1, 0, 0}), 12);
  EXPECT_EQ(c.core_support({0, 0, 1}), (Vec3{10, 0, 3}));
  // A residue of rounding beside the axis still gives a point of the cap.
  const Vec3 p = c.core_support({1e-300, 1e-300, 1});
  EXPECT_NEAR(std::hypot(p.x - 10, p.y), 2, 1e-15);
  EXPECT_EQ(p.z, 3);
}

TEST(ConvexContains, AgreesWithPointsMadeInsideAndOutside) {
  Random random(32);
  for (int n = 0; n < test::cases(50000); ++n) {
    const double scale = std::pow(10, random.uniform(-3, 3));
    const PieceCase c = test::random_piece(random, static_cast<PieceKind>(1 + n % 5), scale);
    const test::SupportedPoint f = test::random_feature(random, c);
    const double step = scale * std::pow(10, random.uniform(-11, 0));
    ASSERT_FALSE(convex_of(c).contains(f.point + step * f.normal)) << n;
    const double inward = std::pow(10, random.uniform(-9, 0));
    ASSERT_TRUE(convex_of(c).contains(f.point + inward * (c.inner - f.point))) << n;
  }
}

}  // namespace
}  // namespace proven
