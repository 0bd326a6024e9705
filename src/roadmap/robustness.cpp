#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "proven/base/parallel.h"
#include "proven/certify/prover.h"
#include "roadmap/cell_table.h"
#include "roadmap/components.h"
#include "roadmap/pathology.h"
#include "roadmap/sweep.h"

namespace proven::roadmap {
namespace {

// Members of a component from which edges are tried.
constexpr std::size_t kSources = 12;
// So many times more of everything for the few cells that still cut the roadmap in the end.
constexpr int kThorough = 8;

std::vector<std::vector<std::uint32_t>> cells_of_items(const CellTable& table) {
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(table.num_items));
  for (int cell = 0; cell < table.num_rows(); ++cell)
    for (const std::uint32_t item : table.items(cell))
      cells[item].push_back(static_cast<std::uint32_t>(cell));
  return cells;
}

// The roadmap while it grows: φ per cell as lists, and the cells of every item.
class Growing {
 public:
  Growing(const Model& model, CheckModel check, const Sweeper& sweeper)
      : graph(model.graph),
        grid(model.grid),
        edge_cells(cells_of_items(model.edges_at)),
        node_cells(cells_of_items(model.nodes_at)),
        edges_at(static_cast<std::size_t>(grid.num_cells()) + 1),
        nodes_at(edges_at.size()),
        sweeper_(sweeper),
        prover_(std::move(check)) {
    for (std::uint32_t a = 0; a < edge_cells.size(); ++a) list(edge_cells[a], a, edges_at);
    for (std::uint32_t n = 0; n < node_cells.size(); ++n) list(node_cells[n], n, nodes_at);
    known_.insert(graph.edges.begin(), graph.edges.end());
  }

  bool has(const JointGraph::Edge& edge) const { return known_.contains(edge); }

  // Whether the motion passes the cells by and is free of self-collision.
  bool passes(const JointGraph::Edge& edge, const CellMask& cube) {
    const auto [from, to] = graph.motion(edge);
    if (!sweeper_.avoids(from, to, cube, scratch_)) return false;
    return prover_.is_free({from, to});
  }

  void add_edge(const JointGraph::Edge& edge) {
    const auto [from, to] = graph.motion(edge);
    CellMask mask(grid);
    sweeper_.mark(from, to, scratch_, mask);
    list(mask.cells(), static_cast<std::uint32_t>(graph.edges.size()), edges_at);
    edge_cells.push_back(mask.cells());
    graph.edges.push_back(edge);
    known_.insert(edge);
  }

  JointGraph graph;
  Grid grid;
  std::vector<std::vector<std::uint32_t>> edge_cells, node_cells, edges_at, nodes_at;

 private:
  static void list(const std::vector<std::uint32_t>& cells, std::uint32_t item,
                   std::vector<std::vector<std::uint32_t>>& at) {
    for (const std::uint32_t cell : cells) at[cell].push_back(item);
  }

  const Sweeper& sweeper_;
  Sweeper::Scratch scratch_;
  Prover prover_;
  std::set<JointGraph::Edge> known_;
};

// What is left of the roadmap around some cells.
class Remains {
 public:
  explicit Remains(const Growing& roadmap) : roadmap_(roadmap), components_(0) {}

  // True if more than one component is left.
  bool cut_by(std::span<const std::uint32_t> cells) {
    const JointGraph& graph = roadmap_.graph;
    edge_blocked_.assign(graph.edges.size(), 0);
    node_blocked_.assign(static_cast<std::size_t>(graph.num_nodes()), 0);
    for (const std::uint32_t cell : cells) {
      for (const std::uint32_t a : roadmap_.edges_at[cell]) edge_blocked_[a] = 1;
      for (const std::uint32_t n : roadmap_.nodes_at[cell]) node_blocked_[n] = 1;
    }
    components_ = Components(graph.num_nodes());
    int left = 0;
    for (const char blocked : node_blocked_) left += !blocked;
    for (std::size_t a = 0; a < graph.edges.size(); ++a) {
      const JointGraph::Edge& edge = graph.edges[a];
      if (edge_blocked_[a] || node_blocked_[edge[0]] || node_blocked_[edge[1]]) continue;
      left -= components_.join(edge[0], edge[1]);
    }
    return left > 1;
  }

  std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(node_blocked_.size()); }
  bool blocked(std::uint32_t node) const { return node_blocked_[node] != 0; }
  Components& components() { return components_; }
  // The largest last.
  std::vector<std::vector<std::uint32_t>> members() {
    auto all = components_.members([&](std::uint32_t n) { return !blocked(n); });
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return all;
  }

