#include "geometry/predicates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "geometry/error_free.h"
#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

using Quad = __float128;

Vec3 random_point(Random& random, double scale) {
  return {random.uniform(-scale, scale), random.uniform(-scale, scale),
          random.uniform(-scale, scale)};
}

// Points that are coplanar but for the rounding of the last one: the hard case for any filter.
std::array<Vec3, 4> nearly_coplanar(Random& random) {
  const double scale = std::pow(10, random.uniform(-3, 3));
  const Vec3 a = random_point(random, scale), b = random_point(random, scale);
  const Vec3 c = random_point(random, scale);
  const Vec3 d = a + random.uniform(-1, 2) * (b - a) + random.uniform(-1, 2) * (c - a);
  return {a, b, c, d};
}

// 113 bits do not hold the determinant exactly; beyond this bound its sign is certain.
int quad_sign(const std::array<Vec3, 4>& p) {
  const auto row = [&](std::size_t i) {
    return std::array<Quad, 3>{Quad(p[i].x) - p[3].x, Quad(p[i].y) - p[3].y, Quad(p[i].z) - p[3].z};
  };
  const auto a = row(0), b = row(1), c = row(2);
  Quad det = 0, size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    det += a[i] * (b[j] * c[k] - b[k] * c[j]);
    const auto abs = [](Quad x) { return x < 0 ? -x : x; };
    size += abs(a[i]) * (abs(b[j] * c[k]) + abs(b[k] * c[j]));
  }
  const Quad bound = size * Quad(0x1p-108);
  return det > bound ? 1 : det < -bound ? -1 : 0;
}

int permutation_sign(const std::array<int, 4>& order) {
  int sign = 1;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      if (order[i] > order[j]) sign = -sign;
  return sign;
}

TEST(Orientation3d, AgreesWithQuadAndWithItselfUnderAllPermutations) {
  Random random(1);
  int filter_would_fail = 0;
  for (int n = 0; n < test::cases(20000); ++n) {
    const std::array<Vec3, 4> p = nearly_coplanar(random);
    const int sign = orientation_3d(p[0], p[1], p[2], p[3]);
    const int truth = quad_sign(p);
    ASSERT_TRUE(truth == 0 || truth == sign);
    const double naive = dot(p[0] - p[3], cross(p[1] - p[3], p[2] - p[3]));
    filter_would_fail += (naive > 0) - (naive < 0) != sign;
    std::array<int, 4> order{0, 1, 2, 3};
    do {
      const auto at = [&](std::size_t i) { return p[static_cast<std::size_t>(order[i])]; };
      ASSERT_EQ(orientation_3d(at(0), at(1), at(2), at(3)), permutation_sign(order) * sign);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(filter_would_fail, test::cases(20000) / 20);
}

TEST(Orientation3d, ZeroExactlyForCoplanarIntegers) {
  Random random(2);
  const auto integer = [&] { return static_cast<double>(random.index(2001) - 1000); };
  for (int n = 0; n < test::cases(20000); ++n) {
    const Vec3 a{integer(), integer(), integer()}, b{integer(), integer(), integer()};
    const Vec3 c{integer(), integer(), integer()};
    const Vec3 d = a + integer() * (b - a) + integer() * (c - a);
    ASSERT_EQ(orientation_3d(a, b, c, d), 0);
    const Vec3 off = d + Vec3{0, 0, 0x1p-20};
    const double up = (b - a).x * (c - a).y - (b - a).y * (c - a).x;
    ASSERT_EQ(orientation_3d(a, b, c, off), up > 0 ? -1 : up < 0 ? 1 : 0);
  }
}

// On the plane z = x + y with 50-bit integers: 150 bits cancel to exactly zero.
TEST(Orientation3d, DecidesWhatDoubleDoubleCannot) {
  Random random(4);
  for (int n = 0; n < test::cases(20000); ++n) {
    const auto on_plane = [&] {
      const auto x = static_cast<double>(static_cast<std::int64_t>(random.bits() >> 14));
      const auto y = static_cast<double>(static_cast<std::int64_t>(random.bits() >> 14));
      return Vec3{x, y, x + y};
    };
    const Vec3 a = on_plane(), b = on_plane(), c = on_plane(), d = on_plane();
    ASSERT_EQ(orientation_3d(a, b, c, d), 0);
  }
}

TEST(Orientation2d, ExactNextToALine) {
  Random random(3);
  std::array<int, 3> seen{};
  for (int n = 0; n < test::cases(100000); ++n) {
    const Vec2 a{random.uniform(), random.uniform()}, b{random.uniform(), random.uniform()};
    const double t = random.uniform(-1, 2);
    const Vec2 c{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    const Quad det = (Quad(a.x) - c.x) * (Quad(b.y) - c.y) - (Quad(a.y) - c.y) * (Quad(b.x) - c.x);
    // Differences of these doubles have at most 56 bits: the products are exact in 113.
    const int truth = det > 0 ? 1 : det < 0 ? -1 : 0;
    ASSERT_EQ(orientation_2d(a, b, c), truth);
    ++seen[static_cast<std::size_t>(truth + 1)];
  }
  EXPECT_GT(seen[0], test::cases(100000) / 10);
  EXPECT_GT(seen[2], test::cases(100000) / 10);
}

TEST(Expansion, KeepsWhatRoundingLoses) {
  Expansion<8> e;
  for (const double x : {1e30, 1.0, -1e30, 1e-30}) e.add(x);
  EXPECT_EQ(e.sign(), 1);
  e.add(-1.0);
  EXPECT_EQ(e.count(), 1);
  EXPECT_EQ(e[0], 1e-30);
  e.add(-1e-30);
  EXPECT_EQ(e.sign(), 0);
}

}  // namespace
}  // namespace proven
