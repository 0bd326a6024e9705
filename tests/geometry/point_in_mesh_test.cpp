// contains() on meshes of several closed parts against solid angles summed over all triangles.
#include <cmath>
#include <numbers>

#include "body_samples.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

// Signed solid angle of a triangle seen from p (van Oosterom and Strackee).
double solid_angle(const Triangle& t, const Vec3& p) {
  const Vec3 a = t.a - p, b = t.b - p, c = t.c - p;
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double determinant = dot(a, cross(b, c));
  const double denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
  return 2 * std::atan2(determinant, denominator);
}

void append_box(TriangleMesh& mesh, const Vec3& half, const Pose& X) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  const std::array<std::uint32_t, 3> faces[] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (const auto& [i, j, k] : faces) mesh.triangles.push_back({first + i, first + j, first + k});
}

TEST(PointInMesh, AgreesWithSolidAnglesForManyOverlappingBoxes) {
  Random random(11);
  int inside = 0, outside = 0;
  for (int round = 0; round < test::cases(20); ++round) {
    constexpr int kBoxes = 40;
    auto mesh = std::make_shared<TriangleMesh>();
    for (int i = 0; i < kBoxes; ++i)
      append_box(*mesh,
                 {random.uniform(0.01, 0.4), random.uniform(0.01, 0.4), random.uniform(0.01, 0.4)},
                 {random.rotation(), 1.2 * random.uniform() * random.unit_vector()});
    const auto body =
        BodyGeometry::build({{std::shared_ptr<const TriangleMesh>(mesh), Pose{}, "boxes"}});
    ASSERT_TRUE(body.ok());
    for (int n = 0; n < 200; ++n) {
      const Vec3 p = 1.5 * random.uniform() * random.unit_vector();
      // Boxes are all directed outwards, so their winding numbers add up.
      double total = 0;
      for (const Triangle& t : body.value()->triangles()) total += solid_angle(t, p);
      const bool expected = std::fabs(total / (4 * std::numbers::pi)) > 0.5;
      ASSERT_EQ(body.value()->contains(p), expected) << p.x << " " << p.y << " " << p.z;
      ++(expected ? inside : outside);
    }
  }
  EXPECT_GT(inside, test::cases(20) * 20);
  EXPECT_GT(outside, test::cases(20) * 20);
}

}  // namespace
}  // namespace proven
