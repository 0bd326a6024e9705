// MJCF and SDF as URDF and SRDF, said by hand; against the simulators: tests/mujoco,
// tests/sdformat.
#include "proven/io/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/io_support.h"
#include "proven/io/mesh_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"
#include "proven/kinematics/rounding.h"

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

// Roll and yaw are one at a pitch of a right angle: what is written says the rotation all the same.
TEST_F(Convert, RotationsAtAPitchOfARightAngle) {
  int checked = 0;
  for (const double pitch :
       {1.5707963267948966, -1.5707963267948966, 1.5707, 1.57079632, -1.5707963, 1.570796326794})
    for (const double roll : {0.0, 0.3, -2.5, 1.5707963267948966, 3.141592653589793})
      for (const double yaw : {0.0, 1.1, -0.7, 3.141592653589793, -1.5707963267948966}) {
        // Given as a quaternion, so that the angles are lost.
        const double a = roll / 2, b = pitch / 2, c = yaw / 2;
        const double w =
            std::cos(a) * std::cos(b) * std::cos(c) + std::sin(a) * std::sin(b) * std::sin(c);
        const double x =
            std::sin(a) * std::cos(b) * std::cos(c) - std::cos(a) * std::sin(b) * std::sin(c);
        const double y =
            std::cos(a) * std::sin(b) * std::cos(c) + std::sin(a) * std::cos(b) * std::sin(c);
        const double z =
            std::cos(a) * std::cos(b) * std::sin(c) - std::sin(a) * std::sin(b) * std::cos(c);
        const std::string text = fmt::format(
            "<mujoco><worldbody><geom size=\"0.1\"/><body name=\"b\" quat=\"{} {} {} "
            "{}\">"
            "<joint/></body></worldbody></mujoco>",
            w, x, y, z);
        const auto converted = convert_robot(folder_.write("turned.xml", text));
        ASSERT_TRUE(converted.ok()) << converted.error().text();
        const Robot robot = must(parse_urdf(converted.value().urdf, folder_.path() / "r.urdf"));
        const Mat3 meant = rotation_from_quaternion({x, y, z, w});
        // The angles alone say it, too.
        std::string plain = converted.value().urdf;
        if (const std::size_t at = plain.find(" rotation="); at != std::string::npos)
          plain.erase(at, plain.find('"', at + 11) + 1 - at);
        const Robot by_angles = must(parse_urdf(plain, folder_.path() / "r.urdf"));
        for (std::size_t i = 0; i < 3; ++i) {
          EXPECT_LE(max_abs(robot.joints[0].X_PJ.R.row[i] - meant.row[i]), 0) << text;
          EXPECT_LE(max_abs(by_angles.joints[0].X_PJ.R.row[i] - meant.row[i]), 1e-12) << text;
        }
        ++checked;
      }
  EXPECT_EQ(checked, 150);
}

// A plane has no end, which URDF cannot say: a wide box, or nothing, which the URDF says.
TEST_F(Convert, PlanesBecomeBoxesOrAreLeftOut) {
  const auto file = folder_.write("plane.xml", R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 0.5"/><geom type="plane" contype="0" conaffinity="0"/>
    <body name="b" pos="0 0 2"><freejoint/><geom name="ball" size="0.1"/></body></worldbody>
    <contact><pair geom1="floor" geom2="ball"/></contact></mujoco>)");
  EXPECT_NE(error_text(convert_robot(file)).find("--planes box"), std::string::npos);
  ConvertOptions options;
  options.planes = Planes::box;
  const Converted boxed = must(convert_robot(file, options));
  const Robot with = must(parse_urdf(boxed.urdf, file));
  ASSERT_EQ(with.links[0].collision.size(), 1u);
  EXPECT_EQ(std::get<Box>(with.links[0].collision[0].shape).half_extents, (Vec3{100, 100, 5}));
  EXPECT_EQ(with.links[0].collision[0].X_BS.p, (Vec3{0, 0, -4.5}));
  EXPECT_TRUE(with.ignored.empty());
  ASSERT_EQ(boxed.notes.size(), 1u);
  EXPECT_NE(boxed.notes[0].find("a box of 200 m by 200 m by 10 m"), std::string::npos);
  options.planes = Planes::skip;
  const Converted bare = must(convert_robot(file, options));
  const Robot without = must(parse_urdf(bare.urdf, file));
  EXPECT_TRUE(without.links[0].collision.empty());
  EXPECT_EQ(without.ignored, std::vector<std::string>{"<geom type=\"plane\"> (1)"});
  // A plane that a robot carries is none.
  options.planes = Planes::box;
  const auto carried = folder_.write("carried.xml", R"(<mujoco><worldbody>
    <body><joint/><geom type="plane" size="1 1 1"/></body></worldbody></mujoco>)");
  EXPECT_NE(error_text(convert_robot(carried, options)).find("a plane is for what stands still"),
            std::string::npos);
}

