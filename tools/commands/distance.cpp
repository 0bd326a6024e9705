// proven distance: how far apart all pairs are at one configuration.
#include "proven/geometry/distance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "proven/io/path_file.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"
#include "tools/view/distances.h"

namespace proven::tools {
namespace {

struct DistanceArguments {
  std::string configuration, method = "exact";
  double relative_error = 0.5;
  bool ignore_limits = false;
};

Measure measure_by(const DistanceArguments& arguments) {
  if (arguments.method == "greedy")
    return [](const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
              DistanceScratch& scratch) {
      const double bound = greedy_distance(a, b, X_AB, 0, scratch);
      return ExactDistance{bound, bound, {}, {-1, -1}};
    };
  if (arguments.method == "approximate")
    return [error = arguments.relative_error](const BodyGeometry& a, const BodyGeometry& b,
                                              const Pose& X_AB, DistanceScratch& scratch) {
      const double bound = approximate_distance(a, b, X_AB, error, scratch);
      return ExactDistance{bound, bound, {}, {-1, -1}};
    };
  return measure_exactly;
}

int run(const SceneArgument& scene_argument, const DistanceArguments& arguments,
        const CommonOptions& common) {
  const auto loaded = load(scene_argument);
  if (!loaded.ok()) return report(loaded.error());
  const Scene& scene = loaded.value();
  std::vector<double> q(scene.home().begin(), scene.home().end());
  if (!arguments.configuration.empty()) {
    auto configuration =
        load_configuration(arguments.configuration, scene, {arguments.ignore_limits});
    if (!configuration.ok()) return report(configuration.error());
    q = std::move(configuration).value();
  }
  DistanceScratch scratch;
  const std::vector<PairDistance> distances =
      measure_pairs(scene, q, measure_by(arguments), scratch);
  const bool collides = !distances.empty() && distances[0].distance == 0;
  if (common.json) {
    const nlohmann::ordered_json stats = {{"box_tests", scratch.counts.box_tests},
                                          {"triangle_tests", scratch.counts.triangle_tests}};
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"method", arguments.method},
                   {"pairs", distances_json(scene, distances, arguments.method == "exact")},
                   {"stats", stats}}
                   .dump());
    return collides ? kCollision : kOk;
  }
  for (const PairDistance& d : distances)
    fmt::print("{:>12}  {} - {}{}\n", fmt::format("{:.6f} m", d.distance), scene.body(d.a).name,
               scene.body(d.b).name,
               d.inside          ? paint(Colour::red, "  one lies inside the other")
               : d.distance == 0 ? paint(Colour::red, "  collision")
                                 : "");
  if (!common.quiet)
    fmt::print(stderr, "{} pairs, {} box tests, {} triangle tests ({})\n", distances.size(),
               scratch.counts.box_tests, scratch.counts.triangle_tests, arguments.method);
  return collides ? kCollision : kOk;
}

}  // namespace

Command distance_command() {
  return {"distance", "Distances of all pairs at one configuration",
          "  proven distance cell.json start.json\n"
          "  proven distance cage-a --method greedy        (at the scene's home)",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<DistanceArguments>();
            arguments.add("configuration", chosen->configuration,
                          "A path with one waypoint, or a query (its start); default: home");
            arguments.add_choice("--method", chosen->method, {"exact", "greedy", "approximate"},
                                 "How to measure");
            arguments.add("--relative-error", chosen->relative_error,
                          "Of the approximate method; between 0 and 1", 1e-6, 0.999999);
            arguments.add_flag("--ignore-limits", chosen->ignore_limits,
                               "Accept values beyond joint limits");
            arguments.honour(Common::no_cache);
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
