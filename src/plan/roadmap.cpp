#include "proven/plan/roadmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/final_proof.h"
#include "plan/roadmap_state.h"
#include "proven/base/parallel.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kTurn = 2 * kPi;
// Candidates tested before the free ones are counted; fixed, so that the result does not depend on
// the number of threads.
constexpr int kBatch = 256;

class Builder {
 public:
  Builder(const CheckModel& model, Roadmap::State& state, const RoadmapOptions& options,
          const Budget& budget)
      : state_(state),
        options_(options),
        budget_(budget),
        threads_(options.threads > 0 ? options.threads : default_threads()),
        model_(model),
        scratch_(static_cast<std::size_t>(threads_)) {}

  Result<void> sample() {
    Random random(options_.seed);
    const std::size_t n = state_.dimension();
    for (std::int64_t tried = 0; state_.graph.arcs.size() < wanted(); tried += kBatch) {
      if (tried > std::int64_t{options_.tries_per_node} * options_.nodes)
        return Error{ErrorCode::exhausted, "hardly any random configuration is free", {}};
      if (budget_.stopped()) return out_of_time();
      std::vector<double> candidates(n * kBatch);
      for (std::size_t i = 0; i < candidates.size(); ++i)
        candidates[i] = random.uniform(state_.ranges[i % n].lower, state_.ranges[i % n].upper);
      keep_free(candidates);
    }
    return {};
  }

  void connect() {
    const NearestTree tree(state_.points, state_.metric);
    const int nodes = static_cast<int>(state_.graph.arcs.size());
    std::vector<std::vector<int>> near(static_cast<std::size_t>(nodes));
    parallel_for(nodes, threads_, [&](int node, int) {
      near[static_cast<std::size_t>(node)] =
          tree.nearest(state_.point(node), options_.neighbours, node);
    });
    const auto lists = [&](int a, int b) {
      return std::ranges::count(near[static_cast<std::size_t>(a)], b) > 0;
    };
    for (int a = 0; a < nodes; ++a)
      for (const int b : near[static_cast<std::size_t>(a)])
        if (a < b || !lists(b, a)) state_.graph.add_edge(a, b, EdgeState::unknown);
  }

  Result<void> prove() {
    std::vector<std::vector<int>> by_node(state_.graph.arcs.size());
    for (std::size_t e = 0; e < state_.graph.edges.size(); ++e)
      by_node[static_cast<std::size_t>(state_.graph.edges[e].a)].push_back(static_cast<int>(e));
    std::atomic<bool> stopped = false;
    parallel_for(static_cast<int>(by_node.size()), threads_, [&](int node, int thread) {
      if (stopped || budget_.stopped()) {
        stopped = true;
        return;
      }
      prove_edges(node, by_node[static_cast<std::size_t>(node)], thread);
    });
    if (stopped) return out_of_time();
    return {};
  }

 private:
  std::size_t wanted() const { return static_cast<std::size_t>(options_.nodes); }
  static Error out_of_time() {
    return {ErrorCode::exhausted, "the roadmap was not built within its time", {}};
  }

  void keep_free(const std::vector<double>& candidates) {
    const std::size_t n = state_.dimension();
    const std::vector<int> no_turns(n, 0);
    std::vector<char> free(kBatch, 0);
    parallel_for(kBatch, threads_, [&](int i, int thread) {
      const auto point = std::span(candidates).subspan(static_cast<std::size_t>(i) * n, n);
      const auto result = model_.check_configuration(state_.literal(point, no_turns),
                                                     scratch_[static_cast<std::size_t>(thread)]);
      free[static_cast<std::size_t>(i)] = result.verdict == Verdict::free;
    });
    for (int i = 0; i < kBatch && state_.graph.arcs.size() < wanted(); ++i) {
      if (!free[static_cast<std::size_t>(i)]) continue;
      const auto begin =
          candidates.begin() + static_cast<std::ptrdiff_t>(i) * static_cast<std::ptrdiff_t>(n);
      state_.points.insert(state_.points.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
      state_.graph.add_node();
    }
  }

  void prove_edges(int node, const std::vector<int>& edges, int thread) {
    if (edges.empty()) return;
    const std::vector<int> no_turns(state_.dimension(), 0);
    const std::vector<double> from = state_.literal(state_.point(node), no_turns);
    for (const int e : edges) {
      Roadmap::Edge& edge = state_.graph.edges[static_cast<std::size_t>(e)];
      const auto turns = state_.turns_after(state_.point(node), no_turns, state_.point(edge.b));
      const std::vector<double> to = state_.literal(state_.point(edge.b), turns);
      // Every node was tested as these literal values.
      const auto result =
          model_.check_segment({from, to, true}, scratch_[static_cast<std::size_t>(thread)]);
      edge.state = result.verdict == Verdict::free ? EdgeState::free : EdgeState::blocked;
    }
  }

  Roadmap::State& state_;
  const RoadmapOptions& options_;
  const Budget& budget_;
  int threads_;
  const CheckModel& model_;
  std::vector<Scratch> scratch_;
};

}  // namespace

