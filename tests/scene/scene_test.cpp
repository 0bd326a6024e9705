#include "proven/scene/scene.h"

#include <algorithm>
#include <cmath>

#include "proven/base/random.h"
#include "proven/geometry/distance.h"
#include "proven/kinematics/motion_bounds.h"
#include "proven/kinematics/poses.h"
#include "proven/scene/sensed.h"
#include "support.h"

namespace proven {
namespace {

std::vector<CollisionElement> box(double size) {
  return {{Box{{size / 2, size / 2, size / 2}}, Pose{}, "box"}};
}

RobotLink link(const std::string& name, double size = 0.1) {
  return {name, size > 0 ? box(size) : std::vector<CollisionElement>{}, false, nullptr};
}

RobotJoint joint(const std::string& name, JointType type, const std::string& parent,
                 const std::string& child) {
  RobotJoint j;
  j.name = name;
  j.type = type;
  j.parent_link = parent;
  j.child_link = child;
  j.X_PJ = Pose::translation({0, 0, 0.5});
  j.axis = {0, 1, 0};
  j.limits = {-1, 1, 1, 1};
  return j;
}

// base -fixed- plate -revolute- upper -revolute- lower
Robot arm() {
  Robot robot;
  robot.name = "arm";
  robot.links = {link("base"), link("plate"), link("upper"), link("lower")};
  robot.joints = {joint("mount", JointType::fixed, "base", "plate"),
                  joint("j1", JointType::revolute, "plate", "upper"),
                  joint("j2", JointType::revolute, "upper", "lower")};
  return robot;
}

Scene must_build(SceneBuilder builder) {
  auto scene = std::move(builder).build();
  EXPECT_TRUE(scene.ok()) << (scene.ok() ? "" : scene.error().text());
  return std::move(scene).value();
}

SceneBuilder arm_and_table(const Robot& robot = arm()) {
  SceneBuilder builder;
  EXPECT_TRUE(builder.add_robot(robot, "arm", Pose{}).ok());
  EXPECT_TRUE(builder.add_obstacle("table", box(1), Pose::translation({2, 0, 0})).ok());
  return builder;
}

bool tests_pair(const Scene& scene, std::string_view a, std::string_view b) {
  const int i = scene.find_body(a), j = scene.find_body(b);
  return std::any_of(scene.pairs().begin(), scene.pairs().end(), [&](const BodyPair& p) {
    return (p.a == i && p.b == j) || (p.a == j && p.b == i);
  });
}

const ExcludedPair* exclusion(const Scene& scene, std::string_view a, std::string_view b) {
  const int i = scene.find_body(a), j = scene.find_body(b);
  for (const ExcludedPair& p : scene.excluded_pairs())
    if ((p.a == i && p.b == j) || (p.a == j && p.b == i)) return &p;
  return nullptr;
}

TEST(Scene, ExcludesOnlyLinksJoinedByAJointAndRigidOnes) {
  const Scene scene = must_build(arm_and_table());
  EXPECT_TRUE(tests_pair(scene, "arm/upper", "table"));
  EXPECT_TRUE(tests_pair(scene, "arm/lower", "table"));
  EXPECT_TRUE(tests_pair(scene, "arm/base", "arm/upper"));  // not joined directly
  EXPECT_TRUE(tests_pair(scene, "arm/plate", "arm/lower"));
  EXPECT_FALSE(tests_pair(scene, "arm/base", "table"));  // both stand still
  ASSERT_NE(exclusion(scene, "arm/plate", "arm/upper"), nullptr);
  EXPECT_EQ(exclusion(scene, "arm/plate", "arm/upper")->reason, ExclusionReason::adjacent);
  EXPECT_EQ(exclusion(scene, "arm/upper", "arm/lower")->reason, ExclusionReason::adjacent);
  EXPECT_EQ(scene.pairs().size() + scene.excluded_pairs().size(), 5u * 4 / 2 - 3);
}

TEST(Scene, SrdfNeverIsTestedUnlessTrusted) {
  Robot robot = arm();
  robot.disabled_pairs = {{"base", "lower", "Never"}, {"base", "upper", "Default"}};
  const Scene strict = must_build(arm_and_table(robot));
  EXPECT_TRUE(tests_pair(strict, "arm/base", "arm/lower"));
  ASSERT_NE(exclusion(strict, "arm/base", "arm/upper"), nullptr);
  EXPECT_EQ(exclusion(strict, "arm/base", "arm/upper")->reason, ExclusionReason::srdf_default);

  SceneBuilder builder = arm_and_table(robot);
  builder.trust_srdf_never(true);
  const Scene trusting = must_build(std::move(builder));
  ASSERT_NE(exclusion(trusting, "arm/base", "arm/lower"), nullptr);
  EXPECT_EQ(exclusion(trusting, "arm/base", "arm/lower")->reason, ExclusionReason::srdf_never);
  EXPECT_FALSE(strict.hash() == trusting.hash());
}

TEST(Scene, UnknownSrdfReasonIsTestedAndReported) {
  Robot robot = arm();
  robot.disabled_pairs = {{"base", "lower", "BecauseISaySo"}};
  const Scene scene = must_build(arm_and_table(robot));
  EXPECT_TRUE(tests_pair(scene, "arm/base", "arm/lower"));
  ASSERT_EQ(scene.warnings().size(), 1u);
  EXPECT_NE(scene.warnings()[0].find("BecauseISaySo"), std::string::npos);
}

TEST(Scene, AttachedObjectMovesWithItsLinkAndMayTouch) {
  SceneBuilder builder = arm_and_table();
  ASSERT_TRUE(
      builder.attach("part", "arm/lower", box(0.05), Pose::translation({0, 0, 0.1}), {"arm/upper"})
          .ok());
  const Scene scene = must_build(std::move(builder));
  EXPECT_TRUE(tests_pair(scene, "part", "table"));
  EXPECT_TRUE(tests_pair(scene, "part", "arm/plate"));
  EXPECT_EQ(exclusion(scene, "part", "arm/lower")->reason, ExclusionReason::rigid);
  EXPECT_EQ(exclusion(scene, "part", "arm/upper")->reason, ExclusionReason::touch);
  EXPECT_EQ(scene.body(scene.find_body("part")).link, scene.tree().find_link("arm/lower"));
}

TEST(Scene, PairClearanceIsTheLargest) {
  SceneBuilder builder = arm_and_table();
  ASSERT_TRUE(builder.set_clearance(Clearances::everywhere(0.02)).ok());
  ASSERT_TRUE(builder.set_pair_clearance("table", "arm/lower", 0.1).ok());
  ASSERT_TRUE(builder.set_pair_clearance("table", "arm/upper", 0.001).ok());
  const Scene scene = must_build(std::move(builder));
  for (const BodyPair& pair : scene.pairs()) {
    const bool lower_table =
        scene.body(pair.a).name == "arm/lower" && scene.body(pair.b).name == "table";
    EXPECT_EQ(pair.clearance, lower_table ? 0.1 : 0.02);
  }
}

TEST(Scene, ErrorsNameWhatIsWrong) {
  SceneBuilder builder = arm_and_table();
  EXPECT_FALSE(builder.add_obstacle("table", box(1), Pose{}).ok());
  const auto excluded = builder.exclude("arm/uper", "table", "");
  ASSERT_FALSE(excluded.ok());
  EXPECT_NE(excluded.error().message.find("arm/uper"), std::string::npos);
  EXPECT_FALSE(builder.set_clearance(-1).ok());
  EXPECT_FALSE(builder.set_clearance(std::nan("")).ok());
  EXPECT_FALSE(builder.set_pair_clearance("arm/upper", "table", std::nan("")).ok());
  EXPECT_FALSE(builder.attach("x", "arm/hand", box(1), Pose{}, {}).ok());
  SceneBuilder with_home = arm_and_table();
  ASSERT_TRUE(with_home.set_home("arm/j9", 1).ok());
  const auto built = std::move(with_home).build();
  ASSERT_FALSE(built.ok());
  EXPECT_NE(built.error().message.find("arm/j9"), std::string::npos);
}

TEST(Scene, BadGeometryNamesItsBody) {
  SceneBuilder builder = arm_and_table();
  ASSERT_TRUE(builder.add_obstacle("hole", {}, Pose{}).ok());
  const auto built = std::move(builder).build();
  ASSERT_FALSE(built.ok());
  EXPECT_NE(built.error().message.find("hole"), std::string::npos);
}

TEST(Scene, HashDependsOnContentsOnly) {
  const Scene a = must_build(arm_and_table()), b = must_build(arm_and_table());
  EXPECT_EQ(a.hash(), b.hash());
  Robot moved = arm();
  moved.joints[1].X_PJ.p.z += 1e-12;
  EXPECT_FALSE(a.hash() == must_build(arm_and_table(moved)).hash());
  SceneBuilder excluded = arm_and_table();
  ASSERT_TRUE(excluded.exclude("arm/lower", "table", "").ok());
  EXPECT_FALSE(a.hash() == must_build(std::move(excluded)).hash());
}

// Pairs said to be out of each other's reach must be apart at every sampled configuration, and the
// claim must be made for some pairs and not for others.
TEST(Scene, PairsThatNeverMeetStayApart) {
  SceneBuilder builder;
  Robot robot = arm();
  robot.joints[1].type = JointType::prismatic;
  ASSERT_TRUE(builder.add_robot(robot, "arm", Pose{}).ok());
  for (const double x : {0.5, 1.5, 2.0, 2.5, 3.0, 4.0})
    ASSERT_TRUE(
        builder.add_obstacle("post" + std::to_string(x), box(0.2), Pose::translation({x, 0, 1}))
            .ok());
  const Scene scene = must_build(std::move(builder));
  const auto ranges = coordinate_ranges(scene.tree(), {});
  const std::vector<int> apart = scene.pairs_that_never_meet(ranges);
  EXPECT_FALSE(apart.empty());
  EXPECT_LT(apart.size(), scene.pairs().size());
  Random random(5);
  LinkPoses poses;
  DistanceScratch workspace;
  for (int i = 0; i < 500; ++i) {
    std::vector<double> q;
    for (const Interval& range : ranges) q.push_back(random.uniform(range.lower, range.upper));
    compute_poses(scene.tree(), q, poses);
    for (const int index : apart) {
      const BodyPair& pair = scene.pairs()[static_cast<std::size_t>(index)];
      const Body& a = scene.body(pair.a);
      const Body& b = scene.body(pair.b);
      const Pose X_WA = poses.X_WL[static_cast<std::size_t>(a.link)] * a.X_LB;
      const Pose X_WB = poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB;
      EXPECT_GT(greedy_distance(*a.geometry, *b.geometry, relative_pose(X_WA, X_WB), 0, workspace),
                0);
    }
  }
  // A path beyond the limits widens the ranges, and a pair may then meet.
  std::vector<std::vector<double>> far_path = {std::vector<double>(ranges.size(), 0)};
  far_path[0][0] = 100;
  EXPECT_LT(scene.pairs_that_never_meet(coordinate_ranges(scene.tree(), far_path)).size(),
            apart.size());
}

// Two arms, one of which holds something, and a table: a number is about world and other robots.
TEST(Scene, ClearancesGoByClass) {
  const auto robot = [](const std::string& name) {
    Robot r;
    r.name = name;
    for (const char* link : {"base", "upper", "lower", "tool"})
      r.links.push_back({link, {{Box{{0.1, 0.1, 0.1}}, Pose{}, ""}}, false, nullptr});
    for (int i = 0; i < 3; ++i) {
      RobotJoint joint;
      joint.name = "j" + std::to_string(i);
      joint.type = JointType::revolute;
      joint.parent_link = r.links[static_cast<std::size_t>(i)].name;
      joint.child_link = r.links[static_cast<std::size_t>(i) + 1].name;
      joint.limits = {-1, 1, 1, 1};
      r.joints.push_back(joint);
    }
    return r;
  };
  SceneSource source;
  source.robots.push_back({"a", robot("a"), Pose{}});
  source.robots.push_back({"b", robot("b"), Pose::translation({2, 0, 0})});
  source.obstacles.push_back(
      {"table", {{Box{{1, 1, 0.1}}, Pose{}, ""}}, Pose::translation({0, 0, -1})});
  source.attached.push_back(
      {"part", "a/tool", {{Box{{0.01, 0.01, 0.01}}, Pose{}, ""}}, Pose{}, {}});
  source.clearances.push_back({"a/base", "a/tool", 0.003});
  const auto clearance_of = [&](const std::string& x, const std::string& y) {
    const auto scene = build_scene(source);
    const int a = scene.value().find_body(x), b = scene.value().find_body(y);
    for (const BodyPair& pair : scene.value().pairs())
      if (pair.a == std::min(a, b) && pair.b == std::max(a, b)) return pair.clearance;
    ADD_FAILURE() << x << " and " << y << " are not tested";
    return -1.0;
  };
  source.clearance = 0.01;
  EXPECT_EQ(clearance_of("a/tool", "table"), 0.01);
  EXPECT_EQ(clearance_of("part", "table"), 0.01);
  EXPECT_EQ(clearance_of("a/tool", "b/tool"), 0.01);
  EXPECT_EQ(clearance_of("part", "b/base"), 0.01);
  EXPECT_EQ(clearance_of("a/base", "a/lower"), 0);
  EXPECT_EQ(clearance_of("a/base", "a/tool"), 0.003);
  EXPECT_EQ(clearance_of("part", "a/base"), 0);
  source.clearance = {0.1, 0.2, 0.3, 0.4};
  EXPECT_EQ(clearance_of("part", "table"), 0.1);
  EXPECT_EQ(clearance_of("part", "b/base"), 0.2);
  EXPECT_EQ(clearance_of("a/base", "a/tool"), 0.3);
  EXPECT_EQ(clearance_of("part", "a/lower"), 0.4);
}

// What a verdict says of sensed bodies: what their reader wrote down, or what they are; after edits
// as well, and of held ones too. Other bodies are not named.
TEST(Scene, SaysWhatSensedBodiesAre) {
  const auto cloud = std::make_shared<const PointCloud>(PointCloud{{{3, 0, 0}, {3, 0, 1}}, 0.25});
  VoxelSet one;
  one.size = 0.5;
  one.cells.push_back({9, 0, 0});
  const auto cells = std::make_shared<const VoxelSet>(std::move(one));
  SceneSource source;
  source.obstacles = {{"read", {{cloud, {}, "scan.pcd: 2 points, radius 0.25 m, unknown"}}, {}},
                      {"crate", box(0.1), Pose::translation({9, 9, 9})},
                      {"made", {{cells, {}, ""}}, {}}};
  const Scene scene = build_scene(source).value();
  const auto said = [](const Scene& s) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [name, statement] : sensed_bodies(s)) all.emplace_back(name, statement);
    return all;
  };
  using Said = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(said(scene), (Said{{"read", "scan.pcd: 2 points, radius 0.25 m, unknown"},
                               {"made", "1 cells of 0.5 m"}}));
  const Scene edited =
      scene.without("made").value().with_obstacle({"new", {{cloud, {}, ""}}, {}}).value();
  EXPECT_EQ(said(edited), (Said{{"read", "scan.pcd: 2 points, radius 0.25 m, unknown"},
                                {"new", "2 points, radius 0.25 m"}}));
}

}  // namespace
}  // namespace proven
