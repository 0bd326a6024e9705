// What `doctor` says of the configurations in which a robot rests.
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;

class Doctor : public test::ProgramTest {
 protected:
  // A rod of 1 m that turns about z, and a post; the SRDF names two configurations.
  std::string scene(const std::string& post, const std::string& home) {
    file("arm.urdf", R"(<robot name="r"><link name="base"/><link name="rod"><collision>
<origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>)");
    file("arm.srdf", R"(<robot name="r"><group name="all"><joint name="turn"/></group>
<group_state name="left" group="all"><joint name="turn" value="1.55"/></group_state>
<group_state name="right" group="all"><joint name="turn" value="-1.55"/></group_state></robot>)");
    return file(
        "scene.json",
        R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf"}],
 "obstacles": [{"name": "post", "box": [0.1, 0.1, 1], "pose": {"xyz": )" +
            post + R"(}}], "home": {"arm/turn": )" + home + "}}");
  }

  std::string path_to(const Json& values) {
    Json joints = Json::array(), waypoint = Json::array();
    for (const auto& [name, value] : values.items())
      joints.push_back(name), waypoint.push_back(value);
    return file("rest.json",
                Json{{"proven", 1}, {"joints", joints}, {"waypoints", {waypoint}}}.dump());
  }
};

TEST_F(Doctor, SaysNothingOfAHomeThatIsFree) {
  const std::string name = scene("[-0.9, 0, 0]", "0");
  EXPECT_EQ(Json::parse(run_program({"doctor", name, "--json"}).out)["not_free"], Json::array());
  EXPECT_EQ(run_program({"doctor", name}).out.find("not free"), std::string::npos);
}

TEST_F(Doctor, ProposesAFreeConfigurationNearAHomeThatCollides) {
  const std::string name = scene("[0.9, 0, 0]", "0.01");
  const Json list = Json::parse(run_program({"doctor", name, "--json"}).out)["not_free"];
  ASSERT_EQ(list.size(), 1u) << list;
  EXPECT_EQ(list[0]["name"], "home");
  EXPECT_EQ(list[0]["collides"], true);
  EXPECT_EQ(list[0]["pair"], Json::array({"arm/rod", "post"}));
  const Json& free = list[0]["free_near"];
  // The post takes 0.07 rad to each side of the rod.
  EXPECT_NEAR(free["arm/turn"].get<double>(), 0, 0.3);
  EXPECT_EQ(run_program({"check", name, path_to(free)}).exit_code, 0) << free;
  EXPECT_EQ(run_program({"check", name, path_to({{"arm/turn", 0.01}})}).exit_code, 1);
  const std::string text = run_program({"doctor", name}).out;
  EXPECT_NE(text.find("home collides: arm/rod and post; free near it is\n    " + free.dump()),
            std::string::npos)
      << text;
}

TEST_F(Doctor, LooksAtTheConfigurationsOfTheSrdf) {
  const std::string name = scene("[0, 0.9, 0]", "0");
  const Json list = Json::parse(run_program({"doctor", name, "--json"}).out)["not_free"];
  ASSERT_EQ(list.size(), 1u) << list;
  EXPECT_EQ(list[0]["name"], "arm/all/left");
  EXPECT_EQ(run_program({"check", name, path_to(list[0]["free_near"])}).exit_code, 0);
}

TEST_F(Doctor, SaysSoWhereNothingNearIsFree) {
  const std::string name = scene("[0, 0, 0]", "0");  // around the axis
  const Json list = Json::parse(run_program({"doctor", name, "--json"}).out)["not_free"];
  ASSERT_EQ(list.size(), 3u) << list;
  for (const Json& rest : list) EXPECT_EQ(rest["free_near"], nullptr);
  EXPECT_NE(run_program({"doctor", name}).out.find("no sample near it is free"), std::string::npos);
}

}  // namespace
}  // namespace proven
