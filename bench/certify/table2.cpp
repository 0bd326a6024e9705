// Paper 001, table II: the reference lengths that give distances in each environment their scale.
#include <cmath>

#include "bench/bench.h"
#include "proven/geometry/body_geometry.h"
#include "proven/scene/scene_source.h"
#include "scenes/scenes.h"

namespace proven::bench {
namespace {

struct PaperRow {
  const char* scene;
  double reference_length;
};

constexpr PaperRow kPaper[] = {
    {"rings", 0.5},         {"cage-a", 1.77},   {"cage-b", 1.65}, {"lattice-1", 0.5},
    {"machine-tool", 1.16}, {"workshop", 0.64}, {"car-a", 1.59},  {"car-b", 1.32},
};

// The robots' own geometry, apart from the scene's statement: how far its largest body reaches.
double largest_diameter(const Scene& scene) {
  double largest = 0;
  for (const Body& body : scene.bodies())
    if (body.link != 0) largest = std::max(largest, 2 * body.geometry->bounding_sphere().radius);
  return largest;
}

Result<Report> run(const Options& options) {
  Report report;
  report.plot.title = "Reference lengths (paper 001, table II)";
  report.plot.x_label = "environment";
  report.plot.y_label = "metres (paper: units)";
  report.plot.series = {{"ours", Series::Style::bars, {}, {}, {}},
                        {"paper", Series::Style::bars, {}, {}, {}}};
  for (const PaperRow& paper : kPaper) {
    const SceneInfo& info = *find_scene(paper.scene);
    const Result<SceneSource> source = make_scene(paper.scene);
    if (!source.ok()) return source.error();
    const Result<Scene> scene = build_scene(source.value());
    if (!scene.ok()) return scene.error();
    report.rows.push_back(Row{}
                              .add("scene", info.name)
                              .add("figure", info.figure)
                              .add("reference length: ours", info.reference_length)
                              .add("reference length: paper", paper.reference_length)
                              .add("largest link", largest_diameter(scene.value())));
    const auto x = static_cast<double>(report.plot.categories.size());
    report.plot.series[0].x.push_back(x);
    report.plot.series[0].y.push_back(info.reference_length);
    report.plot.series[1].x.push_back(x);
    report.plot.series[1].y.push_back(paper.reference_length);
    report.plot.categories.push_back(info.name);
    options.progress((x + 1) / static_cast<double>(std::size(kPaper)));
  }
  report.notes = {
      "The reference length is that of the forearm, or of one link of a thin linkage. Our scenes "
      "are "
      "scaled to it, in metres, so that thresholds mean the same as in the paper.",
      "'largest link' is the diameter of the largest link's bounding sphere in the built scene."};
  return report;
}

}  // namespace

Benchmark table2() {
  return {"table2", "reference lengths of the environments (paper 001, table II)", run};
}

}  // namespace proven::bench
