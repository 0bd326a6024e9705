// Timed motions: within all limits, near the path, and no slower than with stops.
#include "plan/timing_support.h"

namespace proven::test {
namespace {

TEST(Timing, LimitsHoldAndAreReached) {
  Random random(5);
  int full_speed = 0, cut = 0, stopped = 0;
  for (int n = 0; n < cases(60); ++n) {
    std::vector<JointCase> joints;
    for (int k = 0; k < 1 + n % 5; ++k)
      joints.push_back({k == 1   ? JointType::prismatic
                        : k == 2 ? JointType::continuous
                                 : JointType::revolute,
                        random.index(2) ? random.uniform(0.3, 2) : kInfinity,
                        random.index(2) ? random.uniform(1, 10) : kInfinity});
    const KinematicTree tree = tree_of(chain(joints));
    const Path path = random_path(random, joints.size(), 2 + n % 6, n % 3 ? 2.5 : 0.1);
    TimingOptions o = options();
    o.jerk = n % 2 ? random.uniform(5, 50) : kInfinity;
    o.interval = n % 4 < 2 ? 0.1 : 10;
    const TimingResult timed = must_time(tree, path, o);
    expect_sound(tree, path, o, timed);
    const Shares shares = measure(tree, timed.motion, o.jerk);
    expect_limits(shares);
    EXPECT_LT(shares.jerk, 1 + 1e-4) << n;
    // Steps of time and gentle changes aside, some limit is reached.
    EXPECT_GT(std::max({shares.velocity, shares.acceleration, shares.jerk}), 0.97) << n;
    const Evaluator evaluator(tree, timed.motion);
    for (int i = 0; i <= 1000; ++i)
      EXPECT_LE(distance_from_path(path, evaluator.at(timed.duration * i / 1000)),
                timed.deviation + 1e-9);
    full_speed += shares.velocity > 1 - 1e-6;
    cut += timed.stops < timed.corners;
    stopped += timed.stops > 0;
  }
  EXPECT_GT(full_speed, cases(60) / 6);
  EXPECT_LT(full_speed, cases(60));
  EXPECT_GT(cut, cases(60) / 3);
  EXPECT_GT(stopped, 0);
}

// The leader may move by 0.2 rad/s and 2/3 rad/s² alone: its follower turns three times as fast,
// the other way. A follower that stands says nothing.
TEST(Timing, FollowersKeepTheirLimits) {
  const KinematicTree tree =
      tree_of(chain({{JointType::revolute, 1.5, 5},
                     {JointType::revolute, 0.6, 2, Mimic{"j0", -3, 0.1}},
                     {JointType::revolute, 1e-3, 1e-3, Mimic{"j0", 0, 0.5}}}));
  Path path;
  path.waypoints = {{-0.2}, {0.8}};
  TimingOptions o = options();
  const TimingResult timed = must_time(tree, path, o);
  EXPECT_NEAR(timed.duration, 1 / 0.2 + 0.2 / (2.0 / 3), 1e-6);
  EXPECT_TRUE(timed.assumed.velocity.empty());
  EXPECT_TRUE(timed.assumed.acceleration.empty());
  o.jerk = 9;  // 3 of the leader
  EXPECT_LT(measure(tree, must_time(tree, path, o).motion, 3).jerk, 1 + 1e-4);
}

// Nobody is given a limit without a word.
TEST(Timing, SaysWhoseLimitsAreAssumed) {
  const KinematicTree tree =
      tree_of(chain({{JointType::revolute, kInfinity, 5},
                     {JointType::revolute, 0, 0},
                     {JointType::revolute, kInfinity, 1, Mimic{"j0", 2, 0}}}));
  Path path;
  path.waypoints = {{0, 0}, {0.5, 0.1}};
  const TimingResult timed = must_time(tree, path, options());
  EXPECT_EQ(timed.assumed.velocity, (std::vector<std::string>{"arm/j0", "arm/j1", "arm/j2"}));
  EXPECT_EQ(timed.assumed.acceleration, std::vector<std::string>{"arm/j1"});
  // The follower's assumed limit counts twice.
  EXPECT_NEAR(timed.duration, 0.5 / (0.5 * kVelocity) + 0.5 * kVelocity / 0.5, 1e-6);
}

// One joint from rest to rest: the known optimal times.
TEST(Timing, DurationsAreTheKnownOnes) {
  const KinematicTree tree = three_joints();
  for (const double travel : {0.01, 0.1, 1.0, 2.0}) {
    Path path;
    path.waypoints = {{0, 0, 0}, {0, travel, 0}};
    const double duration = must_time(tree, path, options()).duration;
    const double ramp = kVelocity / kAcceleration;
    const double expected = travel > kVelocity * ramp ? travel / kVelocity + ramp
                                                      : 2 * std::sqrt(travel / kAcceleration);
    EXPECT_NEAR(duration, expected, 1e-7);  // whole nanoseconds
    TimingOptions slow = options();
    slow.scale = 0.25;
    EXPECT_GT(must_time(tree, path, slow).duration, 1.9 * duration);
    for (const double jerk : {3.0, 30.0, 3000.0}) {
      TimingOptions o = options();
      o.jerk = jerk;
      // The least time in which a bounded jerk reaches speed v and covers half of the travel.
      const auto change = [&](double v) {
        return v * jerk < kAcceleration * kAcceleration ? 2 * std::sqrt(v / jerk)
                                                        : v / kAcceleration + kAcceleration / jerk;
      };
      double low = 0, high = kVelocity;
      if (kVelocity * change(kVelocity) > travel)
        for (int i = 0; i < 100; ++i) {
          const double v = 0.5 * (low + high);
          (v * change(v) > travel ? high : low) = v;
        }
      const double optimal = 2 * change(high) + (travel - high * change(high)) / high;
      const double with_jerk = must_time(tree, path, o).duration;
      EXPECT_GT(with_jerk, optimal - 1e-9);
      EXPECT_LT(with_jerk, optimal + 3e-3);
    }
  }
}

// On many short segments the speed changes within blends, too: little is lost to a generous limit
// of jerk, and less the more generous it is.
TEST(Timing, BoundedJerkCostsLittleOnManyCorners) {
  const KinematicTree tree = three_joints();
  Random random(8);
  for (int n = 0; n < cases(8); ++n) {
    Path path;
    path.waypoints = {{0, 0, 0}};
    for (int i = 0; i < 12; ++i) {
      path.waypoints.push_back(path.waypoints.back());
      for (double& value : path.waypoints.back()) value += random.uniform(-0.1, 0.3);
    }
    TimingOptions o = options();
    const double without = must_time(tree, path, o).duration;
    double before = kInfinity;
    for (const double jerk : {30.0, 100.0, 1000.0}) {
      o.jerk = jerk;
      const TimingResult timed = must_time(tree, path, o);
      const Shares shares = measure(tree, timed.motion, jerk);
      expect_limits(shares, 1e-4);
      EXPECT_LT(shares.jerk, 1 + 1e-4);
      EXPECT_GT(timed.duration, 0.99 * without);
      EXPECT_LT(timed.duration, before);
      before = timed.duration;
    }
    EXPECT_LT(before, 1.01 * without);
  }
}

TEST(Timing, CornersArePassedAtSpeed) {
  const KinematicTree tree = three_joints();
  Path zigzag;
  for (int i = 0; i < 9; ++i) zigzag.waypoints.push_back({0.3 * i, i % 2 ? 0.3 : 0.0, 0});
  for (const double jerk : {kInfinity, 40.0}) {
    TimingOptions o = options();
    o.jerk = jerk;
    const TimingResult timed = must_time(tree, zigzag, o);
    expect_sound(tree, zigzag, o, timed);
    EXPECT_EQ(timed.corners, 7);
    EXPECT_EQ(timed.stops, 0);
    EXPECT_LT(timed.duration, 0.85 * timed.with_stops);
    o.blend = 0;
    const TimingResult stopping = must_time(tree, zigzag, o);
    EXPECT_EQ(stopping.stops, 7);
    EXPECT_EQ(stopping.deviation, 0);
    EXPECT_NEAR(stopping.duration, stopping.with_stops, kClock);
    EXPECT_EQ(stopping.with_stops, timed.with_stops);
    const Evaluator evaluator(tree, stopping.motion);
    for (int i = 0; i <= 1000; ++i)
      EXPECT_LT(distance_from_path(zigzag, evaluator.at(stopping.duration * i / 1000)), 1e-12);
  }
}

// Waypoints that rounding made two are a path as well, alone and between others.
TEST(Timing, StepsOfRoundingAreTimed) {
  const KinematicTree tree = three_joints();
  const std::vector<double> from = {0.1, 0.2, 0.3}, by_rounding = {0.1 + 1e-13, 0.2, 0.3};
  const std::vector<std::vector<std::vector<double>>> cases = {
      {from, by_rounding}, {from, by_rounding, {0.4, 0.2, 0.3}}, {{0, 0, 0}, from, by_rounding}};
  for (const auto& waypoints : cases) {
    Path path;
    path.waypoints = waypoints;
    const TimingResult timed = must_time(tree, path, options());
    expect_sound(tree, path, options(), timed);
    EXPECT_EQ(timed.motion.waypoints.front(), path.waypoints.front());
    EXPECT_EQ(timed.motion.waypoints.back(), path.waypoints.back());
  }
}

// A wider cut is a faster one, and none is wider than asked.
TEST(Timing, WiderCutsAreFaster) {
  const KinematicTree tree = tree_of(chain({{JointType::revolute, 2}, {JointType::revolute, 2}}));
  Path path;
  path.waypoints = {{0, 0}, {2, 0}, {2, 2}, {0.5, 2.5}};
  double before = kInfinity;
  for (const double blend : {0.001, 0.01, 0.05, 0.1, 0.3}) {
    TimingOptions o = options();
    o.blend = blend;
    const TimingResult timed = must_time(tree, path, o);
    EXPECT_LT(timed.duration, before);
    EXPECT_LE(timed.deviation, blend * 1.01);
    before = timed.duration;
  }
}

TEST(Timing, WaypointsOnALineDoNotSlowAndReversalsStop) {
  const KinematicTree tree = three_joints();
  Path plain, dotted, back;
  plain.waypoints = {{0, 0, 0}, {1, 0.5, 0.25}};
  dotted.waypoints = {{0, 0, 0},
                      {0.25, 0.125, 0.0625},
                      {0.25, 0.125, 0.0625},
                      {0.75, 0.375, 0.1875},
                      {1, 0.5, 0.25}};
  back.waypoints = {{0, 0, 0}, {1, 0.5, 0.25}, {0.5, 0.25, 0.125}};
  const TimingResult line = must_time(tree, plain, options());
  const TimingResult dots = must_time(tree, dotted, options());
  EXPECT_NEAR(line.duration, dots.duration, 1e-9);
  EXPECT_GT(dots.with_stops, 1.1 * line.with_stops);
  EXPECT_EQ(dots.corners, 0);
  const TimingResult reversed = must_time(tree, back, options());
  EXPECT_EQ(reversed.stops, 1);
  EXPECT_NE(std::ranges::find(reversed.motion.waypoints, back.waypoints[1]),
            reversed.motion.waypoints.end());
  Path still;
  still.waypoints = {{1, 1, 1}, {1, 1, 1}};
  const TimingResult rest = must_time(tree, still, options());
  EXPECT_EQ(rest.duration, 0);
  EXPECT_EQ(rest.motion.waypoints.size(), 1u);
}

// Planar and floating bases with an arm. A floating base stops where its axis changes, and only
// there.
TEST(Timing, BasesThatMove) {
  Random random(8);
  for (int n = 0; n < cases(12); ++n) {
    const KinematicTree planar =
        tree_of(chain({{JointType::planar},
                       {JointType::revolute, 1},
                       {JointType::revolute, 1, 4, Mimic{"j1", -1.5, 0.2}}}));
    ASSERT_EQ(planar.num_coordinates(), 4);
    const Path drive = random_path(random, 4, 5, 1);
    const TimingResult driven = must_time(planar, drive, options());
    expect_sound(planar, drive, options(), driven);
    expect_limits(measure(planar, driven.motion, kInfinity));
    EXPECT_EQ(driven.stops, 0);

    const KinematicTree floating =
        tree_of(chain({{JointType::floating}, {JointType::revolute, 1}}));
    ASSERT_EQ(floating.num_coordinates(), 8);
    const Vec3 axis = random.unit_vector(), other = random.unit_vector();
    Turn turn{0, 0, 0, 1};
    Path flight;
    for (int i = 0; i < 6; ++i) {
      std::vector<double> q;
      for (int k = 0; k < 3; ++k) q.push_back(random.uniform(-1, 1));
      // Waypoints 1 and 2 turn about one axis, waypoint 3 not at all, 4 and 5 about another.
      if (i > 0 && i != 3)
        turn = times(turn, exp_of(random.uniform(0.2, 2) * (i < 3 ? axis : other)));
      q.insert(q.end(), turn.begin(), turn.end());
      q.push_back(random.uniform(-1, 1));
      flight.waypoints.push_back(q);
    }
    TimingOptions o = options();
    o.jerk = n % 2 ? 20 : kInfinity;
    const TimingResult flown = must_time(floating, flight, o);
    expect_sound(floating, flight, o, flown);
    expect_limits(measure(floating, flown.motion, o.jerk), 1e-6);
    EXPECT_EQ(flown.corners, 4);
    if (n % 2 == 0) {
      EXPECT_EQ(flown.stops, 1);
    }
    EXPECT_NE(std::ranges::find(flown.motion.waypoints, flight.waypoints[3]),
              flown.motion.waypoints.end());
  }
}

}  // namespace
}  // namespace proven::test
