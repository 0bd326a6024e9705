#include "proven/base/vec3.h"

#include <numbers>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Vec3, CrossIsRightHanded) {
  expect_near(cross({1, 0, 0}, {0, 1, 0}), {0, 0, 1}, 0);
  expect_near(cross({0, 1, 0}, {0, 0, 1}), {1, 0, 0}, 0);
}

TEST(Vec3, NormalizedSurvivesExtremes) {
  for (const double scale : {1e-300, 1e-160, 1.0, 1e160, 1e300}) {
    const Vec3 n = normalized(Vec3{3 * scale, 0, -4 * scale});
    expect_near(n, {0.6, 0, -0.8}, 4e-16);
  }
  EXPECT_EQ(normalized(Vec3{}), Vec3{});
}

TEST(Pose, InverseAndRelativeUndoComposition) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Pose X_AB{random.rotation(), 10 * random.unit_vector()};
    const Pose X_BC{random.rotation(), 10 * random.unit_vector()};
    const Vec3 p = 5 * random.unit_vector();
    expect_near(inverse(X_AB) * (X_AB * p), p, 1e-13);
    const Pose back = relative_pose(X_AB, X_AB * X_BC);
    expect_near(back * p, X_BC * p, 1e-13);
  }
}

TEST(Rotation, RodriguesMatchesQuaternion) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 axis = random.unit_vector();
    const double angle = random.uniform(-7, 7);
    const double s = std::sin(angle / 2);
    const Quaternion q{axis.x * s, axis.y * s, axis.z * s, std::cos(angle / 2)};
    const Mat3 a = rotation(axis, angle), b = rotation_from_quaternion(q);
    for (int r = 0; r < 3; ++r) expect_near(a.column(r), b.column(r), 1e-14);
  }
}

TEST(Rotation, RpyTurnsAboutFixedAxesInOrder) {
  const double half_pi = std::numbers::pi / 2;
  // Roll about x first, then yaw about the fixed z: y goes to z and stays there.
  const Mat3 R = rotation_from_rpy({half_pi, 0, half_pi});
  expect_near(R * Vec3{0, 1, 0}, {0, 0, 1}, 1e-15);
  expect_near(R * Vec3{1, 0, 0}, {0, 1, 0}, 1e-15);
}

}  // namespace
}  // namespace proven
