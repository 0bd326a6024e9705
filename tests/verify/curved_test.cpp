// Certificates of curved motions: what is accepted is true, by samples of an evaluator of its own.
#include <map>

#include "curves.h"
#include "naive_producer.h"
#include "proven/verify/verify.h"
#include "sampled_twin.h"
#include "support.h"

namespace proven::test {
namespace {

struct Specimen {
  SceneSource source;
  Motion motion;
  PlainCertificate certificate;
  Proofs proofs;
};

std::optional<Specimen> make_specimen(std::uint64_t seed) {
  Random random(40000 + seed);
  Specimen s;
  s.source = scene_of_all_joints(random, static_cast<int>(seed % 1000));
  const Scene scene = build(s.source);
  s.motion = random_motion(scene.tree(), random, 0.4, 1 + static_cast<int>(seed % 3));
  const verifier::Model model = verifier::build_model(s.source, {});
  auto proofs = NaiveProducer(model, s.motion, 0, seed).run();
  if (!proofs) return std::nullopt;
  s.proofs = std::move(*proofs);
  s.certificate = blank_certificate(model, s.motion);
  return s;
}

TEST(Curved, FreeMotionsAreProvedAndAccepted) {
  std::map<int, int> degrees;
  std::map<JointType, int> types;
  int proved = 0, two_robots = 0, backwards = 0, colliding = 0;
  const int count = cases(150);
  for (int i = 0; i < count; ++i) {
    const auto s = make_specimen(static_cast<std::uint64_t>(i));
    if (!s) {
      ++colliding;
      continue;
    }
    ++proved;
    PlainCertificate certificate = s->certificate;
    certificate.body = write(s->proofs);
    const VerifyReport report = verify(s->source, s->motion, write(certificate));
    EXPECT_TRUE(report.accepted) << i << ": " << report.reason;
    EXPECT_EQ(report.degree, s->motion.degree());
    if (report.accepted) {
      EXPECT_EQ(report.theorem[1].find("Motion: "), 0u) << report.theorem[1];
    }
    const Scene scene = build(s->source);
    const verifier::Model model = verifier::build_model(s->source, {});
    EXPECT_TRUE(SampledTwin(scene, model, s->motion).holds(s->proofs)) << i;
    EXPECT_GT(sampled_distance(scene, s->motion, 64), 0) << i;
    ++degrees[s->motion.degree()];
    two_robots += s->source.robots.size() == 2;
    for (const RobotJoint& joint : s->source.robots[0].robot.joints) {
      ++types[joint.type];
      backwards += joint.mimic.has_value();
    }
  }
  EXPECT_GT(proved, count / 4);
  if (count < 100) return;  // fewer need not show all outcomes
  EXPECT_GT(colliding, 0);
  for (const int degree : {2, 3, 4, 5}) EXPECT_GT(degrees[degree], 0) << degree;
  for (const JointType type : {JointType::revolute, JointType::continuous, JointType::prismatic,
                               JointType::planar, JointType::floating})
    EXPECT_GT(types[type], 0) << static_cast<int>(type);
  EXPECT_GT(two_robots, 0);
  EXPECT_GT(backwards, 0);
}

void collect(ProofNode& node, std::vector<ProofNode*>& leaves, std::vector<ProofNode*>& splits) {
  (node.is_leaf() ? leaves : splits).push_back(&node);
  for (ProofNode& child : node.children) collect(child, leaves, splits);
}

enum Alteration {
  kDirection,
  kAnchor,
  kTimeSplitRemoved,
  kDegree,
  kVersion,
  kControlPoint,
  kWaypoint,
  kPieceStraightened,
  kAlterations
};

// False if there is nothing of that kind to alter.
bool alter(Specimen& s, Alteration kind, Random& random) {
  const auto any = [&](auto& list) -> auto& {
    return list[static_cast<std::size_t>(random.index(static_cast<int>(list.size())))];
  };
  std::vector<ProofNode*> leaves, splits;
  for (ProofNode& root : any(s.proofs)) collect(root, leaves, splits);
  if (leaves.empty()) return false;
  ProofNode& leaf = *any(leaves);
  const double size = random.index(2) ? 0.02 : 1;
  switch (kind) {
    case kDirection:
      if (random.index(2)) {
        leaf.direction[static_cast<std::size_t>(random.index(3))] += random.index(2) ? 1 : -1;
        return true;
      }
      for (auto& x : leaf.direction) x = random.index(255) - 127;
      leaf.code = static_cast<std::uint8_t>(leaf.code / 8 * 8 + 1);
      return true;
    case kAnchor:
      leaf.code = static_cast<std::uint8_t>(0x10 + 8 * random.index(3) + leaf.code % 8);
      return true;
    case kTimeSplitRemoved: {
      std::erase_if(splits, [](const ProofNode* node) { return node->code != 0; });
      if (splits.empty()) return false;
      ProofNode& node = *any(splits);
      const ProofNode child = node.children[static_cast<std::size_t>(random.index(2))];
      node = child;
      return true;
    }
    case kDegree:
      s.certificate.degree = static_cast<std::uint8_t>(random.index(7));
      return s.certificate.degree != s.motion.degree();
    case kVersion:
      s.certificate.version = static_cast<std::uint16_t>(random.index(4));
      if (random.index(2)) s.certificate.degree = 0;
      return s.certificate.version != 2;
    case kControlPoint: {
      auto& piece = any(s.motion.inner);
      if (piece.empty()) return false;
      auto& value = any(any(piece));
      value += random.uniform(-size, size);
      return true;
    }
    case kWaypoint: {
      any(any(s.motion.waypoints)) += random.uniform(-size, size);
      return true;
    }
    case kPieceStraightened: {
      const int before = s.motion.degree();
      any(s.motion.inner).clear();
      return s.motion.degree() == before;
    }
    default:
      return false;
  }
}

TEST(Curved, WhatIsAcceptedIsTrue) {
  std::map<int, int> accepted, rejected;
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
      const VerifyReport report = verify(s.source, s.motion, write(s.certificate));
      ++(report.accepted ? accepted : rejected)[kind];
      if (!report.accepted) {
        EXPECT_FALSE(report.reason.empty());
        continue;
      }
      const Scene scene = build(s.source);
      const verifier::Model model = verifier::build_model(s.source, {});
      const Proofs proofs =
          ProofParser(model, s.certificate.body).parse(verifier::num_segments(s.motion));
      EXPECT_TRUE(SampledTwin(scene, model, s.motion).holds(proofs))
          << "seed " << seed << " alteration " << kind;
      EXPECT_GT(sampled_distance(scene, s.motion, 16), 0);
    }
  }
  for (int kind = 0; kind < kAlterations; ++kind) {
    std::printf("alteration %d: %d rejected, %d accepted and true\n", kind, rejected[kind],
                accepted[kind]);
    if (specimens < 20) continue;
    EXPECT_GT(rejected[kind], 0) << kind;
    EXPECT_EQ(accepted[kind] > 0, kind != kDegree && kind != kVersion) << kind;
  }
}

