// The verifier's own clock: certificates of scenes in which things move and grow, and what it
// refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "support.h"
#include "verify/model.h"

namespace proven::test {
namespace {

std::vector<CollisionElement> box_elements(const Vec3& size) {
  return {{Box{0.5 * size}, Pose{}, "box"}};
}

// A block drives from x = 0 to 2 in 2 s; a cart crosses at x = 1; a ball grows behind it.
SceneSource crossing(double cart_starts_at, double growth) {
  SceneSource source;
  Robot robot;
  robot.links = {{"base", {}, false, nullptr},
                 {"block", box_elements({0.2, 0.2, 0.2}), false, nullptr}};
  RobotJoint joint;
  joint.name = "x";
  joint.type = JointType::prismatic;
  joint.parent_link = "base";
  joint.child_link = "block";
  joint.limits = {-10, 10, 1, 1};
  robot.joints = {joint};
  source.robots.push_back({"slider", robot, Pose{}});
  ObstacleSource cart{"cart", box_elements({0.2, 0.2, 0.2}), Pose::translation({1, 0, 0})};
  cart.motion = std::make_shared<const Motion>(
      Motion{{{0, -3, 0, 0, 0, 0, 1}, {0, 0.1, 0, 0, 0, 0.6, 0.8}, {0, 3, 0, 0, 0, 0, 1}},
             {cart_starts_at, cart_starts_at + 3, cart_starts_at + 6},
             {}});
  source.obstacles.push_back(std::move(cart));
  ObstacleSource ball{"ball", {{Sphere{0.5}, Pose{}, "ball"}}, Pose::translation({-2, 0, 0})};
  ball.grows = growth;
  source.obstacles.push_back(std::move(ball));
  return source;
}

struct Answer {
  Verdict verdict;
  VerifyReport report;
};
Answer answer(const SceneSource& source, const Motion& motion) {
  const Scene scene = build_scene(source).value();
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, motion, options, scratch);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return {result.value().verdict, verify(source, motion, result.value().certificate)};
}

Motion drive(const SceneSource& source) {
  const Scene scene = build_scene(source).value();
  std::vector<double> from(scene.home().begin(), scene.home().end()), to = from;
  from[0] = 0, to[0] = 2;
  return {{from, to}, {0, 2}, {}};
}

TEST(ClockVerifier, AcceptsWhatIsFreeAndWhatCollides) {
  VerdictCounts counts;
  for (const double start : {-3.5, -3.0, -2.5, -2.0, -1.5, -1.0})
    for (const double growth : {0.1, 0.6, 1.69, 1.8}) {
      const SceneSource source = crossing(start, growth);
      const auto [verdict, report] = answer(source, drive(source));
      counts.add(verdict);
      EXPECT_NE(verdict, Verdict::undecided);
      EXPECT_TRUE(report.accepted) << start << " " << growth << ": " << report.reason;
    }
  counts.expect_both(5);
}

// A proof for one clock is none for another in which they meet.
TEST(ClockVerifier, AnotherClockIsAnotherScene) {
  const SceneSource early = crossing(-4, 0.1), meets = crossing(-1.9, 0.1);
  const Scene scene = build_scene(early).value();
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, drive(early), options, scratch);
  ASSERT_EQ(result.value().verdict, Verdict::free);
  EXPECT_TRUE(verify(early, drive(early), result.value().certificate).accepted);
  ASSERT_EQ(answer(meets, drive(meets)).verdict, Verdict::collision);
  EXPECT_FALSE(verify(meets, drive(meets), result.value().certificate).accepted);
  // Nor for a ball that grows faster, or a motion that comes later.
  EXPECT_FALSE(verify(crossing(-4, 2), drive(early), result.value().certificate).accepted);
  Motion late = drive(early);
  late.times = {1.1, 3.1};
  EXPECT_FALSE(verify(early, late, result.value().certificate).accepted);
}

