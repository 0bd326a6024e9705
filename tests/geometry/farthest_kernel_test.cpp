// Every instruction set finds the same point, and none is farther.
#include "geometry/farthest_kernel.h"

#include <gtest/gtest.h>

#include "proven/geometry/point_rows.h"
#include "simd_support.h"
#include "support.h"

namespace proven {
namespace {

TEST(FarthestKernel, FindsTheFarthestPoint) {
  Random random(2);
  int ties = 0;
  for (int i = 0; i < test::cases(2000); ++i) {
    std::vector<Vec3> points(static_cast<std::size_t>(1 + random.index(50)));
    const bool ordinary = i % 3 != 0, grid = i % 4 == 0;
    for (Vec3& p : points)
      for (int k = 0; k < 3; ++k)
        p[k] = !ordinary ? test::adversarial<double>(random, 10)
               : grid    ? random.index(3) - 1
                         : random.uniform(-1, 1);
    PointRows rows;
    rows.assign(static_cast<int>(points.size()),
                [&](int k) { return points[static_cast<std::size_t>(k)]; });
    ASSERT_EQ(rows.size(), static_cast<int>(points.size()));
    const Vec3 n = grid ? Vec3{1, 0, 0} : random.unit_vector();
    const double* const axes[3] = {rows.row(0), rows.row(1), rows.row(2)};
    const double along[3] = {n.x, n.y, n.z};
    int expected = -1;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      const int found = farthest_kernel->farthest(axes, rows.length(), along);
      if (expected < 0) expected = found;
      EXPECT_EQ(found, expected) << i;
    }
    ASSERT_LT(expected, rows.length());
    if (!ordinary) continue;
    int equal = 0;
    for (const Vec3& p : points) {
      EXPECT_LE(dot(n, p), dot(n, rows[expected])) << i;
      equal += dot(n, p) == dot(n, rows[expected]);
    }
    EXPECT_GT(equal, 0);
    ties += equal > 1;
  }
  EXPECT_GT(ties, 0);
}

}  // namespace
}  // namespace proven
