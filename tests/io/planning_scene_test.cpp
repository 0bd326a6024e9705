// Planning scenes: every frame, what is held, padding, the matrix; and what is refused.
#include <cmath>

#include "io_support.h"
#include "proven/io/scene_file.h"

namespace proven::test {
namespace {

constexpr const char* kUrdf = R"(<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link>
<link name="turret"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
<link name="rod"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="turret"/><origin xyz="0 0 1"/>
<axis xyz="0 0 1"/></joint>
<joint name="reach" type="prismatic"><parent link="turret"/><child link="rod"/><axis xyz="1 0 0"/>
<limit lower="0" upper="2"/></joint>
</robot>)";

constexpr const char* kSrdf = R"(<robot name="arm">
<virtual_joint name="drive" type="planar" parent_frame="odom" child_link="base"/>
<disable_collisions link1="base" link2="rod" reason="Never"/></robot>)";

class PlanningScene : public testing::Test {
 protected:
  PlanningScene() {
    folder_.write("arm.urdf", kUrdf);
    folder_.write("arm.srdf", kSrdf);
  }
  std::filesystem::path write(const std::string& rest) const {
    return folder_.write("s.yaml", "robot_model_name: arm\n" + rest);
  }
  SceneSource read(const std::string& rest) const { return must(load_scene_source(write(rest))); }
  std::string error(const std::string& rest) const { return error_text(load_scene(write(rest))); }

  TemporaryFolder folder_;
};

// The base at (1, 2), turned by 90 degrees about z; the turret turned by 90 more, the rod out by
// 0.5.
constexpr const char* kState = R"(
robot_state:
  joint_state: {name: [turn, reach], position: [1.5707963267948966, 0.5]}
  multi_dof_joint_state:
    joint_names: [drive]
    transforms: [{translation: [1, 2, 0], rotation: [0, 0, 0.7071067811865476, 0.7071067811865476]}]
)";

std::string object(const std::string& id, const std::string& frame, const std::string& more = "") {
  return "    - id: " + id + "\n      header: {frame_id: " + frame + "}\n" + more +
         "      primitives: [{type: sphere, dimensions: [0.01]}]\n"
         "      primitive_poses: [{position: [1, 0, 0], orientation: [0, 0, 0, 1]}]\n";
}

void expect_at(const SceneSource& scene, const std::string& name, const Vec3& p) {
  for (const ObstacleSource& o : scene.obstacles) {
    if (o.name != name) continue;
    EXPECT_LT(norm(o.X_WB * o.elements[0].X_BS.p - p), 1e-12) << name;
    return;
  }
  ADD_FAILURE() << "no object " << name;
}

TEST_F(PlanningScene, ObjectsStandInTheirFrames) {
  const SceneSource scene =
      read(std::string(kState) + R"(
fixed_frame_transforms:
  - header: {frame_id: odom}
    child_frame_id: cell
    transform: {translation: [0, 0, 7], rotation: [0, 0, 1, 0]}
world:
  collision_objects:
)" + object("in_world", "world") +
           object("in_odom", "odom") + object("in_base", "base") + object("in_turret", "turret") +
           object("in_rod", "/rod") +
           object("in_cell", "cell",
                  "      pose: {position: [0, 1, 0], orientation: [0, 0, 0, 1]}\n"
                  "      subframe_names: [tip]\n      subframe_poses: "
                  "[{position: [0, 0, 3], orientation: [0, 0, 1, 0]}]\n") +
           object("in_object", "in_cell") + object("in_subframe", "in_cell/tip"));
  expect_at(scene, "in_world", {1, 0, 0});
  expect_at(scene, "in_odom", {1, 0, 0});
  expect_at(scene, "in_base", {1, 3, 0});    // x of the base is y of the world
  expect_at(scene, "in_turret", {0, 2, 1});  // x of the turret is -x of the world
  expect_at(scene, "in_rod", {-0.5, 2, 1});  // half a metre further
  expect_at(scene, "in_cell", {-1, -1, 7});  // turned by 180 degrees
  expect_at(scene, "in_object", {-1, -1, 7});
  expect_at(scene, "in_subframe", {1, -1, 10});
}