// Starts up to 1.5 s after -4: it passes before the block comes.
TEST(ClockVerifier, EveryStartOfWhatMayBeLate) {
  const auto with_lateness = [](double seconds) {
    SceneSource source = crossing(-4, 0.1);
    source.obstacles[0].late = seconds;
    return source;
  };
  const SceneSource source = with_lateness(1.5);
  const Motion motion = drive(source);
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const auto result = check(build_scene(source).value(), motion, options, scratch).value();
  ASSERT_EQ(result.verdict, Verdict::free);
  const VerifyReport report = verify(source, motion, result.certificate);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_GT(report.segments, motion.num_segments());
  // From when to when it moves is part of what is said.
  const std::vector<double>& times = source.obstacles[0].motion->times;
  const std::string when =
      fmt::format("moves from {} to {} s, and rests before and after", times.front(), times.back());
  EXPECT_TRUE(std::ranges::any_of(report.theorem, [&](const std::string& line) {
    return line.find(when) != std::string::npos;
  }));
  // The same proof is none for one that comes later, none without lateness, none for a cart that
  // starts later.
  const SceneSource later = with_lateness(3);
  EXPECT_EQ(answer(later, motion).verdict, Verdict::collision);
  EXPECT_TRUE(answer(later, motion).report.accepted);
  EXPECT_FALSE(verify(later, motion, result.certificate).accepted);
  EXPECT_FALSE(verify(with_lateness(0), motion, result.certificate).accepted);
  SceneSource postponed = source;
  Motion other = *source.obstacles[0].motion;
  for (double& time : other.times) time += 1;
  postponed.obstacles[0].motion = std::make_shared<const Motion>(other);
  EXPECT_EQ(answer(postponed, motion).verdict, Verdict::collision);
  EXPECT_FALSE(verify(postponed, motion, result.certificate).accepted);
}

TEST(ClockVerifier, RefusesMotionsWithoutTimesAndOthersCoordinates) {
  const SceneSource source = crossing(-4, 0.1);
  Motion motion = drive(source);
  const Scene scene = build_scene(source).value();
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const auto certificate = check(scene, motion, options, scratch).value().certificate;
  ASSERT_TRUE(verify(source, motion, certificate).accepted);
  Motion untimed = motion;
  untimed.times.clear();
  EXPECT_FALSE(verify(source, untimed, certificate).accepted);
  Motion before = motion;
  before.times = {-1, 1};
  EXPECT_FALSE(verify(source, before, certificate).accepted);
  Motion moved = motion;
  moved.waypoints[1][2] += 0.01;
  EXPECT_FALSE(verify(source, moved, certificate).accepted);
}

// Both put the same motion on the clock, to rounding, each in its own way.
TEST(ClockVerifier, MergesAsTheCheckerDoes) {
  Random random(31);
  double largest = 0;
  for (int n = cases(300); n > 0; --n) {
    const SceneSource source = crossing(random.uniform(-4, 1), 0.1);
    const Scene scene = build_scene(source).value();
    Motion motion = drive(source);
    motion.inner = {{}};
    for (int k = random.index(4); k > 0; --k) {
      std::vector<double> row(motion.waypoints[0].size(), 0.0);
      row[0] = random.uniform(-1, 3);
      motion.inner[0].push_back(row);
    }
    const auto ours = scene.on_one_clock(motion);
    ASSERT_TRUE(ours.ok());
    const Motion theirs = verifier::on_one_clock(verifier::build_model(source, {}), motion);
    ASSERT_EQ(ours.value().times, theirs.times);
    ASSERT_EQ(ours.value().inner.size(), theirs.inner.size());
    for (int i = 0; i < theirs.num_segments(); ++i) {
      const MotionPiece a = ours.value().piece(i), b = theirs.piece(i);
      ASSERT_EQ(a.degree(), b.degree());
      for (int k = 0; k <= a.degree(); ++k)
        for (std::size_t c = 0; c < a.from.size(); ++c)
          largest = std::fmax(largest, std::fabs(a.control(k)[c] - b.control(k)[c]));
    }
  }
  EXPECT_LT(largest, 0x1p-46);
}

}  // namespace
}  // namespace proven::test
