#include "proven/kinematics/kinematic_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "proven/kinematics/poses.h"

namespace proven {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RobotJoint joint(const std::string& name, JointType type, const std::string& parent,
                 const std::string& child) {
  RobotJoint j;
  j.name = name;
  j.type = type;
  j.parent_link = parent;
  j.child_link = child;
  j.axis = {0, 0, 1};
  j.X_PJ = Pose::translation({1, 0, 0});
  return j;
}

RobotLink link(const std::string& name) {
  RobotLink l;
  l.name = name;
  return l;
}

// a -j1-> b -j2-> c -j3-> d, all revolute.
Robot chain() {
  Robot robot;
  for (const char* name : {"a", "b", "c", "d"}) robot.links.push_back(link(name));
  robot.joints = {joint("j1", JointType::revolute, "a", "b"),
                  joint("j2", JointType::revolute, "b", "c"),
                  joint("j3", JointType::revolute, "c", "d")};
  return robot;
}

KinematicTree tree_of(const Robot& robot) {
  KinematicTree tree;
  const Result<void> added = tree.add_robot(robot, "arm", Pose{});
  EXPECT_TRUE(added.ok()) << added.error().text();
  return tree;
}

// The message names every word given, and the tree is left as it was.
void expect_refused(const Robot& robot, const std::vector<std::string>& words) {
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(chain(), "other", Pose{}).ok());
  const int links = tree.num_links(), coordinates = tree.num_coordinates();
  const Result<void> result = tree.add_robot(robot, "arm", Pose{});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::bad_input);
  for (const std::string& word : words)
    EXPECT_NE(result.error().text().find(word), std::string::npos)
        << "'" << word << "' not in: " << result.error().text();
  EXPECT_EQ(result.error().text().find('\n'), std::string::npos);
  EXPECT_EQ(tree.num_links(), links);
  EXPECT_EQ(tree.num_coordinates(), coordinates);
  EXPECT_EQ(tree.find_link("arm/a"), -1);
}

void expect_refused(const std::function<void(Robot&)>& spoil,
                    const std::vector<std::string>& words) {
  Robot robot = chain();
  spoil(robot);
  expect_refused(robot, words);
}

TEST(KinematicTree, NamesAndOrder) {
  const KinematicTree tree = tree_of(chain());
  ASSERT_EQ(tree.num_links(), 5);
  EXPECT_EQ(tree.link(0).name, "world");
  EXPECT_EQ(tree.link(1).name, "arm/a");
  EXPECT_EQ(tree.find_link("arm/d"), 4);
  EXPECT_EQ(tree.find_link("d"), -1);
  EXPECT_EQ(tree.find_coordinate("arm/j2"), 1);
  EXPECT_EQ(tree.find_coordinate("arm/j4"), -1);
  EXPECT_EQ(tree.link(4).depth, 4);
  EXPECT_EQ(tree.link(1).joint.kind, JointKind::fixed);
}

TEST(KinematicTree, OrderOfTheFileDoesNotMatter) {
  Robot robot = chain();
  std::swap(robot.joints[0], robot.joints[2]);
  std::swap(robot.links[0], robot.links[3]);
  const KinematicTree tree = tree_of(robot), expected = tree_of(chain());
  ASSERT_EQ(tree.num_links(), expected.num_links());
  for (int l = 0; l < tree.num_links(); ++l) {
    EXPECT_EQ(tree.link(l).name, expected.link(l).name);
    EXPECT_EQ(tree.link(l).parent, expected.link(l).parent);
  }
}

TEST(KinematicTree, SeveralRobots) {
  KinematicTree tree;
  ASSERT_TRUE(tree.add_robot(chain(), "left", Pose{}).ok());
  ASSERT_TRUE(tree.add_robot(chain(), "right", Pose::translation({0, 1, 0})).ok());
  EXPECT_EQ(tree.num_coordinates(), 6);
  EXPECT_EQ(tree.lowest_common_ancestor(tree.find_link("left/d"), tree.find_link("right/b")), 0);
  const Result<void> again = tree.add_robot(chain(), "left", Pose{});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().text().find("left"), std::string::npos);
  EXPECT_FALSE(tree.add_robot(chain(), "", Pose{}).ok());
  EXPECT_FALSE(tree.add_robot(chain(), "third", Pose::translation({kNaN, 0, 0})).ok());
  EXPECT_TRUE(tree.add_robot(chain(), "lef", Pose{}).ok());
}

