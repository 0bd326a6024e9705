#include "proven/base/budget.h"

#include <gtest/gtest.h>

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Budget, ByDefaultNothingStops) {
  const Budget budget;
  EXPECT_FALSE(budget.limited());
  EXPECT_FALSE(budget.stopped());
  EXPECT_EQ(budget.seconds_left(), kInfinity);
}

TEST(Budget, InfiniteSecondsAreNoLimitAndNoneAreOver) {
  EXPECT_FALSE(Budget::of_seconds(kInfinity).limited());
  EXPECT_FALSE(Budget::of_seconds(1e300).limited());
  for (const double over : {0.0, -1.0, -kInfinity, std::nan("")}) {
    EXPECT_EQ(Budget::of_seconds(over).stopped(), Stop::time) << over;
    EXPECT_EQ(Budget::of_seconds(over).seconds_left(), 0) << over;
  }
  EXPECT_FALSE(Budget::of_seconds(3600).stopped());
  EXPECT_LE(Budget::of_seconds(3600).seconds_left(), 3600);
}

TEST(Budget, CancelIsSeenBeforeTime) {
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(0, &cancel);
  EXPECT_EQ(budget.stopped(), Stop::time);
  cancel = true;
  EXPECT_EQ(budget.stopped(), Stop::cancelled);
}

TEST(Budget, APartIsNeverLongerThanTheWhole) {
  std::atomic<bool> cancel = false;
  const Budget whole = Budget::of_seconds(5, &cancel);
  EXPECT_LE(whole.at_most(3600).deadline, whole.deadline);
  EXPECT_LT(whole.at_most(1).deadline, whole.deadline);
  EXPECT_EQ(whole.at_most(1).cancel, &cancel);
}

TEST(Budget, Reports) {
  Budget budget;
  budget.report("nobody listens", 1);
  std::int64_t done = 0;
  budget.progress = [&](const Progress& p) { done = p.done + p.total; };
  budget.report("samples", 3, 10);
  EXPECT_EQ(done, 13);
}

}  // namespace
}  // namespace proven