std::vector<double> Roadmap::State::literal(std::span<const double> point,
                                            std::span<const int> turns) const {
  std::vector<double> full = rest;
  for (std::size_t k = 0; k < planned.size(); ++k)
    full[static_cast<std::size_t>(planned[k])] =
        turns[k] == 0 ? point[k] : point[k] + turns[k] * kTurn;
  return full;
}

std::vector<int> Roadmap::State::turns_after(std::span<const double> from,
                                             std::span<const int> from_turns,
                                             std::span<const double> to) const {
  std::vector<int> turns(dimension(), 0);
  for (std::size_t k = 0; k < turns.size(); ++k)
    if (metric.periodic[k])
      turns[k] = from_turns[k] - static_cast<int>(std::round((to[k] - from[k]) / kTurn));
  return turns;
}

Result<CheckModel> Roadmap::State::model(const Scene& scene) const {
  std::vector<Interval> all;
  for (const double value : rest) all.push_back({value, value});
  for (std::size_t k = 0; k < planned.size(); ++k) {
    const double spare = metric.periodic[k] ? kTurn : 0;
    all[static_cast<std::size_t>(planned[k])] = {ranges[k].lower - spare, ranges[k].upper + spare};
  }
  return CheckModel::build(scene, check, all);
}

Result<void> prepare_roadmap(const Scene& scene, std::span<const int> planned,
                             std::span<const double> rest, Roadmap::State& state) {
  const Query query{
      {rest.begin(), rest.end()}, {rest.begin(), rest.end()}, {planned.begin(), planned.end()}, {}};
  if (auto valid = validate_query(scene, query); !valid.ok()) return valid.error();
  const JointSpace space(scene, query);
  if (!space.euclidean())
    return Error{ErrorCode::unsupported, "a roadmap cannot plan for ball joints", {}};
  state.planned.assign(space.planned().begin(), space.planned().end());
  state.rest = query.start;
  state.ranges.assign(space.ranges().begin(), space.ranges().end());
  state.metric.periodic.assign(state.planned.size(), false);
  for (const int place : space.continuous()) {
    state.metric.periodic[static_cast<std::size_t>(place)] = true;
    state.ranges[static_cast<std::size_t>(place)] = {-kPi, kPi};
  }
  state.scene_hash = scene.hash();
  return {};
}

Roadmap::Roadmap(std::unique_ptr<State> state) : state_(std::move(state)) {}
Roadmap::Roadmap(Roadmap&&) noexcept = default;
Roadmap& Roadmap::operator=(Roadmap&&) noexcept = default;
Roadmap::~Roadmap() = default;

int Roadmap::num_nodes() const {
  return static_cast<int>(state_->graph.arcs.size());
}
std::span<const double> Roadmap::node(int index) const {
  return state_->point(index);
}
std::span<const Roadmap::Edge> Roadmap::edges() const {
  return state_->graph.edges;
}
const Hash128& Roadmap::scene_hash() const {
  return state_->scene_hash;
}

Result<Roadmap> Roadmap::build(const Scene& scene, std::span<const int> planned,
                               std::span<const double> rest, const RoadmapOptions& options,
                               const Budget& budget) {
  if (options.nodes < 1 || options.neighbours < 1)
    return bad_input("a roadmap needs at least one node and one neighbour");
  if (options.check.checker == Checker::fixed)
    return bad_input("the checker fixed proves nothing: build a roadmap with another one");
  if (auto valid = validate(options.check); !valid.ok()) return valid.error();
  auto state = std::make_unique<State>();
  if (auto ready = prepare_roadmap(scene, planned, rest, *state); !ready.ok()) return ready.error();
  state->neighbours = options.neighbours;
  state->check = without_certificate(options.check);
  const auto model = state->model(scene);
  if (!model.ok()) return model.error();
  Builder builder(model.value(), *state, options, budget);
  if (auto done = builder.sample(); !done.ok()) return done.error();
  builder.connect();
  if (!options.lazy)
    if (auto done = builder.prove(); !done.ok()) return done.error();
  return Roadmap(std::move(state));
}

}  // namespace proven
