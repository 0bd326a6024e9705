// Paper 001, tables VIII to X: the bad cases. A gun makes a full turn just above a floor, a box or
// a narrow box; the work grows as the height and the threshold shrink.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "bench/bench.h"
#include "proven/certify/check.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

struct Work {
  double boxes, triangles;
};

struct PaperRow {
  double height, threshold;
  Work all, gun;
};

struct Study {
  const char* table;
  const char* scene;
  PaperRow rows[7];
};

constexpr Study kStudies[] = {
    {"table VIII",
     "floor",
     {{0.1, 0.1, {11232, 0}, {8789, 0}},
      {0.01, 0.01, {62866, 0}, {62727, 0}},
      {0.001, 0.001, {990766, 0}, {990595, 0}},
      {0.0001, 0.0001, {7.91e6, 0}, {7.91e6, 0}},
      {0.1, 0.0001, {258, 0}, {127, 0}},
      {0.01, 0.0001, {753939, 0}, {753800, 0}},
      {0.001, 0.0001, {1.12e6, 0}, {1.12e6, 0}}}},
    {"table IX",
     "box",
     {{0.1, 0.1, {1421, 105}, {1397, 105}},
      {0.01, 0.01, {5664, 101}, {5646, 101}},
      {0.001, 0.001, {73018, 122}, {72998, 122}},
      {0.0001, 0.0001, {578220, 3358}, {578200, 3358}},
      {0.1, 0.0001, {33, 0}, {17, 0}},
      {0.01, 0.0001, {23801, 0}, {23783, 0}},
      {0.001, 0.0001, {67165, 0}, {67145, 0}}}},
    {"table X",
     "narrow-box",
     {{0.1, 0.1, {653, 5}, {634, 5}},
      {0.01, 0.01, {3059, 51}, {3045, 51}},
      {0.001, 0.001, {27685, 87}, {27671, 87}},
      {0.0001, 0.0001, {202870, 2153}, {202856, 2153}},
      {0.1, 0.0001, {27, 0}, {15, 0}},
      {0.01, 0.0001, {315, 0}, {301, 0}},
      {0.001, 0.0001, {15426, 0}, {15412, 0}}}},
};

// "Slightly bigger than" the threshold, as the paper says without a figure.
constexpr double kSlightlyBigger = 1.01;
constexpr const char* kGun = "arm/gun";
// The short form leaves out lower passes.
constexpr double kLowestQuickHeight = 0.001;
constexpr std::array kCheckers = {Checker::classic, Checker::refined, Checker::directional};
constexpr int kAll = std::size(kStudies[0].rows);

bool is_gun_and_obstacle(const Scene& scene, const BodyPair& pair) {
  const Body &a = scene.body(pair.a), &b = scene.body(pair.b);
  return (a.name == kGun && b.link == 0) || (b.name == kGun && a.link == 0);
}

// The scene at one height of the tip, with all pairs and with those of the gun alone.
struct SweepScenes {
  Scene all, gun;
};

Result<SweepScenes> sweep_scenes(const char* name, double height) {
  Result<SceneSource> source = make_scene(name, {kSlightlyBigger * height});
  if (!source.ok()) return source.error();
  Result<Scene> all = build_scene(source.value());
  if (!all.ok()) return all.error();
  for (const BodyPair& pair : all.value().pairs()) {
    if (is_gun_and_obstacle(all.value(), pair)) continue;
    source.value().exclusions.push_back(
        {all.value().body(pair.a).name, all.value().body(pair.b).name, "only the gun is checked"});
  }
  Result<Scene> gun = build_scene(source.value());
  if (!gun.ok()) return gun.error();
  return SweepScenes{std::move(all).value(), std::move(gun).value()};
}

Result<Path> sweep_path(const Scene& scene, const SceneQuery& query) {
  Path path;
  for (const std::vector<double>* end : {&query.start, &query.goal}) {
    std::vector<double> q(scene.home().begin(), scene.home().end());
    for (std::size_t k = 0; k < query.joints.size(); ++k) {
      const int coordinate = scene.tree().find_coordinate(query.joints[k]);
      if (coordinate < 0) return bad_input("the scene has no joint " + query.joints[k]);
      q[static_cast<std::size_t>(coordinate)] = (*end)[k];
    }
    path.waypoints.push_back(std::move(q));
  }
  return path;
}

void add_point(Series& series, const PaperRow& paper, double boxes) {
  series.x.push_back(paper.threshold);
  series.y.push_back(boxes);
}

// The answers of classic, refined and directional.
Result<std::array<CheckResult, 3>> ask_all(const Scene& scene, const Path& path, double threshold) {
  std::array<CheckResult, 3> results;
  Scratch scratch;
  for (std::size_t k = 0; k < kCheckers.size(); ++k) {
    CheckOptions options;
    options.limits = Limits::ignore;  // random values go where they like
    options.checker = kCheckers[k];
    options.resolution = threshold;
    auto result = check(scene, path, options, scratch);
    if (!result.ok()) return result.error();
    results[k] = std::move(result).value();
  }
  return results;
}

