// What `doctor` says of the configurations in which a robot rests.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

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

// At a home that the robot cannot be in nothing is learned about pairs: what meets there is not
// offered, and that is said.
TEST_F(Doctor, ProposesNothingBecauseOfAHomeOutsideTheLimits) {
  // Folded at 0, the rods lie in each other; the joint goes from 1 to 2.
  const std::string urdf = file("fold.urdf", R"(<robot name="r">
<link name="a"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
<link name="b"/>
<link name="c"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.8 0.02 0.02"/></geometry></collision></link>
<joint name="fix" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="turn" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="1" upper="2" effort="1" velocity="1"/></joint></robot>)");
  const auto json_result = run_program({"doctor", urdf, "--json"});
  const Json json = Json::parse(json_result.out);
  EXPECT_EQ(json["proposed_exclusions"], Json::array()) << json;
  EXPECT_EQ(json["home_outside_limits"], Json::array({"r/turn = 0 (limits 1 to 2)"}));
  ASSERT_EQ(json["not_free"].size(), 1u) << json;
  EXPECT_EQ(json["not_free"][0]["outside_limits"], json["home_outside_limits"]);
  EXPECT_NEAR(json["not_free"][0]["free_near"]["r/turn"].get<double>(), 1, 0.5);
  const std::string text = run_program({"doctor", urdf}).out;
  EXPECT_EQ(text.find("exclude"), text.rfind("excluded")) << text;
  EXPECT_NE(text.find("Home is outside the limits"), std::string::npos) << text;
  EXPECT_NE(text.find("pairs that meet at home cannot be judged"), std::string::npos) << text;
  // What is written does not go by it, either.
  const std::string srdf = (folder_ / "fold.srdf").string();
  const auto written =
      run_program({"doctor", urdf, "--write-srdf", srdf, "--samples", "0", "--json"});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(Json::parse(written.out)["always"], Json::array());
  std::stringstream content;
  content << std::ifstream(srdf).rdbuf();
  EXPECT_NE(content.str().find("home is outside the limits of r/turn"), std::string::npos);
}

TEST_F(Doctor, GroupsMissingMeshes) {
  std::string links;
  for (int i = 0; i < 7; ++i)
    links += "<collision><geometry><mesh filename=\"package://far/" + std::to_string(i) +
             ".stl\"/></geometry></collision>";
  const std::string urdf =
      file("bare.urdf", "<robot name=\"r\"><link name=\"a\">" + links + "</link></robot>");
  const auto result = run_program({"doctor", urdf, "--json"});
  EXPECT_EQ(result.exit_code, 4);
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["missing_meshes"].size(), 1u) << json;
  EXPECT_EQ(json["missing_meshes"][0]["package"], "far");
  EXPECT_EQ(json["missing_meshes"][0]["meshes"].size(), 7u);
  EXPECT_EQ(json["missing_meshes"][0]["tried"][0], (folder_ / "far").string());
  EXPECT_NE(result.err.find("7 meshes of package far are missing"), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("--package"), result.err.rfind("--package")) << result.err;
}

// Four slabs in a row of three joints about z, each above the one before by a gap, and a fifth that
// is inside the first: its SRDF leaves out what never meets, and what always does.
class DoctorWrites : public test::ProgramTest {
 protected:
  std::string robot() {
    std::string text = "<robot name=\"r\">\n";
    for (int i = 0; i < 4; ++i)
      text += "<link name=\"l" + std::to_string(i) + "\"><collision><origin xyz=\"0.2 0 " +
              std::to_string(0.1 * i) +
              "\"/><geometry><box size=\"0.5 0.1 0.08\"/></geometry></collision></link>\n";
    text +=
        "<link name=\"core\"><collision><geometry><sphere "
        "radius=\"0.06\"/></geometry></collision></link>\n";
    for (int i = 1; i < 4; ++i)
      text += joint(i, "l" + std::to_string(i - 1), "l" + std::to_string(i));
    return file("r.urdf", text + joint(4, "l1", "core") + "</robot>");
  }
  static std::string joint(int i, const std::string& parent, const std::string& child) {
    return "<joint name=\"j" + std::to_string(i) + "\" type=\"revolute\"><parent link=\"" + parent +
           "\"/><child link=\"" + child +
           "\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" "
           "velocity=\"1\"/></joint>\n";
  }
};

