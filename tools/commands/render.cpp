// proven render: a picture of a scene.
#include "tools/render/render.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/path_file.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct RenderArguments {
  std::string configuration, output = "scene.png";
  RenderOptions options;
};

int run(const SceneArgument& scene_argument, const RenderArguments& arguments,
        const CommonOptions& common) {
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  std::vector<double> q(scene.value().home().begin(), scene.value().home().end());
  if (!arguments.configuration.empty()) {
    auto configuration = load_configuration(arguments.configuration, scene.value());
    if (!configuration.ok()) return report(configuration.error());
    q = std::move(configuration).value();
  }
  const Unfinished picture(arguments.output);
  if (auto drawn = render_png(scene.value(), q, arguments.options, arguments.output); !drawn.ok())
    return report(drawn.error());
  if (common.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"picture", arguments.output}}.dump());
  else if (!common.quiet)
    fmt::print("wrote {}\n", arguments.output);
  return kOk;
}

}  // namespace

Command render_command() {
  return {"render", "Draw a scene into a PNG file",
          "  proven render workshop -o workshop.png\n"
          "  proven render cell.json start.json --azimuth 0.8",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<RenderArguments>();
            arguments.add("configuration", chosen->configuration,
                          "A path with one waypoint, or a query (its start); default: home");
            arguments.add("-o,--output", chosen->output, "The PNG file to write");
            arguments.add("--azimuth", chosen->options.azimuth, "Of the camera, in radians");
            arguments.add("--elevation", chosen->options.elevation, "Of the camera, in radians");
            arguments.add("--zoom", chosen->options.zoom, "Above 1: closer");
            arguments.add("--width", chosen->options.width, "In pixels", 1);
            arguments.add("--height", chosen->options.height, "In pixels", 1);
            arguments.honour(Common::no_cache);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
