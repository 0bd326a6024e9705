#include "proven/geometry/penetration.h"

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

std::shared_ptr<const BodyGeometry> body(const Shape& shape) {
  return BodyGeometry::build({{shape, Pose{}, ""}}).value();
}

Shape random_shape(Random& random) {
  const auto size = [&] { return random.uniform(0.1, 1); };
  switch (random.index(4)) {
    case 0:
      return Box{{size(), size(), size()}};
    case 1:
      return Sphere{size()};
    case 2:
      return Cylinder{size(), size()};
    default:
      return Capsule{size(), size()};
  }
}

TEST(SignedDistance, OfSpheresIsKnown) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double r = random.uniform(0.1, 1), s = random.uniform(0.1, 1);
    const Pose X{random.rotation(), random.uniform(0.01, 2) * random.unit_vector()};
    const double truth = norm(X.p) - r - s;
    const double lower = signed_distance(*body(Sphere{r}), *body(Sphere{s}), X).lower;
    EXPECT_LE(lower, truth + 1e-15);
    EXPECT_NEAR(lower, truth, 1e-9);
  }
}

TEST(SignedDistance, OfAlignedBoxesIsKnown) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 h{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const Vec3 k{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    double depth = -std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
      depth = std::fmax(depth, std::fabs(p[axis]) - h[axis] - k[axis]);
    if (depth > 0) continue;
    EXPECT_NEAR(signed_distance(*body(Box{h}), *body(Box{k}), Pose::translation(p)).lower, depth,
                1e-12);
  }
}

// The separating translation along the best direction must exist, and a depth that is surely
// exceeded must contradict no smaller bound.
TEST(SignedDistance, BoundsAndDepthNeverContradict) {
  Random random(3);
  int deep = 0, shallow = 0, apart = 0;
  for (int i = 0; i < test::cases(20000); ++i) {
    const auto a = body(random_shape(random)), b = body(random_shape(random));
    const Pose X{random.rotation(), random.uniform(0, 2.5) * random.unit_vector()};
    const double lower = signed_distance(*a, *b, X).lower;
    if (lower > 0) {
      ++apart;
      EXPECT_FALSE(overlap_deeper_than(*a, *b, X, 0));
      continue;
    }
    EXPECT_FALSE(overlap_deeper_than(*a, *b, X, -lower + 1e-9));
    (overlap_deeper_than(*a, *b, X, -0.5 * lower) ? deep : shallow)++;
  }
  EXPECT_GT(deep, test::cases(20000) / 20);
  EXPECT_GT(apart, test::cases(20000) / 20);
}

TEST(SignedDistance, OnlyForOneConvexPiece) {
  EXPECT_TRUE(is_convex_body(*body(Sphere{1})));
  const auto two = BodyGeometry::build({{Sphere{1}, Pose{}, ""}, {Sphere{1}, Pose{}, ""}}).value();
  EXPECT_FALSE(is_convex_body(*two));
}

}  // namespace
}  // namespace proven
