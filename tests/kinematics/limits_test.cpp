// Limits of joints: who is within, followers and curves included, and how fast a joint may be.
#include "proven/kinematics/limits.h"

#include <gtest/gtest.h>

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A leader within [-1, 2]; a follower of it by -0.5 q + 0.1, within [-0.4, 0.5]; a joint that turns
// freely; a follower that stands.
KinematicTree tree(double follower_lower = -0.4) {
  Robot robot;
  robot.name = "r";
  robot.links = {{"l0", {}, false, nullptr},
                 {"l1", {}, false, nullptr},
                 {"l2", {}, false, nullptr},
                 {"l3", {}, false, nullptr},
                 {"l4", {}, false, nullptr}};
  const auto joint = [](const char* name, JointType type, const char* parent, const char* child,
                        JointLimits limits) {
    RobotJoint made;
    made.name = name;
    made.type = type;
    made.parent_link = parent;
    made.child_link = child;
    made.limits = limits;
    return made;
  };
  robot.joints = {
      joint("leader", JointType::revolute, "l0", "l1", {-1, 2, 3, 8}),
      joint("follower", JointType::prismatic, "l1", "l2", {follower_lower, 0.5, 0.6, 40}),
      joint("free", JointType::continuous, "l2", "l3", {}),
      joint("still", JointType::revolute, "l3", "l4", {0, 1, 1, 1})};
  robot.joints[1].mimic = Mimic{"leader", -0.5, 0.1};
  robot.joints[3].mimic = Mimic{"leader", 0, 0.5};
  KinematicTree made;
  EXPECT_TRUE(made.add_robot(robot, "r", {}).ok());
  return made;
}

TEST(Limits, OfFollowersNarrowThoseOfTheirLeader) {
  const std::vector<Interval> limits = joint_limits(tree());
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_NEAR(limits[0].lower, -0.8, 1e-15);  // -0.5 q + 0.1 <= 0.5
  EXPECT_NEAR(limits[0].upper, 1, 1e-15);     // -0.5 q + 0.1 >= -0.4
  EXPECT_EQ(limits[1].lower, -kInfinity);
  EXPECT_EQ(limits[1].upper, kInfinity);
}

TEST(Limits, TheFirstJointBeyondIsNamedWithValueAndLimit) {
  const KinematicTree t = tree(-2);
  const LimitBox box(t);
  const auto text = [&](double leader, double free = 0) {
    const std::vector<double> q = {leader, free};
    const auto beyond = box.find_beyond(t, q);
    EXPECT_EQ(box.holds(t, q), !beyond) << leader;
    return beyond ? describe(*beyond) : "";
  };
  EXPECT_EQ(text(0), "");
  EXPECT_EQ(text(0, 1e6), "");
  EXPECT_EQ(text(-0.8), "");
  EXPECT_EQ(text(2 + 0.9 * kLimitTolerance), "");
  EXPECT_EQ(text(2.5), "joint r/leader is 2.5, beyond its limits -1 and 2");
  EXPECT_EQ(text(-0.9), "joint r/follower is 0.55, beyond its limits -2 and 0.5");
  // The tolerance is the follower's own.
  EXPECT_EQ(text(-0.8 - 1.8 * kLimitTolerance), "");
  EXPECT_NE(text(-0.8 - 2.2 * kLimitTolerance), "");
  EXPECT_NE(text(std::nan("")), "");
}

TEST(Limits, IgnoredCoordinatesAreNotLookedAt) {
  const KinematicTree t = tree();
  EXPECT_TRUE(LimitBox(t, {true, false}).holds(t, std::vector<double>{7, 0}));
  EXPECT_FALSE(LimitBox(t, {false, true}).holds(t, std::vector<double>{7, 0}));
}

TEST(Limits, ACurveThatOvershootsIsBeyondBetweenItsEnds) {
  const KinematicTree t = tree(-2);
  const LimitBox box(t);
  const std::vector<double> from = {0, 0}, to = {1, 0};
  const auto find = [&](double bulge) {
    const std::vector<std::vector<double>> inner = {{bulge, 0}, {bulge, 0}};
    return box.find_beyond(t, MotionPiece{from, to, inner});
  };
  EXPECT_FALSE(find(1));
  // 3 s (1-s) b + s^3: above 2 somewhere only if b is above 2.2...; control points at 2.2 are not.
  EXPECT_FALSE(find(2.2));
  const auto beyond = find(3);
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->joint, "r/leader");
  EXPECT_GT(beyond->value, 2);
  EXPECT_GT(beyond->s, 0);
  EXPECT_LT(beyond->s, 1);
  EXPECT_EQ(find(-3)->joint, "r/leader");
}

TEST(Limits, RatesOfFollowersCountByTheirMultiplier) {
  AssumedRates assumed;
  const auto rates = rate_limits(tree(), 1.5, 4, &assumed);
  ASSERT_EQ(rates.size(), 2u);
  EXPECT_DOUBLE_EQ(rates[0].velocity, 1.2);  // 0.6 of the follower, at half the leader's rate
  EXPECT_DOUBLE_EQ(rates[0].acceleration, 8);
  EXPECT_DOUBLE_EQ(rates[0].fastest, 1);
  EXPECT_DOUBLE_EQ(rates[1].velocity, 1.5);
  EXPECT_DOUBLE_EQ(rates[1].acceleration, 4);
  EXPECT_EQ(assumed.velocity, std::vector<std::string>{"r/free"});
  EXPECT_EQ(assumed.acceleration, std::vector<std::string>{"r/free"});
}

}  // namespace
}  // namespace proven
