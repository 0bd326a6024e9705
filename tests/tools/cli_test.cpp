// The program as a user meets it: output, exit codes, errors.
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "places.h"
#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class Cli : public test::ProgramTest {};

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

TEST_F(Cli, HelpAndVersionSucceed) {
  EXPECT_EQ(run_program({"--help"}).exit_code, 0);
  EXPECT_EQ(run_program({"--version"}).exit_code, 0);
  const auto help = run_program({"doctor", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("Examples"), std::string::npos);
}

TEST_F(Cli, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run_program({}).exit_code, 2);
  EXPECT_EQ(run_program({"nonsense"}).exit_code, 2);
  EXPECT_EQ(run_program({"doctor"}).exit_code, 2);
  EXPECT_EQ(run_program({"bench", "nonsense"}).exit_code, 2);
  EXPECT_EQ(run_program({"distance", "demo", "--method", "magic"}).exit_code, 2);
}

TEST_F(Cli, DoctorDescribesABuiltInScene) {
  const auto result = run_program({"doctor", "cage-a", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["joints"].size(), 6u);
  EXPECT_GT(json["tested_pairs"], 50);
  EXPECT_FALSE(json["excluded_pairs"].empty());
  EXPECT_EQ(json["hash"].get<std::string>().size(), 32u);
}

TEST_F(Cli, EveryBuiltInSceneSurvivesWritingAndReading) {
  for (const std::string name : {"demo", "gantry", "lever", "free-flyer"}) {
    const std::string folder = folder_ / name;
    ASSERT_EQ(run_program({"scene", name, "-o", folder}).exit_code, 0);
    const auto direct = run_program({"doctor", name, "--json"});
    const auto read = run_program({"doctor", folder + "/scene.json", "--json"});
    ASSERT_EQ(read.exit_code, 0) << read.err;
    EXPECT_EQ(Json::parse(direct.out)["hash"], Json::parse(read.out)["hash"]) << name;
  }
}

TEST_F(Cli, DistanceFindsTheCollisionOfABuriedArm) {
  const auto free = run_program({"distance", "demo", "--json"});
  ASSERT_EQ(free.exit_code, 0) << free.err;
  const Json json = Json::parse(free.out);
  ASSERT_FALSE(json["pairs"].empty());
  EXPECT_GT(json["pairs"][0]["distance"], 0);
  const auto greedy =
      Json::parse(run_program({"distance", "demo", "--json", "--method", "greedy"}).out);
  std::map<std::string, double> exact;
  for (const Json& row : json["pairs"]) exact[row["pair"].dump()] = row["distance"];
  for (const Json& row : greedy["pairs"])
    EXPECT_LE(row["distance"].get<double>(), exact[row["pair"].dump()] + 1e-12);

  const std::string scene = file("buried.json", R"({"proven": 1,
    "robots": [{"name": "arm", "urdf": "arm.urdf"}],
    "obstacles": [{"name": "rock", "sphere": 2, "pose": {"xyz": [0, 0, 0.5]}}]})");
  file("arm.urdf", R"(<robot name="arm"><link name="base"/><link name="tip"><collision><geometry>
    <box size="0.1 0.1 0.1"/></geometry></collision></link>
    <joint name="j" type="continuous"><parent link="base"/><child link="tip"/>
    <origin xyz="0 0 0.5"/></joint></robot>)");
  EXPECT_EQ(run_program({"distance", scene}).exit_code, 1);
}

// A bar of 1 m that turns about z beside a thin post at 2.1 rad.
constexpr const char* kTurnScene = R"({"proven": 1,
    "robots": [{"name": "bar", "urdf": "bar.urdf"}],
    "obstacles": [{"name": "post", "cylinder": {"radius": 0.001, "length": 1},
                   "pose": {"xyz": [-0.45436, 0.77688, 0]}}]})";
constexpr const char* kTurnRobot = R"(<robot name="bar"><link name="base"/><link name="bar">
    <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision>
    </link><joint name="turn" type="continuous"><parent link="base"/><child link="bar"/>
    <axis xyz="0 0 1"/></joint></robot>)";

