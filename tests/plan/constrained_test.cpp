// Plans with constraints: a forward kinematics of its own looks at many moments of every path.
#include "proven/plan/constrained.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kinematics/slow_kinematics.h"
#include "plan/plan_support.h"
#include "proven/kinematics/interpolation.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/smooth.h"
#include "support.h"

namespace proven::test {
namespace {

class Constrained : public testing::Test {
 protected:
  Constrained() : case_(built_in_case("demo")), slow_(slow_robot(robot().robot, robot().X_WR)) {
    const KinematicTree& tree = case_.scene.tree();
    link_ = tree.find_link("arm/link_6");
    // Held upright where the arm starts: the frame's z is the world's.
    const Mat3 R = tool_pose(tree, {link_, {}}, case_.problem.start).R;
    upright_ = {link_, {transpose(R), {}}, AxisCone{{0, 0, 1}, {0, 0, 1}, 0.35}};
  }
  const RobotSource& robot() const { return case_.source.robots[0]; }

  Matrix seen(const std::vector<double>& q) const {
    SlowValues values;
    for (std::size_t c = 0; c < q.size(); ++c)
      values[case_.scene.tree().coordinates()[c].name.substr(4)] = q[c];
    return multiply(slow_.pose("link_6", values), to_matrix(upright_.X_LF));
  }
  double tilt(const std::vector<double>& q) const {
    const Matrix X = seen(q);
    return static_cast<double>(
        std::atan2(std::sqrt(X[0][2] * X[0][2] + X[1][2] * X[1][2]), X[2][2]));
  }
  template <class Of>
  double most(const Path& path, Random& random, Of of) const {
    std::vector<double> q(case_.problem.start.size());
    double largest = 0;
    for (int i = 0; i < path.num_segments(); ++i)
      for (int k = 0; k <= 200; ++k) {
        const double s = k <= 100 ? k / 100.0 : random.uniform();
        interpolate(case_.scene.tree(), path.piece(i), s, q);
        largest = std::max(largest, of(q));
      }
    return largest;
  }
  // Free, and well upright.
  std::vector<double> upright_configuration(Random& random, Prover& prover) const {
    for (;;) {
      std::vector<double> q = random_configuration(case_.scene.tree(), random);
      if (tilt(q) < 0.3 && prover.is_free(q)) return q;
    }
  }
  Query query(const std::vector<double>& start, const std::vector<double>& goal) const {
    Query query = case_.problem;
    query.start = start;
    query.goal = goal;
    return query;
  }

