// However a body is turned about an axis, it stays in the stack of cylinders that was made of it.
#include "proven/geometry/spun_body.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

bool holds(const SpunBody& spun, const Vec3& p) {
  const double radius = std::hypot(p.x, p.y);
  return std::ranges::any_of(spun.slices, [&](const SpunSlice& slice) {
    return p.z >= slice.begin && p.z <= slice.end && radius <= slice.radius;
  });
}

// Points of the body: of its surface, and of its inside where it is made of solids.
Vec3 random_point(const BodyGeometry& body, Random& random) {
  const int piece = random.index(body.num_pieces());
  if (body.is_triangle(piece)) {
    const Triangle& t = body.triangles()[static_cast<std::size_t>(piece)];
    double x = random.uniform(0, 1), y = random.uniform(0, 1);
    if (x + y > 1) x = 1 - x, y = 1 - y;
    // The corners and edges, too.
    if (random.index(3) == 0) x = 0;
    if (random.index(3) == 0) y = 0;
    return t.a + x * (t.b - t.a) + y * (t.c - t.a);
  }
  const Convex& c = body.convexes()[static_cast<std::size_t>(piece) - body.triangles().size()];
  // A point between two extreme ones.
  const auto extreme = [&](const Vec3& n) {
    Vec3 p = c.X_BS.p;
    const Vec3 m = inverse(c.X_BS).R * n;
    Vec3 q;
    for (int i = 0; i < 3; ++i) q[i] = m[i] > 0 ? c.half_extents[i] : -c.half_extents[i];
    if (c.kind == ConvexKind::cylinder) {
      const double length = std::hypot(m.x, m.y);
      q.x = c.half_extents.x * m.x / length, q.y = c.half_extents.x * m.y / length;
    }
    if (c.kind == ConvexKind::capsule) q.x = q.y = 0;
    if (c.kind == ConvexKind::sphere) q = {};
    return p + c.X_BS.R * q + c.radius * n;
  };
  const Vec3 p = extreme(random.unit_vector()), q = extreme(random.unit_vector());
  return random.index(2) == 0 ? p : p + random.uniform(0, 1) * (q - p);
}

TEST(SpunBody, HoldsTheBodyInEveryTurn) {
  Random random(1);
  int slim = 0, in_slices = 0;
  for (int i = 0; i < test::cases(150); ++i) {
    std::vector<CollisionElement> elements;
    for (int k = 1 + random.index(3); k > 0; --k) {
      const Vec3 half{random.uniform(0.001, 0.3), random.uniform(0.01, 0.3),
                      random.uniform(0.01, 0.3)};
      elements.push_back({test::random_shape(random, half, i % 2 == 0),
                          {random.rotation(), 0.3 * random.unit_vector()},
                          "part"});
    }
    const auto body = BodyGeometry::build(elements).value();
    const Pose X_ZB{random.rotation(), random.uniform(0, 0.3) * random.unit_vector()};
    const SpunBody spun = spin(*body, X_ZB, 0);
    slim += spun.growth < 3;
    in_slices += spun.slices.size() > 4;
    double highest = -INFINITY;
    for (const SpunSlice& slice : spun.slices) {
      if (highest > -INFINITY) {
        ASSERT_GE(highest, slice.begin) << i;
      }
      highest = slice.end;
    }
    for (int k = 0; k < 500; ++k) {
      const Vec3 p = X_ZB * random_point(*body, random);
      ASSERT_TRUE(holds(spun, p)) << i << ": " << p.x << ' ' << p.y << ' ' << p.z;
    }
  }
  EXPECT_GT(slim, test::cases(150) / 10);
  EXPECT_GT(in_slices, test::cases(150) / 2);
}

// A cylinder that is turned about its own axis grows little, and one across it much.
TEST(SpunBody, TellsHowMuchItGrows) {
  const auto body = BodyGeometry::build({{Cylinder{0.05, 0.2}, Pose{}, ""}}).value();
  const SpunBody along = spin(*body, Pose{}, 0);
  EXPECT_LT(along.growth, 0.9);
  for (const SpunSlice& slice : along.slices) EXPECT_LT(slice.radius, 0.05 * 1.03);
  Pose across;
  across.R.row = {Vec3{0, 0, 1}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}};
  EXPECT_GT(spin(*body, across, 0).growth, 3);
  EXPECT_GT(spin(*body, Pose::translation({1, 0, 0}), 0).growth, 100);
  // What positions err by is in it.
  EXPECT_NEAR(spin(*body, Pose{}, 0.01).slices[0].radius, along.slices[0].radius + 0.01, 1e-12);
  EXPECT_NEAR(spin(*body, Pose{}, 0.01).slices[0].begin, along.slices[0].begin - 0.01, 1e-12);
}

}  // namespace
}  // namespace proven