TEST_F(Cli, CheckTellsFreeCollisionAndUndecided) {
  const std::string scene = file("turn.json", kTurnScene);
  file("bar.urdf", kTurnRobot);
  const std::string free =
      file("free.json", R"({"proven": 1, "joints": ["bar/turn"], "waypoints": [[0], [1], [2]]})");
  const std::string hit =
      file("hit.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [2], [6]]})");
  const auto proved = run_program({"check", scene, free, "--json"});
  ASSERT_EQ(proved.exit_code, 0) << proved.err;
  const Json json = Json::parse(proved.out);
  EXPECT_EQ(json["verdict"], "free");
  EXPECT_EQ(json["segments"], 2);
  EXPECT_TRUE(json["collision"].is_null());
  // The same from standard input.
  const std::string piped = test::shell_quoted(test::program()) + " check --quiet " +
                            test::shell_quoted(scene) + " - > /dev/null < ";
  EXPECT_EQ(std::system((piped + test::shell_quoted(free)).c_str()), 0);
  EXPECT_NE(std::system((piped + test::shell_quoted(hit)).c_str()), 0);
  EXPECT_EQ(json["tested_pairs"], 1);
  EXPECT_EQ(json["resolution"], 1e-6);

  const auto refuted = run_program({"check", scene, hit, "--json"});
  ASSERT_EQ(refuted.exit_code, 1) << refuted.err;
  const Json collision = Json::parse(refuted.out)["collision"];
  EXPECT_EQ(collision["segment"], 1);
  EXPECT_NEAR(collision["configuration"][0].get<double>(), 2.1, 0.05);
  EXPECT_EQ(collision["pair"], Json({"bar/bar", "post"}));

  const auto sampled = run_program({"check", scene, free, "--checker", "fixed", "--json"});
  EXPECT_EQ(sampled.exit_code, 3);
  const Json undecided = Json::parse(sampled.out)["undecided"];
  EXPECT_EQ(undecided["reason"], "sampled_only");
  EXPECT_EQ(undecided["text"], "no collision found at this step; sampling proves nothing");
  EXPECT_EQ(run_program({"check", scene, hit, "--checker", "refined"}).exit_code, 1);
  const auto close = run_program({"check", scene, free, "--clearance", "0.5", "--json"});
  EXPECT_EQ(close.exit_code, 1);
  EXPECT_EQ(Json::parse(close.out)["collision"]["kind"], "too_close");
  EXPECT_EQ(run_program({"check", scene, free, "--clearance", "-1"}).exit_code, 2);
  const std::string tight =
      file("tight.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [2.08]]})");
  EXPECT_EQ(run_program({"check", scene, tight}).exit_code, 0);
  EXPECT_EQ(run_program({"check", scene, tight, "--max-cells", "1"}).exit_code, 3);
}

TEST_F(Cli, CheckFirstBoundsTheContact) {
  const std::string scene = file("turn.json", kTurnScene);
  file("bar.urdf", kTurnRobot);
  const std::string hit =
      file("hit.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [6]]})");
  const Json json = Json::parse(run_program({"check", scene, hit, "--first", "--json"}).out);
  const double t = json["collision"]["t"], t_lower = json["collision"]["t_lower"];
  EXPECT_LE(t_lower, t);
  EXPECT_LT(t - t_lower, 1e-5);
  // The bar's side reaches the post's near side: 2.1 rad less (0.01 + 0.001) / 0.9 of its way.
  EXPECT_NEAR(6 * t, 2.1 - std::asin(0.011 / 0.9), 1e-4);
}

