// A verifier that follows a scene from change to change, against one made anew: the same reports,
// leaf by leaf, on certificates that hold and on ones of other scenes.
#include "any_values.h"
#include "certify/random_scenes.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "support.h"

namespace proven {
namespace {

void expect_same(const VerifyReport& followed, const VerifyReport& anew) {
  EXPECT_EQ(followed.accepted, anew.accepted);
  EXPECT_EQ(followed.reason, anew.reason);
  EXPECT_EQ(followed.leaves, anew.leaves);
  EXPECT_EQ(followed.wide_leaves, anew.wide_leaves);
  EXPECT_EQ(followed.tested_pairs, anew.tested_pairs);
  EXPECT_EQ(followed.theorem, anew.theorem);
  EXPECT_EQ(followed.no_inside, anew.no_inside);
}

// Moves, comes, goes, changes its shape, or its shape within the body.
void change(SceneSource& source, Random& random, int number) {
  auto& obstacles = source.obstacles;
  ObstacleSource& one =
      obstacles[static_cast<std::size_t>(random.index(static_cast<int>(obstacles.size())))];
  const Vec3 half{0.05, 0.08, 0.1};
  switch (random.index(5)) {
    case 0:
      obstacles.push_back({"new" + std::to_string(number),
                           {{test::random_shape(random, half, false), {}, ""}},
                           Pose::translation(0.9 * random.unit_vector())});
      return;
    case 1:
      if (obstacles.size() > 2) obstacles.pop_back();
      return;
    case 2:
      one.elements[0].shape = test::random_shape(random, random.uniform(0.5, 1.5) * half, false);
      return;
    case 3:
      one.elements[0].X_BS = Pose::translation(0.1 * random.unit_vector());
      return;
    default:
      one.X_WB.p = 0.9 * random.unit_vector();
  }
}

TEST(FollowingVerifier, ReportsAsOneMadeAnew) {
  int accepted = 0, rejected = 0;
  for (int seed = 0; seed < test::cases(40); ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 300);
    auto source = std::make_unique<SceneSource>(test::random_scene(random, {}));
    std::optional<Verifier> verifier(std::in_place, *source, VerifyOptions{});
    std::vector<std::uint8_t> last;
    for (int step = 0; step < 8; ++step) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " step " << step);
      auto next = std::make_unique<SceneSource>(*source);
      change(*next, random, step);
      verifier.emplace(Verifier(*next, {}, std::move(*verifier)));
      source = std::move(next);
      const Scene scene = test::build(*source);
      CheckOptions options = test::any_values();
      options.certificate = true;
      Scratch scratch;
      const Path path{test::random_segment(scene.tree(), random, 0.5), {}, {}};
      const CheckResult result = check(scene, path, options, scratch).value();
      const VerifyReport anew = verify(*source, path, result.certificate);
      expect_same(verifier->verify(path, result.certificate), anew);
      if (!last.empty()) {
        const VerifyReport of_other = verify(*source, path, last);
        expect_same(verifier->verify(path, last), of_other);
        rejected += !of_other.accepted;
      }
      accepted += anew.accepted;
      last = result.certificate;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(accepted, test::cases(40) * 4);
  EXPECT_GT(rejected, test::cases(40) * 2);
}

TEST(FollowingVerifier, TheOneBeforeRejectsEverything) {
  Random random(1);
  const SceneSource source = test::random_scene(random, {});
  const Scene scene = test::build(source);
  CheckOptions options = test::any_values();
  options.certificate = true;
  Scratch scratch;
  const Path path{{{scene.home().begin(), scene.home().end()}}, {}, {}};
  const auto certificate = check(scene, path, options, scratch).value().certificate;
  Verifier before(source, {});
  const bool accepted = before.verify(path, certificate).accepted;
  const Verifier after(source, {}, std::move(before));
  EXPECT_EQ(after.verify(path, certificate).accepted, accepted);
  EXPECT_FALSE(before.verify(path, certificate).accepted);
}

// Whoever stops it gets no theorem: neither while the scene is prepared nor while leaves are
// judged.
TEST(FollowingVerifier, AcceptsNothingOnceItIsStopped) {
  int free = 0;
  for (int seed = 0; seed < 20; ++seed) {
    Random random(static_cast<std::uint64_t>(seed) + 900);
    const SceneSource source = test::random_scene(random, {});
    const Scene scene = test::build(source);
    CheckOptions options = test::any_values();
    options.certificate = true;
    Scratch scratch;
    const Path path{test::random_segment(scene.tree(), random, 0.5), {}, {}};
    const CheckResult result = check(scene, path, options, scratch).value();
    if (result.verdict != Verdict::free) continue;
    std::atomic<bool> cancel = false;
    VerifyOptions stoppable;
    stoppable.cancel = &cancel;
    const Verifier verifier(source, stoppable);
    const VerifyReport whole = verifier.verify(path, result.certificate);
    EXPECT_TRUE(whole.accepted) << whole.reason;
    cancel = true;
    // A proof without leaves is read by then.
    for (const VerifyReport& stopped : {verifier.verify(path, result.certificate),
                                        verify(source, path, result.certificate, stoppable)}) {
      EXPECT_EQ(stopped.leaves, 0);
      EXPECT_EQ(stopped.accepted, whole.leaves == 0 && stopped.reason.empty());
      if (whole.leaves > 0) {
        EXPECT_NE(stopped.reason.find("stopped"), std::string::npos) << stopped.reason;
      }
    }
    free += whole.leaves > 0;
  }
  EXPECT_GE(free, 3);
}

}  // namespace
}  // namespace proven
