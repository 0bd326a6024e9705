// Prepared motions against the same motions built anew, and against the twin.
#include "proven/spacetime/check.h"
#include "simd_support.h"
#include "spacetime/oracle.h"
#include "support.h"

namespace proven::spacetime {
namespace {

using twin::random_footprint;
using twin::random_motion;

std::vector<Obstacle> random_obstacles(Random& random, int count, int samples) {
  std::vector<Obstacle> obstacles(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    obstacles[i].name = "o" + std::to_string(i);
    obstacles[i].footprint = random_footprint(random);
    obstacles[i].motion = random_motion(random, samples, 25, 0.5);
    if (random.index(3) == 0)
      for (std::size_t k = 0; k < obstacles[i].motion.t.size(); ++k)
        obstacles[i].motion.t[k] = 0.1 * static_cast<double>(k);  // some on a common grid
  }
  return obstacles;
}

Trajectory random_primitive(Random& random) {
  Trajectory m = random_motion(random, 2 + random.index(40), 2, 0.5);
  for (std::size_t k = 0; k < m.t.size(); ++k) m.t[k] = 0.1 * static_cast<double>(k);
  if (random.index(3) == 0) m.between = Interpolation::arc;
  if (random.index(5) == 0) {
    m.between = Interpolation::bounded_acceleration;
    m.max_acceleration = 2, m.max_angular_acceleration = 0.5;
  }
  return m;
}

Placement random_placement(Random& random) {
  // On the grid of the obstacles, to the last bit, or anywhere.
  const double time = random.index(2) ? 0.1 * random.index(10) : random.uniform(-1, 2);
  return {{random.uniform(-25, 25), random.uniform(-25, 25), random.uniform(-9, 9)}, time};
}

TEST(PreparedMotion, AnswersAsIfBuiltAnew) {
  Random random(31);
  int counts[3] = {};
  const int n = test::cases(3000);
  for (int k = 0; k < n; ++k) {
    const auto scene = TrafficScene::build(random_obstacles(random, 12, 30)).value();
    const auto motion =
        PreparedMotion::make(random_footprint(random), random_primitive(random)).value();
    const Placement placement = random_placement(random);
    TrafficOptions options;
    options.clearance = random.index(2) ? 0 : 0.3;
    options.first = k % 2 == 0;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const test::Forced forced(set);
      TrafficScratch a, b;
      const auto prepared = check(scene, motion, placement, options, a);
      const auto anew = check(scene, motion.footprint(), placed(motion, placement), options, b);
      ASSERT_TRUE(prepared.ok() && anew.ok());
      ++counts[static_cast<int>(anew.value().verdict)];
      ASSERT_EQ(prepared.value().verdict, anew.value().verdict) << k << " " << to_string(set);
      if (!anew.value().contact || !options.first) continue;
      EXPECT_NEAR(prepared.value().contact->t, anew.value().contact->t, 2e-3) << k;
      EXPECT_EQ(prepared.value().contact->obstacle, anew.value().contact->obstacle) << k;
    }
  }
  if (n >= 1000) {
    EXPECT_GT(std::min(counts[0], counts[1]), n / 5);
  }
}

// The placement as the twin makes it, in long double, from the primitive's own numbers.
TEST(PreparedMotion, NeverWrongByTheTwin) {
  Random random(32);
  int counts[3] = {};
  const int n = test::cases(3000);
  for (int k = 0; k < n; ++k) {
    std::vector<Obstacle> obstacles = random_obstacles(random, 1, 10);
    Trajectory primitive = random_motion(random, 2 + random.index(4), 2, 2);
    if (random.index(3) == 0) primitive.between = Interpolation::arc;
    const auto motion = PreparedMotion::make(random_footprint(random), primitive).value();
    Placement placement = random_placement(random);
    placement.X_WP.x *= 0.5, placement.X_WP.y *= 0.5;
    const auto scene = TrafficScene::build(obstacles).value();
    TrafficScratch workspace;
    const auto result = check(scene, motion, placement, {}, workspace).value();
    ++counts[static_cast<int>(result.verdict)];
    const Footprint& b = obstacles[0].footprint;
    const Trajectory& mb = obstacles[0].motion;
    const auto distance = [&](long double t) {
      const auto own = twin::oracle_pose(primitive, t - placement.time);
      const long double angle = placement.X_WP.heading, c = std::cos(angle), s = std::sin(angle);
      const twin::OraclePose pose{c * own.x - s * own.y + placement.X_WP.x,
                                  s * own.x + c * own.y + placement.X_WP.y, own.heading + angle};
      return twin::distance_of(twin::placed(motion.footprint(), pose),
                               twin::placed(b, twin::oracle_pose(mb, t)));
    };
    const double begin = std::max(primitive.t.front() + placement.time, mb.t.front());
    const double end = std::min(primitive.t.back() + placement.time, mb.t.back());
    if (result.verdict == Verdict::collision) {
      EXPECT_LE(distance(result.contact->t), 1e-12) << k;
    }
    for (int i = 0; i <= 200 && begin <= end && result.verdict == Verdict::free; ++i)
      ASSERT_GT(distance(begin + (end - begin) * i / 200), -1e-12) << k;
  }
  if (n >= 1000) {
    EXPECT_GT(std::min(counts[0], counts[1]), n / 20);
  }
}

// A rod turns by a quarter past a post that only its sweep reaches, wherever it is placed: also far
// from the world's origin, and with the primitive far from its own.
TEST(PreparedMotion, BoxesHoldTheSweepBetweenSamples) {
  Random random(34);
  for (int k = 0; k < 300; ++k) {
    const double offset = k % 3 == 1 ? 1e5 : 0;
    Trajectory quarter;
    quarter.t = {0, 0.1}, quarter.x = {offset, offset}, quarter.y = {0, 0};
    quarter.heading = {0, M_PI / 2};
    const auto rod = PreparedMotion::make(Footprint::box(20, 0.2).value(), quarter).value();
    Placement placement = random_placement(random);
    Pose2& X = placement.X_WP;
    if (k % 3 == 2) X.x += 3e6;
    const double c = std::cos(X.heading), s = std::sin(X.heading), at = X.heading + M_PI / 4;
    Obstacle post;
    post.name = "post";
    post.footprint = Footprint::circle(0.3).value();
    post.pose = {X.x + c * offset + 9.5 * std::cos(at), X.y + s * offset + 9.5 * std::sin(at), 0};
    TrafficScratch workspace;
    const auto scene = TrafficScene::build({post}).value();
    ASSERT_EQ(check(scene, rod, placement, {}, workspace).value().verdict, Verdict::collision);
  }
}

TEST(PreparedMotion, ManyAtOnceAndNonsenseRefused) {
  Random random(33);
  const auto scene = TrafficScene::build(random_obstacles(random, 20, 40)).value();
  std::vector<PreparedMotion> motions;
  for (int i = 0; i < 60; ++i)
    motions.push_back(
        PreparedMotion::make(Footprint::box(4, 2).value(), random_primitive(random)).value());
  TrafficScratch workspace;
  const Placement placement{{1, 2, 0.3}, 0.4};
  const auto all = verdicts(scene, motions, placement, {}, workspace);
  ASSERT_TRUE(all.ok());
  for (std::size_t i = 0; i < motions.size(); ++i)
    EXPECT_EQ(all.value()[i], check(scene, motions[i], placement, {}, workspace).value().verdict);
  EXPECT_FALSE(check(scene, motions[0], {{1e8, 0, 0}, 0}, {}, workspace).ok());
  EXPECT_FALSE(check(scene, motions[0], {{0, std::nan(""), 0}, 0}, {}, workspace).ok());
  EXPECT_FALSE(check(scene, motions[0], {{0, 0, 1e6}, 0}, {}, workspace).ok());
  EXPECT_FALSE(check(scene, motions[0], {{0, 0, 0}, 1e12}, {}, workspace).ok());
  EXPECT_FALSE(PreparedMotion::make({}, random_primitive(random)).ok());
}

}  // namespace
}  // namespace proven::spacetime
