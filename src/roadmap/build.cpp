#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numbers>

#include "proven/base/failure.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/certify/batch.h"
#include "proven/certify/prover.h"
#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/poses.h"
#include "roadmap/bytes.h"
#include "roadmap/cell_table.h"
#include "roadmap/cells_device.h"
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

using Blocks = std::vector<BuildBlock>;

int num_blocks(int items, int size) {
  return (items + size - 1) / size;
}

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
    if (!propose_edges()) return interrupted();
    if (auto done = prove_edges(); !done.ok()) return done.error();
    if (auto done = join_components(); !done.ok()) return done.error();
    reorder_edges();
    if (graph_.edges.empty()) return bad_input("no arc of the roadmap is free of self-collision");
    auto grid = make_grid();
    if (!grid.ok()) return grid.error();
    return sweep(grid.value());
  }

  // Nodes, edges and grid as far as they are known: what blocks rest on.
  BuildBlock known() const {
    Bytes bytes;
    bytes.put(static_cast<std::uint64_t>(graph_.nodes.size()));
    for (const double v : graph_.nodes) bytes.put(v);
    bytes.put(static_cast<std::uint64_t>(graph_.edges.size()));
    for (const JointGraph::Edge& edge : graph_.edges)
      for (const std::uint32_t node : edge) bytes.put(node);
    bytes.put(static_cast<std::uint64_t>(sweeper_.has_value()));
    if (sweeper_) put(sweeper_->grid(), bytes);
    return bytes.take();
  }

  // No bytes: nothing is known. After an Error nothing is, either.
  Result<void> learn(std::span<const std::uint8_t> known) {
    auto learnt = known.empty() ? Result<void>() : read(known);
    if (learnt.ok() && !known.empty()) return {};
    graph_.nodes.clear();
    graph_.edges.clear();
    sweeper_.reset();
    return learnt;
  }

  // How many blocks a stage has that can be done anywhere; 0 if it has none.
  int num_blocks_of(BuildStage stage) const {
    switch (stage) {
      case BuildStage::samples:
        return std::numeric_limits<int>::max();
      case BuildStage::proofs:
        return num_blocks(graph_.num_edges(), kProofBlock);
      case BuildStage::node_cells:
        return sweeper_ ? num_blocks(graph_.num_nodes(), kSweepBlock) : 0;
      case BuildStage::edge_cells:
        return sweeper_ ? num_blocks(graph_.num_edges(), kSweepBlock) : 0;
      default:
        return 0;
    }
  }

  BuildBlock do_block(BuildStage stage, int block, int thread) {
    if (stage == BuildStage::samples) return test_samples(block, thread);
    if (stage == BuildStage::proofs) return prove_some(block, thread);
    return list_some(stage, block, thread);
  }

 private:
  static Error interrupted() {
    return {ErrorCode::exhausted, "interrupted; the same command goes on from here", {}};
  }
  static Error foreign() {
    return bad_input("a block is not of this roadmap: the journal or a helper mixed something up");
  }
  bool cancelled() const { return budget_.stopped().has_value(); }
  Prover& prover(int thread) { return provers_[static_cast<std::size_t>(thread)]; }

  static void put(const Grid& grid, Bytes& bytes) {
    for (const Vec3* v : {&grid.origin, &grid.cell})
      for (int axis = 0; axis < 3; ++axis) bytes.put((*v)[axis]);
    for (const int count : grid.count) bytes.put(static_cast<std::int32_t>(count));
  }
  static Grid get_grid(ByteReader& reader) {
    Grid grid;
    for (Vec3* v : {&grid.origin, &grid.cell})
      for (int axis = 0; axis < 3; ++axis) (*v)[axis] = reader.get<double>();
    for (int& count : grid.count) count = reader.get<std::int32_t>();
    return grid;
  }

  // What known() wrote.
  Result<void> read(std::span<const std::uint8_t> known) {
    const Error strange = bad_input("this is not what the blocks of this roadmap rest on");
    ByteReader reader(known);
    const auto values = reader.get<std::uint64_t>();
    if (values > reader.left() / sizeof(double)) return strange;
    graph_.nodes.resize(static_cast<std::size_t>(values));
    for (double& v : graph_.nodes) v = reader.get<double>();
    const auto edges = reader.get<std::uint64_t>();
    if (edges > reader.left() / sizeof(JointGraph::Edge)) return strange;
    graph_.edges.resize(static_cast<std::size_t>(edges));
    const auto nodes = static_cast<std::uint32_t>(graph_.num_nodes());
    for (JointGraph::Edge& edge : graph_.edges)
      for (std::uint32_t& node : edge) {
        node = reader.get<std::uint32_t>();
        if (node >= nodes) return strange;
      }
    const auto has_grid = reader.get<std::uint64_t>();
    sweeper_.reset();
    if (has_grid == 1) {
      const Grid grid = get_grid(reader);
      if (auto valid = validate(grid); !valid.ok()) return valid.error();
      if (auto ready = prepare_sweep(grid); !ready.ok()) return ready.error();
    }
    if (has_grid > 1 || !reader.whole() || reader.left() > 0 ||
        graph_.nodes.size() % static_cast<std::size_t>(graph_.dimension()) != 0)
      return strange;
    return {};
  }

  using Work = std::function<BuildBlock(int block, int thread)>;

  // Does the blocks [first, end) that the journal does not hold: here, or by helpers.
  Result<void> do_blocks(BuildStage stage, int first, int end, int total, Blocks& results) {
    return do_blocks(stage, first, end, total, results, options_.helpers,
                     [&](int block, int thread) { return do_block(stage, block, thread); });
  }
  Result<void> do_blocks(BuildStage stage, int first, int end, int total, Blocks& results,
                         BuildHelpers* helpers, const Work& work) {
    results.resize(static_cast<std::size_t>(end));
    std::vector<int> missing;
    for (int block = first; block < end; ++block) {
      auto found = options_.journal ? options_.journal->find(stage, block) : std::nullopt;
      if (found)
        results[static_cast<std::size_t>(block)] = std::move(*found);
      else
        missing.push_back(block);
    }
    int done = end - static_cast<int>(missing.size());
    const auto keep = [&](int block, BuildBlock bytes) {
      if (options_.journal) options_.journal->store(stage, block, bytes);
      results[static_cast<std::size_t>(block)] = std::move(bytes);
      ++done;
      budget_.report(to_string(stage), done, total);
    };
    if (helpers && !missing.empty()) {
      std::size_t given = 0;
      const BuildBlock told = stage == BuildStage::samples ? BuildBlock{} : known();
      helpers->do_blocks(stage, told, missing, [&](BuildBlock bytes) {
        if (given < missing.size()) keep(missing[given], std::move(bytes));
        ++given;
        return !cancelled();
      });
      if (given != missing.size() && !cancelled())
        return bad_input("helpers gave another number of blocks than they were asked for");
    } else {
      std::mutex mutex;
      parallel_for(static_cast<int>(missing.size()), threads_, [&](int item, int thread) {
        if (cancelled()) return;
        const int block = missing[static_cast<std::size_t>(item)];
        auto bytes = work(block, thread);
        const std::lock_guard lock(mutex);
        keep(block, std::move(bytes));
      });
    }
    if (cancelled()) return interrupted();
    return {};
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
      const int total = std::max(end, options_.nodes / kSampleBlock);
      if (auto done = do_blocks(BuildStage::samples, first, end, total, results); !done.ok())
        return done;
      for (int block = first; block < end; ++block) {
        Random random = block_random(block);
        if (results[static_cast<std::size_t>(block)].size() != kSampleBlock) return foreign();
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

  BuildBlock prove_some(int block, int thread) {
    BuildBlock free;
    const int end = std::min(graph_.num_edges(), (block + 1) * kProofBlock);
    for (int a = block * kProofBlock; a < end; ++a) {
      const auto e = static_cast<std::size_t>(a);
      const bool settled = !batch_.empty() && batch_[e] != BatchVerdict::undecided;
      free.push_back(settled ? batch_[e] == BatchVerdict::free : is_free(graph_.edges[e], thread));
    }
    return free;
  }

  // A GPU is asked about all edges at once.
  Result<void> ask_batch() {
    const auto checker = BatchChecker::build(provers_.front().model(),
                                             {.device = options_.device, .threads = threads_});
    if (!checker.ok()) return checker.error();
    if (checker.value().device() == BatchDevice::threads) return {};
    std::vector<double> from, to;
    for (const JointGraph::Edge& edge : graph_.edges) {
      const auto ends = graph_.motion(edge);
      from.insert(from.end(), ends.from.begin(), ends.from.end());
      to.insert(to.end(), ends.to.begin(), ends.to.end());
    }
    auto asked = checker.value().check({from, to, true}, budget_);
    if (!asked.ok()) return asked.error();
    batch_ = std::move(asked.value().verdicts);
    return {};
  }

  Result<void> prove_edges() {
    if (options_.device != BatchDevice::threads && !options_.helpers)
      if (auto done = ask_batch(); !done.ok()) return done;
    const int total = num_blocks(graph_.num_edges(), kProofBlock);
    Blocks results;
    if (auto done = do_blocks(BuildStage::proofs, 0, total, total, results); !done.ok())
      return done;
    std::vector<JointGraph::Edge> proved;
    std::size_t a = 0;
    for (const auto& block : results)
      for (const std::uint8_t free : block) {
        if (a == graph_.edges.size()) return foreign();
        if (free) proved.push_back(graph_.edges[a]);
        ++a;
      }
    if (a != graph_.edges.size()) return foreign();
    graph_.edges = std::move(proved);
    return {};
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

  Result<void> join_components() {
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
    if (auto done = do_blocks(BuildStage::joins, 0, 1, 1, results, nullptr, work); !done.ok())
      return done;
    ByteReader reader(results[0]);
    while (reader.left() >= 8) {
      const auto a = reader.get<std::uint32_t>();
      graph_.edges.push_back({a, reader.get<std::uint32_t>()});
    }
    return {};
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
    for (int t = 0; t < threads_; ++t) scratch.emplace_back();
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
    if (auto done = do_blocks(BuildStage::bounds, 0, 1, 1, results, nullptr, work); !done.ok())
      return done.error();
    ByteReader reader(results[0]);
    Aabb box;
    for (Vec3* v : {&box.lo, &box.hi})
      for (int axis = 0; axis < 3; ++axis) (*v)[axis] = reader.get<double>();
    return box;
  }

  // Sweeper and scratch of every thread for this grid.
  Result<void> prepare_sweep(const Grid& grid) {
    auto sweeper = Sweeper::build(scene_, grid, options_.sweep);
    if (!sweeper.ok()) return sweeper.error();
    sweeper_.emplace(std::move(sweeper).value());
    scratch_.clear();
    for (int t = 0; t < threads_; ++t) scratch_.emplace_back();
    auto device = CellDevice::open(
        *sweeper_, options_.helpers ? BatchDevice::threads : options_.device, threads_);
    if (!device.ok()) return device.error();
    cell_device_ = std::move(device).value();
    if (!cell_device_) masks_.assign(static_cast<std::size_t>(threads_), CellMask(grid));
    return {};
  }

  int num_items(BuildStage stage) const {
    return stage == BuildStage::node_cells ? graph_.num_nodes() : graph_.num_edges();
  }

  // Cells of the items of a block, each list as gaps.
  BuildBlock list_some(BuildStage stage, int block, int thread) {
    Bytes bytes;
    Sweeper::Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const int first = block * kSweepBlock, end = std::min(num_items(stage), first + kSweepBlock);
    if (cell_device_) {
      cell_device_->list(
          first, end, thread,
          [&](int item, int number, std::vector<Passage>& passages) {
            const auto [from, to] = motion_of(stage, item);
            sweeper_->append_passages(from, to, number, scratch, passages);
          },
          [&](std::span<const std::uint32_t> cells) { bytes.put_sorted(cells); });
      return bytes.take();
    }
    CellMask& mask = masks_[static_cast<std::size_t>(thread)];
    for (int i = first; i < end; ++i) {
      mask.clear();
      const auto [from, to] = motion_of(stage, i);
      sweeper_->mark(from, to, scratch, mask);
      bytes.put_sorted(mask.cells());
    }
    return bytes.take();
  }

  Result<CellTable> list_cells(BuildStage stage) {
    const int count = num_items(stage), total = num_blocks(count, kSweepBlock);
    const auto outside = static_cast<std::uint32_t>(sweeper_->grid().outside());
    Blocks results;
    try {
      if (auto done = do_blocks(stage, 0, total, total, results); !done.ok()) return done.error();
    } catch (const Failure& failure) {
      return failure.error();  // of the GPU
    }
    std::vector<std::vector<std::uint32_t>> cells;
    for (auto& block : results) {
      ByteReader reader(block);
      while (reader.left() > 0) {
        cells.push_back(reader.get_sorted());
        if (!reader.whole() || (!cells.back().empty() && cells.back().back() > outside))
          return foreign();
      }
      block = {};
    }
    if (cells.size() != static_cast<std::size_t>(count)) return foreign();
    return make_table(cells, sweeper_->grid().outside() + 1, threads_);
  }

  // A node rests.
  JointGraph::Motion motion_of(BuildStage stage, int item) const {
    if (stage == BuildStage::edge_cells)
      return graph_.motion(graph_.edges[static_cast<std::size_t>(item)]);
    const auto q = graph_.full(graph_.node(item));
    return {q, q};
  }

  Result<Model> sweep(const Grid& grid) {
    if (auto ready = prepare_sweep(grid); !ready.ok()) return ready.error();
    Model model;
    model.scene_hash = scene_.hash();
    model.seed = options_.seed;
    model.remainder = options_.sweep.remainder;
    model.grid = grid;
    auto nodes_at = list_cells(BuildStage::node_cells);
    if (!nodes_at.ok()) return nodes_at.error();
    auto edges_at = list_cells(BuildStage::edge_cells);
    if (!edges_at.ok()) return edges_at.error();
    model.nodes_at = std::move(nodes_at).value();
    model.edges_at = std::move(edges_at).value();
    model.graph = std::move(graph_);
    return model;
  }

  const Scene& scene_;
  const BuildOptions& options_;
  const Budget& budget_;
  JointGraph graph_;
  int threads_;
  std::vector<Prover> provers_;      // per thread
  std::vector<BatchVerdict> batch_;  // of each edge, where a GPU was asked; else empty
  LinkPoses poses_;
  std::optional<Sweeper> sweeper_;  // once the grid is known
  std::vector<Sweeper::Scratch> scratch_;
  std::vector<CellMask> masks_;
  std::unique_ptr<CellDevice> cell_device_;  // null: threads list cells
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

namespace {

// What every build begins with.
struct Prepared {
  JointGraph graph;
  CheckModel model;
};

Result<Prepared> prepare(const Scene& scene, std::span<const int> planned,
                         std::span<const double> rest, const BuildOptions& options) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
  if (auto still = scene.require_no_clock(); !still.ok()) return still.error();
  auto graph = make_graph(scene, planned, rest);
  if (!graph.ok()) return graph.error();
  CheckOptions check = options.check;
  // A motion that grazes costs more than it is worth: there are others.
  check.max_cells = std::min<std::int64_t>(check.max_cells, 5000);
  check.certificate = check.explain = false;
  auto model = CheckModel::build(scene, check);
  if (!model.ok()) return model.error();
  return Prepared{std::move(graph).value(), std::move(model).value()};
}

}  // namespace

Result<Model> build(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                    const BuildOptions& options, const Budget& budget) {
  auto prepared = prepare(scene, planned, rest, options);
  if (!prepared.ok()) return prepared.error();
  return Builder(prepared.value().model, std::move(prepared.value().graph), options, budget).run();
}

struct BlockWorker::State {
  BuildOptions options;
  Budget budget;
  CheckModel model;
  Builder builder;

  State(Prepared prepared, const BuildOptions& wanted)
      : options(wanted),
        model(std::move(prepared.model)),
        builder(model, std::move(prepared.graph), options, budget) {}
};

Result<BlockWorker> BlockWorker::create(const Scene& scene, std::span<const int> planned,
                                        std::span<const double> rest, const BuildOptions& options) {
  auto prepared = prepare(scene, planned, rest, options);
  if (!prepared.ok()) return prepared.error();
  BuildOptions alone = options;
  alone.threads = 1;
  alone.device = BatchDevice::threads;
  alone.journal = nullptr;
  alone.helpers = nullptr;
  return BlockWorker(std::make_unique<State>(std::move(prepared).value(), alone));
}

BlockWorker::BlockWorker(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockWorker::BlockWorker(BlockWorker&&) noexcept = default;
BlockWorker& BlockWorker::operator=(BlockWorker&&) noexcept = default;
BlockWorker::~BlockWorker() = default;

Result<void> BlockWorker::learn(std::span<const std::uint8_t> known) {
  return state_->builder.learn(known);
}

Result<BuildBlock> BlockWorker::do_block(BuildStage stage, int block) {
  if (block < 0 || block >= state_->builder.num_blocks_of(stage))
    return bad_input("there is no such block");
  return state_->builder.do_block(stage, block, 0);
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
