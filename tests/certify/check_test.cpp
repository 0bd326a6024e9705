// Verdicts on small scenes whose answers are known.
#include "proven/certify/check.h"

#include <numbers>

#include "any_values.h"
#include "check_support.h"

namespace proven {
namespace {

using test::box_elements;
using test::box_mesh;
using test::must_build;
using test::must_check;
using test::slider;
using test::turning_bar;

// The farthest point of the turning bar from its axis.
const double kTip = std::hypot(1, 0.01);

class EveryProvingChecker : public testing::TestWithParam<Checker> {
 protected:
  CheckOptions options() const {
    CheckOptions o = test::any_values();
    o.checker = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Check, EveryProvingChecker,
                         testing::Values(Checker::directional, Checker::classic, Checker::refined),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST_P(EveryProvingChecker, FindsAPlateThinnerThanAnySample) {
  for (const double thickness : {5e-3, 1e-3, 1e-4}) {
    SceneBuilder builder = slider();
    ASSERT_TRUE(
        builder.add_obstacle("plate", box_mesh({thickness, 1, 1}), Pose::translation({2.345, 0, 0}))
            .ok());
    const Scene scene = must_build(std::move(builder));
    EXPECT_EQ(must_check(scene, {{0}, {2.2}}, options()).verdict, Verdict::free);
    EXPECT_EQ(must_check(scene, {{2.5}, {5}}, options()).verdict, Verdict::free);
    const CheckResult through = must_check(scene, {{0}, {5}}, options());
    ASSERT_EQ(through.verdict, Verdict::collision);
    EXPECT_EQ(through.collision->kind, ContactKind::overlap);
    EXPECT_NEAR(through.collision->configuration[0], 2.345, 0.1 + thickness);
  }
}

TEST_P(EveryProvingChecker, TurningBarHitsAPostInTheMiddleOfALongTurn) {
  SceneBuilder builder = turning_bar();
  const double angle = 2.1;
  ASSERT_TRUE(
      builder
          .add_obstacle("post", {{Cylinder{0.001, 1}, Pose{}, ""}},
                        Pose::translation({0.9 * std::cos(angle), 0.9 * std::sin(angle), 0}))
          .ok());
  const Scene scene = must_build(std::move(builder));
  EXPECT_EQ(must_check(scene, {{0}, {2.0}}, options()).verdict, Verdict::free);
  const CheckResult hit = must_check(scene, {{0}, {6}}, options());
  ASSERT_EQ(hit.verdict, Verdict::collision);
  EXPECT_NEAR(hit.collision->configuration[0], angle, 0.05);
  // Literal joint values: three full turns the other way also pass the post.
  EXPECT_EQ(must_check(scene, {{2.2}, {8.3}}, options()).verdict, Verdict::free);
  EXPECT_EQ(must_check(scene, {{2.2}, {8.5}}, options()).verdict, Verdict::collision);
}

TEST_P(EveryProvingChecker, ClearanceIsProvedAlongTheWholePath) {
  SceneBuilder builder = slider();
  // A wall parallel to the motion, 0.05 m from the block.
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({10, 0.1, 1}), Pose::translation({0, 0.2, 0}))
          .ok());
  const Scene scene = must_build(std::move(builder));
  CheckOptions o = options();
  o.clearance = 0.04;
  EXPECT_EQ(must_check(scene, {{-3}, {3}}, o).verdict, Verdict::free);
  o.clearance = 0.06;
  const CheckResult close = must_check(scene, {{-3}, {3}}, o);
  ASSERT_EQ(close.verdict, Verdict::collision);
  EXPECT_EQ(close.collision->kind, ContactKind::too_close);
  EXPECT_NEAR(close.collision->distance, 0.05, 1e-9);
}

// Both ends are well clear; only in the middle a bump comes closer than the clearance. The
// clearance must be counted at both ends of the rule.
TEST_P(EveryProvingChecker, ClearanceIsMissedOnlyAtABump) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("bump", {{Sphere{0.05}, Pose{}, ""}}, Pose::translation({1, 0.2, 0}))
          .ok());
  const Scene scene = must_build(std::move(builder));  // gap 0.05 at x = 1
  CheckOptions o = options();
  for (const double x : {0.5, 0.8, 0.9, 0.99}) {
    o.clearance = 0.049;
    EXPECT_EQ(must_check(scene, {{x}, {2 - x}}, o).verdict, Verdict::free) << x;
    o.clearance = 0.051;
    EXPECT_EQ(must_check(scene, {{x}, {2 - x}}, o).verdict, Verdict::collision) << x;
  }
}

