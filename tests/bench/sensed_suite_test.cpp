// The short form of the suite of clouds and voxel sets, and proof that its judge sees what is near.
#include "bench/suite/sensed_suite.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

TEST(SensedSuite, ShortForm) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "sensed-suite", &Benchmark::name);
  ASSERT_NE(found, all.end());
  Options options;
  options.cases = test::cases(400);
  const auto report = found->run(options);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report.value().failed) << to_text(report.value());
}

// A ball of 0.1 m slides along x from 0 to 1.
struct Slider {
  explicit Slider(CollisionElement seen, const Pose& X_WB = {}) {
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
    source.robots.push_back({"r", robot, Pose{}});
    source.obstacles.push_back({"seen", {std::move(seen)}, X_WB});
    motion.waypoints = {{0}, {1}};
  }
  double least() const {
    const Scene scene = build_scene(source).value();
    return static_cast<double>(least_sensed_distance(scene, source, motion, 50));
  }
  SceneSource source;
  Motion motion;
};

TEST(SensedSuite, TheJudgeKnowsDistances) {
  const auto cloud = std::make_shared<const PointCloud>(
      PointCloud{{{9, 9, 9}, {0.5, 0.3, 0}, {0.5, -7, 0}}, 0.05});
  EXPECT_NEAR(Slider({cloud, Pose{}, ""}).least(), 0.3 - 0.15, 1e-15);
  // A quarter turn about z and back by the pose of the element.
  const Pose turn{rotation({0, 0, 1}, 1.5), {0.1, 0.2, 0.3}};
  EXPECT_NEAR(Slider({cloud, inverse(turn), ""}, turn).least(), 0.3 - 0.15, 1e-12);
  const auto voxels = std::make_shared<const VoxelSet>(VoxelSet{0.25, {{2, 1, 0}, {40, 40, 40}}});
  EXPECT_NEAR(Slider({voxels, Pose{}, ""}).least(), 0.25 - 0.1, 1e-12);
  const auto in_the_way =
      std::make_shared<const VoxelSet>(VoxelSet{0.25, {{2, 0, 0}, {40, 40, 40}}});
  EXPECT_LE(Slider({in_the_way, Pose{}, ""}).least(), 1e-12);
}

}  // namespace
}  // namespace proven::bench
