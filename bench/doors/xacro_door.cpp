// xacro, as its documentation describes it, over URDF.
#include <fmt/format.h>

#include "bench/doors/converted.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

// What stands in a value is an expression: that it is one is for the reader to say, so texts are
// of any form here, and what they come to is judged by what changes. A limit without a velocity has
// none. Decoration is that of URDF.
constexpr const char* kInBody =
    "link* joint* material~ transmission~ gazebo~ "
    "xacro:property*% xacro:macro*% xacro:arg*% xacro:include*% xacro:if* xacro:unless* "
    "xacro:insert_block* xacro:part* xacro:pair* xacro:wrap*";
constexpr SpecRow kRows[] = {
    {"robot", "name=t/e? xmlns:xacro=d! version=d?", kInBody, "d"},
    {"xacro:if xacro:unless xacro:macro", "value=t? name=t? params=d?", kInBody, "d"},
    {"xacro:property", "name=t! value=t? default=t?", "origin? box? xacro:include*"},
    {"xacro:arg", "name=t! default=t/e?", ""},
    {"xacro:include", "filename=t!", ""},
    {"xacro:insert_block", "name=t!", ""},
    {"xacro:part", "name=t! size=t?", "origin! xacro:macro*"},
    {"xacro:pair", "prefix=t/e! reflect=t?", ""},
    {"xacro:wrap", "name=t!", "contents!"},
    {"contents", "", "collision*"},
    {"link", "name=t!", "collision* visual~ inertial~ xacro:insert_block*"},
    {"collision", "name=d?", "origin?{0 0 0 0 0 0} geometry! xacro:insert_block?"},
    {"geometry", "", "box? sphere? cylinder? mesh? capsule? xacro:insert_block?", "",
     "box|sphere|cylinder|mesh|capsule|xacro:insert_block"},
    {"origin", "xyz=t?0_0_0 rpy=t?0_0_0", ""},
    {"box", "size=t!", ""},
    {"sphere", "radius=t!", ""},
    {"cylinder", "radius=t! length=t!", ""},
    {"mesh", "filename=t! scale=t?1_1_1", ""},
    {"joint", "name=t! type=t!",
     "parent! child! origin?{0 0 0 0 0 0} axis?{1 0 0} limit? mimic? dynamics~ "
     "safety_controller~ calibration~ xacro:insert_block?"},
    {"parent child", "link=t!", ""},
    {"axis", "xyz=t!", ""},
    {"limit", "lower=t? upper=t? velocity=t? effort=d?", ""},
    {"mimic", "joint=t! multiplier=t?1 offset=t?0", ""},
};

constexpr const char* kArm = R"xml(<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default="arm_"/>
  <xacro:arg name="side" default="-1"/>
  <xacro:property name="width" value="${0.1 / 2}"/>
  <xacro:property name="length" default="0.4"/>
  <xacro:property name="sizes" value="${[0.1, 0.2, width]}"/>
  <xacro:property name="place"><origin xyz="0 0 ${width}" rpy="0.1 0 ${pi/4}"/></xacro:property>
  <xacro:include filename="common.xacro"/>
  <xacro:macro name="part" params="name size:=${width} *origin">
    <link name="$(arg prefix)${name}">
      <collision><xacro:insert_block name="origin"/><geometry><box size="${size} ${2*size} ${sizes[1]}"/></geometry></collision>
    </link>
  </xacro:macro>
  <xacro:macro name="pair" params="prefix reflect:=1">
    <link name="${prefix}_finger"><collision><geometry><sphere radius="${width * 0.2}"/></geometry></collision></link>
    <joint name="${prefix}_slide" type="prismatic">
      <parent link="$(arg prefix)hand"/><child link="${prefix}_finger"/>
      <origin xyz="0 ${reflect * 0.03} ${length}" rpy="0 0 ${radians(30)}"/><axis xyz="0 ${reflect} 0.5"/>
      <limit lower="0.01" upper="${width}" velocity="1"/>
    </joint>
  </xacro:macro>
  <xacro:macro name="wrap" params="name **contents">
    <link name="${name}"><xacro:insert_block name="contents"/></link>
  </xacro:macro>
  <xacro:part name="base"><origin xyz="0 0 ${-width}" rpy="0 0.2 0"/></xacro:part>
  <xacro:part name="hand" size="0.07"><origin xyz="0.01 0 0"/></xacro:part>
  <xacro:wrap name="cover"><contents><collision><xacro:insert_block name="place"/><geometry><cylinder radius="0.02" length="${max(width, 0.03)}"/></geometry></collision></contents></xacro:wrap>
  <joint name="cover_fixed" type="fixed"><parent link="$(arg prefix)base"/><child link="cover"/><xacro:insert_block name="place"/></joint>
  <joint name="turn" type="revolute">
    <parent link="$(arg prefix)base"/><child link="$(arg prefix)hand"/><origin xyz="0 0 ${length}"/><axis xyz="0 1 0.2"/>
    <limit lower="${-pi/2}" upper="${pi/3}" velocity="${common_speed}"/>
  </joint>
  <xacro:if value="$(arg side)"><xacro:pair prefix="left" reflect="$(arg side)"/></xacro:if>
  <xacro:unless value="${length > 1}"><xacro:pair prefix="right"/></xacro:unless>
</robot>
)xml";

// In another place that xacro allows it may come to the same; so may another way to write a number,
// or to say what is true.
bool same_xacro(const Tree& before, const Tree& after, const Change& change) {
  if (change.kind == Change::Kind::move) return true;
  if (change.kind != Change::Kind::value || change.attribute.empty()) return false;
  const std::string was = *at(before, change.path).attribute(change.attribute),
                    now = *at(after, change.path).attribute(change.attribute);
  return was == "0" + now || (at(before, change.path).name == "xacro:if" && now == "7");
}

}  // namespace

std::vector<Door> xacro_doors() {
  static const Spec kSpec{kRows};
  Door door;
  door.name = "xacro";
  door.ending = ".xacro";
  door.spec = &kSpec;
  door.files = {{"arm", kArm}};
  door.readers = converted_readers();
  // Of a block whose contents are inserted the name is anybody's.
  door.is_idle = [](const Tree& tree, const Change& change) {
    const bool is_named =
        change.kind == Change::Kind::rename || change.kind == Change::Kind::recase;
    return at(tree, change.path).name == "contents" && (is_named || !change.attribute.empty());
  };
  door.is_same = same_xacro;
  door.prepare = [](const fs::path& folder) {
    (void)write_file(folder / "common.xacro",
                     "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\">"
                     "<xacro:property name=\"common_speed\" value=\"1.5\"/></robot>");
  };
  return {door};
}

}  // namespace proven::bench
