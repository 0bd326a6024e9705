// Paper 004, figures 3 and 5: the size of φa over the number of joints, by encoding.
#include <fmt/format.h>

#include <map>

#include "bench/bench.h"
#include "bench/roadmap/robots.h"
#include "papers/roadmap/encoding.h"

namespace proven::bench {
namespace {

using roadmap::EncodedLists;
using roadmap::Encoding;

constexpr double kMegabyte = 1e6;

struct Sizes {
  int edges = 0, cells = 0;
  double naive = 0;
  std::map<std::string, double> by_encoding;
  bool equal = true;
};

// Cell by cell against the lists.
bool decodes_to(const EncodedLists& encoded, const roadmap::CellLists& lists) {
  for (int cell = 0; cell < lists.num_cells(); ++cell) {
    const auto expected = lists.at(cell);
    const auto items = encoded.decode(cell);
    if (!std::equal(items.begin(), items.end(), expected.begin(), expected.end())) return false;
  }
  return true;
}

Result<Sizes> measure(const ArmCase& arm, int nodes, const Options& options, bool all) {
  auto model = roadmap::build(arm.scene, {}, arm.scene.home(),
                              arm_options(arm, nodes, options.threads, options.seed));
  if (!model.ok()) return model.error();
  const auto& m = model.value();
  const roadmap::CellLists lists = list_items(m.edges_at);
  Sizes sizes{m.graph.num_edges(), m.grid.num_cells(), 0, {}, true};
  sizes.naive = 4.0 * static_cast<double>(lists.items.size());
  sizes.by_encoding["modern"] = static_cast<double>(m.edges_at.size_bytes());
  if (!all) return sizes;
  for (const Encoding encoding : {Encoding::self, Encoding::region, Encoding::hierarchical}) {
    const EncodedLists encoded = EncodedLists::encode(encoding, lists, m.grid);
    sizes.by_encoding[std::string(to_string(encoding))] = static_cast<double>(encoded.size_bytes());
    sizes.equal &= decodes_to(encoded, lists);
  }
  return sizes;
}

std::vector<int> node_counts(const Options& options) {
  return options.quick ? std::vector<int>{500, 2000} : std::vector<int>{2000, 8000, 16000};
}
std::vector<int> joint_counts(const Options& options) {
  return options.quick ? std::vector<int>{2, 5, 10, 20}
                       : std::vector<int>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20};
}

Result<Report> run_fig3(const Options& options) {
  Report report;
  report.plot = {
      "φa as lists of 32-bit labels (paper 004, figure 3)", "joints", "MB", false, true, {}};
  const auto nodes = node_counts(options), joints = joint_counts(options);
  double done = 0;
  for (const int n : nodes) {
    Series line{fmt::format("{} nodes", n), Series::Style::line, {}, {}, {}};
    for (const int j : joints) {
      const ArmCase arm = make_arm_case(true, j);
      auto sizes = measure(arm, n, options, false);
      if (!sizes.ok()) return sizes.error();
      const Sizes& s = sizes.value();
      Row& row = report.rows.emplace_back();
      row.add("joints", j).add("nodes", n).add("arcs", s.edges).add("cells", s.cells);
      row.add("naive MB", s.naive / kMegabyte);
      row.add("modern MB", s.by_encoding.at("modern") / kMegabyte);
      if (j == 20 && n == 16000) row.add("naive MB: paper", 400.0);
      line.x.push_back(j);
      line.y.push_back(s.naive / kMegabyte);
      options.progress(++done / static_cast<double>(nodes.size() * joints.size()));
    }
    report.plot.series.push_back(std::move(line));
  }
  report.notes = {
      "Planar arms of reach 1, cells of 1/32, five nearest neighbours. The paper gives "
      "one figure in words: 400 MB for 16K nodes and 20 joints."};
  return report;
}

void add_row(const ArmCase& arm, int nodes, const Sizes& s, Report& report) {
  Row& row = report.rows.emplace_back();
  row.add("robot", arm.name).add("nodes", nodes).add("arcs", s.edges).add("cells", s.cells);
  row.add("naive MB", s.naive / kMegabyte);
  for (const char* name : {"self", "region", "hierarchical", "modern"})
    row.add(fmt::format("naive/{}", name), s.naive / s.by_encoding.at(name));
  row.add("paper", arm.planar ? "10 to 20" : "8 to 18");
  row.add("equal", s.equal ? "yes" : "NO");
}

Result<Report> run_fig5(const Options& options) {
  Report report;
  report.plot = {"φa by encoding (paper 004, figure 5)", "joints", "MB", false, true, {}};
  const int nodes = options.cases_or(2000, 8000);
  std::map<std::string, Series> lines;
  std::vector<std::pair<bool, int>> arms;
  for (const int j : joint_counts(options)) arms.emplace_back(true, j);
  for (const int j : {3, 6, 9, 12}) arms.emplace_back(false, j);
  double done = 0;
  for (const auto& [planar, joints] : arms) {
    const ArmCase arm = make_arm_case(planar, joints);
    auto sizes = measure(arm, nodes, options, true);
    if (!sizes.ok()) return sizes.error();
    add_row(arm, nodes, sizes.value(), report);
    if (planar) {
      auto& naive = lines["naive"];
      naive.name = "naive";
      naive.x.push_back(joints);
      naive.y.push_back(sizes.value().naive / kMegabyte);
      for (const auto& [name, bytes] : sizes.value().by_encoding) {
        lines[name].name = name;
        lines[name].x.push_back(joints);
        lines[name].y.push_back(bytes / kMegabyte);
      }
    }
    options.progress(++done / static_cast<double>(arms.size()));
  }
  for (auto& [name, line] : lines) report.plot.series.push_back(std::move(line));
  report.notes = {
      "naive/x: how many times smaller than lists of 32-bit labels. Sizes count everything that "
      "decoding needs. modern: the rows of the file.",
      "equal: every encoding decodes to the same set in every cell. paper: its range of ratios."};
  return report;
}

}  // namespace

Benchmark drm_fig3() {
  return {"drm-fig3", "size of φa as plain lists over joints and nodes (paper 004, figure 3)",
          run_fig3};
}

Benchmark drm_fig5() {
  return {"drm-fig5", "size of φa by encoding (paper 004, figure 5)", run_fig5};
}

}  // namespace proven::bench
