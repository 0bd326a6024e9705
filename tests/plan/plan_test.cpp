// Planners: every path that is called proved is free, for other code too; same seed, same path.
#include "proven/plan/plan.h"

#include <cmath>
#include <set>

#include "certify/proved_pair.h"
#include "plan/plan_support.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"

namespace proven {
namespace {

using test::built_in_case;
using test::expect_free;
using test::PlanCase;
using test::post_case;

PlanResult must_plan(const PlanCase& c, const PlanOptions& options, const Budget& budget = {}) {
  auto result = plan(c.scene, c.problem, options, budget);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : PlanResult{};
}

class EveryPlanner : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlanner, SolvesAndProvesSmallProblems) {
  const PlanCase c = post_case();
  ASSERT_NE(test::must_check(c.scene, {c.problem.start, c.problem.goal}, {}).verdict,
            Verdict::free);
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::cases(20)); ++seed) {
    PlanOptions options;
    options.planner = GetParam();
    options.seed = seed;
    options.check.step = 0.002;
    const PlanResult result = must_plan(c, options);
    ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
    EXPECT_EQ(result.proved, GetParam() != "sbl");
    EXPECT_EQ(result.path.waypoints.back(), c.problem.goal);
    expect_free(c, result.path);
  }
}

TEST_P(EveryPlanner, SameSeedSamePath) {
  const PlanCase c = post_case();
  std::set<std::vector<std::vector<double>>> paths;
  for (const std::uint64_t seed : {1, 2, 3}) {
    PlanOptions options;
    options.planner = GetParam();
    options.seed = seed;
    const PlanResult first = must_plan(c, options);
    EXPECT_EQ(first.path.waypoints, must_plan(c, options).path.waypoints);
    paths.insert(first.path.waypoints);
  }
  EXPECT_GT(paths.size(), 1u);
}

TEST_P(EveryPlanner, StopsAtItsBudget) {
  PlanCase c = post_case();
  // The post grows to a wall that closes the way.
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(test::planar_arm(2, JointType::revolute), "arm", Pose{}).ok());
  ASSERT_TRUE(
      builder.add_obstacle("wall", test::box_elements({3, 0.1, 1}), Pose::translation({2, 0, 0}))
          .ok());
  c.scene = test::must_build(std::move(builder));
  PlanOptions options;
  options.planner = GetParam();
  options.max_iterations = GetParam().ends_with("prm") ? 2 : 30;
  const PlanResult result = must_plan(c, options);
  EXPECT_EQ(result.status, PlanStatus::budget);
  EXPECT_LE(result.stats.iterations, 30);
  EXPECT_FALSE(result.reason.empty());
  EXPECT_TRUE(result.path.waypoints.empty());
}

INSTANTIATE_TEST_SUITE_P(Planners, EveryPlanner,
                         testing::Values("rrt-connect", "a-sbl", "sbl", "prm", "lazy-prm"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Plan, DemoIsSolvedByLazyAndEagerTrees) {
  const PlanCase c = built_in_case("demo");
  for (const char* planner : {"rrt-connect", "a-sbl"}) {
    PlanOptions options;
    options.planner = planner;
    const PlanResult result = must_plan(c, options);
    ASSERT_EQ(result.status, PlanStatus::solved) << planner;
    EXPECT_TRUE(result.proved);
    expect_free(c, result.path, 0.02);
  }
}

// A wide step lets SBL return paths that collide; the proving checker refuses them.
TEST(Plan, CoarseSblIsWrongWhereAdaptiveSblIsNot) {
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(test::planar_arm(2, JointType::revolute), "arm", Pose{}).ok());
  ASSERT_TRUE(builder
                  .add_obstacle("needle", test::box_elements({0.001, 0.001, 1}),
                                Pose::translation({1.5, 0, 0}))
                  .ok());
  const PlanCase c{test::must_build(std::move(builder)), {{-0.5, 0.1}, {0.5, -0.1}, {}, {}}};
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    PlanOptions options;
    options.seed = seed;
    options.check.step = 0.3;
    options.planner = "sbl";
    const PlanResult sampled = must_plan(c, options);
    ASSERT_EQ(sampled.status, PlanStatus::solved);
    wrong += test::must_check(c.scene, sampled.path.waypoints, {}).verdict == Verdict::collision;
    options.planner = "a-sbl";
    const PlanResult proved = must_plan(c, options);
    ASSERT_EQ(proved.status, PlanStatus::solved);
    expect_free(c, proved.path, 0.001);
  }
  EXPECT_GT(wrong, 0);
}

