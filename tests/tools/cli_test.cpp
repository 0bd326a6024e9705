// The program as a user meets it: output, exit codes, errors.
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("proven_cli_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

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
  EXPECT_GT(json["tested_pairs"], 100);
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
  const fs::path folder = fs::path(PROVEN_SOURCE_DIR) / "tests/bad_input";
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

}  // namespace
}  // namespace proven
