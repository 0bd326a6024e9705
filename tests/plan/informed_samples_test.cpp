// Samples of a part of a space.
#include "plan/informed_samples.h"

#include <gtest/gtest.h>

#include <limits>

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kAnyLength = std::numeric_limits<double>::infinity();

struct Space {
  explicit Space(std::uint64_t seed)
      : random(seed), scene(test::build(test::random_scene(random, {.links = 3}))) {}

  Random random;
  Scene scene;
  std::vector<double> home{scene.home().begin(), scene.home().end()};
  Query query{home, home, {}, {}};
  JointSpace space{scene, query};
  std::vector<double> zero = std::vector<double>(static_cast<std::size_t>(space.dimension()));
};

// As the samples of all of the space that are in that part.
TEST(InformedSamples, OfAPartAreThoseOfAllThatAreInIt) {
  Space made(4);
  const JointSpace& space = made.space;
  Random& random = made.random;
  const std::size_t dimension = made.zero.size();
  const InformedSamples samples(space, made.zero, {made.zero}, kAnyLength);
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
  Space made(5);
  std::vector<double> other = made.zero, point = made.zero;
  other[0] += 0.1;
  const InformedSamples samples(made.space, made.zero, {other}, 0.5);
  EXPECT_FALSE(samples.sample_within(made.space.ranges(), made.random, point));
}

}  // namespace
}  // namespace proven
