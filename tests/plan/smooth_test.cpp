// Smoothers and the random walk: shorter, never unproved.
#include "proven/plan/smooth.h"

#include <atomic>
#include <cmath>

#include "papers/plan/random_walk.h"
#include "plan/plan_support.h"

namespace proven {
namespace {

using test::expect_free;
using test::PlanCase;
using test::post_case;

SmoothResult must_smooth(const Scene& scene, const Path& path, const SmoothOptions& options) {
  auto result = smooth(scene, path, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().text());
  return result.ok() ? std::move(result).value() : SmoothResult{};
}

// Wanders from the start of the post case to the side where the goal lies.
Path wandering(const PlanCase& c, std::uint64_t seed) {
  WalkOptions options;
  options.seed = seed;
  const auto beyond = [](std::span<const double> q) { return q[0] > 0.4 && std::fabs(q[1]) < 0.3; };
  const auto walk = random_walk(c.scene, c.problem.start, {}, beyond, options);
  EXPECT_TRUE(walk.ok() && walk.value().arrived);
  return walk.value().path;
}

TEST(RandomWalk, ChangesOneJointPerStepAndEveryStepIsFree) {
  const PlanCase c = post_case();
  const Path path = wandering(c, 1);
  ASSERT_GT(path.waypoints.size(), 5u);
  for (std::size_t i = 1; i < path.waypoints.size(); ++i) {
    int changed = 0;
    for (std::size_t k = 0; k < 2; ++k) changed += path.waypoints[i][k] != path.waypoints[i - 1][k];
    EXPECT_LE(changed, 1);
  }
  expect_free(c, path);
  EXPECT_EQ(path.waypoints, wandering(c, 1).waypoints);
  EXPECT_NE(path.waypoints, wandering(c, 2).waypoints);
}

TEST(Smooth, BothSmoothersShortenAndProve) {
  const PlanCase c = post_case();
  for (const Smoother smoother : {Smoother::window, Smoother::midpoint})
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(test::cases(10)); ++seed) {
      const Path path = wandering(c, seed);
      SmoothOptions options;
      options.smoother = smoother;
      options.seed = seed;
      const SmoothResult result = must_smooth(c.scene, path, options);
      EXPECT_LT(result.length_after, 0.7 * result.length_before) << to_string(smoother);
      EXPECT_NEAR(result.length_after, path_length(c.scene, result.path), 1e-9);
      EXPECT_EQ(result.path.waypoints.front(), path.waypoints.front());
      EXPECT_EQ(result.path.waypoints.back(), path.waypoints.back());
      EXPECT_GT(result.taken, 0);
      EXPECT_LE(result.taken, result.tried);
      expect_free(c, result.path);
      EXPECT_EQ(result.path.waypoints, must_smooth(c.scene, path, options).path.waypoints);
    }
}

TEST(Smooth, StopsAtItsBudgetAndConverges) {
  const PlanCase c = post_case();
  const Path path = wandering(c, 3);
  SmoothOptions options;
  options.max_steps = 3;
  const SmoothResult few = must_smooth(c.scene, path, options);
  EXPECT_EQ(few.steps, 3);
  EXPECT_FALSE(few.converged);
  EXPECT_LE(few.length_after, few.length_before);
  options.max_steps = 100'000;
  EXPECT_TRUE(must_smooth(c.scene, path, options).converged);
}

TEST(Smooth, LeavesAPathThatCollidesAsItIs) {
  const PlanCase c = post_case();
  const Path path{{{-0.5, 0.1}, {0, 0}, {0.5, -0.1}}, {}, {}};
  const SmoothResult result = must_smooth(c.scene, path, {});
  EXPECT_EQ(result.input.verdict, Verdict::collision);
  EXPECT_EQ(result.path.waypoints, path.waypoints);
  EXPECT_EQ(result.steps, 0);
}

// Long paths are checked in parts; the witness still says where on the whole.
TEST(Smooth, FindsTheCollisionOfALongPath) {
  const PlanCase c = post_case();
  Path path;
  constexpr int kFree = 1203;
  for (int i = 0; i <= kFree; ++i) path.waypoints.push_back({-0.5, i % 2 == 0 ? 0.1 : 0.11});
  SmoothOptions options;
  options.max_steps = 200;
  const SmoothResult free = must_smooth(c.scene, path, options);
  EXPECT_EQ(free.input.verdict, Verdict::free);
  EXPECT_LT(free.length_after, 0.5 * free.length_before);
  path.waypoints.push_back({0.5, -0.1});
  path.waypoints.push_back({0.6, -0.1});
  const SmoothResult blocked = must_smooth(c.scene, path, options);
  ASSERT_EQ(blocked.input.verdict, Verdict::collision);
  EXPECT_EQ(blocked.input.collision->segment, kFree);
  EXPECT_EQ(blocked.path.waypoints, path.waypoints);
  EXPECT_FALSE(smooth(c.scene, Path{}, options).ok());
}

// A cube that slides along x and y past a wall, of which one end is near and the other far.
PlanCase wall_case() {
  Robot robot;
  robot.name = "cube";
  for (const char* name : {"base", "x", "y"}) robot.links.push_back({name, {}, false, nullptr});
  robot.links[2].collision = test::box_elements({0.1, 0.1, 0.1});
  for (const int k : {0, 1}) {
    RobotJoint joint;
    joint.name = k == 0 ? "along" : "across";
    joint.type = JointType::prismatic;
    joint.parent_link = robot.links[static_cast<std::size_t>(k)].name;
    joint.child_link = robot.links[static_cast<std::size_t>(k) + 1].name;
    joint.axis = k == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    joint.limits = {-1, 5, 1, 1};
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots = {{"cube", robot, Pose{}}};
  source.obstacles = {{"wall", test::box_elements({0.1, 3, 0.1}), Pose::translation({2, 1, 0})}};
  return test::must_build_case(std::move(source), {{0, 0}, {4, 0}, {}, {}});
}

// Shortcuts stay on their side of the wall; other paths do not.
TEST(Smooth, RoundsFindTheShorterWayAround) {
  const PlanCase c = wall_case();
  const Path path{{{0, 0}, {0.5, 3}, {3.5, 3}, {4, 0}}, {}, {}};
  const double short_way = 2 * std::hypot(1.9, 0.55) + 0.2,
               long_way = 2 * std::hypot(1.9, 2.55) + 0.2;
  SmoothOptions options;
  options.waypoint_cost = 1e-3;
  const SmoothResult alone = must_smooth(c.scene, path, options);
  EXPECT_GE(alone.length_after, long_way);
  EXPECT_EQ(alone.rounds, 0);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    options.seed = seed;
    options.rounds = 30;
    options.check.certificate = true;
    const SmoothResult result = must_smooth(c.scene, path, options);
    EXPECT_EQ(result.rounds, 30);
    EXPECT_GT(result.better, 0);
    EXPECT_GE(result.length_after, short_way);
    EXPECT_LE(result.length_after, 1.01 * short_way);
    EXPECT_NEAR(result.length_after, path_length(c.scene, result.path), 1e-9);
    EXPECT_EQ(result.path.waypoints.front(), path.waypoints.front());
    EXPECT_EQ(result.path.waypoints.back(), path.waypoints.back());
    expect_free(c, result.path);
    test::expect_verified(c, result.path, result.certificate);
    EXPECT_EQ(result.path.waypoints, must_smooth(c.scene, path, options).path.waypoints);
  }
}

TEST(Smooth, RoundsMayEndAtAnotherGoalAndEndWhereNothingIsShorter) {
  const PlanCase c = wall_case();
  const Path path{{{0, 0}, {0.5, 3}, {3.5, 3}, {4, 0}}, {}, {}};
  SmoothOptions options;
  options.rounds = 1'000'000;
  options.other_goals = {{1, 0}, {2, 1}};  // the second is in the wall
  const SmoothResult result = must_smooth(c.scene, path, options);
  EXPECT_EQ(result.path.waypoints, (std::vector<std::vector<double>>{{0, 0}, {1, 0}}));
  EXPECT_LT(result.rounds, 100);
}

// What was found before work was cancelled is kept, and proved.
TEST(Smooth, CancelledRoundsKeepWhatTheyHave) {
  const PlanCase c = wall_case();
  const Path path{{{0, 0}, {0.5, 3}, {3.5, 3}, {4, 0}}, {}, {}};
  SmoothOptions options;
  options.rounds = 1'000'000;
  options.input_is_proved = true;
  options.check.certificate = true;
  std::atomic<bool> cancel = false;
  Budget budget;
  budget.cancel = &cancel;
  budget.progress = [&](const Progress& progress) {
    if (progress.stage == "rounds" && progress.done == 25) cancel = true;
  };
  const auto result = smooth(c.scene, path, options, budget);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().rounds, 25);
  EXPECT_LT(result.value().length_after, 0.8 * result.value().length_before);
  test::expect_verified(c, result.value().path, result.value().certificate);
}

TEST(Smooth, RefusesACheckerThatProvesNothing) {
  const PlanCase c = post_case();
  SmoothOptions options;
  options.check.checker = Checker::fixed;
  EXPECT_FALSE(smooth(c.scene, Path{{c.problem.start, c.problem.start}, {}, {}}, options).ok());
}

}  // namespace
}  // namespace proven