  PlanCase case_;
  SlowRobot slow_;
  int link_ = 0;
  FrameConstraint upright_;
};

TEST_F(Constrained, PathsAreNeverSeenOutside) {
  Random random(3);
  Prover prover(CheckModel::build(case_.scene, proving_check()).value());
  const double cone = std::get<AxisCone>(upright_.within).angle;
  int solved = 0, mattered = 0;
  for (int n = cases(10); n > 0; --n) {
    const auto start = upright_configuration(random, prover),
               goal = upright_configuration(random, prover);
    PlanOptions options;
    options.max_iterations = 3000;
    const auto any = plan(case_.scene, query(start, goal), options);
    ASSERT_TRUE(any.ok()) << any.error().text();
    options.constraints = {upright_};
    const auto kept = plan(case_.scene, query(start, goal), options);
    ASSERT_TRUE(kept.ok()) << kept.error().text();
    if (kept.value().status != PlanStatus::solved) {
      EXPECT_EQ(kept.value().status, PlanStatus::budget) << kept.value().reason;
      continue;
    }
    ++solved;
    const auto by_tilt = [&](const std::vector<double>& q) { return tilt(q); };
    mattered += most(any.value().path, random, by_tilt) > cone;
    const Path& path = kept.value().path;
    EXPECT_TRUE(kept.value().proved);
    EXPECT_EQ(path.waypoints.front(), start);
    EXPECT_EQ(path.waypoints.back(), goal);
    EXPECT_LE(most(path, random, by_tilt), cone);
    EXPECT_EQ(prove_finally(case_.scene, path, {}, {}).value().verdict, Verdict::free);
    SmoothOptions smoothing;
    smoothing.constraints = options.constraints;
    const auto shorter = smooth(case_.scene, path, smoothing);
    ASSERT_TRUE(shorter.ok()) << shorter.error().text();
    EXPECT_LE(shorter.value().length_after, shorter.value().length_before);
    EXPECT_LE(most(shorter.value().path, random, by_tilt), cone);
  }
  std::printf("%d solved, in %d of these the constraint mattered\n", solved, mattered);
  EXPECT_GT(solved, 0);
  EXPECT_GT(mattered + (cases(10) < 10), 0);
}

TEST_F(Constrained, ABoxIsKept) {
  Random random(4);
  Prover prover(CheckModel::build(case_.scene, proving_check()).value());
  const auto start = upright_configuration(random, prover);
  const Matrix X = seen(start);
  // A slab at the height of the start.
  FrameConstraint slab{
      link_, upright_.X_LF,
      OriginBox{Pose::translation({0, 0, static_cast<double>(X[2][3])}), {10, 10, 0.2}}};
  PlanOptions options;
  options.max_iterations = 3000;
  options.constraints = {slab};
  int solved = 0;
  for (int n = 0; n < 6 && solved < 2; ++n) {
    std::vector<double> goal = upright_configuration(random, prover);
    while (std::fabs(static_cast<double>(seen(goal)[2][3] - X[2][3])) > 0.08)
      goal = upright_configuration(random, prover);
    const auto kept = plan(case_.scene, query(start, goal), options);
    ASSERT_TRUE(kept.ok()) << kept.error().text();
    if (kept.value().status != PlanStatus::solved) continue;
    ++solved;
    const double off = most(kept.value().path, random, [&](const std::vector<double>& q) {
      return std::fabs(static_cast<double>(seen(q)[2][3] - X[2][3]));
    });
    EXPECT_LE(off, 0.1);
  }
  EXPECT_GT(solved, 0);
}

TEST_F(Constrained, EndsThatBreakItAreNamed) {
  PlanOptions options;
  options.constraints = {upright_};
  Query there = case_.problem;
  std::vector<double> tilted = there.start;
  tilted[4] += 0.6;
  there.goal = tilted;
  auto result = plan(case_.scene, there, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, PlanStatus::goal_invalid);
  ASSERT_TRUE(result.value().broken);
  EXPECT_EQ(result.value().broken->verdict, ConstraintVerdict::broken);
  EXPECT_NE(result.value().reason.find("at the goal 'arm/link_6' is"), std::string::npos)
      << result.value().reason;
  std::swap(there.start, there.goal);
  result = plan(case_.scene, there, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, PlanStatus::start_invalid);
  // Of several goals those that break it are passed over.
  there = case_.problem;
  there.goal = tilted;
  options.other_goals = {there.start};
  result = plan(case_.scene, there, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().status, PlanStatus::solved) << result.value().reason;
  EXPECT_EQ(result.value().path.waypoints.back(), there.start);
  // A path that breaks it is not smoothed.
  SmoothOptions smoothing;
  smoothing.constraints = options.constraints;
  Path path;
  path.waypoints = {there.start, tilted};
  EXPECT_FALSE(smooth(case_.scene, path, smoothing).ok());
  options.planner = "prm";
  EXPECT_FALSE(plan(case_.scene, there, options).ok());
  options.planner = "rrt-connect";
  options.constraints[0].link = -1;
  EXPECT_FALSE(plan(case_.scene, there, options).ok());
}

TEST_F(Constrained, GoalsOfAllKinds) {
  const KinematicTree& tree = case_.scene.tree();
  Query query = case_.problem;
  PoseGoal pose;
  pose.target = {link_, {}, tool_pose(tree, {link_, {}}, query.goal), FreeTurn::none};
  PoseGoal far = pose;
  far.target.X_WT.p.x += 50;
  const std::vector<PlanGoal> goals = {far, query.goal, pose};
  const auto found = reach_goals(case_.scene, query, goals);
  ASSERT_TRUE(found.ok()) << found.error().text();
  const GoalsResult& all = found.value();
  EXPECT_EQ(all.poses.size(), 3u);
  EXPECT_EQ(all.poses[0].reached, 0);
  EXPECT_GT(all.poses[2].reached, 0);
  EXPECT_EQ(all.reason, "");
  ASSERT_EQ(all.configurations.size(), all.goal_of.size());
  EXPECT_EQ(all.goal_of.front(), 1);
  for (std::size_t i = 0; i < all.goal_of.size(); ++i) {
    EXPECT_EQ(goal_reached(tree, all, all.configurations[i]), all.goal_of[i]);
    if (all.goal_of[i] == 2) {
      EXPECT_LE(distance_to_pose(tree, pose, all.configurations[i]).position, 1e-6);
    }
  }
  EXPECT_EQ(goal_reached(tree, all, query.start), -1);
  const std::vector<PlanGoal> none = {far};
  EXPECT_NE(reach_goals(case_.scene, query, none).value().reason, "");
  EXPECT_FALSE(reach_goals(case_.scene, query, {}).ok());
}

}  // namespace
}  // namespace proven::test
