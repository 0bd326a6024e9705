// Goals that are poses: a slow twin in long double says where the tool is, and the checker whether
// the configurations are free.
#include "proven/plan/pose_goal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kinematics/random_robot.h"
#include "kinematics/slow_kinematics.h"
#include "plan/plan_support.h"
#include "proven/plan/joint_space.h"
#include "support.h"

namespace proven::test {
namespace {

// Where the twin sees the tool.
Matrix seen_pose(const SlowRobot& slow, const Scene& scene, const std::string& link,
                 const Pose& X_LT, const std::vector<double>& q) {
  SlowValues values;
  for (std::size_t c = 0; c < q.size(); ++c) {
    const std::string& name = scene.tree().coordinates()[c].name;
    values[name.substr(name.find('/') + 1)] = q[c];
  }
  return multiply(slow.pose(link, values), to_matrix(X_LT));
}

double apart(const Matrix& seen, const Pose& wanted) {
  Real sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Real d = seen[i][3] - wanted.p[static_cast<int>(i)];
    sum += d * d;
  }
  return static_cast<double>(std::sqrt(sum));
}

// Between the same axis of both frames.
double angle_between(const Matrix& seen, const Pose& wanted, int axis) {
  const auto k = static_cast<std::size_t>(axis);
  Real sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Real d = seen[i][k] - wanted.R.row[i][axis];
    sum += d * d;
  }
  return static_cast<double>(2 * std::asin(std::fmin(Real(1), std::sqrt(sum) / 2)));
}

Robot random_arm(Random& random, int joints) {
  Robot robot;
  robot.name = "arm";
  robot.links.push_back({"l0", {}, false, nullptr});
  for (int i = 0; i < joints; ++i) {
    robot.links.push_back({"l" + std::to_string(i + 1), {}, false, nullptr});
    RobotJoint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent_link = robot.links[static_cast<std::size_t>(i)].name;
    joint.child_link = robot.links.back().name;
    joint.type = JointType::revolute;
    joint.axis = random_axis(random);
    joint.X_PJ = random_pose(random, 0.3);
    joint.limits = {-2.8, 2.8, 1, std::numeric_limits<double>::infinity()};
    robot.joints.push_back(joint);
  }
  return robot;
}

TEST(PoseGoal, ConfigurationsBringTheToolThere) {
  Random random(3);
  int reached_free = 0, reached_turned = 0;
  for (int i = 0; i < cases(60); ++i) {
    const Robot robot = random_arm(random, 6 + random.index(2));
    SceneSource source;
    source.robots = {{"arm", robot, Pose{}}};
    const PlanCase c = must_build_case(std::move(source), {});
    const KinematicTree& tree = c.scene.tree();
    const SlowRobot slow = slow_robot(robot, Pose{});
    const std::string link = robot.links.back().name;
    PoseGoal goal;
    goal.target.link = tree.find_link("arm/" + link);
    goal.target.X_LT = random_pose(random, 0.1);
    goal.target.free = static_cast<FreeTurn>(i % 5);
    const std::vector<double> q = random_configuration(tree, random);
    goal.target.X_WT = tool_pose(tree, {goal.target.link, goal.target.X_LT}, q);
    // A turn about the free axis, in the tool's own frame, changes nothing.
    const Pose asked = goal.target.X_WT;
    const int axis = static_cast<int>(goal.target.free) - 1;
    if (axis >= 0 && axis < 3) {
      Vec3 about = {};
      about[axis] = 1;
      goal.target.X_WT.R = asked.R * rotation(about, random.uniform(-3, 3));
    } else if (axis == 3) {
      goal.target.X_WT.R = rotation(random.unit_vector(), 2);
    }
    Query query;
    query.start = random_configuration(tree, random);
    const auto found = reach_pose(c.scene, query, goal);
    ASSERT_TRUE(found.ok()) << found.error().text();
    const PoseGoalResult& result = found.value();
    EXPECT_EQ(result.goals.empty(), !result.reason.empty());
    EXPECT_GE(result.reached, static_cast<int>(result.goals.size()));
    double before = 0;
    for (const std::vector<double>& found_q : result.goals) {
      const Matrix seen = seen_pose(slow, c.scene, link, goal.target.X_LT, found_q);
      EXPECT_LE(apart(seen, goal.target.X_WT), goal.position_tolerance * (1 + 1e-6));
      for (int k = 0; k < 3; ++k) {
        if (axis >= 0 && axis != k) continue;
        EXPECT_LE(angle_between(seen, goal.target.X_WT, k), goal.angle_tolerance * (1 + 1e-6));
      }
      const ToolDeviation off = distance_to_pose(tree, goal, found_q);
      EXPECT_NEAR(off.position, apart(seen, goal.target.X_WT), 1e-12);
      double far = 0;
      for (std::size_t k = 0; k < found_q.size(); ++k)
        far += (found_q[k] - query.start[k]) * (found_q[k] - query.start[k]);
      EXPECT_GE(far, before);
      before = far;
    }
    if (result.goals.empty()) continue;
    ++(goal.target.free == FreeTurn::none ? reached_turned : reached_free);
    // What is not free is not given up: about other axes the tool is where it was asked to be.
    if (axis == 2) {
      PoseGoal other = goal;
      other.target.free = FreeTurn::x;
      EXPECT_GT(distance_to_pose(tree, other, result.goals[0]).angle, 1e-3);
    }
  }
  if (cases(60) < 60) return;
  EXPECT_GE(reached_turned, 10);
  EXPECT_GE(reached_free, 40);
}

