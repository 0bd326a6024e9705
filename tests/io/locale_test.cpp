// Numbers mean the same in every locale.
#include <clocale>
#include <locale>

#include "io_support.h"
#include "proven/io/mesh_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/scene_writer.h"

namespace proven::test {
namespace {

// Decimal commas and grouped thousands, for streams; and for the C library if such a locale is
// installed.
class CommaLocale : public ::testing::Test {
 protected:
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  void SetUp() override {
    before_ = std::locale::global(std::locale(std::locale::classic(), new Comma));
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"})
      if (std::setlocale(LC_NUMERIC, name)) break;
  }
  void TearDown() override {
    std::setlocale(LC_NUMERIC, "C");
    std::locale::global(before_);
  }
  std::locale before_;
  TemporaryFolder folder_;
};

TEST_F(CommaLocale, AllFormatsReadAndWriteWithPoints) {
  const Scene scene = must(load_scene(bad_input_dir() / "ok/scene.json"));
  EXPECT_EQ(scene.tree().coordinates()[1].upper, 0.3);
  const std::vector<std::vector<double>> expected = {{0.5, 0.125}, {1234.5, 0.25}};
  const PathOptions ignore{.ignore_limits = true};
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"p.json", R"({"proven": 1, "joints": ["shoulder", "slide"],
                          "waypoints": [[0.5, 0.125], [1234.5, 2.5e-1]]})"},
           {"p.yaml",
            "joint_names: [shoulder, slide]\n"
            "points: [{positions: [0.5, 0.125]}, {positions: [1234.5, 2.5e-1]}]\n"},
           {"p.csv", "shoulder,slide\n0.5,0.125\n1234.5,2.5e-1\n"},
           {"p.txt", "0.5 0.125\n1234.5 2.5e-1\n"}})
    EXPECT_EQ(must(load_path(folder_.write(name, text), scene, ignore)).waypoints, expected)
        << name;

  Path path;
  path.waypoints = expected;
  must(save_path(folder_.path() / "saved.json", path, scene));
  EXPECT_EQ(must(load_path(folder_.path() / "saved.json", scene, ignore)).waypoints, expected);

  SceneSource source = must(load_scene_source(bad_input_dir() / "ok/scene.json"));
  source.clearance = 0.125;
  must(save_scene(source, folder_.path() / "scene"));
  EXPECT_EQ(must(load_scene(folder_.path() / "scene/scene.json")).hash(),
            must(build_scene(source)).hash());

  const TriangleMesh mesh{{{0.5, 0, 0}, {1234.25, 0, 0}, {0, 1e-3, 0}}, {{0, 1, 2}}};
  must(save_obj(folder_.path() / "m.obj", mesh));
  EXPECT_EQ(must(load_mesh(folder_.path() / "m.obj"))->vertices, mesh.vertices);
}

TEST_F(CommaLocale, CommasAreStillRefused) {
  const Scene scene = must(load_scene(bad_input_dir() / "ok/scene.json"));
  EXPECT_FALSE(load_path(folder_.write("p.txt", "0,5 0,125\n"), scene).ok());
}

}  // namespace
}  // namespace proven::test