TEST(KinematicTree, SingleLink) {
  Robot robot;
  robot.links = {link("only")};
  const KinematicTree tree = tree_of(robot);
  EXPECT_EQ(tree.num_links(), 2);
  EXPECT_EQ(tree.num_coordinates(), 0);
}

TEST(KinematicTree, AncestorsAndRigidParts) {
  Robot robot = chain();
  robot.links.push_back(link("e"));
  robot.joints.push_back(joint("j4", JointType::prismatic, "b", "e"));
  robot.joints[1].type = JointType::fixed;
  const KinematicTree tree = tree_of(robot);
  const auto at = [&](const char* name) { return tree.find_link(std::string("arm/") + name); };
  EXPECT_EQ(tree.lowest_common_ancestor(at("d"), at("e")), at("b"));
  EXPECT_EQ(tree.lowest_common_ancestor(at("d"), at("b")), at("b"));
  EXPECT_EQ(tree.lowest_common_ancestor(at("c"), at("c")), at("c"));
  EXPECT_TRUE(tree.rigidly_connected(at("b"), at("c")));
  EXPECT_FALSE(tree.rigidly_connected(at("b"), at("d")));
  EXPECT_TRUE(tree.rigidly_connected(0, at("a")));
  EXPECT_EQ(tree.rigid_root(at("c")), at("b"));
  EXPECT_EQ(tree.rigid_root(at("a")), 0);
}

TEST(KinematicTree, AxesAreNormalised) {
  Robot robot = chain();
  robot.joints[0].axis = {0, 0, -7};
  robot.joints[1].axis = {3e-9, 4e-9, 0};
  robot.joints[2].axis = {0, 3e8, 4e8};
  const KinematicTree tree = tree_of(robot);
  EXPECT_EQ(tree.link(2).joint.axis, (Vec3{0, 0, -1}));
  EXPECT_NEAR(tree.link(3).joint.axis.y, 0.8, 1e-15);
  EXPECT_NEAR(tree.link(4).joint.axis.z, 0.8, 1e-15);
}

TEST(KinematicTree, LimitsAndContinuousJoints) {
  Robot robot = chain();
  robot.joints[0].limits = {-1, 2, 3, 4};
  robot.joints[1].type = JointType::continuous;
  robot.joints[1].limits = {5, -5, 3, 4};  // a continuous joint has none
  robot.joints[2].type = JointType::prismatic;
  const KinematicTree tree = tree_of(robot);
  const std::span<const Coordinate> c = tree.coordinates();
  EXPECT_EQ(c[0].lower, -1);
  EXPECT_EQ(c[0].upper, 2);
  EXPECT_EQ(c[0].velocity, 3);
  EXPECT_EQ(c[0].acceleration, 4);
  EXPECT_TRUE(c[0].rotary && !c[0].continuous);
  EXPECT_EQ(c[1].lower, -kInfinity);
  EXPECT_EQ(c[1].velocity, 3);
  EXPECT_TRUE(c[1].rotary && c[1].continuous);
  EXPECT_FALSE(c[2].rotary || c[2].continuous);
}

