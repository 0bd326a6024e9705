// The oracle of the miss count against dense samples of the twin in long double.
#include "bench/spacetime/turning_pairs.h"

#include "proven/spacetime/traffic_scene.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven::bench {
namespace {

TEST(TurningPairs, OracleAgreesWithDenseSamples) {
  using spacetime::Footprint;
  Random random(41);
  int counts[3] = {};
  const int n = test::cases(2000);
  for (int k = 0; k < n; ++k) {
    const auto kind = static_cast<PairKind>(k % static_cast<int>(kPairKinds.size()));
    const TurningPair p = random_pair(random, kind);
    const double level = k % 4 == 0 ? 1e-3 : 0;
    const Oracle answer = compare(p, level);
    ++counts[static_cast<int>(answer)];
    const Footprint a = Footprint::box(p.a.length, p.a.width).value();
    const Footprint b = Footprint::box(p.b.length, p.b.width).value();
    const auto near = spacetime::twin::closest(a, p.a.motion, b, p.b.motion, 300);
    if (near.distance <= 0) {
      EXPECT_NE(answer, Oracle::above) << kPairKinds[static_cast<std::size_t>(kind)] << k;
    }
    // A gap along an axis is at least the distance over the square root of 2.
    if (near.distance > 1.5 * level + 1e-9) {
      const double begin = std::max(p.a.motion.t.front(), p.b.motion.t.front());
      const double end = std::min(p.a.motion.t.back(), p.b.motion.t.back());
      bool seen_below = false;
      for (int i = 0; i <= 3000; ++i)
        seen_below |= gap_at(p, begin + (end - begin) * i / 3000) < level - kOracleRounding;
      if (seen_below) {
        EXPECT_EQ(answer, Oracle::below) << k;
      }
    }
    if (answer == Oracle::above) {
      EXPECT_GT(near.distance, level) << k;
    }
  }
  if (n >= 1000) {
    EXPECT_GT(std::min(counts[0], counts[1]), n / 5);
  }
}

}  // namespace
}  // namespace proven::bench
