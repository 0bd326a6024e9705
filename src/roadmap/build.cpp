#include "proven/roadmap/build.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>

#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/certify/prover.h"
#include "proven/kinematics/poses.h"
#include "roadmap/bytes.h"
#include "roadmap/components.h"
#include "roadmap/locality.h"

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
  Builder(const CheckModel& model, Graph graph, const BuildOptions& options, const Budget& budget)
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
    if (!propose_arcs() || !prove_arcs()) return interrupted();
    if (!join_components()) return interrupted();
    reorder_arcs();
    if (graph_.arcs.empty()) return bad_input("no arc of the roadmap is free of self-collision");
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

  std::vector<double> candidate(Random& random) const {
    std::vector<double> point;
    for (const Interval& r : graph_.ranges) point.push_back(random.uniform(r.lower, r.upper));
    return point;
  }
  Random block_random(int block) const {
    return Random(options_.seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(block) + 1);
  }

  std::vector<std::uint8_t> test_samples(int block, int thread) {
    Random random = block_random(block);
    std::vector<std::uint8_t> free;
    for (int i = 0; i < kSampleBlock; ++i)
      free.push_back(prover(thread).is_free(graph_.full(candidate(random))));
    return free;
  }

  Result<void> sample() {
    const auto wanted =
        static_cast<std::size_t>(options_.nodes) * static_cast<std::size_t>(graph_.dimension());
    const std::int64_t most = std::int64_t{options_.nodes} * options_.tries_per_node;
    Blocks results;
    for (int first = 0; graph_.nodes.size() < wanted; first += kWave) {
      if (std::int64_t{first} * kSampleBlock > most)
        return bad_input("hardly any configuration is free of collision: is the scene right?");
      const int end = first + kWave;
      if (!do_blocks(BuildStage::samples, first, end, std::max(end, options_.nodes / kSampleBlock),
                     results, [&](int block, int thread) { return test_samples(block, thread); }))
        return interrupted();
      for (int block = first; block < end; ++block) {
        Random random = block_random(block);
        for (const std::uint8_t free : results[static_cast<std::size_t>(block)]) {
          const auto point = candidate(random);
          if (free && graph_.nodes.size() < wanted)
            graph_.nodes.insert(graph_.nodes.end(), point.begin(), point.end());
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
      const auto point = graph_.node(static_cast<int>(old));
      nodes.insert(nodes.end(), point.begin(), point.end());
    }
    graph_.nodes = std::move(nodes);
  }

  void reorder_arcs() {
    if (graph_.arcs.empty()) return;
    std::sort(graph_.arcs.begin(), graph_.arcs.end());
    std::vector<double> features;
    for (const Arc& arc : graph_.arcs) {
      const auto a = graph_.node(static_cast<int>(arc[0]));
      auto middle = graph_.unrolled(a, graph_.node(static_cast<int>(arc[1])));
      for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = 0.5 * (a[k] + middle[k]);
      append_features(middle, features);
    }
    std::vector<Arc> arcs;
    for (const std::uint32_t old : locality_order(features, features.size() / graph_.arcs.size()))
      arcs.push_back(graph_.arcs[old]);
    graph_.arcs = std::move(arcs);
  }

  // Each node with its nearest neighbours. False if cancelled.
  bool propose_arcs() {
    const int n = graph_.num_nodes();
    const NearestTree tree(graph_.nodes, graph_.metric);
    std::vector<std::vector<int>> found(static_cast<std::size_t>(n));
    parallel_for(n, threads_, [&](int node, int) {
      if (cancelled()) return;
      found[static_cast<std::size_t>(node)] =
          tree.nearest(graph_.node(node), options_.neighbours, node);
    });
    for (int node = 0; node < n; ++node)
      for (const int other : found[static_cast<std::size_t>(node)])
        graph_.arcs.push_back({static_cast<std::uint32_t>(std::min(node, other)),
                               static_cast<std::uint32_t>(std::max(node, other))});
    std::sort(graph_.arcs.begin(), graph_.arcs.end());
    graph_.arcs.erase(std::unique(graph_.arcs.begin(), graph_.arcs.end()), graph_.arcs.end());
    return !cancelled();
  }

  // Nodes were tested as these literal values.
  bool is_free(const Arc& arc, int thread) {
    const auto a = graph_.node(static_cast<int>(arc[0]));
    const auto b = graph_.unrolled(a, graph_.node(static_cast<int>(arc[1])));
    return prover(thread).is_free({graph_.full(a), graph_.full(b), true});
  }

  bool prove_arcs() {
    const int total = (graph_.num_arcs() + kProofBlock - 1) / kProofBlock;
    Blocks results;
    const auto work = [&](int block, int thread) {
      std::vector<std::uint8_t> free;
      const int end = std::min(graph_.num_arcs(), (block + 1) * kProofBlock);
      for (int a = block * kProofBlock; a < end; ++a)
        free.push_back(is_free(graph_.arcs[static_cast<std::size_t>(a)], thread));
      return free;
    };
    if (!do_blocks(BuildStage::proofs, 0, total, total, results, work)) return false;
    std::vector<Arc> proved;
    std::size_t a = 0;
    for (const auto& block : results)
      for (const std::uint8_t free : block) {
        if (free) proved.push_back(graph_.arcs[a]);
        ++a;
      }
    graph_.arcs = std::move(proved);
    return true;
  }

  // Arcs from a small component to the nearest nodes of others; one that is free joins it.
  void join(const std::vector<std::uint32_t>& members, Components& components) {
    std::vector<std::pair<double, Arc>> pairs;
    for (std::size_t i = 0; i < members.size() && i < kJoinTries; ++i)
      for (int other = 0; other < graph_.num_nodes(); ++other) {
        const auto o = static_cast<std::uint32_t>(other);
        if (components.same(members[i], o)) continue;
        pairs.emplace_back(
            graph_.metric.squared(graph_.node(static_cast<int>(members[i])), graph_.node(other)),
            Arc{std::min(members[i], o), std::max(members[i], o)});
      }
    const std::size_t tries = std::min<std::size_t>(kJoinTries, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(tries),
                      pairs.end());
    for (std::size_t i = 0; i < tries; ++i) {
      if (!is_free(pairs[i].second, 0)) continue;
      graph_.arcs.push_back(pairs[i].second);
      components.join(pairs[i].second[0], pairs[i].second[1]);
      return;
    }
  }

  bool join_components() {
    Blocks results;
    const auto before = graph_.arcs;
    const auto work = [&](int, int) {
      Components components(graph_.num_nodes());
      for (const Arc& arc : graph_.arcs) components.join(arc[0], arc[1]);
      for (const auto& members : components.all_but_largest()) {
        if (cancelled()) break;
        join(members, components);
      }
      Bytes bytes;
      for (std::size_t a = before.size(); a < graph_.arcs.size(); ++a)
        for (const std::uint32_t node : graph_.arcs[a]) bytes.put(node);
      graph_.arcs = before;
      return bytes.take();
    };
    if (!do_blocks(BuildStage::joins, 0, 1, 1, results, work)) return false;
    ByteReader reader(results[0]);
    while (reader.left() >= 8) {
      const auto a = reader.get<std::uint32_t>();
      graph_.arcs.push_back({a, reader.get<std::uint32_t>()});
    }
    return true;
  }

  Result<Grid> make_grid() {
    Aabb box;
    if (options_.bounds) {
      box = *options_.bounds;
    } else {
      auto reached = reach_of_arcs();
      if (!reached.ok()) return reached.error();
      box = reached.value();
    }
    const double height = std::max(box.hi.z - box.lo.z, options_.cell);
    const Vec3 cell{options_.cell, options_.cell, options_.planar ? 1.02 * height : options_.cell};
    const Grid grid = cover_box(box, cell);
    if (auto valid = validate(grid); !valid.ok()) return valid.error();
    return grid;
  }

  Result<Aabb> reach_of_arcs() {
    // Only the remainder depends on this grid.
    Grid rough;
    rough.cell = {options_.cell, options_.cell, options_.cell};
    const auto sweeper = Sweeper::build(scene_, rough, options_.sweep);
    if (!sweeper.ok()) return sweeper.error();
    std::vector<Aabb> boxes(graph_.arcs.size());
    std::vector<Sweeper::Scratch> scratch;
    for (int t = 0; t < threads_; ++t) scratch.emplace_back(sweeper.value());
    Blocks results;
    const auto work = [&](int, int) {
      constexpr double kFar = std::numeric_limits<double>::infinity();
      Aabb all{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
      for (const Arc& arc : graph_.arcs) {
        const auto a = graph_.node(static_cast<int>(arc[0]));
        const auto b = graph_.unrolled(a, graph_.node(static_cast<int>(arc[1])));
        const Aabb box = sweeper.value().bounds(graph_.full(a), graph_.full(b), scratch[0]);
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
      const Arc& arc = graph_.arcs[static_cast<std::size_t>(item)];
      const auto a = graph_.node(static_cast<int>(arc[0]));
      const auto b = graph_.unrolled(a, graph_.node(static_cast<int>(arc[1])));
      sweeper.mark(graph_.full(a), graph_.full(b), scratch, mask);
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
    model.nodes = encode_rows(transpose_cells(cells, grid.outside() + 1), threads_);
    if (!list_cells(BuildStage::arc_cells, graph_.num_arcs(), sweeper.value(), cells))
      return interrupted();
    const CellSets sets = transpose_cells(cells, grid.outside() + 1);
    cells = {};
    model.arcs = encode_rows(sets, threads_);
    model.graph = std::move(graph_);
    return model;
  }

  const Scene& scene_;
  const BuildOptions& options_;
  const Budget& budget_;
  Graph graph_;
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

}  // namespace

Result<Model> build(const Scene& scene, std::span<const int> planned, std::span<const double> rest,
                    const BuildOptions& options, const Budget& budget) {
  if (auto valid = validate(options); !valid.ok()) return valid.error();
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
  for (const double v : {options.cell, options.sweep.remainder, options.sweep.part_length,
                         options.check.clearance, options.check.resolution})
    hasher.add(v);
  hasher.add(static_cast<std::uint64_t>(options.bounds.has_value()));
  if (options.bounds) {
    hasher.add(options.bounds->lo);
    hasher.add(options.bounds->hi);
  }
  return hasher.finish();
}

namespace {

template <class Mark>
std::vector<std::vector<std::uint32_t>> list_all(int count, const Sweeper& sweeper, int threads,
                                                 const Mark& mark) {
  const int used = threads > 0 ? threads : default_threads();
  std::vector<std::vector<std::uint32_t>> cells(static_cast<std::size_t>(count));
  std::vector<Sweeper::Scratch> scratch;
  std::vector<CellMask> masks(static_cast<std::size_t>(used), CellMask(sweeper.grid()));
  for (int t = 0; t < used; ++t) scratch.emplace_back(sweeper);
  parallel_for(count, used, [&](int item, int thread) {
    CellMask& mask = masks[static_cast<std::size_t>(thread)];
    mask.clear();
    mark(item, scratch[static_cast<std::size_t>(thread)], mask);
    cells[static_cast<std::size_t>(item)] = mask.cells();
  });
  return cells;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> cells_of_arcs(const Graph& graph, const Sweeper& sweeper,
                                                      int threads) {
  return list_all(graph.num_arcs(), sweeper, threads,
                  [&](int a, Sweeper::Scratch& scratch, CellMask& mask) {
                    const Arc& arc = graph.arcs[static_cast<std::size_t>(a)];
                    const auto from = graph.node(static_cast<int>(arc[0]));
                    const auto to = graph.unrolled(from, graph.node(static_cast<int>(arc[1])));
                    sweeper.mark(graph.full(from), graph.full(to), scratch, mask);
                  });
}

std::vector<std::vector<std::uint32_t>> cells_of_nodes(const Graph& graph, const Sweeper& sweeper,
                                                       int threads) {
  return list_all(graph.num_nodes(), sweeper, threads,
                  [&](int n, Sweeper::Scratch& scratch, CellMask& mask) {
                    const auto q = graph.full(graph.node(n));
                    sweeper.mark(q, q, scratch, mask);
                  });
}

}  // namespace proven::roadmap
