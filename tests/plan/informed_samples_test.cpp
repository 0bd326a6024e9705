// Samples of a part of a space.
#include "plan/informed_samples.h"

#include <gtest/gtest.h>

#include <limits>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kAnyLength = std::numeric_limits<double>::infinity();

// As the samples of all of the space that are in that part.
TEST(InformedSamples, OfAPartAreThoseOfAllThatAreInIt) {
  Random random(4);
  const Scene scene = test::build(test::random_scene(random, {.links = 3}));
  const std::vector<double> home(scene.home().begin(), scene.home().end());
  const Query query{home, home, {}, {}};
  const JointSpace space(scene, query);
  const auto dimension = static_cast<std::size_t>(space.dimension());
  const std::vector<double> end(dimension);
  const InformedSamples samples(space, end, {end}, kAnyLength);
  std::vector<Interval> part;
  for (const Interval& range : space.ranges())
    part.push_back({range.lower + 0.2 * (range.upper - range.lower),
                    range.lower + 0.7 * (range.upper - range.lower)});
  const auto is_inside = [&](const std::vector<double>& point) {
    for (std::size_t k = 0; k < dimension; ++k)
      if (point[k] < part[k].lower || point[k] > part[k].upper) return false;
    return true;
  };
  // How many are in the lower half of the part, coordinate by coordinate.
  std::array<std::vector<double>, 2> low = {std::vector<double>(dimension),
                                            std::vector<double>(dimension)};
  std::array<int, 2> count = {};
  const auto take = [&](std::size_t way, const std::vector<double>& point) {
    ++count[way];
    for (std::size_t k = 0; k < dimension; ++k)
      low[way][k] += point[k] < 0.5 * (part[k].lower + part[k].upper);
  };
  std::vector<double> point(dimension);
  for (int i = 0; i < 40'000; ++i) {
    samples.sample(random, point);
    if (is_inside(point)) take(0, point);
    ASSERT_TRUE(samples.sample_within(part, random, point));
    ASSERT_TRUE(is_inside(point));
    take(1, point);
  }
  ASSERT_GT(count[0], 1000);
  // Five deviations of the smaller count.
  for (const std::size_t way : {0u, 1u})
    for (const double lower : low[way])
      EXPECT_NEAR(lower / count[way], 0.5, 2.5 / std::sqrt(count[0]));
}

TEST(InformedSamples, OfAnEllipsoidAreNotOfAPart) {
  Random random(5);
  const Scene scene = test::build(test::random_scene(random, {.links = 3}));
  const std::vector<double> home(scene.home().begin(), scene.home().end());
  const Query query{home, home, {}, {}};
  const JointSpace space(scene, query);
  const std::vector<double> end(static_cast<std::size_t>(space.dimension()));
  std::vector<double> other = end, point = end;
  other[0] += 0.1;
  const InformedSamples samples(space, end, {other}, 0.5);
  EXPECT_FALSE(samples.sample_within(space.ranges(), random, point));
}

}  // namespace
}  // namespace proven
