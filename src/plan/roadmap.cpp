#include "proven/plan/roadmap.h"

#include <numbers>

#include "plan/final_proof.h"
#include "plan/roadmap_state.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace {

constexpr double kPi = std::numbers::pi;
// Candidates tested before the free ones are counted; fixed, so that the result does not depend on
// the number of threads.
constexpr int kBatch = 256;

class Builder {
 public:
  Builder(const BatchChecker& checker, Roadmap::State& state, const RoadmapOptions& options,
          const Budget& budget)
      : checker_(checker), state_(state), graph_(state.graph), options_(options), budget_(budget) {}

  Result<void> sample() {
    Random random(options_.seed);
    for (std::int64_t tried = 0; graph_.num_nodes() < options_.nodes; tried += kBatch) {
      if (tried > std::int64_t{options_.tries_per_node} * options_.nodes)
        return Error{ErrorCode::exhausted, "hardly any random configuration is free", {}};
      std::vector<std::vector<double>> candidates;
      std::vector<double> rows;
      for (int i = 0; i < kBatch; ++i) {
        candidates.push_back(graph_.sample(random));
        append(graph_.full(candidates.back()), rows);
      }
      const auto asked = ask({rows, rows, false});
      if (!asked.ok()) return asked.error();
      for (std::size_t k = 0; k < candidates.size(); ++k)
        if (asked.value()[k] == BatchVerdict::clear && graph_.num_nodes() < options_.nodes)
          graph_.add_node(candidates[k]);
    }
    return {};
  }

  Result<void> connect() {
    graph_.edges = neighbour_edges(graph_, options_.neighbours, options_.threads, budget_);
    state_.states.assign(graph_.edges.size(), EdgeState::unknown);
    if (budget_.stopped()) return out_of_time();
    return {};
  }

  Result<void> prove() {
    std::vector<double> from, to;
    for (const JointGraph::Edge& edge : graph_.edges) {
      const auto ends = graph_.motion(edge);
      append(ends.from, from);
      append(ends.to, to);
    }
    const auto asked = ask({from, to, true});
    if (!asked.ok()) return asked.error();
    for (std::size_t e = 0; e < graph_.edges.size(); ++e)
      state_.states[e] =
          asked.value()[e] == BatchVerdict::clear ? EdgeState::clear : EdgeState::blocked;
    return {};
  }

 private:
  static Error out_of_time() {
    return {ErrorCode::exhausted, "the roadmap was not built within its time", {}};
  }
  static void append(const std::vector<double>& q, std::vector<double>& rows) {
    rows.insert(rows.end(), q.begin(), q.end());
  }

  Result<std::vector<BatchVerdict>> ask(const SegmentBatch& segments) {
    auto asked = checker_.check(segments, budget_);
    if (!asked.ok()) return asked.error();
    if (budget_.stopped()) return out_of_time();
    return std::move(asked.value().verdicts);
  }

  const BatchChecker& checker_;
  Roadmap::State& state_;
  JointGraph& graph_;
  const RoadmapOptions& options_;
  const Budget& budget_;
};

}  // namespace

Result<CheckModel> Roadmap::State::model(const Scene& scene) const {
  std::vector<Interval> all;
  for (const double value : graph.rest) all.push_back({value, value});
  for (std::size_t k = 0; k < graph.planned.size(); ++k) {
    const double spare = graph.metric.periodic[k] ? 2 * kPi : 0;
    all[static_cast<std::size_t>(graph.planned[k])] = {graph.ranges[k].lower - spare,
                                                       graph.ranges[k].upper + spare};
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
  JointGraph& graph = state.graph;
  graph.planned.assign(space.planned().begin(), space.planned().end());
  graph.rest = query.start;
  graph.ranges.assign(space.ranges().begin(), space.ranges().end());
  graph.metric.periodic.assign(graph.planned.size(), false);
  for (const int place : space.continuous()) {
    graph.metric.periodic[static_cast<std::size_t>(place)] = true;
    graph.ranges[static_cast<std::size_t>(place)] = {-kPi, kPi};
  }
  state.scene_hash = scene.hash();
  return {};
}

Roadmap::Roadmap(std::unique_ptr<State> state) : state_(std::move(state)) {}
Roadmap::Roadmap(Roadmap&&) noexcept = default;
Roadmap& Roadmap::operator=(Roadmap&&) noexcept = default;
Roadmap::~Roadmap() = default;

int Roadmap::num_nodes() const {
  return state_->graph.num_nodes();
}
std::span<const double> Roadmap::node(int index) const {
  return state_->graph.node(static_cast<std::size_t>(index));
}
std::vector<Roadmap::Edge> Roadmap::edges() const {
  std::vector<Edge> edges;
  for (std::size_t e = 0; e < state_->states.size(); ++e) {
    const auto& [a, b] = state_->graph.edges[e];
    edges.push_back({static_cast<int>(a), static_cast<int>(b), state_->states[e]});
  }
  return edges;
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
  state->check = for_planning(options.check);
  const auto model = state->model(scene);
  if (!model.ok()) return model.error();
  // What a query returns is proved then.
  const auto checker = BatchChecker::build(
      model.value(), {.device = options.device, .threads = options.threads, .prove = false});
  if (!checker.ok()) return checker.error();
  Builder builder(checker.value(), *state, options, budget);
  if (auto done = builder.sample(); !done.ok()) return done.error();
  if (auto done = builder.connect(); !done.ok()) return done.error();
  if (!options.lazy)
    if (auto done = builder.prove(); !done.ok()) return done.error();
  return Roadmap(std::move(state));
}

}  // namespace proven
