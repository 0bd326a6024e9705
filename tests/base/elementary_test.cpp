#include "proven/base/elementary.h"

#include <cmath>
#include <limits>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

constexpr double kUnit = 0x1p-53;
using Long = long double;  // the C library's, with 64 bits: another implementation

// Of every size, and close to multiples of π/4, where octants and quarters meet.
double some_angle(Random& random, int i) {
  const double near = std::round(random.uniform(-1000, 1000)) * 0.78539816339744831;
  if (i % 4 == 0) return near;
  if (i % 4 == 1) return near + random.uniform(-1e-9, 1e-9);
  if (i % 4 == 2) return random.uniform(-4, 4);
  return random.uniform(-1, 1) * std::exp2(random.uniform(-40, 19));
}

TEST(Elementary, SinesAndCosinesAreWithinAUnit) {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < test::cases(400000); ++i) {
    const double x = some_angle(random, i);
    const auto [s, c] = sine_cosine(x);
    worst = std::fmax(worst, static_cast<double>(std::fabs(s - std::sin(Long{x}))));
    worst = std::fmax(worst, static_cast<double>(std::fabs(c - std::cos(Long{x}))));
  }
  EXPECT_LE(worst, kUnit);
  EXPECT_GE(worst, 0.5 * kUnit);  // it is rounded, and compared with something better
}

TEST(Elementary, SmallAnglesKeepTheirRelativePrecision) {
  for (double x = 1e-3; x > 1e-300; x *= 0.37)
    EXPECT_NEAR(static_cast<double>(sine(x) / std::sin(Long{x})), 1, 2 * kUnit) << x;
  EXPECT_EQ(sine(0), 0);
  EXPECT_EQ(cosine(0), 1);
}

TEST(Elementary, FarAndNoAnglesAreTheLibrarys) {
  EXPECT_EQ(sine(1e9), std::sin(1e9));
  EXPECT_TRUE(std::isnan(sine(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(cosine(HUGE_VAL)));
}

TEST(Elementary, ArcTangents) {
  Random random(2);
  double in_octant = 0, elsewhere = 0;
  for (int i = 0; i < test::cases(400000); ++i) {
    const double scale = std::exp2(random.uniform(-300, 300));
    const double y = random.uniform(-1, 1) * scale;
    const double x =
        random.uniform(-1, 1) * (i % 2 ? scale : scale * std::exp2(random.uniform(-30, 30)));
    const double off =
        static_cast<double>(std::fabs(arc_tangent(y, x) - std::atan2(Long{y}, Long{x})));
    double& worst = y >= 0 && y <= x ? in_octant : elsewhere;
    worst = std::fmax(worst, off);
  }
  EXPECT_LE(in_octant, kUnit);
  EXPECT_LE(elsewhere, 4 * kUnit);
  EXPECT_GT(elsewhere, kUnit);
  for (const double y : {0.0, -0.0, 1.0, -1.0, HUGE_VAL})
    for (const double x : {0.0, -0.0, 1.0, -1.0, -HUGE_VAL})
      EXPECT_DOUBLE_EQ(arc_tangent(y, x), std::atan2(y, x)) << y << " " << x;
  EXPECT_TRUE(std::isnan(arc_tangent(std::nan(""), 1)));
}

TEST(Elementary, Hypotenuses) {
  Random random(3);
  for (int i = 0; i < test::cases(100000); ++i) {
    const double x = random.uniform(-1, 1) * std::exp2(random.uniform(-1000, 1000));
    const double y = x * random.uniform(-4, 4);
    const Long exact = std::hypot(Long{x}, Long{y});
    ASSERT_LE(std::fabs(hypotenuse(x, y) - exact), 2 * kUnit * exact) << x << " " << y;
  }
  EXPECT_EQ(hypotenuse(3, 4), 5);
  EXPECT_EQ(hypotenuse(0, -0.0), 0);
  EXPECT_EQ(hypotenuse(-HUGE_VAL, 1), HUGE_VAL);
  EXPECT_TRUE(std::isnan(hypotenuse(std::nan(""), 1)));
}

TEST(Elementary, CubeRoots) {
  Random random(4);
  for (int i = 0; i < test::cases(100000); ++i) {
    const double x = random.uniform(-1, 1) * std::exp2(random.uniform(-1000, 1000));
    const Long exact = std::cbrt(Long{x});
    ASSERT_LE(std::fabs(cube_root(x) - exact), 8 * kUnit * std::fabs(exact)) << x;
  }
  EXPECT_EQ(cube_root(0), 0);
}

// The point of it all: these bits are the same wherever the code runs. FNV-1a over many values.
TEST(Elementary, TheBitsAreThoseOfEveryMachine) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add = [&](double value) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ull;
  };
  for (int i = 1; i <= 10000; ++i) {
    const double x = 0.37 * i, y = 5000.5 - i;
    add(sine(x)), add(cosine(x)), add(arc_tangent(y, x)), add(hypotenuse(x, y)), add(cube_root(y));
  }
  EXPECT_EQ(hash, 18084960600724959294ull);
}

}  // namespace
}  // namespace proven