TEST_F(Cli, ManyPathsInOneRunAnswerLikeOneByOne) {
  const std::string scene = file("turn.json", kTurnScene);
  file("bar.urdf", kTurnRobot);
  std::string lines;
  std::vector<std::string> single;
  for (int i = 0; i < 10000; ++i) {
    const double from = 0.001 * (i % 3000), to = from + 0.0007 * (i % 1111);
    single.push_back("{\"proven\": 1, \"joints\": [\"turn\"], \"waypoints\": [[" +
                     std::to_string(from) + "], [" + std::to_string(to) + "]]}");
    lines += i == 77 ? "{\"proven\": 1, \"joints\": 5}\n" : single.back() + "\n";
  }
  const std::string many = file("many.jsonl", lines);
  const auto result = run_program({"check", scene, many, "--json"});
  EXPECT_EQ(result.exit_code, 4);  // the worst: line 78 is bad
  std::istringstream out(result.out);
  std::string line;
  std::map<std::string, int> verdicts;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(std::getline(out, line)) << i;
    Json json = Json::parse(line);
    if (i == 77) {
      EXPECT_TRUE(json.contains("error"));
      continue;
    }
    ++verdicts[json["verdict"]];
    if (i % 500 != 3) continue;
    const auto one = run_program(
        {"check", scene, file("one.json", single[static_cast<std::size_t>(i)]), "--json"});
    Json alone = Json::parse(one.out);
    json["stats"].erase("seconds");
    alone["stats"].erase("seconds");
    EXPECT_EQ(json, alone);
  }
  EXPECT_FALSE(std::getline(out, line));
  EXPECT_GT(verdicts["free"], 1000);
  EXPECT_GT(verdicts["collision"], 1000);
  const auto one_thread = run_program({"check", scene, many, "--threads", "1"});
  const auto two_threads = run_program({"check", scene, many, "--threads", "2"});
  EXPECT_EQ(one_thread.out, two_threads.out);
}

TEST_F(Cli, DoctorDescribesAPathAlone) {
  const std::string path =
      file("p.json", R"({"proven": 1, "joints": ["a/b"], "waypoints": [[1], [-2]]})");
  const auto result = run_program({"doctor", path, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out)["path"];
  EXPECT_EQ(json["waypoints"], 2);
  EXPECT_EQ(json["joints"][0]["lower"], -2);
  EXPECT_EQ(run_program({"doctor", file("q.json", R"({"proven": 1, "joints": ["a/b"],
      "waypoints": [[1, 2]]})")})
                .exit_code,
            4);
}

TEST_F(Cli, DemoWritesItsReport) {
  const std::string page = folder_ / "demo.html";
  const auto result = run_program({"demo", "--report", page, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["straight"]["verdict"], "collision");
  EXPECT_EQ(json["detour"]["verdict"], "free");
#ifndef PROVEN_HAS_VIEWER
  PROVEN_REQUIRE_TOOL(false, "the viewer (npm and its packages)");
#endif
  std::stringstream html;
  html << std::ifstream(page).rdbuf();
  EXPECT_NE(html.str().find("\"proven_view\":1"), std::string::npos);
  EXPECT_EQ(html.str().find("src="), std::string::npos) << "the page must load nothing";
}

TEST_F(Cli, MissingMeshListsEveryPathTried) {
  const std::string urdf = file("arm.urdf", R"(<robot name="arm"><link name="base"><collision>
    <geometry><mesh filename="package://arm_description/meshes/base.stl"/></geometry></collision>
    </link></robot>)");
  const auto result = run_program({"doctor", urdf});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_TRUE(is_one_line(result.err)) << result.err;
  EXPECT_NE(result.err.find("arm.urdf:"), std::string::npos);
  EXPECT_NE(result.err.find("meshes/base.stl"), std::string::npos);
}

TEST_F(Cli, DataGoesToStdoutAndNothingElse) {
  const auto result = run_program({"scene", "--json"});
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(Json::accept(result.out));
}

// Each broken file gives exit 4 and one line that names the place and the cause.
TEST_F(Cli, BadInputGivesOneHelpfulLine) {
  const fs::path folder = fs::path(test::source_dir()) / "tests/bad_input";
  const Json manifest = Json::parse(std::ifstream(folder / "manifest.json"));
  int count = 0;
  for (const Json& entry : manifest) {
    std::vector<std::string> arguments;
    for (const std::string argument : entry["args"])
      arguments.push_back(fs::exists(folder / argument) ? (folder / argument).string() : argument);
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 4) << entry.dump() << result.out << result.err;
    EXPECT_TRUE(is_one_line(result.err)) << entry.dump() << "\n" << result.err;
    EXPECT_NE(result.err.find(entry["error"].get<std::string>()), std::string::npos)
        << entry.dump() << "\n"
        << result.err;
    ++count;
  }
  EXPECT_GE(count, 60);
}

TEST_F(Cli, EveryRealRobotIsAccepted) {
  PROVEN_REQUIRE_DATA("robots");
  int count = 0;
  for (const char* folder : {"robots", "motionbenchmaker/panda", "motionbenchmaker/ur5"})
    for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / folder)) {
      if (entry.path().extension() != ".urdf") continue;
      const auto result = run_program({"doctor", entry.path(), "--json"});
      EXPECT_EQ(result.exit_code, 0) << entry.path() << result.err;
      EXPECT_GE(Json::parse(result.out)["joints"].size(), 6u);
      ++count;
    }
  EXPECT_GE(count, 9);
}

