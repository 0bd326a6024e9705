// Planners and smoothers among any number of stones, whatever clearance is required or overlap
// allowed: their paths are free, for the search alone too.
#include <gtest/gtest.h>

#include "plan/plan_support.h"
#include "proven/plan/plan.h"
#include "proven/plan/smooth.h"

namespace proven {
namespace {

// A ball in the plane, between a start and a goal with so many stones on the way.
SceneSource stones_on_the_way(int stones, Random& random) {
  SceneSource source;
  Robot robot;
  robot.links.resize(3);
  const char* names[] = {"base", "carriage", "ball"};
  for (std::size_t i = 0; i < 3; ++i) robot.links[i].name = names[i];
  robot.links[2].collision = {{Sphere{0.1}, Pose{}, ""}};
  for (int i = 0; i < 2; ++i) {
    RobotJoint& joint = robot.joints.emplace_back();
    joint.name = i == 0 ? "x" : "y", joint.type = JointType::prismatic;
    joint.parent_link = names[i], joint.child_link = names[i + 1];
    joint.axis = i == 0 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    joint.limits = {-2, 2, 1, 1};
  }
  source.robots.push_back({"robot", robot, Pose{}});
  for (int i = 0; i < stones; ++i) {
    Shape shape = Sphere{0.1};
    if (i % 3 == 0) shape = Box{{0.1, 0.1, 0.1}};
    source.obstacles.push_back(
        {"stone" + std::to_string(i),
         {{shape, Pose{}, ""}},
         Pose::translation({random.uniform(-1, 1), random.uniform(-1.2, 1.2), 0})});
  }
  return source;
}

TEST(ClearanceForms, PathsAmongStonesKeepThem) {
  Random random(1);
  int solved = 0, asked = 0;
  for (int stones = 1; stones <= 40; stones += stones == 15 || stones == 16 ? 1 : 7)
    for (int form = 0; form < 6; ++form) {
      SceneSource source = stones_on_the_way(stones, random);
      const auto require = [&](int stone, double clearance) {
        source.clearances.push_back({"robot/ball", "stone" + std::to_string(stone), clearance});
      };
      if (form == 1) source.clearance = Clearances::everywhere(0.01);
      if (form == 2) source.clearance.world = 0.02;
      if (form == 3) require(random.index(stones), 0.1);
      if (form == 4) require(random.index(stones), -0.03);
      for (int i = 0; form == 5 && i < stones; ++i) require(i, i % 2 == 0 ? -0.03 : -1e9);
      const Scene scene = build_scene(source).value();
      for (const bool sweeps : {true, false}) {
        PlanOptions options;
        options.seed = static_cast<std::uint64_t>(stones);
        options.max_iterations = 2000;
        options.check.sweep = sweeps;
        const CheckModel model = CheckModel::build(scene, options.check).value();
        if (sweeps) model.prepare_sweeps();
        const auto found = plan(model, {{-1.9, 0}, {1.9, 0}}, options);
        ASSERT_TRUE(found.ok()) << found.error().text();
        ++asked;
        if (found.value().status != PlanStatus::solved) continue;
        ++solved;
        CheckOptions alone;
        alone.certificate = true;
        Scratch scratch;
        const CheckModel judge = CheckModel::build(scene, alone).value();
        EXPECT_EQ(judge.check(found.value().path, scratch).value().verdict, Verdict::free)
            << stones << " stones, form " << form;
        const auto smoothed = smooth(model, found.value().path, SmoothOptions{});
        ASSERT_TRUE(smoothed.ok()) << smoothed.error().text();
        EXPECT_EQ(judge.check(smoothed.value().path, scratch).value().verdict, Verdict::free)
            << stones << " stones, form " << form << ", smoothed";
      }
    }
  EXPECT_GT(solved, asked / 2);
}

}  // namespace
}  // namespace proven
