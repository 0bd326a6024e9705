// `proven plan` and `proven smooth` as a user meets them.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "places.h"
#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class PlanCli : public test::ProgramTest {
 protected:
  std::string query(const std::string& start) const {
    return file("query.json",
                R"({"proven": 1, "joints": ["arm/joint_1", "arm/joint_2"], "start": )" + start +
                    R"(, "goal": [0.1, 0.2]})");
  }
  static std::string read(const fs::path& name) {
    std::ostringstream text;
    text << std::ifstream(name).rdbuf();
    return text.str();
  }
};

TEST_F(PlanCli, PlansSmoothsAndTheCheckAgrees) {
  const std::string path = folder_ / "path.json", shorter = folder_ / "shorter.json";
  const auto planned = run_program({"plan", "demo", "-o", path, "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Json json = Json::parse(planned.out);
  EXPECT_EQ(json["status"], "solved");
  EXPECT_EQ(json["proved"], true);
  EXPECT_GE(json["waypoints"].size(), 2u);
  EXPECT_EQ(run_program({"check", "demo", path}).exit_code, 0);
  const auto smoothed = run_program({"smooth", "demo", path, "-o", shorter, "--json"});
  ASSERT_EQ(smoothed.exit_code, 0) << smoothed.err;
  EXPECT_LE(Json::parse(smoothed.out)["length_after"], Json::parse(smoothed.out)["length_before"]);
  EXPECT_EQ(run_program({"check", "demo", shorter}).exit_code, 0);
  EXPECT_EQ(Json::parse(run_program({"plan", "demo", "--json", "--seed", "1"}).out)["waypoints"],
            json["waypoints"]);
}

// What is said of the margin is what `check` proves of the path, and no more is required of it.
TEST_F(PlanCli, KeepsAMarginAndSaysSo) {
  const std::string path = folder_ / "path.json", proof = folder_ / "path.proof";
  const auto planned =
      run_program({"plan", "demo", "--smooth", "-o", path, "--certificate", proof, "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Json json = Json::parse(planned.out);
  EXPECT_EQ(json["margin"]["asked"], 0.01);
  ASSERT_EQ(json["margin"]["kept"], 0.01) << planned.out;
  EXPECT_EQ(json["proved_clearance"]["world"], 0.01);
  EXPECT_EQ(json["proved_clearance"]["self"], 0);
  EXPECT_GE(json["length_ratio"], 1);
  EXPECT_EQ(json["num_waypoints"], json["waypoints"].size());
  EXPECT_EQ(run_program({"check", "demo", path, "--clearance", "0.01"}).exit_code, 0);
  EXPECT_EQ(run_program({"verify", "demo", path, proof}).exit_code, 0);
  const auto shaved = run_program({"plan", "demo", "--smooth", "--margin", "0", "-o", path});
  ASSERT_EQ(shaved.exit_code, 0) << shaved.err;
  EXPECT_EQ(shaved.out.find("margin"), std::string::npos) << shaved.out;
  EXPECT_EQ(run_program({"check", "demo", path, "--clearance", "0.01"}).exit_code, 1);
  const auto text = run_program({"smooth", "demo", path});
  EXPECT_NE(text.out.find("margin: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("the path as given"), std::string::npos) << text.out;
  EXPECT_EQ(run_program({"plan", "demo", "--margin", "-1"}).exit_code, 2);
}

TEST_F(PlanCli, TimesAPathAndProvesTheMotion) {
  const std::string path = folder_ / "path.json", motion = folder_ / "motion.json",
                    proof = folder_ / "motion.proof";
  ASSERT_EQ(run_program({"plan", "demo", "-o", path}).exit_code, 0);
  const auto timed = run_program({"time", "demo", path, "-o", motion, "--certificate", proof,
                                  "--json", "--acceleration", "2"});
  ASSERT_EQ(timed.exit_code, 0) << timed.out << timed.err;
  const Json json = Json::parse(timed.out);
  EXPECT_EQ(json["verdict"], "free");
  EXPECT_LE(json["seconds"], json["with_stops"]);
  EXPECT_EQ(json["degree"], 3);
  EXPECT_EQ(run_program({"check", "demo", motion}).exit_code, 0);
  const auto stopping =
      run_program({"time", "demo", path, "--json", "--acceleration", "2", "--stop"});
  EXPECT_NEAR(Json::parse(stopping.out)["seconds"].get<double>(), json["with_stops"].get<double>(),
              1e-6);
  const auto gentle = run_program({"time", "demo", path, "--jerk", "10"});
  EXPECT_NE(gentle.out.find("of degree 5"), std::string::npos) << gentle.out;
  // What a driver reads is the same curve, with rates or with accelerations too.
  for (const bool gently : {false, true}) {
    const std::string driver = folder_ / "motion.yaml";
    std::vector<std::string> command = {"time", "demo", path, "-o", driver};
    if (gently) command.insert(command.end(), {"--jerk", "20"});
    const auto written = run_program(command);
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(run_program({"check", "demo", driver}).exit_code, 0);
  }
  EXPECT_EQ(run_program({"time", "demo", path, "--no-proof", "--certificate", proof}).exit_code, 2);
  EXPECT_NE(run_program({"time", "demo", path, "--no-proof"}).out.find("not proved"),
            std::string::npos);
  EXPECT_EQ(run_program({"time", "demo", path, "--clearance", "0.5"}).exit_code, 1);
  const auto planned = run_program(
      {"plan", "demo", "--smooth", "--timed", "--json", "-o", motion, "--certificate", proof});
  ASSERT_EQ(planned.exit_code, 0) << planned.out << planned.err;
  const Json timing = Json::parse(planned.out)["timing"];
  EXPECT_LE(timing["seconds"], timing["with_stops"]);
}

TEST_F(PlanCli, ResultsCarryCertificatesThatVerifyAccepts) {
  const std::string path = folder_ / "path.json", proof = folder_ / "path.proof";
  const std::string shorter = folder_ / "shorter.json", short_proof = folder_ / "shorter.proof";
  std::vector<std::vector<std::string>> commands = {
      {"plan", "demo"},
      {"plan", "demo", "--smooth", "--clearance", "0.002"},
      {"plan", "demo", "--planner", "a-sbl", "--tracking-error", "0.001"},
      {"plan", "demo", "--planner", "lazy-prm"}};
  if (run_program({"plan", "demo", "--list"}).out.find("ompl:") != std::string::npos)
    commands.push_back({"plan", "demo", "--planner", "ompl:RRTConnect"});
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command.back());
    command.insert(command.end(), {"-o", path, "--certificate", proof, "--json"});
    const auto planned = run_program(command);
    ASSERT_EQ(planned.exit_code, 0) << planned.out << planned.err;
    EXPECT_EQ(Json::parse(planned.out)["certificate"], proof);
    const auto verified = run_program({"verify", "demo", path, proof});
    EXPECT_EQ(verified.exit_code, 0) << verified.out;
    const auto smoothed = run_program(
        {"smooth", "demo", path, "-o", shorter, "--certificate", short_proof, "--json"});
    ASSERT_EQ(smoothed.exit_code, 0) << smoothed.out << smoothed.err;
    EXPECT_EQ(Json::parse(smoothed.out)["certificate"], short_proof);
    EXPECT_EQ(run_program({"verify", "demo", shorter, short_proof}).exit_code, 0);
    fs::remove(proof);
    fs::remove(short_proof);
  }
  EXPECT_EQ(run_program({"plan", "demo", "--planner", "sbl", "--certificate", proof}).exit_code, 4);
  EXPECT_FALSE(fs::exists(proof));
}

// Two arms of one link each; the group moves one of them.
TEST_F(PlanCli, PlansForAGroupOfJoints) {
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  };
  std::string urdf = R"(<robot name="pair"><link name="base"/>)";
  for (const char* side : {"left", "right"}) {
    const std::string s = side;
    for (const std::string& part :
         {"<link name='" + s + R"('><collision><origin xyz="0.5 0 0"/><geometry>)",
          R"(<box size="0.9 0.05 0.05"/></geometry></collision></link><joint name=")" + s,
          R"(_turn" type="revolute"><parent link="base"/><child link=")" + s,
          std::string(R"("/><origin xyz=")") + (s == "left" ? "0 0 0" : "0 3 0"),
          std::string(R"("/><axis xyz="0 0 1"/><limit lower="-3" upper="3")"),
          std::string(R"( effort="1" velocity="1"/></joint>)")})
      urdf += part;
  }
  write("pair.urdf", urdf + "</robot>");
  write("pair.srdf",
        R"(<robot name="pair"><group name="left_arm"><joint name="left_turn"/></group>)"
        R"(<group name="both"><joint name="left_turn"/><joint name="right_turn"/></group>)"
        R"(</robot>)");
  write("cell.json", R"({"proven": 1, "robots": [{"name": "pair", "urdf": "pair.urdf",
                         "srdf": "pair.srdf"}],
                         "obstacles": [{"name": "post", "box": [0.1, 0.1, 1],
                                        "pose": {"xyz": [-0.6, 0, 0]}}]})");
  write("one.json", R"({"proven": 1, "joints": ["pair/left_turn", "pair/right_turn"],
                        "start": [-1, 0.5], "goal": [1, 0.5]})");
  write("two.json", R"({"proven": 1, "joints": ["pair/left_turn", "pair/right_turn"],
                        "start": [-1, 0.5], "goal": [1, 1.5]})");
  const std::string cell = folder_ / "cell.json", one = folder_ / "one.json",
                    two = folder_ / "two.json", path = folder_ / "path.json",
                    proof = folder_ / "proof";
  const auto planned = run_program(
      {"plan", cell, one, "--group", "left_arm", "-o", path, "--certificate", proof, "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.out << planned.err;
  const Json result = Json::parse(planned.out);
  for (const Json& q : result["waypoints"]) EXPECT_EQ(q[1], 0.5);
  EXPECT_EQ(run_program({"verify", cell, path, proof}).exit_code, 0);
  EXPECT_EQ(run_program({"plan", cell, two, "--group", "both"}).exit_code, 0);
  // The other arm would have to move, and an unknown group is named with those that exist.
  const auto outside = run_program({"plan", cell, two, "--group", "left_arm"});
  EXPECT_EQ(outside.exit_code, 4);
  EXPECT_NE(outside.err.find("pair/right_turn"), std::string::npos) << outside.err;
  const auto unknown = run_program({"plan", cell, one, "--group", "legs"});
  EXPECT_EQ(unknown.exit_code, 4);
  EXPECT_NE(unknown.err.find("left_arm"), std::string::npos) << unknown.err;
}

TEST_F(PlanCli, SameSeedSamePath) {
  for (const char* planner : {"rrt-connect", "prm"}) {
    const auto waypoints = [&] {
      const auto result =
          run_program({"plan", "demo", "--planner", planner, "--seed", "7", "--json"});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      return Json::parse(result.out)["waypoints"];
    };
    EXPECT_EQ(waypoints(), waypoints()) << planner;
  }
}

TEST_F(PlanCli, BadStartsAreExplained) {
  const auto beyond = run_program({"plan", "demo", query("[99, 0]")});
  EXPECT_EQ(beyond.exit_code, 4);
  EXPECT_NE(beyond.out.find("arm/joint_1"), std::string::npos) << beyond.out << beyond.err;
  const auto none = run_program({"plan", "planar-3"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(run_program({"plan", "demo", "--planner", "magic"}).exit_code, 4);
}

TEST_F(PlanCli, ABudgetThatRunsOutIsUndecided) {
  EXPECT_EQ(run_program({"plan", "demo", "--max-iterations", "0"}).exit_code, 3);
}

TEST_F(PlanCli, ListsThePlanners) {
  const auto list = run_program({"plan", "demo", "--list"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.out.find("a-sbl"), std::string::npos);
}

const std::string kFold = test::source_dir() + "/tests/regression/fold.json";

TEST_F(PlanCli, GoalsByTheirNames) {
  const auto planned = run_program({"plan", kFold, "--start", "near", "--goal", "far", "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Json json = Json::parse(planned.out);
  EXPECT_EQ(json["waypoints"].front(), Json::parse("[0, 0.25]"));
  EXPECT_EQ(json["waypoints"].back(), Json::parse("[1, 0]"));
  // From home unless the start is named; home has a name, too.
  const auto home = run_program({"plan", kFold, "--start", "both/far", "--goal", "home", "--json"});
  ASSERT_EQ(home.exit_code, 0) << home.err;
  EXPECT_EQ(Json::parse(home.out)["waypoints"].back(), Json::parse("[0, 0]"));
  const auto unknown = run_program({"plan", kFold, "--goal", "fa"});
  EXPECT_EQ(unknown.exit_code, 4);
  for (const char* part : {"--goal", "'fa'", "fold/both/near", "fold/both/far", "home"})
    EXPECT_NE(unknown.err.find(part), std::string::npos) << part << ": " << unknown.err;
  EXPECT_EQ(run_program({"plan", kFold, "--start", "nowhere", "--goal", "far"}).exit_code, 4);
}

TEST_F(PlanCli, GoalsThatArePoses) {
  // The tip is at 1 + out - back; it cannot turn.
  const auto planned =
      run_program({"plan", kFold, "--goal-pose", "1.5 0 0", "--tool", "fold/tip", "--json"});
  ASSERT_EQ(planned.exit_code, 0) << planned.err;
  const Json json = Json::parse(planned.out);
  const Json end = json["waypoints"].back();
  EXPECT_NEAR(1 + end[0].get<double>() - end[1].get<double>(), 1.5, 1e-6);
  EXPECT_EQ(json["pose_goal"]["configuration"], end);
  EXPECT_LE(json["pose_goal"]["distance"], 1e-6);
  const std::string query = file("query.json", R"({"proven": 1, "start": "near", "goal":
      {"link": "fold/tip", "frame": {"xyz": [0.5, 0, 0]}, "xyz": [1.5, 0, 0], "free": "all"}})");
  const auto from_file = run_program({"plan", kFold, query, "--json"});
  ASSERT_EQ(from_file.exit_code, 0) << from_file.err;
  const Json there = Json::parse(from_file.out)["waypoints"].back();
  EXPECT_NEAR(1 + there[0].get<double>() - there[1].get<double>(), 1, 1e-6);
  // Turned: no configuration; free about the axis of that turn: there is one again.
  const std::string turned = "1.5 0 0 0 0 0.5";
  const std::vector<std::string> command = {"plan",     kFold,         "--tool",
                                            "fold/tip", "--goal-pose", turned};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return run_program(more);
  };
  const auto refused = with({"--json"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_EQ(Json::parse(refused.out)["status"], "budget");
  EXPECT_NE(refused.out.find("no configuration was found"), std::string::npos) << refused.out;
  EXPECT_EQ(with({"--free-axes", "z"}).exit_code, 0);
  EXPECT_EQ(with({"--free-axes", "x"}).exit_code, 3);
  EXPECT_EQ(with({"--angle-tolerance", "0.6"}).exit_code, 0);
  // A pose is a goal of `plan` alone, and its options belong together.
  EXPECT_EQ(run_program({"plan", kFold, "--goal-pose", "1 0 0"}).exit_code, 2);
  EXPECT_EQ(run_program({"plan", kFold, "--tool", "fold/tip"}).exit_code, 2);
  EXPECT_EQ(run_program({"plan", kFold, "--goal-pose", "1 0", "--tool", "fold/tip"}).exit_code, 4);
  EXPECT_EQ(run_program({"plan", kFold, "--goal-pose", "1 0 0", "--tool", "tip"}).exit_code, 4);
}

// With a budget the path gets shorter until that is spent, and is proved as it is written.
TEST_F(PlanCli, ABudgetIsSpentOnShorterPaths) {
  const std::string path = folder_ / "path.json", proof = folder_ / "path.proof";
  const auto first = run_program({"plan", "demo", "--json", "--margin", "0"});
  const auto last = run_program({"plan", "demo", "--json", "--margin", "0", "--budget", "1", "-o",
                                 path, "--certificate", proof});
  ASSERT_EQ(last.exit_code, 0) << last.err;
  const Json before = Json::parse(first.out), after = Json::parse(last.out);
  EXPECT_EQ(before["first_length"], before["length"]);
  EXPECT_EQ(before["rounds"], 0);
  EXPECT_EQ(after["first_length"], before["length"]);
  EXPECT_LT(after["length"], after["first_length"]);
  EXPECT_GT(after["rounds"], 0);
  EXPECT_EQ(run_program({"verify", "demo", path, proof}).exit_code, 0);
  const auto smoothed = run_program({"smooth", "demo", path, "--budget", "0.3", "--json"});
  ASSERT_EQ(smoothed.exit_code, 0) << smoothed.err;
  EXPECT_LE(Json::parse(smoothed.out)["length_after"], Json::parse(smoothed.out)["length_before"]);
  EXPECT_GT(Json::parse(smoothed.out)["rounds"], 0);
}

// Lines of one file, each answered as if it were alone, whatever proves them.
TEST_F(PlanCli, ManyQueriesAndPathsAnswerLikeOneByOne) {
  const Json demo = Json::parse(run_program({"plan", "demo", "--json"}).out);
  std::vector<std::string> queries;
  for (const double turn : {0.0, 0.3, -0.4, 9.0}) {
    Json query = {{"proven", 1}, {"joints", demo["joints"]}, {"start", demo["waypoints"].front()}};
    query["goal"] = demo["waypoints"].back();
    query["goal"][0] = query["goal"][0].get<double>() + turn;
    queries.push_back(query.dump());
  }
  queries.insert(queries.begin() + 1, "{}");
  std::string lines;
  for (const std::string& query : queries) lines += query + "\n";
  const std::string many = file("many.jsonl", lines);
  const fs::path paths = folder_ / "paths", proofs = folder_ / "proofs", again = folder_ / "again";
  const auto planned = run_program({"plan", "demo", many, "--smooth", "--json", "-o", paths,
                                    "--certificate", proofs, "--threads", "2"});
  EXPECT_EQ(planned.exit_code, 4);
  // Who asks for a GPU is told that there is none, once.
  ::setenv("PROVEN_CUDA_LIBRARY", "no such file", 1);
  const auto by_threads = run_program(
      {"plan", "demo", many, "--smooth", "-o", again, "--device", "automatic", "--threads", "1"});
  const auto quietly =
      run_program({"plan", "demo", many, "--device", "automatic", "--threads", "1", "--quiet"});
  ::unsetenv("PROVEN_CUDA_LIBRARY");
  EXPECT_EQ(by_threads.exit_code, 4);
  const std::string remark = "threads do the work";
  const auto at = by_threads.err.find(remark);
  EXPECT_NE(at, std::string::npos) << by_threads.err;
  EXPECT_EQ(by_threads.err.find(remark, at + 1), std::string::npos) << by_threads.err;
  EXPECT_EQ(quietly.err.find(remark), std::string::npos) << quietly.err;
  // A budget is one for each query.
  const auto refused = run_program({"plan", "demo", many, "--budget", "1", "--threads", "2"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("one after the other"), std::string::npos) << refused.err;
  std::istringstream out(planned.out);
  std::string line, found;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ASSERT_TRUE(std::getline(out, line));
    Json json = Json::parse(line);
    const std::string name = std::to_string(i + 1) + ".json";
    const std::string one = folder_ / "one.json";
    fs::remove(one);
    const auto alone = run_program(
        {"plan", "demo", file("query.json", queries[i]), "--smooth", "--json", "-o", one});
    EXPECT_EQ(fs::exists(paths / name), alone.exit_code == 0) << i;
    if (alone.exit_code != 0) continue;
    EXPECT_EQ(read(paths / name), read(one)) << i;
    EXPECT_EQ(read(again / name), read(one)) << i;
    const std::string proof = proofs / (std::to_string(i + 1) + ".proof");
    EXPECT_EQ(run_program({"verify", "demo", paths / name, proof}).exit_code, 0);
    EXPECT_EQ(json["file"], (paths / name).string());
    EXPECT_EQ(json["waypoints"], Json::parse(alone.out)["waypoints"]);
    found += Json::parse(read(one)).dump() + "\n";
  }
  const auto unsmoothed =
      run_program({"plan", "demo", file("all.jsonl", queries[0] + "\n"), "-o", paths});
  EXPECT_EQ(unsmoothed.exit_code, 0) << unsmoothed.err;
  const std::string rough =
      file("rough.jsonl", Json::parse(read(paths / "1.json")).dump() + "\n[]\n" + found);
  const fs::path shorter = folder_ / "shorter";
  const auto smoothed = run_program({"smooth", "demo", rough, "-o", shorter, "--json"});
  EXPECT_EQ(smoothed.exit_code, 4);  // the second line is no path
  const std::string one = folder_ / "one.json";
  ASSERT_EQ(run_program({"smooth", "demo", paths / "1.json", "-o", one}).exit_code, 0);
  EXPECT_EQ(read(shorter / "1.json"), read(one));
  EXPECT_FALSE(fs::exists(shorter / "2.json"));
  std::istringstream answers(smoothed.out);
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_LT(Json::parse(line)["length_after"], Json::parse(line)["length_before"]);
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_TRUE(Json::parse(line).contains("error"));
}

}  // namespace
}  // namespace proven
