// `proven check --least-clearance`, and what pages say of clearances, as a user meets them.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;

class LeastClearanceCli : public test::ProgramTest {
 protected:
  // A ball of radius 0.1 m on a rail along x passes another at a distance of 0.05 m, at x = 0.
  std::string cell() const {
    file("rail.urdf", R"(<robot name="rail"><link name="base"/><link name="ball"><collision>
        <geometry><sphere radius="0.1"/></geometry></collision></link>
        <joint name="x" type="prismatic"><parent link="base"/><child link="ball"/><axis xyz="1 0 0"/>
        <limit lower="-2" upper="2" velocity="1" effort="1"/></joint></robot>)");
    return file("cell.json", R"({"proven": 1, "robots": [{"name": "rail", "urdf": "rail.urdf"}],
        "obstacles": [{"name": "post", "sphere": 0.1, "pose": {"xyz": [0, 0, 0.25]}},
                      {"name": "wall", "box": [0.1, 1, 1], "pose": {"xyz": [1.5, 0, 0]}}]})");
  }
  std::string path() const {
    return file("path.json", R"({"proven": 1, "joints": ["x"], "waypoints": [[-1], [-0.5], [1]]})");
  }
  Json document_of(const std::string& page) const {
    std::stringstream text;
    text << std::ifstream(page).rdbuf();
    const std::string all = text.str(), open = "id=\"document\">";
    const std::size_t begin = all.find(open) + open.size();
    return Json::parse(all.substr(begin, all.find("</script>", begin) - begin));
  }
};

TEST_F(LeastClearanceCli, SaysBothBoundsAndWhichIsWhich) {
  const auto text = run_program({"check", cell(), path(), "--least-clearance"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("least clearance: at least 4"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(" mm, proved; at most 5"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("measured between rail/ball and post at segment 1"), std::string::npos)
      << text.out;

  const auto answer = run_program({"check", cell(), path(), "--least-clearance", "--json"});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const Json json = Json::parse(answer.out)["least_clearance"];
  EXPECT_LE(json["at_least"].get<double>(), 0.05);
  EXPECT_GE(json["at_least"].get<double>(), 0.048);
  EXPECT_GE(json["at_most"].get<double>(), 0.05);
  EXPECT_LE(json["at_most"].get<double>() - json["at_least"].get<double>(), 2.5e-3);
  EXPECT_EQ(json["pair"], Json({"rail/ball", "post"}));
  EXPECT_EQ(json["class"], "world");
  EXPECT_EQ(json["segment"], 1);
  EXPECT_NEAR(json["t"].get<double>(), 1.0 / 3, 0.03);
  EXPECT_EQ(json["tight"], true);
  ASSERT_EQ(json["segments"].size(), 2u);
  EXPECT_NEAR(json["segments"][0]["at_least"].get<double>(), std::hypot(0.5, 0.25) - 0.2, 0.02);
  ASSERT_EQ(json["pairs"].size(), 2u);
  EXPECT_EQ(json["pairs"][1]["pair"], Json({"rail/ball", "wall"}));
  EXPECT_NEAR(json["pairs"][1]["at_least"].get<double>(), 0.35, 0.02);
  EXPECT_LE(json["pairs"][1]["at_least"].get<double>(), 0.35);
  EXPECT_GE(json["pairs"][1]["at_most"].get<double>(), 0.35);

  // Without the option there is no such field.
  EXPECT_FALSE(Json::parse(run_program({"check", cell(), path(), "--json"}).out)
                   .contains("least_clearance"));
}

TEST_F(LeastClearanceCli, SaysNothingOfWhatIsNotProved) {
  const auto answer =
      run_program({"check", cell(), path(), "--least-clearance", "--json", "--clearance", "0.06"});
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(Json::parse(answer.out)["least_clearance"].is_null());
  const auto text =
      run_program({"check", cell(), path(), "--least-clearance", "--clearance", "0.06"});
  EXPECT_NE(text.out.find("least clearance: none; the motion is not proved free"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(
      run_program({"check", cell(), path(), "--least-clearance", "--checker", "classic"}).exit_code,
      2);
}

#ifdef PROVEN_HAS_VIEWER
TEST_F(LeastClearanceCli, PagesHoldTheSameBounds) {
  const std::string page = folder_ / "page.html";
  const auto answer =
      run_program({"check", cell(), path(), "--least-clearance", "--json", "--report", page});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const Json said = Json::parse(answer.out)["least_clearance"];
  const Json motion = document_of(page)["motions"][0], shown = motion["least_clearance"];
  EXPECT_EQ(shown["at_least"], said["at_least"]);
  EXPECT_EQ(shown["at_most"], said["at_most"]);
  ASSERT_EQ(shown["pairs"].size(), said["pairs"].size());
  // The stretches cover the whole clock, and the least of them is the bound.
  double least = 1e9, end = motion["knots"].front();
  for (const Json& stretch : shown["stretches"]) {
    EXPECT_NEAR(stretch[0].get<double>(), end, 1e-9);
    end = stretch[1];
    least = std::min(least, stretch[2].get<double>());
    EXPECT_LE(stretch[2], stretch[3]);
  }
  EXPECT_NEAR(end, motion["knots"].back().get<double>(), 1e-9);
  EXPECT_EQ(least, shown["at_least"].get<double>());
  // Without the option pages say it all the same.
  ASSERT_EQ(run_program({"check", cell(), path(), "--report", page}).exit_code, 0);
  EXPECT_EQ(document_of(page)["motions"][0]["least_clearance"]["at_least"], said["at_least"]);
}

TEST_F(LeastClearanceCli, TheDemoAndItsPageAgree) {
  const std::string page = folder_ / "demo.html";
  const auto answer = run_program({"demo", "--json", "--report", page});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const Json said = Json::parse(answer.out)["detour"]["least_clearance"];
  const Json shown = document_of(page)["motions"][1]["least_clearance"];
  EXPECT_EQ(said["tight"], true);
  EXPECT_EQ(shown["at_least"], said["at_least"]);
  EXPECT_EQ(shown["at_most"], said["at_most"]);
  // What was kept as a margin is there.
  EXPECT_GE(said["classes"]["world"]["at_most"].get<double>(),
            Json::parse(answer.out)["detour"]["proved_clearance"]["world"].get<double>());
}
#endif

}  // namespace
}  // namespace proven
