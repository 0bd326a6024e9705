#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numbers>

#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/poses.h"
#include "roadmap/bytes.h"
#include "roadmap/cell_table.h"
#include "roadmap/components.h"
#include "roadmap/locality.h"
#include "roadmap/sweep.h"

namespace proven::roadmap {
namespace {

constexpr int kSampleBlock = 256, kProofBlock = 256, kSweepBlock = 128;
// Sample blocks that are looked at together; the same on every machine.
constexpr int kWave = 8;
// Per component and round of joining: how many pairs of nodes are tried.
constexpr int kJoinTries = 24;

using Blocks = std::vector<std::vector<std::uint8_t>>;

class Builder {
 public:
  Builder(const CheckModel& model, JointGraph graph, const BuildOptions& options,
          const Budget& budget)
      : scene_(model.scene()),
        options_(options),
        budget_(budget),
        graph_(std::move(graph)),
        threads_(options.threads > 0 ? options.threads : default_threads()) {
    for (int thread = 0; thread < threads_; ++thread) provers_.emplace_back(model);
  }

  Result<Model> run() {
    if (auto done = sample(); !done.ok()) return done.error();
    reorder_nodes();
    if (!propose_edges() || !prove_edges()) return interrupted();
    if (!join_components()) return interrupted();
    reorder_edges();
    if (graph_.edges.empty()) return bad_input("no arc of the roadmap is free of self-collision");
    auto grid = make_grid();
    if (!grid.ok()) return grid.error();
    return sweep(grid.value());
  }

 private:
  static Error interrupted() {
    return {ErrorCode::exhausted, "interrupted; the same command goes on from here", {}};
  }
  bool cancelled() const { return budget_.stopped().has_value(); }
  Prover& prover(int thread) { return provers_[static_cast<std::size_t>(thread)]; }

  // Does the blocks [first, end) that the journal does not hold. False if cancelled.
  bool do_blocks(BuildStage stage, int first, int end, int total, Blocks& results,
                 const std::function<std::vector<std::uint8_t>(int block, int thread)>& work) {
    results.resize(static_cast<std::size_t>(end));
    std::vector<int> missing;
    for (int block = first; block < end; ++block) {
      auto found = options_.journal ? options_.journal->find(stage, block) : std::nullopt;
      if (found)
        results[static_cast<std::size_t>(block)] = std::move(*found);
      else
        missing.push_back(block);
    }
    std::mutex mutex;
    int done = end - static_cast<int>(missing.size());
    parallel_for(static_cast<int>(missing.size()), threads_, [&](int item, int thread) {
      if (cancelled()) return;
      const int block = missing[static_cast<std::size_t>(item)];
      auto bytes = work(block, thread);
      const std::lock_guard lock(mutex);
      if (options_.journal) options_.journal->store(stage, block, bytes);
      results[static_cast<std::size_t>(block)] = std::move(bytes);
      ++done;
      budget_.report(to_string(stage), done, total);
    });
    return !cancelled();
  }

  Random block_random(int block) const {
    return Random(options_.seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(block) + 1);
  }

  std::vector<std::uint8_t> test_samples(int block, int thread) {
    Random random = block_random(block);
    std::vector<std::uint8_t> free;
    for (int i = 0; i < kSampleBlock; ++i)
      free.push_back(prover(thread).is_free(graph_.full(graph_.sample(random))));
    return free;
  }

  Result<void> sample() {
    const std::int64_t most = std::int64_t{options_.nodes} * options_.tries_per_node;
    Blocks results;
    for (int first = 0; graph_.num_nodes() < options_.nodes; first += kWave) {
      if (std::int64_t{first} * kSampleBlock > most)
        return bad_input("hardly any configuration is free of collision: is the scene right?");
      const int end = first + kWave;
      if (!do_blocks(BuildStage::samples, first, end, std::max(end, options_.nodes / kSampleBlock),
                     results, [&](int block, int thread) { return test_samples(block, thread); }))
        return interrupted();
      for (int block = first; block < end; ++block) {
        Random random = block_random(block);
        for (const std::uint8_t free : results[static_cast<std::size_t>(block)]) {
          const auto point = graph_.sample(random);
          if (free && graph_.num_nodes() < options_.nodes) graph_.add_node(point);
        }
      }
    }
    return {};
  }

  // Where the moving bodies are: what makes two configurations neighbours in the workspace.
  void append_features(std::span<const double> point, std::vector<double>& features) {
    compute_poses(scene_.tree(), graph_.full(point), poses_);
    for (const Body& body : scene_.bodies()) {
      if (scene_.tree().rigid_root(body.link) == 0) continue;
      const Vec3 p = poses_.X_WL[static_cast<std::size_t>(body.link)] * body.X_LB *
                     body.geometry->bounding_sphere().centre;
      features.insert(features.end(), {p.x, p.y, p.z});
    }
  }

