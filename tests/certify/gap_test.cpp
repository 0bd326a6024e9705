// What one configuration proves: rounding is subtracted everywhere.
#include "certify/gap.h"

#include "certify/random_scenes.h"
#include "support.h"

namespace proven {
namespace {

TEST(Gap, EveryBoundLeavesRoomForRounding) {
  Random random(1);
  DistanceScratch workspace;
  int apart = 0, close = 0, contact = 0;
  const int count = test::cases(4000);
  for (int n = 0; n < count; ++n) {
    const auto body = [&] {
      const Vec3 half{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
      return BodyGeometry::build({{test::random_shape(random, half, n % 2 == 0), Pose{}, ""}})
          .value();
    };
    const auto a = body(), b = body();
    const Pose X_AB{random.rotation(), random.uniform(0.3, 1.2) * random.unit_vector()};
    // A large bound, so that it shows.
    PairModel pair;
    pair.rounding_bound = std::pow(10, random.uniform(-6, -1));
    pair.clearance = random.index(2) == 0 ? 0 : random.uniform(0, 0.2);
    const double resolution = random.index(2) == 0 ? 0 : 1e-3;
    const Gap gap = measure_gap(pair, *a, *b, X_AB, resolution, workspace);
    const double distance = exact_distance(*a, *b, X_AB, {-1, -1}, workspace).distance;
    ASSERT_LE(gap.lower, std::fmax(0, distance - pair.rounding_bound));
    switch (gap.kind) {
      case Gap::Kind::apart:
        ++apart;
        ASSERT_GT(gap.lower, pair.clearance + resolution);
        break;
      case Gap::Kind::close:
        ++close;
        ASSERT_LE(gap.lower, pair.clearance + resolution);
        break;
      case Gap::Kind::contact:
        ++contact;
        if (gap.contact_kind == ContactKind::too_close) {
          ASSERT_LT(distance, pair.clearance - pair.rounding_bound);
        } else {
          ASSERT_EQ(distance, 0);
        }
    }
  }
  EXPECT_GT(apart, count / 10);
  EXPECT_GT(close, count / 1000);
  EXPECT_GT(contact, count / 10);
}

}  // namespace
}  // namespace proven
