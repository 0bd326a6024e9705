#include "proven/kinematics/interpolation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kinematics/random_robot.h"
#include "proven/kinematics/poses.h"
#include "support.h"

namespace proven {
namespace {

KinematicTree floating_tree() {
  Robot robot;
  robot.links.resize(3);
  robot.links[0].name = "a";
  robot.links[1].name = "b";
  robot.links[2].name = "c";
  robot.joints.resize(2);
  robot.joints[0].name = "base";
  robot.joints[0].type = JointType::floating;
  robot.joints[0].parent_link = "a";
  robot.joints[0].child_link = "b";
  robot.joints[1].name = "turn";
  robot.joints[1].type = JointType::continuous;
  robot.joints[1].parent_link = "b";
  robot.joints[1].child_link = "c";
  KinematicTree tree;
  EXPECT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
  return tree;
}

Mat3 matrix(const Quaternion& q) {
  return rotation_from_quaternion(q);
}

double distance(const Mat3& a, const Mat3& b) {
  double largest = 0;
  for (std::size_t i = 0; i < 3; ++i) largest = std::fmax(largest, max_abs(a.row[i] - b.row[i]));
  return largest;
}

Quaternion random_quaternion(Random& random) {
  return {random.normal(), random.normal(), random.normal(), random.normal()};
}

TEST(Interpolation, EndsAreExactAndScalarsStraight) {
  const KinematicTree tree = floating_tree();
  Random random(5);
  for (int n = 0; n < 1000; ++n) {
    const std::vector<double> a = random_configuration(tree, random, 3);
    std::vector<double> b = random_configuration(tree, random, 3), out(a.size());
    b[0] = a[0];
    interpolate(tree, a, b, 0, out);
    EXPECT_EQ(out, a);
    interpolate(tree, a, b, 1, out);
    EXPECT_EQ(out, b);
    const double t = random.uniform();
    interpolate(tree, a, b, t, out);
    EXPECT_EQ(out[0], a[0]);
    for (std::size_t i : {1u, 2u, 7u}) EXPECT_NEAR(out[i], a[i] + t * (b[i] - a[i]), 1e-14);
    EXPECT_TRUE(check_configuration(tree, out).ok());
  }
}

TEST(Interpolation, ContinuousJointsDoNotWrap) {
  const KinematicTree tree = floating_tree();
  std::vector<double> a = tree.zero_configuration(), b = a, out(a.size());
  b[7] = 20;
  interpolate(tree, a, b, 0.5, out);
  EXPECT_EQ(out[7], 10);
}

// Rotation from a by t times the turn to b, by axis and angle of the relative rotation matrix.
Mat3 turn_between(const Quaternion& a, const Quaternion& b, double t) {
  const Mat3 relative = transpose(matrix(a)) * matrix(b);
  const Vec3 twice_sine{relative(2, 1) - relative(1, 2), relative(0, 2) - relative(2, 0),
                        relative(1, 0) - relative(0, 1)};
  const double cosine = 0.5 * (relative(0, 0) + relative(1, 1) + relative(2, 2) - 1);
  const double angle = std::atan2(0.5 * norm(twice_sine), cosine);
  return matrix(a) * rotation(normalized(twice_sine), t * angle);
}

TEST(Slerp, IsATurnAboutAFixedAxisTheShortWay) {
  Random random(6);
  int opposite = 0;
  for (int n = 0; n < 10000; ++n) {
    const Quaternion a = random_quaternion(random), b = random_quaternion(random);
    if (rotation_angle(a, b) > 3.14) continue;  // the twin's axis is ill-defined there
    opposite += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0;
    const double t = random.uniform();
    ASSERT_LT(distance(matrix(slerp(a, b, t)), turn_between(a, b, t)), 1e-12);
  }
  EXPECT_GT(opposite, 1000);
}

TEST(Slerp, AnglesFromTinyToPi) {
  Random random(7);
  for (double angle : {0.0, 1e-300, 1e-12, 1e-9, 1e-5, 0.1, 1.0, 3.0, 3.1415, std::numbers::pi}) {
    for (int n = 0; n < 100; ++n) {
      const Vec3 axis = random.unit_vector();
      const double s = std::sin(angle / 2), c = std::cos(angle / 2);
      const Quaternion a{0, 0, 0, 1}, b{s * axis.x, s * axis.y, s * axis.z, c};
      EXPECT_NEAR(rotation_angle(a, b), angle, 1e-15);
      EXPECT_LT(distance(matrix(slerp(a, b, 0.25)), rotation(axis, 0.25 * angle)), 4e-16 * 4);
    }
  }
}

TEST(Slerp, OppositeQuaternionsAreTheSameRotation) {
  const Quaternion a{0.1, 0.2, 0.3, 0.9}, b{-0.1, -0.2, -0.3, -0.9};
  EXPECT_EQ(rotation_angle(a, b), 0);
  EXPECT_LT(distance(matrix(slerp(a, b, 0.5)), matrix(a)), 1e-15);
}

TEST(Configuration, Checks) {
  const KinematicTree tree = floating_tree();
  std::vector<double> q = tree.zero_configuration();
  EXPECT_TRUE(check_configuration(tree, q).ok());
  EXPECT_FALSE(check_configuration(tree, std::vector<double>(3)).ok());
  q[7] = std::numeric_limits<double>::infinity();
  EXPECT_NE(check_configuration(tree, q).error().text().find("'r/turn'"), std::string::npos);
  q[7] = 0;
  q[6] = 0.99;
  EXPECT_NE(check_configuration(tree, q).error().text().find("quaternion"), std::string::npos);
}

TEST(Configuration, RandomOnesAreWithinLimitsAndValid) {
  Random random(8);
  for (int n = 0; n < 200; ++n) {
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(test::random_robot(random, {}, {}), "r", Pose{}).ok());
    const std::vector<double> q = random_configuration(tree, random, 2);
    ASSERT_TRUE(check_configuration(tree, q).ok());
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_GE(q[i], tree.coordinates()[i].lower);
      EXPECT_LE(q[i], tree.coordinates()[i].upper);
    }
  }
}

}  // namespace
}  // namespace proven