// Free as a polyline, colliding as a curve: its polyline's proof does not pass, and there is none.
TEST(Curved, WhatCollidesOnTheCurveIsNotFree) {
  int seen = 0;
  for (std::uint64_t seed = 1; seen < cases(20); ++seed) {
    Random random(60000 + seed);
    const SceneSource source = scene_of_all_joints(random, static_cast<int>(seed % 1000));
    const Scene scene = build(source);
    const Motion curve = random_motion(scene.tree(), random, 1.5, 1);
    Path polyline = curve;
    polyline.inner.clear();
    if (sampled_distance(scene, curve, 16) > 0 || sampled_distance(scene, polyline, 16) == 0)
      continue;
    const verifier::Model model = verifier::build_model(source, {});
    const auto proofs = NaiveProducer(model, polyline, 0, seed).run();
    if (!proofs) continue;
    ++seen;
    PlainCertificate certificate = blank_certificate(model, polyline);
    certificate.body = write(*proofs);
    EXPECT_TRUE(verify(source, polyline, write(certificate)).accepted);
    EXPECT_FALSE(verify(source, curve, write(certificate)).accepted);
    certificate = blank_certificate(model, curve);
    certificate.body = write(*proofs);
    EXPECT_FALSE(verify(source, curve, write(certificate)).accepted) << seed;
    EXPECT_FALSE(NaiveProducer(model, curve, 0, seed).run().has_value()) << seed;
  }
}

// A block on a slide, a bar on a hinge or a bar that flies, before a wall 0.1 m away.
SceneSource before_a_wall(JointType type) {
  Robot robot;
  robot.name = "r";
  robot.links = {{"base", {}, false, nullptr},
                 {"part", {{Box{{1, 0.01, 0.01}}, Pose{}, ""}}, false, nullptr}};
  RobotJoint joint;
  joint.name = "j";
  joint.type = type;
  joint.axis = type == JointType::prismatic ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  joint.parent_link = "base";
  joint.child_link = "part";
  joint.limits = {-1, 1, 1, 1};
  robot.joints = {joint};
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  source.obstacles.push_back(
      {"wall", {{Box{{0.05, 0.05, 0.05}}, Pose{}, ""}}, Pose::translation({0.9, 0.16, 0})});
  return source;
}

