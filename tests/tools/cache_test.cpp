// The cache of prepared geometry, as a user meets it.
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/geometry_cache.h"
#include "program.h"
#include "proven/io/mesh_file.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

class CacheOfProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    TriangleMesh mesh;  // a torus
    for (std::uint32_t i = 0; i < 64; ++i)
      for (std::uint32_t j = 0; j < 32; ++j) {
        const double u = 2 * std::numbers::pi * i / 64, v = 2 * std::numbers::pi * j / 32;
        const double r = 0.2 + 0.05 * std::cos(v);
        mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), 0.05 * std::sin(v)});
        const auto at = [](std::uint32_t a, std::uint32_t b) { return a % 64 * 32 + b % 32; };
        mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
        mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
      }
    ASSERT_TRUE(save_obj(folder_ / "ring.obj", mesh).ok());
    write("arm.urdf", R"(<robot name="arm"><link name="base"/>
      <link name="tip"><collision><origin xyz="0.5 0 0"/><geometry><mesh filename="ring.obj"/>
      </geometry></collision></link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="tip"/>
      <axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint></robot>)");
    write("cell.json", R"({"proven": 1, "robots": [{"name": "arm", "urdf": "arm.urdf"}],
      "obstacles": [{"name": "post", "box": [0.1, 0.1, 1], "pose": {"xyz": [-0.5, 0, 0]}}]})");
    write("path.json", R"({"proven": 1, "joints": ["arm/turn"], "waypoints": [[0], [1]]})");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string environment() const { return "PROVEN_CACHE=" + shell_quoted(file("cache")); }
  int num_entries() const {
    if (!fs::exists(folder_ / "cache")) return 0;
    return static_cast<int>(std::distance(fs::directory_iterator(folder_ / "cache"), {}));
  }
  // The answer without its time, and the certificate.
  std::string answer(const std::vector<std::string>& more, const std::string& environment) const {
    std::vector<std::string> call = {"check",  file("cell.json"), file("path.json"),
                                     "--json", "--certificate",   file("proof")};
    call.insert(call.end(), more.begin(), more.end());
    const ProgramResult result = run_program(call, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    auto json = nlohmann::json::parse(result.out);
    json["stats"].erase("seconds");
    std::stringstream proof;
    proof << std::ifstream(file("proof"), std::ios::binary).rdbuf();
    return json.dump() + proof.str();
  }
};

TEST_F(CacheOfProgram, ChangesNoAnswerAndCanBeTurnedOff) {
  const std::string expected = answer({}, "PROVEN_CACHE=off");
  EXPECT_EQ(answer({"--no-cache"}, environment()), expected);
  EXPECT_EQ(num_entries(), 0);
  EXPECT_EQ(answer({}, environment()), expected);
  EXPECT_EQ(num_entries(), 2);  // the mesh and its tree
  EXPECT_EQ(answer({}, environment()), expected);
}

TEST_F(CacheOfProgram, IsNeitherReadNorWrittenByVerify) {
  const std::string expected = answer({}, "PROVEN_CACHE=off");
  const std::vector<std::string> verify = {"verify", file("cell.json"), file("path.json"),
                                           file("proof")};
  EXPECT_EQ(run_program(verify, environment()).exit_code, 0);
  EXPECT_EQ(num_entries(), 0);
  // A speck in place of the mesh: check believes it, verify does not.
  answer({}, environment());
  io::GeometryCache cache(folder_ / "cache");
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    const std::string name = entry.path().filename().string();
    if (name.find("-mesh") == std::string::npos) continue;
    cache.store_mesh({std::stoull(name.substr(0, 16), nullptr, 16),
                      std::stoull(name.substr(16, 16), nullptr, 16)},
                     {{{0, 0, 0}, {1e-3, 0, 0}, {0, 1e-3, 0}}, {{0, 1, 2}}});
  }
  EXPECT_NE(answer({}, environment()), expected);
  EXPECT_EQ(answer({"--no-cache"}, environment()), expected);
  EXPECT_EQ(run_program(verify, environment()).exit_code, 0);
}

TEST_F(CacheOfProgram, StandsInTheFolderOfTheUser) {
  answer({}, "PROVEN_CACHE= XDG_CACHE_HOME=" + shell_quoted(file("xdg")));
  EXPECT_TRUE(fs::exists(folder_ / "xdg" / "proven" / "geometry"));
}

}  // namespace
}  // namespace proven::test
