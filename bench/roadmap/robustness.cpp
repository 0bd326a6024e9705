// Paper 004, figure 12 and table 1: ε-robustness.
#include <fmt/format.h>

#include "bench/bench.h"
#include "bench/roadmap/robots.h"

namespace proven::bench {
namespace {

struct PaperRow {
  int joints, before, after;
};
constexpr PaperRow kPaper[] = {{3, 5958, 40}, {6, 17465, 419}, {9, 30582, 1277}, {12, 38857, 2800}};

Result<roadmap::RobustnessReport> examine(const ArmCase& arm, int nodes, double epsilon,
                                          const Options& options) {
  auto settings = arm_options(arm, nodes, options.threads, options.seed);
  // Robustness looks at every cell: a coarser grid than that of the sizes.
  settings.cell = arm.planar ? 1.0 / 16 : 1.0 / 10;
  const auto model = roadmap::build(arm.scene, {}, arm.scene.home(), settings);
  if (!model.ok()) return model.error();
  roadmap::RobustnessOptions robustness;
  robustness.epsilon = epsilon;
  robustness.threads = options.threads;
  auto made = make_robust(model.value(), arm.scene, robustness);
  if (!made.ok()) return made.error();
  return std::move(made.value().report);
}

int count_of(const roadmap::RobustnessReport& report, roadmap::Pathology pathology) {
  int count = 0;
  for (const auto& flagged : report.flagged) count += flagged.pathology == pathology;
  return count;
}

Result<Report> run_table1(const Options& options) {
  Report report;
  const int nodes = options.cases_or(300, 2000);
  Series before{"before", Series::Style::line, {}, {}, {}},
      after{"after", Series::Style::line, {}, {}, {}};
  for (const PaperRow& paper : kPaper) {
    const ArmCase arm = make_arm_case(false, paper.joints);
    // As the paper: ε = 1 asks for cubes of up to three cells.
    auto examined = examine(arm, nodes, options.quick ? 0 : 1, options);
    if (!examined.ok()) return examined.error();
    const auto& r = examined.value();
    const double repaired =
        r.cutting_before == 0 ? 1 : 1.0 - 1.0 * r.cutting_after / r.cutting_before;
    Row& row = report.rows.emplace_back();
    row.add("joints", paper.joints).add("nodes", nodes).add("cells", r.cells);
    row.add("before", r.cutting_before).add("after", r.cutting_after);
    row.add("repaired %", 100 * repaired);
    row.add("before: paper", paper.before).add("after: paper", paper.after);
    row.add("repaired %: paper", 100 * (1 - 1.0 * paper.after / paper.before));
    row.add("case I", count_of(r, roadmap::Pathology::first_joint));
    row.add("case II", count_of(r, roadmap::Pathology::transition));
    row.add("case III", count_of(r, roadmap::Pathology::joint_limit));
    row.add("other", count_of(r, roadmap::Pathology::other));
    before.x.push_back(paper.joints);
    before.y.push_back(r.cutting_before);
    after.x.push_back(paper.joints);
    after.y.push_back(std::max(1, r.cutting_after));
    options.progress(static_cast<double>(report.rows.size()) / std::size(kPaper));
  }
  report.plot = {"Cells that cut the roadmap (paper 004, table 1)",
                 "joints",
                 "cells",
                 false,
                 true,
                 {before, after}};
  report.notes = {
      "Single cells that leave the roadmap in more than one component, before and after. The "
      "paper's "
      "arms and grids are not published; ours have as many joints. The cells that remain are "
      "flagged; cases as in its figure 9, where the components tell."};
  return report;
}

Result<Report> run_fig12(const Options& options) {
  Report report;
  const int nodes = options.cases_or(200, 1000);
  Series planar{"planar, ε = 2", Series::Style::line, {}, {}, {}};
  Series spatial{"spatial, ε = 1", Series::Style::line, {}, {}, {}};
  std::vector<std::pair<bool, int>> arms;
  for (const int j : options.quick ? std::vector<int>{2, 6} : std::vector<int>{2, 4, 8, 12, 16, 20})
    arms.emplace_back(true, j);
  for (const int j : options.quick ? std::vector<int>{3} : std::vector<int>{3, 6, 9, 12})
    arms.emplace_back(false, j);
  for (const auto& [flat, joints] : arms) {
    const ArmCase arm = make_arm_case(flat, joints);
    auto examined = examine(arm, nodes, flat ? 2 : 1, options);
    if (!examined.ok()) return examined.error();
    const auto& r = examined.value();
    Row& row = report.rows.emplace_back();
    row.add("robot", arm.name).add("nodes", nodes);
    row.add("arcs per node before", 1.0 * r.edges_before / r.nodes);
    row.add("arcs per node after", r.edges_per_node());
    for (std::size_t k = 0; k < r.passes.size(); ++k)
      row.add(k + 1 == r.passes.size() ? "added at last"
                                       : fmt::format("added by side {}", r.passes[k].side),
              r.passes[k].edges_added);
    Series& line = flat ? planar : spatial;
    line.x.push_back(joints);
    line.y.push_back(r.edges_per_node());
    options.progress(static_cast<double>(report.rows.size()) / static_cast<double>(arms.size()));
  }
  report.plot = {"Arcs per node after enhancement (paper 004, figure 12)",
                 "joints",
                 "arcs per node",
                 false,
                 false,
                 {planar, spatial}};
  report.notes = {
      "Roadmaps of five nearest neighbours. As in the paper, most arcs are added by the "
      "first pass, and arcs per node grow with the number of joints."};
  return report;
}

}  // namespace

Benchmark drm_fig12() {
  return {"drm-fig12", "arcs per node after ε-robustness (paper 004, figure 12)", run_fig12};
}

Benchmark drm_table1() {
  return {"drm-table1", "cells that cut the roadmap, before and after (paper 004, table 1)",
          run_table1};
}

}  // namespace proven::bench
