// proven roadmap, as a user runs it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "program.h"

namespace proven {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using test::run_program;

class RoadmapCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_roadmap_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    file_ = (folder_ / "arm.roadmap").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::vector<std::string> build_arguments(const std::string& nodes) const {
    return {"roadmap", "build",   "corridor-5", file_,          "--empty", "--planar", "--cell",
            "0.05",    "--nodes", nodes,        "--neighbours", "8",       "--json"};
  }
  // What `roadmap watch` answers, line by line, to changes of corridor-5 without its blocks.
  std::vector<Json> watch(const std::vector<std::string>& changes, bool last_ends = true,
                          const std::string& options = "") {
    EXPECT_EQ(run_program(build_arguments("1500")).exit_code, 0);
    const fs::path in = folder_ / "changes.jsonl", out = folder_ / "answers.jsonl";
    std::ofstream stream(in);
    for (std::size_t i = 0; i < changes.size(); ++i)
      stream << changes[i] << (last_ends || i + 1 < changes.size() ? "\n" : "");
    stream.close();
    const std::string command = test::shell_quoted(test::program()) + " roadmap watch corridor-5 " +
                                test::shell_quoted(file_) + " --empty" + options + " < " +
                                test::shell_quoted(in) + " > " + test::shell_quoted(out);
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::vector<Json> lines;
    std::ifstream answers(out);
    for (std::string line; std::getline(answers, line);) lines.push_back(Json::parse(line));
    return lines;
  }
  static std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(RoadmapCommand, BuildsAnswersAndVerifies) {
  const auto built = run_program(build_arguments("3000"));
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(Json::parse(built.out)["nodes"], 3000);
  EXPECT_FALSE(fs::exists(file_ + ".part"));

  const auto info = run_program({"roadmap", "info", file_, "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(Json::parse(info.out), Json::parse(built.out));

  const std::string path = (folder_ / "path.json").string();
  const std::string certificate = (folder_ / "path.cert").string();
  const std::string picture = (folder_ / "path.svg").string();
  const auto answer = run_program({"roadmap", "query", "corridor-5", file_, "--empty", "-o", path,
                                   "--certificate", certificate, "--picture", picture, "--json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.out << answer.err;
  const Json json = Json::parse(answer.out);
  EXPECT_EQ(json["status"], "solved");
  EXPECT_EQ(json["verdict"], "free");
  EXPECT_EQ(json["verified"], true);
  EXPECT_NE(contents(picture).find("<svg"), std::string::npos);
  // The path stands on its own: the built-in scene holds the same blocks.
  EXPECT_EQ(run_program({"check", "corridor-5", path, "--ignore-limits"}).exit_code, 0);
  // And so does its certificate.
  const auto verified = run_program({"verify", "corridor-5", path, certificate, "--ignore-limits"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

TEST_F(RoadmapCommand, GoesOnAfterKill) {
  ASSERT_EQ(run_program(build_arguments("1500")).exit_code, 0);
  const std::string expected = contents(file_);
  fs::remove(file_);
  int kills = 0;
  for (int wait_ms = 15; !fs::exists(file_) && kills < 60; wait_ms += 10) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto arguments = build_arguments("1500");
      std::string program = test::program();
      std::vector<char*> argv = {program.data()};
      for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      (void)!freopen("/dev/null", "w", stdout);
      (void)!freopen("/dev/null", "w", stderr);
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    kills += WIFSIGNALED(status);
  }
  EXPECT_GT(kills, 0);
  ASSERT_EQ(run_program(build_arguments("1500")).exit_code, 0);
  EXPECT_EQ(contents(file_), expected);
}

TEST_F(RoadmapCommand, RefusesADamagedFile) {
  ASSERT_EQ(run_program(build_arguments("200")).exit_code, 0);
  const std::string whole = contents(file_);
  const auto refused = [&](const std::string& bytes) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
    const auto result = run_program({"roadmap", "info", file_});
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_NE(result.err.find(file_), std::string::npos) << result.err;
  };
  refused(whole.substr(0, whole.size() / 2));
  refused("");
  std::string altered = whole;
  altered[whole.size() / 2] = static_cast<char>(altered[whole.size() / 2] ^ 4);
  refused(altered);
  EXPECT_EQ(run_program({"roadmap", "info", (folder_ / "none").string()}).exit_code, 4);
}

TEST_F(RoadmapCommand, WatchesChanges) {
  const auto lines = watch({
      R"({"clear": true})",
      R"({"add": [{"name": "wall", "box": [0.1, 0.4, 1], "pose": {"xyz": [0.5, 0, 0]}}]})",
      R"({"move": [{"name": "wall", "pose": {"xyz": [-0.6, 0.1, 0]}}]})",
      R"({"points": [{"name": "cloud", "xyz": [[0.3, 0.9, 0.01]], "radius": 0.01}]})",
      R"({"remove": ["nobody"]})",
      "not json",
      R"({"remove": ["wall", "cloud"], "cells": [{"name": "c", "index": [5]}]})",
  });
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0]["status"], "solved");
  EXPECT_TRUE(lines[1].contains("status"));
  for (const std::size_t k : {4u, 5u}) EXPECT_TRUE(lines[k].contains("error")) << lines[k];
  for (const Json& line : lines) {
    if (!line.contains("status") || line["status"] != "solved") continue;
    EXPECT_EQ(line["verified"], true);
    // From the first byte to the last: more than all its parts.
    double parts = 0;
    for (const char* part : {"read", "parse", "apply", "voxelise", "update", "plan", "smooth",
                             "scene", "check", "verify"})
      parts += line["latency_ms"][part].get<double>();
    EXPECT_GE(line["latency_ms"]["total"].get<double>(), parts);
  }
}

TEST_F(RoadmapCommand, HalfAChangeIsRefused) {
  const auto lines = watch({R"({"clear": true})", R"({"clear": true})"}, false);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["status"], "solved");
  EXPECT_NE(lines[1]["error"].get<std::string>().find("-:2: the change ends before"),
            std::string::npos)
      << lines[1];
}

std::string floats(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

// A cloud as bytes, as numbers, and as a sphere around each of its points, which goes another way
// into cells and into the proof: the same cells and solids, hence the same paths and verdicts.
TEST_F(RoadmapCommand, CloudsAreAnsweredAsTheirSpheresAre) {
  // At the height of the links (a layer of 0.05 m), well between floats.
  std::vector<std::string> framed = {R"({"clear": true})"}, numbers = framed, spheres = framed;
  for (int step = 0; step < 6; ++step) {
    std::vector<float> xyz;
    Json points = Json::array(), parts = Json::array();
    for (int i = 0; i < 40; ++i) {
      const float p[3] = {0.25f + 0.125f * static_cast<float>(step),
                          0.5f - 0.0234375f * static_cast<float>(i), 0.015625f};
      xyz.insert(xyz.end(), p, p + 3);
      points.push_back({p[0], p[1], p[2]});
      parts.push_back({{"sphere", 0.02}, {"pose", {{"xyz", {p[0], p[1], p[2]}}}}});
    }
    framed.push_back(
        R"({"points": [{"name": "c", "radius": 0.02, "xyz": {"type": "float32", "count": 40}}], "bytes": 480})"
        "\n" +
        floats(xyz));
    numbers.push_back(
        Json{{"points", {{{"name", "c"}, {"radius", 0.02}, {"xyz", points}}}}}.dump());
    spheres.push_back(Json{{"add", {{{"name", "c"}, {"parts", parts}}}}}.dump());
  }
  const auto a = watch(framed), b = watch(numbers), c = watch(spheres);
  ASSERT_EQ(a.size(), framed.size());
  ASSERT_EQ(b.size(), framed.size());
  ASSERT_EQ(c.size(), framed.size());
  int solved = 0, changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (const char* key : {"status", "verdict", "verified", "waypoints", "length", "won_back"}) {
      EXPECT_EQ(a[i][key], b[i][key]) << i << " " << key;
      EXPECT_EQ(a[i][key], c[i][key]) << i << " " << key;
    }
    if (a[i]["status"] == "solved") {
      ++solved;
      EXPECT_EQ(a[i]["verdict"], "free");
      EXPECT_EQ(a[i]["verified"], true);
    }
    changed += a[i]["waypoints"] != a[0]["waypoints"];
  }
  EXPECT_GT(solved, 1);
  EXPECT_GT(changed, 0);
}

// A refused change takes its frame along; where it cannot be known how long that is, it ends.
TEST_F(RoadmapCommand, FramesOfRefusedChangesArePassedOver) {
  const std::string frame = floats({0.5f, 3.0f, 0.0f});
  const auto lines = watch({
      R"({"clear": true})",
      R"({"points": [{"name": "c", "xyz": {"type": "float32", "count": 1}}], "remov": [], "bytes": 12})"
      "\n" +
          frame,
      R"({"points": [{"name": "c", "xyz": {"type": "float32", "count": 1}}], "bytes": 12})"
      "\n" +
          frame,
      R"({"remove": ["c"]})",
      R"({"points": [}], "bytes": 12})"
      "\n" +
          frame,
      R"({"clear": true})",
  });
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[1]["error"].get<std::string>().find("remov"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2]["status"], "solved") << lines[2];
  EXPECT_EQ(lines[3]["status"], "solved") << lines[3];
  EXPECT_NE(lines[4]["error"].get<std::string>().find("JSON"), std::string::npos) << lines[4];
}

TEST_F(RoadmapCommand, ShortensPathsForAsLongAsItMay) {
  const std::vector<std::string> change = {
      R"({"clear": true, "add": [{"name": "w", "box": [0.1, 0.1, 1], "pose": {"xyz": [0.7, 0.7, 0]}}]})"};
  const auto found = watch(change), shorter = watch(change, true, " --smooth-ms 500");
  ASSERT_EQ(found[0]["status"], "solved");
  ASSERT_EQ(shorter[0]["status"], "solved");
  EXPECT_EQ(shorter[0]["verified"], true);
  EXPECT_LT(shorter[0]["length"].get<double>(), found[0]["length"].get<double>());
}

// A change that is refused leaves everything as it was, whatever part of it is wrong; the message
// says where.
TEST_F(RoadmapCommand, RefusedChangesChangeNothing) {
  const std::string wall = R"({"name": "wall", "box": [4, 4, 4]})";  // holds the whole arm
  const std::vector<std::pair<std::string, std::string>> refused = {
      {R"({"add": [)" + wall + R"(], "remov": ["x"]})", "remov: unknown key 'remov', did you mean"},
      {R"({"add": [)" + wall + R"(], "remove": ["nobody"]})", "there is no obstacle 'nobody'"},
      {R"({"add": [)" + wall + R"(], "cells": [{"name": "c", "index": [999999999]}]})", "no cell"},
      {R"({"add": [)" + wall + R"(], "move": [{"name": "nobody", "pose": {}}]})", "nobody"},
      {R"({"add": [)" + wall + R"(], "start": [0, 0]})", "start: "},
      {R"({"clear": true, "add": [)" + wall + R"(, {"name": "b", "sphere": "x"}]})",
       "add[1].sphere: expected a positive number"},
  };
  std::vector<std::string> changes = {R"({"clear": true})"};
  for (const auto& [change, error] : refused) {
    changes.push_back(change);
    changes.push_back("{}");
  }
  changes.push_back(R"({"add": [)" + wall + "]}");
  const auto lines = watch(changes);
  ASSERT_EQ(lines.size(), changes.size());
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const Json &answer = lines[1 + 2 * i], &after = lines[2 + 2 * i];
    ASSERT_TRUE(answer.contains("error")) << answer;
    EXPECT_NE(answer["error"].get<std::string>().find(refused[i].second), std::string::npos)
        << answer;
    EXPECT_EQ(after["status"], "solved") << answer;
    EXPECT_EQ(after["waypoints"], lines[0]["waypoints"]);
  }
  EXPECT_NE(lines.back()["status"], "solved");
}

// Poses are those of scene files: a box that a quaternion turns is not where it was.
TEST_F(RoadmapCommand, ChangesTurnByQuaternions) {
  const auto lines = watch({
      R"({"clear": true, "add": [{"name": "a", "box": [5, 0.02, 1], "pose": {"xyz": [0, 3.2, 0]}}]})",
      R"({"move": [{"name": "a", "pose": {"xyz": [0, 3.2, 0], "rpy": [0, 0, 1.5707963267948966]}}]})",
      R"({"move": [{"name": "a", "pose": {"xyz": [0, 3.2, 0], "quaternion": [0, 0, 0.7071067811865476, 0.7071067811865476]}}]})",
      R"({"move": [{"name": "a", "pose": {"xyz": [0, 3.2, 0], "quaternion": [0, 0, 0, 1]}}]})",
  });
  ASSERT_EQ(lines.size(), 4u);
  const auto answer = [&](std::size_t i) { return lines[i]["waypoints"].dump(); };
  EXPECT_NE(answer(0), answer(1));
  EXPECT_EQ(answer(1), answer(2));
  EXPECT_EQ(answer(0), answer(3));
}

TEST_F(RoadmapCommand, RobustnessCountsAndDraws) {
  ASSERT_EQ(run_program({"roadmap", "build", "planar-2", file_, "--planar", "--cell", "0.3",
                         "--nodes", "150", "--neighbours", "5"})
                .exit_code,
            0);
  const std::string better = (folder_ / "better.roadmap").string();
  const std::string picture = (folder_ / "cells.svg").string();
  const auto result = run_program({"roadmap", "robustness", "planar-2", file_, "-o", better,
                                   "--picture", picture, "--epsilon", "0", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_LE(json["cutting_after"], json["cutting_before"]);
  EXPECT_EQ(json["flagged"].size(), json["cutting_after"]);
  EXPECT_NE(contents(picture).find("<svg"), std::string::npos);
  EXPECT_EQ(run_program({"roadmap", "info", better}).exit_code, 0);
}

}  // namespace
}  // namespace proven
