// Queries of a roadmap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/final_proof.h"
#include "plan/roadmap_state.h"
#include "plan/solve.h"

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// One query: the roadmap's graph with start and goal, whose edges last only for the query.
class RoadmapQuery {
 public:
  RoadmapQuery(Roadmap::State& state, const CheckModel& model, const Query& query)
      : state_(state), model_(model), graph_(state.graph), points_(state.points) {
    num_kept_edges_ = graph_.edges.size();
    start_ = add_end(query.start, start_turns_);
    goal_ = add_end(query.goal, goal_turns_);
    ends_ = {query.start, query.goal};
    const NearestTree tree(state.points, state.metric);
    for (const int end : {start_, goal_})
      for (const int near : tree.nearest(point(end), state.neighbours))
        graph_.add_edge(near, end, EdgeState::unknown);
    graph_.add_edge(start_, goal_, EdgeState::unknown);
  }

  // Waypoints of a proved path; nothing if the graph has none (left).
  std::optional<std::vector<std::vector<double>>> solve(GraphSearch search,
                                                        IterationCount& iterations) {
    const auto length = [&](int a, int b) {
      return std::sqrt(state_.metric.squared(point(a), point(b)));
    };
    while (iterations.next()) {
      const auto way = search_graph(graph_, start_, goal_, search, length);
      if (!way) return std::nullopt;
      ++stats_.candidate_paths;
      if (auto waypoints = prove(*way, iterations.budget())) return waypoints;
    }
    return std::nullopt;
  }

  const PlanStats& stats() const { return stats_; }

  // What was learned of the roadmap's own edges.
  void keep_findings() const {
    for (std::size_t e = 0; e < num_kept_edges_; ++e)
      state_.graph.edges[e].state = graph_.edges[e].state;
  }

 private:
  std::span<const double> point(int node) const {
    const std::size_t n = state_.dimension();
    return std::span(points_).subspan(static_cast<std::size_t>(node) * n, n);
  }

  // The node of an end, its continuous joints brought to [-π, π), and the turns that were taken
  // off.
  int add_end(const std::vector<double>& q, std::vector<int>& turns) {
    turns.assign(state_.dimension(), 0);
    for (std::size_t k = 0; k < turns.size(); ++k) {
      const double value = q[static_cast<std::size_t>(state_.planned[k])];
      if (state_.metric.periodic[k]) turns[k] = static_cast<int>(std::round(value / kTurn));
      points_.push_back(turns[k] == 0 ? value : value - turns[k] * kTurn);
    }
    return graph_.add_node();
  }

  std::vector<double> waypoint(int node, const std::vector<int>& turns) const {
    // The ends keep their literal values.
    if (node == start_ && turns == start_turns_) return ends_[0];
    if (node == goal_ && turns == goal_turns_) return ends_[1];
    return state_.literal(point(node), turns);
  }

  // Proves the edges on the way that are not known to be free as the literal values they take here.
  std::optional<std::vector<std::vector<double>>> prove(const GraphWay& way, const Budget& budget) {
    std::vector<std::vector<double>> waypoints;
    std::vector<int> open;  // edges, and where on the way they begin
    std::vector<std::size_t> begins;
    std::vector<int> turns = start_turns_;
    for (std::size_t i = 0; i < way.nodes.size(); ++i) {
      const std::vector<int> before = turns;
      if (i > 0) turns = state_.turns_after(point(way.nodes[i - 1]), before, point(way.nodes[i]));
      waypoints.push_back(waypoint(way.nodes[i], turns));
      if (i == 0 || known_free(way.edges[i - 1], way.nodes[i - 1], before, turns)) continue;
      open.push_back(way.edges[i - 1]);
      begins.push_back(i - 1);
    }
    std::vector<SegmentQuery> segments;
    for (const std::size_t begin : begins)
      segments.push_back({waypoints[begin], waypoints[begin + 1]});
    stats_.segments += static_cast<std::int64_t>(segments.size());
    const CheckResult result = model_.check_together(segments, scratch_, budget);
    stats_.check += result.stats;
    if (result.verdict == Verdict::free) {
      for (std::size_t i = 0; i < open.size(); ++i)
        if (is_canonical(open[i], way)) state(open[i]) = EdgeState::free;
      return waypoints;
    }
    const int blocked = result.collision ? result.collision->segment : result.undecided->segment;
    state(open[static_cast<std::size_t>(blocked)]) = EdgeState::blocked;
    return std::nullopt;
  }

  EdgeState& state(int edge) { return graph_.edges[static_cast<std::size_t>(edge)].state; }

  // A free edge was proved from a without turns to b nearest to it; in other turns the values are
  // rounded differently.
  bool known_free(int edge, int from, const std::vector<int>& from_turns,
                  const std::vector<int>& to_turns) {
    const Roadmap::Edge& e = graph_.edges[static_cast<std::size_t>(edge)];
    if (e.state != EdgeState::free) return false;
    const std::vector<int> none(state_.dimension(), 0);
    const auto& a_turns = e.a == from ? from_turns : to_turns;
    const auto& b_turns = e.a == from ? to_turns : from_turns;
    return a_turns == none && b_turns == state_.turns_after(point(e.a), none, point(e.b));
  }

