// MJCF and SDF as URDF and SRDF, said by hand; against the simulators: tests/mujoco,
// tests/sdformat.
#include "proven/io/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "io/io_support.h"
#include "proven/io/mesh_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

class Convert : public testing::Test {
 protected:
  Robot convert(const std::string& name, const std::string& text) {
    converted_ = must(convert_robot(folder_.write(name, text)));
    Robot robot = must(parse_urdf(converted_.urdf, folder_.path() / "robot.urdf"));
    must(apply_srdf_text(converted_.srdf, folder_.path() / "robot.srdf", robot));
    return robot;
  }
  static const RobotJoint& joint(const Robot& robot, const std::string& name) {
    return *std::ranges::find(robot.joints, name, &RobotJoint::name);
  }
  static std::set<std::string> disabled(const Robot& robot) {
    std::set<std::string> pairs;
    for (const DisabledPair& pair : robot.disabled_pairs)
      pairs.insert(pair.link_a + " " + pair.link_b + " " + pair.reason);
    return pairs;
  }
  // The block of docs/formats.md that follows the line `name`:
  static std::string example(const std::string& name) {
    std::ifstream in(std::filesystem::path(test::source_dir()) / "docs/formats.md");
    std::string line, text;
    while (std::getline(in, line) && line != "`" + name + "`:") continue;
    while (std::getline(in, line) && line != "```xml") continue;
    while (std::getline(in, line) && line != "```") text += line + "\n";
    return text;
  }

  TemporaryFolder folder_;
  Converted converted_;
};

TEST_F(Convert, TheMjcfOfThePage) {
  const Robot robot = convert("arm.xml", example("arm.xml"));
  EXPECT_EQ(robot.name, "arm");
  // The table is fixed to the world, so the upper arm is excluded by the file alone; the elbow
  // turns about a point that is not its body's.
  EXPECT_EQ(joint(robot, "shoulder").child_link, "upper");
  EXPECT_EQ(joint(robot, "elbow").child_link, "lower_elbow");
  EXPECT_EQ(joint(robot, "elbow").type, JointType::continuous);
  EXPECT_EQ(joint(robot, "elbow").X_PJ.p, (Vec3{0.4, 0, 0.1}));
  EXPECT_EQ(joint(robot, "right").mimic->joint, "left");
  EXPECT_EQ(joint(robot, "left").limits.upper, 0.04);
  EXPECT_EQ(disabled(robot), (std::set<std::string>{"upper lower Adjacent"}));
  ASSERT_EQ(robot.states.size(), 2u);
  EXPECT_EQ(robot.states[0].name, "qpos0");
  EXPECT_EQ(robot.states[1].name, "open");
  const std::vector<std::pair<std::string, std::vector<double>>> open = {
      {"shoulder", {0.5}}, {"elbow", {0}}, {"left", {0.04}}};
  EXPECT_EQ(robot.states[1].joints, open);
  const RobotLink& lower = *std::ranges::find(robot.links, "lower", &RobotLink::name);
  EXPECT_EQ(lower.collision.size(), 1u);  // the ball is there for the looks
}

// MuJoCo tests the world against what moves in it; an empty link lets us do so, too.
TEST_F(Convert, TheWorldIsTestedAgainstWhatHangsInIt) {
  const std::string text =
      "<mujoco><worldbody><geom size='1'/><body name='a'><joint name='j'/><geom size='1'/>"
      "<body name='b'><joint name='k'/><geom size='1'/></body></body></worldbody>%</mujoco>";
  const auto with = [&](const std::string& contact) {
    std::string filled = text;
    return filled.replace(filled.find('%'), 1, contact);
  };
  const Robot robot = convert("a.xml", with(""));
  EXPECT_EQ(joint(robot, "j").parent_link, "a_mount");
  EXPECT_EQ(joint(robot, "k").parent_link, "a");
  EXPECT_FALSE(converted_.needs_srdf);
  const Robot excluded =
      convert("a.xml", with("<contact><exclude body1='a' body2='world'/></contact>"));
  EXPECT_EQ(joint(excluded, "j").parent_link, "world");
}

