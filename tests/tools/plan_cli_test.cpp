// `proven plan` and `proven smooth` as a user meets them.
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class PlanCli : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_plan_cli_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string query(const std::string& start) const {
    const fs::path file = folder_ / "query.json";
    std::ofstream(file) << R"({"proven": 1, "joints": ["arm/joint_1", "arm/joint_2"], "start": )"
                        << start << R"(, "goal": [0.1, 0.2]})";
    return file;
  }
  fs::path folder_;
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

}  // namespace
}  // namespace proven
