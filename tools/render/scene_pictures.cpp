// Writes docs/pictures and docs/scenes.md from the built-in scenes:
//   proven_scene_pictures DOCS_FOLDER [SCENE...]
// With scene names only their pictures are written.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "proven/io/file.h"
#include "proven/scene/scene_source.h"
#include "scenes/scenes.h"
#include "tools/render/render.h"

namespace proven {
namespace {

// The side from which a scene looks best.
RenderOptions view_of(const std::string& name) {
  struct View {
    double azimuth, elevation;
    int width = 960, height = 640;
  };
  static const std::map<std::string, View> views = {
      {"rings", {-0.9, 0.2, 420, 800}},
      {"rod", {-0.9, 0.3}},
      {"lattice-1", {-0.7, 0.2, 420, 800}},
      {"lattice-9", {-0.7, 0.2, 420, 800}},
      {"machine-tool", {-2.75, 0.3}},
      {"workshop", {-0.85, 0.62, 840, 560}},
      {"car-a", {-0.95, 0.5}},
      {"car-b", {-0.95, 0.5}},
      {"floor", {-0.6, 0.45}},
      {"box", {-0.6, 0.35}},
      {"narrow-box", {-0.6, 0.35}},
      {"demo", {-0.68, 0.4}},
      {"planar-12", {-1.2, 0.7}},
      {"free-flyer", {-2.3, 0.35}},
      {"gantry", {-1.1, 0.4}},
      {"lever", {-1.1, 0.3}},
  };
  RenderOptions options;
  options.supersampling = 3;
  if (const auto it = views.find(name); it != views.end()) {
    options.azimuth = it->second.azimuth;
    options.elevation = it->second.elevation;
    options.width = it->second.width;
    options.height = it->second.height;
  }
  return options;
}

Result<void> write_picture(const SceneInfo& info, const std::filesystem::path& folder) {
  const Result<SceneSource> source = make_scene(info.name);
  if (!source.ok()) return source.error();
  const Result<Scene> scene = build_scene(source.value());
  if (!scene.ok()) return scene.error();
  std::vector<double> q(scene.value().home().begin(), scene.value().home().end());
  // A scene that rests at a home of its own shows that; others show where a motion begins.
  if (source.value().home.empty())
    for (std::size_t k = 0; k < info.query.joints.size(); ++k)
      q[static_cast<std::size_t>(scene.value().tree().find_coordinate(info.query.joints[k]))] =
          info.query.start[k];
  return render_png(scene.value(), q, view_of(info.name), folder / (info.name + ".png"));
}

std::string with_commas(int value) {
  if (value < 1000) return std::to_string(value);
  return fmt::format("{},{:03}", with_commas(value / 1000), value % 1000);
}

std::string page_of_scenes() {
  std::string page =
      "# Built-in scenes\n\n"
      "Generated from parameters by `scenes/`, the same on every machine. The first thirteen "
      "follow the figures of Schwarzer, Saha and Latombe, \"Adaptive Dynamic Collision "
      "Checking\": the numbers of joints and triangles are theirs, the shapes are ours. Robots "
      "are scaled so that the reference link has the length L_ref of their table II.\n\n"
      "This page and its pictures are written by `proven_scene_pictures docs`.\n\n"
      "A scene is used by its name wherever a command takes a scene. To write one to disk as "
      "scene.json with its URDF and meshes, to draw it, or to use it in C++:\n\n"
      "```\n"
      "proven scene cage-a -o cage\n"
      "proven render cage-a -o cage.png\n"
      "```\n\n"
      "```cpp\n"
      "#include \"scenes/scenes.h\"\n"
      "proven::Result<proven::SceneSource> source = proven::make_scene(\"cage-a\");\n"
      "proven::Result<proven::Scene> scene = proven::build_scene(source.value());\n"
      "```\n\n"
      "| scene | figure | joints | robot triangles | obstacle triangles | L_ref |\n"
      "| --- | --- | ---: | ---: | ---: | ---: |\n";
  for (const SceneInfo& info : list_scenes())
    page += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} | {5} |\n", info.name, info.figure,
                        info.joints, with_commas(info.robot_triangles),
                        with_commas(info.obstacle_triangles),
                        info.reference_length > 0 ? fmt::format("{}", info.reference_length) : "");
  for (const SceneInfo& info : list_scenes())
    page += fmt::format("\n## {0}\n\n{1}.\n\n![{0}](pictures/{0}.png)\n", info.name, info.caption);
  return page;
}

int run(const std::filesystem::path& docs, const std::set<std::string>& only) {
  std::filesystem::create_directories(docs / "pictures");
  for (const SceneInfo& info : list_scenes()) {
    if (!only.empty() && only.count(info.name) == 0) continue;
    const Result<void> written = write_picture(info, docs / "pictures");
    if (written.ok()) continue;
    fmt::print(stderr, "{}: {}\n", info.name, written.error().text());
    return 4;
  }
  if (!only.empty()) return 0;
  const Result<void> written = write_file(docs / "scenes.md", page_of_scenes());
  if (!written.ok()) fmt::print(stderr, "{}\n", written.error().text());
  return written.ok() ? 0 : 4;
}

}  // namespace
}  // namespace proven

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: proven_scene_pictures DOCS_FOLDER [SCENE...]\n");
    return 2;
  }
  return proven::run(argv[1], std::set<std::string>(argv + 2, argv + argc));
}
