// The space that planners search: ranges, samples, metric.
#include "proven/plan/joint_space.h"

#include <algorithm>
#include <cmath>

#include "plan/plan_support.h"

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

TEST(JointSpace, ContinuousJointsAreUnrolledOverATurnEitherWay) {
  const test::PlanCase c = test::post_case(JointType::continuous);
  const JointSpace space(c.scene, c.problem);
  EXPECT_EQ(space.continuous().size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(space.ranges()[k].lower, c.problem.start[k] - kTurn, 1e-12);
    EXPECT_NEAR(space.ranges()[k].upper, c.problem.start[k] + kTurn, 1e-12);
  }
}

TEST(JointSpace, SamplesFillTheRanges) {
  const test::PlanCase c = test::post_case();
  const JointSpace space(c.scene, c.problem);
  Random random(3);
  std::vector<double> low = {9, 9}, high = {-9, -9}, point(2), near(2);
  for (int i = 0; i < 2000; ++i) {
    space.sample(random, point);
    for (std::size_t k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], point[k]);
      high[k] = std::max(high[k], point[k]);
    }
    space.sample_near(point, 0.1, random, near);
    EXPECT_LE(space.normalised_distance(point, near), 0.1 + 1e-12);
    for (const double value : near) EXPECT_LE(std::fabs(value), 3);
  }
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_GE(low[k], -3);
    EXPECT_LT(low[k], -2.95);
    EXPECT_LE(high[k], 3);
    EXPECT_GT(high[k], 2.95);
  }
}

TEST(JointSpace, InterpolationIsStraightAndDistanceEuclidean) {
  const test::PlanCase c = test::post_case();
  const JointSpace space(c.scene, c.problem);
  std::vector<double> middle(2);
  space.interpolate(c.problem.start, c.problem.goal, 0.25, middle);
  EXPECT_NEAR(middle[0], -0.25, 1e-15);
  EXPECT_NEAR(middle[1], 0.05, 1e-15);
  EXPECT_NEAR(space.distance(c.problem.start, c.problem.goal), std::hypot(1.0, 0.2), 1e-15);
  EXPECT_NEAR(space.normalised_distance(c.problem.start, c.problem.goal), 1.0 / 6, 1e-15);
}

}  // namespace
}  // namespace proven