TEST_F(PlanningScene, HeldObjectsAreInTheirLink) {
  const auto held = [](const std::string& frame) {
    return std::string(kState) + R"(  attached_collision_objects:
    - link_name: rod
      touch_links: [turret]
      object:
        id: part
        header: {frame_id: )" +
           frame + R"(}
        primitives: [{type: sphere, dimensions: [0.05]}]
        primitive_poses: [{position: [0, 0, 1], orientation: [0, 0, 0, 1]}]
)";
  };
  const SceneSource own = read(held("rod")), other = read(held("turret"));
  ASSERT_EQ(own.attached.size(), 1u);
  EXPECT_EQ(own.attached[0].link, "arm/rod");
  EXPECT_EQ(own.attached[0].touch, std::vector<std::string>{"arm/turret"});
  EXPECT_EQ(own.attached[0].X_LB, Pose{});
  EXPECT_LT(norm(other.attached[0].X_LB.p - Vec3{-0.5, 0, 0}), 1e-12);
}

TEST_F(PlanningScene, PaddingAndScaleCoverWhatMoveItTests) {
  const std::string world = "world:\n  collision_objects:\n" + object("ball", "world");
  const SceneSource scene = read(
      "link_padding: [{link_name: base, padding: 0.01}, {link_name: turret, padding: 0.01}, "
      "{link_name: rod, padding: 0.01}]\nlink_scale: [{link_name: rod, scale: 1.5}]\n" +
      world);
  ASSERT_EQ(scene.clearances.size(), 3u);
  EXPECT_NEAR(scene.clearances[0].clearance, 0.01 * std::sqrt(3.0), 1e-9);  // a box
  EXPECT_NEAR(scene.clearances[1].clearance, 0.01 * std::sqrt(2.0), 1e-9);  // a cylinder
  EXPECT_NEAR(scene.clearances[2].clearance, 0.05 + 0.01, 1e-9);            // a sphere of 0.1
  EXPECT_EQ(scene.clearances[2].body_b, "ball");
}

TEST_F(PlanningScene, TheMatrixDoesNotExcludeWhatWasOnlyNeverSeen) {
  const std::string world = "world:\n  collision_objects:\n" + object("ball", "world");
  const SceneSource scene = read(
      "allowed_collision_matrix:\n  entry_names: [base, rod, ball]\n"
      "  entry_values: [{enabled: [false, true, true]}, {enabled: [true, false, false]}, "
      "{enabled: [true, false, false]}]\n" +
      world);
  ASSERT_EQ(scene.exclusions.size(), 1u);
  EXPECT_EQ(scene.exclusions[0].body_b, "ball");
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].find("SRDF: Never"), std::string::npos);
  // A default holds for the pairs without an entry.
  const SceneSource defaults = read(
      "allowed_collision_matrix:\n  entry_names: [rod, ball]\n"
      "  entry_values: [[false, false], [false, false]]\n"
      "  default_entry_names: [ball]\n  default_entry_values: [true]\n" +
      world);
  ASSERT_EQ(defaults.exclusions.size(), 2u);
  EXPECT_EQ(defaults.exclusions[0].body_b, "arm/base");
  EXPECT_EQ(defaults.exclusions[1].body_b, "arm/turret");
}

