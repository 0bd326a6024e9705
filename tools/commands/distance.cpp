// proven distance: how far apart all pairs are at one configuration.
#include "proven/geometry/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proven/geometry/solid.h"
#include "proven/io/path_file.h"
#include "proven/kinematics/poses.h"
#include "tools/command.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

struct DistanceArguments {
  std::string configuration, method = "exact";
  double relative_error = 0.5;
  bool ignore_limits = false;
};

struct PairDistance {
  BodyPair pair;
  double distance = 0;                        // a lower bound for greedy and approximate
  std::optional<std::array<Vec3, 2>> points;  // in the world; exact only
  bool inside = false;                        // one body lies wholly inside the other
};

PairDistance measure(const Scene& scene, const BodyPair& pair, const LinkPoses& poses,
                     const DistanceArguments& arguments, DistanceScratch& scratch) {
  const Body& a = scene.body(pair.a);
  const Body& b = scene.body(pair.b);
  const Pose X_WA = poses.X_WL[static_cast<std::size_t>(a.link)] * a.X_LB;
  const Pose X_AB = relative_pose(X_WA, poses.X_WL[static_cast<std::size_t>(b.link)] * b.X_LB);
  PairDistance result{pair, 0, std::nullopt, false};
  if (arguments.method == "greedy") {
    result.distance = greedy_distance(*a.geometry, *b.geometry, X_AB, 0, scratch);
  } else if (arguments.method == "approximate") {
    result.distance =
        approximate_distance(*a.geometry, *b.geometry, X_AB, arguments.relative_error, scratch);
  } else {
    const ExactDistance exact = exact_distance(*a.geometry, *b.geometry, X_AB, {-1, -1}, scratch);
    result.distance = exact.distance;
    result.points = {X_WA * exact.points[0], X_WA * exact.points[1]};
  }
  if (result.distance > 0 && find_containment(*a.geometry, *b.geometry, X_AB).inside) {
    result.inside = true;
    result.distance = 0;
    result.points.reset();
  }
  return result;
}

nlohmann::ordered_json to_json(const Scene& scene, const std::vector<PairDistance>& distances,
                               const DistanceArguments& arguments, const QueryCounts& counts) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const PairDistance& d : distances) {
    nlohmann::ordered_json row = {{"pair", {scene.body(d.pair.a).name, scene.body(d.pair.b).name}},
                                  {"distance", d.distance}};
    if (d.inside) row["inside"] = true;
    if (d.points)
      for (const Vec3& p : *d.points) row["points"].push_back({p.x, p.y, p.z});
    rows.push_back(std::move(row));
  }
  return {{"method", arguments.method},
          {"pairs", rows},
          {"stats", {{"box_tests", counts.box_tests}, {"triangle_tests", counts.triangle_tests}}}};
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
  LinkPoses poses;
  compute_poses(scene.tree(), q, poses);
  DistanceScratch scratch;
  std::vector<PairDistance> distances;
  for (const BodyPair& pair : scene.pairs())
    distances.push_back(measure(scene, pair, poses, arguments, scratch));
  std::ranges::stable_sort(distances, {}, &PairDistance::distance);
  const bool collides = !distances.empty() && distances[0].distance == 0;
  if (common.json) {
    fmt::print("{}\n", to_json(scene, distances, arguments, scratch.counts).dump());
    return collides ? kCollision : kOk;
  }
  for (const PairDistance& d : distances)
    fmt::print("{:>12}  {} - {}{}\n", fmt::format("{:.6f} m", d.distance),
               scene.body(d.pair.a).name, scene.body(d.pair.b).name,
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
