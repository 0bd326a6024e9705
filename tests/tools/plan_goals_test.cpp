// Several goals, many queries and constraints along the path, as a user of `plan` and `check` meets
// them.
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

// A tip at 1 + out - back along x; `near` is [0, 0.25], `far` is [1, 0].
const std::string kFold = test::source_dir() + "/tests/regression/fold.json";

class PlanGoals : public test::ProgramTest {
 protected:
  static Json json_of(Words call, int exit_code = 0) {
    call.push_back("--json");
    const auto result = run_program(call);
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    return Json::parse(result.out, nullptr, false);
  }
  static std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
  }
};

TEST_F(PlanGoals, ValuesOnTheCommandLine) {
  EXPECT_EQ(json_of({"plan", kFold, "--goal", "0.5 0.25"})["waypoints"].back(),
            Json::parse("[0.5, 0.25]"));
  // With or without the robot's name; what is not named stays where the start has it.
  EXPECT_EQ(json_of({"plan", kFold, "--start", "near", "--goal", "out=0.5"})["waypoints"].back(),
            Json::parse("[0.5, 0.25]"));
  EXPECT_EQ(json_of({"plan", kFold, "--start", "fold/back=0.125 fold/out=0", "--goal",
                     "fold/out=0.25"})["waypoints"],
            Json::parse("[[0, 0.125], [0.25, 0.125]]"));
  for (const char* bad : {"0.5", "0.5 0.1 0.1", "out=0.5 0.1", "outt=0.5", "out=x"}) {
    const auto refused = run_program({"plan", kFold, "--goal", bad});
    EXPECT_EQ(refused.exit_code, 4) << bad;
    EXPECT_NE(refused.err.find("--goal"), std::string::npos) << refused.err;
  }
}

TEST_F(PlanGoals, AnyOfSeveralWillDo) {
  // The first is beyond its limits.
  const Json two = json_of({"plan", kFold, "--goal", "50 0", "--goal", "far"});
  EXPECT_EQ(two["goal"], 1);
  EXPECT_EQ(two["waypoints"].back(), Json::parse("[1, 0]"));
  const Json posed = json_of({"plan", kFold, "--goal", "50 0", "--goal-pose", "40 0 0",
                              "--goal-pose", "1.5 0 0", "--tool", "fold/tip"});
  EXPECT_EQ(posed["goal"], 2);
  EXPECT_LE(posed["pose_goal"]["distance"], 1e-6);
  const std::string query = file("goals.json", R"({"proven": 1, "group": "both",
      "start": "near", "goals": [[1, 0], "near",
      {"link": "fold/tip", "xyz": [1.5, 0, 0], "free": "all"}]})");
  const Json from_file = json_of({"plan", kFold, query});
  EXPECT_EQ(from_file["goal"], 0);
  // None of them: as with a single one.
  const Json none = json_of({"plan", kFold, "--goal", "50 0", "--goal", "60 0"}, 4);
  EXPECT_EQ(none["status"], "goal_invalid");
  EXPECT_EQ(none["goal"], nullptr);
  for (const char* bad : {R"("goal": [0, 0], "goals": [[0, 0]])", R"("goals": [])",
                          R"("goals": [[0]])", R"("goals": [0, 0])", R"("goals": ["nowhere"])"}) {
    const std::string wrong =
        file("wrong.json", std::string(R"({"proven": 1, "start": "near", )") + bad + "}");
    const auto refused = run_program({"plan", kFold, wrong});
    EXPECT_EQ(refused.exit_code, 4) << bad;
    EXPECT_NE(refused.err.find("wrong.json:1: goal"), std::string::npos) << refused.err;
  }
}

