// The words of URDF files: the three readers take and refuse the same, and list alike what they
// leave out since somebody said so.
#include <algorithm>
#include <cstdlib>

#include "readers_support.h"

namespace proven::test {
namespace {

struct Case {
  std::string text, ignore;
};

std::string with(const std::string& place, const std::string& what) {
  const std::string robot = R"(<robot name="r" ROBOT_A>ROBOT
<link name="a" LINK_A>LINK<collision COLLISION_A>COLLISION<geometry>GEOMETRY<box size="1 1 1" BOX_A>BOX</box></geometry></collision></link>
<link name="b"/>
<joint name="j" type="revolute" JOINT_A>JOINT<parent link="a"/><child link="b"/><axis xyz="0 0 1" AXIS_A/>
<origin xyz="0 0 1" ORIGIN_A/><limit lower="-1" upper="1" LIMIT_A/></joint></robot>)";
  std::string text = robot;
  for (const char* hole :
       {"ROBOT_A", "LINK_A", "COLLISION_A", "BOX_A", "JOINT_A", "AXIS_A", "ORIGIN_A", "LIMIT_A",
        "ROBOT", "LINK", "COLLISION", "GEOMETRY", "BOX", "JOINT"})
    for (std::size_t at; (at = text.find(hole)) != std::string::npos;)
      text.replace(at, std::string(hole).size(), hole == place ? what : "");
  return text;
}

// Every word in every place, alone; and what is said beside some of them.
std::vector<Case> cases_of_words() {
  std::vector<Case> list;
  for (const char* place : {"ROBOT", "LINK", "COLLISION", "GEOMETRY", "BOX", "JOINT"})
    for (const char* word : {"material",
                             "transmission",
                             "gazebo",
                             "ros2_control",
                             "sensor",
                             "mujoco",
                             "model_state",
                             "frame",
                             "fixed_frame",
                             "collision_filter_group",
                             "collision_checking",
                             "self_collision_checking",
                             "self_filter",
                             "visual",
                             "inertial",
                             "contact",
                             "verbose",
                             "map",
                             "dynamics",
                             "self_collide",
                             "selfCollide",
                             "turnGravityOff",
                             "gravity",
                             "mu1",
                             "mu2",
                             "kp",
                             "kd",
                             "contact_coefficients",
                             "surface",
                             "friction",
                             "bounce",
                             "max_contacts",
                             "calibration",
                             "safety_controller",
                             "joint_properties",
                             "hardwareInterface",
                             "dont_collapse",
                             "physics",
                             "actuator",
                             "implicitSpringDamper",
                             "provideFeedback",
                             "preserveFixedJoint",
                             "disableFixedJointLumping",
                             "disable_fixed_joint_lumping",
                             "command_effort",
                             "bullet",
                             "audio_source",
                             "drake_compliance",
                             "force_element",
                             "loop_joint",
                             "compiler",
                             "option",
                             "colision",
                             "plane",
                             "ignored"})
      for (const char* ignore : {"", "loop_joint,plane"})
        list.push_back({with(place, fmt::format("<{}/>", word)), ignore});
  for (const char* place :
       {"ROBOT_A", "LINK_A", "COLLISION_A", "BOX_A", "JOINT_A", "AXIS_A", "ORIGIN_A", "LIMIT_A"})
    for (const char* word :
         {"version", "path", "type", "concave", "group", "dont_collapse", "rpy", "command_effort",
          "current", "friction", "damping", "jerk", "min", "quat_xyzw", "acceleration"})
      for (const char* ignore : {"", "jerk,min"}) {
        if (std::string_view(place) == "ORIGIN_A" && std::string_view(word) == "rpy") continue;
        list.push_back({with(place, fmt::format("{}=\"1\"", word)), ignore});
      }
  for (const char* text :
       {"<mujoco><compiler meshdir=\"m\" discardvisual=\"false\" fusestatic=\"false\"/></mujoco>",
        "<mujoco><compiler angle=\"radian\" coordinate=\"local\"/><option/><size/></mujoco>",
        "<mujoco><compiler angle=\"degree\"/></mujoco>",
        "<mujoco><compiler coordinate=\"global\"/></mujoco>",
        "<mujoco><compiler eulerseq=\"zyx\"/></mujoco>", "<mujoco><asset/></mujoco>",
        "<ignored element=\"plane\" count=\"2\"/>", "<ignored element=\"plane\"/>",
        "<ignored element=\"\" count=\"1\"/>", "<ignored element=\"plane\" count=\"0\"/>",
        "<ignored element=\"plane\" count=\"1.5\"/>", "<ignored count=\"1\"/>",
        "<ignored element=\"p\" count=\"2\"/><ignored element=\"p\" count=\"3\"/><plane/>"})
    list.push_back({with("ROBOT", text), "plane"});
  for (const char* rpy : {"0 0 0", "0 0 1e-300", "0 -0 0.0", "0 0", "x 0 0", ""})
    list.push_back({with("AXIS_A", fmt::format("rpy=\"{}\"", rpy)), "rpy"});
  return list;
}

std::string said(const SceneSource& scene) {
  std::string text = "read";
  for (const std::string& what : scene.robots[0].robot.ignored) text += "; " + what;
  return text;
}

TEST(UrdfWords, AllReadersTakeTheSame) {
  PROVEN_REQUIRE_TOOL(std::system("/usr/bin/python3 -c 'import mpmath' 2>/dev/null") == 0,
                      "python3 with mpmath");
  const TemporaryFolder folder;
  folder.write("read.py", R"(import sys, xml.etree.ElementTree as ElementTree
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from meshes import Unreadable
from urdf_words import left_out
for number in range(int(sys.argv[2])):
    ignore = open(f'{number}.ignore').read().split(',')
    try:
        print('; '.join(['read'] + left_out(ElementTree.parse(f'{number}.urdf').getroot(), [i for i in ignore if i])))
    except (Unreadable, ValueError, ElementTree.ParseError):
        print('refused')
)");
  const std::vector<Case> list = cases_of_words();
  std::vector<std::string> ours;
  int refused = 0, left_out = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const fs::path file = folder.write(fmt::format("{}.urdf", i), list[i].text);
    folder.write(fmt::format("{}.ignore", i), list[i].ignore);
    SceneOptions options;
    std::string rest = list[i].ignore;
    for (std::size_t end; !rest.empty(); rest.erase(0, end + 1)) {
      end = std::min(rest.find(','), rest.size() - 1);
      options.ignore_elements.insert(rest.substr(0, end + (rest[end] != ',')));
    }
    const auto source = load_scene_source(file, options);
    const auto own = verifier::read_scene(file, {{}, {}, options.ignore_elements});
    ASSERT_EQ(source.ok(), own.ok()) << list[i].text << "\n"
                                     << error_text(source) << "\n"
                                     << error_text(own);
    ours.push_back(source.ok() ? said(source.value()) : "refused");
    refused += !source.ok();
    if (!source.ok()) continue;
    EXPECT_EQ(first_difference(own.value(), source.value()), std::nullopt) << list[i].text;
    left_out += !source.value().robots[0].robot.ignored.empty();
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(left_out, 10);
  EXPECT_GT(static_cast<int>(list.size()) - refused - left_out, 100);
  const std::string run =
      fmt::format("cd '{}' && /usr/bin/python3 read.py '{}/verify' {} > said 2> errors",
                  folder.path().string(), test::source_dir(), list.size());
  ASSERT_EQ(std::system(run.c_str()), 0) << contents(folder.path() / "errors");
  std::ifstream lines(folder.path() / "said");
  std::string line;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, ours[i]) << list[i].text << "\n" << list[i].ignore;
  }
}

// What was left out is part of what two readers must agree on.
TEST(UrdfWords, WhatIsLeftOutIsCompared) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("r.urdf", with("ROBOT", "<loop_joint/><plane/>"));
  const auto both = must(verifier::read_scene(file, {{}, {}, {"loop_joint", "plane"}}));
  auto one = both;
  one.robots[0].robot.ignored.pop_back();
  EXPECT_NE(first_difference(both, one), std::nullopt);
  EXPECT_EQ(first_difference(both, both), std::nullopt);
  SceneOptions options;
  options.ignore_elements = {"loop_joint", "plane"};
  const Scene scene = must(load_scene(file, options));
  EXPECT_EQ(scene.ignored(), (std::vector<std::string>{"r: <loop_joint> in <robot> (1)",
                                                       "r: <plane> in <robot> (1)"}));
  const Scene other = must(load_scene(folder.write("s.urdf", with("ROBOT", ""))));
  EXPECT_NE(scene.hash(), other.hash());
}

}  // namespace
}  // namespace proven::test
