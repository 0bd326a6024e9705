#include "proven/base/random.h"

#include "support.h"

namespace proven {
namespace {

TEST(Random, SameSeedSameNumbers) {
  Random a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto bits = a.bits();
    EXPECT_EQ(bits, b.bits());
    differs = differs || bits != c.bits();
  }
  EXPECT_TRUE(differs);
}

TEST(Random, IndexCoversItsRangeEvenly) {
  Random random(3);
  int count[7] = {};
  for (int i = 0; i < 70000; ++i) ++count[random.index(7)];
  for (const int n : count) EXPECT_NEAR(n, 10000, 500);
}

TEST(Random, RotationsAreRotations) {
  Random random(4);
  Vec3 mean;
  for (int i = 0; i < 10000; ++i) {
    const Mat3 R = random.rotation();
    EXPECT_NEAR(dot(R.column(0), R.column(1)), 0, 1e-14);
    EXPECT_NEAR(dot(cross(R.column(0), R.column(1)), R.column(2)), 1, 1e-14);
    mean += R.column(0) * 1e-4;
  }
  EXPECT_LT(norm(mean), 0.05);
}

}  // namespace
}  // namespace proven
