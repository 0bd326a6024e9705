// Smoothers and the random walk: shorter, never unproved.
#include "proven/plan/smooth.h"

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

TEST(Smooth, RefusesACheckerThatProvesNothing) {
  const PlanCase c = post_case();
  SmoothOptions options;
  options.check.checker = Checker::fixed;
  EXPECT_FALSE(smooth(c.scene, Path{{c.problem.start, c.problem.start}, {}, {}}, options).ok());
}

}  // namespace
}  // namespace proven
