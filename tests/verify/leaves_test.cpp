// What the verifier tells of leaves (VerifyOptions::on_leaf): the bounds must lie below distances
// that are computed by other code, at every moment, and close enough to be worth showing.
#include <map>
#include <numeric>

#include "any_values.h"
#include "proven/certify/check.h"
#include "proven/geometry/pieces.h"
#include "proven/kinematics/poses.h"
#include "proven/verify/verify.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::test {
namespace {

constexpr std::size_t kMostPiecePairs = 4000;

struct Proved {
  SceneSource source;
  Scene scene;
  Path path;
  std::vector<std::uint8_t> certificate;
};

// A small motion from the start of the built-in query, or from home, and back.
Proved prove(const std::string& name, double step, double clearance, double tracking_error) {
  Proved proved;
  proved.source = make_scene(name).value();
  proved.scene = build_scene(proved.source).value();
  const SceneInfo& info = *find_scene(name);
  std::vector<double> start(proved.scene.home().begin(), proved.scene.home().end());
  for (std::size_t k = 0; k < info.query.joints.size(); ++k)
    start[static_cast<std::size_t>(proved.scene.tree().find_coordinate(info.query.joints[k]))] =
        info.query.start[k];
  std::vector<double> end = start;
  for (std::size_t k = 0; k < end.size(); ++k) end[k] += k % 2 ? step : -step;
  proved.path.waypoints = {start, end, start};
  CheckOptions options = test::any_values();
  options.certificate = true;
  options.clearance = Clearances::everywhere(clearance);
  options.tracking_error = tracking_error;
  Scratch scratch;
  proved.certificate = check(proved.scene, proved.path, options, scratch).value().certificate;
  return proved;
}

double bound_at(const ProofLeaf& leaf, double t) {
  const auto mix = [](double x, double y, double s) { return x + s * (y - x); };
  if (t < leaf.anchor)
    return mix(leaf.lower_begin, leaf.lower_anchor, (t - leaf.begin) / (leaf.anchor - leaf.begin));
  if (t > leaf.anchor)
    return mix(leaf.lower_anchor, leaf.lower_end, (t - leaf.anchor) / (leaf.end - leaf.anchor));
  return leaf.lower_anchor;
}

// The pieces of a node: those told, or all of the body at the root of its tree; else unknown.
std::vector<int> pieces_of(const Proved& proved, const ProofLeaf::Node& node) {
  if (node.body < 0 || !node.items.empty() || node.index > 0)
    return node.body < 0 ? std::vector<int>() : node.items;
  std::vector<int> all(
      static_cast<std::size_t>(proved.scene.body(node.body).geometry->num_pieces()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The distance of the pieces of two nodes at t.
double distance_at(const Proved& proved, const ProofLeaf& leaf, std::span<const int> pieces_a,
                   std::span<const int> pieces_b, double t) {
  std::vector<double> q = proved.path.waypoints[static_cast<std::size_t>(leaf.segment)];
  const auto& to = proved.path.waypoints[static_cast<std::size_t>(leaf.segment) + 1];
  for (std::size_t k = 0; k < q.size(); ++k) q[k] += t * (to[k] - q[k]);
  LinkPoses poses;
  compute_poses(proved.scene.tree(), q, poses);
  const auto X_WB = [&](int body) {
    const Body& b = proved.scene.body(body);
    return poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
  };
  const Pose X_AB = relative_pose(X_WB(leaf.a.body), X_WB(leaf.b.body));
  double least = INFINITY;
  for (const int a : pieces_a)
    for (const int b : pieces_b)
      least = std::min(least, piece_distance(*proved.scene.body(leaf.a.body).geometry, a,
                                             *proved.scene.body(leaf.b.body).geometry, b, X_AB)
                                  .distance);
  return least;
}

void compare(const std::string& name, double step, double clearance, double tracking_error) {
  const Proved proved = prove(name, step, clearance, tracking_error);
  ASSERT_FALSE(proved.certificate.empty()) << name;
  int leaves = 0, compared = 0, close = 0;
  VerifyOptions options;
  options.clearance = Clearances::everywhere(clearance);
  options.tracking_error = tracking_error;
  options.on_leaf = [&](const ProofLeaf& leaf) {
    ++leaves;
    ASSERT_LE(leaf.begin, leaf.anchor);
    ASSERT_LE(leaf.anchor, leaf.end);
    ASSERT_NEAR(norm(leaf.direction), 1, 1e-12);
    ASSERT_GE(leaf.required, clearance);
    for (const double bound : {leaf.lower_begin, leaf.lower_anchor, leaf.lower_end})
      ASSERT_GE(bound, leaf.required);
    ASSERT_NEAR(leaf.plane_b - leaf.plane_a, leaf.lower_anchor, 1e-9);
    const std::vector<int> a = pieces_of(proved, leaf.a), b = pieces_of(proved, leaf.b);
    if (a.empty() || b.empty() || a.size() * b.size() > kMostPiecePairs) return;
    for (const double share : {0.0, 0.13, 0.4, 0.5, 0.8, 1.0}) {
      const double t = leaf.begin + share * (leaf.end - leaf.begin);
      const double truth = distance_at(proved, leaf, a, b, t), bound = bound_at(leaf, t);
      ASSERT_LE(bound, truth + 1e-12) << name << " leaf " << leaves << " at " << t;
      ++compared;
      close += bound > 0.5 * truth;
    }
  };
  const VerifyReport report = verify(proved.source, proved.path, proved.certificate, options);
  EXPECT_TRUE(report.accepted) << report.reason;
  EXPECT_EQ(report.kind, CertificateKind::free) << name;
  EXPECT_EQ(report.leaves, leaves);
  EXPECT_GT(compared, 20) << name;
  EXPECT_GT(close, compared / 4) << name;
}

TEST(Leaves, BoundsLieBelowTheTruth) {
  compare("demo", 0.2, 0, 0);
  compare("cage-a", 0.03, 0, 0);
  compare("gantry", 0.2, 0, 0);
}

TEST(Leaves, ClearanceAndTrackingErrorAreRequired) {
  compare("demo", 0.2, 0.001, 0);
  compare("demo", 0.2, 0, 1e-4);
}

// Every tested pair is covered by leaves at every time.
TEST(Leaves, CoverEveryPair) {
  const Proved proved = prove("demo", 0.2, 0, 0);
  std::map<std::pair<int, int>, double> covered;
  VerifyOptions options;
  options.on_leaf = [&](const ProofLeaf& leaf) {
    for (const int b : leaf.b.body >= 0 ? std::vector{leaf.b.body} : leaf.b.items)
      covered[std::minmax(leaf.a.body, b)] += leaf.end - leaf.begin;
  };
  ASSERT_TRUE(verify(proved.source, proved.path, proved.certificate, options).accepted);
  EXPECT_EQ(covered.size(), proved.scene.pairs().size());
  for (const BodyPair& pair : proved.scene.pairs())
    EXPECT_GE((covered[{pair.a, pair.b}]), 2) << pair.a << " " << pair.b;
}

}  // namespace
}  // namespace proven::test