TEST_F(Convert, WhatSomebodyNamesIsLeftOutOfMjcf) {
  const auto file = folder_.write("closed.xml", R"(<mujoco><worldbody>
    <body name="a"><joint name="j" spin="1"/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="a" anchor="0 0 0"/><joint joint1="j" polycoef="0 1 2 0 0"/></equality></mujoco>)");
  ConvertOptions options;
  options.ignore_elements = {"connect", "spin"};
  // A coupling that is known is not passed over.
  EXPECT_NE(error_text(convert_robot(file, options)), "no error");
  const auto open = folder_.write("open.xml", R"(<mujoco><worldbody>
    <body name="a"><joint name="j" spin="1"/><geom size="0.1"/></body></worldbody>
    <equality><connect body1="a" anchor="0 0 0"/></equality></mujoco>)");
  EXPECT_NE(error_text(convert_robot(open)), "no error");
  const Robot robot = must(parse_urdf(must(convert_robot(open, options)).urdf, open));
  EXPECT_EQ(robot.ignored,
            (std::vector<std::string>{"'spin' of <joint> (1)", "<connect> in <equality> (1)"}));
}

TEST_F(Convert, WhatMjcfHasNoLimitsForGetsSome) {
  const Robot robot = convert("free.xml", R"(<mujoco><worldbody><body name="b" mocap="true"/>
    <body name="cart"><joint name="x" type="slide" ref="2"/><geom size="0.1"/></body></worldbody></mujoco>)");
  EXPECT_EQ(joint(robot, "x").limits.lower, -998);
  EXPECT_EQ(joint(robot, "x").limits.upper, 1002);
  std::string notes;
  for (const std::string& note : converted_.notes) notes += note + "\n";
  EXPECT_NE(notes.find("joint 'x' slides without limits"), std::string::npos) << notes;
  EXPECT_NE(notes.find("mocap body b touches nothing, and stands still"), std::string::npos);
}

TEST_F(Convert, AModelOfAWorld) {
  const std::string table =
      R"(<model name="table"><static>true</static><link name="top"><collision name="c">
      <geometry><heightmap/></geometry></collision></link></model>)";
  const std::string arm =
      R"(<model name="arm"><pose>1 0 0.5 0 0 0</pose><link name="base"/><link name="rod">
      <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link>
      <joint name="x" type="prismatic"><parent>base</parent><child>rod</child><axis><xyz>1 0 0</xyz></axis></joint></model>)";
  folder_.write("arm/model.sdf", "<sdf version=\"1.9\">" + arm + "</sdf>");
  const std::string light = "<physics type=\"ode\"/><light name=\"sun\" type=\"point\"/>";
  const std::string included =
      "<include><uri>arm</uri><name>left</name><pose>0 2 0 0 0 0</pose></include>";
  const auto world =
      folder_.write("shop.world", "<sdf version=\"1.9\"><world name=\"shop\">" + light + table +
                                      arm + included + "</world></sdf>");
  EXPECT_NE(
      error_text(convert_robot(world)).find("--model chooses one of its models: table, arm, left"),
      std::string::npos);
  const auto of = [&](const char* name) {
    ConvertOptions options;
    options.model = name;
    converted_ = must(convert_robot(world, options));
    return must(parse_urdf(converted_.urdf, folder_.path() / "robot.urdf"));
  };
  const Robot here = of("arm"), left = of("left");
  EXPECT_EQ(here.name, "arm");
  EXPECT_EQ(left.name, "left");
  EXPECT_EQ(here.ignored, std::vector<std::string>{"<model> in <world> (2)"});
  EXPECT_EQ(joint(here, "base_fixed").X_PJ.p, (Vec3{1, 0, 0.5}));
  EXPECT_EQ(joint(left, "base_fixed").X_PJ.p, (Vec3{0, 2, 0}));
  EXPECT_EQ(joint(left, "x").limits.upper, 1000);
  ConvertOptions options;
  options.model = "table";
  EXPECT_NE(error_text(convert_robot(world, options)).find("heightmap"), std::string::npos);
  options.model = "chair";
  EXPECT_NE(error_text(convert_robot(world, options)).find("the world has no model 'chair'"),
            std::string::npos);
  // Alone it needs no name, and nothing is left out.
  const auto alone = folder_.write(
      "alone.world", "<sdf version=\"1.9\"><world name=\"w\">" + arm + "</world></sdf>");
  EXPECT_TRUE(must(parse_urdf(must(convert_robot(alone)).urdf, alone)).ignored.empty());
}

}  // namespace
}  // namespace proven::test
