// Couplings of joints that a URDF says elsewhere than in <mimic>, elements of other programs, and
// what stands behind the root element: read or refused, never dropped.
#include <gtest/gtest.h>

#include "io/io_support.h"
#include "proven/io/convert.h"
#include "proven/io/mesh_file.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::test {
namespace {

// Two fingers on a palm; each part of the test adds what it says.
std::string gripper(const std::string& in_joint = "", const std::string& in_robot = "",
                    const std::string& in_link = "", const std::string& in_geometry = "") {
  return "<robot name=\"g\" xmlns:drake=\"http://drake.mit.edu\" xmlns:foo=\"http://foo\">"
         "<link name=\"palm\"><collision><geometry><box size=\"1 1 1\"/>" +
         in_geometry + "</geometry></collision>" + in_link +
         "</link><link name=\"l\"/><link name=\"r\"/>"
         "<joint name=\"left\" type=\"prismatic\"><parent link=\"palm\"/><child link=\"l\"/>"
         "<limit lower=\"-1\" upper=\"1\"/></joint>"
         "<joint name=\"right\" type=\"prismatic\"><parent link=\"palm\"/><child link=\"r\"/>"
         "<limit lower=\"-1\" upper=\"1\"/>" +
         in_joint + "</joint>" + in_robot + "</robot>";
}

std::string control(const std::string& params, const std::string& attributes = "") {
  return "<ros2_control name=\"c\" type=\"system\"><joint name=\"right\"" + attributes + ">" +
         params + "</joint></ros2_control>";
}

Result<Robot> read(const std::string& text) {
  return parse_urdf(text, "g.urdf");
}

void expect_coupled(const std::string& text, double multiplier, double offset) {
  const Result<Robot> robot = read(text);
  ASSERT_TRUE(robot.ok()) << robot.error().text();
  const RobotJoint& right = robot.value().joints[1];
  ASSERT_TRUE(right.mimic) << text;
  EXPECT_EQ(right.mimic->joint, "left");
  EXPECT_EQ(right.mimic->multiplier, multiplier);
  EXPECT_EQ(right.mimic->offset, offset);
}

void expect_refused(const Result<Robot>& robot, const std::string& words) {
  ASSERT_FALSE(robot.ok()) << words;
  EXPECT_NE(robot.error().text().find(words), std::string::npos) << robot.error().text();
}

TEST(Couplings, OfRos2ControlAreHonoured) {
  expect_coupled(gripper("", control("<param name=\"mimic\">left</param>")), 1, 0);
  expect_coupled(gripper("", control("<param name=\"mimic\"> left </param>"
                                     "<param name=\"multiplier\">-2</param>"
                                     "<param name=\"offset\">0.25</param>")),
                 -2, 0.25);
  const Result<Robot> robot = read(gripper("", control("<param name=\"mimic\">left</param>")));
  ASSERT_EQ(robot.value().warnings.size(), 2u);  // the block has more, which is not read
  EXPECT_NE(robot.value().warnings[1].find("'right' follows 'left', as <ros2_control> says"),
            std::string::npos)
      << robot.value().warnings[1];
}

TEST(Couplings, OfDrakeAndOfGazeboAreHonoured) {
  expect_coupled(gripper("<drake:mimic joint=\"left\" multiplier=\"-1\" offset=\"0.5\"/>"), -1,
                 0.5);
  expect_coupled(gripper("",
                         "<gazebo><plugin name=\"p\" filename=\"libmimic.so\">"
                         "<joint>left</joint><mimicJoint>right</mimicJoint>"
                         "<multiplier>-1.0</multiplier></plugin></gazebo>"),
                 -1, 0);
}

TEST(Couplings, ThatAreSaidTwiceAgree) {
  const std::string mimic = "<mimic joint=\"left\" multiplier=\"-1\"/>";
  const std::string same =
      control("<param name=\"mimic\">left</param><param name=\"multiplier\">-1</param>");
  expect_coupled(gripper(mimic, same), -1, 0);
  expect_coupled(gripper(mimic, control("", " mimic=\"true\"")), -1, 0);
  expect_refused(read(gripper(mimic, control("<param name=\"mimic\">left</param>"))),
                 "g.urdf:1: joint 'right' is 1 'left' + 0 here and -1 'left' + 0 elsewhere");
  expect_refused(read(gripper(mimic + "<drake:mimic joint=\"left\"/>")), "make them agree");
  expect_refused(read(gripper("", same + control("<param name=\"mimic\">left</param>"))),
                 "make them agree");
  expect_refused(read(gripper(mimic, control("", " mimic=\"false\""))), "is read if it is true");
}

TEST(Couplings, ThatCannotBeMeantAreRefused) {
  const std::string named = "<param name=\"mimic\">left</param>";
  expect_refused(read(gripper("", control(named + named))), "says 'mimic' twice");
  expect_refused(read(gripper("", control("<param name=\"mimic\"/>"))), "leaves 'mimic' empty");
  expect_refused(read(gripper("", control("<param name=\"mimic\">lift</param>"))), "lift");
  expect_refused(read(gripper("", control(named + "<param name=\"offset\">1,5</param>"))),
                 "expected a finite decimal number, got '1,5'");
  expect_refused(read(gripper("", "<ros2_control name=\"c\"><joint name=\"rihgt\">" + named +
                                      "</joint></ros2_control>")),
                 "which the robot does not have");
  expect_refused(read(gripper("<drake:mimic joint=\"left\" multplier=\"-1\"/>")),
                 "did you mean 'multiplier'?");
  expect_refused(read(gripper("",
                              "<gazebo><plugin><mimicJoint>right</mimicJoint></plugin>"
                              "</gazebo>")),
                 "has no <joint>");
}

TEST(Couplings, OfDrakeInSdfAreHonoured) {
  const TemporaryFolder folder;
  const auto sdf = [](const std::string& mimic, const std::string& in_axis = "") {
    const auto joint = [&](const std::string& name, const std::string& child,
                           const std::string& more, const std::string& axis) {
      return "<joint name=\"" + name + "\" type=\"revolute\"><parent>a</parent><child>" + child +
             "</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit>" +
             axis + "</axis>" + more + "</joint>";
    };
    return "<sdf version=\"1.9\" xmlns:drake=\"http://drake.mit.edu\"><model name=\"m\">"
           "<link name=\"a\"><collision name=\"c\"><geometry><sphere><radius>1</radius></sphere>"
           "</geometry></collision></link><link name=\"b\"/><link name=\"c\"/>" +
           joint("left", "b", "", "") + joint("right", "c", mimic, in_axis) + "</model></sdf>";
  };
  const std::string mimic = "<drake:mimic joint=\"left\" multiplier=\"2\" offset=\"0.5\"/>";
  const auto converted = convert_robot(folder.write("m.sdf", sdf(mimic)));
  ASSERT_TRUE(converted.ok()) << converted.error().text();
  const Robot robot = must(parse_urdf(converted.value().urdf, "m.urdf"));
  int coupled = 0;
  for (const RobotJoint& joint : robot.joints)
    if (joint.mimic) {
      ++coupled;
      EXPECT_EQ(joint.mimic->joint, "left");
      EXPECT_EQ(joint.mimic->multiplier, 2);
      EXPECT_EQ(joint.mimic->offset, 0.5);
    }
  EXPECT_EQ(coupled, 1);
  std::string plugin = sdf("");
  plugin.insert(plugin.find("<link"),
                "<plugin><joint>left</joint><mimicJoint>right</mimicJoint></plugin>");
  EXPECT_NE(error_text(convert_robot(folder.write("m.sdf", plugin))).find("of a plugin"),
            std::string::npos);
  const std::string other = "<mimic joint=\"left\"><multiplier>3</multiplier></mimic>";
  EXPECT_NE(error_text(convert_robot(folder.write("m.sdf", sdf(mimic, other)))).find("agree"),
            std::string::npos);
}

TEST(Couplings, WordsWithAPrefixAreNotDropped) {
  const std::string shape = "<geometry><sphere radius=\"1\"/></geometry>";
  for (const std::string& text :
       {gripper("", "", "<foo:collision>" + shape + "</foo:collision>"),
        gripper("", "", "<drake:anything/>"), gripper("<foo:origin xyz=\"1 0 0\"/>"),
        gripper("<foo:mimic joint=\"left\"/>"), gripper("", "", "", "<drake:capsule/>"),
        gripper("", "<foo:link name=\"x\"/>"), gripper("", "<foo:joint name=\"x\"/>"),
        gripper("", "<drake:joint name=\"x\" type=\"ball\"/>"),
        gripper("", "<drake:ball_constraint/>")})
    expect_refused(read(text), "is of another program and is not read");
  std::string attribute = gripper();
  attribute.replace(attribute.find("size="), 5, "foo:size=");
  expect_refused(read(attribute), "unknown attribute 'foo:size' of <box>");
  const Result<Robot> known = read(gripper("<drake:rotor_inertia value=\"1\"/>", "<foo:motor/>",
                                           "<drake:collision_filter_group/>"));
  ASSERT_TRUE(known.ok()) << known.error().text();
  EXPECT_NE(known.value().warnings.at(0).find("<drake:rotor_inertia> (1), <foo:motor> (1)"),
            std::string::npos);
}

// But a user may say that they mean nothing, and every verdict repeats it.
TEST(Couplings, WordsWithAPrefixAreLeftOutWhenSaid) {
  const std::string text = gripper("<foo:origin xyz=\"1 0 0\" />", "<foo:link name=\"x\"/>",
                                   "<drake:anything foo:size=\"1\"/>");
  UrdfOptions options;
  options.ignore_elements = {"foo:origin", "foo:link", "drake:anything"};
  const Result<Robot> robot = parse_urdf(text, "g.urdf", options);
  ASSERT_TRUE(robot.ok()) << robot.error().text();
  EXPECT_EQ(robot.value().ignored,
            (std::vector<std::string>{"<drake:anything> in <link> (1)", "<foo:link> in <robot> (1)",
                                      "<foo:origin> in <joint> (1)"}));
  expect_refused(read(text), "--ignore-elements drake:anything passes it over");
  options.ignore_elements.erase("foo:link");
  expect_refused(parse_urdf(text, "g.urdf", options), "<link> is; remove it");
}

// XML has one root element; all that stands beside it is refused by every reader.
TEST(Couplings, NothingStandsBehindTheRoot) {
  const TemporaryFolder folder;
  const std::string urdf = gripper();
  const Robot robot = must(read(urdf));
  const std::string dae =
      "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
      "<library_visual_scenes><visual_scene/></library_visual_scenes></COLLADA>";
  for (const std::string behind : {"<robot name=\"h\"/>", "<link name=\"x\"/>", "x", "<!x>"}) {
    std::vector<std::string> errors = {error_text(read(urdf + behind)),
                                       error_text(load_mesh(folder.write("m.dae", dae + behind)))};
    Robot changed = robot;
    errors.push_back(
        error_text(apply_srdf_text("<robot name=\"g\"></robot>\n" + behind, "g.srdf", changed)));
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"m.sdf", "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"/></model></sdf>"},
             {"m.xml", "<mujoco><worldbody/></mujoco>"},
             {"m.xacro", "<robot name=\"m\"><link name=\"a\"/></robot>"}})
      errors.push_back(error_text(convert_robot(folder.write(name, text + behind))));
    for (const std::string& error : errors)
      EXPECT_NE(error.find("not valid XML"), std::string::npos) << behind << ": " << error;
  }
  EXPECT_EQ(error_text(read("<?xml version=\"1.0\"?><!-- a -->" + urdf + "<!-- b -->\n")),
            "no error");
}

}  // namespace
}  // namespace proven::test