TEST_P(EveryProvingChecker, ExactTouchingIsUndecided) {
  SceneBuilder builder = slider(box_mesh({0.25, 0.25, 0.25}));
  ASSERT_TRUE(
      builder.add_obstacle("floor", box_mesh({4, 4, 0.25}), Pose::translation({0, 0, -0.25})).ok());
  const Scene scene = must_build(std::move(builder));
  const CheckResult touching = must_check(scene, {{0}, {1}}, options());
  EXPECT_EQ(touching.verdict, Verdict::undecided);
  ASSERT_TRUE(touching.undecided.has_value());
  EXPECT_EQ(touching.undecided->reason, UndecidedReason::gap_below_resolution);
}

TEST_P(EveryProvingChecker, ACollisionOutranksANearMissBeforeIt) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(builder
                  .add_obstacle("nearly", box_elements({0.2, 0.1, 1}),
                                Pose::translation({1, 0.15, 0}))  // touches
                  .ok());
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({0.2, 0.1, 1}), Pose::translation({3, 0.1, 0}))
          .ok());
  const Scene scene = must_build(std::move(builder));
  EXPECT_EQ(must_check(scene, {{0}, {2}}, options()).verdict, Verdict::undecided);
  EXPECT_EQ(must_check(scene, {{0}, {2}, {4}}, options()).verdict, Verdict::collision);
}

// A stone in a hall, whichever of them moves. Each wall of a moving hall alone is apart from what
// it holds.
TEST_P(EveryProvingChecker, ABodyInsideAClosedMeshCollides) {
  const auto stone = box_mesh({0.2, 0.2, 0.2}), hall = box_mesh({8, 8, 8});
  for (const auto& [moving, still] : {std::pair(stone, hall), std::pair(hall, stone)}) {
    SceneBuilder builder = slider(moving);
    ASSERT_TRUE(builder.add_obstacle("still", still, Pose{}).ok());
    const Scene scene = must_build(std::move(builder));
    const CheckResult inside = must_check(scene, {{-1}, {1}}, options());
    ASSERT_EQ(inside.verdict, Verdict::collision);
    EXPECT_EQ(inside.collision->kind, ContactKind::containment);
    EXPECT_EQ(must_check(scene, {{5}, {6}}, options()).verdict, Verdict::free);
  }
}

TEST_P(EveryProvingChecker, AnOpenMeshHasNoInside) {
  auto open = box_mesh({8, 8, 8});
  auto mesh =
      std::make_shared<TriangleMesh>(*std::get<std::shared_ptr<const TriangleMesh>>(open[0].shape));
  mesh->triangles.pop_back();
  open[0].shape = std::shared_ptr<const TriangleMesh>(mesh);
  SceneBuilder builder = slider(box_mesh({0.2, 0.2, 0.2}));
  ASSERT_TRUE(builder.add_obstacle("tent", open, Pose{}).ok());
  EXPECT_EQ(must_check(must_build(std::move(builder)), {{-1}, {1}}, options()).verdict,
            Verdict::free);
}

// A far corner of a long wall is written twice, 10 µm apart, and welded: nothing may pass the wall
// at 5 µm, for it might pass through the crack.
TEST_P(EveryProvingChecker, WeldingAsksForClearance) {
  auto wall = box_mesh({100, 1, 1});
  const auto verdict = [&] {
    SceneBuilder builder = slider();
    EXPECT_TRUE(builder.add_obstacle("wall", wall, Pose::translation({0, 0.6 + 5e-6, 0})).ok());
    return must_check(must_build(std::move(builder)), {{0}, {1e-4}}, options()).verdict;
  };
  EXPECT_EQ(verdict(), Verdict::free);
  auto off =
      std::make_shared<TriangleMesh>(*std::get<std::shared_ptr<const TriangleMesh>>(wall[0].shape));
  off->vertices.push_back(off->vertices[7] + Vec3{1e-5, 0, 0});
  off->triangles.back()[1] = 8;
  wall[0].shape = std::shared_ptr<const TriangleMesh>(off);
  EXPECT_EQ(verdict(), Verdict::collision);
}

