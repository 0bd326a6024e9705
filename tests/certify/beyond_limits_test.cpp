// Values beyond the limits of joints: refused by default, by whoever is asked, and otherwise
// checked with the pairs that were proved apart within limits alone.
#include "certify/beyond_limits.h"

#include "certify/check_support.h"
#include "certify/proved_pair.h"
#include "proven/certify/batch.h"
#include "proven/certify/monitor.h"
#include "proven/certify/prover.h"
#include "proven/verify/verify.h"

namespace proven::test {
namespace {

using Row = std::vector<double>;

const Row kRest = {0, 0}, kInWall = {2.6, 0}, kBehind = {4, 0}, kAtLimit = {1, 0.5};

Motion motion(std::vector<Row> waypoints) {
  return {std::move(waypoints), {}, {}};
}

// From 0 to 1, but on the way far into the wall.
Motion overshooting() {
  Motion made = motion({kRest, {1, 0}});
  made.inner = {{{6, 0}, {6, 0}}};
  return made;
}

CheckOptions ignoring() {
  CheckOptions options;
  options.limits = Limits::ignore;
  return options;
}

void expect_words(const std::string& text) {
  for (const char* word : {"r/long", "2.6", "limits -1 and 1", "--ignore-limits"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
}

template <class Ask>
std::string thrown_by(const Ask& ask) {
  try {
    ask();
  } catch (const std::invalid_argument& refused) {
    return refused.what();
  }
  return "nothing was thrown";
}

class BeyondLimits : public testing::Test {
 protected:
  const SceneSource source_ = with_proved_pair();
  const Scene scene_ = build(source_);
  Scratch scratch_;

  CheckModel model(const CheckOptions& options = {}) const {
    return CheckModel::build(scene_, options).value();
  }
  Verdict verdict(const Motion& asked, const CheckOptions& options) {
    const auto result = check(scene_, asked, options, scratch_);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
    return result.ok() ? result.value().verdict : Verdict::undecided;
  }
};

TEST_F(BeyondLimits, AreRefusedWithJointValueLimitAndRemedy) {
  ASSERT_TRUE(scene_.pairs().empty());
  ASSERT_TRUE(scene_.has_proved_pairs());
  const CheckModel asked = model();
  expect_words(thrown_by([&] { (void)asked.check_configuration(kInWall, scratch_); }));
  expect_words(thrown_by([&] { (void)asked.check_segment({kRest, kInWall}, scratch_); }));
  const std::vector<SegmentQuery> two = {{kRest, kAtLimit}, {kRest, kInWall}};
  expect_words(thrown_by([&] { (void)asked.check_together(two, scratch_); }));
  expect_words(thrown_by([&] { (void)asked.check_segments(two, 2); }));
  const auto checked = asked.check(motion({kRest, kInWall}), scratch_);
  ASSERT_FALSE(checked.ok());
  expect_words(checked.error().text());
  EXPECT_NE(checked.error().text().find("waypoint 1"), std::string::npos);
  const auto curved = asked.check(overshooting(), scratch_);
  ASSERT_FALSE(curved.ok());
  EXPECT_NE(curved.error().text().find("segment 0 at"), std::string::npos);
  EXPECT_FALSE(asked.within_limits(kInWall));
  EXPECT_TRUE(asked.within_limits(kAtLimit));
  Prover prover(asked);
  EXPECT_FALSE(prover.is_free(kInWall));
  EXPECT_FALSE(prover.seems_free(kInWall));
  EXPECT_FALSE(prover.seems_free({kRest, kInWall}));
  EXPECT_FALSE(prover.seems_free_quickly({kRest, kInWall}));
  EXPECT_TRUE(prover.is_free({kRest, kAtLimit}));
}

TEST_F(BeyondLimits, AreRefusedByBatchesAndMonitors) {
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated}) {
    const auto checker = BatchChecker::build(model(), {.device = device});
    ASSERT_TRUE(checker.ok());
    const auto found = checker.value().check({kRest, kInWall});
    ASSERT_FALSE(found.ok());
    expect_words(found.error().text());
    EXPECT_TRUE(checker.value().check({kRest, kAtLimit}).ok());
    const Motion beyond = motion({kRest, kInWall});
    const Motion* const asked[] = {&beyond};
    EXPECT_EQ(find_clear(checker.value(), asked).value(), std::vector<char>{0});
  }
  const auto monitor = Monitor::build(scene_, motion({kRest, kInWall}), {}, scratch_);
  ASSERT_FALSE(monitor.ok());
  expect_words(monitor.error().text());
}

TEST_F(BeyondLimits, AreCheckedWithEveryPairIfLimitsAreIgnored) {
  const CheckModel asked = model(ignoring());
  EXPECT_EQ(asked.scene().pairs().size(), 1u);
  EXPECT_EQ(asked.check_configuration(kInWall, scratch_).verdict, Verdict::collision);
  EXPECT_EQ(asked.check_configuration(kBehind, scratch_).verdict, Verdict::free);
  EXPECT_EQ(asked.check_segment({kRest, kBehind}, scratch_).verdict, Verdict::collision);
  EXPECT_EQ(verdict(motion({kRest, kInWall}), ignoring()), Verdict::collision);
  EXPECT_EQ(verdict(overshooting(), ignoring()), Verdict::collision);
  for (const Checker checker : {Checker::classic, Checker::refined}) {
    CheckOptions options = ignoring();
    options.checker = checker;
    EXPECT_EQ(verdict(motion({kRest, kInWall}), options), Verdict::collision);
  }
  // Whichever way a model comes to ignore limits, or to be of this scene.
  const auto turned = model().with_options(ignoring());
  EXPECT_EQ(turned.value().check_configuration(kInWall, scratch_).verdict, Verdict::collision);
  const CheckModel edited = asked.with_scene(scene_);
  EXPECT_EQ(edited.check_configuration(kInWall, scratch_).verdict, Verdict::collision);
  for (const BatchDevice device : {BatchDevice::threads, BatchDevice::emulated}) {
    const auto checker = BatchChecker::build(asked, {.device = device});
    EXPECT_EQ(checker.value().check({kRest, kInWall}).value().verdicts[0], BatchVerdict::collision);
  }
  auto monitor = Monitor::build(scene_, motion({kRest, kInWall}), ignoring(), scratch_);
  ASSERT_TRUE(monitor.ok());
  EXPECT_EQ(monitor.value().verdict(), Verdict::collision);
  ASSERT_TRUE(monitor.value().update(scene_, scratch_).ok());
  EXPECT_EQ(monitor.value().verdict(), Verdict::collision);
}

// A tube reaches the wall though its path keeps the limits.
TEST_F(BeyondLimits, ATubeMayLeaveLimits) {
  EXPECT_EQ(verdict(motion({kRest, kAtLimit}), {}), Verdict::free);
  CheckOptions wide;
  wide.tracking_error = 0.6;
  EXPECT_EQ(verdict(motion({kRest, kAtLimit}), wide), Verdict::undecided);
  wide.tracking_error = 0.1;
  EXPECT_EQ(verdict(motion({kRest, kAtLimit}), wide), Verdict::free);
  EXPECT_EQ(model(wide).scene().pairs().size(), 1u);
  wide.tracking_error = {};
  wide.tracking_error.joints["r/short"] = 2;
  EXPECT_EQ(verdict(motion({kRest, kAtLimit}), wide), Verdict::undecided);
  EXPECT_EQ(model().with_options(wide).value().scene().pairs().size(), 1u);
}

TEST_F(BeyondLimits, OfARobotThatMovesByTheClockAreRefused) {
  SceneSource source = source_;
  source.robots[0].motion = std::make_shared<const Motion>(Motion{{kRest, kInWall}, {0, 1}, {}});
  const Scene scene = build(source);
  const auto refused = CheckModel::build(scene);
  ASSERT_FALSE(refused.ok());
  expect_words(refused.error().text());
  const auto ignored = CheckModel::build(scene, ignoring());
  ASSERT_TRUE(ignored.ok());
  EXPECT_EQ(ignored.value().check(Motion{{kRest, kRest}, {0, 1}, {}}, scratch_).value().verdict,
            Verdict::collision);
}

TEST_F(BeyondLimits, ScenesWithProvedPairsTestedKeepHashAndGoBack) {
  const Scene tested = scene_.with_proved_pairs(true);
  EXPECT_EQ(tested.hash(), scene_.hash());
  EXPECT_EQ(tested.pairs().size(), 1u);
  EXPECT_FALSE(tested.has_proved_pairs());
  EXPECT_TRUE(tested.with_proved_pairs(false).pairs().empty());
  // Another reason for the same pair stands.
  SceneSource source = source_;
  source.exclusions.push_back({"r/wall", "r/block", "by hand"});
  const Scene by_hand = build(source).with_proved_pairs(true);
  ASSERT_EQ(by_hand.excluded_pairs().size(), 1u);
  EXPECT_EQ(by_hand.excluded_pairs()[0].reason, ExclusionReason::user);
}

}  // namespace
}  // namespace proven::test
