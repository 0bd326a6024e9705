// Witnesses: true ones are confirmed, false ones are not.
#include "any_values.h"
#include "certify/random_scenes.h"
#include "plain_certificate.h"
#include "proven/certify/certificate.h"
#include "proven/certify/check.h"
#include "proven/geometry/pieces.h"
#include "proven/verify/verify.h"
#include "support.h"
#include "verify/overlap.h"

namespace proven::test {
namespace {

struct Collision {
  SceneSource source;
  Path path;
  Witness witness;
};

std::optional<Collision> find_collision(std::uint64_t seed, const CheckOptions& options) {
  Random random(seed);
  RandomSceneOptions scene_options;
  scene_options.meshes_only = seed % 2 == 0;
  scene_options.floating = seed % 5 == 0;
  Collision found;
  found.source = random_scene(random, scene_options);
  const Scene scene = build(found.source);
  found.path.waypoints = random_segment(scene.tree(), random, 1);
  Scratch scratch;
  const auto result = check(scene, found.path, options, scratch);
  EXPECT_TRUE(result.ok());
  if (result.value().verdict != Verdict::collision) return std::nullopt;
  found.witness = *result.value().collision;
  return found;
}

TEST(WitnessTest, OthersWitnessesAreConfirmed) {
  int confirmed = 0, too_close = 0;
  for (std::uint64_t seed = 1; confirmed < cases(300); ++seed) {
    CheckOptions options = test::any_values();
    options.checker = Checker::classic;
    options.clearance = seed % 3 == 0 ? 0.05 : 0;
    const auto c = find_collision(seed, options);
    if (!c) continue;
    const Scene scene = build(c->source);
    VerifyOptions verify_options;
    verify_options.clearance = options.clearance;
    const VerifyReport report = verify(
        c->source, c->path, make_certificate(scene, c->path, options, c->witness), verify_options);
    EXPECT_TRUE(report.accepted) << seed << ": " << report.reason;
    ++confirmed;
    too_close += c->witness.kind == ContactKind::too_close;
  }
  EXPECT_GT(too_close, cases(300) / 20);
}

// Moved in time, or told of other pieces: confirmed only if those overlap too, as FCL-free exact
// code of the geometry layer sees it.
TEST(WitnessTest, FalseWitnessesAreNot) {
  int accepted = 0, rejected = 0;
  for (std::uint64_t seed = 1; accepted + rejected < cases(2000); ++seed) {
    CheckOptions options = test::any_values();
    options.checker = Checker::classic;
    const auto c = find_collision(seed, options);
    if (!c || c->witness.kind != ContactKind::overlap) continue;
    const Scene scene = build(c->source);
    Verifier verifier(c->source, {});
    Random random(seed);
    for (int k = 0; k < 10; ++k) {
      Witness w = c->witness;
      if (k % 2 == 0) w.t = random.uniform();
      const auto pieces = [&](int side) {
        return scene.body(w.bodies[static_cast<std::size_t>(side)]).geometry->num_pieces();
      };
      if (k > 4) w.pieces[0] = random.index(pieces(0));
      if (k > 4) w.pieces[1] = random.index(pieces(1));
      std::vector<double> q(c->path.waypoints[0].size());
      interpolate(scene.tree(), c->path.waypoints[0], c->path.waypoints[1], w.t, q);
      LinkPoses poses;
      compute_poses(scene.tree(), q, poses);
      const Body &a = scene.body(w.bodies[0]), &b = scene.body(w.bodies[1]);
      const auto pose = [&](const Body& body) {
        return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
      };
      const double distance = piece_distance(*a.geometry, w.pieces[0], *b.geometry, w.pieces[1],
                                             relative_pose(pose(a), pose(b)))
                                  .distance;
      const VerifyReport report =
          verifier.verify(c->path, make_certificate(scene, c->path, options, w));
      EXPECT_TRUE(!report.accepted || distance < 1e-12) << distance;
      (report.accepted ? accepted : rejected) += 1;
    }
  }
  EXPECT_GT(accepted, cases(2000) / 20);
  EXPECT_GT(rejected, cases(2000) / 20);
}

TEST(WitnessTest, ImpossibleClaims) {
  CheckOptions options = test::any_values();
  options.checker = Checker::classic;
  std::optional<Collision> c;
  for (std::uint64_t seed = 1; !c || c->witness.kind != ContactKind::overlap; ++seed)
    c = find_collision(seed, options);
  const Scene scene = build(c->source);
  Verifier verifier(c->source, {});
  const auto accepted = [&](const Witness& w) {
    return verifier.verify(c->path, make_certificate(scene, c->path, options, w)).accepted;
  };
  ASSERT_TRUE(accepted(c->witness));
  Witness w = c->witness;
  for (const double t : {-0.1, 1.1, static_cast<double>(NAN)}) {
    w.t = t;
    EXPECT_FALSE(accepted(w));
  }
  w = c->witness;
  w.segment = 7;
  EXPECT_FALSE(accepted(w));
  w = c->witness;
  w.bodies = {0, 1};  // neighbours: not a tested pair
  EXPECT_FALSE(accepted(w));
  w.bodies = {0, 1000};
  EXPECT_FALSE(accepted(w));
  w = c->witness;
  w.pieces[0] = -1;
  EXPECT_FALSE(accepted(w));
  w = c->witness;
  w.kind = ContactKind::too_close;  // no clearance is asked for
  w.pieces = {0, 0};
  EXPECT_EQ(accepted(w), [&] {
    w.kind = ContactKind::overlap;
    return accepted(w);
  }());
}

// Four points of B - A prove an overlap only if they surround the origin.
TEST(WitnessTest, TetrahedraMustSurroundTheOrigin) {
  using verifier::Interval;
  const std::vector<CollisionElement> elements = {{Box{{1, 1, 1}}, Pose{}, ""}};
  verifier::Body body;
  body.elements = &elements;
  verifier::build_body(body);
  verifier::PlacedPair<Interval> pair{{&body, body.pieces[0]}, {&body, body.pieces[0]}, {}, {}};
  const auto found = verifier::find_tetrahedron(pair, 0, 0);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(verifier::surrounds_origin(*found, pair));
  pair.X_WB = verifier::GivenPose(Pose::translation({2.5, 0, 0})).as<Interval>();
  EXPECT_FALSE(verifier::surrounds_origin(*found, pair));
  EXPECT_FALSE(verifier::find_tetrahedron(pair, 0, 0).has_value());
  EXPECT_FALSE(verifier::find_tetrahedron(pair, 0.499, 0).has_value());
  const auto near = verifier::find_tetrahedron(pair, 0.501, 0);
  ASSERT_TRUE(near.has_value());
  EXPECT_TRUE(verifier::surrounds_origin(*near, pair));
}

}  // namespace
}  // namespace proven::test
