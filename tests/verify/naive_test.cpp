// Certificates of the naive producer, whole and altered, against sampling and the classic checker.
#include "certify/random_scenes.h"
#include "naive_producer.h"
#include "proven/certify/check.h"
#include "sampled_twin.h"
#include "support.h"

namespace proven::test {
namespace {

TEST(Naive, FreePathsAreProvedAndAccepted) {
  int proved = 0;
  for (int i = 0; i < cases(60); ++i) {
    Random random(7000 + static_cast<std::uint64_t>(i));
    RandomSceneOptions options;
    options.floating = i % 4 == 0;
    options.links = 3 + i % 4;
    options.obstacles = 1 + i % 5;
    const SceneSource source = random_scene(random, options);
    const Scene scene = build(source);
    const VerifyOptions verify_options;
    const verifier::Model model = verifier::build_model(source, verify_options);
    Path path{random_segment(scene.tree(), random, 0.4), {}, {}};
    const auto proofs = NaiveProducer(model, path, 0, static_cast<std::uint64_t>(i)).run();
    if (!proofs) continue;
    ++proved;
    PlainCertificate certificate = blank_certificate(model, path);
    certificate.body = write(*proofs);
    const VerifyReport report = verify(source, path, write(certificate), verify_options);
    EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    EXPECT_TRUE(SampledTwin(scene, model, path).holds(*proofs)) << i;
  }
  EXPECT_GT(proved, cases(60) / 4);
}

// With a tracking error every motion near the path is covered, and a certificate made without one
// is too weak where it matters.
TEST(Naive, TubesCoverWhatIsNear) {
  constexpr double kError = 0.02;
  int covered = 0, weak = 0;
  for (int i = 0; i < cases(60); ++i) {
    Random random(9000 + static_cast<std::uint64_t>(i));
    const SceneSource source = random_scene(random, {.links = 4, .obstacles = 3});
    const Scene scene = build(source);
    VerifyOptions options;
    options.tracking_error = kError;
    const verifier::Model model = verifier::build_model(source, options);
    const Path path{random_segment(scene.tree(), random, 0.3), {}, {}};
    PlainCertificate certificate = blank_certificate(model, path);
    if (const auto plain = NaiveProducer(model, path, 0, 1).run()) {
      certificate.body = write(*plain);
      EXPECT_TRUE(verify(source, path, write(certificate)).accepted);
      weak += !verify(source, path, write(certificate), options).accepted;
    }
    const auto proofs = NaiveProducer(model, path, kError, 1).run();
    if (!proofs) continue;
    certificate.body = write(*proofs);
    const VerifyReport report = verify(source, path, write(certificate), options);
    EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    ++covered;
    for (int k = 0; k < 20; ++k) {
      auto near = path.waypoints;
      for (auto& q : near)
        for (double& value : q) value += random.index(2) ? kError : -kError;
      EXPECT_GT(sampled_distance(scene, near, 8), 0) << i;
    }
  }
  EXPECT_GT(covered, cases(60) / 6);
  EXPECT_GT(weak, 0);
}

}  // namespace
}  // namespace proven::test
