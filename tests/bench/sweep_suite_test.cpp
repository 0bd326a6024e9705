// The short form of the suite of sweeps, and proof that it notices wrong answers.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/bench.h"
#include "bench/suite/parts.h"
#include "bench/suite/sweep_cases.h"
#include "bench/suite/sweep_judge.h"
#include "support.h"

namespace proven::bench {
namespace {

TEST(SweepSuite, ShortForm) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "sweep-suite", &Benchmark::name);
  ASSERT_NE(found, all.end());
  Options options;
  options.cases = test::cases(1000);
  const auto report = found->run(options);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report.value().failed) << to_text(report.value());
  std::int64_t settled = 0, contacts = 0;
  for (const Row& row : report.value().rows)
    for (const auto& [name, cell] : row.cells) {
      if (name == "settled") settled = std::get<std::int64_t>(cell);
      if (name == "contacts") contacts = std::get<std::int64_t>(cell);
    }
  EXPECT_GT(settled, test::cases(1000) / 20);
  EXPECT_GT(contacts, test::cases(1000) / 20);
}

// A ball of 0.1 m slides along x past a wall whose face is at x = 1.
struct Slider {
  Slider() {
    Robot robot;
    robot.links.resize(2);
    robot.links[0].name = "base", robot.links[1].name = "ball";
    robot.links[1].collision = {{Sphere{0.1}, Pose{}, ""}};
    RobotJoint joint;
    joint.name = "x", joint.type = JointType::prismatic;
    joint.parent_link = "base", joint.child_link = "ball";
    joint.axis = {1, 0, 0};
    joint.limits = {-5, 5, 1, 1};
    robot.joints = {joint};
    SceneSource source;
    source.robots.push_back({"r", robot, Pose{}});
    source.obstacles.push_back({"wall", {box(Style::mesh, {0.5, 1, 1})}, at(1.5, 0, 0)});
    scene = build_scene(source).value();
  }
  // What is wrong with an answer about the way from `from` to `to`.
  std::string fault(double from, double to, double required, const SweepProbe::Answer& answer) {
    Motion motion;
    motion.waypoints = {{from}, {to}};
    SweepTruth truth(scene, motion);
    const WatchedPair watched[] = {truth.follow(0, {})};
    const double needed[] = {required};
    return find_fault(scene, answer, watched, needed, truth, false);
  }
  Scene scene;
};

SweepProbe::Answer settled() {
  SweepProbe::Answer answer;
  answer.usable = true;
  return answer;
}

TEST(SweepSuite, NoticesWhatIsSettledAndNotSo) {
  Slider slider;
  ASSERT_EQ(slider.scene.pairs().size(), 1u);
  // 0.2 m stay between.
  EXPECT_EQ(slider.fault(0, 0.7, 0.2 - 1e-8, settled()), "");
  EXPECT_NE(slider.fault(0, 0.7, 0.2 + 1e-8, settled()), "");
  // Open where it is closest: nothing is claimed there.
  SweepProbe::Answer open = settled();
  open.open = {{slider.scene.pairs()[0].a, slider.scene.pairs()[0].b, 1u << 14}};
  EXPECT_EQ(slider.fault(0, 0.7, 0.2 + 1e-8, open), "");
  EXPECT_NE(slider.fault(0.7, 0, 0.2 + 1e-8, open), "");
  // Inside the wall, far from its faces.
  EXPECT_NE(slider.fault(1.4, 1.6, 0, settled()), "");
}

TEST(SweepSuite, NoticesContactsThatAreNone) {
  Slider slider;
  const auto touching = [&](double t, double required) {
    SweepProbe::Answer answer = settled();
    answer.contact = {slider.scene.pairs()[0].a, slider.scene.pairs()[0].b, t, required};
    return answer;
  };
  EXPECT_NE(slider.fault(0, 0.7, 0, touching(1, 0)), "");
  EXPECT_EQ(slider.fault(0, 0.7, 0, touching(1, 0.21)), "");
  EXPECT_NE(slider.fault(0, 0.7, 0, touching(0.5, 0.21)), "");
  EXPECT_EQ(slider.fault(0, 1.5, 0, touching(1, 0)), "");
}

}  // namespace
}  // namespace proven::bench
