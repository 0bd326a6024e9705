// The planner's drives, watched by the twin.
#include "proven/spacetime/drive.h"

#include "spacetime/oracle.h"
#include "support.h"

namespace proven::spacetime {
namespace {

DriveTask straight_task(double speed, double t_end) {
  DriveTask task;
  task.path = ReferencePath::make({{-20, 0}, {400, 0}}).value();
  task.speed = speed;
  task.t_end = t_end;
  return task;
}

Obstacle parked(double x, double y) {
  Obstacle o;
  o.name = "parked";
  o.footprint = Footprint::box(4.5, 2).value();
  o.pose = {x, y, 0};
  return o;
}

Obstacle oncoming() {
  Obstacle o;
  o.name = "oncoming";
  o.footprint = Footprint::box(4.5, 2).value();
  for (int i = 0; i <= 80; ++i) {
    o.motion.t.push_back(0.1 * i);
    o.motion.x.push_back(80 - i), o.motion.y.push_back(3.3);
    o.motion.heading.push_back(M_PI);
  }
  return o;
}

Lanelet lane(const std::string& id, double x0, double x1, double low, double high) {
  Lanelet l;
  l.id = id;
  for (double x = x0; x <= x1 + 1e-9; x += 5)
    l.left.push_back({x, high}), l.right.push_back({x, low});
  return l;
}

TEST(Drive, OvertakesAStandingCarWithItsMargin) {
  const Footprint car = Footprint::box(4.5, 2).value();
  const Obstacle other = oncoming();
  const auto scene = TrafficScene::build({parked(40, 0.2), other}).value();
  DriveOptions options;
  options.candidates = 3000;
  const DriveTask task = straight_task(10, 8);
  const auto driven = drive(scene, task, options);
  ASSERT_TRUE(driven.ok()) << driven.error().text();
  const DriveResult& result = driven.value();
  ASSERT_EQ(result.end, DriveEnd::time);
  const Trajectory& m = result.driven;
  TrafficScratch workspace;
  TrafficOptions margin;
  margin.clearance = result.margin_kept;
  EXPECT_GT(result.margin_kept, 0);
  EXPECT_EQ(check(scene, car, m, margin, workspace).value().verdict, Verdict::free);
  EXPECT_GT(twin::closest(car, m, car, other.motion, 800).distance, result.margin_kept - 1e-9);
  EXPECT_FALSE(first_violation(task.vehicle, m).has_value());
  EXPECT_GT(m.x.back(), 30);
}

// Where nothing but the brakes helps: a wall across the road, found late.
TEST(Drive, BrakesWhereNothingElseHelps) {
  for (const double room : {15.0, 12.0, 11.0}) {
    Obstacle wall = parked(0, 0);
    wall.name = "wall";
    wall.footprint = Footprint::box(1, 60).value();
    const double v = 12;  // stops in 9.0 m at 8 m/s^2
    wall.pose = {2.25 + room + 0.5, 0, 0};
    const auto scene = TrafficScene::build({wall}).value();
    DriveOptions options;
    options.candidates = 500;
    options.desired_speed = 30;
    const auto driven = drive(scene, straight_task(v, 4), options).value();
    EXPECT_EQ(driven.end, DriveEnd::time) << room << driven.in_the_way;
    EXPECT_LT(driven.driven.x.back(), room);
    EXPECT_GT(driven.hard_cycles, 0);
  }
}

TEST(Drive, SaysWhatIsInTheWay) {
  Obstacle wall = parked(8, 0);
  wall.name = "wall";
  wall.footprint = Footprint::box(1, 60).value();
  const auto scene = TrafficScene::build({wall}).value();
  const auto driven = drive(scene, straight_task(20, 4), {}).value();
  EXPECT_EQ(driven.end, DriveEnd::no_free_candidate);
  EXPECT_EQ(driven.in_the_way, "wall");
}

TEST(Drive, StaysOnTheRoadAndStopsBeforeItsEnd) {
  DriveTask task = straight_task(15, 12);
  task.road = Road::build({lane("a", -20, 100, -1.75, 1.75)}).value();
  task.border = task.road.border(task.road.all());
  const auto scene = TrafficScene::build({parked(60, 1.2)}).value();  // no room to pass it
  DriveOptions options;
  options.desired_speed = 15;
  const auto blocked = drive(scene, task, options).value();
  EXPECT_LT(blocked.driven.x.back() + 2.25, 60 - 2.25);
  for (const double y : blocked.driven.y) EXPECT_LT(std::fabs(y), 0.75 + 1e-6);
  const auto empty = TrafficScene::build({}).value();
  const auto alone = drive(empty, task, options).value();
  EXPECT_LT(alone.driven.x.back() + 2.25, 100);
  EXPECT_GT(alone.driven.x.back(), 70);
  EXPECT_LT(alone.speeds.back(), 3);
  DriveTask ignored = task;
  ignored.border.clear();
  EXPECT_GT(drive(empty, ignored, options).value().driven.x.back(), 110);
}

TEST(Drive, GoalsAreReachedWithAllTheirConditions) {
  DriveTask task = straight_task(10, 8);
  GoalState goal;
  goal.regions = {Footprint::box(6, 3, {50, 0}).value()};
  goal.time = Interval{4, 8};
  goal.speed = Interval{2, 4};
  task.goals = {goal};
  const auto scene = TrafficScene::build({}).value();
  const auto driven = drive(scene, task, {}).value();
  ASSERT_EQ(driven.end, DriveEnd::goal);
  EXPECT_GE(driven.driven.t.back(), 4 - 1e-9);
  EXPECT_NEAR(driven.driven.x.back(), 50, 3);
  EXPECT_GE(driven.speeds.back(), 2);
  EXPECT_LE(driven.speeds.back(), 4);
  task.goals[0].speed = Interval{45, 50};  // nobody gets there so fast
  EXPECT_EQ(drive(scene, task, {}).value().end, DriveEnd::time);
}

TEST(Drive, KeepsSpeedLimitsStopsAndLights) {
  DriveTask task = straight_task(10, 12);
  task.limits = {{-1e9, 10}, {60, 5}};
  const auto scene = TrafficScene::build({}).value();
  DriveOptions options;
  options.desired_speed = 20;
  const auto limited = drive(scene, task, options).value();
  for (std::size_t i = 0; i < limited.speeds.size(); ++i) {
    EXPECT_LE(limited.speeds[i], 10.06);
    // The path begins at -20 and is that of the rear axle.
    if (limited.driven.x[i] - 1.35 > 40.1) {
      EXPECT_LE(limited.speeds[i], 5.06) << limited.driven.x[i];
    }
  }
  EXPECT_GT(limited.driven.x.back(), 50);

  StopPoint line;
  line.s = 60;  // x = 40
  TrafficLight light;
  light.id = "l";
  light.phases = {{false, 6}, {true, 20}};
  line.lights = {light};
  task.limits.clear();
  task.stops = {line};
  options.desired_speed = 10;
  const auto waited = drive(scene, task, options).value();
  bool passed = false;
  for (std::size_t i = 0; i < waited.speeds.size(); ++i)
    if (waited.driven.x[i] + 2.25 > 40) {
      passed = true;
      EXPECT_GE(waited.driven.t[i], 6 - 1e-9);
    }
  EXPECT_TRUE(passed);

  task.stops[0].lights.clear();
  task.stops[0].must_stop = true;
  const auto stopped = drive(scene, task, options).value();
  double slowest = 99;
  for (std::size_t i = 0; i < stopped.speeds.size(); ++i)
    if (stopped.driven.x[i] + 2.25 <= 40) slowest = std::min(slowest, stopped.speeds[i]);
  EXPECT_LT(slowest, 0.1);
  EXPECT_GT(stopped.driven.x.back(), 40);
}

TEST(Drive, TimeIsNotWarped) {
  const auto scene = TrafficScene::build({}).value();
  DriveOptions options;
  options.cycle = 0.15;
  const auto refused = drive(scene, straight_task(10, 3), options);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("no multiple"), std::string::npos);
  options.cycle = 0.3;
  const auto driven = drive(scene, straight_task(10, 3), options).value();
  ASSERT_EQ(driven.driven.size(), 31);
  for (int i = 0; i <= 30; ++i)
    EXPECT_NEAR(driven.driven.t[static_cast<std::size_t>(i)], 0.1 * i, 1e-9);
  EXPECT_FALSE(first_violation(VehicleModel{}, driven.driven).has_value());
}

// A road of one lane; somebody drives ahead as expected, until it stands on its brakes.
DriveTask lane_task(double speed, double t_end) {
  DriveTask task = straight_task(speed, t_end);
  task.road = Road::build({lane("a", -60, 400, -1.75, 1.75)}).value();
  task.border = task.road.border(task.road.all());
  return task;
}

struct Leader {
  double x = 0, v = 0, t = 0;

