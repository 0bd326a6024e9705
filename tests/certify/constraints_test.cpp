// Cones and boxes along motions. The judge is a slow forward kinematics in long double that looks
// at many moments, random ones among them, of motions that are evaluated by their definition.
#include "proven/certify/constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "constraint_cases.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Constraints, NothingIsSeenOutsideWhatIsProvedKept) {
  Random random(5);
  int kept = 0, broken = 0, close = 0;
  for (int n = cases(80); n > 0; --n) {
    const Case c = random_case(random, random.uniform(0.01, 0.8));
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double most = most_outside(c, tight, random);
    if (!(most > 1e-4 && most < 3)) continue;
    // Right at what was seen: a bound that is too small by a little says `kept` below it.
    for (const double share : {0.9, 0.999, 1.0001, 1.01, 1.3}) {
      const FrameConstraint constraint = with_room(tight, share * most);
      ASSERT_TRUE(validate(c.tree, {&constraint, 1}).ok());
      ConstraintProver prover(c.tree, {constraint});
      const ConstraintResult result = prover.check(c.motion);
      if (result.verdict == ConstraintVerdict::kept) {
        EXPECT_GE(share, 1) << most;
      }
      if (result.verdict == ConstraintVerdict::broken) {
        EXPECT_LT(share, 1.001) << "at " << share << " of the room that is needed";
        const double seen = seen_outside(c, constraint, values_at(c, result.segment, result.t));
        EXPECT_GT(seen, 0);
        EXPECT_NEAR(seen, result.beyond, 1e-9);
      }
      if (share <= 0.9) {
        EXPECT_EQ(result.verdict, ConstraintVerdict::broken);
      }
      if (share >= 1.01) {
        EXPECT_EQ(result.verdict, ConstraintVerdict::kept) << share << " of " << most;
      }
      bool pieces = true;
      for (int i = 0; i < c.motion.num_segments(); ++i) pieces &= prover.keeps(c.motion.piece(i));
      EXPECT_EQ(pieces, result.verdict == ConstraintVerdict::kept);
      kept += result.verdict == ConstraintVerdict::kept;
      broken += result.verdict == ConstraintVerdict::broken;
      close += result.verdict == ConstraintVerdict::kept && share < 1.005;
    }
  }
  std::printf("%d kept, %d of these within 0.01 %%, %d broken\n", kept, close, broken);
  EXPECT_GT(kept, 10);
  EXPECT_GT(broken, 10);
  EXPECT_GT(close, 2);
}

