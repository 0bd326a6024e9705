// Cells: several robots at once, parts of them, held objects.
#include <cmath>

#include "plan/plan_support.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

using test::expect_free;
using test::expect_verified;
using test::PlanCase;

PlanOptions certified(const char* planner, std::uint64_t seed = 1) {
  PlanOptions options;
  options.planner = planner;
  options.seed = seed;
  options.check.certificate = true;
  return options;
}

PlanResult must_plan(const PlanCase& c, const PlanOptions& options) {
  auto result = plan(c.scene, c.problem, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : PlanResult{};
}

// Two arms face each other, two metres and a half apart: stretched out, they sweep the same place.
PlanCase two_arms() {
  SceneSource source;
  source.robots = {
      {"left", test::planar_arm(2, JointType::revolute), Pose{}},
      {"right", test::planar_arm(2, JointType::revolute), Pose::translation({2.5, 0, 0})}};
  // Left swings across its front, where right reaches.
  return test::must_build_case(std::move(source), {{-1.2, 0, 2.9, 0}, {1.2, 0, 2.9, 0}, {}, {}});
}

TEST(PlanCell, SeveralRobotsGiveWay) {
  const PlanCase c = two_arms();
  const CheckResult straight = test::must_check(c.scene, {c.problem.start, c.problem.goal}, {});
  ASSERT_EQ(straight.verdict, Verdict::collision);
  EXPECT_NE(c.scene.body(straight.collision->bodies[0]).name.substr(0, 4),
            c.scene.body(straight.collision->bodies[1]).name.substr(0, 4));
  for (const char* planner : {"rrt-connect", "a-sbl"}) {
    SCOPED_TRACE(planner);
    const PlanResult result = must_plan(c, certified(planner));
    ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
    expect_free(c, result.path);
    expect_verified(c, result.path, result.certificate);
    SmoothOptions smoothing;
    smoothing.check.certificate = true;
    const auto shorter = smooth(c.scene, result.path, smoothing);
    ASSERT_TRUE(shorter.ok());
    expect_verified(c, shorter.value().path, shorter.value().certificate);
  }
}

TEST(PlanCell, ARobotThatIsNotPlannedForStandsStill) {
  PlanCase c = two_arms();
  // Folded, it leaves room for a folded left arm.
  c.problem.start[3] = c.problem.goal[3] = 2.5;
  c.problem.planned = {0, 1};
  const PlanResult result = must_plan(c, certified("rrt-connect"));
  ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
  for (const auto& q : result.path.waypoints) {
    EXPECT_EQ(q[2], 2.9);
    EXPECT_EQ(q[3], 2.5);
  }
  expect_free(c, result.path);
  expect_verified(c, result.path, result.certificate);
}

TEST(PlanCell, HeldObjectsMoveWithTheirLink) {
  SceneSource source = test::post_case().source;
  // The wall is out of the arm's reach, not of the rod's.
  source.obstacles = {{"wall", test::box_elements({0.05, 1.0, 1}), Pose::translation({2.2, 0, 0})}};
  const Query problem{{-1.2, 0}, {1.2, 0}, {}, {}};
  const PlanCase bare = test::must_build_case(source, problem);
  EXPECT_EQ(test::must_check(bare.scene, {problem.start, problem.goal}, {}).verdict, Verdict::free);
  source.attached = {{"rod",
                      "arm/link_2",
                      test::box_elements({0.5, 0.04, 0.04}),
                      Pose::translation({1.2, 0, 0}),
                      {}}};
  const PlanCase held = test::must_build_case(source, problem);
  const CheckResult straight = test::must_check(held.scene, {problem.start, problem.goal}, {});
  ASSERT_EQ(straight.verdict, Verdict::collision);
  EXPECT_EQ(held.scene.body(straight.collision->bodies[0]).name, "wall");
  EXPECT_EQ(held.scene.body(straight.collision->bodies[1]).name, "rod");
  for (const char* planner : {"rrt-connect", "a-sbl", "prm"}) {
    SCOPED_TRACE(planner);
    const PlanResult result = must_plan(held, certified(planner));
    ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
    EXPECT_GT(result.path.waypoints.size(), 2u);
    expect_free(held, result.path);
    expect_verified(held, result.path, result.certificate);
  }
}

// An object that overlaps a finger is no collision where the two may touch, and one where not.
TEST(PlanCell, TouchLinksMayTouch) {
  SceneSource source = test::post_case().source;
  const Query problem = test::post_case().problem;
  source.attached = {{"part",
                      "arm/link_2",
                      test::box_elements({0.3, 0.04, 0.04}),
                      Pose::translation({-0.1, 0, 0}),
                      {}}};
  const PlanCase forbidden = test::must_build_case(source, problem);
  const PlanResult refused = must_plan(forbidden, {});
  EXPECT_EQ(refused.status, PlanStatus::start_invalid);
  EXPECT_NE(refused.reason.find("part"), std::string::npos) << refused.reason;
  EXPECT_NE(refused.reason.find("arm/link_1"), std::string::npos) << refused.reason;
  source.attached[0].touch = {"arm/link_1"};
  const PlanCase allowed = test::must_build_case(source, problem);
  const PlanResult result = must_plan(allowed, certified("rrt-connect"));
  ASSERT_EQ(result.status, PlanStatus::solved) << result.reason;
  expect_verified(allowed, result.path, result.certificate);
}

TEST(PlanCell, AnEnclosedGoalNamesWhatIsInTheWay) {
  SceneSource source = test::post_case().source;
  source.obstacles = {{"wall", test::box_elements({3, 0.1, 1}), Pose::translation({2, 0, 0})}};
  const PlanCase c = test::must_build_case(std::move(source), test::post_case().problem);
  for (const char* planner : {"rrt-connect", "a-sbl"}) {
    PlanOptions options;
    options.planner = planner;
    options.max_iterations = 60;
    const PlanResult result = must_plan(c, options);
    EXPECT_EQ(result.status, PlanStatus::budget);
    EXPECT_NE(result.reason.find("wall"), std::string::npos) << result.reason;
    EXPECT_NE(result.reason.find("allow more iterations"), std::string::npos) << result.reason;
  }
}

}  // namespace
}  // namespace proven
