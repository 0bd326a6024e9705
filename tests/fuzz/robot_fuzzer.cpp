#include "fuzz.h"
#include "places.h"
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
<xacro:if value="${n &lt; 2 and not s == 'x'}"><x v="${[1,2][0]} ${{'k':1}.k} ${max(1,2)//1}"/></xacro:if>
</xacro:macro><xacro:m n="1"><origin xyz="0 0 ${sin(w)**2}"/><g><a/></g></xacro:m>
<xacro:unless value="true"><y/></xacro:unless></robot>)x"};
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
          {"srdf", srdf, {"bad_input/srdf/*.srdf"}, srdf_documents}};
}

}  // namespace proven::fuzz
