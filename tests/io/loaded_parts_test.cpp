// Scenes that are loaded one after the other with what they share are those that are loaded alone.
#include "proven/io/loaded_parts.h"

#include "io_support.h"
#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/io/scene_writer.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

// A robot of two links with meshes; the second moves.
Robot robot_of_meshes(std::uint64_t seed) {
  Random random(seed);
  Robot robot;
  robot.name = "robot";
  for (int i = 0; i < 2; ++i) {
    TriangleMesh mesh;
    for (int k = 0; k < 12; ++k)
      mesh.vertices.push_back(random.uniform(0.1, 0.5) * random.unit_vector());
    for (std::uint32_t k = 0; k + 2 < 12; ++k) mesh.triangles.push_back({k, k + 1, k + 2});
    RobotLink link;
    link.name = "link" + std::to_string(i);
    link.collision.push_back({std::make_shared<const TriangleMesh>(std::move(mesh)), Pose{}, ""});
    robot.links.push_back(std::move(link));
  }
  RobotJoint joint;
  joint.name = "joint";
  joint.type = JointType::continuous;
  joint.parent_link = "link0";
  joint.child_link = "link1";
  joint.axis = {0, 0, 1};
  robot.joints.push_back(joint);
  return robot;
}

class LoadedPartsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_parts_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write_robot(std::uint64_t seed) const {
    SceneSource source;
    source.robots.push_back({"robot", robot_of_meshes(seed), Pose{}});
    ASSERT_TRUE(save_scene(source, folder_ / "robot").ok());
  }
  // A scene that refers to the robot, with a box of its own.
  fs::path write_scene(const std::string& name, double x) const {
    SceneSource source;
    source.robots.push_back({"robot", robot_of_meshes(1), Pose{}});
    ObstacleSource box;
    box.name = "box";
    box.elements.push_back({Box{{0.1, 0.1, 0.1}}, Pose{}, ""});
    box.X_WB.p.x = x;
    source.obstacles.push_back(box);
    EXPECT_TRUE(save_scene(source, folder_ / name, "../robot").ok());
    return folder_ / name / "scene.json";
  }

  fs::path folder_;
};

const BodyGeometry* geometry_of(const Scene& scene, const std::string& body) {
  return scene.body(scene.find_body(body)).geometry.get();
}

TEST_F(LoadedPartsTest, TheNextSceneTakesTheRobotOfTheLast) {
  write_robot(1);
  LoadedParts parts;
  const auto a = load_scene(write_scene("a", 1), {}, parts);
  const auto b = load_scene(write_scene("b", 2), {}, parts);
  ASSERT_TRUE(a.ok() && b.ok());
  for (const char* link : {"robot/link0", "robot/link1"})
    EXPECT_EQ(geometry_of(a.value(), link), geometry_of(b.value(), link));
  EXPECT_NE(geometry_of(a.value(), "robot/link0"), geometry_of(a.value(), "robot/link1"));
  EXPECT_NE(geometry_of(a.value(), "box"), geometry_of(b.value(), "box"));
  EXPECT_NE(a.value().hash(), b.value().hash());
  EXPECT_EQ(a.value().hash(), load_scene(folder_ / "a" / "scene.json").value().hash());
  EXPECT_EQ(b.value().hash(), load_scene(folder_ / "b" / "scene.json").value().hash());
}

TEST_F(LoadedPartsTest, AMeshThatWasWrittenAnewIsReadAgain) {
  write_robot(1);
  const fs::path scene = write_scene("a", 1);
  LoadedParts parts;
  const auto before = load_scene(scene, {}, parts);
  write_robot(2);
  const auto after = load_scene(scene, {}, parts);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_NE(before.value().hash(), after.value().hash());
  EXPECT_EQ(after.value().hash(), load_scene(scene).value().hash());
}

}  // namespace
}  // namespace proven::test
