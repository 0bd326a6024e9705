// Checks among clouds and voxel sets: the verdicts of a scene in which every ball and cell is an
// element of its own, witnesses that hold, and no collision at dense moments of what is free.
#include <gtest/gtest.h>

#include "any_values.h"
#include "certify/sensed_scenes.h"
#include "proven/certify/check.h"
#include "support.h"

namespace proven::test {
namespace {

CheckResult checked(const Scene& scene, const Path& path, const CheckOptions& options) {
  Scratch scratch;
  auto result = check(scene, path, options, scratch);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return std::move(result).value();
}

// The distance of the named pieces at the witness, by their own shapes.
void expect_contact(const Scene& scene, const Witness& witness, double clearance) {
  LinkPoses poses;
  compute_poses(scene.tree(), witness.configuration, poses);
  const auto at = [&](std::size_t k) {
    const Body& body = scene.body(witness.bodies[k]);
    return poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
  };
  const Body &a = scene.body(witness.bodies[0]), &b = scene.body(witness.bodies[1]);
  DistanceScratch scratch;
  const double distance =
      exact_distance(*a.geometry, *b.geometry, relative_pose(at(0), at(1)), {-1, -1}, scratch)
          .distance;
  EXPECT_LE(distance, clearance + 1e-9);
}

TEST(Sensed, VerdictsAreThoseOfSinglePieces) {
  VerdictCounts counts;
  int by_clearance = 0;
  for (int i = 0; i < cases(250); ++i) {
    Random random(4000 + static_cast<std::uint64_t>(i));
    const SensedScene source = random_sensed_scene(random, 120, i % 5 == 0);
    const Scene sensed = build(source.sensed), plain = build(source.plain);
    const Path path{random_segment(sensed.tree(), random, random.uniform(0.05, 1)), {}, {}};
    CheckOptions options = test::any_values();
    if (i % 3 == 0) options.clearance = Clearances(random.uniform(0, 0.02));
    const CheckResult ours = checked(sensed, path, options);
    const CheckResult theirs = checked(plain, path, options);
    counts.add(ours.verdict);
    // Gaps below the resolution are undecided either way.
    if (ours.verdict == Verdict::undecided || theirs.verdict == Verdict::undecided) continue;
    EXPECT_EQ(ours.verdict, theirs.verdict) << i;
    if (ours.verdict == Verdict::free) {
      EXPECT_GT(sampled_distance(plain, path.waypoints, 60), 0) << i;
    } else {
      ASSERT_TRUE(ours.collision);
      expect_contact(plain, *ours.collision, options.clearance.world);
      by_clearance += ours.collision->kind == ContactKind::too_close;
    }
    for (const Checker checker : {Checker::classic, Checker::refined}) {
      if (i % 10 != 0) break;
      CheckOptions other = options;
      other.checker = checker;
      const Verdict verdict = checked(sensed, path, other).verdict;
      EXPECT_TRUE(verdict == Verdict::undecided || verdict == ours.verdict) << i;
    }
  }
  counts.expect_both(cases(250) / 8);
  EXPECT_LE(counts.undecided, cases(250) / 20 + 1);
  EXPECT_GT(by_clearance, 0);
}

TEST(Sensed, SweepsAgreeWithTheSearch) {
  VerdictCounts counts;
  for (int i = 0; i < cases(60); ++i) {
    Random random(5000 + static_cast<std::uint64_t>(i));
    const SensedScene source = random_sensed_scene(random, 200, i % 4 == 0);
    const Scene scene = build(source.sensed);
    const CheckModel model = CheckModel::build(scene, test::any_values()).value();
    const CheckModel swept = CheckModel::build(scene, test::any_values()).value();
    swept.prepare_sweeps();
    Scratch scratch;
    for (int k = 0; k < 20; ++k) {
      const auto segment = random_segment(scene.tree(), random, random.uniform(0.05, 0.6));
      const Verdict with = swept.check_segment({segment[0], segment[1]}, scratch).verdict;
      const Verdict without = model.check_segment({segment[0], segment[1]}, scratch).verdict;
      counts.add(without);
      EXPECT_EQ(with, without) << i << ", " << k;
    }
  }
  counts.expect_both(cases(60));
}

// A scene that is edited has the verdicts of one that is built anew.
TEST(Sensed, EditedScenesAreThoseBuiltAnew) {
  VerdictCounts counts;
  for (int i = 0; i < cases(60); ++i) {
    Random random(6000 + static_cast<std::uint64_t>(i));
    SceneSource source = random_sensed_scene(random, 100).sensed;
    const Scene scene = build(source);
    const CheckModel model = CheckModel::build(scene, test::any_values()).value();
    ObstacleSource other = source.obstacles[0];
    other.elements = {random_sensed(random, 100)};
    other.name = "another";
    source.obstacles.push_back(other);
    auto edited = scene.with_obstacle(other);
    ASSERT_TRUE(edited.ok()) << edited.error().text();
    const Scene anew = build(source);
    EXPECT_EQ(edited.value().hash(), anew.hash());
    const CheckModel followed = model.with_scene(edited.value());
    Scratch scratch;
    for (int k = 0; k < 10; ++k) {
      const auto segment = random_segment(scene.tree(), random, 0.4);
      const Verdict a = followed.check_segment({segment[0], segment[1]}, scratch).verdict;
      counts.add(a);
      EXPECT_EQ(a, CheckModel::build(anew, test::any_values())
                       .value()
                       .check_segment({segment[0], segment[1]}, scratch)
                       .verdict);
    }
  }
  counts.expect_both(cases(60) / 2);
}

}  // namespace
}  // namespace proven::test
