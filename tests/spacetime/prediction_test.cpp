// Movers within their bounds, driven by other means, stay in what is predicted for them, and the
// worst of them come near its border.
#include "proven/spacetime/prediction.h"

#include <cmath>

#include "proven/base/random.h"
#include "support.h"

namespace proven::spacetime {
namespace {

// A lane along a circle about the origin (radius > 0), or straight on.
Lanelet lane(const std::string& id, double radius, double from, double to, double width) {
  Lanelet l;
  l.id = id;
  for (double s = from; s <= to + 1e-9; s += 2.5) {
    const auto at = [&](double aside) {
      if (radius == 0) return Vec2{s, aside};
      return Vec2{(radius - aside) * std::sin(s / radius),
                  radius - (radius - aside) * std::cos(s / radius)};
    };
    l.left.push_back(at(0.5 * width)), l.right.push_back(at(-0.5 * width));
  }
  return l;
}

Pose2 on_circle(double radius, double s, double aside, double tilt) {
  if (radius == 0) return {s, aside, tilt};
  return {(radius - aside) * std::sin(s / radius), radius - (radius - aside) * std::cos(s / radius),
          s / radius + tilt};
}

bool holds(const Obstacle& set, double t, Vec2 p) {
  for (const Occupancy& part : set.occupancies)
    if (t >= part.t_begin && t <= part.t_end && spacetime::holds(part.region, p)) return true;
  return false;
}

std::vector<Vec2> outline(const Pose2& pose, double length, double width) {
  std::vector<Vec2> points;
  for (int i = -8; i <= 8; ++i)
    for (const Vec2 p :
         {Vec2{i / 8.0, 1}, Vec2{i / 8.0, -1}, Vec2{1, i / 8.0}, Vec2{-1, i / 8.0}}) {
      const double x = 0.5 * length * p.x, y = 0.5 * width * p.y;
      points.push_back({pose.x + std::cos(pose.heading) * x - std::sin(pose.heading) * y,
                        pose.y + std::sin(pose.heading) * x + std::cos(pose.heading) * y});
    }
  return points;
}

Sighting car_at(const Pose2& pose, double speed) {
  Sighting seen;
  seen.name = "car";
  seen.footprint = Footprint::box(4.5, 1.9).value();
  seen.pose = pose;
  seen.velocity = {speed * std::cos(pose.heading), speed * std::sin(pose.heading)};
  return seen;
}

struct LaneCase {
  double radius, v0, most, a;
  int mood;  // 0 full throttle, 1 full brakes, 2 at random
};

// Straight lanes, whose progress is the way along them: to the last centimetre.
TEST(Prediction, WhoKeepsItsLaneStaysInItsRegions) {
  Random random(3);
  int near_front = 0, near_rear = 0, near_side = 0;
  const int n = test::cases(120);
  for (int k = 0; k < n; ++k) {
    const LaneCase c{k % 2 == 0 ? 0.0 : random.uniform(60, 200), random.uniform(0, 25),
                     random.uniform(5, 35), random.uniform(2, 9), k % 3};
    const auto road = Road::build({lane("a", c.radius, -50, 60, 3.5), [&] {
                                     Lanelet next = lane("b", c.radius, 60, 400, 3.5);
                                     return next;
                                   }()});
    std::vector<Lanelet> lanelets = road.value().lanelets();
    lanelets[0].successors = {"b"};
    lanelets[1].predecessors = {"a"};
    const Road linked = Road::build(lanelets).value();
    double s = random.uniform(0, 80), v = c.v0, aside = random.uniform(-0.7, 0.7);
    // The chords of a border of 2.5 m are shorter than the arc, by less than this.
    const double shrink = c.radius > 0 ? 1 - 2.5 * 2.5 / (24 * c.radius * c.radius) : 1;
    Sighting seen = car_at(on_circle(c.radius, s, aside, 0), v);
    seen.bounds = {c.most, c.a, true};
    const auto set = Predictor(linked).occupancies(seen, 7, 10, 0.1);
    ASSERT_TRUE(set.ok()) << set.error().text();
    const double top = std::max(c.most, c.v0);
    double rate = 0;
    for (int i = 0; i <= 300; ++i) {
      const double t = 7 + 0.01 * i;
      const Pose2 pose = on_circle(c.radius, s, aside, 0);
      for (const Vec2 p : outline(pose, 4.5, 1.9))
        ASSERT_TRUE(holds(set.value(), t, p)) << k << " at " << t << ": " << p.x << " " << p.y;
      const Vec2 f{std::cos(pose.heading), std::sin(pose.heading)}, at{pose.x, pose.y};
      if (i > 100) {
        near_front += !holds(set.value(), t, at + (2.25 + 1.5) * f);
        near_rear += !holds(set.value(), t, at + (-2.25 - 1.5) * f);
        near_side += !holds(set.value(), t, at + 1.2 * Vec2{-f.y, f.x});
      }
      if (c.mood == 2 && i % 20 == 0) rate = random.uniform(-c.a, c.a);
      const double a = c.mood == 0 ? c.a : c.mood == 1 ? -c.a : rate;
      const double before = v;
      v = std::clamp(v + a * 0.01, 0.0, top);
      // Progress is along the chords.
      s += 0.005 * (before + v) / shrink;
      aside = std::clamp(aside + random.uniform(-0.02, 0.02), -0.7, 0.7);
    }
  }
  EXPECT_GT(near_front, 0);
  EXPECT_GT(near_rear, 0);
  EXPECT_GT(near_side, 0);
}

TEST(Prediction, WhoKeepsNoLaneStaysWithinItsReach) {
  Random random(4);
  const Road none;
  int near = 0;
  const int n = test::cases(200);
  for (int k = 0; k < n; ++k) {
    Sighting seen =
        car_at({random.uniform(-50, 50), random.uniform(-50, 50), random.uniform(-3, 3)},
               random.uniform(0, 6));
    seen.bounds = {random.uniform(1, 8), random.uniform(1, 5), k % 2 == 0};
    if (k % 4 < 2) seen.velocity = {random.uniform(-4, 4), random.uniform(-4, 4)};
    const Obstacle set = Predictor(none).occupancies(seen, 0, 2, 0.1).value();
    const double top = std::max(seen.bounds.max_speed, norm(seen.velocity));
    const double angle = random.uniform(-M_PI, M_PI);
    const Vec2 push = seen.bounds.max_acceleration * Vec2{std::cos(angle), std::sin(angle)};
    Vec2 p{seen.pose.x, seen.pose.y}, v = seen.velocity;
    for (int i = 0; i <= 200; ++i) {
      const double t = 0.01 * i, turn = random.uniform(-M_PI, M_PI);
      for (const Vec2 q : outline({p.x, p.y, turn}, 4.5, 1.9))
        ASSERT_TRUE(holds(set, t, q)) << k << " at " << t;
      const double r = seen.footprint.reach();
      near += i > 100 && !holds(set, t, p + (r + 1.0) * Vec2{std::cos(angle), std::sin(angle)});
      Vec2 next = v + 0.01 * push;
      if (norm(next) > top) next = (top / norm(next)) * next;
      p = p + 0.005 * (v + next);
      v = next;
    }
  }
  EXPECT_GT(near, 0);
}

TEST(Prediction, BranchesAreAllCovered) {
  Lanelet from = lane("from", 0, 0, 50, 3.5), on = lane("on", 0, 50, 200, 3.5), off = on;
  off.id = "off";
  for (std::size_t i = 0; i < off.left.size(); ++i) {
    const double down = 0.002 * (off.left[i].x - 50) * (off.left[i].x - 50);
    off.left[i].y -= down, off.right[i].y -= down;
  }
  from.successors = {"on", "off"};
  on.predecessors = off.predecessors = {"from"};
  const Road road = Road::build({from, on, off}).value();
  const Obstacle set = Predictor(road).occupancies(car_at({40, 0, 0}, 20), 0, 3, 0.1).value();
  EXPECT_TRUE(holds(set, 2.5, {90, 0}));
  EXPECT_TRUE(holds(set, 2.5, {90, -3.2}));
  EXPECT_FALSE(holds(set, 2.5, {90, 3.2}));
  EXPECT_FALSE(holds(set, 2.5, {90, -6.5}));
}

TEST(Prediction, WhoSticksOutMayGoOnToAndWhoStraddlesTwoLanesMayTakeEither) {
  const auto shifted = [](const std::string& id, double y) {
    Lanelet l = lane(id, 0, -50, 200, 3.5);
    for (Vec2& p : l.left) p.y += y;
    for (Vec2& p : l.right) p.y += y;
    return l;
  };
  const Road road = Road::build({shifted("low", 0), shifted("high", 3.5)}).value();
  const auto predicted = [&](double y) {
    return Predictor(road).occupancies(car_at({0, y, 0}, 10), 0, 2, 0.1).value();
  };
  EXPECT_FALSE(holds(predicted(0), 1, {10, 1.95}));
  const Obstacle out = predicted(1.0);  // its left side is at 1.95
  EXPECT_TRUE(holds(out, 1, {10, 1.95}));
  EXPECT_FALSE(holds(out, 1, {10, 2.4}));
  const Obstacle both = predicted(1.5);
  EXPECT_TRUE(holds(both, 1, {10, 5.2}));
  EXPECT_TRUE(holds(both, 1, {10, -1.7}));
}

TEST(Prediction, RefusesWhatIsNoMover) {
  const Road none;
  Sighting seen = car_at({0, 0, 0}, 3);
  EXPECT_TRUE(Predictor(none).occupancies(seen, 0, 1, 0.1).ok());
  for (const double bad : {double{NAN}, double{INFINITY}, -1.0}) {
    Sighting other = seen;
    other.bounds.max_acceleration = bad;
    EXPECT_FALSE(Predictor(none).occupancies(other, 0, 1, 0.1).ok());
    other = seen;
    other.bounds.max_speed = bad;
    EXPECT_FALSE(Predictor(none).occupancies(other, 0, 1, 0.1).ok());
    other = seen;
    other.speed_deviation = bad;
    EXPECT_FALSE(Predictor(none).occupancies(other, 0, 1, 0.1).ok());
    EXPECT_FALSE(Predictor(none).occupancies(seen, 0, 1, bad).ok());
    EXPECT_FALSE(Predictor(none).occupancies(seen, 0, bad, 0.1).ok());
  }
  Sighting lost = seen;
  lost.pose.x = NAN;
  EXPECT_FALSE(Predictor(none).occupancies(lost, 0, 1, 0.1).ok());
}

TEST(Prediction, WhoIsBehindKeepsItsDistanceAndOthersAreLookedAt) {
  const auto shifted = [](const std::string& id, double y) {
    Lanelet l = lane(id, 0, -150, 200, 3.5);
    for (Vec2& p : l.left) p.y += y;
    for (Vec2& p : l.right) p.y += y;
    return l;
  };
  const Road road = Road::build({shifted("low", 0), shifted("high", 3.5)}).value();
  const auto names = [](const std::vector<Obstacle>& all) {
    std::string list;
    for (const Obstacle& o : all) list += o.name + " ";
    return list;
  };
  std::vector<Sighting> seen = {car_at({-15, 0, 0}, 10), car_at({20, 0, 0}, 10),
                                car_at({-15, 3.5, 0}, 10), car_at({-90, 3.5, 0}, 10)};
  const char* const kNames[] = {"behind", "ahead", "beside", "far"};
  for (std::size_t i = 0; i < 4; ++i) seen[i].name = kNames[i];
  Watchman watchman(road, VehicleModel{});
  const auto at = [&](double y) {
    return names(watchman.regions(seen, {0, {0, y, 0}, 10}, 2, 0.1).value());
  };
  EXPECT_EQ(at(0), "ahead beside far ");
  EXPECT_EQ(at(1.2), "ahead beside far ");     // partly there still
  EXPECT_EQ(at(3.5), "behind ahead beside ");  // came too near before "beside", not before "far"
  EXPECT_EQ(at(0), "behind ahead beside far ");
}

TEST(Prediction, SightingsAreWhatWasSeenUntilThen) {
  Obstacle o;
  o.name = "car";
  o.footprint = Footprint::box(4, 2).value();
  o.motion.t = {0, 1, 2}, o.motion.x = {0, 1, 5}, o.motion.y = {0, 0, 0};
  o.motion.heading = {0, 0, 0};
  const TrafficScene scene = TrafficScene::build({o}).value();
  EXPECT_EQ(sightings(scene, 1, {})[0].velocity.x, 1);
  EXPECT_EQ(sightings(scene, 1.5, {})[0].velocity.x, 4);
  EXPECT_EQ(sightings(scene, 0, {})[0].velocity.x, 1);
  EXPECT_EQ(sightings(scene, 1.5, {})[0].pose.x, 3);
  EXPECT_TRUE(sightings(scene, 2.5, {}).empty());
  // Rounding hides nobody.
  EXPECT_EQ(sightings(scene, -1e-15, {}).size(), 1u);
  EXPECT_EQ(sightings(scene, 2 + 1e-15, {}).size(), 1u);
  EXPECT_EQ(sightings(scene, 1 + 1e-15, {})[0].velocity.x, 1);
}

}  // namespace
}  // namespace proven::spacetime