 private:
  const Growing& roadmap_;
  std::vector<char> edge_blocked_, node_blocked_;
  Components components_;
};

// Adds edges around one cube.
class Repair {
 public:
  // `effort`: how many times the usual numbers of edges are tried.
  Repair(Growing& roadmap, const RobustnessOptions& options, int effort, RobustnessPass& pass)
      : roadmap_(roadmap),
        tries_(static_cast<std::size_t>(options.tries * effort)),
        sources_(kSources * static_cast<std::size_t>(effort)),
        pass_(pass),
        remains_(roadmap) {}

  void run(std::span<const std::uint32_t> cells) {
    if (!remains_.cut_by(cells)) return;
    CellMask cube(roadmap_.grid);
    for (const std::uint32_t cell : cells) cube.set(static_cast<int>(cell));
    const auto groups = remains_.members();
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      // Joined already by the repair of a smaller one?
      if (remains_.components().same(groups[g][0], groups.back()[0])) continue;
      add_around(nearest_pairs(groups[g]), cube);
    }
  }

 private:
  std::vector<JointGraph::Edge> nearest_pairs(const std::vector<std::uint32_t>& members) {
    std::vector<std::pair<double, JointGraph::Edge>> pairs;
    const std::size_t step = std::max<std::size_t>(1, members.size() / sources_);
    const JointGraph& graph = roadmap_.graph;
    for (std::size_t i = 0; i < members.size(); i += step)
      for (std::uint32_t o = 0; o < remains_.num_nodes(); ++o) {
        if (remains_.blocked(o) || remains_.components().same(members[i], o)) continue;
        pairs.emplace_back(graph.metric.squared(graph.node(members[i]), graph.node(o)),
                           JointGraph::Edge{members[i], o});
      }
    const auto count = std::min(pairs.size(), tries_);
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count),
                      pairs.end());
    std::vector<JointGraph::Edge> nearest;
    for (std::size_t i = 0; i < count; ++i) nearest.push_back(pairs[i].second);
    return nearest;
  }

  void add(std::uint32_t a, std::uint32_t b) {
    roadmap_.add_edge({std::min(a, b), std::max(a, b)});
    ++pass_.edges_added;
  }

  // Adds the first that passes.
  void add_around(const std::vector<JointGraph::Edge>& pairs, const CellMask& cube) {
    for (const JointGraph::Edge& pair : pairs) {
      if (roadmap_.has({std::min(pair[0], pair[1]), std::max(pair[0], pair[1])})) continue;
      if (!roadmap_.passes(pair, cube)) continue;
      add(pair[0], pair[1]);
      remains_.components().join(pair[0], pair[1]);
      return;
    }
  }

  Growing& roadmap_;
  std::size_t tries_, sources_;
  RobustnessPass& pass_;
  Remains remains_;
};

std::vector<std::uint32_t> cube_at(const Grid& grid, const std::array<int, 3>& p, int side) {
  std::vector<std::uint32_t> cells;
  const int depth = grid.planar() ? 1 : side;
  for (int z = p[2]; z < p[2] + depth; ++z)
    for (int y = p[1]; y < p[1] + side; ++y)
      for (int x = p[0]; x < p[0] + side; ++x)
        cells.push_back(static_cast<std::uint32_t>(grid.index(x, y, z)));
  return cells;
}

// Places where a cube of that side fits and meets any edge.
std::vector<std::array<int, 3>> cube_places(const Growing& roadmap, int side) {
  const Grid& grid = roadmap.grid;
  std::vector<std::array<int, 3>> places;
  for (int cell = 0; cell < grid.num_cells(); ++cell) {
    const auto p = grid.place(cell);
    const bool fits = p[0] + side <= grid.count[0] && p[1] + side <= grid.count[1] &&
                      (grid.planar() || p[2] + side <= grid.count[2]);
    if (!fits) continue;
    const auto cells = cube_at(grid, p, side);
    if (std::any_of(cells.begin(), cells.end(),
                    [&](std::uint32_t c) { return !roadmap.edges_at[c].empty(); }))
      places.push_back(p);
  }
  return places;
}

