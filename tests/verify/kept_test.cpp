// What the verifier says of cones and boxes along motions, against the slow judge of the checker's
// tests, and at the edge of what holds.
#include "verify/kept.h"

#include <cmath>
#include <numbers>

#include "certify/constraint_cases.h"
#include "verify/model.h"

namespace proven::test {
namespace {

constexpr double kPi = std::numbers::pi;

KeptFrame kept_of(const FrameConstraint& constraint, const std::string& link) {
  KeptFrame kept{link, constraint.X_LF, {}};
  if (const auto* cone = std::get_if<AxisCone>(&constraint.within))
    kept.within = KeptCone{cone->axis, cone->direction, cone->angle};
  else
    kept.within = KeptBox{std::get<OriginBox>(constraint.within).X_WB,
                          std::get<OriginBox>(constraint.within).size};
  return kept;
}

// Why it is not accepted; empty if it is.
std::string refuted(const SceneSource& source, const Motion& motion, const KeptFrame& kept,
                    double error = 0) {
  VerifyOptions options;
  options.constraints = {kept};
  options.tracking_error = TrackingError(error);
  try {
    const verifier::Model model = verifier::build_model(source, options);
    const auto errors = verifier::errors_of(model, options.tracking_error, 0);
    EXPECT_FALSE(verifier::check_kept(model, {motion}, errors, options).empty());
    return {};
  } catch (const verifier::Rejected& rejected) {
    return rejected.reason;
  }
}

SceneSource scene_of(const Case& c) {
  SceneSource source;
  source.robots.push_back({"r", c.robot, c.X_WR});
  return source;
}

TEST(Kept, NothingIsSeenOutsideWhatIsAccepted) {
  Random random(6);
  int accepted = 0, rejected = 0;
  for (int n = cases(60); n > 0; --n) {
    const Case c = random_case(random, random.uniform(0.01, 0.8));
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double most = most_outside(c, tight, random);
    if (!(most > 1e-4 && most < 3)) continue;
    for (const double share : {0.9, 0.999, 1.001, 1.02, 1.3}) {
      const KeptFrame kept = kept_of(with_room(tight, share * most), "r/l6");
      const std::string why = refuted(scene_of(c), c.motion, kept);
      if (share < 1) {
        EXPECT_NE(why, "") << share << " of " << most;
      }
      if (share >= 1.02) {
        EXPECT_EQ(why, "") << share << " of " << most;
      }
      ++(why.empty() ? accepted : rejected);
    }
  }
  EXPECT_GT(accepted, cases(20));
  EXPECT_GT(rejected, cases(20));
}

TEST(Kept, HoldsForEveryMotionOfTheTube) {
  Random random(10);
  int accepted = 0, rejected = 0;
  for (int n = cases(40); n > 0; --n) {
    const Case c = random_case(random, 0.01);                     // the tube is what counts
    if (c.robot.joints[0].type == JointType::floating) continue;  // quaternions have no tube here
    const double error = random.uniform(0.001, 0.05);
    const FrameConstraint tight = constraint_at_start(c, n % 2 == 0, random);
    const double seen = most_outside(c, tight, random, error);
    if (!(seen > 1e-4 && seen < 1.5)) continue;
    for (const double share : {0.95, 1.2, 5.0}) {
      const KeptFrame kept = kept_of(with_room(tight, share * seen), "r/l6");
      const bool holds = refuted(scene_of(c), c.motion, kept, error).empty();
      if (holds) {
        EXPECT_GE(share, 1);
      }
      ++(holds ? accepted : rejected);
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(rejected, 0);
}

// Motions whose ends are just outside, and far enough from their middle that a rate of half the
// size would settle them there.
class Ends : public testing::Test {
 protected:
  static RobotJoint joint(JointType type, Vec3 axis, double x = 0) {
    RobotJoint j;
    j.type = type;
    j.axis = axis;
    j.X_PJ = Pose::translation({x, 0, 0});
    j.limits = {-9, 9, 1, 1};
    return j;
  }
  static SceneSource scene_of(std::vector<RobotJoint> joints) {
    Robot robot;
    robot.name = "r";
    robot.links.resize(joints.size() + 1);
    robot.links[0].name = "l0";
    for (std::size_t i = 0; i < joints.size(); ++i) {
      joints[i].name = "j" + std::to_string(i);
      joints[i].parent_link = robot.links[i].name;
      joints[i].child_link = robot.links[i + 1].name = "l" + std::to_string(i + 1);
    }
    robot.joints = joints;
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    return source;
  }
  // The frame's farthest place along y is `most`.
  static void expect_box(const SceneSource& source, const Motion& motion, double tip, double most) {
    const std::string link = "r/" + source.robots[0].robot.links.back().name;
    const auto box = [&](double half) {
      return KeptFrame{link, Pose::translation({tip, 0, 0}), KeptBox{{}, {9, 2 * half, 9}}};
    };
    EXPECT_NE(refuted(source, motion, box(0.99 * most)), "") << most;
    EXPECT_EQ(refuted(source, motion, box(1.01 * most)), "") << most;
  }
};

TEST_F(Ends, OfSlidesTurnsAndFollowersAreSeen) {
  const Vec3 y{0, 1, 0}, z{0, 0, 1};
  Motion there;
  there.waypoints = {{0}, {1}};
  expect_box(scene_of({joint(JointType::prismatic, y)}), there, 0, 1);
  Motion swing;
  swing.waypoints = {{-0.5}, {0.5}};
  expect_box(scene_of({joint(JointType::revolute, z)}), swing, 1, std::sin(0.5));
  // A follower that slides twice as fast, the other way.
  std::vector<RobotJoint> two = {joint(JointType::revolute, y), joint(JointType::prismatic, y)};
  two[1].mimic = Mimic{"j0", -2, 0};
  expect_box(scene_of(two), there, 0, 2);
  // A slide lengthens the arm of the turn above it.
  Motion both;
  both.waypoints = {{0, 0}, {0.5, 1}};
  expect_box(scene_of({joint(JointType::revolute, z), joint(JointType::prismatic, {1, 0, 0})}),
             both, 0, std::sin(0.5));
  // Faster at its end than on average.
  Motion curved;
  curved.waypoints = {{0}, {1}};
  curved.inner = {{{0}}};
  expect_box(scene_of({joint(JointType::prismatic, y)}), curved, 0, 1);
}

TEST_F(Ends, OfBallJointsAreSeen) {
  const SceneSource ball = scene_of({joint(JointType::floating, {0, 0, 1})});
  const auto turned = [](double angle) {
    return std::vector<double>{0, 0, 0, 0, 0, std::sin(0.5 * angle), std::cos(0.5 * angle)};
  };
  Motion swing;
  swing.waypoints = {turned(-0.5), turned(0.5)};
  expect_box(ball, swing, 1, std::sin(0.5));
  swing.inner = {{{0, 0, 0, 0, 0, 0.5, 0}}};  // the same turn, as a curve
  expect_box(ball, swing, 1, std::sin(0.5));
}

TEST_F(Ends, OfConesAreSeen) {
  const SceneSource arm = scene_of({joint(JointType::revolute, {1, 0, 0})});
  const auto cone = [](double angle) {
    return KeptFrame{"r/l1", {}, KeptCone{{0, 0, 3}, {0, 0, 0.5}, angle}};
  };
  Motion motion;
  motion.waypoints = {{0}, {2}};
  EXPECT_NE(refuted(arm, motion, cone(1.99)), "");
  EXPECT_EQ(refuted(arm, motion, cone(2.01)), "");
  // Slides turn nothing, and are no reason to look closer.
  const SceneSource slide = scene_of({joint(JointType::prismatic, {1, 0, 0})});
  EXPECT_EQ(refuted(slide, motion, cone(1e-6)), "");
  // Once round: upright at both ends.
  motion.waypoints = {{0}, {2 * kPi}};
  EXPECT_NE(refuted(arm, motion, cone(3.1)), "");
  EXPECT_EQ(refuted(arm, motion, cone(3.15)), "");
  // Along the border nothing is accepted, after as many parts as there may be.
  motion.waypoints = {{0.3}};
  EXPECT_NE(refuted(arm, motion, cone(0.3)), "");
}

TEST_F(Ends, WhatMakesNoSenseIsRejected) {
  const SceneSource arm = scene_of({joint(JointType::revolute, {1, 0, 0})});
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Motion still;
  still.waypoints = {{0}};
  const auto why = [&](const KeptFrame& kept) { return refuted(arm, still, kept); };
  EXPECT_EQ(why({"r/l1", {}, KeptCone{{0, 0, 1}, {0, 0, 1}, 0.1}}), "");
  EXPECT_NE(why({"r/l2", {}, KeptCone{{0, 0, 1}, {0, 0, 1}, 0.1}}).find("no link 'r/l2'"),
            std::string::npos);
  EXPECT_NE(why({"", {}, KeptCone{{0, 0, 1}, {0, 0, 1}, 0.1}}), "");
  EXPECT_NE(why({"r/l1", {}, KeptCone{{0, 0, 0}, {0, 0, 1}, 4}}), "");
  EXPECT_NE(why({"r/l1", {}, KeptCone{{0, 0, 1}, {0, kNan, 1}, 4}}), "");
  for (const double angle : {0.0, -1.0, kNan, 1e300})
    EXPECT_NE(why({"r/l1", {}, KeptCone{{0, 0, 1}, {0, 0, 1}, angle}}), "") << angle;
  for (const double size : {0.0, -1.0, kNan, 1e300})
    EXPECT_NE(why({"r/l1", {}, KeptBox{{}, {1, 1, size}}}), "") << size;
  EXPECT_NE(why({"r/l1", Pose::translation({0, kNan, 0}), KeptBox{{}, {1, 1, 1}}}), "");
  EXPECT_NE(why({"r/l1", {}, KeptBox{Pose::translation({kNan, 0, 0}), {1, 1, 1}}}), "");
}

}  // namespace
}  // namespace proven::test
