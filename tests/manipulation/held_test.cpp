#include "manipulation/held.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "proven/base/random.h"
#include "support.h"

namespace proven::manipulation {
namespace {

// Two chains side by side, each of joints that turn, and one that slides; the second joint of the
// first chain drives a follower.
Robot chain(Random& random, int joints) {
  Robot robot;
  robot.name = "chain";
  const auto vector = [&](double size) {
    return Vec3{random.uniform(-size, size), random.uniform(-size, size),
                random.uniform(-size, size)};
  };
  robot.links.push_back({});
  robot.links[0].name = "l0";
  for (int i = 1; i <= joints; ++i) {
    robot.links.push_back({});
    robot.links.back().name = "l" + std::to_string(i);
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.type = i % 4 == 3 ? JointType::prismatic : JointType::revolute;
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.X_PJ = {rotation(normalized(vector(1)), random.uniform(-2, 2)), vector(0.4)};
    joint.axis = normalized(vector(1));
    joint.limits = {-4, 4, 1, 1};
    if (i == 5) joint.mimic = Mimic{"j2", -0.7, 0.3};
    robot.joints.push_back(joint);
  }
  return robot;
}

// Forward kinematics of its own, from the robot's description.
Pose pose_of_last(const Robot& robot, const std::vector<double>& values) {
  Pose X;
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& joint = robot.joints[i];
    const Vec3 axis = normalized(joint.axis);
    const double q = values[i];
    X = X * joint.X_PJ;
    if (joint.type == JointType::prismatic)
      X = X * Pose::translation(q * axis);
    else
      X = X * Pose{rotation(axis, q), {}};
  }
  return X;
}

// Values of all joints, followers included, at s of a piece: the definition of Bernstein's form.
std::vector<double> values_at(const Robot& robot, const MotionPiece& piece, double s) {
  std::vector<double> values;
  std::size_t c = 0;
  for (const RobotJoint& joint : robot.joints) {
    if (joint.mimic) {
      values.push_back(joint.mimic->multiplier * values[1] + joint.mimic->offset);
      continue;
    }
    const int n = piece.degree();
    double sum = 0, binomial = 1;
    for (int k = 0; k <= n; ++k) {
      sum += binomial * std::pow(s, k) * std::pow(1 - s, n - k) * piece.control(k)[c];
      binomial = binomial * (n - k) / (k + 1);
    }
    values.push_back(sum);
    ++c;
  }
  return values;
}

Motion random_motion(Random& random, int coordinates, double size) {
  Motion motion;
  const auto point = [&](const std::vector<double>& from) {
    std::vector<double> q = from;
    for (double& v : q) v += random.uniform(-size, size);
    return q;
  };
  std::vector<double> start(static_cast<std::size_t>(coordinates));
  for (double& v : start) v = random.uniform(-1.5, 1.5);
  motion.waypoints = {start};
  const int degree = 1 + random.index(5);
  for (int i = 0; i < 2; ++i) {
    motion.waypoints.push_back(point(motion.waypoints.back()));
    auto& inner = motion.inner.emplace_back();
    for (int k = 1; k < degree; ++k) inner.push_back(point(motion.waypoints.back()));
  }
  return motion;
}

constexpr int kSamples = 1000;

TEST(Held, UprightIsNeverSeenTilted) {
  Random random(7);
  int proved = 0, refused = 0, close = 0;
  for (int n = test::cases(150); n > 0; --n) {
    const Robot robot = chain(random, 6);
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(robot, "r", {}).ok());
    const Motion motion = random_motion(random, tree.num_coordinates(), random.uniform(0.01, 0.6));
    // The frame is turned so that it is upright at the start.
    const Pose first = pose_of_last(robot, values_at(robot, motion.piece(0), 0));
    const LinkFrame frame{tree.find_link("r/l6"), {transpose(first.R), {}}};
    double most = 0;
    for (int i = 0; i < motion.num_segments(); ++i)
      for (int k = 0; k <= kSamples; ++k) {
        const double s = static_cast<double>(k) / kSamples;
        const Pose X = pose_of_last(robot, values_at(robot, motion.piece(i), s)) * frame.X_LF;
        most = std::max(most, std::acos(std::clamp(X.R(2, 2), -1.0, 1.0)));
      }
    // Right at what was seen: a bound that is too small by a little says yes below it.
    for (const double share : {0.97, 0.999, 1.001, 1.01, 1.3}) {
      const double cone = share * most;
      const bool upright = stays_upright(tree, frame, cone, motion);
      if (upright) {
        EXPECT_LE(most, cone) << share;
      }
      if (share >= 1.01) {
        EXPECT_TRUE(upright) << "a cone of " << cone << ", seen " << most;
      }
      (upright ? proved : refused) += 1;
      close += upright && share < 1.005;
    }
  }
  std::printf("%d proved, %d of these within 0.1 %%, %d refused\n", proved, close, refused);
  EXPECT_GT(proved, 20);
  EXPECT_GT(refused, 20);
  EXPECT_GT(close, 10);
}

