// The pre-check of planners: sweeps never contradict the search, what they leave open is searched
// often enough, and `free` is the search's word alone.
#include "proven/certify/prover.h"

#include <gtest/gtest.h>

#include "certify/random_scenes.h"
#include "certify/verdicts.h"
#include "check_support.h"
#include "support.h"

namespace proven {
namespace {

CheckModel model_of(const Scene& scene, bool sweep) {
  CheckOptions options;
  options.sweep = sweep;
  const CheckModel model = CheckModel::build(scene, options).value();
  if (sweep) model.prepare_sweeps();
  return model;
}

// Two prongs on both sides of a plate that their hull holds: sweeps leave that open.
Scene fork(double gap) {
  constexpr double kThick = 0.1, kProng = 0.0005;
  Robot robot;
  robot.links.resize(2);
  robot.links[0].name = "base", robot.links[1].name = "fork";
  for (const double side : {-1.0, 1.0})
    robot.links[1].collision.push_back(
        {Box{{0.15, kProng, 0.15}}, Pose::translation({0, side * (0.5 * kThick + kProng + gap), 0}),
         ""});
  RobotJoint joint;
  joint.name = "x", joint.type = JointType::prismatic;
  joint.parent_link = "base", joint.child_link = "fork";
  joint.axis = {1, 0, 0};
  joint.limits = {-5, 5, 1, 1};
  robot.joints.push_back(joint);
  SceneSource source;
  source.robots.push_back({"r", robot, Pose{}});
  source.obstacles.push_back(
      {"plate", {CollisionElement{Box{{0.2, 0.5 * kThick, 0.2}}, Pose{}, ""}}, Pose{}});
  return test::build(source);
}
const std::vector<double> kFrom = {-0.01}, kTo = {0.01};

constexpr auto kAlone = CheckModel::Effort::sweeps_alone, kThorough = CheckModel::Effort::thorough;

bool agree(const PreCheck& pre_check, Verdict verdict) {
  return test::verdict_of(pre_check.verdict) == verdict;
}

TEST(Prover, ThePreCheckSaysNothingThatTheSearchDenies) {
  Random random(4);
  std::array<int, 3> seen = {};
  for (int i = 0; i < test::cases(15); ++i) {
    const Scene scene = test::build(
        test::random_scene(random, {.links = 4, .obstacles = 5, .meshes_only = i % 2 == 0}));
    const CheckModel swept = model_of(scene, true), searched = model_of(scene, false);
    Scratch scratch;
    for (int k = 0; k < 10; ++k) {
      const auto rows = test::random_segment(scene.tree(), random, random.uniform(0.05, 2));
      const SegmentQuery segment{rows.front(), rows.back()};
      const PreCheck said = swept.pre_check(segment, kAlone, scratch);
      ++seen[static_cast<std::size_t>(said.verdict)];
      EXPECT_EQ(said.bodies[0] >= 0, said.verdict == PreVerdict::contact);
      const Verdict truth = searched.check_segment(segment, scratch).verdict;
      EXPECT_TRUE(agree(swept.pre_check(segment, kThorough, scratch), truth));
      EXPECT_TRUE(agree(searched.pre_check(segment, kThorough, scratch), truth));
      EXPECT_EQ(swept.check_segment(segment, scratch).verdict, truth);
      EXPECT_TRUE(agree(swept.pre_check(segment.to, {}, scratch),
                        searched.check_configuration(segment.to, scratch).verdict));
      if (said.verdict == PreVerdict::open) continue;
      EXPECT_TRUE(agree(said, truth));
      EXPECT_EQ(searched.pre_check(segment, kAlone, scratch).verdict, PreVerdict::open);
    }
  }
  for (const int times : seen) EXPECT_GT(times, 0);
}

TEST(Prover, SearchesEveryFourthMotionThatSweepsLeaveOpen) {
  for (const double gap : {0.003, -0.0001}) {
    const CheckModel model = model_of(fork(gap), true);
    Scratch scratch;
    ASSERT_EQ(model.pre_check({kFrom, kTo}, kAlone, scratch).verdict,
              gap > 0 ? PreVerdict::open : PreVerdict::contact);
    Prover prover(model);
    ASSERT_EQ(prover.seems_free({kFrom, kTo}), gap > 0);
    std::string answers;
    for (int i = 0; i < 8; ++i) answers += prover.seems_free_quickly({kFrom, kTo}) ? 'y' : 'n';
    EXPECT_EQ(answers, gap > 0 ? "nnnynnny" : "nnnnnnnn");
    EXPECT_EQ(prover.counts().segments, 9);
    EXPECT_EQ(prover.most_frequent_blocker().has_value(), gap < 0);
  }
}

// Whether motions are refused is up to the caller, not to how often a model was asked.
TEST(Prover, RefusesNothingUnlessToldToSweep) {
  const Scene scene = fork(0.003);
  CheckOptions options;
  options.sweep = true;
  const CheckModel untold = CheckModel::build(scene, options).value();
  Scratch scratch;
  for (int i = 0; i < 6000; ++i) (void)untold.check_segment({kFrom, kTo}, scratch);
  ASSERT_TRUE(untold.sweeps());
  EXPECT_FALSE(untold.told_to_sweep());
  Prover prover(untold);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(prover.seems_free_quickly({kFrom, kTo}));

  const CheckModel told = model_of(scene, true);
  EXPECT_TRUE(told.told_to_sweep());
  const auto moved = scene.with_pose("plate", Pose::translation({0, 0, 0.01}));
  ASSERT_TRUE(moved.ok());
  EXPECT_TRUE(told.with_scene(moved.value()).told_to_sweep());
  options.checker = Checker::classic;
  EXPECT_FALSE(told.with_options(options).value().told_to_sweep());
  options.checker = Checker::directional;
  options.clearance = 0.001;
  EXPECT_FALSE(told.with_options(options).value().told_to_sweep());
}

}  // namespace
}  // namespace proven
