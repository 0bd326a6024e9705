// Queries of a roadmap.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "plan/ends.h"
#include "plan/final_proof.h"
#include "plan/roadmap_state.h"
#include "plan/solve.h"
#include "proven/certify/check.h"

namespace proven {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// One query: the roadmap's graph with start and goal, whose edges last only for the query.
class RoadmapQuery {
 public:
  RoadmapQuery(Roadmap::State& state, Prover& prover, const PlanProblem& problem)
      : state_(state), prover_(prover), graph_(state.graph), points_(state.points) {
    num_kept_edges_ = graph_.edges.size();
    start_ = add_end(problem.start, start_turns_);
    goal_ = add_end(problem.goal, goal_turns_);
    ends_ = {problem.start, problem.goal};
    const NearestTree tree(state.points, state.metric);
    for (const int end : {start_, goal_})
      for (const int near : tree.nearest(point(end), state.neighbours))
        graph_.add_edge(near, end, EdgeState::unknown);
    graph_.add_edge(start_, goal_, EdgeState::unknown);
  }

  // Waypoints of a proved path; nothing if the graph has none (left).
  std::optional<std::vector<std::vector<double>>> solve(GraphSearch search, PlanBudget& budget) {
    const auto length = [&](int a, int b) {
      return std::sqrt(state_.metric.squared(point(a), point(b)));
    };
    while (budget.next()) {
      const auto way = search_graph(graph_, start_, goal_, search, length);
      if (!way) return std::nullopt;
      ++prover_.stats().candidate_paths;
      if (auto waypoints = prove(*way)) return waypoints;
    }
    return std::nullopt;
  }

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
  std::optional<std::vector<std::vector<double>>> prove(const GraphWay& way) {
    std::vector<std::vector<double>> waypoints;
    std::vector<int> open, segments;  // edges, and their segments in the session
    std::vector<int> turns = start_turns_;
    int last = -1;
    for (std::size_t i = 0; i < way.nodes.size(); ++i) {
      const std::vector<int> before = turns;
      if (i > 0) turns = state_.turns_after(point(way.nodes[i - 1]), before, point(way.nodes[i]));
      waypoints.push_back(waypoint(way.nodes[i], turns));
      const int here = prover_.add_full(waypoints.back());
      if (i > 0 && !known_free(way.edges[i - 1], way.nodes[i - 1], before, turns)) {
        open.push_back(way.edges[i - 1]);
        segments.push_back(prover_.add_segment(last, here));
      }
      last = here;
    }
    const Prover::Outcome outcome = prover_.run(segments);
    if (outcome.passes) {
      for (std::size_t i = 0; i < open.size(); ++i)
        if (is_canonical(open[i], way)) state(open[i]) = EdgeState::free;
      return waypoints;
    }
    if (outcome.blocked < 0) return out_of_budget(open);
    state(open[static_cast<std::size_t>(outcome.blocked)]) = EdgeState::blocked;
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

  // No verdict within the budget of a run: the longest doubtful edge is set aside.
  std::optional<std::vector<std::vector<double>>> out_of_budget(const std::vector<int>& open) {
    if (!open.empty()) state(open.front()) = EdgeState::blocked;
    return std::nullopt;
  }

  Roadmap::State& state_;
  Prover& prover_;
  RoadmapGraph graph_;
  std::vector<double> points_;
  std::size_t num_kept_edges_ = 0;
  int start_ = 0, goal_ = 0;
  std::vector<int> start_turns_, goal_turns_;
  std::vector<std::vector<double>> ends_;
};

Result<void> fits(const Roadmap::State& state, const Scene& scene, const JointSpace& space,
                  const PlanProblem& problem) {
  if (!(state.scene_hash == scene.hash()))
    return bad_input("the roadmap was built for another scene");
  if (!std::ranges::equal(space.planned(), state.planned))
    return bad_input("the roadmap plans for other coordinates than the query");
  for (std::size_t i = 0; i < state.rest.size(); ++i)
    if (!std::ranges::count(state.planned, static_cast<int>(i)) &&
        problem.start[i] != state.rest[i])
      return bad_input(fmt::format("the roadmap holds '{}' at {}, the query at {}",
                                   scene.tree().coordinates()[i].name, state.rest[i],
                                   problem.start[i]));
  return {};
}

}  // namespace

Result<PlanResult> Roadmap::query(const Scene& scene, const PlanProblem& problem,
                                  GraphSearch search, const PlanOptions& options) {
  if (auto valid = validate_problem(scene, problem); !valid.ok()) return valid.error();
  const JointSpace space(scene, problem);
  if (auto valid = fits(*state_, scene, space, problem); !valid.ok()) return valid.error();
  PlanBudget budget(options);
  Prover prover(scene, state_->check, space);
  for (const bool upper : {false, true}) prover.add_full(state_->corner(upper));
  PlanResult result;
  const int start = prover.add_full(problem.start), goal = prover.add_full(problem.goal);
  if (accept_ends(scene, problem, prover, start, goal, result)) {
    RoadmapQuery query(*state_, prover, problem);
    auto waypoints = query.solve(search, budget);
    query.keep_findings();
    result.status = waypoints            ? PlanStatus::solved
                    : budget.cancelled() ? PlanStatus::cancelled
                                         : PlanStatus::budget;
    result.proved = waypoints.has_value();
    if (waypoints)
      result.path.waypoints = std::move(*waypoints);
    else
      result.reason =
          fmt::format("the roadmap of {} nodes does not connect start and goal; build a larger one",
                      num_nodes());
  }
  result.stats = prover.stats();
  result.stats.iterations = budget.iterations();
  result.stats.seconds = budget.seconds();
  if (!result.proved) return result;
  CheckOptions final_check = state_->check;
  final_check.certificate = options.check.certificate;
  auto certificate = certificate_of(scene, result.path, final_check);
  if (!certificate.ok()) return certificate.error();
  result.certificate = std::move(certificate).value();
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
  while (context.budget.next()) {
    options.max_seconds = context.options.max_seconds - context.budget.seconds();
    auto roadmap =
        Roadmap::build(context.scene, context.space.planned(), context.problem.start, options);
    if (!roadmap.ok()) return std::nullopt;
    PlanOptions query_options = context.options;
    query_options.check.certificate = false;
    query_options.max_seconds = context.options.max_seconds - context.budget.seconds();
    const auto result =
        roadmap.value().query(context.scene, context.problem, GraphSearch::a_star, query_options);
    if (!result.ok()) return std::nullopt;
    PlanStats& stats = context.prover.stats();
    stats.check += result.value().stats.check;
    stats.milestones += options.nodes;
    stats.segments += result.value().stats.segments;
    stats.candidate_paths += result.value().stats.candidate_paths;
    if (result.value().status == PlanStatus::solved) {
      std::vector<int> path;
      for (const std::vector<double>& q : result.value().path.waypoints)
        path.push_back(context.prover.add_full(q));
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
