#include "fuzz.h"
#include "places.h"
#include "proven/io/convert.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"
#include "proven/io/xacro.h"

namespace proven::fuzz {
namespace {

bool urdf(Bytes input) {
  return answers(load_urdf(as_file(input, "urdf")));
}

bool xacro(Bytes input) {
  return answers(expand_xacro(as_file(input, "xacro")));
}

std::vector<std::string> xacro_documents() {
  return {R"x(<robot name="r" xmlns:xacro="x"><xacro:property name="w" value="${2*pi}"/>
<xacro:arg name="a" default="1"/><xacro:macro name="m" params="n s:=${w} t:=^|3 *b **c">
<link name="${n}_$(arg a)"><xacro:insert_block name="b"/><xacro:insert_block name="c"/></link>
<xacro:if value="${n &lt; 2 and not s == 'x'}"><x v="${[1,2][0]} ${dict(k=1)['k']} ${max(1,2)//1}"/></xacro:if>
</xacro:macro><xacro:m n="1"><origin xyz="0 0 ${sin(w)**2}"/><g><a/></g></xacro:m>
<xacro:unless value="true"><y/></xacro:unless></robot>)x"};
}

// What converts is a URDF that is read.
bool converts(Bytes input, std::string_view ending) {
  const auto converted = convert_robot(as_file(input, ending));
  if (!answers(converted)) return false;
  UrdfOptions options;
  options.load_meshes = false;
  const auto robot = parse_urdf(converted.value().urdf, "robot.urdf", options);
  if (!robot.ok()) broken("a converted robot is not read: " + robot.error().text());
  Robot named = robot.value();
  if (converted.value().srdf.empty()) return true;
  const auto applied = apply_srdf_text(converted.value().srdf, "robot.srdf", named);
  if (!applied.ok()) broken("a converted SRDF is not read: " + applied.error().text());
  return true;
}

bool mjcf(Bytes input) {
  return converts(input, "xml");
}

bool sdf(Bytes input) {
  return converts(input, "sdf");
}

std::vector<std::string> mjcf_documents() {
  return {
      R"(<mujoco model="m"><compiler angle="radian" eulerseq="XYZ" autolimits="true" meshdir="."/>
<default><geom size="0.1 0.2"/><default class="c"><joint axis="0 1 0" range="-1 1"/></default></default>
<asset><mesh name="t" file="triangle.stl" scale="1 2 1"/></asset>
<worldbody><geom type="box" size="1 1 1"/><body name="a" pos="0 0 1" childclass="c"><joint name="j" pos="0 0 1" ref="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 1"/><geom contype="2" conaffinity="4" zaxis="0 1 1"/>
<body name="b" euler="0 1 2"><joint name="k"/><joint name="s" type="slide" range="0 1"/><geom size="0.1" axisangle="0 1 0 1"/>
<geom type="cylinder" xyaxes="1 0 0 0 1 0"/></body></body><body name="f"><freejoint name="free"/></body></worldbody>
<contact><exclude body1="a" body2="f"/></contact><equality><joint joint1="k" joint2="j" polycoef="0 2"/></equality>
<keyframe><key name="home" qpos="0.1 0 0 0 0 0 1 0 0 0"/></keyframe></mujoco>)"};
}

std::vector<std::string> sdf_documents() {
  return {R"(<sdf version="1.9"><model name="m" canonical_link="a"><pose>0 0 1 0 0 0</pose>
<link name="a"><collision name="c"><pose degrees="true">0 0 0 90 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision></link>
<link name="b"><pose relative_to="j"/><collision name="c"><geometry><cylinder><radius>1</radius><length>2</length></cylinder></geometry></collision></link>
<frame name="f" attached_to="b"><pose relative_to="a" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></frame>
<joint name="j" type="revolute"><pose relative_to="a">1 0 0 0 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz expressed_in="f">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><velocity>2</velocity></limit></axis></joint>
<model name="n" placement_frame="x"><pose relative_to="f">0 0 0 0 0 0</pose><link name="x"/></model>
<joint name="k" type="prismatic"><parent>f</parent><child>n::x</child><axis><xyz>1 0 0</xyz>
<limit><lower>0</lower><upper>1</upper></limit><mimic joint="j"><multiplier>2</multiplier><offset>1</offset><reference>0</reference></mimic></axis></joint>
</model></sdf>)"};
}

bool srdf(Bytes input) {
  static const Robot robot =
      load_urdf(std::filesystem::path(test::source_dir()) / "tests/bad_input/ok/arm.urdf").value();
  bool accepted = false;
  for (const bool virtual_joints : {false, true}) {
    Robot changed = robot;
    accepted |= answers(apply_srdf(as_file(input, "srdf"), changed, {virtual_joints}));
  }
  return accepted;
}

std::vector<std::string> srdf_documents() {
  return {R"(<robot name="arm"><group name="a"><chain base_link="base" tip_link="slider"/></group>
<group name="b"><joint name="shoulder"/><group name="a"/><link name="upper"/></group>
<group_state name="home" group="a"><joint name="shoulder" value="0.1"/></group_state>
<end_effector name="e" parent_link="slider" group="b"/>
<virtual_joint name="v" type="floating" parent_frame="w" child_link="base"/>
<disable_collisions link1="base" link2="upper" reason="Adjacent"/></robot>)"};
}

}  // namespace

std::vector<Fuzzer> robot_fuzzers() {
  return {{"urdf", urdf, {"bad_input/urdf/*.urdf", "bad_input/ok/*.urdf", "install/*.urdf"}},
          {"xacro", xacro, {"bad_input/xacro/*.xacro"}, xacro_documents},
          {"mjcf", mjcf, {"bad_input/mjcf/*.xml"}, mjcf_documents},
          {"sdf", sdf, {"bad_input/sdf/*.sdf"}, sdf_documents},
          {"srdf", srdf, {"bad_input/srdf/*.srdf"}, srdf_documents}};
}

}  // namespace proven::fuzz
