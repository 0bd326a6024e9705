// Altered certificates, resealed: what the verifier still accepts must still be true. Truth is
// looked up by sampling, at every leaf (SampledTwin) and of the path as a whole.
#include <map>

#include "any_values.h"
#include "certify/random_scenes.h"
#include "naive_producer.h"
#include "proven/certify/check.h"
#include "proven/verify/verify.h"
#include "sampled_twin.h"
#include "support.h"

namespace proven::test {
namespace {

struct Specimen {
  SceneSource source;
  Path path;
  VerifyOptions options;
  PlainCertificate certificate;
  Proofs proofs;
};

// The proof by the checker itself, or by the naive producer, which has leaves of other kinds.
std::optional<Proofs> prove(const Scene& scene, const verifier::Model& model, const Path& path,
                            std::uint64_t seed) {
  if (seed % 2 == 0) return NaiveProducer(model, path, 0, seed).run();
  CheckOptions options = test::any_values();
  options.certificate = true;
  Scratch scratch;
  const auto result = check(scene, path, options, scratch);
  if (!result.ok() || result.value().verdict != Verdict::free) return std::nullopt;
  const PlainCertificate certificate = read(result.value().certificate);
  return ProofParser(model, certificate.body).parse(verifier::num_segments(path));
}

// A free path with its certificate.
std::optional<Specimen> make_specimen(std::uint64_t seed) {
  Random random(seed);
  RandomSceneOptions scene_options;
  scene_options.floating = seed % 4 == 0;
  scene_options.links = 3 + static_cast<int>(seed % 3);
  scene_options.obstacles = 1 + static_cast<int>(seed % 4);
  Specimen s;
  s.source = random_scene(random, scene_options);
  if (seed % 5 == 0) s.source.robots.push_back(s.source.robots[0]);
  if (seed % 5 == 0) {
    s.source.robots[1].name = "second";
    s.source.robots[1].X_WR.p += Vec3{1.3, 0, 0};
  }
  const Scene scene = build(s.source);
  s.path.waypoints = random_segment(scene.tree(), random, 0.6);
  if (seed % 3 == 0) s.path.waypoints.push_back(s.path.waypoints[0]);
  const verifier::Model model = verifier::build_model(s.source, s.options);
  auto proofs = prove(scene, model, s.path, seed);
  if (!proofs) return std::nullopt;
  s.proofs = std::move(*proofs);
  s.certificate = blank_certificate(model, s.path);
  return s;
}

void collect(ProofNode& node, std::vector<ProofNode*>& leaves, std::vector<ProofNode*>& splits) {
  (node.is_leaf() ? leaves : splits).push_back(&node);
  for (ProofNode& child : node.children) collect(child, leaves, splits);
}

enum Alteration {
  kDirectionNudged,
  kDirectionReplaced,
  kAnchor,
  kSubtreeDropped,
  kTimeSplitRemoved,
  kSpaceSplitRemoved,
  kSubtreesSwapped,
  kUnitLeftOut,
  kPairCountLowered,
  kClearance,
  kWaypointMoved,
  kObstacleMoved,
  kByte,
  kAlterations
};

// False if there is nothing of that kind to alter.
bool alter(Specimen& s, Alteration kind, Random& random) {
  auto& segment =
      s.proofs[static_cast<std::size_t>(random.index(static_cast<int>(s.proofs.size())))];
  std::vector<ProofNode*> leaves, splits;
  for (ProofNode& root : segment) collect(root, leaves, splits);
  const auto pick = [&](auto& list) {
    return list[static_cast<std::size_t>(random.index(static_cast<int>(list.size())))];
  };
  if (leaves.empty()) return false;
  ProofNode& leaf = *pick(leaves);
  const auto splits_with = [&](bool time) {
    std::vector<ProofNode*> fitting;
    for (ProofNode* node : splits)
      if ((node->code == 0) == time) fitting.push_back(node);
    return fitting;
  };
  switch (kind) {
    case kDirectionNudged:
      leaf.direction[static_cast<std::size_t>(random.index(3))] += random.index(2) ? 1 : -1;
      return true;
    case kDirectionReplaced:
      for (auto& x : leaf.direction) x = random.index(255) - 127;
      leaf.code = static_cast<std::uint8_t>(leaf.code / 8 * 8 + 1);
      return true;
    case kAnchor:
      leaf.code = static_cast<std::uint8_t>(0x10 + 8 * random.index(3) + leaf.code % 8);
      return true;
    case kSubtreeDropped: {
      if (splits.empty()) return false;
      ProofNode& node = *pick(splits);
      node.children.erase(node.children.begin() +
                          random.index(static_cast<int>(node.children.size())));
      return true;
    }
    case kTimeSplitRemoved:
    case kSpaceSplitRemoved: {
      auto fitting = splits_with(kind == kTimeSplitRemoved);
      if (fitting.empty()) return false;
      ProofNode& node = *pick(fitting);
      const ProofNode child = pick(node.children);
      node = child;
      return true;
    }
    case kSubtreesSwapped: {
      if (splits.empty()) return false;
      ProofNode& node = *pick(splits);
      std::swap(node.children.front(), node.children.back());
      return node.children.size() > 1;
    }
    case kUnitLeftOut:
      segment.erase(segment.begin() + random.index(static_cast<int>(segment.size())));
      return true;
    case kPairCountLowered:
      --s.certificate.tested;
      return true;
    case kClearance:
      s.options.clearance = Clearances::everywhere(random.uniform(0, 0.1));
      return true;
    case kWaypointMoved: {
      auto& q = s.path.waypoints.back();
      q.back() += random.uniform(-1, 1) * (random.index(2) ? 0.01 : 1);
      if (s.source.robots[0].robot.joints.back().mimic)
        return false;  // part of a quaternion, perhaps
      return true;
    }
    case kObstacleMoved:
      s.source.obstacles.back().X_WB.p += random.uniform(0, 0.2) * random.unit_vector();
      return true;
    default:
      return true;
  }
}

struct Tally {
  int accepted = 0, rejected = 0;
};

TEST(Altered, WhatIsAcceptedIsTrue) {
  std::map<int, Tally> tally;
  int specimens = 0;
  for (std::uint64_t seed = 1; specimens < cases(40); ++seed) {
    const auto original = make_specimen(seed);
    if (!original) continue;
    ++specimens;
    Random random(seed);
    for (int round = 0; round < 8 * kAlterations; ++round) {
      const auto kind = static_cast<Alteration>(round % kAlterations);
      Specimen s = *original;
      if (!alter(s, kind, random)) continue;
      s.certificate.body = write(s.proofs);
      if (kind == kByte)
        s.certificate.body[static_cast<std::size_t>(
            random.index(static_cast<int>(s.certificate.body.size())))] =
            static_cast<std::uint8_t>(random.index(256));
      const VerifyReport report = verify(s.source, s.path, write(s.certificate), s.options);
      Tally& t = tally[kind];
      (report.accepted ? t.accepted : t.rejected) += 1;
      if (!report.accepted) {
        EXPECT_FALSE(report.reason.empty());
        continue;
      }
      const Scene scene = build(s.source);
      const verifier::Model model = verifier::build_model(s.source, s.options);
      const Proofs proofs =
          ProofParser(model, s.certificate.body).parse(verifier::num_segments(s.path));
      EXPECT_TRUE(SampledTwin(scene, model, s.path).holds(proofs))
          << "seed " << seed << " alteration " << kind;
      for (std::size_t i = 0; i + 1 < s.path.waypoints.size(); ++i)
        EXPECT_GT(sampled_distance(scene, {s.path.waypoints[i], s.path.waypoints[i + 1]}, 10),
                  s.options.clearance.world);
    }
  }
  Tally all;
  for (const auto& [kind, t] : tally) {
    EXPECT_GT(t.rejected, 0) << kind;
    all.accepted += t.accepted;
    all.rejected += t.rejected;
  }
  std::printf("%d altered certificates: %d rejected, %d accepted and true\n",
              all.accepted + all.rejected, all.rejected, all.accepted);
  for (const int kind : {kDirectionNudged, kDirectionReplaced, kAnchor, kObstacleMoved, kClearance})
    EXPECT_GT(tally[kind].accepted, 0) << kind;
  for (const int kind : {kSubtreeDropped, kUnitLeftOut, kPairCountLowered})
    EXPECT_EQ(tally[kind].accepted, 0) << kind;
}

}  // namespace
}  // namespace proven::test
