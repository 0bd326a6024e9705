// Every instruction set finds the same point, and none is nearer, but for the rounding of floats.
#include "plan/nearest_kernel.h"

#include <gtest/gtest.h>

#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

TEST(NearestKernel, FindsTheNearestPoint) {
  Random random(2);
  int ties = 0, later = 0;
  for (int i = 0; i < test::cases(1000); ++i) {
    const int count = 1 + random.index(100), dimension = 1 + random.index(9);
    const int size = (count + kNearestLanes - 1) / kNearestLanes * dimension * kNearestLanes;
    std::vector<float> lanes(static_cast<std::size_t>(size), INFINITY);
    std::vector<float> to(static_cast<std::size_t>(dimension));
    const bool grid = i % 4 == 0;
    const auto draw = [&] {
      return grid ? static_cast<float>(random.index(3)) : static_cast<float>(random.uniform(-3, 3));
    };
    const auto at = [&](int point, int d) -> float& {
      const int row = point / kNearestLanes * dimension + d;
      const int place = row * kNearestLanes + point % kNearestLanes;
      return lanes[static_cast<std::size_t>(place)];
    };
    for (float& x : to) x = draw();
    for (int point = 0; point < count; ++point)
      for (int d = 0; d < dimension; ++d) at(point, d) = draw();
    const auto square = [&](int point) {
      double sum = 0;
      for (int d = 0; d < dimension; ++d) {
        const double apart = static_cast<double>(at(point, d)) - to[static_cast<std::size_t>(d)];
        sum += apart * apart;
      }
      return sum;
    };
    int expected = -1;
    float told = 0;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      const NearestPoint found = nearest_kernel->nearest(lanes.data(), count, dimension, to.data());
      if (expected < 0) expected = found.place, told = found.square;
      EXPECT_EQ(found.place, expected) << i;
      EXPECT_EQ(found.square, told) << i;
    }
    ASSERT_LT(expected, count);
    EXPECT_NEAR(told, square(expected), 1e-5 * square(expected));
    later += expected >= kNearestLanes;
    int equal = 0;
    for (int point = 0; point < count; ++point) {
      EXPECT_LE(square(expected), square(point) * (1 + 1e-5)) << i;
      equal += square(point) == square(expected);
      // Of equals the first: squares of whole numbers are exact.
      if (grid && square(point) == square(expected)) {
        EXPECT_LE(expected, point);
      }
    }
    ties += equal > 1;
  }
  EXPECT_GT(ties, 0);
  EXPECT_GT(later, 0);
}

}  // namespace
}  // namespace proven