// Bodies that touch without overlap have no proof: no planner may call that way free.
TEST(Plan, TouchingIsNotProved) {
  SceneSource source;
  source.robots = {{"arm", test::planar_arm(1, JointType::revolute), Pose{}}};
  const double top = 0.025;  // of the link; the plate lies on it
  source.obstacles = {
      {"plate", test::box_elements({0.1, 0.1, 0.5}), Pose::translation({0.5, 0, top + 0.25})}};
  const PlanCase c = test::must_build_case(std::move(source), {{-0.5}, {0.5}, {}, {}});
  ASSERT_EQ(test::must_check(c.scene, {c.problem.start, c.problem.goal}, {}).verdict,
            Verdict::undecided);
  for (const char* planner : {"rrt-connect", "a-sbl", "prm", "lazy-prm"}) {
    PlanOptions options;
    options.planner = planner;
    options.max_iterations = std::string(planner).ends_with("prm") ? 1 : 30;
    const PlanResult result = must_plan(c, options);
    EXPECT_EQ(result.status, PlanStatus::budget) << planner;
    EXPECT_FALSE(result.proved) << planner;
  }
}

TEST(Plan, RequiredClearanceIsKept) {
  const PlanCase c = post_case();
  PlanOptions options;
  options.check.clearance = 0.1;
  const PlanResult result = must_plan(c, options);
  ASSERT_EQ(result.status, PlanStatus::solved);
  CheckOptions check;
  check.clearance = 0.1;
  EXPECT_EQ(test::must_check(c.scene, result.path.waypoints, check).verdict, Verdict::free);
}

TEST(Plan, CollidingStartNamesThePairAndTheDistance) {
  PlanCase c = post_case();
  c.problem.start = {0, 0};
  const PlanResult result = must_plan(c, {});
  EXPECT_EQ(result.status, PlanStatus::start_invalid);
  ASSERT_TRUE(result.obstruction.has_value());
  EXPECT_EQ(result.obstruction->distance, 0);
  EXPECT_NE(result.reason.find("post"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("arm/link_2"), std::string::npos) << result.reason;

  c = post_case();
  c.problem.goal = {0, 0};
  EXPECT_EQ(must_plan(c, {}).status, PlanStatus::goal_invalid);
  PlanOptions wide;
  wide.check.clearance = 0.8;
  c = post_case();
  const PlanResult too_close = must_plan(c, wide);
  EXPECT_EQ(too_close.status, PlanStatus::start_invalid);
  EXPECT_GT(too_close.obstruction->distance, 0);
}

TEST(Plan, LimitsBindStartGoalAndPath) {
  PlanCase c = post_case();
  c.problem.start = {3.5, 0};
  const PlanResult beyond = must_plan(c, {});
  EXPECT_EQ(beyond.status, PlanStatus::start_invalid);
  EXPECT_FALSE(beyond.obstruction.has_value());
  EXPECT_NE(beyond.reason.find("arm/joint_1"), std::string::npos);

  c = post_case();
  c.problem.limits = {{-2, 2}, {-3, 3}};
  for (const char* planner : {"rrt-connect", "a-sbl"}) {
    PlanOptions options;
    options.planner = planner;
    const PlanResult result = must_plan(c, options);
    ASSERT_EQ(result.status, PlanStatus::solved) << planner;
    for (const auto& q : result.path.waypoints) EXPECT_LE(std::fabs(q[0]), 2);
  }
}

TEST(Plan, UnplannedJointsStayAndMustAgree) {
  PlanCase c = post_case();
  c.problem.planned = {0};
  EXPECT_FALSE(plan(c.scene, c.problem, {}).ok());
  c.problem.start[1] = c.problem.goal[1] = 2.5;
  const PlanResult result = must_plan(c, {});
  ASSERT_EQ(result.status, PlanStatus::solved);
  for (const auto& q : result.path.waypoints) EXPECT_EQ(q[1], 2.5);
  c.problem.planned = {0, 0};
  EXPECT_FALSE(plan(c.scene, c.problem, {}).ok());
  c.problem.planned = {7};
  EXPECT_FALSE(plan(c.scene, c.problem, {}).ok());
}

// A post stands on the short way of a stiff arm: it has to go the long way round.
TEST(Plan, ContinuousJointTakesTheLongWayAsLiteralValues) {
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(test::planar_arm(1, JointType::continuous), "arm", Pose{}).ok());
  ASSERT_TRUE(
      builder
          .add_obstacle("post", test::box_elements({0.1, 0.1, 1}), Pose::translation({0.5, 0, 0}))
          .ok());
  PlanCase c{test::must_build(std::move(builder)), {{-1}, {1}, {}, {}}};
  c.problem.any_turn = true;
  for (const char* planner : {"rrt-connect", "a-sbl", "prm", "lazy-prm"}) {
    PlanOptions options;
    options.planner = planner;
    const PlanResult result = must_plan(c, options);
    ASSERT_EQ(result.status, PlanStatus::solved) << planner << ": " << result.reason;
    expect_free(c, result.path);
    EXPECT_NEAR(result.path.waypoints.back()[0], 1 - 2 * std::numbers::pi, 1e-12) << planner;
  }
  // The short way, over the cut at π, where nothing stands in it.
  PlanCase over = c;
  over.problem.start = {3};
  over.problem.goal = {-3};
  const PlanResult result = must_plan(over, {});
  ASSERT_EQ(result.status, PlanStatus::solved);
  EXPECT_EQ(result.path.waypoints.size(), 2u);
  EXPECT_NEAR(result.path.waypoints.back()[0], 2 * std::numbers::pi - 3, 1e-12);
}

