// What the verifier derives from plain data agrees with what the scene layer derives from it:
// coordinates, bodies, pairs, reasons, clearances and poses, for built-in scenes and real robots.
#include "verify/model.h"

#include "certify/random_scenes.h"
#include "proven/io/scene_file.h"
#include "scenes/scenes.h"
#include "support.h"
#include "verify/motion.h"

namespace proven::test {
namespace {

void expect_same_pairs(const Scene& scene, const verifier::Model& model) {
  ASSERT_EQ(scene.bodies().size(), model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    EXPECT_EQ(scene.bodies()[i].name, model.bodies[i].name);
    EXPECT_EQ(scene.bodies()[i].geometry->num_pieces(),
              static_cast<int>(model.bodies[i].pieces.size()));
  }
  ASSERT_EQ(scene.pairs().size(), model.pairs.size());
  for (std::size_t i = 0; i < model.pairs.size(); ++i) {
    EXPECT_EQ(scene.pairs()[i].a, model.pairs[i].a);
    EXPECT_EQ(scene.pairs()[i].b, model.pairs[i].b);
    EXPECT_EQ(scene.pairs()[i].clearance, model.pairs[i].clearance);
    EXPECT_EQ(scene.pairs()[i].kind, model.pairs[i].kind);
  }
  ASSERT_EQ(scene.excluded_pairs().size(), model.excluded.size());
  for (std::size_t i = 0; i < model.excluded.size(); ++i) {
    EXPECT_EQ(scene.excluded_pairs()[i].a, model.excluded[i].a);
    EXPECT_EQ(scene.excluded_pairs()[i].b, model.excluded[i].b);
    EXPECT_EQ(static_cast<int>(scene.excluded_pairs()[i].reason),
              static_cast<int>(model.excluded[i].reason));
  }
}

// Poses in doubles lie within 1e-11 of the enclosures, which are narrower than that.
void expect_same_poses(const Scene& scene, const verifier::Model& model, Random& random) {
  ASSERT_EQ(scene.tree().num_coordinates(), model.num_coordinates);
  const auto segment = random_segment(scene.tree(), random, 1);
  verifier::SegmentMotion<verifier::Interval> motion(model, {segment[0], segment[1]}, {});
  LinkPoses poses;
  std::vector<double> q(segment[0].size());
  for (const double t : {0.0, 0.375, 1.0}) {
    interpolate(scene.tree(), segment[0], segment[1], t, q);
    compute_poses(scene.tree(), q, poses);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& body = scene.bodies()[i];
      const Pose X = poses.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB;
      const auto found = motion.pose(t, static_cast<int>(i));
      for (int r = 0; r < 3; ++r) {
        EXPECT_NEAR(approximate(found.position())[r], X.p[r], 1e-11) << body.name;
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(found.R.M(r, c), X.R(r, c), 1e-11) << body.name;
      }
      EXPECT_LT(found.eps, 1e-11);
    }
  }
}

void expect_same(const SceneSource& source, Random& random, bool trust_never = false) {
  const auto scene = build_scene(source, trust_never);
  ASSERT_TRUE(scene.ok()) << scene.error().text();
  VerifyOptions options;
  options.trust_srdf_never = trust_never;
  const verifier::Model model = verifier::build_model(source, options);
  expect_same_pairs(scene.value(), model);
  for (int i = 0; i < cases(5); ++i) expect_same_poses(scene.value(), model, random);
}

TEST(ModelTest, BuiltInScenes) {
  Random random(1);
  for (const SceneInfo& info : list_scenes()) {
    SCOPED_TRACE(info.name);
    if (info.robot_triangles + info.obstacle_triangles > cases(50000)) continue;
    expect_same(make_scene(info.name).value(), random);
  }
}

TEST(ModelTest, RealRobots) {
  PROVEN_REQUIRE_DATA("robots");
  Random random(2);
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    const auto source = load_scene_source(entry.path());
    if (!source.ok()) continue;
    std::size_t triangles = 0;
    for (const RobotLink& link : source.value().robots[0].robot.links)
      for (const CollisionElement& element : link.collision)
        if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape))
          triangles += (*mesh)->triangles.size();
    if (triangles > 60000) continue;
    SCOPED_TRACE(entry.path().string());
    expect_same(source.value(), random);
    if (++seen == cases(12)) break;
  }
  EXPECT_GT(seen, 0);
}

// Every reason, and the order in which they count.
TEST(ModelTest, ReasonsAndClearances) {
  Random random(3);
  SceneSource source = random_scene(random, {.links = 6, .obstacles = 3});
  Robot& robot = source.robots[0].robot;
  for (RobotJoint& joint : robot.joints) joint.mimic.reset(), joint.type = JointType::continuous;
  robot.joints[3].type = JointType::fixed;
  robot.joints[4].mimic = Mimic{"j1", 0.0, 0.3};
  robot.disabled_pairs = {{"l1", "l2", "Default"}, {"l1", "l3", "Adjacent"}, {"l1", "l4", "User"},
                          {"l1", "l5", "Never"},   {"l1", "l6", "Default"},  {"l2", "l6", "Never"}};
  source.attached.push_back({"held", "arm/l6", {{Sphere{0.05}, {}, ""}}, {}, {"o1", "arm/l2"}});
  source.exclusions = {{"o0", "arm/l1", ""}, {"arm/l2", "arm/l6", ""}, {"held", "o1", ""}};
  source.clearances = {{"o2", "arm/l6", 0.01}, {"o2", "held", 0.02}, {"o2", "held", 0.03}};
  source.robots.push_back(source.robots[0]);
  source.robots[1].name = "second";
  for (const Clearances& clearance : {Clearances(0), Clearances(0.015), Clearances(1, 2, 3, 4)}) {
    source.clearance = clearance;
    expect_same(source, random);
    expect_same(source, random, true);
  }
}

TEST(ModelTest, PlanarAndMimicJoints) {
  Random random(4);
  for (int i = 0; i < cases(100); ++i) {
    SceneSource source = random_scene(random, {.links = 5, .obstacles = 1});
    Robot& robot = source.robots[0].robot;
    robot.joints[0].type = JointType::planar;
    robot.joints[0].mimic.reset();
    if (i % 3 == 0) robot.joints[0].axis = {0, 0, 1};
    if (i % 3 == 1) robot.joints[0].axis = {1, 1, -1};
    robot.joints[2].type = JointType::revolute;
    robot.joints[2].mimic.reset();
    robot.joints[3].type = JointType::revolute;
    robot.joints[3].mimic = Mimic{"j5", -0.5, 0.1};
    robot.joints[4].type = JointType::revolute;
    robot.joints[4].mimic = Mimic{"j3", 2, -0.2};  // j4 follows j5, which follows j3
    expect_same(source, random);
  }
}

}  // namespace
}  // namespace proven::test
