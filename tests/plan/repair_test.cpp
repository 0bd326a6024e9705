#include "proven/plan/repair.h"

#include <gtest/gtest.h>

#include "proven/verify/verify.h"

namespace proven {
namespace {

Scratch& scratch() {
  static Scratch memory;
  return memory;
}

// A block of 0.1 m that slides in a plane, and a wall of 0.2 m that stands aside.
SceneSource plane() {
  Robot robot;
  robot.name = "slider";
  robot.links.push_back({"base", {}, false, nullptr});
  robot.links.push_back({"carriage", {}, false, nullptr});
  robot.links.push_back({"block", {{Box{{0.05, 0.05, 0.05}}, {}, "block"}}, false, nullptr});
  for (int i = 0; i < 2; ++i) {
    RobotJoint joint;
    joint.name = i == 0 ? "x" : "y";
    joint.type = JointType::prismatic;
    joint.parent_link = robot.links[static_cast<std::size_t>(i)].name;
    joint.child_link = robot.links[static_cast<std::size_t>(i) + 1].name;
    joint.axis = i == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    joint.limits = {-4, 4, 1, 1};
    robot.joints.push_back(joint);
  }
  SceneSource source;
  source.robots.push_back({"r", robot, {}});
  source.obstacles.push_back(
      {"wall", {{Box{{0.1, 0.1, 0.1}}, {}, ""}}, Pose::translation({1.5, 2, 0})});
  return source;
}

Motion slide() {
  return {{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {}, {}};
}

Monitor blocked_at(double x, Scene& scene) {
  scene = build_scene(plane()).value();
  Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  EXPECT_EQ(monitor.verdict(), Verdict::free);
  scene = scene.with_pose("wall", Pose::translation({x, 0, 0})).value();
  EXPECT_TRUE(monitor.update(scene, scratch()).ok());
  EXPECT_EQ(monitor.verdict(), Verdict::collision);
  return monitor;
}

void expect_proved(const RepairResult& repaired, const Scene& scene) {
  ASSERT_EQ(repaired.status, PlanStatus::solved) << repaired.reason;
  EXPECT_TRUE(repaired.proved);
  EXPECT_EQ(check(scene, repaired.motion, {}, scratch()).value().verdict, Verdict::free);
  EXPECT_TRUE(verify(scene.description(), repaired.motion, repaired.certificate, {}).accepted);
}

TEST(Repair, GoesAroundWhatFellAndKeepsTheRest) {
  Scene scene;
  const Monitor monitor = blocked_at(1.5, scene);
  RepairOptions options;
  options.plan.check.certificate = true;
  const RepairResult repaired = repair(monitor, options).value();
  expect_proved(repaired, scene);
  EXPECT_EQ(repaired.stretches, 1);
  EXPECT_EQ(repaired.kept, 2);
  const auto& q = repaired.motion.waypoints;
  EXPECT_GE(q.size(), 5u);
  EXPECT_EQ(q[0], (std::vector<double>{0, 0}));
  EXPECT_EQ(q[1], (std::vector<double>{1, 0}));
  EXPECT_EQ(q[q.size() - 2], (std::vector<double>{2, 0}));
  EXPECT_EQ(q.back(), (std::vector<double>{3, 0}));
}

TEST(Repair, BeginsWhereTheRobotIs) {
  Scene scene;
  Monitor monitor = blocked_at(1.6, scene);
  monitor.advance(1, 0.25, scratch());
  RepairOptions options;
  options.plan.check.certificate = true;
  const RepairResult repaired = repair(monitor, options).value();
  expect_proved(repaired, scene);
  EXPECT_EQ(repaired.motion.waypoints[0], (std::vector<double>{1.25, 0}));
  EXPECT_EQ(repaired.kept, 1);
}

TEST(Repair, CurvesThatStandStay) {
  Scene scene = build_scene(plane()).value();
  Motion motion = slide();
  motion.inner = {{{0.3, 0.1}, {0.7, 0.1}}, {}, {{2.5, -0.1}}};
  scene = scene.with_pose("wall", Pose::translation({1.5, 0, 0})).value();
  const Monitor monitor = Monitor::build(scene, motion, {}, scratch()).value();
  RepairOptions options;
  options.plan.check.certificate = true;
  const RepairResult repaired = repair(monitor, options).value();
  expect_proved(repaired, scene);
  EXPECT_EQ(repaired.motion.inner.front(), motion.inner.front());
  EXPECT_EQ(repaired.motion.inner.back(), motion.inner.back());
}

TEST(Repair, SaysWhyThereIsNoWay) {
  Scene scene;
  const RepairResult at_the_end = repair(blocked_at(3, scene), {}).value();
  EXPECT_EQ(at_the_end.status, PlanStatus::goal_invalid);
  ASSERT_TRUE(at_the_end.obstruction);
  EXPECT_FALSE(at_the_end.reason.empty());
  EXPECT_TRUE(at_the_end.motion.waypoints.empty());
}

TEST(Repair, NothingFellNothingIsPlanned) {
  const Scene scene = build_scene(plane()).value();
  const Monitor monitor = Monitor::build(scene, slide(), {}, scratch()).value();
  const RepairResult repaired = repair(monitor, {}).value();
  EXPECT_EQ(repaired.status, PlanStatus::solved);
  EXPECT_EQ(repaired.stretches, 0);
  EXPECT_EQ(repaired.motion.waypoints, slide().waypoints);
}

}  // namespace
}  // namespace proven
