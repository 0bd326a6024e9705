// Pairs that an SRDF says were proved never to meet: both verifiers leave them untested within the
// limits of joints alone, whatever a certificate says; and both know the codes of reasons.
#include "verify/domain.h"

#include <fmt/format.h>

#include <map>

#include "certify/proved_pair.h"
#include "plain_certificate.h"
#include "proven/certify/certificate.h"
#include "python_verifier.h"

namespace proven::test {
namespace {

using Row = std::vector<double>;

// What a checker would write that excludes the pair everywhere: there is nothing to prove.
Bytes forged(const Scene& scene, const Motion& motion) {
  const std::vector<std::span<const std::uint8_t>> nothing(
      static_cast<std::size_t>(std::max(1, motion.num_segments())));
  return make_certificate(scene, motion, {}, nothing);
}

class Domain : public testing::Test {
 protected:
  void SetUp() override { PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath, or zstd,"); }

  // Both verifiers; they agree.
  bool accepts(const Motion& motion, const Bytes& certificate, double tracking_error = 0) {
    python_.store(motion, scene_);
    VerifyOptions options;
    options.tracking_error = tracking_error;
    const VerifyReport report = verify(source_, motion, certificate, options);
    reason_ = report.reason;
    const int second = python_.run(
        certificate, tracking_error > 0 ? fmt::format("--tracking-error {}", tracking_error) : "");
    EXPECT_EQ(second, report.accepted ? kAccepted : kRejected)
        << python_.output() << " / " << report.reason;
    return report.accepted;
  }

  PythonVerifier python_;
  const SceneSource source_ = python_.store(with_proved_pair());
  const Scene scene_ = build(source_);
  std::string reason_;
};

TEST_F(Domain, IsWithinLimits) {
  const Motion within{{Row{-1, -0.5}, Row{1, 0.5}}, {}, {}};
  EXPECT_TRUE(accepts(within, forged(scene_, within))) << reason_;
  const Motion rounded{{Row{0, 0}, Row{1 + 1e-6, 0.5}}, {}, {}};
  EXPECT_TRUE(accepts(rounded, forged(scene_, rounded))) << reason_;
  for (const Row& beyond : {Row{2.6, 0}, Row{0, 0.6}, Row{-1.00001, 0}}) {
    const Motion motion{{Row{0, 0}, beyond}, {}, {}};
    EXPECT_FALSE(accepts(motion, forged(scene_, motion)));
    EXPECT_NE(reason_.find("within the limits of joints"), std::string::npos) << reason_;
  }
}

TEST_F(Domain, EndsBetweenTheEndsOfACurve) {
  // A control point lies beyond, the curve does not.
  const Motion inside{{Row{0, 0}, Row{1, 0}}, {}, {}, {{{1.2, 0}, {0.8, 0}}}};
  EXPECT_TRUE(accepts(inside, forged(scene_, inside))) << reason_;
  Motion outside = inside;
  outside.inner[0] = {{3, 0}, {3, 0}};
  EXPECT_FALSE(accepts(outside, forged(scene_, outside)));
}

TEST_F(Domain, HoldsTheTube) {
  const Motion motion{{Row{0, 0}, Row{0.5, 0}}, {}, {}};
  EXPECT_TRUE(accepts(motion, forged(scene_, motion), 0.4)) << reason_;
  EXPECT_FALSE(accepts(motion, forged(scene_, motion), 0.51));
}

// The checker tests the pair where limits do not hold, and its certificates say so.
TEST_F(Domain, OutsideOfItThePairIsTestedAndProved) {
  CheckOptions options;
  options.limits = Limits::ignore;
  options.certificate = true;
  Scratch scratch;
  for (const Motion& motion :
       {Motion{{Row{3.8, 0}, Row{4, 0.5}}, {}, {}}, Motion{{Row{0, 0}, Row{0.5, 0}}, {}, {}}}) {
    const auto result = check(scene_, motion, options, scratch);
    ASSERT_TRUE(result.ok() && result.value().verdict == Verdict::free);
    EXPECT_TRUE(accepts(motion, result.value().certificate)) << reason_;
    EXPECT_GT(read(result.value().certificate).body.size(), 0u);
  }
  const auto met = check(scene_, Motion{{Row{0, 0}, Row{2.6, 0}}, {}, {}}, options, scratch);
  ASSERT_TRUE(met.ok() && met.value().verdict == Verdict::collision);
  const VerifyReport report =
      verify(source_, Motion{{Row{0, 0}, Row{2.6, 0}}, {}, {}}, met.value().certificate);
  EXPECT_TRUE(report.accepted) << report.reason;
}

// --- Codes ---------------------------------------------------------------------------------------

std::map<int, std::string> table() {
  std::ifstream in(source_dir() + "/tests/verify/exclusion_codes.txt");
  std::map<int, std::string> codes;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find(' ');
    codes[std::stoi(line.substr(0, space))] = line.substr(space + 1);
  }
  return codes;
}

// Of the only excluded pair.
Bytes with_code(const Bytes& certificate, int code) {
  PlainCertificate plain = read(certificate);
  plain.excluded.at(0).reason = static_cast<std::uint8_t>(code);
  return write(plain);
}

TEST_F(Domain, TheTableOfCodesIsTheProgramsOwn) {
  const auto codes = table();
  ASSERT_EQ(codes.size(), kWords<ExclusionReason>.size());
  for (const auto& [code, word] : codes)
    EXPECT_EQ(parse_word<ExclusionReason>(word), static_cast<ExclusionReason>(code)) << word;
}

// Each reason in a scene of its own: the checker writes the code of the table, and both verifiers
// take that and no other.
TEST_F(Domain, BothVerifiersKnowEveryCodeAndNoOther) {
  const Motion motion{{Row{0, 0}, Row{0.5, 0}}, {}, {}};
  std::map<std::string, SceneSource> scenes;
  for (const auto& [word, reason] :
       {std::pair("srdf_adjacent", "Adjacent"), std::pair("srdf_default", "Default"),
        std::pair("srdf_user", "User"), std::pair("srdf_never", "Never")}) {
    scenes[word] = sliding_block();
    scenes[word].robots[0].robot.disabled_pairs = {{"wall", "block", reason}};
  }
  scenes["srdf_proved"] = with_proved_pair();
  scenes["user"] = sliding_block();
  scenes["user"].exclusions = {{"r/wall", "r/block", ""}};
  scenes["adjacent"] = sliding_block();
  scenes["adjacent"].robots[0].robot.links[1].collision =
      scenes["adjacent"].robots[0].robot.links[2].collision;
  scenes["adjacent"].robots[0].robot.links[2].collision.clear();
  scenes["touch"] = sliding_block();
  Robot& bare = scenes["touch"].robots[0].robot;
  scenes["touch"].attached = {{"part", "r/block", bare.links[2].collision, {}, {"r/wall"}}};
  bare.links[2].collision.clear();
  scenes["rigid"] = sliding_block();
  scenes["rigid"].robots[0].robot.links[0].collision.clear();
  scenes["rigid"].attached = {
      {"part", "r/block", scenes["rigid"].robots[0].robot.links[2].collision, {}, {}}};
  for (const auto& [code, word] : table()) {
    ASSERT_TRUE(scenes.contains(word)) << word;
    const SceneSource source = python_.store(scenes[word]);
    const bool trust = word == "srdf_never";
    const auto scene = build_scene(source, trust);
    ASSERT_TRUE(scene.ok()) << scene.error().text();
    ASSERT_EQ(scene.value().excluded_pairs().size(), 1u) << word;
    ASSERT_TRUE(scene.value().pairs().empty()) << word;
    python_.store(motion, scene.value());
    const Bytes certificate = forged(scene.value(), motion);
    EXPECT_EQ(read(certificate).excluded.at(0).reason, code) << word;
    VerifyOptions options;
    options.trust_srdf_never = trust;
    for (int written = 0; written < 12; ++written) {
      const Bytes altered = with_code(certificate, written);
      const VerifyReport report = verify(source, motion, altered, options);
      EXPECT_EQ(report.accepted, written == code) << word << " " << written << report.reason;
      const bool telling = written == code || written == (code + 1) % 9 || written == 9;
      if (!telling) continue;  // the second verifier is slow to start
      EXPECT_EQ(python_.run(altered, trust ? "--trust-srdf-never" : ""),
                written == code ? kAccepted : kRejected)
          << word << " " << written << " " << python_.output();
      EXPECT_EQ(report.reason.find("unknown code") != std::string::npos, written > 8);
    }
  }
}

}  // namespace
}  // namespace proven::test