// MoveIt puts the matrix of a scene in the place of the one that it makes of the SRDF.
TEST_F(PlanningScene, TheMatrixDecidesAboutPairsThatTheSrdfDisables) {
  folder_.write("arm.srdf", R"(<robot name="arm">
<disable_collisions link1="base" link2="rod" reason="User"/></robot>)");
  const auto disabled = [&](const std::string& matrix) {
    return read("allowed_collision_matrix: {" + matrix + "}\n")
        .robots[0]
        .robot.disabled_pairs.size();
  };
  const std::string names = "entry_names: [base, rod], entry_values: ";
  EXPECT_EQ(read("is_diff: false\n").robots[0].robot.disabled_pairs.size(), 1u);
  EXPECT_EQ(disabled("entry_names: [], entry_values: []"), 1u);  // none
  EXPECT_EQ(disabled(names + "[[false, true], [true, false]]"), 1u);
  EXPECT_EQ(disabled(names + "[[false, false], [false, false]]"), 0u);
  const std::string yes = ", default_entry_names: [base, rod], default_entry_values: [true, true]";
  EXPECT_EQ(disabled(names + "[[false, false], [false, false]]" + yes), 0u);  // the entry counts
  EXPECT_EQ(disabled(yes.substr(2)), 1u);
  EXPECT_EQ(disabled("default_entry_names: [base, turret, rod], default_entry_values: [true, true, "
                     "true], entry_names: [], entry_values: []"),
            1u);
  // No entry and no default: not allowed.
  EXPECT_EQ(disabled("entry_names: [turret, rod], entry_values: [[true, true], [true, true]]"), 0u);
  const std::string half =
      "entry_names: [base, turret, rod], entry_values: [[false, true, true], "
      "[true, false, true], [true, true, false]]";
  EXPECT_EQ(disabled(half), 1u);
  const SceneSource scene =
      read("allowed_collision_matrix: {" + names + "[[false, false], [false, false]]}\n");
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_NE(scene.warnings[0].find("1 pairs that the SRDF disables are tested"), std::string::npos);
}

TEST_F(PlanningScene, AMatrixThatWantsLinksOfAJointTestedIsRefused) {
  for (const std::string matrix :
       {"entry_names: [base, turret], entry_values: [[false, false], [false, false]]",
        "default_entry_names: [turret], default_entry_values: [false]"}) {
    const std::string text = error("allowed_collision_matrix: {" + matrix + "}\n");
    EXPECT_NE(text.find("'base' and 'turret' tested, which share joint 'turn'"), std::string::npos)
        << text;
  }
}

TEST_F(PlanningScene, RefusesWhatItDoesNotHonour) {
  const std::string world = "world:\n  collision_objects:\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {world + object("a", "rodd"), "there is no frame 'rodd', did you mean 'rod'?"},
      {world + object("a", "b") + object("b", "world"), "there is no frame 'b'"},
      {world + object("a", "world", "      operation: 1\n"), "only operation 0"},
      {world + object("a", "world", "      planes: [{coef: [0, 0, 1, 0]}]\n"), "planes"},
      {world + object("a", "world", "      postion: [0, 0, 1]\n"), "unknown key 'postion'"},
      {"is_diff: true\n", "save the whole scene"},
      {"robot_state: {is_diff: true}\n", "save the whole scene"},
      {"robot_state: {joint_state: {name: [turnn], position: [0]}}\n", "did you mean 'turn'?"},
      {"robot_state: {joint_state: {name: [turn], position: [0, 1]}}\n", "expected a list of 1"},
      {"robot_state: {multi_dof_joint_state: {joint_names: [drivee], transforms: "
       "[{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}]}}\n",
       "did you mean 'drive'?"},
      {"robot_state: {multi_dof_joint_state: {joint_names: [drive], transforms: "
       "[{translation: [0, 0, 1], rotation: [0, 0, 0, 1]}]}}\n",
       "a planar joint moves along x and y"},
      {"robot_state: {multi_dof_joint_state: {header: {frame_id: rod}, joint_names: [drive], "
       "transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}]}}\n",
       "planning frame 'odom'"},
      {"link_padding: [{link_name: rod, padding: -0.1}]\n", "negative padding"},
      {"link_scale: [{link_name: rod, scale: 0.9}]\n", "scale below 1"},
      {"link_scale: [{link_name: rud, scale: 2}]\n", "did you mean 'rod'?"},
      {"allowed_collision_matrix: {entry_names: [base, rod], entry_values: [[false, true], [false, "
       "false]]}\n",
       "not symmetric"},
      {"fixed_frame_transforms: [{child_frame_id: rod, transform: {translation: [9, 0, 0], "
       "rotation: [0, 0, 0, 1]}}]\n",
       "is defined twice"},
  };
  for (const auto& [rest, words] : cases) {
    const std::string text = error(rest);
    EXPECT_NE(text.find(words), std::string::npos) << rest << "\n" << text;
    EXPECT_NE(text.find("s.yaml:"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace proven::test