TEST_F(DoctorWrites, AnSrdfThatCheckAndVerifyRead) {
  const std::string urdf = robot(), srdf = (folder_ / "r.srdf").string();
  const auto written = run_program({"doctor", urdf, "--write-srdf", srdf, "--json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const Json json = Json::parse(written.out);
  EXPECT_EQ(json["never_proved"].size(), 5u) << json;  // l0-l2, l0-l3, l1-l3, l2-core, l3-core
  EXPECT_EQ(json["always"].size(), 1u) << json;        // l0-core
  EXPECT_EQ(json["not_proved"], Json::array());
  EXPECT_EQ(run_program({"doctor", urdf, "--write-srdf", srdf + "2", "--json", "--threads", "1"})
                .exit_code,
            0);
  const std::string scene =
      file("scene.json",
           R"({"proven": 1, "robots": [{"name": "r", "urdf": "r.urdf", "srdf": "r.srdf"}]})");
  const std::string path =
      file("p.json", R"({"proven": 1, "joints": ["j1", "j2"], "waypoints": [[0, 0], [1, -1]]})");
  const auto checked = run_program(
      {"check", scene, path, "--json", "--certificate", (folder_ / "p.proof").string()});
  ASSERT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  std::map<std::string, int> reasons;
  const Json answer = Json::parse(checked.out);
  for (const Json& exclusion : answer["exclusions"])
    reasons[exclusion["reason"]] += exclusion["pairs"].get<int>();
  EXPECT_EQ(reasons["srdf_proved"], 5);
  EXPECT_EQ(reasons["srdf_default"], 1);
  const auto verified = run_program({"verify", scene, path, (folder_ / "p.proof").string()});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_NE(verified.out.find("not proved again here"), std::string::npos) << verified.out;

  // What another has written is not written over; what doctor wrote is.
  const std::string others = file("mine.srdf", "<robot name=\"r\"/>");
  const auto kept = run_program({"doctor", urdf, "--write-srdf", others});
  EXPECT_EQ(kept.exit_code, 4) << kept.out;
  EXPECT_NE(kept.err.find("doctor did not write it"), std::string::npos) << kept.err;
  EXPECT_EQ(run_program({"doctor", urdf, "--write-srdf", srdf + "2"}).exit_code, 0);

  // Of this model alone: a limit that was widened since is another.
  std::stringstream text;
  text << std::ifstream(urdf).rdbuf();
  std::string wider = text.str();
  const std::size_t limit = wider.find("upper=\"");
  ASSERT_NE(limit, std::string::npos);
  wider.insert(limit + 7, "1");
  file("wider.urdf", wider);
  const auto stale = run_program(
      {"check",
       file("wider.json",
            R"({"proven": 1, "robots": [{"name": "r", "urdf": "wider.urdf", "srdf": "r.srdf"}]})"),
       path});
  EXPECT_EQ(stale.exit_code, 4) << stale.out;
  EXPECT_NE(stale.err.find("about another model"), std::string::npos) << stale.err;

  // Within limits alone.
  const std::string beyond =
      file("b.json", R"({"proven": 1, "joints": ["j1"], "waypoints": [[0], [2]]})");
  EXPECT_EQ(run_program({"check", urdf, beyond, "--ignore-limits"}).exit_code, 1);  // l0 and core
  const auto refused = run_program({"check", scene, beyond});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_NE(refused.err.find("--ignore-limits accepts it"), std::string::npos) << refused.err;
  // Beyond them they are tested, as if nothing had been proved.
  const std::string proof = (folder_ / "b.proof").string();
  const auto tested =
      run_program({"check", scene, beyond, "--ignore-limits", "--json", "--certificate", proof});
  ASSERT_EQ(tested.exit_code, 0) << tested.out << tested.err;
  const Json told = Json::parse(tested.out);
  EXPECT_EQ(told["tested_pairs"], answer["tested_pairs"].get<int>() + 5);
  for (const Json& exclusion : told["exclusions"]) EXPECT_NE(exclusion["reason"], "srdf_proved");
  EXPECT_EQ(run_program({"verify", scene, beyond, proof, "--ignore-limits"}).exit_code, 0);
}

// What is not settled in time stays tested, and the file says so; the easy pairs come first.
TEST_F(DoctorWrites, WhatIsSettledInTimeAndSaysWhatIsNot) {
  const std::string urdf = robot(), srdf = (folder_ / "r.srdf").string();
  const auto cut =
      run_program({"doctor", urdf, "--write-srdf", srdf, "--json", "--budget", "1e-6"});
  EXPECT_EQ(cut.exit_code, 3) << cut.out;
  const Json json = Json::parse(cut.out);
  EXPECT_EQ(json["stopped"], "time");
  EXPECT_EQ(json["always"], Json::array());
  EXPECT_EQ(json["never_proved"], Json::array());
  EXPECT_EQ(json["not_proved"].size(), 6u) << json;
  EXPECT_NE(cut.err.find("6 of 6 pairs were not settled and are tested as before"),
            std::string::npos)
      << cut.err;
  std::stringstream text;
  text << std::ifstream(srdf).rdbuf();
  EXPECT_NE(text.str().find("6 of 6 pairs were not settled and are tested as before"),
            std::string::npos)
      << text.str();
  EXPECT_EQ(text.str().find("Never, proved for ...\""), std::string::npos);
  // It can be read, and is written over by a run with more time.
  const std::string scene = file(
      "s.json", R"({"proven": 1, "robots": [{"name": "r", "urdf": "r.urdf", "srdf": "r.srdf"}]})");
  EXPECT_EQ(run_program({"doctor", scene}).exit_code, 0);
  const auto whole = run_program({"doctor", urdf, "--write-srdf", srdf, "--json"});
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(Json::parse(whole.out)["stopped"], nullptr);
  EXPECT_NE(whole.err.find("at most 60 s"), std::string::npos) << whole.err;
  EXPECT_EQ(run_program({"doctor", urdf, "--write-srdf", srdf, "--quiet"}).err, "");
}

TEST_F(DoctorWrites, NothingForSeveralRobotsAndSaysSo) {
  robot();
  const std::string two = file(
      "two.json",
      R"({"proven": 1, "robots": [{"name": "a", "urdf": "r.urdf"}, {"name": "b", "urdf": "r.urdf", "pose": {"xyz": [3, 0, 0]}}]})");
  const auto result = run_program({"doctor", two, "--write-srdf", (folder_ / "x.srdf").string()});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("--write-srdf is for one robot, and the scene has 2"),
            std::string::npos);
  EXPECT_EQ(run_program({"doctor", two, "--max-boxes", "5"}).exit_code, 2);
}

}  // namespace
}  // namespace proven
