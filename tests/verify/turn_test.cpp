// Sine and cosine in doubles against 128 bits.
#include "proven/base/random.h"
#include "support.h"
#include "verify/wide.h"

namespace proven::verifier {
namespace {

double off(double found, const Wide& exact) {
  const Interval difference = enclose(Wide(found) - exact);
  return std::max(std::fabs(difference.lo), std::fabs(difference.hi));
}

TEST(TurnTest, ErrorsStayBelowTheBound) {
  Random random(1);
  double largest = 0;
  for (int i = 0; i < test::cases(300000); ++i) {
    // Of every size, near multiples of a quarter turn and of an eighth, and beyond the reduction.
    double angle = std::ldexp(random.uniform(-1, 1), random.index(32) - 8);
    if (i % 4 == 1) angle = (random.index(600000) - 300000) * 0x1.921fb54442d18p0;
    if (i % 4 == 2) angle = (random.index(600000) - 300000) * 0x1.921fb54442d18p-1;
    if (i % 4 == 3) angle = random.uniform(-4, 4);
    const Turn<double> found = near_turn(angle);
    const Turn<Wide> exact = turn(Wide(angle));
    largest = std::max({largest, off(found.sine, exact.sine), off(found.cosine, exact.cosine)});
    ASSERT_LT(largest, kTurnError) << angle;
  }
  // The bound is not idle.
  EXPECT_GT(largest, kTurnError / 16);
}

TEST(TurnTest, NoAngleHasNoTurn) {
  for (const double angle : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    EXPECT_FALSE(std::isfinite(near_turn(angle).sine));
}

}  // namespace
}  // namespace proven::verifier
