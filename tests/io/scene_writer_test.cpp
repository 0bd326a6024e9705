#include "proven/io/scene_writer.h"

#include "io_support.h"
#include "proven/base/random.h"
#include "proven/io/scene_file.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

Pose random_pose(Random& random) {
  return {random.rotation(), random.uniform(0, 3) * random.unit_vector()};
}

std::shared_ptr<const TriangleMesh> random_mesh(Random& random) {
  TriangleMesh mesh;
  for (int i = 0; i < 12; ++i)
    mesh.vertices.push_back(random.uniform(0.1, 1) * random.unit_vector());
  for (std::uint32_t i = 0; i + 2 < 12; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  return std::make_shared<TriangleMesh>(std::move(mesh));
}

std::vector<CollisionElement> random_elements(Random& random) {
  ConvexHull hull;
  for (int i = 0; i < 8; ++i) hull.points.push_back(random.uniform(0.1, 1) * random.unit_vector());
  const double a = random.uniform(0.01, 1), b = random.uniform(0.01, 1);
  std::vector<Shape> shapes = {Box{{a, b, 0.3}},
                               Sphere{a},
                               Cylinder{a, b},
                               Capsule{b, a},
                               std::make_shared<const ConvexHull>(hull),
                               random_mesh(random)};
  std::vector<CollisionElement> elements;
  const int count = 1 + random.index(3);
  for (int i = 0; i < count; ++i)
    elements.push_back({shapes[static_cast<std::size_t>(random.index(6))],
                        random.index(2) ? random_pose(random) : Pose{}, ""});
  return elements;
}

Robot random_robot(Random& random) {
  Robot robot;
  robot.name = "robot & <friends>";
  const JointType types[] = {JointType::revolute, JointType::continuous, JointType::prismatic,
                             JointType::fixed,    JointType::planar,     JointType::floating};
  for (int i = 0; i < 7; ++i) {
    RobotLink link;
    link.name = "link " + std::to_string(i);
    link.collision = random_elements(random);
    robot.links.push_back(std::move(link));
    if (i == 0) continue;
    RobotJoint joint;
    joint.name = "joint " + std::to_string(i);
    joint.type = types[i - 1];
    joint.parent_link = "link " + std::to_string(random.index(i));
    joint.child_link = "link " + std::to_string(i);
    joint.X_PJ = random_pose(random);
    joint.axis = random.uniform(0.5, 2) * random.unit_vector();
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic)
      joint.limits = {random.uniform(-2, 0), random.uniform(0, 2), 1.5, 2.5};
    if (joint.type == JointType::continuous)
      joint.mimic = Mimic{"joint 1", random.uniform(-2, 2), random.uniform()};
    robot.joints.push_back(std::move(joint));
  }
  robot.disabled_pairs = {{"link 0", "link 3", "User"}, {"link 1", "link 4", "Never"}};
  robot.groups = {{"arm", {"joint 1", "joint 3"}}};
  robot.end_effectors = {{"hand", "link 6", "arm"}};
  return robot;
}

SceneSource random_scene(Random& random) {
  SceneSource scene;
  for (const char* name : {"left", "right arm"})
    scene.robots.push_back({name, random_robot(random), random_pose(random)});
  for (const char* name : {"a", "b \"quoted\"", "ü"})
    scene.obstacles.push_back({name, random_elements(random), random_pose(random)});
  scene.attached.push_back(
      {"tool", "left/link 2", random_elements(random), random_pose(random), {"left/link 1", "a"}});
  scene.clearance = {random.uniform(0, 0.1), random.uniform(), random.uniform(), 0.5};
  scene.exclusions = {{"left/link 1", "a", "because"}, {"left/link 2", "right arm/link 3", ""}};
  scene.clearances = {{"left/link 5", "ü", random.uniform()}};
  scene.home = {{"left/joint 1", -random.uniform()}, {"right arm/joint 5.x", random.uniform()}};
  return scene;
}

TEST(SceneWriter, WhatIsWrittenReadsBackWithTheSameHash) {
  Random random(11);
  for (int i = 0; i < cases(20); ++i) {
    const TemporaryFolder folder;
    const SceneSource source = random_scene(random);
    const Scene scene = must(build_scene(source));
    must(save_scene(source, folder.path()));
    const Scene back = must(load_scene(folder.path() / "scene.json"));
    EXPECT_EQ(back.hash(), scene.hash());
    EXPECT_TRUE(std::ranges::equal(back.home(), scene.home()));
    EXPECT_EQ(back.groups().size(), scene.groups().size());
    EXPECT_EQ(back.excluded_pairs().size(), scene.excluded_pairs().size());
  }
}

TEST(SceneWriter, AChangedNumberChangesTheHash) {
  Random random(12);
  const TemporaryFolder folder;
  SceneSource source = random_scene(random);
  must(save_scene(source, folder.path()));
  double& x = source.robots[1].robot.joints[2].X_PJ.p.x;
  x = std::nextafter(x, 10);
  EXPECT_NE(must(load_scene(folder.path() / "scene.json")).hash(),
            must(build_scene(source)).hash());
}

TEST(SceneWriter, SharedMeshesAreWrittenOnce) {
  Random random(13);
  const TemporaryFolder folder;
  SceneSource source;
  const auto mesh = random_mesh(random);
  source.obstacles = {{"a", {{mesh, {}, ""}}, {}}, {"b", {{mesh, {}, ""}}, {}}};
  must(save_scene(source, folder.path()));
  const auto files = std::filesystem::directory_iterator(folder.path() / "meshes");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(SceneWriter, RefusesWhatUrdfCannotSay) {
  const TemporaryFolder folder;
  SceneSource source;
  Robot robot = must(load_urdf(bad_input_dir() / "ok/arm.urdf"));
  robot.joints[1].limits = JointLimits{};
  source.robots.push_back({"arm", robot, {}});
  EXPECT_NE(error_text(save_scene(source, folder.path())).find("the limits of joint 'slide'"),
            std::string::npos);
}

}  // namespace
}  // namespace proven::test
