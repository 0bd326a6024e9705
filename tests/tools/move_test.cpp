// `proven move` as a user meets it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using test::run_program;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

class MoveCli : public test::ProgramTest {
 protected:
  // An arm of three links of one metre in the plane, with a post at (1.9, 0.7).
  std::string cell() const {
    std::string links = R"(<robot name="arm"><link name="base"/>)";
    for (const char* k : {"1", "2", "3"})
      links += std::string(R"(<link name="link_)") + k +
               R"("><collision><origin xyz="0.5 0 0"/><geometry><box size="0.9 0.05 0.05"/>
               </geometry></collision></link><joint name="joint_)" +
               k + R"(" type="revolute"><parent link=")" +
               (*k == '1'   ? "base"
                : *k == '2' ? "link_1"
                            : "link_2") +
               R"("/><child link="link_)" + k + R"("/><origin xyz=")" + (*k == '1' ? "0" : "1") +
               R"( 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1" effort="1"/>
               </joint>)";
    file("arm.urdf", links + "</robot>");
    file("start.json", R"({"proven": 1, "joints": ["arm/joint_1", "arm/joint_2", "arm/joint_3"],
        "waypoints": [[0, 1.5707963267948966, -1.5707963267948966]]})");
    return file("cell.json", R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
        "obstacles": [{"name": "post", "box": [0.05, 0.05, 1], "pose": {"xyz": [1.9, 0.7, 0]}}]})");
  }
  // The tool starts at (2, 1).
  Words call(const Words& more) const {
    Words words = {"move",        cell(),        "--tool", "arm/link_3",
                   "--tool-pose", "1 0 0 0 0 0", "--from", folder_ / "start.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(MoveCli, ProvesALineAndItsCertificate) {
  const std::string motion = folder_ / "motion.json", proof = folder_ / "motion.proof";
  const auto moved =
      run_program(call({"--lin-by", "0 0.4 0", "-o", motion, "--certificate", proof, "--json"}));
  ASSERT_EQ(moved.exit_code, 0) << moved.out << moved.err;
  const Json json = Json::parse(moved.out);
  EXPECT_EQ(json["verdict"], "free");
  EXPECT_NEAR(json["length"].get<double>(), 0.4, 1e-12);
  EXPECT_LE(json["deviation"].get<double>(), 1e-4);
  EXPECT_GT(json["deviation"].get<double>(), 1e-6);
  EXPECT_NEAR(json["at_full_speed"].get<double>(), 1.875 * 0.4 / 0.25, 1e-9);
  EXPECT_GE(json["seconds"], json["at_full_speed"]);
  EXPECT_EQ(run_program({"check", cell(), motion}).exit_code, 0);
  EXPECT_EQ(run_program({"verify", cell(), motion, proof}).exit_code, 0);

  const auto fine = run_program(call({"--lin-by", "0 0.4 0", "--tolerance", "1e-6", "--json"}));
  ASSERT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_LE(Json::parse(fine.out)["deviation"].get<double>(), 1e-6);
  EXPECT_GT(Json::parse(fine.out)["pieces"], json["pieces"]);
  const auto slow = run_program(call({"--lin-by", "0 0.4 0", "--speed", "0.01", "--json"}));
  EXPECT_NEAR(Json::parse(slow.out)["seconds"].get<double>(), 1.875 * 40, 1e-6);
}

TEST_F(MoveCli, EveryWayOfSayingIt) {
  const auto text = run_program(call({"--lin", "2 1.4 0"}));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("0.4000 m"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("proved within"), std::string::npos) << text.out;
  EXPECT_EQ(run_program(call({"--lin", "2 1.4 0 0 0 0.3"})).exit_code, 0);
  EXPECT_EQ(run_program(call({"--lin-by", "0 0.4 0", "--frame", "tool"})).exit_code, 0);
  const auto arc = run_program(call({"--circ", "1.9 1.1 0; 1.8 1 0", "--json"}));
  ASSERT_EQ(arc.exit_code, 0) << arc.err;
  EXPECT_NEAR(Json::parse(arc.out)["length"].get<double>(), 0.1 * std::acos(-1.0), 1e-9);
  EXPECT_EQ(run_program(call({"--circ-about", "1.9 1 0; 1.9 1.1 0"})).exit_code, 0);
}

TEST_F(MoveCli, ExitCodesAndReasons) {
  EXPECT_EQ(run_program(call({"--lin-by", "0 -0.6 0"})).exit_code, 1);
  const auto budget = run_program(call({"--lin-by", "0 0.4 0", "--budget", "1e-9"}));
  EXPECT_EQ(budget.exit_code, 3) << budget.out << budget.err;
  // The arm is 3 m long: no configuration brings the tool there, or to a place on the way.
  const auto far = run_program(call({"--lin", "5 5 0", "--json"}));
  EXPECT_EQ(far.exit_code, 1) << far.err;
  EXPECT_EQ(Json::parse(far.out)["status"], "unreachable");
  EXPECT_NE(far.out.find("farther away than the arm"), std::string::npos) << far.out;
  const auto bulge = run_program(call({"--circ", "3.2 0 0; 2 -1 0"}));
  EXPECT_EQ(bulge.exit_code, 1) << bulge.err;
  EXPECT_NE(bulge.out.find("along the way"), std::string::npos) << bulge.out;
  // Through the axis of the first joint: that no motion was found is no proof.
  const auto inside = run_program(call({"--lin", "-2.9 0 0"}));
  EXPECT_EQ(inside.exit_code, 4) << inside.out;
  EXPECT_NE(inside.err.find("along the way of the tool"), std::string::npos) << inside.err;
  for (const Words& bad : std::vector<Words>{{"--lin", "1 2"},
                                             {"--lin", "1 2 x"},
                                             {"--lin", "2 1 0"},
                                             {"--circ", "1 1 1"},
                                             {"--circ-about", "0 0 0; 9 9 9"},
                                             {"--lin-by", "0 0.1 0", "--tolerance", "0"},
                                             {"--lin-by", "0 0.1 0 0 0 1"}}) {
    const auto result = run_program(call(bad));
    EXPECT_EQ(result.exit_code, 4) << bad[1];
    EXPECT_NE(result.err, "");
  }
  EXPECT_EQ(run_program(call({})).exit_code, 2);
  EXPECT_EQ(run_program(call({"--lin", "2 1.4 0", "--lin-by", "0 0 1"})).exit_code, 2);
  EXPECT_EQ(run_program(call({"--lin", "2 1.4 0", "--frame", "tool"})).exit_code, 2);
  EXPECT_EQ(run_program({"move", cell(), "--tool", "arm/none", "--lin", "0 0 0"}).exit_code, 4);
}

}  // namespace
}  // namespace proven
