// proven cloud: takes out of a cloud what is no obstacle, and says how much that was.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "proven/io/path_file.h"
#include "proven/io/sensed_file.h"
#include "proven/scene/cloud_filter.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/tool_argument.h"

namespace proven::tools {
namespace {

struct CloudArguments {
  std::string points, output, low, high, ground, configuration;
  bool robot = false, unknown_free = false, ignore_limits = false;
  double padding = 0;
};

Result<CloudFilter> filter_of(const CloudArguments& arguments, const Scene& scene) {
  CloudFilter filter;
  if (arguments.low.empty() != arguments.high.empty())
    return bad_input("a region has two corners: give --region-low and --region-high");
  if (!arguments.low.empty()) {
    const auto low = parse_point(arguments.low, "--region-low");
    if (!low.ok()) return low.error();
    const auto high = parse_point(arguments.high, "--region-high");
    if (!high.ok()) return high.error();
    filter.region = Aabb{low.value(), high.value()};
  }
  if (!arguments.ground.empty()) {
    const auto height = parse_point("0 0 " + arguments.ground, "--ground");
    if (!height.ok()) return bad_input("expected a height in metres", "--ground");
    filter.ground = height.value().z;
  }
  filter.padding = arguments.padding;
  if (!arguments.configuration.empty() && !arguments.robot)
    return bad_input("--configuration is of the robot that --own-body takes out");
  if (!arguments.robot) return filter;
  filter.configuration = std::vector<double>(scene.home().begin(), scene.home().end());
  if (arguments.configuration.empty()) return filter;
  auto read = load_configuration(arguments.configuration, scene, {arguments.ignore_limits});
  if (!read.ok()) return read.error();
  filter.configuration = std::move(read).value();
  return filter;
}

int run(const SceneArgument& scene_argument, const CloudArguments& arguments,
        const CommonOptions& common) {
  const auto scene = load(scene_argument);
  if (!scene.ok()) return report(scene.error());
  const auto filter = filter_of(arguments, scene.value());
  if (!filter.ok()) return report(filter.error());
  const auto points = load_points(arguments.points);
  if (!points.ok()) return report(points.error());
  const auto filtered = filter_cloud(points.value(), filter.value(), scene.value());
  if (!filtered.ok()) return report(filtered.error());
  const FilteredCloud& cloud = filtered.value();
  if (cloud.not_finite > 0 && !arguments.unknown_free)
    return report(bad_input(fmt::format("{} points were not seen (not finite); --unknown-free "
                                        "leaves them out: what is there counts as free",
                                        cloud.not_finite),
                            arguments.points));
  if (cloud.points.empty()) return report(bad_input("no point is left", arguments.points));
  if (const auto saved = save_points(arguments.output, cloud.points); !saved.ok())
    return report(saved.error());
  if (common.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"points", points.value().size()},
                                              {"not_seen", cloud.not_finite},
                                              {"outside", cloud.outside},
                                              {"ground", cloud.ground},
                                              {"robot", cloud.robot},
                                              {"left", cloud.points.size()}}
                           .dump());
    return kOk;
  }
  fmt::print(
      "{} points: {} not seen, {} outside the region, {} of the ground, {} of the robot; {} are "
      "left, in {}\n",
      points.value().size(), cloud.not_finite, cloud.outside, cloud.ground, cloud.robot,
      cloud.points.size(), arguments.output);
  return kOk;
}

}  // namespace

Command cloud_command() {
  return {
      "cloud", "Take the ground, the robot and what is far away out of a point cloud",
      "  proven cloud cell.json scan.pcd seen.npy --ground 0.01 --own-body --padding 0.02\n"
      "  proven cloud cell.json scan.ply seen.npy --region-low \"-1 -1 0\" --region-high \"1 1 2\"",
      [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
        auto scene = add_scene_argument(arguments);
        auto chosen = std::make_shared<CloudArguments>();
        arguments.add_required("points", chosen->points,
                               "PCD, PLY or .npy, in metres, in the world's frame");
        arguments.add_required("output", chosen->output, "The points that stay, as .npy");
        arguments.add("--region-low", chosen->low, "\"x y z\": points below it go");
        arguments.add("--region-high", chosen->high, "\"x y z\": points above it go");
        arguments.add("--ground", chosen->ground,
                      "Points at this height (z) or below go: put an obstacle in its place");
        arguments.add_flag("--own-body", chosen->robot,
                           "Points of the robots and what they hold go");
        arguments.add("--configuration", chosen->configuration,
                      "Where the robots were: a path with one waypoint, or a query (its "
                      "start); default: home");
        arguments.add("--padding", chosen->padding, "Points so near to the robots go too, m", 0.0);
        arguments.add_flag("--unknown-free", chosen->unknown_free,
                           "Leave out points that were not seen (not finite)");
        arguments.add_flag("--ignore-limits", chosen->ignore_limits,
                           "Accept values beyond joint limits");
        arguments.honour(Common::no_cache);
        return [=, &common] { return run(*scene, *chosen, common); };
      }};
}

}  // namespace proven::tools