Result<void> add_row(const Study& study, const PaperRow& paper, const Scene& scene, bool gun_only,
                     Report& report) {
  const Result<Path> path = sweep_path(scene, find_scene(study.scene)->query);
  if (!path.ok()) return path.error();
  const auto results = ask_all(scene, path.value(), paper.threshold);
  if (!results.ok()) return results.error();
  const auto& [classic, refined, directional] = results.value();
  const CheckStats &ours = classic.stats, &other = refined.stats, &best = directional.stats;
  const Work& work = gun_only ? paper.gun : paper.all;
  Row& row = report.rows.emplace_back();
  row.add("scene", study.scene).add("figure", find_scene(study.scene)->figure);
  row.add("checked", gun_only ? "end-effector" : "all links");
  row.add("height", paper.height).add("threshold", paper.threshold);
  row.add("verdict", to_string(classic.verdict));
  row.add("boxes: ours", ours.box_tests).add("boxes: paper", work.boxes);
  row.add("triangles: ours", ours.triangle_tests).add("triangles: paper", work.triangles);
  row.add("cells", ours.cells).add("ms", 1e3 * ours.seconds);
  row.add("refined: verdict", to_string(refined.verdict));
  row.add("refined: boxes", other.box_tests).add("refined: ms", 1e3 * other.seconds);
  row.add("directional: verdict", to_string(directional.verdict));
  row.add("directional: boxes", best.box_tests);
  row.add("classic's boxes / directional's",
          static_cast<double>(ours.box_tests) / static_cast<double>(best.box_tests));
  row.add("directional: configurations", best.configurations);
  row.add("directional: ms", 1e3 * best.seconds);
  if (gun_only || paper.height != paper.threshold) return {};
  add_point(report.plot.series[0], paper, static_cast<double>(ours.box_tests));
  add_point(report.plot.series[1], paper, static_cast<double>(other.box_tests));
  add_point(report.plot.series[2], paper, static_cast<double>(best.box_tests));
  add_point(report.plot.series[3], paper, work.boxes);
  return {};
}

Result<Report> run(const Study& study, const Options& options) {
  Report report;
  report.plot.title =
      fmt::format("A full turn at a height of the threshold (paper 001, {})", study.table);
  report.plot.x_label = "threshold = height [m]";
  report.plot.y_label = "box tests";
  report.plot.log_x = report.plot.log_y = true;
  for (const char* name : {"classic: ours", "refined: ours", "directional", "classic: paper"})
    report.plot.series.push_back({name, Series::Style::line, {}, {}, {}});
  std::map<double, SweepScenes> scenes;  // by height: two rows share one
  const std::size_t settings =
      std::min(std::size(study.rows), static_cast<std::size_t>(options.cases_or(kAll, kAll)));
  std::size_t done = 0;
  for (const PaperRow& row : std::span(study.rows).first(settings)) {
    options.progress(static_cast<double>(++done) / static_cast<double>(settings + 1));
    if (options.quick && row.height < kLowestQuickHeight) continue;
    if (!scenes.contains(row.height)) {
      Result<SweepScenes> made = sweep_scenes(study.scene, row.height);
      if (!made.ok()) return made.error();
      scenes.emplace(row.height, std::move(made).value());
    }
    const SweepScenes& at_height = scenes.at(row.height);
    for (const bool gun_only : {false, true}) {
      const Scene& scene = gun_only ? at_height.gun : at_height.all;
      const auto added = add_row(study, row, scene, gun_only, report);
      if (!added.ok()) return added.error();
    }
  }
  report.notes = {
      "The arm turns 2π about its first joint; the tip of its gun passes 1.01 times 'height' above "
      "the surface. 'threshold' is the resolution. Metres; the paper's units are of the same "
      "scale.",
      "'end-effector': only pairs of the gun and an obstacle are tested.",
      "Columns without 'refined' or 'directional' are of the checker classic, as in the paper. "
      "Machine of the "
      "paper: "
      "a Pentium III at 1 GHz; it gives no times here."};
  if (options.quick) report.notes.push_back("The short form leaves out heights below 0.001 m.");
  return report;
}

Benchmark glide(std::string name, const Study& study) {
  return {std::move(name),
          fmt::format("bad case: a full turn above {} (paper 001, {})", study.scene, study.table),
          [&study](const Options& options) { return run(study, options); }};
}

}  // namespace

Benchmark table8() {
  return glide("table8", kStudies[0]);
}
Benchmark table9() {
  return glide("table9", kStudies[1]);
}
Benchmark table10() {
  return glide("table10", kStudies[2]);
}

}  // namespace proven::bench
