// What `doctor` would warn of is said by whatever loads the scene: on stderr, and in JSON.
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Warnings : public test::ProgramTest {
 protected:
  // An arm of one joint with limits in degrees, a link that is only drawn, and another's SRDF; an
  // obstacle in millimetres.
  std::string scene() {
    file(
        "arm.urdf",
        R"(<robot name="r"><link name="base"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
<link name="rod"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-170" upper="170" effort="1" velocity="1"/></joint></robot>)");
    file("other.srdf", R"(<robot name="other">
<disable_collisions link1="shoulder" link2="wrist" reason="Adjacent"/>
<disable_collisions link1="wrist" link2="hand" reason="Adjacent"/></robot>)");
    return file("scene.json", R"({"proven": 1,
 "robots": [{"name": "arm", "urdf": "arm.urdf", "srdf": "other.srdf"}],
 "obstacles": [{"name": "car", "box": [4500, 1, 1], "pose": {"xyz": [0, 0, 9]}}]})");
  }
  std::string path() {
    return file("p.json", R"({"proven": 1, "joints": ["turn"], "waypoints": [[0], [0.5]]})");
  }
  std::string query() {
    return file("q.json", R"({"proven": 1, "joints": ["turn"], "start": [0], "goal": [0.5]})");
  }
  static std::vector<std::string> codes(const Json& warnings) {
    std::vector<std::string> all;
    for (const Json& warning : warnings) {
      EXPECT_FALSE(warning["text"].get<std::string>().empty());
      EXPECT_TRUE(warning["where"].is_string());
      all.push_back(warning["code"]);
    }
    std::ranges::sort(all);
    return all;
  }
  const std::vector<std::string> expected_ = {"degrees", "size", "srdf", "srdf", "visual_only"};
};

TEST_F(Warnings, TheSameOfEveryCommand) {
  const std::string cell = scene();
  const Json doctor = Json::parse(run_program({"doctor", cell, "--json"}).out)["warnings"];
  EXPECT_EQ(codes(doctor), expected_) << doctor;
  for (const Words& call : std::vector<Words>{
           {"check", cell, path()},
           {"plan", cell, query()},
           {"smooth", cell, path()},
           {"time", cell, path()},
           {"audit", path(), "--scene", cell, "-o", (folder_ / "audit.jsonl").string()}}) {
    Words json = call;
    json.push_back("--json");
    const auto result = run_program(json);
    ASSERT_EQ(result.exit_code, 0) << call[0] << result.out << result.err;
    Json warnings = Json::parse(result.out)["warnings"];
    for (Json& warning : warnings) warning.erase("scene");
    EXPECT_EQ(warnings, doctor) << call[0];
    for (const Json& warning : doctor)
      EXPECT_NE(result.err.find("proven: warning: " + warning["text"].get<std::string>()),
                std::string::npos)
          << call[0] << result.err;
    json.push_back("--quiet");
    if (call[0] == "audit") std::filesystem::remove(folder_ / "audit.jsonl");
    const auto quiet = run_program(json);
    EXPECT_EQ(quiet.err.find("warning"), std::string::npos) << call[0] << quiet.err;
    EXPECT_EQ(Json::parse(quiet.out)["warnings"].size(), doctor.size()) << call[0];
  }
}

TEST_F(Warnings, NoneOfAGoodScene) {
  const auto result =
      run_program({"plan", "demo", "--json", "-o", (folder_ / "path.json").string()});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Json::parse(result.out)["warnings"], Json::array());
}

// A surface of 600,000 triangles takes longer to read and to prepare than its budget and the grace
// after it.
TEST_F(Warnings, ABudgetCoversPreparation) {
  constexpr int kSide = 550;
  scene();
  std::string stl(80, ' ');
  const auto put = [&](const auto& value) {
    stl.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(std::uint32_t{2 * kSide * kSide});
  const auto corner = [&](int i, int j) {
    for (const float x : {static_cast<float>(i) * 0.01F, static_cast<float>(j) * 0.01F,
                          3 + 0.001F * static_cast<float>((i * 7 + j * 5) % 11)})
      put(x);
  };
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      for (const bool upper : {false, true}) {
        stl.append(12, '\0');
        corner(i, j);
        upper ? corner(i + 1, j + 1) : corner(i + 1, j);
        upper ? corner(i, j + 1) : corner(i + 1, j + 1);
        stl.append(2, '\0');
      }
  file("sheet.stl", stl);
  const std::string cell = file("big.json", R"({"proven": 1,
 "robots": [{"name": "arm", "urdf": "arm.urdf"}], "obstacles": [{"name": "sheet", "mesh": "sheet.stl"}]})");
  for (const Words& call : std::vector<Words>{{"check", cell, path()},
                                              {"plan", cell, query()},
                                              {"smooth", cell, path()},
                                              {"time", cell, path()},
                                              {"doctor", cell}}) {
    Words all = call;
    all.insert(all.end(), {"--no-cache", "--json", "--budget", "1e-3"});
    const auto result = run_program(all);
    EXPECT_EQ(result.exit_code, 3) << call[0] << result.out << result.err;
    EXPECT_NE(result.err.find("the budget ran out while the "), std::string::npos)
        << call[0] << result.err;
    const Json json = Json::parse(result.out, nullptr, false);
    EXPECT_EQ(json["reason"], "time") << call[0] << result.out;
  }
}

}  // namespace
}  // namespace proven