// The tip of a planar arm of two links, near a post.
PoseGoal tip_at(const Scene& scene, const Vec3& place) {
  PoseGoal goal;
  goal.target = {scene.tree().find_link("arm/link_2"), Pose::translation({1, 0, 0}),
                 Pose::translation(place), FreeTurn::all};
  return goal;
}

TEST(PoseGoal, OnlyFreeConfigurationsAreGoalsAndPlansEndAtOne) {
  const PlanCase c = post_case();
  Query query = c.problem;
  // Two ways to bend the elbow; one of them touches the post.
  const double a = 0.55;
  const Vec3 place = {2 * std::cos(0.2) * std::cos(a), 2 * std::cos(0.2) * std::sin(a), 0};
  const PoseGoal goal = tip_at(c.scene, place);
  const auto found = reach_pose(c.scene, query, goal);
  ASSERT_TRUE(found.ok()) << found.error().text();
  EXPECT_EQ(found.value().reached, 2);
  ASSERT_GE(found.value().goals.size(), 1u) << found.value().reason;
  for (const std::vector<double>& q : found.value().goals)
    EXPECT_EQ(must_check(c.scene, {q}, {}).verdict, Verdict::free);
  PlanOptions options;
  query.goal = found.value().goals.front();
  options.other_goals.assign(found.value().goals.begin() + 1, found.value().goals.end());
  for (const PlannerInfo& planner : planners()) {
    options.planner = planner.name;
    const auto planned = plan(c.scene, query, options);
    ASSERT_TRUE(planned.ok()) << planned.error().text();
    ASSERT_EQ(planned.value().status, PlanStatus::solved) << planner.name;
    const std::vector<double>& end = planned.value().path.waypoints.back();
    EXPECT_EQ(std::ranges::count(found.value().goals, end), 1) << planner.name;
  }
}

// A goal that is not valid is passed over where another one is.
TEST(PoseGoal, BadGoalsArePassedOver) {
  const PlanCase c = post_case();
  Query query = c.problem;
  const std::vector<double> good = query.goal;
  query.goal = {0, 0};  // in the post
  PlanOptions options;
  options.other_goals = {{9, 9}, {0.01, 0.01}, good};
  const auto planned = plan(c.scene, query, options);
  ASSERT_TRUE(planned.ok()) << planned.error().text();
  ASSERT_EQ(planned.value().status, PlanStatus::solved) << planned.value().reason;
  EXPECT_EQ(planned.value().path.waypoints.back(), good);
  options.other_goals = {{9, 9}, {0.01, 0.01}};
  EXPECT_EQ(plan(c.scene, query, options).value().status, PlanStatus::goal_invalid);
  options.other_goals = {{1}};
  EXPECT_FALSE(plan(c.scene, query, options).ok());
}

