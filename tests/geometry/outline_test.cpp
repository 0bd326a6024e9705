// No point of a body reaches beyond its outline, along any direction.
#include "proven/geometry/outline.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

double reach(std::span<const Vec3> points, const Vec3& n) {
  double most = -INFINITY;
  for (const Vec3& p : points) most = std::max(most, dot(n, p));
  return most;
}

double reach(const BodyGeometry& body, const Vec3& n) {
  double most = -INFINITY;
  for (const Triangle& t : body.triangles())
    most = std::max(most, reach(std::array{t.a, t.b, t.c}, n));
  for (const Convex& c : body.convexes()) most = std::max(most, c.support(n));
  return most;
}

TEST(Outline, HoldsTheBody) {
  Random random(1);
  int exact = 0, large = 0;
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
    const Outline& outline = body->outline();
    ASSERT_LE(outline.points.size(), 96u);
    exact += outline.radius < 1e-9;
    large += outline.points.size() > 40;
    for (int k = 0; k < 300; ++k) {
      const Vec3 n = random.unit_vector();
      ASSERT_LE(reach(*body, n), reach(outline.points, n) + outline.radius) << i;
    }
  }
  EXPECT_GT(exact, test::cases(150) / 10);
  EXPECT_GT(large, 0);
}

// Points of the surface, each in one of the parts along every direction.
TEST(Outline, PartsHoldTheSurface) {
  Random random(4);
  int parted = 0, smaller = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    std::vector<CollisionElement> elements;
    for (int k = 2 + random.index(4); k > 0; --k)
      elements.push_back({test::random_shape(random,
                                             {random.uniform(0.001, 0.3), random.uniform(0.01, 0.3),
                                              random.uniform(0.01, 0.3)},
                                             i % 2 == 0),
                          {random.rotation(), 0.3 * random.unit_vector()},
                          "part"});
    const auto body = BodyGeometry::build(elements).value();
    const std::vector<Outline>& parts = body->part_outlines();
    if (parts.empty()) continue;
    ++parted;
    ASSERT_LE(parts.size(), 24u);
    std::vector<Vec3> directions;
    for (int k = 0; k < 100; ++k) directions.push_back(random.unit_vector());
    const auto holds = [&](const Outline& part, const Vec3& p) {
      return std::ranges::all_of(directions, [&](const Vec3& n) {
        return dot(n, p) <= reach(part.points, n) + part.radius;
      });
    };
    for (int k = 0; k < 100; ++k) {
      Vec3 p;
      if (!body->triangles().empty() && (body->convexes().empty() || k % 2 == 0)) {
        const Triangle& t = body->triangles()[static_cast<std::size_t>(
            random.index(static_cast<int>(body->triangles().size())))];
        const double u = random.uniform(), v = random.uniform(0, 1 - u);
        p = t.a + u * (t.b - t.a) + v * (t.c - t.a);
      } else {
        const auto& c = body->convexes()[static_cast<std::size_t>(
            random.index(static_cast<int>(body->convexes().size())))];
        const Vec3 n = random.unit_vector();
        p = c.core_support(n) + c.radius * n;
      }
      EXPECT_TRUE(std::ranges::any_of(parts, [&](const Outline& part) { return holds(part, p); }))
          << i;
    }
    for (const Outline& part : parts)
      smaller += reach(part.points, {1, 0, 0}) + reach(part.points, {-1, 0, 0}) <
                 0.5 * (reach(*body, {1, 0, 0}) + reach(*body, {-1, 0, 0}));
  }
  EXPECT_GT(parted, test::cases(60) / 3);
  EXPECT_GT(smaller, parted);
}

// Of a ball of many triangles only some corners are kept; what they leave out is little.
TEST(Outline, LeavesOutLittle) {
  Random random(2);
  TriangleMesh mesh;
  for (int i = 0; i < 3000; ++i) mesh.vertices.push_back(0.2 * random.unit_vector());
  for (unsigned i = 0; i < 3000; i += 3) mesh.triangles.push_back({i, i + 1, i + 2});
  const auto body =
      BodyGeometry::build({{std::make_shared<const TriangleMesh>(mesh), Pose{}, "ball"}}).value();
  const Outline& outline = body->outline();
  EXPECT_EQ(outline.points.size(), 96u);
  EXPECT_GT(outline.radius, 1e-4);
  EXPECT_LT(outline.radius, 0.02);
  for (int k = 0; k < 1000; ++k) {
    const Vec3 n = random.unit_vector();
    ASSERT_LE(reach(*body, n), reach(outline.points, n) + outline.radius);
  }
}

}  // namespace
}  // namespace proven
