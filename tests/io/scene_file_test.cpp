#include "proven/io/scene_file.h"

#include <algorithm>

#include "io_support.h"

namespace proven::test {
namespace {

class SceneFile : public ::testing::Test {
 protected:
  SceneFile() {
    std::filesystem::copy(bad_input_dir() / "ok", folder_.path(),
                          std::filesystem::copy_options::recursive);
  }
  TemporaryFolder folder_;
};

constexpr std::string_view kScene = R"({
  "proven": 1,
  "robots": [{"name": "arm", "urdf": "arm.urdf", "pose": {"xyz": [0, 0, 1], "rpy": [0, 0, 3]}}],
  "obstacles": [
    {"name": "table", "box": [1.2, 0.8, 0.05], "pose": {"xyz": [0.6, 0, 0.4]}},
    {"name": "pillar", "cylinder": {"radius": 0.1, "length": 2.0}, "pose": {"xyz": [1, 1, 1]}},
    {"name": "ball", "sphere": 0.2, "pose": {"xyz": [0, 1, 1], "quaternion": [0, 0, 1, 0]}},
    {"name": "pill", "capsule": {"radius": 0.1, "length": 0.3}},
    {"name": "plate", "mesh": "triangle.stl", "scale": 0.5},
    {"name": "wedge", "hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
    {"name": "both", "parts": [{"sphere": 0.1}, {"box": [1, 1, 1], "pose": {"xyz": [3, 0, 0]}}]}
  ],
  "attached": [{"name": "tool", "link": "arm/slider", "sphere": 0.05, "touch": ["arm/upper"]}],
  "clearance": 0.01,
  "pairs": {"exclude": [["arm/base", "table", "bolted down"]],
            "clearance": [["arm/upper", "ball", 0.02]]},
  "home": {"arm/slide": 0.1}
}
)";

TEST_F(SceneFile, ReadsEverythingTheFormatHas) {
  const SceneSource source = must(load_scene_source(folder_.write("s.json", kScene)));
  ASSERT_EQ(source.robots.size(), 1u);
  EXPECT_EQ(source.robots[0].X_WR.p, (Vec3{0, 0, 1}));
  ASSERT_EQ(source.obstacles.size(), 7u);
  EXPECT_EQ(std::get<Box>(source.obstacles[0].elements[0].shape).half_extents,
            (Vec3{0.6, 0.4, 0.025}));
  EXPECT_EQ(std::get<Cylinder>(source.obstacles[1].elements[0].shape).half_length, 1);
  EXPECT_EQ(source.obstacles[2].X_WB.R(0, 0), -1);
  EXPECT_EQ(source.obstacles[6].elements.size(), 2u);
  EXPECT_EQ(source.home.at("arm/slide"), 0.1);

  const Scene scene = must(load_scene(folder_.path() / "s.json"));
  EXPECT_EQ(scene.clearance(), Clearances(0.01));
  EXPECT_EQ(scene.home()[1], 0.1);
  EXPECT_GE(scene.find_body("tool"), 0);
  const auto excluded =
      std::find_if(scene.excluded_pairs().begin(), scene.excluded_pairs().end(),
                   [](const ExcludedPair& pair) { return pair.reason == ExclusionReason::touch; });
  EXPECT_NE(excluded, scene.excluded_pairs().end());
  const int upper = scene.find_body("arm/upper"), ball = scene.find_body("ball");
  const auto pair =
      std::find_if(scene.pairs().begin(), scene.pairs().end(), [&](const BodyPair& candidate) {
        return std::minmax(candidate.a, candidate.b) == std::minmax(upper, ball);
      });
  ASSERT_NE(pair, scene.pairs().end());
  EXPECT_EQ(pair->clearance, 0.02);
}

TEST_F(SceneFile, AUrdfAloneIsASceneAndDoesNotTakeItsSrdf) {
  folder_.write("arm.srdf",
                "<robot name=\"arm\"><disable_collisions link1=\"base\" link2=\"slider\" "
                "reason=\"User\"/></robot>");
  const Scene scene = must(load_scene(folder_.path() / "arm.urdf"));
  EXPECT_GE(scene.find_body("arm/upper"), 0);
  for (const ExcludedPair& pair : scene.excluded_pairs())
    EXPECT_NE(pair.reason, ExclusionReason::srdf_user);
  ASSERT_EQ(scene.warnings().size(), 1u);
  EXPECT_NE(scene.warnings()[0].find("arm.srdf beside it is not used"), std::string::npos);
}

TEST_F(SceneFile, SrdfPairsExcludeButNeverDoesNot) {
  folder_.write("arm.srdf",
                "<robot name=\"arm\"><disable_collisions link1=\"base\" link2=\"slider\" "
                "reason=\"User\"/><disable_collisions link1=\"base\" link2=\"finger\" "
                "reason=\"Never\"/></robot>");
  const auto file = folder_.write(
      "s.json",
      R"({"proven": 1, "robots": [{"name": "a", "urdf": "arm.urdf", "srdf": "arm.srdf"}]})");
  SceneOptions trusting;
  trusting.trust_srdf_never = true;
  const Scene scene = must(load_scene(file)), trusted = must(load_scene(file, trusting));
  EXPECT_EQ(scene.pairs().size(), trusted.pairs().size() + 1);
  EXPECT_NE(scene.hash(), trusted.hash());
}

TEST_F(SceneFile, VirtualJointsMoveTheBaseWhenTheSceneAsks) {
  folder_.write("arm.srdf",
                "<robot name=\"arm\"><virtual_joint name=\"drive\" type=\"planar\" "
                "parent_frame=\"odom\" child_link=\"base\"/></robot>");
  const auto file = folder_.write("s.json", R"({"proven": 1, "robots": [
      {"name": "a", "urdf": "arm.urdf", "srdf": "arm.srdf", "virtual_joints": true}]})");
  const Scene scene = must(load_scene(file));
  EXPECT_GE(scene.tree().find_coordinate("a/drive.angle"), 0);
  EXPECT_EQ(scene.tree().num_coordinates(), 5);
}