// The tip is within 1 + out - back, at most 3 m from the base: farther away there is nothing to
// find.
TEST_F(PlanGoals, APoseThatIsProvedOutOfReachIsNoBudget) {
  const Words far = {"plan",        kFold, "--tool",      "fold/tip",
                     "--free-axes", "all", "--goal-pose", "40 0 0"};
  const Json none = json_of(far, 1);
  EXPECT_EQ(none["status"], "unreachable");
  EXPECT_NE(none["reason"].get<std::string>().find("farther away"), std::string::npos) << none;
  Words both = far;
  both.insert(both.end(), {"--goal-pose", "0 50 0"});
  EXPECT_EQ(json_of(both, 1)["status"], "unreachable");
  // Across the slide: within its length, and not found. That proves nothing.
  Words open = far;
  open.back() = "1 0.5 0";
  EXPECT_EQ(json_of(open, 3)["status"], "budget");
  open.insert(open.end(), {"--goal-pose", "40 0 0"});
  EXPECT_EQ(json_of(open, 3)["status"], "budget");
  // A tolerance counts.
  Words near = far;
  near.insert(near.end(), {"--tolerance", "50"});
  EXPECT_EQ(json_of(near)["status"], "solved");
  const std::string line = R"({"proven": 1, "start": "near", "goals": [{"link": "fold/tip", )"
                           R"("xyz": [40, 0, 0], "free": "all"}]})";
  const auto many = run_program({"plan", kFold, file("far.jsonl", line + "\n"), "--json"});
  EXPECT_EQ(many.exit_code, 1) << many.out;
  EXPECT_EQ(lines_of(many.out).at(0)["status"], "unreachable");
}

TEST_F(PlanGoals, ManyQueriesInOneRun) {
  const std::string queries = file("queries.jsonl", R"({"proven": 1, "start": "near", "goal": "far"}

{"proven": 1, "start": "near", "gaol": "far"}
{"proven": 1, "joints": ["out", "back"], "start": [0, 0], "goals": [[50, 0], [0.5, 0]]}
)");
  const std::string out = folder_ / "out";
  const auto run = run_program({"plan", kFold, queries, "-o", out, "--certificate", out, "--json"});
  EXPECT_EQ(run.exit_code, 4) << run.err;  // the worst
  const std::vector<Json> lines = lines_of(run.out);
  ASSERT_EQ(lines.size(), 3u) << run.out;
  EXPECT_EQ(lines[0]["status"], "solved");
  EXPECT_NE(lines[1]["error"].get<std::string>().find("queries.jsonl:3: gaol"), std::string::npos)
      << lines[1];
  EXPECT_EQ(lines[2]["goal"], 1);
  // Each as if it were asked alone, and its files are those of its line.
  const Json alone = json_of({"plan", kFold, "--start", "near", "--goal", "far"});
  EXPECT_EQ(lines[0]["waypoints"], alone["waypoints"]);
  for (const char* line : {"1", "3"})
    EXPECT_EQ(
        run_program({"verify", kFold, out + "/" + line + ".json", out + "/" + line + ".proof"})
            .exit_code,
        0);
  EXPECT_FALSE(std::filesystem::exists(out + "/2.json"));
  const std::string good = file("good.jsonl", R"({"proven": 1, "start": "near", "goal": "far"})");
  EXPECT_EQ(run_program({"plan", kFold, good}).exit_code, 0);
  EXPECT_EQ(run_program({"plan", kFold, good, "--goal", "far"}).exit_code, 2);
  EXPECT_EQ(run_program({"plan", kFold, good, "--report", folder_ / "x.html"}).exit_code, 2);
}