// Nothing is in the way of the last joints: no planner takes a detour, and the end is the goal as
// it is written, however many turns away.
TEST(Plan, ContinuousJointsEndAsAsked) {
  SceneBuilder builder;
  ASSERT_TRUE(builder.add_robot(test::planar_arm(2, JointType::continuous), "arm", Pose{}).ok());
  ASSERT_TRUE(
      builder
          .add_obstacle("post", test::box_elements({0.1, 0.1, 1}), Pose::translation({-1.5, 0, 0}))
          .ok());
  const PlanCase c{test::must_build(std::move(builder)), {{-1, 0}, {0, 0}, {}, {}}};
  for (const char* planner : {"rrt-connect", "a-sbl", "prm", "lazy-prm"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      PlanOptions options;
      options.planner = planner;
      options.seed = seed;
      const PlanResult straight = must_plan(c, options);
      ASSERT_EQ(straight.status, PlanStatus::solved) << planner << ": " << straight.reason;
      EXPECT_EQ(straight.path.waypoints, (std::vector<std::vector<double>>{{-1, 0}, {0, 0}}));
      PlanCase far = c;
      far.problem.goal = {0.5, 1 + 2 * std::numbers::pi};
      const PlanResult turned = must_plan(far, options);
      ASSERT_EQ(turned.status, PlanStatus::solved) << planner << ": " << turned.reason;
      EXPECT_EQ(turned.path.waypoints.back(), far.problem.goal) << planner;
      expect_free(far, turned.path);
    }
}

// What another program has rounded is not beyond a limit; more is, unless that is to be ignored.
TEST(Plan, LimitsHaveATolerance) {
  SceneBuilder builder;
  Robot robot = test::planar_arm(2, JointType::revolute);
  for (RobotJoint& joint : robot.joints) joint.limits.lower = -1, joint.limits.upper = 1;
  ASSERT_TRUE(builder.add_robot(robot, "arm", Pose{}).ok());
  PlanCase c{test::must_build(std::move(builder)), {{0, 1 + 0.9e-6}, {0.5, 0}, {}, {}}};
  EXPECT_EQ(must_plan(c, {}).status, PlanStatus::solved);
  c.problem.start[1] = 1 + 1.1e-6;
  EXPECT_EQ(must_plan(c, {}).status, PlanStatus::start_invalid);
  ignore_limits(c.scene, c.problem);
  // Whoever widens the query says so to the checks, too.
  const auto refused = plan(c.scene, c.problem, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().text().find("beyond its limits -1 and 1"), std::string::npos);
  PlanOptions ignoring;
  ignoring.check.limits = Limits::ignore;
  EXPECT_EQ(must_plan(c, ignoring).status, PlanStatus::solved);
}

// A pair that is excluded since it was proved never to meet within limits is in the way beyond
// them.
TEST(Plan, BeyondLimitsEveryPairIsTested) {
  const Scene scene = test::build(test::with_proved_pair());
  const std::vector<double> rest = {0, 0}, in_wall = {2.6, 0}, behind = {4, 0};
  Query query{rest, in_wall};
  EXPECT_EQ(plan(scene, query, {}).value().status, PlanStatus::goal_invalid);
  PlanOptions ignoring;
  ignoring.check.limits = Limits::ignore;
  ignoring.max_iterations = 200;
  ignore_limits(scene, query);
  const auto met = plan(scene, query, ignoring);
  ASSERT_EQ(met.value().status, PlanStatus::goal_invalid);
  EXPECT_TRUE(met.value().obstruction);
  for (const char* planner : {"rrt-connect", "a-sbl", "sbl"}) {
    Query through{rest, behind};
    ignore_limits(scene, through);
    ignoring.planner = planner;
    const auto found = plan(scene, through, ignoring);
    ASSERT_TRUE(found.ok()) << found.error().text();
    EXPECT_EQ(found.value().status, PlanStatus::budget) << planner;
  }
  const Path path{{rest, in_wall}, {}, {}};
  SmoothOptions smoothing;
  EXPECT_FALSE(smooth(scene, path, smoothing).ok());
  EXPECT_FALSE(time_path(scene, path, {}, {}).ok());
  smoothing.check.limits = Limits::ignore;
  EXPECT_EQ(smooth(scene, path, smoothing).value().input.verdict, Verdict::collision);
  EXPECT_EQ(time_path(scene, path, {}, ignoring.check).value().input.verdict, Verdict::collision);
  // Within limits nothing is in the way, and a corner at a limit is cut within it.
  const Path corner{{{-1, -0.5}, {1, -0.5}, {1, 0.5}}, {}, {}};
  const auto timed = time_path(scene, corner, {}, {});
  ASSERT_TRUE(timed.ok()) << timed.error().text();
  EXPECT_EQ(timed.value().proof.verdict, Verdict::free);
}

TEST(Plan, BallJointsArePlannedFor) {
  const Scene scene = std::move(build_scene(make_scene("free-flyer").value())).value();
  PlanCase c{scene, {}};
  c.problem.start.assign(scene.home().begin(), scene.home().end());
  c.problem.goal = c.problem.start;
  c.problem.goal[0] += 0.3;
  for (const char* planner : {"rrt-connect", "a-sbl"}) {
    PlanOptions options;
    options.planner = planner;
    const PlanResult result = must_plan(c, options);
    ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
    expect_free(c, result.path);
  }
  // Roadmaps do not know ball joints, but the straight motion is tried first.
  PlanOptions roadmap;
  roadmap.planner = "prm";
  EXPECT_EQ(must_plan(c, roadmap).path.waypoints.size(), 2u);
}

// Whoever keeps a model gets the paths of whoever does not, each of them free.
TEST(Plan, OfAPreparedModelIsTheSame) {
  const PlanCase c = post_case();
  CheckOptions check = proving_check();
  const CheckModel model = CheckModel::build(c.scene, check).value();
  for (const char* planner : {"rrt-connect", "a-sbl", "prm"}) {
    PlanOptions options;
    options.planner = planner;
    const PlanResult alone = must_plan(c, options);
    const auto prepared = plan(model, c.problem, options);
    ASSERT_TRUE(prepared.ok());
    EXPECT_TRUE(prepared.value().proved);
    EXPECT_EQ(prepared.value().path.waypoints, alone.path.waypoints) << planner;
    expect_free(c, prepared.value().path);
    // What the call requires counts, not what the model was built for.
    options.check.clearance = Clearances(0.02);
    const auto wider = plan(model, c.problem, options);
    ASSERT_TRUE(wider.ok());
    ASSERT_EQ(wider.value().status, PlanStatus::solved);
    CheckOptions required;
    required.clearance = Clearances(0.02);
    EXPECT_EQ(test::must_check(c.scene, wider.value().path.waypoints, required).verdict,
              Verdict::free);
  }
}

// A model that was told to sweep refuses motions unasked: what is returned is proved nevertheless,
// and the same however often it was asked before.
TEST(Plan, OfAModelThatSweepsIsProvedAndTheSameAgain) {
  const PlanCase c = built_in_case("demo");
  CheckOptions check = proving_check();
  check.sweep = true;
  const CheckModel model = CheckModel::build(c.scene, check).value();
  model.prepare_sweeps();
  std::vector<Path> first;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      PlanOptions options;
      options.seed = seed;
      const auto planned = plan(model, c.problem, options);
      ASSERT_TRUE(planned.ok());
      ASSERT_EQ(planned.value().status, PlanStatus::solved) << planned.value().reason;
      EXPECT_TRUE(planned.value().proved);
      EXPECT_GT(planned.value().stats.check.seconds, 0);
      if (round == 0) {
        first.push_back(planned.value().path);
        expect_free(c, planned.value().path, 0.02);
        SmoothOptions smoothing;
        smoothing.input_is_proved = true;
        const auto smoothed = smooth(model, planned.value().path, smoothing);
        ASSERT_TRUE(smoothed.ok());
        EXPECT_LT(smoothed.value().length_after, smoothed.value().length_before);
        expect_free(c, smoothed.value().path, 0.02);
      } else {
        EXPECT_EQ(planned.value().path.waypoints, first[seed - 1].waypoints);
      }
    }
}

TEST(Plan, UnknownPlannerIsNamed) {
  const PlanCase c = post_case();
  PlanOptions options;
  options.planner = "magic";
  const auto result = plan(c.scene, c.problem, options);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().text().find("rrt-connect"), std::string::npos);
  EXPECT_EQ(planners().size(), 5u);
}

TEST(Plan, CancelStopsIt) {
  std::atomic<bool> cancel = true;
  PlanOptions options;
  Budget budget;
  budget.cancel = &cancel;
  EXPECT_EQ(must_plan(post_case(), options, budget).status, PlanStatus::cancelled);
}

}  // namespace
}  // namespace proven
