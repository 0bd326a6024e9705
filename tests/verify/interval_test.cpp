// Intervals hold what they must: against 128-bit arithmetic, in both kinds.
#include "verify/interval.h"

#include <bit>

#include "proven/base/random.h"
#include "support.h"
#include "verify/algebra.h"

namespace proven::verifier {
namespace {

double any_double(Random& random) {
  switch (random.index(6)) {
    case 0:
      return 0;
    case 1:
      return random.index(7) - 3;
    case 2:
      return std::ldexp(random.uniform(-1, 1), -1000 - random.index(74));
    case 3:
      return std::ldexp(random.uniform(-1, 1), random.index(80) - 60);
    default:
      return random.uniform(-2, 2);
  }
}

Interval any_interval(Random& random) {
  const double x = any_double(random);
  if (random.index(2)) return x;
  const double y = random.index(2) ? any_double(random) : std::nextafter(x, INFINITY);
  return {std::min(x, y), std::max(x, y)};
}

// Whether a holds all of b.
bool holds(const Interval& a, const Wide& b) {
  const Wide outer(a);
  return mpfi_is_inside(b.get(), outer.get()) > 0;
}

TEST(IntervalTest, OperationsHoldTheExactResult) {
  Random random(1);
  for (int i = 0; i < test::cases(300000); ++i) {
    const Interval a = any_interval(random), b = any_interval(random);
    ASSERT_TRUE(holds(a + b, Wide(a) + Wide(b)));
    ASSERT_TRUE(holds(a - b, Wide(a) - Wide(b)));
    ASSERT_TRUE(holds(a * b, Wide(a) * Wide(b)));
    ASSERT_TRUE(holds(abs(a), abs(Wide(a))));
    ASSERT_TRUE(holds(square(a), square(Wide(a))));
    ASSERT_TRUE(holds(min(a, b), min(Wide(a), Wide(b))));
    ASSERT_TRUE(holds(max(a, b), max(Wide(a), Wide(b))));
    ASSERT_TRUE(holds(sqrt(abs(a)), sqrt(Wide(abs(a)))));
    ASSERT_TRUE(holds(widened(a, abs(b)), widened(Wide(a), Wide(abs(b)))));
    ASSERT_TRUE(holds(widened(middle(a), radius(a)), Wide(a)));
    const bool divides = b.lo > 1e-200 || b.hi < -1e-200;
    ASSERT_TRUE(!divides || holds(a / b, Wide(a) / Wide(b)));
  }
}

TEST(IntervalTest, TurnsHoldSineAndCosine) {
  Random random(2);
  for (int i = 0; i < test::cases(20000); ++i) {
    const double x = std::ldexp(random.uniform(-1, 1), random.index(60) - 30);
    const Interval angle(x, random.index(2) ? x : x + 1e-14);
    const Turn<Interval> narrow = turn(angle);
    const Turn<Wide> wide = turn(Wide(angle));
    ASSERT_TRUE(holds(narrow.sine, wide.sine));
    ASSERT_TRUE(holds(narrow.cosine, wide.cosine));
    EXPECT_LT(narrow.sine.hi - narrow.sine.lo, 1e-13);
  }
}

// Products of sums that cancel, as the rule has them.
TEST(IntervalTest, WideDecidesWhatDoublesDoNot) {
  const Interval x(1.0 / 3), y(0x1p-60);
  EXPECT_FALSE(surely_positive((x + y) - x));
  EXPECT_TRUE(surely_positive((Wide(x) + Wide(y)) - Wide(x)));
}

// What nine doubles mean, and how it grows in long chains.
TEST(RotationTest, LongChainsStayNarrow) {
  Random random(3);
  Placement<Interval> narrow;
  Placement<Wide> wide;
  for (int i = 0; i < 180; ++i) {
    const Pose X{random.rotation(), random.unit_vector()};
    narrow = narrow * GivenPose(X).as<Interval>();
    wide = wide * GivenPose(X).as<Wide>();
    const Matrix<Interval> entries = narrow.R.entries();
    const Matrix<Wide> true_entries = wide.R.entries();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        ASSERT_TRUE(holds(entries.row[r][c], true_entries.row[r][c])) << i;
    for (int r = 0; r < 3; ++r) ASSERT_TRUE(holds(narrow.position()[r], wide.position()[r])) << i;
  }
  EXPECT_LT(narrow.R.rho, 1e-12);
  EXPECT_LT(narrow.eps, 1e-10);
  EXPECT_LT(enclose(wide.R.rho).hi, 1e-26);
}

// The nearest rotation is orthonormal to the last bit, although the doubles are not.
TEST(RotationTest, NearestIsARotation) {
  Random random(4);
  for (int i = 0; i < test::cases(1000); ++i) {
    Mat3 m = random.rotation();
    for (Vec3& row : m.row) row += random.uniform(0, 1e-9) * random.unit_vector();
    const Matrix<Wide> R = nearest_rotation<Wide>(m).entries();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const Interval product = enclose(dot(R.row[r], R.row[c]));
        EXPECT_LT(std::fabs(product.lo - (r == c)), 1e-15);
        EXPECT_LT(product.hi - product.lo, 1e-15);
        const double moved = std::fabs(approximate(R.row[r][c]) - m(r, c));
        EXPECT_LT(moved, 3e-9);
      }
  }
}

}  // namespace
}  // namespace proven::verifier