// With a tracking error nothing in the tube is seen outside.
TEST(Constraints, HoldForEveryMotionOfTheTube) {
  Random random(9);
  int kept = 0, open = 0;
  for (int n = cases(40); n > 0; --n) {
    const Case c = random_case(random, 0.01);                     // the tube is what counts
    if (c.robot.joints[0].type == JointType::floating) continue;  // quaternions have no tube here
    const double error = random.uniform(0.001, 0.05);
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double seen = most_outside(c, tight, random, error);
    if (!(seen > 1e-4 && seen < 1.5)) continue;
    for (const double share : {0.95, 1.2, 3.0}) {
      const FrameConstraint constraint = with_room(tight, share * seen);
      ConstraintProver prover(c.tree, {constraint}, TrackingError(error));
      const bool holds = prover.check(c.motion).verdict == ConstraintVerdict::kept;
      if (holds) {
        EXPECT_GE(share, 1);
      }
      (holds ? kept : open) += 1;
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(open, 0);
}

TEST(Constraints, BothEndsWithinIsNotEnough) {
  Random random(1);
  Robot robot = chain(random, 1, JointType::revolute);
  robot.joints[0].X_PJ = {};
  robot.joints[0].axis = {1, 0, 0};
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", {}).ok());
  const int link = tree.find_link("r/l1");
  Motion motion;
  motion.waypoints = {{-0.2}, {-0.2}};
  motion.inner = {{{1.2}}};  // up to 0.5 in the middle
  motion.times = {1, 3};
  const auto verdict = [&](const std::vector<FrameConstraint>& constraints, const Motion& m) {
    ConstraintProver prover(tree, constraints);
    return prover.check(m);
  };
  const FrameConstraint narrow{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.49}};
  const FrameConstraint wide{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.51}};
  // A point 1 m up leans by the sine of the angle.
  const FrameConstraint box{link, Pose::translation({0, 0, 1}), OriginBox{{}, {1, 0.97, 2.1}}};
  EXPECT_EQ(verdict({wide, box}, motion).verdict, ConstraintVerdict::kept);
  const ConstraintResult found = verdict({wide, narrow}, motion);
  EXPECT_EQ(found.verdict, ConstraintVerdict::broken);
  EXPECT_EQ(found.constraint, 1);
  EXPECT_DOUBLE_EQ(found.time, 1 + 2 * found.t);
  EXPECT_NEAR(found.t, 0.5, 0.1);
  EXPECT_NE(describe(tree, std::vector{wide, narrow}, found).find("'r/l1' is"), std::string::npos);
  // Once round: upright at both ends.
  Motion round;
  round.waypoints = {{0}, {2 * kPi}};
  EXPECT_EQ(verdict({wide}, round).verdict, ConstraintVerdict::broken);
  EXPECT_EQ(verdict({{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 4}}}, round).verdict,
            ConstraintVerdict::kept);
  // Along the border of the cone nothing is decided.
  const FrameConstraint border{link, {}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.3}};
  Motion still;
  still.waypoints = {{0.3}};
  EXPECT_EQ(verdict({border}, still).verdict, ConstraintVerdict::undecided);
}

// Motions that bend as much as the bounds say: with three quarters of what is needed to prove them,
// both ends are inside and the middle is outside.
TEST(Constraints, BoundsAreReached) {
  constexpr double kWidth = 0.5, kBulge = kWidth * kWidth / 8;
  const auto joint = [](JointType type, Vec3 axis, double x) {
    RobotJoint j;
    j.type = type;
    j.axis = axis;
    j.X_PJ = Pose::translation({x, 0, 0});
    j.limits = {-4, 4, 1, 1};
    return j;
  };
  const auto tree_of = [](std::vector<RobotJoint> joints) {
    Robot robot;
    robot.links.resize(joints.size() + 1);
    robot.links[0].name = "l0";
    for (std::size_t i = 0; i < joints.size(); ++i) {
      joints[i].name = "j" + std::to_string(i);
      joints[i].parent_link = robot.links[i].name;
      joints[i].child_link = robot.links[i + 1].name = "l" + std::to_string(i + 1);
    }
    robot.joints = joints;
    KinematicTree tree;
    EXPECT_TRUE(tree.add_robot(robot, "r", {}).ok());
    return tree;
  };
  const auto verdict = [](const KinematicTree& tree, const Motion& motion, const Pose& X_LF,
                          const std::variant<AxisCone, OriginBox>& within) {
    ConstraintProver prover(tree, {{tree.num_links() - 1, X_LF, within}});
    return prover.check(motion).verdict;
  };
  // The tip of a chain swings through its farthest place; `acceleration` is that of a unit width.
  const auto expect_box = [&](const KinematicTree& tree, const Motion& motion, double tip,
                              double farthest, double bulge) {
    const double size = 2 * (farthest - 0.25 * bulge);
    EXPECT_EQ(verdict(tree, motion, Pose::translation({tip, 0, 0}), OriginBox{{}, {size, 9, 9}}),
              ConstraintVerdict::broken);
    EXPECT_EQ(verdict(tree, motion, Pose::translation({tip, 0, 0}),
                      OriginBox{{}, {2 * farthest + 0.1 * bulge, 9, 9}}),
              ConstraintVerdict::kept);
  };
  Motion swing;
  swing.waypoints = {{-0.5 * kWidth}, {0.5 * kWidth}};
  const Vec3 z{0, 0, 1};
  const KinematicTree one = tree_of({joint(JointType::revolute, z, 0)});
  expect_box(one, swing, 1, 1, kBulge);
  // Two joints that turn alike: cos q + cos 2 q.
  const KinematicTree two =
      tree_of({joint(JointType::revolute, z, 0), joint(JointType::revolute, z, 1)});
  Motion both;
  both.waypoints = {{-0.5 * kWidth, -0.5 * kWidth}, {0.5 * kWidth, 0.5 * kWidth}};
  expect_box(two, both, 1, 2, 5 * kBulge);
  // A slide that comes back, and one that a turn swings sideways.
  const KinematicTree slide = tree_of({joint(JointType::prismatic, {1, 0, 0}, 0)});
  Motion there_and_back;
  there_and_back.waypoints = {{0}, {0}};
  there_and_back.inner = {{{1}}};
  expect_box(slide, there_and_back, 0, 0.5, 0.5);
  // A ball joint, about z.
  const KinematicTree ball = tree_of({joint(JointType::floating, z, 0)});
  const auto turned = [](double angle) {
    return std::vector<double>{0, 0, 0, 0, 0, std::sin(0.5 * angle), std::cos(0.5 * angle)};
  };
  Motion ball_swing;
  ball_swing.waypoints = {turned(-0.5 * kWidth), turned(0.5 * kWidth)};
  expect_box(ball, ball_swing, 1, 1, kBulge);
  // An axis that goes through the direction opposite to that of its cone.
  for (const auto* moving : {&one, &ball}) {
    const Motion& motion = moving == &one ? swing : ball_swing;
    const double cosine = -1 + 0.25 * kBulge;
    EXPECT_EQ(verdict(*moving, motion, {}, AxisCone{{1, 0, 0}, {-1, 0, 0}, std::acos(cosine)}),
              ConstraintVerdict::broken);
    EXPECT_EQ(verdict(*moving, motion, {}, AxisCone{{1, 0, 0}, {0, 1, 0}, 0.5 * kPi + 0.26}),
              ConstraintVerdict::kept);
  }
}

