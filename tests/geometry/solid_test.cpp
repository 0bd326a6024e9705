#include "proven/geometry/solid.h"

#include <gtest/gtest.h>

#include "mesh_cases.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

TEST(FindContainment, BothDirections) {
  const auto large = test::body(test::box_mesh({2, 2, 2}));
  const auto small = test::body(test::torus_mesh(0.5, 0.1, 16, 8));
  const Pose X = Pose::translation({1, 0.5, 0});
  const Containment b_in_a = find_containment(*large, *small, X);
  EXPECT_TRUE(b_in_a.inside);
  EXPECT_FALSE(b_in_a.a_in_b);
  EXPECT_EQ(b_in_a.component, 0);
  EXPECT_TRUE(large->contains(b_in_a.point));
  const Containment a_in_b = find_containment(*small, *large, inverse(X));
  EXPECT_TRUE(a_in_b.inside && a_in_b.a_in_b);
  EXPECT_EQ(a_in_b.point, small->components()[0].point);
  EXPECT_FALSE(find_containment(*large, *small, Pose::translation({5, 0, 0})).inside);
  const auto aside = test::body(test::box_mesh({2, 2, 2}, {5, 0, 0}));
  EXPECT_TRUE(find_containment(*small, *aside, Pose::translation({-5, 0, 0})).inside);
  EXPECT_FALSE(find_containment(*small, *aside, Pose::translation({5, 0, 0})).inside);
}

TEST(FindContainment, NamesTheComponent) {
  const auto two = test::body(
      test::joined(test::box_mesh({1, 1, 1}, {9, 0, 0}), test::box_mesh({0.1, 0.1, 0.1})));
  const auto shell = test::body(test::sphere_mesh(1, 3));
  const Containment found = find_containment(*two, *shell, Pose{});
  EXPECT_TRUE(found.inside && found.a_in_b);
  EXPECT_EQ(found.component, 1);
}

TEST(FindContainment, OpenMeshesAndHolesHoldNothing) {
  TriangleMesh open = test::box_mesh({2, 2, 2});
  open.triangles.pop_back();
  const auto ball = test::body({{Sphere{0.2}, Pose{}, ""}});
  EXPECT_FALSE(find_containment(*test::body(open), *ball, Pose{}).inside);
  // In the hole of a ring.
  EXPECT_FALSE(
      find_containment(*test::body(test::torus_mesh(2, 0.5, 32, 16)), *ball, Pose{}).inside);
  EXPECT_TRUE(find_containment(*test::body(test::torus_mesh(2, 0.5, 32, 16)), *ball,
                               Pose::translation({0, 2, 0}))
                  .inside);
}

TEST(FindContainment, MeshInsidePrimitive) {
  const auto mesh = test::body(test::box_mesh({0.1, 0.1, 0.1}));
  for (const Shape& shape :
       {Shape{Box{{1, 1, 1}}}, Shape{Sphere{1}}, Shape{Cylinder{1, 1}}, Shape{Capsule{1, 1}}}) {
    const auto solid = test::body({{shape, Pose{}, ""}});
    EXPECT_TRUE(find_containment(*solid, *mesh, Pose::translation({0, 0, 0.5})).inside);
    EXPECT_FALSE(find_containment(*solid, *mesh, Pose::translation({0, 0, 5})).inside);
  }
}

TEST(FindContainment, RandomSpheresAgreeWithTheirCentres) {
  Random random(61);
  int inside = 0;
  const int count = test::cases(2000);
  const auto large = test::body(test::sphere_mesh(1, 3));
  const auto small = test::body(test::sphere_mesh(0.1, 1));
  for (int n = 0; n < count; ++n) {
    const Vec3 p = 2 * std::cbrt(random.uniform()) * random.unit_vector();
    if (norm(p) > 0.85 && norm(p) < 1.15) continue;  // surfaces may touch
    const Pose X_AB{random.rotation(), p};
    const Containment found = find_containment(*large, *small, X_AB);
    ASSERT_EQ(found.inside, norm(p) < 1) << n;
    ASSERT_EQ(find_containment(*small, *large, inverse(X_AB)).inside, found.inside);
    inside += found.inside;
  }
  EXPECT_GT(inside, count / 50);
}

}  // namespace
}  // namespace proven
