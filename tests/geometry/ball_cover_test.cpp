// Every point of a body is in one of its balls.
#include "proven/geometry/ball_cover.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

// Points of every piece, its corners among them.
std::vector<Vec3> points_of(const BodyGeometry& body, Random& random) {
  std::vector<Vec3> points;
  for (const Triangle& t : body.triangles())
    for (int i = 0; i < 20; ++i) {
      double a = random.uniform(0, 1), b = random.uniform(0, 1);
      if (i < 3) a = i == 1, b = i == 2;
      if (a + b > 1) a = 1 - a, b = 1 - b;
      points.push_back(t.a + a * (t.b - t.a) + b * (t.c - t.a));
    }
  for (const Convex& c : body.convexes())
    for (int i = 0; i < 400; ++i) {
      const Vec3 n = random.unit_vector();
      points.push_back(c.core_support(n) + c.radius * n);
    }
  return points;
}

// Up to three parts of any kind.
std::shared_ptr<const BodyGeometry> random_body(Random& random) {
  std::vector<CollisionElement> elements;
  for (int k = 1 + random.index(3); k > 0; --k) {
    const Vec3 half{random.uniform(0.001, 0.3), random.uniform(0.01, 0.3),
                    random.uniform(0.01, 0.3)};
    elements.push_back({test::random_shape(random, half, false),
                        {random.rotation(), 0.3 * random.unit_vector()},
                        "part"});
  }
  return BodyGeometry::build(elements).value();
}

double outside(const std::vector<CoverBall>& balls, const Vec3& p) {
  double least = INFINITY;
  for (const CoverBall& ball : balls) least = std::min(least, norm(p - ball.centre) - ball.radius);
  return least;
}

TEST(BallCover, HoldsEveryPoint) {
  Random random(1);
  int many = 0, deep = 0;
  for (int i = 0; i < test::cases(120); ++i) {
    const auto body = random_body(random);
    const auto& balls = body->balls();
    many += balls.size() > 4;
    for (const Vec3& p : points_of(*body, random))
      ASSERT_LE(outside(balls, p), 0) << "body " << i << ", " << balls.size() << " balls";
    for (const CoverBall& ball : balls) {
      if (ball.depth == 0) continue;
      ++deep;
      for (int k = 0; k < 20; ++k) {
        const Vec3 p = ball.centre + (1 - 1e-9) * ball.depth * random.unit_vector();
        ASSERT_TRUE(body->contains(p)) << "body " << i << ", depth " << ball.depth;
      }
    }
  }
  EXPECT_GT(many, test::cases(120) / 4);
  EXPECT_GT(deep, test::cases(120));
}

// Balls stay close to the body: those around a rod do not reach as far as a ball around all of it.
TEST(BallCover, StaysCloseToTheBody) {
  for (const Shape& shape : {Shape(Box{{0.03, 0.04, 0.3}}), Shape(Cylinder{0.05, 0.2}),
                             Shape(Capsule{0.05, 0.2}), test::block_mesh({0.05, 0.05, 0.2})}) {
    const auto body = BodyGeometry::build({{shape, Pose{}, "rod"}}).value();
    double most = 0;
    for (const CoverBall& ball : body->balls())
      most = std::max(most, std::hypot(ball.centre.x, ball.centre.y) + ball.radius);
    EXPECT_LT(most, 0.1) << body->balls().size();
    EXPECT_LE(body->balls().size(), 24u);
  }
  const auto ball = BodyGeometry::build({{Sphere{0.1}, Pose{}, "ball"}}).value();
  ASSERT_EQ(ball->balls().size(), 1u);
  EXPECT_NEAR(ball->balls()[0].radius, 0.1, 0.012);
}

// Balls that fill a body: each lies inside, and together they reach most of what is inside.
TEST(InnerBalls, LieInside) {
  Random random(4);
  int balls = 0, inside = 0, reached = 0;
  for (int i = 0; i < test::cases(60); ++i) {
    const auto body = random_body(random);
    for (const InnerBall& ball : body->inner_balls()) {
      ++balls;
      ASSERT_GT(ball.radius, 0);
      for (int k = 0; k < 20; ++k)
        ASSERT_TRUE(body->contains(ball.centre + (1 - 1e-9) * ball.radius * random.unit_vector()))
            << "body " << i << ", radius " << ball.radius;
    }
    const auto& [lo, hi] = body->bounds();
    for (int k = 0; k < 200; ++k) {
      const Vec3 p{random.uniform(lo.x, hi.x), random.uniform(lo.y, hi.y),
                   random.uniform(lo.z, hi.z)};
      if (!body->contains(p)) continue;
      ++inside;
      reached += std::ranges::any_of(body->inner_balls(), [&](const InnerBall& ball) {
        return norm(p - ball.centre) < ball.radius;
      });
    }
  }
  EXPECT_GT(balls, 0);
  EXPECT_GT(reached, inside / 3);
}

}  // namespace
}  // namespace proven