TEST_F(Convert, KeyframesAgreeWithCouplings) {
  const std::string text =
      "<mujoco><worldbody><body><freejoint name='f'/></body><body><joint name='j'/>\n"
      "<joint name='k'/></body></worldbody><equality><joint joint1='k' joint2='j' "
      "polycoef='0.5 2'/></equality>\n<keyframe><key qpos='1 2 3 0 2 0 0 1 "
      "%'/></keyframe></mujoco>";
  const auto with = [&](const std::string& value) {
    std::string filled = text;
    return folder_.write("a.xml", filled.replace(filled.find('%'), 1, value));
  };
  EXPECT_NE(error_text(convert_robot(with("2"))).find("a.xml:3: 'qpos' puts joint 'k' at 2"),
            std::string::npos);
  converted_ = must(convert_robot(with("2.5")));
  Robot robot = must(parse_urdf(converted_.urdf, "robot.urdf"));
  must(apply_srdf_text(converted_.srdf, "robot.srdf", robot));
  const std::vector<std::pair<std::string, std::vector<double>>> key = {
      {"f", {1, 2, 3, 1, 0, 0, 0}}, {"j", {1}}};
  EXPECT_EQ(robot.states.at(1).joints, key);
}

TEST_F(Convert, TheSdfOfThePage) {
  const Robot robot = convert("arm.sdf", example("arm.sdf"));
  EXPECT_EQ(robot.name, "arm");
  EXPECT_EQ(joint(robot, "fixed").X_PJ.p, (Vec3{0, 0, 0.5}));
  EXPECT_EQ(joint(robot, "shoulder").child_link, "upper");
  EXPECT_EQ(joint(robot, "shoulder").limits.velocity, 1);
  EXPECT_EQ(joint(robot, "wrist").parent_link, "upper");
  EXPECT_EQ(joint(robot, "wrist").child_link, "tool::grip");
  EXPECT_EQ(joint(robot, "wrist").X_PJ.p, (Vec3{0.4, 0, 0}));
  EXPECT_FALSE(converted_.needs_srdf);
}

// libsdformat 12 does not know mimic: follower = multiplier (leader - reference) + offset.
TEST_F(Convert, SdfMimicAndIncludes) {
  folder_.write("hand/model.sdf",
                "<sdf version='1.9'><model name='h'><link name='palm'/><link name='finger'/>"
                "<joint name='j' type='continuous'><parent>palm</parent><child>finger</child>"
                "<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>");
  const Robot robot = convert(
      "arm.sdf",
      "<sdf version='1.11'><model name='m'><link name='a'/>\n<include><uri>hand</uri>"
      "<name>left</name><placement_frame>finger</placement_frame><pose>1 2 3 0 0 0</pose></include>"
      "<joint name='k' type='revolute'><parent>a</parent><child>left::palm</child><axis>"
      "<xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit><mimic joint='left::j'>"
      "<multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic></axis>"
      "</joint></model></sdf>");
  EXPECT_EQ(joint(robot, "k").X_PJ.p, (Vec3{1, 2, 3}));
  EXPECT_EQ(joint(robot, "k").mimic->joint, "left::j");
  EXPECT_EQ(joint(robot, "k").mimic->multiplier, 2);
  EXPECT_EQ(joint(robot, "k").mimic->offset, 0.5);
}

// Meshes are found from where the URDF stands, or by absolute paths.
TEST_F(Convert, MeshesAreNamedFromTheUrdf) {
  must(save_stl(folder_.path() / "m.stl", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                           {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}}));
  const auto file = folder_.write(
      "a.sdf",
      "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry><mesh>"
      "<uri>m.stl</uri><scale>1 1 2</scale></mesh></geometry></collision></link></model></sdf>");
  std::filesystem::create_directories(folder_.path() / "out" / "urdf");
  for (const std::filesystem::path& to :
       {folder_.path() / "out" / "urdf", std::filesystem::path()}) {
    ConvertOptions options;
    options.folder = to;
    const Converted converted = must(convert_robot(file, options));
    EXPECT_EQ(converted.urdf.find("../../m.stl") != std::string::npos, !to.empty());
    const Robot robot = must(load_urdf(folder_.write("out/urdf/robot.urdf", converted.urdf)));
    EXPECT_EQ(robot.links[1].collision.size(), 1u);
  }
}

TEST_F(Convert, ArgumentsAreForXacro) {
  ConvertOptions options;
  options.arguments["a"] = "1";
  EXPECT_NE(error_text(convert_robot(folder_.write("a.xml", "<mujoco/>"), options))
                .find("a.xml:1: <mujoco> has no arguments; --arg is for xacro"),
            std::string::npos);
  EXPECT_NE(
      error_text(convert_robot(folder_.write("a.xml", "<x/>"))).find("a.xml:1: expected <robot>"),
      std::string::npos);
}

}  // namespace
}  // namespace proven::test
