// proven demo: the main job on a built-in scene.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "proven/certify/check.h"
#include "proven/io/path_file.h"
#include "proven/kinematics/interpolation.h"
#include "scenes/scenes.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/html_report.h"
#include "tools/render/render.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

// The scene's query as full configurations.
std::array<std::vector<double>, 2> ends_of(const SceneInfo& info, const Scene& scene) {
  std::vector<double> start(scene.home().begin(), scene.home().end()), goal = start;
  for (std::size_t i = 0; i < info.query.joints.size(); ++i) {
    const auto index = static_cast<std::size_t>(scene.tree().find_coordinate(info.query.joints[i]));
    start[index] = info.query.start[i];
    goal[index] = info.query.goal[i];
  }
  return {start, goal};
}

// A way through one or two random configurations whose every segment is proved free.
std::optional<Path> find_detour(const Scene& scene, const std::vector<double>& start,
                                const std::vector<double>& goal, std::uint64_t seed,
                                Workspace& workspace) {
  Random random(seed);
  for (int attempt = 0; attempt < 20000; ++attempt) {
    Path path;
    path.waypoints.push_back(start);
    for (int via = 0; via <= attempt % 2; ++via)
      path.waypoints.push_back(random_configuration(scene.tree(), random));
    path.waypoints.push_back(goal);
    const auto result = check(scene, path, {}, workspace);
    if (result.ok() && result.value().verdict == Verdict::free) return path;
  }
  return std::nullopt;
}

Result<void> add_picture(HtmlReport& page, const Scene& scene, const std::vector<double>& q,
                         const std::string& caption) {
  RenderOptions view;
  view.azimuth = -0.35;  // from here no pillar hides the arm
  const auto image = render(scene, q, view);
  if (!image.ok()) return image.error();
  page.picture(image.value(), caption);
  return {};
}

std::string place_of(const Scene& scene, const Witness& w) {
  return fmt::format("{} meets {} at segment {}, t = {:.6g}", scene.body(w.bodies[0]).name,
                     scene.body(w.bodies[1]).name, w.segment, w.t);
}

Result<void> write_page(const std::string& file, const Scene& scene, const SceneInfo& info,
                        const CheckResult& straight, const Path& detour, const CheckResult& proof) {
  HtmlReport page("Proven: is the whole motion free of collision?");
  page.paragraph(fmt::format("Scene '{}': {}. {} bodies, {} pairs tested, {} excluded.", info.name,
                             info.caption, scene.bodies().size(), scene.pairs().size(),
                             scene.excluded_pairs().size()));
  if (auto added = add_picture(page, scene, detour.waypoints.front(), "The start"); !added.ok())
    return added;
  page.heading("Straight from start to goal");
  page.verdict(std::string(to_string(straight.verdict)),
               straight.collision ? place_of(scene, *straight.collision) : "");
  if (straight.collision)
    if (auto added = add_picture(page, scene, straight.collision->configuration,
                                 "The arm at the contact that was found");
        !added.ok())
      return added;
  page.heading("A way around");
  page.verdict(std::string(to_string(proof.verdict)),
               fmt::format("every configuration of all {} segments, for all {} pairs",
                           detour.num_segments(), scene.pairs().size()));
  page.table(
      {"configurations", "cells", "box tests", "triangle tests", "milliseconds"},
      {{fmt::format("{}", proof.stats.configurations), fmt::format("{}", proof.stats.cells),
        fmt::format("{}", proof.stats.box_tests), fmt::format("{}", proof.stats.triangle_tests),
        fmt::format("{:.2f}", 1e3 * proof.stats.seconds)}});
  for (std::size_t i = 1; i < detour.waypoints.size(); ++i) {
    const bool last = i + 1 == detour.waypoints.size();
    if (auto added = add_picture(page, scene, detour.waypoints[i],
                                 last ? "The goal" : fmt::format("Waypoint {}", i));
        !added.ok())
      return added;
  }
  return page.write(file);
}

int run(const std::string& report_file, const CommonOptions& common) {
  const SceneInfo& info = *find_scene("demo");
  const auto built = build_scene(make_scene(info.name).value());
  if (!built.ok()) return report(built.error());
  const Scene& scene = built.value();
  const auto [start, goal] = ends_of(info, scene);
  Workspace workspace;
  const Path direct{{start, goal}, {}, {}};
  const auto straight = check(scene, direct, {}, workspace);
  if (!straight.ok()) return report(straight.error());
  const auto detour = find_detour(scene, start, goal, common.seed, workspace);
  if (!detour) {
    fmt::print(stderr, "proven: no way around was found with seed {}; try another\n", common.seed);
    return kUndecided;
  }
  const auto proof = check(scene, *detour, {}, workspace);
  if (!proof.ok()) return report(proof.error());
  if (auto written = write_page(report_file, scene, info, straight.value(), *detour, proof.value());
      !written.ok())
    return report(written.error());
  if (common.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{"verdict", to_string(proof.value().verdict)},
                                      {"straight", to_json(straight.value(), scene, direct, {})},
                                      {"detour", to_json(proof.value(), scene, *detour, {})},
                                      {"report", report_file}}
                   .dump());
    return exit_code(proof.value().verdict);
  }
  fmt::print("{}\n", paint(Colour::bold, "Straight from start to goal"));
  print(straight.value(), scene, direct, {});
  fmt::print("\n{}\n", paint(Colour::bold, "A way around, through a random configuration"));
  print(proof.value(), scene, *detour, {});
  fmt::print("\nreport: {}\n", report_file);
  return exit_code(proof.value().verdict);
}

}  // namespace

Command demo_command() {
  return {"demo", "The main job on a built-in scene: find a motion, prove it, write a report",
          "  proven demo\n  proven demo --report demo.html",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto file = std::make_shared<std::string>("proven-demo.html");
            arguments.add("--report", *file, "The HTML page to write");
            return [file, &common] { return run(*file, common); };
          }};
}

}  // namespace proven::tools