// From MJCF to a proof: what was converted is what check and verify read.
TEST_F(Cli, ConvertedRobotsAreProved) {
  const std::string model = file("arm.xml", R"(<mujoco model="arm"><worldbody>
<geom type="box" size="1 1 0.1" pos="0 0 -0.5"/><body name="upper"><joint name="j" pos="0 0 0.1"/>
<geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/><body name="lower" pos="0.5 0 0">
<joint name="k" pos="0 0 0.1"/><geom size="0.1"/></body></body></worldbody>
<keyframe><key name="out" qpos="1 0.5"/></keyframe></mujoco>)");
  const std::string urdf = folder_ / "arm.urdf", srdf = folder_ / "arm.srdf";
  const auto alone = run_program({"convert", model, "-o", urdf});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_NE(alone.err.find("--srdf FILE writes them"), std::string::npos) << alone.err;
  EXPECT_EQ(run_program({"convert", model, "-o", urdf, "--quiet"}).err, "");
  const auto both = run_program({"convert", model, "-o", urdf, "--srdf", srdf, "--json"});
  EXPECT_EQ(Json::parse(both.out)["srdf"], srdf) << both.err;
  const std::string scene = file("scene.json", R"({"proven": 1, "robots": [
{"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf"}]})");
  const std::string motion =
      file("path.json", R"({"proven": 1, "joints": ["j", "k"], "waypoints": [[0, 0], "out"]})");
  const std::string proof = folder_ / "proof.cert";
  const auto check = run_program({"check", scene, motion, "--certificate", proof});
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
  EXPECT_NE(check.out.find("SRDF: Adjacent"), std::string::npos) << check.out;
  EXPECT_EQ(run_program({"verify", scene, motion, proof}).exit_code, 0);
}

// A point of each kind: each goes for its own reason, and only if that is asked for.
TEST_F(Cli, CloudSaysWhatItTakesOut) {
  const std::string arm = file("arm.urdf", R"(<robot name="arm"><link name="base"><collision>
<geometry><box size="0.2 0.2 2"/></geometry></collision></link></robot>)");
  const std::string header =
      "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH 6\nHEIGHT 1\nPOINTS 6\nDATA "
      "ascii\n";
  const std::string scan =
      file("scan.pcd", header + "9 0 1\n1 0 0\n0.05 0 1\n0.15 0 0.5\n1 1 1\nnan nan nan\n");
  const std::string out = folder_ / "seen.npy";
  const auto counts = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"cloud", arm, scan, out, "--json", "--unknown-free"});
    const auto result = run_program(more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const Json json = Json::parse(result.out);
    return std::vector<int>{json["not_seen"], json["outside"], json["ground"], json["robot"],
                            json["left"]};
  };
  EXPECT_EQ(counts({}), (std::vector<int>{1, 0, 0, 0, 5}));
  EXPECT_EQ(counts({"--region-low", "-2 -2 -2", "--region-high", "2 2 2"}),
            (std::vector<int>{1, 1, 0, 0, 4}));
  EXPECT_EQ(counts({"--ground", "0"}), (std::vector<int>{1, 0, 1, 0, 4}));
  EXPECT_EQ(counts({"--own-body"}), (std::vector<int>{1, 0, 0, 1, 4}));
  EXPECT_EQ(counts({"--own-body", "--padding", "0.06", "--ground", "0"}),
            (std::vector<int>{1, 0, 1, 2, 2}));
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    more.insert(more.begin(), {"cloud", arm, scan});
    const auto result = run_program(more);
    EXPECT_EQ(result.exit_code, 4) << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  refused({out}, "1 points were not seen");
  refused({out, "--unknown-free", "--region-low", "0 0 0"}, "two corners");
  refused({out, "--unknown-free", "--padding", "0.1"}, "padding needs");
  refused({out, "--unknown-free", "--ground", "low"}, "expected a height");
  refused({folder_ / "seen.pcd", "--unknown-free"}, ".npy");
}

}  // namespace
}  // namespace proven
