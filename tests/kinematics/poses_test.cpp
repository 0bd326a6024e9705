#include "proven/kinematics/poses.h"

#include <gtest/gtest.h>

#include <bit>

#include "kinematics/random_robot.h"
#include "support.h"

namespace proven {
namespace {

using test::random_robot;
using test::SlowValues;

struct Case {
  Robot robot;
  Pose X_WR;
  KinematicTree tree;
};

Case random_case(Random& random) {
  Case c;
  c.robot = random_robot(random, {}, {.links = 2 + random.index(14)});
  c.X_WR = test::random_pose(random, 1);
  EXPECT_TRUE(c.tree.add_robot(c.robot, "robot", c.X_WR).ok());
  return c;
}

TEST(Poses, AgreeWithThePlainTwin) {
  Random random(1);
  double largest = 0;
  int links = 0;
  for (int n = test::cases(3000); n > 0; --n) {
    const Case c = random_case(random);
    const test::SlowRobot slow = test::slow_robot(c.robot, c.X_WR);
    const std::vector<double> q = random_configuration(c.tree, random, 2.0);
    const SlowValues values = test::slow_values(c.tree, q, "robot");
    LinkPoses poses;
    compute_poses(c.tree, q, poses);
    for (const RobotLink& link : c.robot.links) {
      const int index = c.tree.find_link("robot/" + link.name);
      ASSERT_GE(index, 0);
      const double error = test::difference(poses.X_WL[static_cast<std::size_t>(index)],
                                            slow.pose(link.name, values));
      ASSERT_LT(error, 1e-12) << link.name;
      largest = std::fmax(largest, error);
      ++links;
    }
  }
  std::printf("%d link poses, largest difference %.2g\n", links, largest);
}

bool same_bits(const Pose& a, const Pose& b) {
  return std::bit_cast<std::array<std::uint64_t, 12>>(a) ==
         std::bit_cast<std::array<std::uint64_t, 12>>(b);
}

TEST(Poses, UpdateIsBitForBitComputeAndRecomputesOnlyWhatMoved) {
  Random random(2);
  int updates = 0, partial = 0;
  for (int n = test::cases(300); n > 0; --n) {
    const Case c = random_case(random);
    std::vector<double> q = random_configuration(c.tree, random);
    LinkPoses updated;
    EXPECT_EQ(update_poses(c.tree, q, updated), c.tree.num_links() - 1);
    for (int step = 0; step < 30; ++step) {
      if (!q.empty()) {
        const auto i = static_cast<std::size_t>(random.index(static_cast<int>(q.size())));
        q[i] = random.index(5) == 0 ? (std::signbit(q[i]) ? 0.0 : -0.0) : q[i] + 0.1;
      }
      const std::vector<double> before = updated.configuration;
      const int recomputed = update_poses(c.tree, q, updated);
      LinkPoses fresh;
      compute_poses(c.tree, q, fresh);
      int moved = 0;
      for (std::size_t l = 0; l < fresh.X_WL.size(); ++l) {
        ASSERT_TRUE(same_bits(updated.X_WL[l], fresh.X_WL[l]));
        moved += updated.moved[l];
      }
      ASSERT_EQ(moved, recomputed);
      ASSERT_EQ(updated.configuration, q);
      ++updates;
      partial += recomputed < c.tree.num_links() - 1;
    }
    EXPECT_EQ(update_poses(c.tree, q, updated), 0);
  }
  EXPECT_GT(partial, updates / 2);
}

TEST(Poses, NegativeZeroIsAChange) {
  Robot robot;
  robot.links.resize(2);
  robot.links[0].name = "a";
  robot.links[1].name = "b";
  robot.joints = {RobotJoint{.name = "j",
                             .type = JointType::revolute,
                             .parent_link = "a",
                             .child_link = "b",
                             .X_PJ = {},
                             .axis = {1, 0, 0},
                             .limits = {},
                             .mimic = {}}};
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", Pose{}).ok());
  LinkPoses poses;
  compute_poses(tree, std::vector<double>{0.0}, poses);
  EXPECT_EQ(update_poses(tree, std::vector<double>{-0.0}, poses), 1);
}

TEST(Poses, JointAxisStaysWhenItsJointMoves) {
  Random random(3);
  for (int n = test::cases(500); n > 0; --n) {
    const Case c = random_case(random);
    const std::vector<double> q = random_configuration(c.tree, random);
    LinkPoses poses, turned;
    compute_poses(c.tree, q, poses);
    for (int l = 1; l < c.tree.num_links(); ++l) {
      const Joint& joint = c.tree.link(l).joint;
      if (joint.kind != JointKind::revolute) continue;
      const JointAxis axis = joint_axis(c.tree, poses, l);
      EXPECT_NEAR(norm(axis.direction), 1, 1e-14);
      // A point of the link on the axis does not move, others turn about the axis.
      const Pose& X_WP = poses.X_WL[static_cast<std::size_t>(c.tree.link(l).parent)];
      const Pose X_WJ = X_WP * joint.X_PJ;
      EXPECT_LT(norm(cross(axis.point - X_WJ.p, axis.direction)), 1e-13);
      EXPECT_LT(norm(X_WJ.R * joint.axis - axis.direction), 1e-13);
    }
  }
}

// The configuration at time t of a motion with rates dq, ball joints turning about a fixed axis.
std::vector<double> advance(const KinematicTree& tree, std::vector<double> q,
                            const std::vector<double>& dq, double t) {
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!tree.coordinates()[i].quaternion) q[i] += t * dq[i];
  for (const Link& link : tree.links()) {
    if (link.joint.kind != JointKind::ball) continue;
    const auto i = static_cast<std::size_t>(link.joint.coordinate);
    const Vec3 omega{dq[i], dq[i + 1], dq[i + 2]};
    const Vec3 a = std::sin(0.5 * t * norm(omega)) * normalized(omega);
    const double aw = std::cos(0.5 * t * norm(omega));
    const Vec3 b{q[i], q[i + 1], q[i + 2]};
    const double bw = q[i + 3];
    const Vec3 v = aw * b + bw * a + cross(a, b);
    q[i] = v.x, q[i + 1] = v.y, q[i + 2] = v.z, q[i + 3] = aw * bw - dot(a, b);
  }
  return q;
}

TEST(Poses, TwistsAreTheDerivativeOfPoses) {
  Random random(4);
  constexpr double kStep = 1e-5;  // central difference: error about 1e-10 for rates of order 1
  int links = 0;
  for (int n = test::cases(500); n > 0; --n) {
    const Case c = random_case(random);
    const std::vector<double> q = random_configuration(c.tree, random);
    std::vector<double> dq(q.size());
    for (double& rate : dq) rate = random.uniform(-1, 1);
    LinkPoses now, later, earlier;
    compute_poses(c.tree, q, now);
    compute_poses(c.tree, advance(c.tree, q, dq, kStep), later);
    compute_poses(c.tree, advance(c.tree, q, dq, -kStep), earlier);
    std::vector<Twist> twists;
    compute_twists(c.tree, now, dq, twists);
    for (std::size_t l = 0; l < twists.size(); ++l) {
      const Vec3 p_L = 0.3 * random.unit_vector();
      const Vec3 numeric = (1 / (2 * kStep)) * (later.X_WL[l] * p_L - earlier.X_WL[l] * p_L);
      const Vec3 x = now.X_WL[l] * p_L;
      const Vec3 velocity = cross(twists[l].angular, x) + twists[l].linear;
      ASSERT_LT(norm(velocity - numeric), 1e-6 * (1 + norm(velocity)));
      ++links;
    }
  }
  EXPECT_GT(links, 0);
}

}  // namespace
}  // namespace proven
