// The program under every instruction set: the same answers and the same bytes.
#include <nlohmann/json.hpp>

#include "program.h"
#include "simd_support.h"

namespace proven {
namespace {

using Json = nlohmann::json;
using test::run_program;

class SimdProgram : public test::ProgramTest {
 protected:
  std::string bytes(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
};

std::string forced(simd::InstructionSet set) {
  return "PROVEN_SIMD=" + std::string(to_string(set));
}

// Leaves out what no two runs share.
Json without_seconds(const std::string& text) {
  Json json = Json::parse(text);
  json.erase("seconds");
  if (json.contains("stats")) json["stats"].erase("seconds");
  return json;
}

TEST_F(SimdProgram, ChecksGiveTheSameJsonAndCertificates) {
  ASSERT_GE(test::instruction_sets().size(), 1u);
  const Json bodies = Json::parse(run_program({"doctor", "demo", "--json"}).out);
  Json names = Json::array();
  for (const Json& joint : bodies["joints"]) names.push_back(joint["name"]);
  std::vector<std::string> paths;
  for (const double turn : {0.3, 2.5}) {
    std::vector<double> from(names.size(), 0.0), to(names.size(), turn);
    paths.push_back(file("path_" + std::to_string(paths.size()) + ".json",
                         Json{{"proven", 1}, {"joints", names}, {"waypoints", {from, to}}}.dump()));
  }
  std::set<std::string> verdicts;
  for (const std::string& path : paths) {
    Json expected;
    std::string proof;
    for (const simd::InstructionSet set : test::instruction_sets()) {
      const std::string name = "proof";
      const auto result = run_program(
          {"check", "demo", path, "--json", "--ignore-limits", "--certificate", folder_ / name},
          forced(set));
      ASSERT_LE(result.exit_code, 3) << result.err;
      Json json = without_seconds(result.out);
      verdicts.insert(json["verdict"]);
      if (set == simd::InstructionSet::scalar) {
        expected = json;
        proof = bytes(name);
        EXPECT_GT(proof.size(), 100u);
      }
      EXPECT_EQ(json, expected) << to_string(set);
      EXPECT_EQ(bytes(name), proof) << to_string(set);
      std::filesystem::remove(folder_ / name);
    }
  }
  EXPECT_EQ(verdicts, (std::set<std::string>{"free", "collision"}));
}

TEST_F(SimdProgram, TrafficIsTheSame) {
  const std::string scene = file("scene.json", R"({"proven": 1, "obstacles": [
    {"name": "crossing", "box": [4, 2], "times": [0, 2, 4],
     "poses": [[0, -20, 1.5707963], [0, 0, 1.5707963], [0, 20, 1.5707963]]}]})");
  const std::string candidates = file("candidates.csv",
                                      "trajectory,time,x,y,heading\nearly,0,0,0,0\nearly,1,20,0,0\n"
                                      "hit,0,-20,0,0\nhit,2,0,0,0\n");
  Json expected;
  for (const simd::InstructionSet set : test::instruction_sets()) {
    const auto result =
        run_program({"traffic", "check", scene, candidates, "--json", "--metrics"}, forced(set));
    ASSERT_EQ(result.exit_code, 1) << result.err;
    const Json json = without_seconds(result.out);
    if (set == simd::InstructionSet::scalar) expected = json;
    EXPECT_EQ(json, expected) << to_string(set);
  }
}

TEST_F(SimdProgram, AnUnknownInstructionSetIsRefused) {
  for (const std::string word : {"sse9", "AVX2", "avx2,avx512"}) {
    const auto result = run_program({"doctor", "demo"}, "PROVEN_SIMD=" + word);
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_NE(result.err.find("PROVEN_SIMD"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("scalar"), std::string::npos) << result.err;
  }
}

TEST_F(SimdProgram, DoctorListsTheKernels) {
  for (const simd::InstructionSet set : test::instruction_sets()) {
    const auto result = run_program({"doctor", "--kernels", "--json"}, forced(set));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::set<std::string> names;
    const Json listed = Json::parse(result.out);
    for (const Json& kernel : listed["kernels"]) {
      names.insert(kernel["name"]);
      EXPECT_EQ(kernel["used"], to_string(set));
      EXPECT_EQ(kernel["instruction_sets"].size(), test::instruction_sets().size());
    }
    EXPECT_TRUE(names.contains("separation_kernel") && names.contains("boxes_kernel"));
  }
  EXPECT_EQ(run_program({"doctor", "demo", "--kernels"}).exit_code, 2);
}

}  // namespace
}  // namespace proven