// Which of the cubes cut the roadmap.
std::vector<std::array<int, 3>> cutting_places(const Growing& roadmap,
                                               const std::vector<std::array<int, 3>>& places,
                                               int side, int threads) {
  std::vector<char> cuts(places.size());
  std::vector<Remains> remains(static_cast<std::size_t>(threads), Remains(roadmap));
  parallel_for(static_cast<int>(places.size()), threads, [&](int i, int thread) {
    const auto k = static_cast<std::size_t>(i);
    cuts[k] =
        remains[static_cast<std::size_t>(thread)].cut_by(cube_at(roadmap.grid, places[k], side));
  });
  std::vector<std::array<int, 3>> cutting;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (cuts[i]) cutting.push_back(places[i]);
  return cutting;
}

Model finished(const Model& model, Growing&& roadmap, int threads) {
  Model made;
  made.scene_hash = model.scene_hash;
  made.seed = model.seed;
  made.remainder = model.remainder;
  made.grid = roadmap.grid;
  const int rows = roadmap.grid.outside() + 1;
  made.edges_at = make_table(roadmap.edge_cells, rows, threads);
  made.nodes_at = make_table(roadmap.node_cells, rows, threads);
  made.graph = std::move(roadmap.graph);
  return made;
}

}  // namespace

std::string_view describe(Pathology pathology) {
  switch (pathology) {
    case Pathology::first_joint:
      return "I: splits the first joint";
    case Pathology::transition:
      return "II: bars a transition";
    case Pathology::joint_limit:
      return "III: traps at a joint limit";
    case Pathology::other:
      return "other";
  }
  return "";
}

Result<Enhanced> make_robust(const Model& model, const Scene& scene,
                             const RobustnessOptions& options, const Budget& budget) {
  if (model.scene_hash != scene.hash()) return bad_input("the roadmap was built for another scene");
  if (!(options.epsilon >= 0) || options.epsilon > 100)
    return bad_input("epsilon is a number of cells from 0 to 100");
  SweepOptions sweep;
  sweep.remainder = model.remainder;
  const auto sweeper = Sweeper::build(scene, model.grid, sweep);
  if (!sweeper.ok()) return sweeper.error();
  CheckOptions check = options.check;
  check.max_cells = std::min<std::int64_t>(check.max_cells, 5000);
  const int threads = options.threads > 0 ? options.threads : default_threads();
  auto check_model = CheckModel::build(scene, check);
  if (!check_model.ok()) return check_model.error();
  Growing roadmap(model, std::move(check_model).value(), sweeper.value());
  RobustnessReport report;
  report.nodes = roadmap.graph.num_nodes();
  report.edges_before = roadmap.graph.num_edges();
  const int largest = options.enhance ? static_cast<int>(std::ceil(2 * options.epsilon + 1)) : 1;
  // After cubes of all sides, single cells once more, with more effort.
  for (int step = 1; step <= largest + (options.enhance ? 1 : 0); ++step) {
    const bool last = step > largest;
    const int side = last ? 1 : step;
    const auto places = cube_places(roadmap, side);
    const auto cutting = cutting_places(roadmap, places, side, threads);
    RobustnessPass pass{side, static_cast<int>(places.size()), static_cast<int>(cutting.size()), 0};
    if (step == 1) {
      report.cells = pass.cubes;
      report.cutting_before = pass.cutting;
    }
    for (std::size_t i = 0; options.enhance && i < cutting.size(); ++i) {
      Repair(roadmap, options, last ? kThorough : 1, pass)
          .run(cube_at(roadmap.grid, cutting[i], side));
      if (budget.stopped())
        return Error{ErrorCode::exhausted, "stopped before the roadmap was made robust", {}};
      budget.report(fmt::format("cubes of side {}", side), static_cast<std::int64_t>(i),
                    static_cast<std::int64_t>(cutting.size()));
    }
    report.passes.push_back(pass);
  }
  Remains remains(roadmap);
  for (const auto& place : cutting_places(roadmap, cube_places(roadmap, 1), 1, threads)) {
    const int cell = roadmap.grid.index(place[0], place[1], place[2]);
    remains.cut_by(cube_at(roadmap.grid, place, 1));
    const auto groups = remains.members();
    FlaggedCell flagged{cell, classify(roadmap.graph, groups), static_cast<int>(groups.size()), 0};
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
      flagged.cut_off += static_cast<int>(groups[g].size());
    report.flagged.push_back(flagged);
  }
  report.cutting_after = static_cast<int>(report.flagged.size());
  report.edges_after = roadmap.graph.num_edges();
  return Enhanced{finished(model, std::move(roadmap), threads), std::move(report)};
}

}  // namespace proven::roadmap