TEST(Constraints, WhatMakesNoSenseIsRefused) {
  Random random(1);
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(chain(random, 2, JointType::revolute), "r", {}).ok());
  const int link = tree.find_link("r/l2");
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto valid = [&](const FrameConstraint& c) { return validate(tree, {&c, 1}).ok(); };
  EXPECT_TRUE(valid({link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_TRUE(valid({link, {}, OriginBox{{}, {1, 1, 1}}}));
  EXPECT_FALSE(valid({0, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({99, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 2}, {1, 0, 0}, 0.1}}));
  EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 1}, {0, 0, kNan}, 0.1}}));
  for (const double angle : {0.0, -1.0, kNan})
    EXPECT_FALSE(valid({link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, angle}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{{}, {1, 0, 1}}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{{}, {1, kNan, 1}}}));
  EXPECT_FALSE(valid({link, Pose::translation({kNan, 0, 0}), OriginBox{{}, {1, 1, 1}}}));
  EXPECT_FALSE(valid({link, {}, OriginBox{Pose::translation({0, kNan, 0}), {1, 1, 1}}}));
  // NaN in a motion is no proof.
  for (const FrameConstraint& c : {FrameConstraint{link, {}, AxisCone{{0, 0, 1}, {1, 0, 0}, 4}},
                                   FrameConstraint{link, {}, OriginBox{{}, {100, 100, 100}}}}) {
    ConstraintProver prover(tree, {c});
    Motion motion;
    motion.waypoints = {{0, 0}, {0, kNan}};
    EXPECT_EQ(prover.check(motion).verdict, ConstraintVerdict::undecided);
    EXPECT_FALSE(prover.keeps(motion.piece(0)));
  }
}

}  // namespace
}  // namespace proven::test
