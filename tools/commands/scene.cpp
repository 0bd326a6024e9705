// proven scene: the built-in scenes, listed or written as files.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/path_file.h"
#include "proven/io/scene_writer.h"
#include "scenes/scenes.h"
#include "tools/command.h"

namespace proven::tools {
namespace {

constexpr const char* kOne = "one scene";

struct SceneArguments {
  std::string name, folder;
  SceneParameters parameters;
};

int list(bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SceneInfo& info : list_scenes()) {
    if (json)
      rows.push_back({{"name", info.name},
                      {"caption", info.caption},
                      {"figure", info.figure},
                      {"joints", info.joints},
                      {"robot_triangles", info.robot_triangles},
                      {"obstacle_triangles", info.obstacle_triangles}});
    else
      fmt::print("{:<13} {:>3} joints {:>6} + {:>6} triangles  {}\n", info.name, info.joints,
                 info.robot_triangles, info.obstacle_triangles, info.caption);
  }
  if (json) fmt::print("{}\n", nlohmann::ordered_json{{"scenes", rows}}.dump());
  return kOk;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SceneInfo& info : list_scenes()) all.emplace_back(info.name);
  return all;
}

int write(const SceneArguments& arguments, const CommonOptions& common) {
  const auto source = make_scene(arguments.name, arguments.parameters);
  if (!source.ok()) return report(source.error());
  if (auto saved = save_scene(source.value(), arguments.folder); !saved.ok())
    return report(saved.error());
  nlohmann::ordered_json written = {{"scene", arguments.folder + "/scene.json"}};
  const SceneInfo* info = find_scene(arguments.name);
  if (info && !info->query.joints.empty()) {
    written["query"] = arguments.folder + "/query.json";
    const SceneQuery& query = info->query;
    if (auto saved =
            save_query(arguments.folder + "/query.json", query.joints, query.start, query.goal);
        !saved.ok())
      return report(saved.error());
  }
  if (common.json)
    fmt::print("{}\n", written.dump());
  else
    for (const auto& [what, file] : written.items())
      fmt::print("wrote {}\n", file.get<std::string>());
  return kOk;
}

}  // namespace

Command scene_command() {
  return {"scene", "List the built-in scenes, or write one as files",
          "  proven scene\n"
          "  proven scene cage-a -o cage    writes cage/scene.json, its robots and meshes\n"
          "  proven scene demo -o demo      and demo/query.json: a start and a goal",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<SceneArguments>();
            arguments.add("name", chosen->name, "Which one; none: list them");
            arguments.suggest(names());
            arguments.add("-o,--output", chosen->folder,
                          "Folder to write it to; default: its name");
            arguments.only_for({kOne});
            arguments.add("--tip-clearance", chosen->parameters.clearance,
                          "floor, box, narrow-box: height of the tip over the surface, in metres",
                          1e-9, 1);
            arguments.only_for({kOne});
            arguments.set_action([chosen] { return chosen->name.empty() ? "the list" : kOne; });
            return [chosen, &common] {
              if (chosen->name.empty()) return list(common.json);
              if (chosen->folder.empty()) chosen->folder = chosen->name;
              return write(*chosen, common);
            };
          }};
}

}  // namespace proven::tools
