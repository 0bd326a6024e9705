// proven traffic, as a user runs it.
#include <nlohmann/json.hpp>

#include "tools/program.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

fs::path write(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(testing::TempDir()) / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

fs::path scene() {
  return write("traffic_scene.json", R"({"proven": 1, "obstacles": [
    {"name": "crossing", "box": [4, 2], "times": [0, 2, 4],
     "poses": [[0, -20, 1.5707963], [0, 0, 1.5707963], [0, 20, 1.5707963]]},
    {"name": "</script>", "circle": 0.5, "pose": [30, 5, 0]}]})");
}

fs::path candidates(const std::string& rows) {
  return write("traffic_candidates.csv", "trajectory,time,x,y,heading\n" + rows);
}

TEST(Traffic, CheckExitsByTheWorstVerdict) {
  const std::string early = "early,0,0,0,0\nearly,1,20,0,0\n", hit = "hit,0,-20,0,0\nhit,2,0,0,0\n";
  const auto free = test::run_program({"traffic", "check", scene(), candidates(early)});
  EXPECT_EQ(free.exit_code, 0) << free.err;
  EXPECT_NE(free.out.find("free"), std::string::npos);
  const auto both = test::run_program(
      {"traffic", "check", scene(), candidates(early + hit), "--json", "--metrics"});
  EXPECT_EQ(both.exit_code, 1);
  const auto json = nlohmann::json::parse(both.out);
  EXPECT_EQ(json["verdict"], "collision");
  EXPECT_EQ(json["trajectories"][0]["verdict"], "free");
  EXPECT_GT(json["trajectories"][0]["clearance"]["lower"].get<double>(), 0);
  const auto& contact = json["trajectories"][1]["collision"];
  EXPECT_EQ(contact["obstacle"], "crossing");
  EXPECT_LE(contact["t_lower"].get<double>(), contact["t"].get<double>());
  EXPECT_EQ(test::run_program({"traffic", "check", scene(), candidates(early), "--clearance", "50"})
                .exit_code,
            1);
}

TEST(Traffic, UsageAndBadInput) {
  EXPECT_EQ(test::run_program({"traffic", "check", scene()}).exit_code, 2);
  EXPECT_EQ(test::run_program({"traffic", "fly", scene()}).exit_code, 2);
  const auto bad =
      test::run_program({"traffic", "check", scene(), candidates("a,0,0,0,0\na,0,1,0,0\n")});
  EXPECT_EQ(bad.exit_code, 4);
  EXPECT_NE(bad.err.find("same time"), std::string::npos) << bad.err;
  EXPECT_EQ(test::run_program({"traffic", "plan", scene()}).exit_code, 4);
}

TEST(Traffic, RenderWritesOnePageThatNoNameCanBreak) {
  const fs::path page = fs::path(testing::TempDir()) / "traffic_page.html";
  const auto result = test::run_program({"traffic", "render", scene(), "-o", page});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_NE(text.str().find("<canvas>"), std::string::npos);
  EXPECT_EQ(text.str().find("\"</script>\""), std::string::npos);
  EXPECT_EQ(text.str().find("http"), std::string::npos);  // nothing is loaded from elsewhere
}

TEST(Traffic, PlanDrivesThroughARecording) {
  PROVEN_REQUIRE_DATA("commonroad");
  const fs::path page = fs::path(testing::TempDir()) / "traffic_drive.html";
  const auto result = test::run_program({"traffic", "plan",
                                         test::data_dir() / "commonroad/ZAM_Tutorial-1_2_T-1.xml",
                                         "-o", page, "--candidates", "500", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json["driven_free"].get<bool>());
  EXPECT_EQ(json["outcome"], "goal reached");
}

}  // namespace
}  // namespace proven
