// What `doctor` says of the configurations in which a robot rests.
#include <map>
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