// Two links of 1 m: what is farther than 2 m is proved out of reach, unless tolerance or wider
// limits leave room.
TEST(PoseGoal, KnowsWhatIsProvedOutOfReach) {
  const PlanCase c = post_case();
  const auto unreachable = [&](const PoseGoal& goal, const Query& query) {
    const auto found = reach_pose(c.scene, query, goal);
    EXPECT_TRUE(found.ok());
    return found.value().unreachable;
  };
  EXPECT_TRUE(unreachable(tip_at(c.scene, {2.01, 0, 0}), c.problem));
  EXPECT_FALSE(unreachable(tip_at(c.scene, {1.99, 0, 0}), c.problem));
  EXPECT_FALSE(unreachable(tip_at(c.scene, {1, 1, 0.5}), c.problem));
  PoseGoal about = tip_at(c.scene, {2.01, 0, 0});
  about.position_tolerance = 0.1;
  EXPECT_FALSE(unreachable(about, c.problem));
  Query wider = c.problem;
  wider.limits = joint_limits(c.scene.tree());
  EXPECT_TRUE(unreachable(tip_at(c.scene, {3, 0, 0}), wider));
  wider.limits[0].upper += 1;
  EXPECT_FALSE(unreachable(tip_at(c.scene, {3, 0, 0}), wider));

  const auto of_all = [&](std::vector<PlanGoal> goals) {
    const auto found = reach_goals(c.scene, c.problem, goals);
    EXPECT_TRUE(found.ok());
    return found.value().unreachable;
  };
  const PoseGoal far = tip_at(c.scene, {3, 0, 0}), open = tip_at(c.scene, {1, 1, 0.5});
  EXPECT_TRUE(of_all({far, far}));
  EXPECT_FALSE(of_all({far, open}));
  EXPECT_FALSE(of_all({open, far}));
  EXPECT_FALSE(of_all({far, c.problem.goal}));
}

TEST(PoseGoal, SaysWhyThereIsNone) {
  const PlanCase c = post_case();
  const auto reason = [&](const PoseGoal& goal) {
    const auto found = reach_pose(c.scene, c.problem, goal);
    EXPECT_TRUE(found.ok());
    EXPECT_TRUE(found.value().goals.empty());
    return found.value().reason;
  };
  EXPECT_NE(reason(tip_at(c.scene, {3, 0, 0})).find("farther away"), std::string::npos);
  EXPECT_NE(reason(tip_at(c.scene, {1, 1, 0.5})).find("no configuration was found"),
            std::string::npos);
  const std::string blocked = reason(tip_at(c.scene, {1.55, 0, 0}));
  EXPECT_NE(blocked.find("collide"), std::string::npos) << blocked;
  EXPECT_NE(blocked.find("post"), std::string::npos) << blocked;
  PoseGoal wrong = tip_at(c.scene, {1, 1, 0});
  wrong.position_tolerance = 0;
  EXPECT_FALSE(reach_pose(c.scene, c.problem, wrong).ok());
  wrong = tip_at(c.scene, {1, 1, 0});
  wrong.target.link = 0;
  EXPECT_FALSE(reach_pose(c.scene, c.problem, wrong).ok());
}

// Limits of more than a turn: solutions are as near to the start as whole turns allow.
TEST(PoseGoal, JointsTurnNoFartherThanTheyMust) {
  Robot robot = planar_arm(2, JointType::revolute);
  for (RobotJoint& joint : robot.joints) joint.limits = {-7, 7, 1, 1};
  SceneSource source;
  source.robots = {{"arm", robot, Pose{}}};
  const PlanCase c = must_build_case(std::move(source), {});
  Query query;
  query.start = {6, 0.3};
  const auto found = reach_pose(c.scene, query, tip_at(c.scene, {1.2, 0.8, 0}));
  ASSERT_TRUE(found.ok());
  ASSERT_GE(found.value().goals.size(), 2u);
  for (const std::vector<double>& q : found.value().goals)
    for (std::size_t k = 0; k < 2; ++k) {
      const double turns = std::round((query.start[k] - q[k]) / (2 * std::numbers::pi));
      if (turns == 0) continue;
      EXPECT_GT(std::fabs(q[k] + turns * 2 * std::numbers::pi), 7);
    }
}

}  // namespace
}  // namespace proven::test
