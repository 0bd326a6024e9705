// Roads: borders that hold a vehicle in, ways over lanes, lights.
#include "proven/spacetime/road.h"

#include "proven/base/random.h"
#include "proven/spacetime/check.h"
#include "support.h"

namespace proven::spacetime {
namespace {

Lanelet lane(const std::string& id, double x0, double x1, double low, double high,
             double bend = 0) {
  Lanelet l;
  l.id = id;
  for (double x = x0; x <= x1 + 1e-9; x += 2)
    l.left.push_back({x, high + bend * x * x}), l.right.push_back({x, low + bend * x * x});
  return l;
}

// Two lanes side by side, each of two lanelets, drawn with hair-wide gaps; a third goes the other
// way.
Road two_lanes() {
  Lanelet a = lane("a", 0, 40, -1.75, 1.74, 0.002), b = lane("b", 40.01, 80.01, -1.75, 1.75, 0.002),
          c = lane("c", 0, 40, 1.76, 5.25, 0.002), d = lane("d", 40, 80, 1.75, 5.25, 0.002);
  Lanelet e = lane("e", 0, 80, 5.25, 8.75, 0.002);
  std::swap(e.left, e.right);
  std::reverse(e.left.begin(), e.left.end());
  std::reverse(e.right.begin(), e.right.end());
  a.successors = {"b"}, b.predecessors = {"a"}, c.successors = {"d"}, d.predecessors = {"c"};
  a.left_neighbour = Neighbour{"c"}, c.right_neighbour = Neighbour{"a"};
  b.left_neighbour = Neighbour{"d"}, d.right_neighbour = Neighbour{"b"};
  c.left_neighbour = Neighbour{"e", false}, d.left_neighbour = Neighbour{"e", false};
  return Road::build({a, b, c, d, e}).value();
}

bool on(const Road& road, const std::vector<int>& chosen, Vec2 p, double within) {
  for (const int lanelet : chosen) {
    for (int i = 0; i < 16; ++i) {
      const double angle = 2 * M_PI * i / 16;
      if (road.holds(lanelet, p + within * Vec2{std::cos(angle), std::sin(angle)})) return true;
    }
    if (road.holds(lanelet, p)) return true;
  }
  return false;
}

// Random short moves of a small box: whenever the proof says that it stays off the border, every
// point of it is on the road, and most moves in the middle of the road are proved.
TEST(Road, ABorderHoldsWhatStartsOnTheRoad) {
  const Road road = two_lanes();
  const std::vector<int> chosen = {0, 1, 2, 3};
  const auto border = TrafficScene::build(road.border(chosen)).value();
  ASSERT_GT(border.obstacles().size(), 10u);
  Random random(3);
  const double l = 3, w = 1.5;
  const Footprint car = Footprint::box(l, w).value();
  TrafficScratch scratch;
  TrafficOptions options;
  options.clearance = kSeam;
  int free = 0, hit = 0, crossing_free = 0;
  for (int round = 0; round < 3000; ++round) {
    const double x = random.uniform(2, 78), y = random.uniform(-1.5, 5) + 0.002 * x * x;
    if (!on(road, chosen, {x, y}, 0)) continue;
    Trajectory m;
    const double heading = random.uniform(-0.5, 0.5);
    m.t = {0, 1};
    m.x = {x, x + random.uniform(0, 6)};
    m.y = {y, y + random.uniform(-2, 2)};
    m.heading = {heading, heading + random.uniform(-0.5, 0.5)};
    const auto found = check(border, car, m, options, scratch).value();
    if (found.verdict != Verdict::free) {
      ++hit;
      continue;
    }
    ++free;
    crossing_free += m.x[0] < 38 && m.x[1] > 41;
    for (int k = 0; k <= 20; ++k) {
      const double u = k / 20.0, h = m.heading[0] + u * (m.heading[1] - m.heading[0]);
      const Vec2 at{m.x[0] + u * (m.x[1] - m.x[0]), m.y[0] + u * (m.y[1] - m.y[0])};
      for (int i = -4; i <= 4; ++i)
        for (int j = -4; j <= 4; ++j) {
          const Vec2 p{l / 2 * i / 4, w / 2 * j / 4};
          const Vec2 q = at + Vec2{std::cos(h) * p.x - std::sin(h) * p.y,
                                   std::sin(h) * p.x + std::cos(h) * p.y};
          ASSERT_TRUE(on(road, chosen, q, 0.02)) << q.x << " " << q.y;
        }
    }
  }
  EXPECT_GT(free, 200);
  EXPECT_GT(hit, 200);
  EXPECT_GT(crossing_free, 5);  // the seams between lanelets are no walls
}

TEST(Road, WaysChangeLanesAndStayOffTheOtherDirection) {
  const Road road = two_lanes();
  const int goal = road.find("d");
  const std::vector<int> goals = {goal};
  const std::vector<Vec2> points = {{70, 3.5 + 0.002 * 4900}};
  const auto route = find_route(road, {5, 0, 0}, goals, points).value();
  EXPECT_TRUE(route.reaches_goal);
  int changes = 0;
  for (const bool change : route.change) changes += change;
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(route.lanelets.back(), goal);
  EXPECT_EQ(std::ranges::count(route.corridor, road.find("e")), 0);
  EXPECT_EQ(route.corridor.size(), 4u);
  double worst = 0;
  for (std::size_t i = 1; i < route.line.size(); ++i)
    worst = std::max(worst, norm(route.line[i] - route.line[i - 1]));
  EXPECT_LT(worst, 3);
  // Straight on without a goal; backwards there is no way.
  EXPECT_FALSE(find_route(road, {5, 0, 0}, {}, {}).value().reaches_goal);
  EXPECT_FALSE(find_route(road, {5, 0, M_PI}, {}, {}).ok());
  EXPECT_FALSE(find_route(road, {5, -40, 0}, {}, {}).ok());
  // A solid line is not crossed.
  std::vector<Lanelet> solid = road.lanelets();
  for (Lanelet& l : solid)
    if (l.left_neighbour) l.left_neighbour->may_change = false;
  const Road lined = Road::build(solid).value();
  EXPECT_FALSE(find_route(lined, {5, 0, 0}, goals, points).value().reaches_goal);
}

TEST(Road, LightsFollowTheirCycle) {
  TrafficLight light;
  light.phases = {{true, 3}, {false, 2}};
  light.offset = 1;
  EXPECT_TRUE(light.may_pass(1.5));
  EXPECT_TRUE(light.may_pass(3.9));
  EXPECT_FALSE(light.may_pass(4.5));
  EXPECT_FALSE(light.may_pass(0.5));
  EXPECT_TRUE(light.may_pass(6.5));
  EXPECT_TRUE(TrafficLight{}.may_pass(3));  // out of order
}

TEST(Road, RefusesWhatIsNone) {
  EXPECT_FALSE(Road::build({lane("a", 0, 10, 0, 3), lane("a", 10, 20, 0, 3)}).ok());
  Lanelet point;
  point.id = "p";
  point.left = point.right = {{0, 0}, {0, 0}};
  EXPECT_FALSE(Road::build({point}).ok());
  // Longer than any number of cells, or no number.
  for (const double far : {1e12, 1e300, static_cast<double>(INFINITY), std::nan("")}) {
    Lanelet endless = lane("a", 0, 10, 0, 3);
    endless.left.push_back({far, 3}), endless.right.push_back({far, 0});
    EXPECT_FALSE(Road::build({endless}).ok()) << far;
  }
}

}  // namespace
}  // namespace proven::spacetime
