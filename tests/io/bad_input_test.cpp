// Every file of tests/bad_input gives one helpful line, without a crash. The command line is tested
// with the same manifest elsewhere.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io_support.h"
#include "proven/io/convert.h"
#include "proven/io/mesh_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"

namespace proven::test {
namespace {

nlohmann::json manifest() {
  std::ifstream stream(bad_input_dir() / "manifest.json");
  return nlohmann::json::parse(stream);
}

// What a command of the manifest would report.
std::string report(const std::vector<std::string>& args) {
  if (args[0] == "convert") return error_text(convert_robot(bad_input_dir() / args.at(1)));
  const Result<Scene> scene = load_scene(bad_input_dir() / args.at(1));
  if (args[0] == "doctor") return error_text(scene);
  if (!scene.ok()) return "the scene is bad: " + scene.error().text();
  return error_text(load_configuration(bad_input_dir() / args.at(2), scene.value()));
}

TEST(BadInput, EveryFileGivesOneLineThatNamesThePlaceAndTheCause) {
  const nlohmann::json cases = manifest();
  EXPECT_GE(cases.size(), 70u);
  for (const nlohmann::json& entry : cases) {
    const auto args = entry.at("args").get<std::vector<std::string>>();
    const auto expected = entry.at("error").get<std::string>();
    SCOPED_TRACE(entry.at("file").get<std::string>());
    const std::string text = report(args);
    EXPECT_NE(text.find(expected), std::string::npos) << "got:      " << text << "\n"
                                                      << "expected: " << expected;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(BadInput, ManifestListsEveryFile) {
  std::string listed;
  for (const nlohmann::json& entry : manifest()) listed += entry.dump() + "\n";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bad_input_dir())) {
    if (!entry.is_regular_file()) continue;
    const std::string name =
        std::filesystem::relative(entry.path(), bad_input_dir()).generic_string();
    const bool helper =
        name.starts_with("ok/") || name == "manifest.json" || name == "planning_scenes/arm.urdf";
    EXPECT_TRUE(helper || listed.find(name) != std::string::npos) << name << " is in no case";
  }
}

TEST(BadInput, GoodCompanionsLoad) {
  for (const char* name : {"ok/scene.json", "ok/two_arms.json", "ok/drone.json", "ok/arm.urdf"})
    EXPECT_EQ(error_text(load_scene(bad_input_dir() / name)), "no error") << name;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// Loads the text cut at many places, and with single characters replaced; returns how many variants
// were good and how many bad.
template <class Load>
std::pair<int, int> load_variants(const std::string& text, Load&& load) {
  int good = 0, bad = 0;
  const std::size_t step = std::max<std::size_t>(1, text.size() / 150);
  for (std::size_t i = 0; i < text.size(); i += step) {
    std::string altered = text;
    altered[i] = "<>\"{}[],:0-/x\n"[i % 14];
    for (const std::string& variant : {text.substr(0, i), altered}) {
      const std::string error = load(variant);
      (error == "no error" ? good : bad)++;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
  }
  return {good, bad};
}

// Whatever a good file is cut to or changed to, loading ends in a value or an Error.
TEST(BadInput, CutAndAlteredScenesNeverCrash) {
  const TemporaryFolder folder;
  folder.write("arm.urdf", read(bad_input_dir() / "ok/arm.urdf"));
  const std::string planning_scene =
      "robot_model_name: arm\nrobot_state:\n  joint_state: {name: [slide], position: [0.1]}\n"
      "world:\n  collision_objects:\n    - id: can\n      primitives:\n"
      "        - {type: cylinder, dimensions: [0.1, 0.2]}\n      primitive_poses:\n"
      "        - {position: [0, 0, 1], orientation: [0, 0, 0, 1]}\n";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"altered.json", read(bad_input_dir() / "ok/scene.json")},
           {"altered.urdf", read(bad_input_dir() / "ok/arm.urdf")},
           {"altered.yaml", planning_scene}}) {
    const auto [good, bad] = load_variants(text, [&, file = name](const std::string& variant) {
      return error_text(load_scene(folder.write(file, variant)));
    });
    EXPECT_GT(good, 2) << name;
    EXPECT_GT(bad, 50) << name;
  }
}

TEST(BadInput, CutAndAlteredMeshesNeverCrash) {
  const TemporaryFolder folder;
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {0, 0, 2}},
                          {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}}};
  must(save_stl(folder.path() / "good.stl", mesh));
  must(save_obj(folder.path() / "good.obj", mesh));
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  const std::string dae =
      "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
      "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" "
      "count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#a\" "
      "count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
      "type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
      "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles "
      "count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles>"
      "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node>"
      "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
      "<instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"altered.stl", read(folder.path() / "good.stl")},
           {"text.stl", read(bad_input_dir() / "ok/triangle.stl")},
           {"altered.obj", read(folder.path() / "good.obj")},
           {"altered.ply", ply},
           {"altered.dae", dae}}) {
    EXPECT_EQ(error_text(load_mesh(folder.write(name, text))), "no error") << name;
    const auto [good, bad] = load_variants(text, [&, file = name](const std::string& variant) {
      return error_text(load_mesh(folder.write(file, variant)));
    });
    EXPECT_GT(good, 2) << name;
    EXPECT_GT(bad, 50) << name;
  }
}

}  // namespace
}  // namespace proven::test