// A motion that swings out by `weight` times the k-th Bernstein polynomial and comes back.
Motion swing(JointType type, int degree, int k, double size) {
  const std::vector<double> rest =
      type == JointType::floating ? std::vector<double>{0, 0, 0, 0, 0, 0, 1} : std::vector{0.0};
  std::vector<double> zero(rest.size(), 0.0), out = zero;
  out[type == JointType::floating ? 5 : 0] = size;
  Motion motion{{rest, rest}, {}, {}, {}};
  motion.inner.emplace_back(static_cast<std::size_t>(degree - 1), zero);
  motion.inner[0][static_cast<std::size_t>(k - 1)] = out;
  return motion;
}

// Each swing is tried with every single leaf that looks at the wall, and with the naive producer.
// How far it may swing before it is refused tells how much the rule gives away.
TEST(Curved, SwingsTowardsAWall) {
  for (const JointType type : {JointType::prismatic, JointType::revolute, JointType::floating}) {
    const SceneSource source = before_a_wall(type);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    int accepted = 0, refused = 0;
    for (int degree = 2; degree <= 5; ++degree)
      for (int k = 1; k < degree; ++k)
        for (double size = 0.02; size < 1.5; size *= 1.15) {
          const Motion motion = swing(type, degree, k, size);
          const bool free = sampled_distance(scene, motion, 64) > 0;
          PlainCertificate certificate = blank_certificate(model, motion);
          for (const int anchor : {0, 1, 2}) {
            ProofNode leaf;
            leaf.code = static_cast<std::uint8_t>(0x11 + 8 * anchor);
            leaf.direction = {0, 1, 0};
            certificate.body = write(Proofs{{leaf}});
            const bool passed = verify(source, motion, write(certificate)).accepted;
            EXPECT_TRUE(free || !passed) << degree << " " << k << " " << size << " " << anchor;
            ++(passed ? accepted : refused);
          }
          const auto proofs = NaiveProducer(model, motion, 0, 1).run();
          EXPECT_TRUE(free || !proofs) << degree << " " << k << " " << size;
          // A slide is known exactly: what comes to within a tenth is proved.
          if (type == JointType::prismatic &&
              size * bernstein(degree, k, Real(k) / degree) < 0.099) {
            EXPECT_TRUE(proofs) << degree << " " << k << " " << size;
          }
        }
    EXPECT_GT(accepted, 0);
    EXPECT_GT(refused, 0);
  }
}

// A parabola that swings as far as the wall is just refused: all that the rule adds for the bend
// is used up.
TEST(Curved, AParabolaIsBoundedSharply) {
  const SceneSource source = before_a_wall(JointType::prismatic);
  const verifier::Model model = verifier::build_model(source, {});
  for (const int anchor : {0, 2}) {
    ProofNode leaf;
    leaf.code = static_cast<std::uint8_t>(0x11 + 8 * anchor);
    leaf.direction = {0, 1, 0};
    const auto accepted = [&](double peak) {
      const Motion motion = swing(JointType::prismatic, 2, 1, 2 * peak);
      PlainCertificate certificate = blank_certificate(model, motion);
      certificate.body = write(Proofs{{leaf}});
      return verify(source, motion, write(certificate)).accepted;
    };
    EXPECT_TRUE(accepted(0.0999999));
    EXPECT_FALSE(accepted(0.1000001));
  }
}

// A parabola that comes near at first and then goes far: neither end tells what is between, and the
// gap at the anchor must bear the bend too.
TEST(Curved, TheAnchorMustBearTheBendToo) {
  const SceneSource source = before_a_wall(JointType::prismatic);
  const Scene scene = build(source);
  const verifier::Model model = verifier::build_model(source, {});
  int free = 0, colliding = 0;
  for (double out = 0.05; out < 1; out *= 1.2)
    for (const bool backwards : {false, true}) {
      Motion motion{{{0.0}, {-0.6}}, {}, {}, {{{out}}}};
      if (backwards) std::swap(motion.waypoints[0], motion.waypoints[1]);
      ProofNode leaf;
      leaf.code = backwards ? 0x21 : 0x11;  // anchored where it is near
      leaf.direction = {0, 1, 0};
      PlainCertificate certificate = blank_certificate(model, motion);
      certificate.body = write(Proofs{{leaf}});
      const bool collides = sampled_distance(scene, motion, 64) == 0;
      ++(collides ? colliding : free);
      EXPECT_FALSE(collides && verify(source, motion, write(certificate)).accepted) << out;
    }
  EXPECT_GT(free, 0);
  EXPECT_GT(colliding, 0);
}

