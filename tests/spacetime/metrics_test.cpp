// Every interval must hold what the twin sees, and be as narrow as promised.
#include "proven/spacetime/check.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven::spacetime {
namespace {

Obstacle moving(Footprint footprint, Trajectory motion) {
  Obstacle obstacle;
  obstacle.name = "other";
  obstacle.footprint = std::move(footprint);
  obstacle.motion = std::move(motion);
  return obstacle;
}

TEST(Metrics, ClearanceHoldsTheLeastDistance) {
  Random random(5);
  int apart = 0, touching = 0;
  for (int k = 0; k < test::cases(600); ++k) {
    const Footprint a = twin::random_footprint(random), b = twin::random_footprint(random);
    Trajectory ma = twin::random_motion(random, 4, 12, 1),
               mb = twin::random_motion(random, 3, 12, 1);
    if (k % 3 == 0) ma.between = Interpolation::arc;
    if (std::max(ma.t[0], mb.t[0]) > std::min(ma.t.back(), mb.t.back())) continue;
    const auto scene = TrafficScene::build({moving(b, mb)}).value();
    const auto got = clearance(scene, a, ma, {});
    ASSERT_TRUE(got.ok());
    const Bounds d = got.value().distance;
    const auto seen = twin::closest(a, ma, b, mb, 200);
    EXPECT_LE(d.lower, std::max<long double>(0, seen.distance) + 1e-9L) << k;
    EXPECT_GE(d.upper, -1e-9);
    EXPECT_LE(d.upper - d.lower, 1.001e-3) << k;
    // The twin at the reported time sees no more than `upper`.
    EXPECT_LE(twin::distance_at(a, ma, b, mb, got.value().t), d.upper + 1e-9L) << k;
    ++(d.lower > 0 ? apart : touching);
  }
  if (test::cases(600) >= 300) {
    EXPECT_GT(std::min(apart, touching), 50);
  }
}

// Two cars cross at right angles: the second enters the square one second after the first has left
// it.
TEST(Metrics, TimeGapAtACrossing) {
  const Footprint car = Footprint::box(4, 2).value();
  Trajectory east, north;
  for (int i = 0; i <= 60; ++i) {
    const double t = 0.1 * i;
    east.t.push_back(t), east.x.push_back(10 * t - 20), east.y.push_back(0);
    east.heading.push_back(0);
    north.t.push_back(t), north.x.push_back(0), north.y.push_back(10 * t - 36);
    north.heading.push_back(M_PI / 2);
  }
  // East leaves the band |x| < 1 with its tail at x = 1 + 2: t = 2.3. North's nose reaches y = -1
  // at its centre -3: t = 3.3.
  const auto scene = TrafficScene::build({moving(car, north)}).value();
  const auto gap = time_gap(scene, car, east, {});
  ASSERT_TRUE(gap.ok());
  EXPECT_LE(gap.value().seconds.lower, 1.0 + 1e-9);
  EXPECT_GE(gap.value().seconds.upper, 1.0 - 1e-9);
  EXPECT_LE(gap.value().seconds.upper - gap.value().seconds.lower, 1.1e-3);
  EXPECT_LT(gap.value().t, gap.value().t_obstacle);
  MetricOptions near;
  near.horizon = 0.5;
  EXPECT_TRUE(std::isinf(time_gap(scene, car, east, near).value().seconds.upper));
}

TEST(Metrics, TimeGapAgainstAGridOfTimes) {
  Random random(9);
  int finite = 0;
  for (int k = 0; k < test::cases(60); ++k) {
    const Footprint a = Footprint::box(3, 1.5).value(), b = twin::random_footprint(random);
    const Trajectory ma = twin::random_motion(random, 4, 8, 0.8),
                     mb = twin::random_motion(random, 4, 8, 0.8);
    const auto scene = TrafficScene::build({moving(b, mb)}).value();
    MetricOptions options;
    options.time_tolerance = 0.01;
    const auto gap = time_gap(scene, a, ma, options);
    ASSERT_TRUE(gap.ok());
    const auto overlap = [&](double t, double u) {
      return twin::distance_of(twin::placed(a, twin::oracle_pose(ma, t)),
                               twin::placed(b, twin::oracle_pose(mb, u))) <= 0;
    };
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= 60; ++i)
      for (int j = 0; j <= 60; ++j) {
        const double t = ma.t[0] + (ma.t.back() - ma.t[0]) * i / 60,
                     u = mb.t[0] + (mb.t.back() - mb.t[0]) * j / 60;
        if (std::fabs(t - u) < least && overlap(t, u)) least = std::fabs(t - u);
      }
    EXPECT_LE(gap.value().seconds.lower, least + 1e-9);
    if (std::isfinite(gap.value().seconds.upper)) {
      ++finite;
      EXPECT_TRUE(overlap(gap.value().t, gap.value().t_obstacle));
      EXPECT_LE(gap.value().seconds.upper - gap.value().seconds.lower, 0.0101);
    }
  }
  if (test::cases(60) >= 30) {
    EXPECT_GT(finite, 10);
  }
}