  void reorder_nodes() {
    std::vector<double> features, nodes;
    for (int n = 0; n < graph_.num_nodes(); ++n) append_features(graph_.node(n), features);
    const auto count = static_cast<std::size_t>(graph_.num_nodes());
    for (const std::uint32_t old : locality_order(features, features.size() / count)) {
      const auto point = graph_.node(old);
      nodes.insert(nodes.end(), point.begin(), point.end());
    }
    graph_.nodes = std::move(nodes);
  }

  void reorder_edges() {
    if (graph_.edges.empty()) return;
    std::sort(graph_.edges.begin(), graph_.edges.end());
    std::vector<double> features;
    for (const JointGraph::Edge& edge : graph_.edges) {
      const auto a = graph_.node(edge[0]);
      auto middle = graph_.unrolled(a, graph_.node(edge[1]));
      for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = 0.5 * (a[k] + middle[k]);
      append_features(middle, features);
    }
    std::vector<JointGraph::Edge> edges;
    for (const std::uint32_t old : locality_order(features, features.size() / graph_.edges.size()))
      edges.push_back(graph_.edges[old]);
    graph_.edges = std::move(edges);
  }

  // Each node with its nearest neighbours. False if cancelled.
  bool propose_edges() {
    graph_.edges = neighbour_edges(graph_, options_.neighbours, threads_, budget_);
    std::sort(graph_.edges.begin(), graph_.edges.end());
    return !cancelled();
  }

  // Nodes were tested as these literal values.
  bool is_free(const JointGraph::Edge& edge, int thread) {
    const auto [from, to] = graph_.motion(edge);
    return prover(thread).is_free({from, to, true});
  }

  bool prove_edges() {
    const int total = (graph_.num_edges() + kProofBlock - 1) / kProofBlock;
    Blocks results;
    const auto work = [&](int block, int thread) {
      std::vector<std::uint8_t> free;
      const int end = std::min(graph_.num_edges(), (block + 1) * kProofBlock);
      for (int a = block * kProofBlock; a < end; ++a)
        free.push_back(is_free(graph_.edges[static_cast<std::size_t>(a)], thread));
      return free;
    };
    if (!do_blocks(BuildStage::proofs, 0, total, total, results, work)) return false;
    std::vector<JointGraph::Edge> proved;
    std::size_t a = 0;
    for (const auto& block : results)
      for (const std::uint8_t free : block) {
        if (free) proved.push_back(graph_.edges[a]);
        ++a;
      }
    graph_.edges = std::move(proved);
    return true;
  }

  // Edges from a small component to the nearest nodes of others; one that is free joins it.
  void join(const std::vector<std::uint32_t>& members, Components& components) {
    std::vector<std::pair<double, JointGraph::Edge>> pairs;
    for (std::size_t i = 0; i < members.size() && i < kJoinTries; ++i)
      for (int other = 0; other < graph_.num_nodes(); ++other) {
        const auto o = static_cast<std::uint32_t>(other);
        if (components.same(members[i], o)) continue;
        pairs.emplace_back(graph_.metric.squared(graph_.node(members[i]), graph_.node(other)),
                           JointGraph::Edge{std::min(members[i], o), std::max(members[i], o)});
      }
    const std::size_t tries = std::min<std::size_t>(kJoinTries, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(tries),
                      pairs.end());
    for (std::size_t i = 0; i < tries; ++i) {
      if (!is_free(pairs[i].second, 0)) continue;
      graph_.edges.push_back(pairs[i].second);
      components.join(pairs[i].second[0], pairs[i].second[1]);
      return;
    }
  }

  bool join_components() {
    Blocks results;
    const auto before = graph_.edges;
    const auto work = [&](int, int) {
      Components components(graph_.num_nodes());
      for (const JointGraph::Edge& edge : graph_.edges) components.join(edge[0], edge[1]);
      for (const auto& members : components.all_but_largest()) {
        if (cancelled()) break;
        join(members, components);
      }
      Bytes bytes;
      for (std::size_t a = before.size(); a < graph_.edges.size(); ++a)
        for (const std::uint32_t node : graph_.edges[a]) bytes.put(node);
      graph_.edges = before;
      return bytes.take();
    };
    if (!do_blocks(BuildStage::joins, 0, 1, 1, results, work)) return false;
    ByteReader reader(results[0]);
    while (reader.left() >= 8) {
      const auto a = reader.get<std::uint32_t>();
      graph_.edges.push_back({a, reader.get<std::uint32_t>()});
    }
    return true;
  }