// Control points may differ by 2^-45 of the largest: with large ones that is to be seen.
TEST(Curved, RoundingOfConversionsIsCovered) {
  const SceneSource source = before_a_wall(JointType::prismatic);
  SceneSource far = source;
  far.robots[0].X_WR.p.y = -1e6;
  const verifier::Model model = verifier::build_model(far, {});
  const auto accepted = [&](double gap, bool curved) {
    Motion motion{{{1e6 + 0.1 - gap}, {1e6 + 0.1 - gap}}, {}, {}, {}};
    if (curved) motion.inner = {{{1e6 + 0.1 - gap}}};
    ProofNode leaf;
    leaf.code = 0x11;
    leaf.direction = {0, 1, 0};
    PlainCertificate certificate = blank_certificate(model, motion);
    certificate.body = write(Proofs{{leaf}});
    return verify(far, motion, write(certificate)).accepted;
  };
  const double tube = 0x1p-45 * 1e6;  // 2.8e-8
  EXPECT_TRUE(accepted(1.02 * tube, true));
  EXPECT_FALSE(accepted(0.98 * tube, true));
  EXPECT_TRUE(accepted(0.98 * tube, false));
}

TEST(Curved, MotionsThatMakeNoSenseAreRejected) {
  std::optional<Specimen> s;
  for (std::uint64_t seed = 0; !s; seed += 3) {  // with a floating joint, three pieces
    s = make_specimen(seed);
    if (s && (s->motion.inner[0].empty() || seed % 3 != 0)) s.reset();
  }
  const auto reason = [&](const Motion& motion) {
    PlainCertificate certificate = s->certificate;
    certificate.body = write(s->proofs);
    const VerifyReport report = verify(s->source, motion, write(certificate));
    return report.accepted ? "" : report.reason;
  };
  EXPECT_EQ(reason(s->motion), "");
  Motion motion = s->motion;
  motion.inner.emplace_back();
  EXPECT_NE(reason(motion).find("control points of"), std::string::npos);
  motion = s->motion;
  motion.inner[0].resize(5, motion.inner[0][0]);
  EXPECT_NE(reason(motion).find("degree 6"), std::string::npos);
  motion = s->motion;
  motion.inner[0][0].pop_back();
  EXPECT_NE(reason(motion).find("values"), std::string::npos);
  for (const double value : {static_cast<double>(NAN), static_cast<double>(INFINITY), 2e9}) {
    motion = s->motion;
    motion.inner[0][0][0] = value;
    EXPECT_NE(reason(motion).find("not finite, or too large"), std::string::npos);
  }
  motion = s->motion;
  motion.inner[0][0][6] = 1e-300;  // behind the rotation vector
  EXPECT_NE(reason(motion).find("followed by 0"), std::string::npos);
  motion = s->motion;
  motion.inner.clear();
  EXPECT_NE(reason(motion).find("degree"), std::string::npos);
}

// Witnesses are told by piece and time of a curve.
Bytes witness_of(const verifier::Model& model, const Motion& motion, double t) {
  PlainCertificate certificate = blank_certificate(model, motion);
  certificate.kind = 1;
  ByteWriter body;
  body.put(0, 1), body.put(0, 4), body.put(t);
  body.put(0, 4), body.put(1, 4), body.put(0, 4), body.put(0, 4);
  for (int i = 0; i < 7; ++i) body.put(0.0);
  certificate.body = body.out;
  return write(certificate);
}

TEST(Curved, WitnessesAreOfTheCurve) {
  for (const JointType type : {JointType::prismatic, JointType::revolute, JointType::floating}) {
    const SceneSource source = before_a_wall(type);
    const Scene scene = build(source);
    const verifier::Model model = verifier::build_model(source, {});
    int confirmed = 0, refused = 0;
    for (int degree = 2; degree <= 5; ++degree) {
      const Motion motion = swing(type, degree, 1 + degree / 3, 0.6);
      for (int i = 0; i <= 50; ++i) {
        const double t = i / 50.0;
        const auto q = configuration_at(scene.tree(), motion.piece(0), t);
        const bool collides = sampled_distance(scene, {q, q}, 1) == 0;
        const VerifyReport report = verify(source, motion, witness_of(model, motion, t));
        EXPECT_EQ(report.accepted, collides) << degree << " " << t << ": " << report.reason;
        ++(report.accepted ? confirmed : refused);
      }
    }
    EXPECT_GT(confirmed, 0);
    EXPECT_GT(refused, 0);
  }
}

}  // namespace
}  // namespace proven::test