TEST(Metrics, SafeIntervalsAreSafeAndNotStingy) {
  Random random(13);
  int some = 0;
  for (int k = 0; k < test::cases(60); ++k) {
    const Footprint a = Footprint::box(3, 1.5).value(), b = twin::random_footprint(random);
    const Trajectory path = twin::random_motion(random, 2, 6, 0.8);
    const Trajectory mb = twin::random_motion(random, 8, 6, 0.6);
    const auto scene = TrafficScene::build({moving(b, mb)}).value();
    MetricOptions options;
    options.time_tolerance = 0.01;
    const double begin = mb.t[0], end = mb.t.back();
    const auto safe = safe_intervals(scene, a, path, 0, begin, end, options);
    ASSERT_TRUE(safe.ok());
    const auto listed = [&](double u, double slack) {
      for (const TimeInterval& i : safe.value())
        if (u >= i.begin - slack && u <= i.end + slack) return true;
      return false;
    };
    for (int j = 0; j <= 100; ++j) {
      const double u = begin + (end - begin) * j / 100;
      bool free = true;
      for (int i = 0; i <= 20 && free; ++i) {
        const double t = path.t[0] + (path.t[1] - path.t[0]) * i / 20;
        free = twin::distance_of(twin::placed(a, twin::oracle_pose(path, t)),
                                 twin::placed(b, twin::oracle_pose(mb, u))) > 0.02;
      }
      if (free) {
        EXPECT_TRUE(listed(u, 0.03)) << k << " at " << u;
      }
      bool hit = false;
      for (int i = 0; i <= 20 && !hit; ++i) {
        const double t = path.t[0] + (path.t[1] - path.t[0]) * i / 20;
        hit = twin::distance_of(twin::placed(a, twin::oracle_pose(path, t)),
                                twin::placed(b, twin::oracle_pose(mb, u))) <= 0;
      }
      if (hit) {
        EXPECT_FALSE(listed(u, -1e-12)) << k << " at " << u;
      }
      some += hit;
    }
  }
  if (test::cases(60) >= 30) {
    EXPECT_GT(some, 100);
  }
}

TEST(Metrics, TimeToCollision) {
  const Footprint disc = Footprint::circle(1).value();
  Obstacle post;
  post.name = "post";
  post.footprint = disc;
  post.pose = {10, 0, 0};
  const auto scene = TrafficScene::build({post}).value();
  Trajectory m;
  m.t = {3, 4, 5}, m.x = {0, 5, 10}, m.y = {0, 0, 0}, m.heading = {0, 0, 0};
  TrafficScratch workspace;
  const Bounds ttc = time_to_collision(scene, disc, m, {}, workspace).value();
  EXPECT_LE(ttc.lower, 1.6);
  EXPECT_GE(ttc.upper, 1.6);
  EXPECT_LE(ttc.upper - ttc.lower, 2e-3);
  m.y = {3, 3, 3};
  EXPECT_TRUE(std::isinf(time_to_collision(scene, disc, m, {}, workspace).value().lower));
}

// Intervals are wider when the budget ends early, never wrong.
TEST(Metrics, AreStillTrueWhenTheBudgetEnds) {
  Random random(12);
  const std::atomic<bool> cancelled = true;
  const Budget over = Budget::of_seconds(INFINITY, &cancelled);
  int wider = 0, lost = 0;
  for (int k = 0; k < test::cases(100); ++k) {
    const Footprint a = twin::random_footprint(random), b = twin::random_footprint(random);
    const Trajectory ma = twin::random_motion(random, 4, 8, 1),
                     mb = twin::random_motion(random, 3, 8, 1);
    const auto scene = TrafficScene::build({moving(b, mb)}).value();
    const auto holds = [&](const Bounds& wide, const Bounds& narrow) {
      EXPECT_LE(wide.lower, narrow.upper) << k;
      EXPECT_GE(wide.upper, narrow.lower) << k;
      wider += wide.upper - wide.lower > 1;
    };
    holds(clearance(scene, a, ma, {}, -1, over).value().distance,
          clearance(scene, a, ma, {}).value().distance);
    holds(time_gap(scene, a, ma, {}, -1, over).value().seconds,
          time_gap(scene, a, ma, {}).value().seconds);
    TrafficScratch workspace;
    holds(time_to_collision(scene, a, ma, {}, workspace, -1, over).value(),
          time_to_collision(scene, a, ma, {}, workspace).value());
    const auto few = safe_intervals(scene, a, ma, 0, 0, 5, {}, over).value();
    const auto all = safe_intervals(scene, a, ma, 0, 0, 5, {}).value();
    double sum_few = 0, sum_all = 0;
    for (const TimeInterval& i : few) {
      sum_few += i.end - i.begin;
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const TimeInterval& j) {
        return j.begin <= i.begin && i.end <= j.end;
      })) << k;
    }
    for (const TimeInterval& i : all) sum_all += i.end - i.begin;
    lost += sum_few < sum_all;
  }
  EXPECT_GT(wider, test::cases(100) / 2);
  EXPECT_GT(lost, test::cases(100) / 10);
}

}  // namespace
}  // namespace proven::spacetime
