// What the planner asks for, whatever it is told.
#include "plan/rrt_connect.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

// A start in the middle of its space from which nothing succeeds: steps are tried to all sides.
TEST(RrtConnect, StepsThatFailAreTriedToAllSides) {
  Random random(6);
  const Scene scene = test::build(test::random_scene(random, {.links = 4}));
  const std::vector<double> home(scene.home().begin(), scene.home().end());
  const Query query{home, home, {}, {}};
  const JointSpace space(scene, query);
  Point start;
  std::vector<Point> goals(1);
  for (const Interval& range : space.ranges()) {
    start.push_back(0.5 * (range.lower + range.upper));
    goals[0].push_back(range.upper);
  }
  const Budget budget;
  IterationCount iterations(1000, budget);
  RrtConnect planner({space, start, goals, 1, INFINITY, iterations});
  std::vector<double> point(start.size());
  std::vector<int> up(start.size()), down(start.size());
  int steps = 0;
  while (const MotionQuestion* asked = planner.next()) {
    space.restrict(asked->from, point);
    const bool grows = point == start && asked->others;
    space.restrict(asked->to, point);
    for (std::size_t k = 0; k < point.size() && grows; ++k) ++(point[k] > start[k] ? up : down)[k];
    steps += grows;
    planner.take(false);
  }
  EXPECT_FALSE(planner.solution());
  ASSERT_GT(steps, 300);
  // Five deviations.
  for (std::size_t k = 0; k < start.size(); ++k)
    EXPECT_NEAR(up[k], down[k], 5 * std::sqrt(steps)) << k;
}

}  // namespace
}  // namespace proven