  // Whether the way used the edge with the values that a later query will find.
  bool is_canonical(int edge, const GraphWay& way) {
    std::vector<int> turns = start_turns_;
    for (std::size_t i = 0; i + 1 < way.nodes.size(); ++i) {
      const std::vector<int> next =
          state_.turns_after(point(way.nodes[i]), turns, point(way.nodes[i + 1]));
      if (way.edges[i] == edge) {
        const EdgeState before = state(edge);
        state(edge) = EdgeState::free;
        const bool canonical = known_free(edge, way.nodes[i], turns, next);
        state(edge) = before;
        return canonical;
      }
      turns = next;
    }
    return false;
  }

  Roadmap::State& state_;
  const CheckModel& model_;
  Scratch scratch_;
  PlanStats stats_;
  RoadmapGraph graph_;
  std::vector<double> points_;
  std::size_t num_kept_edges_ = 0;
  int start_ = 0, goal_ = 0;
  std::vector<int> start_turns_, goal_turns_;
  std::vector<std::vector<double>> ends_;
};

Result<void> fits(const Roadmap::State& state, const Scene& scene, const JointSpace& space,
                  const Query& query) {
  if (!(state.scene_hash == scene.hash()))
    return bad_input("the roadmap was built for another scene");
  if (!std::ranges::equal(space.planned(), state.planned))
    return bad_input("the roadmap plans for other coordinates than the query");
  for (std::size_t i = 0; i < state.rest.size(); ++i)
    if (!std::ranges::count(state.planned, static_cast<int>(i)) && query.start[i] != state.rest[i])
      return bad_input(fmt::format("the roadmap holds '{}' at {}, the query at {}",
                                   scene.tree().coordinates()[i].name, state.rest[i],
                                   query.start[i]));
  return {};
}

}  // namespace

Result<PlanResult> Roadmap::query(const Scene& scene, const Query& query, GraphSearch search,
                                  const PlanOptions& options, const Budget& budget) {
  if (auto valid = validate_query(scene, query); !valid.ok()) return valid.error();
  const JointSpace space(scene, query);
  if (auto valid = fits(*state_, scene, space, query); !valid.ok()) return valid.error();
  auto model = state_->model(scene);
  if (!model.ok()) return model.error();
  for (const auto& q : {query.start, query.goal}) model = model.value().covering(q, q);
  IterationCount iterations(options.max_iterations, budget);
  Prover prover(model.value());
  PlanResult result;
  if (auto bad = find_bad_end(query, prover, budget)) {
    result.status = bad->is_start ? PlanStatus::start_invalid : PlanStatus::goal_invalid;
    result.reason = std::move(bad->reason);
    result.obstruction = std::move(bad->obstruction);
    return result;
  }
  RoadmapQuery task(*state_, model.value(), query);
  auto waypoints = task.solve(search, iterations);
  task.keep_findings();
  result.stats = task.stats();
  result.stats.iterations = iterations.done();
  if (waypoints) {
    result.status = PlanStatus::solved;
    result.path.waypoints = std::move(*waypoints);
    CheckOptions final_check = state_->check;
    final_check.certificate = options.check.certificate;
    auto proof = prove_finally(scene, result.path, final_check, budget);
    if (!proof.ok()) return proof.error();
    result.proved = proof.value().verdict == Verdict::free;
    result.certificate = std::move(proof.value().certificate);
  }
  if (!result.proved) {
    result.status = budget.cancelled() ? PlanStatus::cancelled : PlanStatus::budget;
    result.reason = fmt::format(
        "the roadmap of {} nodes does not connect start and goal; build a larger one", num_nodes());
  }
  result.stats.seconds = iterations.seconds();
  return result;
}

namespace {

// Roadmaps of growing size until one connects start and goal.
Solution solve_by_roadmaps(SolveContext& context, bool lazy) {
  constexpr int kFirstSize = 250;
  RoadmapOptions options;
  options.lazy = lazy;
  options.seed = context.options.seed;
  options.check = context.options.check;
  options.nodes = kFirstSize;
  const Scene& scene = context.prover.scene();
  const Budget& budget = context.iterations.budget();
  while (context.iterations.next()) {
    auto roadmap =
        Roadmap::build(scene, context.space.planned(), context.query.start, options, budget);
    if (!roadmap.ok()) return std::nullopt;
    PlanOptions query_options = context.options;
    query_options.check.certificate = false;
    const auto result =
        roadmap.value().query(scene, context.query, GraphSearch::a_star, query_options, budget);
    if (!result.ok()) return std::nullopt;
    const PlanStats& stats = result.value().stats;
    context.prover.counts().check += stats.check;
    context.prover.counts().configurations += options.nodes;
    context.prover.counts().segments += stats.segments;
    context.candidate_paths += stats.candidate_paths;
    if (result.value().status == PlanStatus::solved) {
      std::vector<Point> path;
      for (const std::vector<double>& q : result.value().path.waypoints) {
        path.emplace_back(static_cast<std::size_t>(context.space.dimension()));
        context.space.restrict(q, path.back());
      }
      return path;
    }
    options.nodes *= 2;
  }
  return std::nullopt;
}

}  // namespace

Solution solve_prm(SolveContext& context) {
  return solve_by_roadmaps(context, false);
}

Solution solve_lazy_prm(SolveContext& context) {
  return solve_by_roadmaps(context, true);
}

}  // namespace proven