  Result<Grid> make_grid() {
    Aabb box;
    if (options_.bounds) {
      box = *options_.bounds;
    } else {
      auto reached = reach_of_edges();
      if (!reached.ok()) return reached.error();
      box = reached.value();
    }
    const double height = std::max(box.hi.z - box.lo.z, options_.cell);
    const Vec3 cell{options_.cell, options_.cell, options_.planar ? 1.02 * height : options_.cell};
    const Grid grid = cover_box(box, cell);
    if (auto valid = validate(grid); !valid.ok()) return valid.error();
    return grid;
  }

  Result<Aabb> reach_of_edges() {
    // Only the remainder depends on this grid.
    Grid rough;
    rough.cell = {options_.cell, options_.cell, options_.cell};
    const auto sweeper = Sweeper::build(scene_, rough, options_.sweep);
    if (!sweeper.ok()) return sweeper.error();
    std::vector<Aabb> boxes(graph_.edges.size());
    std::vector<Sweeper::Scratch> scratch;
    for (int t = 0; t < threads_; ++t) scratch.emplace_back(sweeper.value());
    Blocks results;
    const auto work = [&](int, int) {
      constexpr double kFar = std::numeric_limits<double>::infinity();
      Aabb all{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
      for (const JointGraph::Edge& edge : graph_.edges) {
        const auto [from, to] = graph_.motion(edge);
        const Aabb box = sweeper.value().bounds(from, to, scratch[0]);
        for (int axis = 0; axis < 3; ++axis) {
          all.lo[axis] = std::min(all.lo[axis], box.lo[axis]);
          all.hi[axis] = std::max(all.hi[axis], box.hi[axis]);
        }
      }
      Bytes bytes;
      for (const Vec3& v : {all.lo, all.hi})
        for (int axis = 0; axis < 3; ++axis) bytes.put(v[axis]);
      return bytes.take();
    };
    if (!do_blocks(BuildStage::bounds, 0, 1, 1, results, work)) return interrupted();
    ByteReader reader(results[0]);
    Aabb box;
    for (Vec3* v : {&box.lo, &box.hi})
      for (int axis = 0; axis < 3; ++axis) (*v)[axis] = reader.get<double>();
    return box;
  }

  // Cells of items [0, count) in blocks, each list as gaps.
  bool list_cells(BuildStage stage, int count, const Sweeper& sweeper,
                  std::vector<std::vector<std::uint32_t>>& cells) {
    const int total = (count + kSweepBlock - 1) / kSweepBlock;
    std::vector<Sweeper::Scratch> scratch;
    std::vector<CellMask> masks(static_cast<std::size_t>(threads_), CellMask(sweeper.grid()));
    for (int t = 0; t < threads_; ++t) scratch.emplace_back(sweeper);
    const auto work = [&](int block, int thread) {
      Bytes bytes;
      CellMask& mask = masks[static_cast<std::size_t>(thread)];
      for (int i = block * kSweepBlock; i < std::min(count, (block + 1) * kSweepBlock); ++i) {
        mask.clear();
        mark(stage, i, sweeper, scratch[static_cast<std::size_t>(thread)], mask);
        bytes.put_sorted(mask.cells());
      }
      return bytes.take();
    };
    Blocks results;
    if (!do_blocks(stage, 0, total, total, results, work)) return false;
    cells.clear();
    for (auto& block : results) {
      ByteReader reader(block);
      while (reader.left() > 0) cells.push_back(reader.get_sorted());
      block = {};
    }
    return true;
  }

  void mark(BuildStage stage, int item, const Sweeper& sweeper, Sweeper::Scratch& scratch,
            CellMask& mask) const {
    if (stage == BuildStage::node_cells) {
      const auto q = graph_.full(graph_.node(item));
      sweeper.mark(q, q, scratch, mask);
    } else {
      const auto [from, to] = graph_.motion(graph_.edges[static_cast<std::size_t>(item)]);
      sweeper.mark(from, to, scratch, mask);
    }
  }

  Result<Model> sweep(const Grid& grid) {
    const auto sweeper = Sweeper::build(scene_, grid, options_.sweep);
    if (!sweeper.ok()) return sweeper.error();
    Model model;
    model.scene_hash = scene_.hash();
    model.seed = options_.seed;
    model.remainder = options_.sweep.remainder;
    model.grid = grid;
    std::vector<std::vector<std::uint32_t>> cells;
    if (!list_cells(BuildStage::node_cells, graph_.num_nodes(), sweeper.value(), cells))
      return interrupted();
    model.nodes_at = make_table(cells, grid.outside() + 1, threads_);
    if (!list_cells(BuildStage::edge_cells, graph_.num_edges(), sweeper.value(), cells))
      return interrupted();
    model.edges_at = make_table(cells, grid.outside() + 1, threads_);
    model.graph = std::move(graph_);
    return model;
  }

  const Scene& scene_;
  const BuildOptions& options_;
  const Budget& budget_;
  JointGraph graph_;
  int threads_;
  std::vector<Prover> provers_;  // per thread
  LinkPoses poses_;
};

Result<void> validate(const BuildOptions& options) {
  if (options.nodes < 2 || options.neighbours < 1)
    return bad_input("a roadmap needs at least two nodes and one neighbour");
  if (!(options.cell > 0)) return bad_input("the size of a cell must be positive");
  if (options.check.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: build a roadmap with another one");
  return proven::validate(options.check);
}

// An empty graph for these coordinates; none: all of the scene. Fails on ball joints, on
// coordinates that slide without limits, and on names that repeat.
Result<JointGraph> make_graph(const Scene& scene, std::span<const int> planned,
                              std::span<const double> rest) {
  constexpr double kPi = std::numbers::pi;
  JointGraph graph;
  const auto coordinates = scene.tree().coordinates();
  graph.rest.assign(rest.begin(), rest.end());
  graph.planned.assign(planned.begin(), planned.end());
  if (planned.empty())
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      graph.planned.push_back(static_cast<int>(k));
  if (graph.planned.empty()) return bad_input("the scene has no joint to plan for");
  std::vector<int> sorted = graph.planned;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return bad_input("a joint is named twice");
  for (const int c : graph.planned) {
    const Coordinate& coordinate = coordinates[static_cast<std::size_t>(c)];
    if (coordinate.quaternion)
      return Error{ErrorCode::unsupported, "a roadmap cannot plan for ball joints",
                   coordinate.name};
    const bool limited = std::isfinite(coordinate.lower) && std::isfinite(coordinate.upper);
    if (!limited && !coordinate.rotary)
      return bad_input("slides without limits: give the joint limits", coordinate.name);
    const bool periodic = coordinate.continuous;
    graph.metric.periodic.push_back(periodic);
    graph.ranges.push_back(periodic || !limited ? Interval{-kPi, kPi}
                                                : Interval{coordinate.lower, coordinate.upper});
  }
  // Joints that follow others have limits of their own.
  for (const KinematicTree::MimicName& mimic : scene.tree().mimic_names()) {
    const auto at = std::find(graph.planned.begin(), graph.planned.end(), mimic.coordinate);
    if (at == graph.planned.end() || mimic.multiplier == 0) continue;
    Interval& range = graph.ranges[static_cast<std::size_t>(at - graph.planned.begin())];
    const double a = (mimic.lower - mimic.offset) / mimic.multiplier;
    const double b = (mimic.upper - mimic.offset) / mimic.multiplier;
    range.lower = std::max(range.lower, std::min(a, b));
    range.upper = std::min(range.upper, std::max(a, b));
  }
  return graph;
}

}  // namespace

Result<Model> build(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                    const BuildOptions& options, const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  auto graph = make_graph(scene, planned, rest);
  if (!graph.ok()) return graph.error();
  CheckOptions check = options.check;
  // A motion that grazes costs more than it is worth: there are others.
  check.max_cells = std::min<std::int64_t>(check.max_cells, 5000);
  check.certificate = check.explain = false;
  const auto model = CheckModel::build(scene, check);
  if (!model.ok()) return model.error();
  return Builder(model.value(), std::move(graph).value(), options, budget).run();
}

Hash128 hash_of(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                const BuildOptions& options) {
  Hasher hasher;
  hasher.add(std::string_view("roadmap build 1"));
  hasher.add(scene.hash().high);
  hasher.add(scene.hash().low);
  for (const int p : planned) hasher.add(static_cast<std::uint64_t>(p));
  hasher.add(rest);
  for (const int n : {options.nodes, options.neighbours, options.planar ? 1 : 0})
    hasher.add(static_cast<std::uint64_t>(n));
  hasher.add(options.seed);
  for (const double v :
       {options.cell, options.sweep.remainder, options.sweep.part_length,
        options.check.clearance.world, options.check.clearance.robots, options.check.clearance.self,
        options.check.clearance.attached, options.check.resolution})
    hasher.add(v);
  hasher.add(static_cast<std::uint64_t>(options.bounds.has_value()));
  if (options.bounds) {
    hasher.add(options.bounds->lo);
    hasher.add(options.bounds->hi);
  }
  return hasher.finish();
}

}  // namespace proven::roadmap
