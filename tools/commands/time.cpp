// proven time: when to be where on a path, within the limits of the joints.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/io/path_file.h"
#include "proven/plan/timing.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

struct TimeArguments {
  std::string path, output;
  PathReading reading;
  TimingOptions options;
};

int run(const SceneArgument& scene_argument, const TimeArguments& arguments,
        const CommonOptions& common) {
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  const auto path = load_path(arguments.path, scene.value(), arguments.reading.options());
  if (!path.ok()) return report(path.error());
  const auto timed = time_path(scene.value().tree(), path.value(), arguments.options);
  if (!timed.ok()) return report(timed.error());
  const Unfinished file(arguments.output);
  if (!arguments.output.empty())
    if (auto saved = save_path(arguments.output, timed.value(), scene.value()); !saved.ok())
      return report(saved.error());
  const double seconds = timed.value().times.back();
  if (common.json) {
    nlohmann::ordered_json json = {{"seconds", seconds}, {"joints", nlohmann::json::array()}};
    for (const Coordinate& c : scene.value().tree().coordinates()) json["joints"].push_back(c.name);
    json["waypoints"] = timed.value().waypoints;
    json["times"] = timed.value().times;
    fmt::print("{}\n", json.dump());
    return kOk;
  }
  fmt::print("{:.3f} s along {} segments, {} timed waypoints\n", seconds,
             path.value().num_segments(), timed.value().waypoints.size());
  if (arguments.output.empty()) fmt::print("  not written: give -o FILE to keep them\n");
  return kOk;
}

}  // namespace

Command time_command() {
  return {"time", "Time a path within the joints' limits of velocity and acceleration",
          "  proven time cell.json path.json -o timed.json\n"
          "  proven time cell.json path.json --scale 0.5 --interval 0.008",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<TimeArguments>();
            TimingOptions& options = chosen->options;
            arguments.add_required("path", chosen->path, "Path file");
            arguments.add("-o,--output", chosen->output, "Write the timed path to this file");
            arguments.add("--velocity", options.velocity,
                          "For joints without a limit, in rad/s or m/s");
            arguments.add("--acceleration", options.acceleration,
                          "For joints without a limit, in rad/s² or m/s²");
            arguments.add("--scale", options.scale, "Share of the limits to use");
            arguments.add("--interval", options.interval, "Seconds between waypoints");
            add_path_options(arguments, chosen->reading);
            arguments.honour(Common::no_cache);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