TEST(KinematicTree, PlanarJoint) {
  Robot robot = chain();
  robot.joints[0].type = JointType::planar;
  const KinematicTree tree = tree_of(robot);
  ASSERT_EQ(tree.num_links(), 7);
  EXPECT_EQ(tree.num_coordinates(), 5);
  EXPECT_EQ(tree.coordinates()[0].name, "arm/j1.x");
  EXPECT_EQ(tree.coordinates()[1].name, "arm/j1.y");
  EXPECT_EQ(tree.coordinates()[2].name, "arm/j1.angle");
  EXPECT_TRUE(tree.coordinates()[2].continuous);
  EXPECT_EQ(tree.link(2).name, "arm/j1.x");
  EXPECT_EQ(tree.link(2).joint.axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(tree.link(3).joint.axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(tree.link(4).name, "arm/b");
  EXPECT_EQ(tree.link(4).joint.kind, JointKind::revolute);
}

TEST(KinematicTree, PlanarDirectionsAreRightHandedForEveryAxis) {
  const std::vector<std::pair<Vec3, Vec3>> cases = {
      {{1, 0, 0}, {0, 1, 0}},  {{0, 1, 0}, {0, 0, 1}},  {{0, 0, 1}, {1, 0, 0}},
      {{-1, 0, 0}, {0, 1, 0}}, {{0, 0, -1}, {1, 0, 0}}, {{1, 1, 1}, normalized({2, -1, -1})}};
  for (const auto& [axis, x] : cases) {
    Robot robot = chain();
    robot.joints[0].type = JointType::planar;
    robot.joints[0].axis = axis;
    const KinematicTree tree = tree_of(robot);
    const Vec3 a = tree.link(2).joint.axis, b = tree.link(3).joint.axis;
    EXPECT_LT(norm(a - x), 1e-15);
    EXPECT_LT(norm(cross(a, b) - normalized(axis)), 1e-15);
  }
}

TEST(KinematicTree, FloatingJoint) {
  Robot robot = chain();
  robot.joints[0].type = JointType::floating;
  robot.joints[0].axis = {0, 0, 0};  // it has none
  const KinematicTree tree = tree_of(robot);
  const char* names[] = {"arm/j1.x",  "arm/j1.y",  "arm/j1.z", "arm/j1.qx",
                         "arm/j1.qy", "arm/j1.qz", "arm/j1.qw"};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(tree.coordinates()[i].name, names[i]);
    EXPECT_EQ(tree.coordinates()[i].quaternion, i >= 3);
  }
  const std::vector<double> zero = tree.zero_configuration();
  EXPECT_EQ(zero, (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(KinematicTree, MimicChainsAreComposed) {
  Robot robot = chain();
  robot.joints[0].mimic = Mimic{"j2", 2, 0.5};  // above its driver
  robot.joints[1].mimic = Mimic{"j3", -3, 0.25};
  robot.joints[0].limits = {-1, 1, 1, 1};
  const KinematicTree tree = tree_of(robot);
  ASSERT_EQ(tree.num_coordinates(), 1);
  EXPECT_EQ(tree.coordinates()[0].name, "arm/j3");
  EXPECT_EQ(tree.link(2).joint.multiplier, -6);
  EXPECT_EQ(tree.link(2).joint.offset, 1);
  EXPECT_EQ(tree.link(3).joint.multiplier, -3);
  ASSERT_EQ(tree.mimic_names().size(), 2u);
  EXPECT_EQ(tree.mimic_names()[0].name, "arm/j1");
  EXPECT_EQ(tree.mimic_names()[0].coordinate, 0);
  EXPECT_EQ(tree.mimic_names()[0].multiplier, -6);
  EXPECT_EQ(tree.mimic_names()[0].offset, 1);
  EXPECT_EQ(tree.mimic_names()[0].upper, 1);
}

TEST(KinematicTree, MimicWithoutMultiplierDoesNotMove) {
  Robot robot = chain();
  robot.joints[2].mimic = Mimic{"j2", 0, 0.5};
  const KinematicTree tree = tree_of(robot);
  const int c = tree.find_link("arm/c"), d = tree.find_link("arm/d");
  EXPECT_TRUE(tree.rigidly_connected(c, d));
  EXPECT_EQ(tree.mimic_names().size(), 1u);
  LinkPoses poses;
  compute_poses(tree, std::vector<double>{0, 0}, poses);
  EXPECT_NEAR(poses.X_WL[static_cast<std::size_t>(d)].R(1, 0), std::sin(0.5), 1e-15);
}

TEST(KinematicTree, DeepTreesDoNotOverflowTheStack) {
  Robot robot;
  constexpr int kDepth = 20000;
  robot.links.push_back(link("l0"));
  for (int i = 1; i < kDepth; ++i) {
    robot.links.push_back(link(fmt::format("l{}", i)));
    robot.joints.push_back(joint(fmt::format("j{}", i), JointType::revolute,
                                 fmt::format("l{}", i - 1), fmt::format("l{}", i)));
  }
  const KinematicTree tree = tree_of(robot);
  EXPECT_EQ(tree.link(kDepth).depth, kDepth);
  EXPECT_EQ(tree.lowest_common_ancestor(kDepth, 1), 1);
}

TEST(KinematicTreeErrors, Links) {
  expect_refused([](Robot& r) { r.links.clear(); }, {"no links"});
  expect_refused([](Robot& r) { r.links[1].name = ""; }, {"link number 2"});
  expect_refused([](Robot& r) { r.links[1].name = "c"; }, {"two links", "'c'"});
  expect_refused([](Robot& r) { r.links.push_back(link("stray")); }, {"2 root", "'a'", "'stray'"});
}

TEST(KinematicTreeErrors, Joints) {
  expect_refused([](Robot& r) { r.joints[1].name = ""; }, {"joint number 2"});
  expect_refused([](Robot& r) { r.joints[1].name = "j1"; }, {"two joints", "'j1'"});
  expect_refused([](Robot& r) { r.joints[1].parent_link = "x"; }, {"'j2'", "parent link 'x'"});
  expect_refused([](Robot& r) { r.joints[1].child_link = "x"; }, {"'j2'", "child link 'x'"});
  expect_refused([](Robot& r) { r.joints[2].child_link = "c"; },
                 {"'c'", "two parents", "'j2'", "'j3'"});
}

TEST(KinematicTreeErrors, Loops) {
  expect_refused([](Robot& r) { r.joints.push_back(joint("j4", JointType::fixed, "d", "a")); },
                 {"loop", "'a'", "'b'", "'c'", "'d'"});
  expect_refused(
      [](Robot& r) {
        r.joints[1].parent_link = "d";  // c and d hang on each other, beside the root
      },
      {"loop", "'c'", "'d'"});
  expect_refused([](Robot& r) { r.joints[2].parent_link = "d"; }, {"loop", "'d'"});
}

TEST(KinematicTreeErrors, AxesAndOrigins) {
  expect_refused([](Robot& r) { r.joints[1].axis = {0, 0, 0}; }, {"'j2'", "zero axis"});
  expect_refused([](Robot& r) { r.joints[1].axis = {0, kNaN, 1}; }, {"'j2'", "not finite"});
  expect_refused([](Robot& r) { r.joints[1].axis = {0, kInfinity, 1}; }, {"'j2'", "not finite"});
  expect_refused([](Robot& r) { r.joints[1].X_PJ.p.y = kInfinity; }, {"'j2'", "origin"});
  expect_refused([](Robot& r) { r.joints[1].X_PJ.R.row[0] = {1.0001, 0, 0}; }, {"'j2'", "origin"});
  expect_refused([](Robot& r) { r.joints[1].X_PJ.R.row[0] = {-1, 0, 0}; }, {"'j2'", "origin"});
  expect_refused([](Robot& r) { r.joints[1].X_PJ.R.row[0] = {kNaN, 0, 0}; }, {"'j2'", "origin"});
}

TEST(KinematicTreeErrors, Limits) {
  expect_refused([](Robot& r) { r.joints[1].limits.lower = kNaN; }, {"'j2'", "not a number"});
  expect_refused([](Robot& r) { r.joints[1].limits = {1, -1, 1, 1}; }, {"'j2'", "reversed"});
  expect_refused([](Robot& r) { r.joints[1].limits.lower = kInfinity; }, {"'j2'", "reversed"});
  expect_refused([](Robot& r) { r.joints[1].limits.velocity = -1; }, {"'j2'", "velocity", "-1"});
  expect_refused([](Robot& r) { r.joints[1].limits.acceleration = kNaN; },
                 {"'j2'", "acceleration"});
}

TEST(KinematicTreeErrors, Mimics) {
  expect_refused(
      [](Robot& r) {
        r.joints[1].mimic = Mimic{"x", 1, 0};
      },
      {"'j2'", "unknown", "'x'"});
  expect_refused([](Robot& r) { r.joints[1].mimic = Mimic{"j2", 1, 0}; }, {"'j2'", "cycle"});
  expect_refused(
      [](Robot& r) {
        r.joints[1].mimic = Mimic{"j3", 1, 0};
        r.joints[2].mimic = Mimic{"j2", 1, 0};
      },
      {"cycle"});
  expect_refused(
      [](Robot& r) {
        r.joints[0].type = JointType::fixed;
        r.joints[1].mimic = Mimic{"j1", 1, 0};
      },
      {"'j2'", "'j1'", "fixed"});
  expect_refused(
      [](Robot& r) {
        r.joints[0].type = JointType::planar;
        r.joints[1].mimic = Mimic{"j1", 1, 0};
      },
      {"'j2'", "'j1'", "several values"});
  expect_refused(
      [](Robot& r) {
        r.joints[0].type = JointType::floating;
        r.joints[0].mimic = Mimic{"j2", 1, 0};
      },
      {"'j1'", "cannot mimic"});
  expect_refused([](Robot& r) { r.joints[1].mimic = Mimic{"j1", kNaN, 0}; }, {"'j2'", "finite"});
  expect_refused(
      [](Robot& r) {
        r.joints[1].mimic = Mimic{"j1", 1, kInfinity};
      },
      {"'j2'", "finite"});
}

TEST(KinematicTreeErrors, NamesThatPlanarJointsNeed) {
  expect_refused(
      [](Robot& r) {
        r.joints[0].type = JointType::planar;
        r.joints[1].name = "j1.x";
      },
      {"'j1'", "'j1.x'"});
}

}  // namespace
}  // namespace proven
