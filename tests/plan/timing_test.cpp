// Timed paths: within all limits, no slower than needed, and on the path.
#include "proven/plan/timing.h"

#include <algorithm>

#include "certify/random_scenes.h"
#include "proven/kinematics/interpolation.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr double kVelocity = 0.7, kAcceleration = 2.5;

// A planar arm of three joints with limits of velocity; the third also slides freely.
KinematicTree three_joints() {
  Robot robot;
  robot.name = "arm";
  robot.links.push_back({"l0", {}, false, nullptr});
  const double velocities[3] = {1.5, std::numeric_limits<double>::infinity(), 0.4};
  for (int i = 1; i <= 3; ++i) {
    robot.links.push_back({"l" + std::to_string(i), {}, false, nullptr});
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent_link = "l" + std::to_string(i - 1);
    joint.child_link = "l" + std::to_string(i);
    joint.type = i == 3 ? JointType::prismatic : JointType::revolute;
    joint.axis = {0, 0, 1};
    joint.limits = {-3, 3, velocities[i - 1], std::numeric_limits<double>::infinity()};
    robot.joints.push_back(joint);
  }
  KinematicTree tree;
  EXPECT_TRUE(tree.add_robot(robot, "arm", Pose{}).ok());
  return tree;
}

double velocity_limit(int joint) {
  return joint == 0 ? 1.5 : joint == 1 ? kVelocity : 0.4;
}

TimingOptions options() {
  TimingOptions options;
  options.velocity = kVelocity;
  options.acceleration = kAcceleration;
  options.interval = 1e-3;
  return options;
}

// The largest share of a limit that differences of the timed waypoints reach.
struct Shares {
  double velocity = 0, acceleration = 0;
};
Shares measure(const Path& timed) {
  Shares shares;
  for (std::size_t i = 1; i < timed.times.size(); ++i) {
    const double step = timed.times[i] - timed.times[i - 1];
    EXPECT_GT(step, 0);
    for (int k = 0; k < 3; ++k) {
      const auto j = static_cast<std::size_t>(k);
      const double speed = (timed.waypoints[i][j] - timed.waypoints[i - 1][j]) / step;
      shares.velocity = std::max(shares.velocity, std::fabs(speed) / velocity_limit(k));
      if (i < 2) continue;
      const double before = timed.times[i - 1] - timed.times[i - 2];
      const double earlier = (timed.waypoints[i - 1][j] - timed.waypoints[i - 2][j]) / before;
      const double change = std::fabs(speed - earlier) / (0.5 * (step + before));
      shares.acceleration = std::max(shares.acceleration, change / kAcceleration);
    }
  }
  return shares;
}

TEST(Timing, LimitsHoldAndAreReached) {
  const KinematicTree tree = three_joints();
  Random random(5);
  int full_speed = 0;
  for (int n = 0; n < 200; ++n) {
    const double reach = n % 2 ? 3 : 0.05;
    Path path;
    for (int i = 0; i < 3; ++i) {
      std::vector<double> q;
      for (int k = 0; k < 3; ++k) q.push_back(random.uniform(-reach, reach));
      path.waypoints.push_back(q);
    }
    const auto timed = time_path(tree, path, options());
    ASSERT_TRUE(timed.ok());
    const Shares shares = measure(timed.value());
    EXPECT_LT(shares.velocity, 1 + 1e-6);
    EXPECT_LT(shares.acceleration, 1 + 1e-6);
    // Bound by one or the other all of the time.
    EXPECT_GT(shares.acceleration, 0.9);
    full_speed += shares.velocity > 1 - 1e-6;
    EXPECT_EQ(timed.value().waypoints.back(), path.waypoints.back());
    EXPECT_EQ(timed.value().times.size(), timed.value().waypoints.size());
  }
  EXPECT_GT(full_speed, 50);
  EXPECT_LT(full_speed, 150);
}

// One joint from rest to rest: distance over speed plus the time to reach it, or twice the root of
// distance over acceleration.
TEST(Timing, DurationsAreTheKnownOnes) {
  const KinematicTree tree = three_joints();
  for (const double travel : {0.01, 0.1, 1.0, 2.0}) {
    Path path;
    path.waypoints = {{0, 0, 0}, {0, travel, 0}};
    const double duration = time_path(tree, path, options()).value().times.back();
    const double ramp = kVelocity / kAcceleration;
    const double expected = travel > kVelocity * ramp ? travel / kVelocity + ramp
                                                      : 2 * std::sqrt(travel / kAcceleration);
    EXPECT_NEAR(duration, expected, 1e-12);
    TimingOptions half = options();
    half.scale = 0.25;
    EXPECT_GT(time_path(tree, path, half).value().times.back(), 1.9 * duration);
  }
}

TEST(Timing, WaypointsLieOnThePathAndStopsAreKept) {
  const KinematicTree tree = three_joints();
  Path path;
  path.waypoints = {{0, 0, 0}, {1, 0.5, 0}, {1, 0.5, 0}, {-1, 0.25, 0.2}};
  const auto timed = time_path(tree, path, options());
  ASSERT_TRUE(timed.ok());
  EXPECT_NE(std::ranges::find(timed.value().waypoints, path.waypoints[1]),
            timed.value().waypoints.end());
  for (const auto& q : timed.value().waypoints) {
    const bool on_first = std::fabs(q[1] - 0.5 * q[0]) < 1e-12 && q[2] == 0;
    const bool on_second = std::fabs((q[0] - 1) / -2 - q[2] / 0.2) < 1e-12;
    EXPECT_TRUE(on_first || on_second);
  }
}

TEST(Timing, BadOptionsAreRefused) {
  const KinematicTree tree = three_joints();
  Path path;
  path.waypoints = {{0, 0, 0}, {1, 1, 1}};
  for (double TimingOptions::*member : {&TimingOptions::velocity, &TimingOptions::acceleration,
                                        &TimingOptions::scale, &TimingOptions::interval})
    for (const double value : {0.0, -1.0, std::nan("")}) {
      TimingOptions bad = options();
      bad.*member = value;
      EXPECT_FALSE(time_path(tree, path, bad).ok());
    }
  TimingOptions fast = options();
  fast.scale = 1.5;
  EXPECT_FALSE(time_path(tree, path, fast).ok());
}

}  // namespace
}  // namespace proven::test
