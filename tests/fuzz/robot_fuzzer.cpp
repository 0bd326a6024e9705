#include "fuzz.h"
#include "proven/io/srdf.h"
#include "proven/io/urdf.h"

namespace proven::fuzz {
namespace {

bool urdf(Bytes input) {
  return answers(load_urdf(as_file(input, "urdf")));
}

bool srdf(Bytes input) {
  static const Robot robot =
      load_urdf(std::filesystem::path(PROVEN_SOURCE_DIR) / "tests/bad_input/ok/arm.urdf").value();
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
          {"srdf", srdf, {"bad_input/srdf/*.srdf"}, srdf_documents}};
}

}  // namespace proven::fuzz