// A long swing there and back: upright at both ends, and at the middle not.
TEST(Held, WhatIsUprightAtBothEndsMayTiltBetween) {
  Random random(1);
  Robot robot = chain(random, 1);
  robot.joints[0].X_PJ = {};
  robot.joints[0].axis = {1, 0, 0};
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(robot, "r", {}).ok());
  const LinkFrame frame{tree.find_link("r/l1"), {}};
  Motion motion;
  motion.waypoints = {{-0.2}, {-0.2}};
  motion.inner = {{{1.2}}};  // up to 0.5 in the middle
  EXPECT_FALSE(stays_upright(tree, frame, 0.49, motion));
  EXPECT_TRUE(stays_upright(tree, frame, 0.51, motion));
  EXPECT_FALSE(stays_upright(tree, frame, std::numeric_limits<double>::quiet_NaN(), motion));
  // Straight, at an even rate: through head down, and once round.
  Motion over;
  over.waypoints = {{2.8}, {3.48}};
  EXPECT_FALSE(stays_upright(tree, frame, 2.9, over));
  EXPECT_TRUE(stays_upright(tree, frame, 3.2, over));
  Motion round;
  round.waypoints = {{0}, {2 * std::numbers::pi}};
  EXPECT_FALSE(stay_together(tree, frame, {0, {}}, round, {0.1, 0.1}));
  EXPECT_TRUE(stay_together(tree, frame, frame, round, {0.1, 0.1}));
  motion.inner = {{{std::numeric_limits<double>::quiet_NaN()}}};
  EXPECT_FALSE(stays_upright(tree, frame, 3, motion));
}

// The end of a chain against the frame in the world where it began.
TEST(Held, TogetherIsNeverSeenApart) {
  Random random(11);
  int proved = 0, refused = 0;
  for (int n = test::cases(150); n > 0; --n) {
    const Robot robot = chain(random, 6);
    KinematicTree tree;
    ASSERT_TRUE(tree.add_robot(robot, "r", {}).ok());
    const Motion motion = random_motion(random, tree.num_coordinates(), random.uniform(1e-4, 0.1));
    const LinkFrame tip{tree.find_link("r/l6"), {}};
    const LinkFrame there{0, pose_of_last(robot, values_at(robot, motion.piece(0), 0))};
    double most = 0, angle = 0;
    for (int i = 0; i < motion.num_segments(); ++i)
      for (int k = 0; k <= kSamples; ++k) {
        const double s = static_cast<double>(k) / kSamples;
        const Pose X = pose_of_last(robot, values_at(robot, motion.piece(i), s));
        most = std::max(most, norm(X.p - there.X_LF.p));
        const Mat3 E = transpose(there.X_LF.R) * X.R;
        const double cosine = 0.5 * (E(0, 0) + E(1, 1) + E(2, 2) - 1);
        angle = std::max(angle, std::acos(std::clamp(cosine, -1.0, 1.0)));
      }
    for (const double share : {0.99, 1.01, 2.0}) {
      // The columns' differences are known up to a factor √3 of the angle's.
      const HoldTolerance tolerance{share * most, share * 1.8 * angle + 1e-6};
      const bool together = stay_together(tree, tip, there, motion, tolerance);
      if (together) {
        EXPECT_TRUE(most <= tolerance.position && angle <= tolerance.angle) << share;
      }
      if (share > 1.5) {
        EXPECT_TRUE(together);
      }
      (together ? proved : refused) += 1;
      const HoldTolerance tight{2 * most, 0.98 * angle};
      if (angle > 1e-4) {
        EXPECT_FALSE(stay_together(tree, tip, there, motion, tight));
      }
    }
  }
  std::printf("%d proved, %d refused\n", proved, refused);
  EXPECT_GT(proved, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace proven::manipulation
