// Directions between two hulls: along them the gap is all but the distance, and none is given where
// hulls overlap.
#include "proven/geometry/separating_direction.h"

#include <gtest/gtest.h>

#include <span>

#include "proven/base/random.h"
#include "support.h"

namespace proven {
namespace {

double gap(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& n) {
  double from = -INFINITY, to = INFINITY;
  for (const Vec3& p : a) from = std::max(from, dot(n, p));
  for (const Vec3& p : b) to = std::min(to, dot(n, p));
  return to - from;
}

// The largest gap along any direction, by steps that become smaller.
double largest_gap(std::span<const Vec3> a, std::span<const Vec3> b, const Vec3& guess,
                   Random& random) {
  Vec3 best = guess;
  double most = gap(a, b, best);
  for (double step = 1; step > 1e-5; step *= 0.97) {
    const Vec3 n = normalized(best + step * random.unit_vector());
    if (const double own = gap(a, b, n); own > most) most = own, best = n;
  }
  return most;
}

std::vector<Vec3> random_points(Random& random, const Vec3& around) {
  std::vector<Vec3> points(static_cast<std::size_t>(1 + random.index(40)));
  const bool flat = random.index(4) == 0;
  for (Vec3& p : points) {
    p = around + 0.2 * random.unit_vector();
    if (flat) p.z = around.z;
  }
  return points;
}

TEST(SeparatingDirection, IsAllButTheBest) {
  Random random(3);
  int apart = 0, overlapping = 0, early = 0;
  for (int i = 0; i < test::cases(400); ++i) {
    const std::vector<Vec3> a = random_points(random, {});
    const std::vector<Vec3> b =
        random_points(random, random.uniform(0, 0.6) * random.unit_vector());
    const Vec3 guess = random.unit_vector();
    const Vec3 n = separating_direction(a, b, guess);
    const double most = largest_gap(a, b, n == Vec3{} ? b[0] - a[0] : n, random);
    if (n == Vec3{}) {
      EXPECT_LT(most, 1e-6) << i;
      ++overlapping;
      continue;
    }
    ++apart;
    EXPECT_NEAR(norm(n), 1, 1e-12);
    EXPECT_GE(gap(a, b, n), 0.995 * most - 1e-9) << i;
    // One along which they are far enough apart will do; what cannot be enough is not sought.
    const Vec3 first = separating_direction(a, b, guess, 0.5 * most);
    EXPECT_GE(gap(a, b, first), 0.5 * most * (1 - 1e-9)) << i;
    EXPECT_NE(separating_direction(a, b, guess, INFINITY, 0.9 * most), Vec3{}) << i;
    early += separating_direction(a, b, guess, INFINITY, 1.1 * most + 1e-9) == Vec3{};
  }
  EXPECT_GT(apart, test::cases(400) / 5);
  EXPECT_GT(overlapping, test::cases(400) / 5);
  EXPECT_GT(early, 9 * apart / 10);
}

}  // namespace
}  // namespace proven
