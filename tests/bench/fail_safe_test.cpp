// The short form of `proven bench fail-safe`: movers that do their worst within their bounds.
#include "bench/spacetime/fail_safe.h"

#include "support.h"

namespace proven::bench {
namespace {

TEST(FailSafe, NoCollisionIsCausedWithAProvedStopAndSomeAreWithout) {
  int driven = 0, caused = 0, stopping = 0;
  std::int64_t looks = 0, front = 0, rear = 0, side = 0;
  const int n = std::max(6, test::cases(12));
  for (int i = 0; i < n; ++i) {
    Random random(100 + static_cast<std::uint64_t>(i));
    const Situation situation = random_situation(random);
    const FailSafeRun run = run_situation(situation, static_cast<std::uint64_t>(i), true);
    if (run.refused) continue;
    ++driven;
    EXPECT_EQ(run.judged.caused, 0) << i;
    EXPECT_EQ(run.escaped, 0) << i;
    EXPECT_EQ(run.stops + run.stopping, run.cycles) << i;
    looks += run.looks, front += run.at_front, rear += run.at_rear, side += run.at_side;
    stopping += run.stopping;
    caused += run_situation(situation, static_cast<std::uint64_t>(i), false).judged.caused;
  }
  EXPECT_GT(2 * driven, n);
  EXPECT_GT(caused, 0);
  EXPECT_GT(stopping, 0);
  EXPECT_GT(looks, 100);
  EXPECT_GT(front, 0);
  EXPECT_GT(rear, 0);
  EXPECT_GT(side, 0);
}

// The judge tells who is to blame, and boxes are what they are.
TEST(FailSafe, TheJudgeSeesContacts) {
  const Box a{{0, 0, 0}, 4, 2};
  EXPECT_TRUE(overlap(a, {{3.9, 0, 0}, 4, 2}));
  EXPECT_FALSE(overlap(a, {{4.1, 0, 0}, 4, 2}));
  EXPECT_TRUE(overlap(a, {{2.5, 1.5, 0.785}, 2, 2}));
  EXPECT_FALSE(overlap(a, {{3.2, 2.2, 0.785}, 2, 2}));
  Random random(5);
  Situation situation = random_situation(random);
  situation.movers.resize(1);
  Mover& m = situation.movers[0];
  m.lane = 0, m.length = 4.5, m.width = 2, m.s = 100, m.v = 0, m.aside = 0, m.mood = 0;
  m.mood_until = 99;
  Adversaries others(situation, 1);
  others.advance(2, {0, {1e4, 1e4, 0}, 0});
  const spacetime::VehicleModel vehicle;
  const auto drive_from = [&](double s, double speed) {
    spacetime::DriveResult result;
    for (int k = 0; k <= 20; ++k) {
      Mover at = m;
      at.s = s + 0.1 * k * speed;
      const auto pose = box_of(situation.road, at).pose;
      result.driven.t.push_back(0.1 * k);
      result.driven.x.push_back(pose.x), result.driven.y.push_back(pose.y);
      result.driven.heading.push_back(pose.heading);
      result.speeds.push_back(speed);
    }
    return judge(situation.road, others, result, vehicle);
  };
  EXPECT_EQ(drive_from(85, 10).caused, 1);
  EXPECT_EQ(drive_from(85, 1).caused, 0);
  EXPECT_EQ(drive_from(98, 0).standing, 1);
}

}  // namespace
}  // namespace proven::bench