TEST_P(EveryProvingChecker, DegeneratePathsHaveAnswers) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({0.2, 1, 1}), Pose::translation({1, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  EXPECT_EQ(must_check(scene, {{0}}, options()).verdict, Verdict::free);
  EXPECT_EQ(must_check(scene, {{1}}, options()).verdict, Verdict::collision);
  EXPECT_EQ(must_check(scene, {{0}, {0}}, options()).verdict, Verdict::free);
  EXPECT_EQ(must_check(scene, {{1}, {1}}, options()).verdict, Verdict::collision);
  EXPECT_EQ(must_check(scene, {{0}, {0.1}, {0.1}, {-1}}, options()).verdict, Verdict::free);
  // Contact at an end point only.
  const CheckResult end = must_check(scene, {{0}, {0.5}, {0.81}}, options());
  ASSERT_EQ(end.verdict, Verdict::collision);
  EXPECT_EQ(end.collision->segment, 1);
}

TEST_P(EveryProvingChecker, PathsBeyondPrismaticLimitsAreBounded) {
  // The bar slides out by 50 m although its joint is limited to 1: R of the turn must follow.
  Robot robot;
  robot.links = {{"base", {}, false, nullptr},
                 {"arm", {}, false, nullptr},
                 {"tip", box_elements({0.1, 0.1, 0.1}), false, nullptr}};
  RobotJoint turn, slide;
  turn.name = "turn", turn.type = JointType::continuous, turn.axis = {0, 0, 1};
  turn.parent_link = "base", turn.child_link = "arm";
  slide.name = "slide", slide.type = JointType::prismatic, slide.axis = {1, 0, 0};
  slide.parent_link = "arm", slide.child_link = "tip", slide.limits = {0, 1, 1, 1};
  robot.joints = {turn, slide};
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(robot, "arm", Pose{}).ok());
  ASSERT_TRUE(
      builder.add_obstacle("post", box_elements({0.01, 0.01, 5}), Pose::translation({0, 50, 0}))
          .ok());
  const Scene scene = must_build(std::move(builder));
  const double half_turn = std::numbers::pi;
  EXPECT_EQ(must_check(scene, {{0, 50}, {half_turn, 50}}, options()).verdict, Verdict::collision);
  EXPECT_EQ(must_check(scene, {{0, 49}, {half_turn, 49}}, options()).verdict, Verdict::free);
}

TEST_P(EveryProvingChecker, BudgetsEndInUndecidedAndWorkIsResumed) {
  SceneBuilder builder = turning_bar();
  ASSERT_TRUE(
      builder.add_obstacle("floor", box_mesh({4, 4, 0.1}), Pose::translation({0, 0, -0.0601}))
          .ok());
  for (int i = 0; i < 8; ++i)  // around the circle of the tip, 1 mm away
    ASSERT_TRUE(builder
                    .add_obstacle("post" + std::to_string(i), box_mesh({0.1, 0.1, 0.1}),
                                  Pose{rotation({0, 0, 1}, 0.35 * i), {}} *
                                      Pose::translation({kTip + 0.051, 0, 0}))
                    .ok());
  const Scene scene = must_build(std::move(builder));
  CheckOptions o = options();
  o.max_cells = 10;
  CheckSession session = test::make_session(scene, o);
  const int from = session.add_configuration(std::vector<double>{0.0});
  const int to = session.add_configuration(std::vector<double>{3.0});
  const int segment = session.add_segment(from, to);
  Scratch scratch;
  int runs = 0;
  CheckResult result;
  do {
    result = session.run(std::span(&segment, 1), scratch);
    if (result.verdict == Verdict::undecided) {
      EXPECT_EQ(result.undecided->reason, UndecidedReason::cells);
    }
    EXPECT_LE(result.stats.cells, 11);
    ++runs;
  } while (result.verdict == Verdict::undecided && runs < 100000);
  EXPECT_EQ(result.verdict, Verdict::free);
  EXPECT_GT(runs, 3);
  EXPECT_EQ(session.known(segment), Verdict::free);
}