TEST_F(PlanGoals, ConstraintsAreProvedOrShownBroken) {
  // The tip goes from 0.75 to 2.
  const std::string path = file("path.json", R"({"proven": 1, "joints": ["out", "back"],
      "waypoints": [[0, 0.25], [1, 0]], "times": [0, 2]})");
  const auto within = [&](double size) {
    return file("box.json", R"({"proven": 1, "constraints": [{"link": "fold/tip", "box": [)" +
                                std::to_string(size) +
                                R"(, 1, 1], "pose": {"xyz": [1.5, 0, 0]}}]})");
  };
  const Json kept = json_of({"check", kFold, path, "--constraints", within(1.6)});
  EXPECT_EQ(kept["verdict"], "free");
  EXPECT_EQ(kept["constraints"]["verdict"], "kept");
  const Json broken = json_of({"check", kFold, path, "--constraints", within(1.4)}, 1);
  EXPECT_EQ(broken["verdict"], "free");
  EXPECT_EQ(broken["constraints"]["verdict"], "broken");
  EXPECT_GT(broken["constraints"]["beyond"], 0);
  EXPECT_EQ(broken["constraints"]["time"], 2 * broken["constraints"]["t"].get<double>());
  // The verifier finds the same by itself.
  const std::string proof = folder_ / "path.proof";
  json_of({"check", kFold, path, "--certificate", proof});
  const Json accepted = json_of({"verify", kFold, path, proof, "--constraints", within(1.6)});
  EXPECT_NE(accepted["theorem"].back().get<std::string>().find("fold/tip stays in a box of"),
            std::string::npos);
  const Json rejected = json_of({"verify", kFold, path, proof, "--constraints", within(1.4)}, 5);
  EXPECT_NE(rejected["reason"].get<std::string>().find("'fold/tip' is not in its box"),
            std::string::npos);
  const Json q = broken["constraints"]["configuration"];
  EXPECT_GT(std::abs(1 + q[0].get<double>() - q[1].get<double>() - 1.5), 0.7);
  // Within the tube of a tracking error, too, or not decided.
  EXPECT_EQ(json_of({"check", kFold, path, "--constraints", within(1.6), "--tracking-error", "0.1"},
                    3)["constraints"]["verdict"],
            "undecided");
  EXPECT_EQ(json_of({"check", kFold, path, "--constraints", within(1.6), "--tracking-error",
                     "0.02"})["constraints"]["verdict"],
            "kept");
  // One line for each of many.
  const std::string many = file("many.jsonl",
                                R"({"proven": 1, "joints": ["out", "back"], "waypoints": [[1, 0]]}
{"proven": 1, "joints": ["out", "back"], "waypoints": [[1, 0], [0, 0.25]]}
)");
  const auto run = run_program({"check", kFold, many, "--constraints", within(1.4), "--json"});
  EXPECT_EQ(run.exit_code, 1);
  const std::vector<Json> lines = lines_of(run.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["constraints"]["verdict"], "kept");
  EXPECT_EQ(lines[1]["constraints"]["verdict"], "broken");
  for (const char* bad :
       {R"({"link": "fold/tip"})", R"({"link": "fold/tip", "cone": 0.1, "box": [1, 1, 1]})",
        R"({"link": "tip", "cone": 0.1})", R"({"link": "fold/tip", "cone": 0})",
        R"({"link": "fold/tip", "box": [1, 1]})", R"({"link": "fold/tip", "box": [1, 1, -1]})",
        R"({"link": "fold/tip", "cone": 0.1, "axis": [0, 0, 0]})",
        R"({"link": "fold/tip", "cone": 0.1, "pose": {}})",
        R"({"link": "fold/tip", "box": [1, 1, 1], "axis": [0, 0, 1]})",
        R"({"link": "fold/tip", "cone": 0.1, "axes": [0, 0, 1]})"}) {
    const std::string wrong =
        file("wrong.json", std::string(R"({"proven": 1, "constraints": [)") + bad + "]}");
    const auto refused = run_program({"check", kFold, path, "--constraints", wrong});
    EXPECT_EQ(refused.exit_code, 4) << bad;
    EXPECT_NE(refused.err.find("wrong.json:1: constraints[0]"), std::string::npos) << refused.err;
  }
}

// What `numpy.save` writes of this array: see its description of the format.
std::string npy(const std::string& type, const std::string& shape, const std::string& numbers) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + numbers;
}