TEST_F(SceneFile, ScenesRelateToTheirOwnFolder) {
  folder_.write("deep/er/s.json", R"({"proven": 1,
    "robots": [{"name": "arm", "urdf": "../../arm.urdf"}],
    "obstacles": [{"name": "plate", "mesh": "../../triangle.stl", "scale": [1, -1, 2]}]})");
  EXPECT_EQ(error_text(load_scene(folder_.path() / "deep/er/s.json")), "no error");
}

constexpr std::string_view kPlanningScene = R"(robot_model_name: arm
robot_state:
  joint_state: {name: [shoulder, finger_joint], position: [0.5, 0.01]}
  multi_dof_joint_state:
    joint_names: [virtual_joint]
    transforms: [{translation: [0, 0, 2], rotation: [0, 0, 0, 1]}]
allowed_collision_matrix:
  entry_names: [base, slider, thing, ghost_link]
  entry_values:
    - [false, true, true, true]
    - [true, false, false, false]
    - [true, false, false, false]
    - [true, false, false, false]
world:
  collision_objects:
    - id: thing
      pose: {position: [0, 0, 5], orientation: [0, 0, 0, 1]}
      primitives:
        - {type: box, dimensions: [1, 2, 3]}
        - {type: sphere, dimensions: [0.5]}
        - {type: cylinder, dimensions: [4, 0.5]}
      primitive_poses:
        - {position: {x: 1, y: 0, z: 0}, orientation: [0, 0, 0, 1]}
        - {position: [2, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [3, 0, 0], orientation: [0, 0, 0, 1]}
)";

TEST_F(SceneFile, ReadsPlanningScenes) {
  const auto file = folder_.write("scenes/a/scene.yaml", kPlanningScene);
  const SceneSource source = must(load_scene_source(file));
  ASSERT_EQ(source.obstacles.size(), 1u);
  EXPECT_EQ(source.obstacles[0].X_WB.p, (Vec3{0, 0, 5}));
  ASSERT_EQ(source.obstacles[0].elements.size(), 3u);
  EXPECT_EQ(std::get<Cylinder>(source.obstacles[0].elements[2].shape).half_length, 2);
  EXPECT_EQ(source.robots[0].X_WR.p, (Vec3{0, 0, 2}));
  EXPECT_EQ(source.home, (std::map<std::string, double>{{"arm/shoulder", 0.5}}));
  ASSERT_EQ(source.exclusions.size(), 2u);
  EXPECT_EQ(source.exclusions[1].body_b, "thing");
  EXPECT_EQ(source.exclusions[1].note, "allowed collision matrix");
  const Scene scene = must(load_scene(file));
  EXPECT_EQ(scene.warnings().size(), 1u);  // the link that is not there
}

TEST_F(SceneFile, PlanningSceneTakesTheRobotThatIsNamed) {
  const auto file = folder_.write("scene.yaml", "robot_model_name: something_else\n");
  SceneOptions options;
  EXPECT_FALSE(load_scene(file, options).ok());
  options.robot = folder_.path() / "arm.urdf";
  EXPECT_EQ(error_text(load_scene(file, options)), "no error");
}

}  // namespace
}  // namespace proven::test