TEST_P(EveryProvingChecker, CancelStopsAtOnce) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({0.2, 1, 1}), Pose::translation({1, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  std::atomic<bool> cancel{true};
  Budget budget;
  budget.cancel = &cancel;
  const CheckResult result = must_check(scene, {{0}, {5}}, options(), budget);
  ASSERT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.undecided->reason, UndecidedReason::cancelled);
}

TEST_P(EveryProvingChecker, CurvedSegmentsAreProvedByTheirSpeed) {
  // It comes far in the middle although both ends are at 0.
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({0.2, 1, 1}), Pose::translation({2.3, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  Scratch scratch;
  const auto bezier = [&](double reach) {
    const Motion motion{{{0.0}, {0.0}}, {}, {}, {{{reach}, {reach}}}};
    return check(scene, motion, options(), scratch).value().verdict;
  };
  EXPECT_EQ(bezier(2.6), Verdict::free);       // reaches 0.75 * 2.6 = 1.95
  EXPECT_EQ(bezier(2.9), Verdict::collision);  // reaches 2.175
}

// A block slides past a wall and may dip into it by up to a given depth.
TEST_P(EveryProvingChecker, AllowedOverlapIsProvedUpToItsDepth) {
  for (const auto& [kind, wall] : {std::pair<std::string, Shape>{"box", Box{{0.5, 0.1, 0.5}}},
                                   std::pair<std::string, Shape>{"sphere", Sphere{0.1}},
                                   std::pair<std::string, Shape>{"cylinder", Cylinder{0.1, 0.5}}}) {
    // At y = 0.19 the wall's near side overlaps the block (half 0.1) by 0.01.
    SceneBuilder builder = slider();
    ASSERT_TRUE(
        builder.add_obstacle("wall", {{wall, Pose{}, ""}}, Pose::translation({1, 0.19, 0})).ok());
    ASSERT_TRUE(builder.set_pair_clearance("slider/block", "wall", -0.02).ok());
    const Scene allowed = must_build(std::move(builder));
    EXPECT_EQ(must_check(allowed, {{0}, {2}}, options()).verdict, Verdict::free) << kind;
    CheckOptions strict = options();
    strict.clearance = 0.001;
    EXPECT_EQ(must_check(allowed, {{0}, {2}}, strict).verdict, Verdict::collision) << kind;

    SceneBuilder shallow = slider();
    ASSERT_TRUE(
        shallow.add_obstacle("wall", {{wall, Pose{}, ""}}, Pose::translation({1, 0.19, 0})).ok());
    ASSERT_TRUE(shallow.set_pair_clearance("slider/block", "wall", -0.005).ok());
    const CheckResult deep = must_check(must_build(std::move(shallow)), {{0}, {2}}, options());
    ASSERT_EQ(deep.verdict, Verdict::collision) << kind;
    EXPECT_EQ(deep.collision->kind, ContactKind::too_close);
  }
}

TEST(CheckOverlap, IsRefusedForMeshes) {
  SceneBuilder builder = slider(box_mesh({0.2, 0.2, 0.2}));
  ASSERT_TRUE(builder.add_obstacle("wall", box_elements({1, 1, 1}), Pose{}).ok());
  ASSERT_TRUE(builder.set_pair_clearance("slider/block", "wall", -0.02).ok());
  const auto scene = std::move(builder).build();
  ASSERT_FALSE(scene.ok());
  EXPECT_NE(scene.error().message.find("slider/block is not one convex piece"), std::string::npos);
}

TEST(CheckFixed, NeverSaysFree) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("plate", box_mesh({1e-4, 1, 1}), Pose::translation({2.345, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  CheckOptions o = test::any_values();
  o.checker = Checker::fixed;
  o.step = 0.01;
  const CheckResult free = must_check(scene, {{0}, {2}}, o);
  ASSERT_EQ(free.verdict, Verdict::undecided);
  EXPECT_EQ(free.undecided->reason, UndecidedReason::sampled_only);
  EXPECT_EQ(must_check(scene, {{0}, {5}}, o).verdict, Verdict::collision);
  o.step = 3;  // samples at the ends and at 2.5 only: the block of 0.2 m is past the plate
  EXPECT_EQ(must_check(scene, {{0}, {5}}, o).verdict, Verdict::undecided);
}

TEST(CheckFirst, FindsTheEarliestContact) {
  SceneBuilder builder = slider();
  for (const double x : {2.0, 4.0, 6.0})
    ASSERT_TRUE(builder
                    .add_obstacle("wall" + std::to_string(x), box_elements({0.2, 1, 1}),
                                  Pose::translation({x, 0, 0}))
                    .ok());
  const Scene scene = must_build(std::move(builder));
  for (const auto& [checker, cover] : test::ways_to_find_first()) {
    CheckOptions o = test::any_values();
    o.first = true;
    o.checker = checker;
    o.cover = cover;
    const CheckResult result = must_check(scene, {{0}, {1}, {8}}, o);
    ASSERT_EQ(result.verdict, Verdict::collision) << to_string(cover);
    EXPECT_EQ(result.collision->segment, 1);
    // The faces meet at x = 1.8: t = 0.8 / 7.
    EXPECT_GE(result.collision->t, 0.8 / 7 - 1e-12);
    EXPECT_LE(result.collision->t, 0.8 / 7 + 1e-6);
    EXPECT_LE(result.collision->t_lower, 0.8 / 7 + 1e-12);
    EXPECT_GE(result.collision->t_lower, 0.8 / 7 - 2e-6);
  }
}

// All of the motion is shorter than the resolution; the contact is in its middle.
TEST(CheckFirst, FindsTheEarliestContactOfWhatHardlyMoves) {
  SceneBuilder builder = slider();
  ASSERT_TRUE(
      builder.add_obstacle("wall", box_elements({0.2, 1, 1}), Pose::translation({2, 0, 0})).ok());
  const Scene scene = must_build(std::move(builder));
  for (const auto& [checker, cover] : test::ways_to_find_first()) {
    CheckOptions o = test::any_values();
    o.first = true;
    o.checker = checker;
    o.cover = cover;
    const CheckResult result = must_check(scene, {{1.8 - 1e-7}, {1.8 + 1e-7}}, o);
    ASSERT_EQ(result.verdict, Verdict::collision) << to_string(checker);
    EXPECT_LE(result.collision->t_lower, 0.5 + 1e-6) << to_string(checker);
    EXPECT_GE(result.collision->t, 0.5 - 1e-6) << to_string(checker);
    EXPECT_LE(result.collision->t, 0.5 + 0.01) << to_string(checker) << to_string(cover);
    EXPECT_GE(result.collision->t_lower, 0.5 - 0.01) << to_string(checker) << to_string(cover);
  }
}

TEST(CheckErrors, AreClear) {
  const Scene scene = must_build(slider());
  Scratch scratch;
  EXPECT_FALSE(check(scene, Path{}, test::any_values(), scratch).ok());
  EXPECT_FALSE(check(scene, Path{{{0, 1}}, {}, {}}, test::any_values(), scratch).ok());
  EXPECT_FALSE(check(scene, Path{{{std::nan("")}}, {}, {}}, test::any_values(), scratch).ok());
  CheckOptions o = test::any_values();
  o.resolution = -1;
  EXPECT_FALSE(check(scene, Path{{{0}}, {}, {}}, o, scratch).ok());
}

// The verifier refuses the same: a verdict that nothing can confirm must not be given.
TEST(CheckErrors, RequirementsAreNumbersUpToOneBound) {
  const Scene scene = must_build(slider());
  Scratch scratch;
  const auto accepts = [&](const CheckOptions& options) {
    return check(scene, Path{{{0}}, {}, {}}, options, scratch).ok();
  };
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, 1.001e9, inf, -inf, std::nan("")}) {
    for (double Clearances::*kind :
         {&Clearances::world, &Clearances::robots, &Clearances::self, &Clearances::attached}) {
      CheckOptions options = test::any_values();
      options.clearance.*kind = bad;
      EXPECT_FALSE(accepts(options)) << bad;
    }
    CheckOptions options = test::any_values();
    options.tracking_error.general = bad;
    EXPECT_FALSE(accepts(options)) << bad;
  }
  CheckOptions most = test::any_values();
  most.clearance = Clearances::everywhere(1e9);
  most.tracking_error.general = 1e9;
  EXPECT_TRUE(accepts(most));
}

}  // namespace
}  // namespace proven