TEST_F(PlanGoals, ArraysAreWrittenAndRead) {
  const std::string array = folder_ / "path.npy";
  ASSERT_EQ(run_program({"plan", kFold, "--start", "near", "--goal", "far", "-o", array}).exit_code,
            0);
  std::stringstream bytes;
  bytes << std::ifstream(array, std::ios::binary).rdbuf();
  const double values[] = {0, 0.25, 1, 0};
  const std::string numbers(reinterpret_cast<const char*>(values), sizeof values);
  EXPECT_EQ(bytes.str(), npy("<f8", "(2, 2)", numbers));
  EXPECT_EQ(json_of({"check", kFold, array})["segments"], 1);
  // What it cannot say is refused, as is what it should not.
  const auto timed = run_program({"time", kFold, array, "-o", folder_ / "timed.npy"});
  EXPECT_EQ(timed.exit_code, 4);
  EXPECT_NE(timed.err.find("neither times nor curves"), std::string::npos) << timed.err;
  for (const auto& [type, shape] : std::vector<std::pair<std::string, std::string>>{
           {"<f8", "(4, 1)"}, {"<f8", "(4,)"}, {"<f8", "(2, 1, 2)"}, {"<i8", "(2, 2)"}}) {
    const auto refused = run_program({"check", kFold, file("bad.npy", npy(type, shape, numbers))});
    EXPECT_EQ(refused.exit_code, 4) << type << shape;
    EXPECT_NE(refused.err.find("bad.npy"), std::string::npos) << refused.err;
  }
}

// A path on standard output is alone there, and the next program reads it.
TEST_F(PlanGoals, ADashIsStandardOutput) {
  for (const Words& more : {Words{}, Words{"--json"}}) {
    Words call = {"plan", kFold, "--goal", "far", "-o", "-"};
    call.insert(call.end(), more.begin(), more.end());
    const auto planned = run_program(call);
    EXPECT_EQ(planned.exit_code, 0);
    EXPECT_NE(planned.err.find("solved"), std::string::npos) << planned.err;
    const std::string path = file("path.json", planned.out);
    for (const Words& next : {Words{"smooth"}, Words{"time"}}) {
      const auto written = run_program({next[0], kFold, path, "-o", "-"});
      EXPECT_EQ(written.exit_code, 0) << written.err;
      EXPECT_EQ(run_program({"check", kFold, file("next.json", written.out)}).exit_code, 0);
    }
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(PlanGoals, PlansKeepConstraints) {
  // With the tip held at 1 both joints move together.
  const std::string query = file("query.json", R"({"proven": 1, "joints": ["out", "back"],
      "start": [0, 0], "goals": [[0.9, 0], [0.25, 0.25]],
      "constraints": [{"link": "fold/tip", "box": [0.02, 1, 1], "pose": {"xyz": [1, 0, 0]}}]})");
  const std::string path = folder_ / "path.json";
  const Json planned = json_of({"plan", kFold, query, "-o", path});
  EXPECT_EQ(planned["goal"], 1);
  EXPECT_EQ(planned["constraints"], 1);
  EXPECT_EQ(run_program({"check", kFold, path, "--constraints", query}).exit_code, 0);
  // A start outside: there is no path, and that is proved.
  const std::string outside = file("outside.json", R"({"proven": 1, "joints": ["out", "back"],
      "start": [0.5, 0], "goal": [0.25, 0.25],
      "constraints": [{"link": "fold/tip", "box": [0.02, 1, 1], "pose": {"xyz": [1, 0, 0]}}]})");
  const Json none = json_of({"plan", kFold, outside}, 1);
  EXPECT_EQ(none["status"], "start_invalid");
  EXPECT_NE(none["reason"].get<std::string>().find("at the start 'fold/tip' is"), std::string::npos)
      << none["reason"];
  EXPECT_EQ(run_program({"plan", kFold, query, "--planner", "prm"}).exit_code, 4);
  // Constraints beside goals of the command line.
  EXPECT_EQ(json_of({"plan", kFold, "--goal", "0.25 0.25", "--constraints", query})["constraints"],
            1);
  // Elsewhere a query with several goals or constraints is refused, not read in part.
  EXPECT_EQ(run_program({"roadmap", "query", "x", query}).exit_code, 4);
}

}  // namespace
}  // namespace proven
