#include "proven/roadmap/robustness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "proven/base/parallel.h"
#include "proven/certify/prover.h"
#include "proven/roadmap/sweep.h"
#include "roadmap/components.h"
#include "roadmap/pathology.h"

namespace proven::roadmap {
namespace {

// Members of a component from which arcs are tried.
constexpr std::size_t kSources = 12;
// So many times more of everything for the few cells that still cut the roadmap in the end.
constexpr int kThorough = 8;

std::vector<std::vector<std::uint32_t>> cells_of_items(const Rows& rows) {
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(rows.num_items));
  for (int cell = 0; cell < rows.cells.num_rows(); ++cell)
    for (const std::uint32_t item : decode_row(rows.cells.row(cell), rows.num_items))
      cells[item].push_back(static_cast<std::uint32_t>(cell));
  return cells;
}

// The roadmap while it grows: φ per cell as lists, and the cells of every item.
class Growing {
 public:
  Growing(const Model& model, CheckModel check, const Sweeper& sweeper)
      : graph(model.graph),
        grid(model.grid),
        arc_cells(cells_of_items(model.arcs)),
        node_cells(cells_of_items(model.nodes)),
        arcs_at(static_cast<std::size_t>(grid.num_cells()) + 1),
        nodes_at(arcs_at.size()),
        sweeper_(sweeper),
        scratch_(sweeper),
        prover_(std::move(check)) {
    for (std::uint32_t a = 0; a < arc_cells.size(); ++a) list(arc_cells[a], a, arcs_at);
    for (std::uint32_t n = 0; n < node_cells.size(); ++n) list(node_cells[n], n, nodes_at);
    known_.insert(graph.arcs.begin(), graph.arcs.end());
  }

  bool has(const Arc& arc) const { return known_.contains(arc); }

  // Whether the motion passes the cells by and is free of self-collision.
  bool passes(std::span<const double> a, std::span<const double> b, const CellMask& cube) {
    const auto from = graph.full(a), to = graph.full(graph.unrolled(a, b));
    if (!sweeper_.avoids(from, to, cube, scratch_)) return false;
    return prover_.is_free({from, to});
  }

  void add_arc(const Arc& arc) {
    const auto a = graph.node(static_cast<int>(arc[0]));
    const auto b = graph.unrolled(a, graph.node(static_cast<int>(arc[1])));
    CellMask mask(grid);
    sweeper_.mark(graph.full(a), graph.full(b), scratch_, mask);
    list(mask.cells(), static_cast<std::uint32_t>(graph.arcs.size()), arcs_at);
    arc_cells.push_back(mask.cells());
    graph.arcs.push_back(arc);
    known_.insert(arc);
  }

  Graph graph;
  Grid grid;
  std::vector<std::vector<std::uint32_t>> arc_cells, node_cells, arcs_at, nodes_at;

 private:
  static void list(const std::vector<std::uint32_t>& cells, std::uint32_t item,
                   std::vector<std::vector<std::uint32_t>>& at) {
    for (const std::uint32_t cell : cells) at[cell].push_back(item);
  }

  const Sweeper& sweeper_;
  Sweeper::Scratch scratch_;
  Prover prover_;
  std::set<Arc> known_;
};

// What is left of the roadmap around some cells.
class Remains {
 public:
  explicit Remains(const Growing& roadmap) : roadmap_(roadmap), components_(0) {}

  // True if more than one component is left.
  bool cut_by(std::span<const std::uint32_t> cells) {
    const Graph& graph = roadmap_.graph;
    arc_blocked_.assign(graph.arcs.size(), 0);
    node_blocked_.assign(static_cast<std::size_t>(graph.num_nodes()), 0);
    for (const std::uint32_t cell : cells) {
      for (const std::uint32_t a : roadmap_.arcs_at[cell]) arc_blocked_[a] = 1;
      for (const std::uint32_t n : roadmap_.nodes_at[cell]) node_blocked_[n] = 1;
    }
    components_ = Components(graph.num_nodes());
    int left = 0;
    for (const char blocked : node_blocked_) left += !blocked;
    for (std::size_t a = 0; a < graph.arcs.size(); ++a) {
      const Arc& arc = graph.arcs[a];
      if (arc_blocked_[a] || node_blocked_[arc[0]] || node_blocked_[arc[1]]) continue;
      left -= components_.join(arc[0], arc[1]);
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
  std::vector<char> arc_blocked_, node_blocked_;
  Components components_;
};

// Adds arcs around one cube.
class Repair {
 public:
  // `effort`: how many times the usual numbers of arcs are tried.
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
  std::vector<Arc> nearest_pairs(const std::vector<std::uint32_t>& members) {
    std::vector<std::pair<double, Arc>> pairs;
    const std::size_t step = std::max<std::size_t>(1, members.size() / sources_);
    const Graph& graph = roadmap_.graph;
    for (std::size_t i = 0; i < members.size(); i += step)
      for (std::uint32_t o = 0; o < remains_.num_nodes(); ++o) {
        if (remains_.blocked(o) || remains_.components().same(members[i], o)) continue;
        pairs.emplace_back(graph.metric.squared(graph.node(static_cast<int>(members[i])),
                                                graph.node(static_cast<int>(o))),
                           Arc{members[i], o});
      }
    const auto count = std::min(pairs.size(), tries_);
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count),
                      pairs.end());
    std::vector<Arc> nearest;
    for (std::size_t i = 0; i < count; ++i) nearest.push_back(pairs[i].second);
    return nearest;
  }

  void add(std::uint32_t a, std::uint32_t b) {
    roadmap_.add_arc({std::min(a, b), std::max(a, b)});
    ++pass_.arcs_added;
  }

  // The first that passes.
  void add_around(const std::vector<Arc>& pairs, const CellMask& cube) {
    const Graph& graph = roadmap_.graph;
    for (const Arc& pair : pairs) {
      if (roadmap_.has({std::min(pair[0], pair[1]), std::max(pair[0], pair[1])})) continue;
      if (!roadmap_.passes(graph.node(static_cast<int>(pair[0])),
                           graph.node(static_cast<int>(pair[1])), cube))
        continue;
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

// Places where a cube of that side fits and meets any arc.
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
                    [&](std::uint32_t c) { return !roadmap.arcs_at[c].empty(); }))
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
  const int sets = roadmap.grid.outside() + 1;
  made.arcs = encode_rows(transpose_cells(roadmap.arc_cells, sets), threads);
  made.nodes = encode_rows(transpose_cells(roadmap.node_cells, sets), threads);
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
  report.arcs_before = roadmap.graph.num_arcs();
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
  report.arcs_after = roadmap.graph.num_arcs();
  return Enhanced{finished(model, std::move(roadmap), threads), std::move(report)};
}

}  // namespace proven::roadmap
