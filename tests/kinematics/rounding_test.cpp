// One test per constant of rounding.h: measured errors against 64-bit arithmetic (long double) stay
// below half of what is claimed.
#include "proven/kinematics/rounding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kinematics/random_robot.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"
#include "support.h"

namespace proven {
namespace {

using test::Matrix;
using test::Real;

Matrix exact_rpy(const Vec3& rpy) {
  return test::multiply(test::multiply(test::turn({0, 0, 1}, rpy.z), test::turn({0, 1, 0}, rpy.y)),
                        test::turn({1, 0, 0}, rpy.x));
}

TEST(Rounding, RotationDeviation) {
  Random random(21);
  double deviation = 0, error = 0;
  for (int n = test::cases(200000); n > 0; --n) {
    const Vec3 rpy{random.uniform(-7, 7), random.uniform(-7, 7), random.uniform(-7, 7)};
    const Mat3 R = rotation_from_rpy(rpy);
    const Mat3 product = transpose(R) * R;
    for (std::size_t i = 0; i < 3; ++i) {
      Vec3 row = product.row[i];
      row[static_cast<int>(i)] -= 1;
      deviation = std::fmax(deviation, max_abs(row));
    }
    error = std::fmax(error, test::difference({R, {}}, exact_rpy(rpy)));
  }
  std::printf("roll, pitch, yaw: |RᵀR - I| %.3f of the bound, error %.3f of 64 u\n",
              deviation / kRotationDeviation, error / 0x1p-47);
  EXPECT_LT(deviation, 0.5 * kRotationDeviation);
  EXPECT_LT(error, 0.5 * 0x1p-47);
}

struct ChainOptions {
  int joints;
  double turn;    // |q| up to this
  double length;  // scale of the origins
};

// The largest share of the rounding bound that the error of a point at the chain's end reaches.
double measure_chain(Random& random, const ChainOptions& options) {
  Robot robot = test::random_robot(
      random, {}, {.links = options.joints + 1, .several_values = false, .straight = 1});
  test::SlowRobot slow = test::slow_robot(robot, Pose{});
  for (RobotJoint& joint : robot.joints) {
    const Vec3 rpy{random.uniform(-4, 4), random.uniform(-4, 4), random.uniform(-4, 4)};
    const Vec3 p = options.length * random.uniform() * random.unit_vector();
    joint.X_PJ = {rotation_from_rpy(rpy), p};
    slow.joints[joint.name].origin = test::multiply(test::shift({p.x, p.y, p.z}), exact_rpy(rpy));
  }
  KinematicTree tree;
  EXPECT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
  const auto configuration = [&] {
    std::vector<double> q;
    for (const Coordinate& c : tree.coordinates())
      q.push_back(random.uniform(-1, 1) * (c.rotary ? options.turn : options.length));
    return q;
  };
  const std::vector<std::vector<double>> ends = {configuration(), configuration()};
  const double t = random.uniform();
  std::vector<double> q(ends[0].size());
  interpolate(tree, ends[0], ends[1], t, q);
  test::SlowValues values;
  for (std::size_t i = 0; i < q.size(); ++i)
    values[tree.coordinates()[i].name.substr(2)] =
        (1 - static_cast<Real>(t)) * ends[0][i] + static_cast<Real>(t) * ends[1][i];

  const Vec3 p_B = options.length * random.unit_vector();
  const auto geometry = BodyGeometry::build(
      {CollisionElement{Box{0.1 * options.length * Vec3{1, 1, 1}}, Pose::translation(p_B), "box"}});
  const int link = tree.find_link(fmt::format("r/l{}", options.joints));
  const double bound =
      compute_motion_factors(tree, link, Pose{}, *geometry.value(), coordinate_ranges(tree, ends))
          .rounding_bound;
  LinkPoses poses;
  compute_poses(tree, q, poses);
  const Vec3 x = poses.X_WL[static_cast<std::size_t>(link)] * p_B;
  const test::Triple exact =
      test::apply(slow.pose(fmt::format("l{}", options.joints), values), {p_B.x, p_B.y, p_B.z});
  Real squared = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Real d = exact[i] - static_cast<Real>(x[static_cast<int>(i)]);
    squared += d * d;
  }
  return static_cast<double>(std::sqrt(squared)) / bound;
}

TEST(Rounding, ChainBound) {
  Random random(22);
  for (const ChainOptions& options :
       {ChainOptions{1, 3, 1}, ChainOptions{6, 3, 1}, ChainOptions{6, 128, 1e-3},
        ChainOptions{24, 128, 1e3}, ChainOptions{64, 24, 1}, ChainOptions{64, 1e4, 1},
        ChainOptions{200, 10, 1}, ChainOptions{6, 1e9, 1}}) {
    double largest = 0;
    for (int n = test::cases(500); n > 0; --n)
      largest = std::fmax(largest, measure_chain(random, options));
    std::printf("%d joints, |q| <= %g, length %g: %.2g of the rounding bound\n", options.joints,
                options.turn, options.length, largest);
    EXPECT_LT(largest, 0.5);
    EXPECT_GT(largest, 0);
  }
}

TEST(Rounding, BallJoints) {
  Random random(23);
  double largest = 0;
  for (int n = test::cases(100000); n > 0; --n) {
    Quaternion a{random.normal(), random.normal(), random.normal(), random.normal()};
    Quaternion b{random.normal(), random.normal(), random.normal(), random.normal()};
    if (n % 3 == 0) b = {a.x + 1e-7 * b.x, a.y + 1e-7 * b.y, a.z + 1e-7 * b.z, a.w + 1e-7 * b.w};
    const double t = random.uniform();
    // a^-1 b as a turn, applied for a share t of its angle.
    const Matrix from = test::turn_by_quaternion(a.x, a.y, a.z, a.w);
    const Real ax = a.x, ay = a.y, az = a.z, aw = a.w, bx = b.x, by = b.y, bz = b.z, bw = b.w;
    Real x = aw * bx - ax * bw - ay * bz + az * by, y = aw * by - ay * bw - az * bx + ax * bz;
    Real z = aw * bz - az * bw - ax * by + ay * bx, w = aw * bw + ax * bx + ay * by + az * bz;
    if (w < 0) x = -x, y = -y, z = -z, w = -w;
    const Real sine = std::sqrt(x * x + y * y + z * z);
    const Matrix exact = test::multiply(from, test::turn({x, y, z}, t * 2 * std::atan2(sine, w)));
    const Mat3 R = rotation_from_quaternion(slerp(a, b, t));
    largest = std::fmax(largest, test::difference({R, {}}, exact));
    // The displacement is an upper bound.
    const Real angle = 2 * std::atan2(sine, w);
    ASSERT_GE(static_cast<Real>(rotation_angle(a, b)) + 0.5L * 0x1p-48L, angle);
  }
  std::printf("slerp: error %.3f of 133 u\n", largest / (133 * 0x1p-53));
  EXPECT_LT(largest, 0.5 * 133 * 0x1p-53);
}

// R must not be smaller than an exact distance to an exact axis, also for bodies on or near the
// axis and far from the origin, where relative slack alone is not enough.
TEST(Rounding, RadiusSlack) {
  Random random(24);
  double closest = 1e300;
  for (int n = test::cases(5000); n > 0; --n) {
    Robot robot =
        test::random_robot(random, {}, {.links = 4, .several_values = false, .straight = 1});
    for (RobotJoint& joint : robot.joints) {
      joint.type = joint.name == "j1" ? JointType::revolute : JointType::fixed;
      joint.mimic.reset();
      joint.X_PJ.p *= random.index(2) == 0 ? 1.0 : 1000.0;
    }
    const test::SlowRobot slow = test::slow_robot(robot, Pose{});
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
    const int link = tree.find_link("r/l3");
    // The body sits on the axis of j1, as seen from l3.
    LinkPoses poses;
    const std::vector<double> zero = tree.zero_configuration();
    compute_poses(tree, zero, poses);
    const JointAxis axis = joint_axis(tree, poses, tree.find_link("r/l1"));
    const Vec3 target = axis.point + random.uniform(-2, 2) * axis.direction;
    const Vec3 p_L = inverse(poses.X_WL[static_cast<std::size_t>(link)]) * target;
    const double half = random.index(2) == 0 ? 1e-15 : 0.1;
    const auto geometry = BodyGeometry::build(
        {CollisionElement{Box{{half, half, half}}, Pose::translation(p_L), "box"}});
    const std::vector<Interval> ranges(1);
    const double radius =
        compute_motion_factors(tree, link, Pose{}, *geometry.value(), ranges).factors[0].radius;

    test::SlowValues values;
    values["j1"] = 0;
    const test::SlowJoint& j1 = slow.joints.at("j1");
    const Matrix l3 = slow.pose("l3", values);
    const test::Triple a = test::unit(j1.axis);
    for (double sx : {-1, 1})
      for (double sy : {-1, 1}) {
        const Vec3 corner = p_L + half * Vec3{sx, sy, 1};
        const test::Triple x = test::apply(l3, {corner.x, corner.y, corner.z});
        test::Triple d{};  // from the joint's origin, in the joint's frame
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t k = 0; k < 3; ++k) d[i] += j1.origin[k][i] * (x[k] - j1.origin[k][3]);
        const Real cx = d[1] * a[2] - d[2] * a[1], cy = d[2] * a[0] - d[0] * a[2],
                   cz = d[0] * a[1] - d[1] * a[0];
        const Real distance = std::sqrt(cx * cx + cy * cy + cz * cz);
        ASSERT_GE(static_cast<Real>(radius), distance);
        closest = std::fmin(closest, static_cast<double>(radius / distance));
      }
  }
  std::printf("radius: at least %.9f of the exact distance\n", closest);
  EXPECT_LT(closest, 1.01);
}

}  // namespace
}  // namespace proven
