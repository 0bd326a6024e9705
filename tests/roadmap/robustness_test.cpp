#include <set>

#include "proven/roadmap/roadmap.h"
#include "roadmap/sweep.h"
#include "robots.h"

namespace proven::roadmap {
namespace {

Model planar_model(const Scene& scene, int nodes) {
  BuildOptions options;
  options.nodes = nodes;
  options.neighbours = 4;
  options.cell = 0.1;
  options.planar = true;
  return build(scene, {}, scene.home(), options).value();
}

// Counted anew, the slow way: how many components does a cell leave?
int components_without(const Model& model, int cell) {
  std::set<std::uint32_t> no_edge, no_node;
  for (const auto a : model.edges_at.items(cell)) no_edge.insert(a);
  for (const auto n : model.nodes_at.items(cell)) no_node.insert(n);
  std::vector<int> label(static_cast<std::size_t>(model.graph.num_nodes()), -1);
  int count = 0;
  for (std::uint32_t n = 0; n < label.size(); ++n) {
    if (label[n] >= 0 || no_node.contains(n)) continue;
    std::vector<std::uint32_t> open = {n};
    label[n] = count++;
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (std::uint32_t a = 0; a < model.graph.edges.size(); ++a) {
        const JointGraph::Edge& edge = model.graph.edges[a];
        if (no_edge.contains(a) || (edge[0] != at && edge[1] != at)) continue;
        const std::uint32_t other = edge[0] == at ? edge[1] : edge[0];
        if (label[other] >= 0 || no_node.contains(other)) continue;
        label[other] = label[at];
        open.push_back(other);
      }
    }
  }
  return count;
}

int cutting_cells(const Model& model) {
  int cutting = 0;
  for (int cell = 0; cell < model.grid.num_cells(); ++cell)
    if (!model.edges_at.items(cell).empty()) cutting += components_without(model, cell) > 1;
  return cutting;
}

TEST(Robustness, CountsAndRepairsAsCountedAnew) {
  const Scene scene = build_scene(scenes::make_planar_arm(2)).value();
  const Model model = planar_model(scene, test::cases(70));
  RobustnessOptions options;
  options.epsilon = 0.5;
  const Enhanced made = make_robust(model, scene, options).value();
  const RobustnessReport& r = made.report;
  EXPECT_EQ(r.cutting_before, cutting_cells(model));
  EXPECT_EQ(r.cutting_after, cutting_cells(made.model));
  EXPECT_GT(r.cutting_before, 0);
  EXPECT_LT(r.cutting_after, r.cutting_before);
  EXPECT_GT(r.edges_after, r.edges_before);
  EXPECT_EQ(r.passes.size(), 3u);
  EXPECT_EQ(static_cast<int>(r.flagged.size()), r.cutting_after);
}

using ItemsByCell = std::vector<std::vector<std::uint32_t>>;

ItemsByCell items_by_cell(const CellTable& table) {
  ItemsByCell all;
  for (int cell = 0; cell < table.num_rows(); ++cell) all.push_back(table.items(cell));
  return all;
}

ItemsByCell swept(const Sweeper& sweeper, const std::vector<JointGraph::Motion>& motions) {
  ItemsByCell all(static_cast<std::size_t>(sweeper.grid().outside()) + 1);
  Sweeper::Scratch scratch;
  for (std::uint32_t item = 0; item < motions.size(); ++item) {
    CellMask mask(sweeper.grid());
    sweeper.mark(motions[item].from, motions[item].to, scratch, mask);
    for (const std::uint32_t cell : mask.cells()) all[cell].push_back(item);
  }
  return all;
}

// What was there stays, and what was added has the φ that a sweep gives.
TEST(Robustness, AddedEdgesHaveTheirOwnCells) {
  const Scene scene = build_scene(scenes::make_planar_arm(3)).value();
  const Model model = planar_model(scene, test::cases(150));
  RobustnessOptions options;
  options.threads = 2;
  const Enhanced made = make_robust(model, scene, options).value();
  const Sweeper sweeper = Sweeper::build(scene, made.model.grid).value();
  const JointGraph& graph = made.model.graph;
  std::vector<JointGraph::Motion> edges, nodes;
  for (const JointGraph::Edge& edge : graph.edges) edges.push_back(graph.motion(edge));
  for (int n = 0; n < graph.num_nodes(); ++n)
    nodes.push_back({graph.full(graph.node(n)), graph.full(graph.node(n))});
  EXPECT_EQ(items_by_cell(made.model.edges_at), swept(sweeper, edges));
  EXPECT_EQ(items_by_cell(made.model.nodes_at), swept(sweeper, nodes));
  options.threads = 1;
  EXPECT_EQ(to_bytes(make_robust(model, scene, options).value().model), to_bytes(made.model));
}

// A cell on the first link of an arm splits the range of its first joint: case I.
TEST(Robustness, TellsTheFirstJoint) {
  SceneSource source = scenes::make_planar_arm(2);
  const Scene scene = build_scene(source).value();
  const Model model = planar_model(scene, test::cases(300));
  const Enhanced made = make_robust(model, scene, {}).value();
  int first = 0;
  for (const FlaggedCell& f : made.report.flagged) {
    EXPECT_GE(f.components, 2);
    EXPECT_GT(f.cut_off, 0);
    first += f.pathology == Pathology::first_joint;
  }
  RecordProperty("flagged", static_cast<int>(made.report.flagged.size()));
  RecordProperty("first_joint", first);
}

}  // namespace
}  // namespace proven::roadmap