  void advance(double to, double brakes_at) {
    for (; t < to - 1e-9; t += 0.01) {
      const double a = t >= brakes_at ? -8 : 0, before = v;
      v = std::max(0.0, v + 0.01 * a);
      x += 0.005 * (before + v);
    }
  }
  Obstacle expected() const {
    Obstacle o;
    o.name = "leader";
    o.footprint = Footprint::box(4.5, 2).value();
    for (int k = 0; k <= 40; ++k) {
      o.motion.t.push_back(t + 0.1 * k), o.motion.x.push_back(x + 0.1 * k * v);
      o.motion.y.push_back(0), o.motion.heading.push_back(0);
    }
    return o;
  }
};

TEST(Drive, AProvedStopHoldsWhereExpectationsDoNot) {
  const DriveTask task = lane_task(15, 8);
  DriveOptions options;
  options.candidates = 1000;
  options.desired_speed = 18;
  for (const bool fail_safe : {false, true}) {
    options.fail_safe = fail_safe;
    Leader leader{16, 15};
    Watchman watchman(task.road, task.vehicle);
    std::vector<Vec2> seen;  // time and the leader's rear
    const Observe observe = [&](const VehicleState& ego, double until) -> Result<Observation> {
      leader.advance(ego.t, 1.5);
      seen.push_back({ego.t, leader.x - 2.25});
      const auto expected = TrafficScene::build({leader.expected()}).value();
      Observation now{expected, {}, ego.t, until};
      if (!fail_safe) return now;
      now.regions =
          watchman.regions(sightings(expected, ego.t, {}), ego, until, kRegionStep).value();
      return now;
    };
    const auto driven = drive(observe, task, options);
    ASSERT_TRUE(driven.ok()) << driven.error().text();
    const DriveResult& result = driven.value();
    bool hit = false;
    for (std::size_t i = 0; i < seen.size(); ++i) hit |= result.driven.x[i] + 2.25 >= seen[i].y;
    EXPECT_EQ(hit, !fail_safe);
    if (!fail_safe) continue;
    EXPECT_FALSE(result.no_stop);
    EXPECT_EQ(result.end, DriveEnd::time);
    EXPECT_FALSE(first_violation(task.vehicle, result.driven).has_value());
    EXPECT_EQ(result.stops.size() + static_cast<std::size_t>(result.stopping_cycles),
              result.cycles.size());
    TrafficScratch scratch;
    for (const ProvedStop& stop : result.stops) {
      const auto regions = TrafficScene::build(stop.regions).value();
      const Footprint car = Footprint::box(4.5, 2).value();
      EXPECT_EQ(check(regions, car, stop.motion, {}, scratch).value().verdict, Verdict::free);
      EXPECT_NEAR(stop.motion.x.back(),
                  stop.motion.x[static_cast<std::size_t>(stop.motion.size()) - 2], 0.05);
    }
  }
}

TEST(Drive, WithoutAStopAtTheStartItIsRefused) {
  const DriveTask task = lane_task(20, 4);
  DriveOptions options;
  options.candidates = 500;
  options.fail_safe = true;
  Leader leader{7, 20};
  const auto scene = TrafficScene::build({leader.expected()}).value();
  const auto refused = drive(scene, task, options).value();
  EXPECT_EQ(refused.end, DriveEnd::no_free_candidate);
  EXPECT_TRUE(refused.no_stop);
  EXPECT_EQ(refused.in_the_way, "leader");
  EXPECT_TRUE(refused.cycles.empty());
  leader.x = 30;
  const auto fine = drive(TrafficScene::build({leader.expected()}).value(), task, options).value();
  EXPECT_FALSE(fine.no_stop);
  EXPECT_EQ(fine.end, DriveEnd::time);
  options.movers.max_acceleration = NAN;
  EXPECT_FALSE(drive(scene, task, options).ok());
}

TEST(Drive, RefusesMoreStepsThanCanBeCounted) {
  const auto scene = TrafficScene::build({}).value();
  DriveOptions options;
  options.candidates = 10;
  DriveTask task = straight_task(10, 8);
  task.t_end = task.t_begin + 1e12;
  EXPECT_FALSE(drive(scene, task, options).ok());
  task = straight_task(10, 8);
  options.horizon = 1e12;
  EXPECT_FALSE(drive(scene, task, options).ok());
}

TEST(Drive, StopsWhenTheBudgetEnds) {
  const auto scene = TrafficScene::build({}).value();
  DriveOptions options;
  options.candidates = 100;
  std::atomic<bool> cancel = false;
  Budget budget = Budget::of_seconds(INFINITY, &cancel);
  budget.progress = [&](const Progress& progress) {
    if (progress.stage == "steps" && progress.done == 5) cancel = true;
  };
  const auto result = drive(scene, straight_task(10, 8), options, budget).value();
  EXPECT_EQ(result.end, DriveEnd::stopped);
  EXPECT_EQ(result.stopped, Stop::cancelled);
  EXPECT_EQ(result.driven.size(), 6);
  EXPECT_EQ(drive(scene, straight_task(10, 1), options).value().end, DriveEnd::time);
}

}  // namespace
}  // namespace proven::spacetime
