// Queries of a roadmap.
#include <fmt/format.h>

#include <algorithm>

#include "plan/final_proof.h"
#include "plan/roadmap_state.h"
#include "plan/solve.h"
#include "proven/kinematics/way_finder.h"

namespace proven {
namespace {

using Waypoints = std::vector<std::vector<double>>;

// The node of an end: its continuous joints brought to [-π, π].
std::vector<double> rolled_up(const JointGraph& graph, std::span<const double> literal) {
  return graph.unrolled(std::vector<double>(literal.size(), 0), literal);
}

// The roadmap's graph with start and goal as its last two nodes, joined to their nearest neighbours
// and to each other.
JointGraph with_ends(const Roadmap::State& state, const Query& query) {
  JointGraph graph = state.graph;
  const NearestTree tree(state.graph.nodes, graph.metric);
  for (const auto& q : {query.start, query.goal}) {
    const auto end = static_cast<std::uint32_t>(graph.num_nodes());
    graph.add_node(rolled_up(graph, graph.point_of(q)));
    for (const int near : tree.nearest(graph.node(end), state.neighbours))
      graph.edges.push_back({static_cast<std::uint32_t>(near), end});
  }
  const auto goal = static_cast<std::uint32_t>(graph.num_nodes() - 1);
  graph.edges.push_back({goal - 1, goal});
  return graph;
}

// One query: what is added for its ends lasts no longer than it does.
class RoadmapQuery {
 public:
  RoadmapQuery(Roadmap::State& state, const CheckModel& model, const Query& query)
      : state_(state),
        model_(model),
        query_(query),
        graph_(with_ends(state, query)),
        states_(state.states),
        finder_(graph_),
        goal_point_(graph_.point_of(query.goal)) {
    states_.resize(graph_.edges.size(), EdgeState::unknown);
    goal_ = static_cast<std::uint32_t>(graph_.num_nodes() - 1);
  }

  // Waypoints of a path of clear edges; nothing if the graph has none (left).
  std::optional<Waypoints> solve(GraphSearch search, IterationCount& iterations) {
    while (iterations.next()) {
      const GraphWay way = find(search);
      if (!way.found) return std::nullopt;
      ++stats_.candidate_paths;
      if (auto waypoints = check(way, iterations.budget())) {
        edges_ = way.edges;
        return waypoints;
      }
    }
    return std::nullopt;
  }

  // The path that was found is not proved on this segment.
  void block(int segment) {
    states_[edges_[static_cast<std::size_t>(segment)]] = EdgeState::blocked;
  }

  const PlanStats& stats() const { return stats_; }

  // What was learned of the roadmap's own edges.
  void keep_findings() const {
    std::copy_n(states_.begin(), state_.states.size(), state_.states.begin());
  }

 private:
  // Breadth first is the same search with edges of length 1 and no estimate.
  GraphWay find(GraphSearch search) {
    const bool by_length = search == GraphSearch::a_star;
    const Connection start{goal_ - 1, 0}, goal{goal_, 0};
    return finder_.find({&start, 1}, {&goal, 1},
                        by_length ? graph_.node(goal_) : std::span<const double>{},
                        [&](std::uint32_t edge, double length) {
                          if (states_[edge] == EdgeState::blocked)
                            return std::numeric_limits<double>::infinity();
                          return by_length ? length : 1;
                        });
  }

  // The literal values of a node after those of the one before it. The goal keeps the query's own,
  // unless any turn will do and another is nearer.
  std::vector<double> literal(std::span<const double> before, std::uint32_t node) const {
    if (node == goal_ && (!query_.any_turn || graph_.unrolled(before, goal_point_) == goal_point_))
      return goal_point_;
    return graph_.unrolled(before, graph_.node(node));
  }

  // Whether the edge is passed with the values that it has in the roadmap; in other turns they are
  // rounded differently.
  bool is_canonical(std::uint32_t edge, std::uint32_t from, const std::vector<double>& before,
                    const std::vector<double>& after) const {
    const auto& [a, b] = graph_.edges[edge];
    const auto& at_a = from == a ? before : after;
    const auto& at_b = from == a ? after : before;
    return std::ranges::equal(at_a, graph_.node(a)) &&
           at_b == graph_.unrolled(graph_.node(a), graph_.node(b));
  }

  // Checks the edges on the way that are not known to be clear as the literal values they take
  // here.
  std::optional<Waypoints> check(const GraphWay& way, const Budget& budget) {
    struct Open {
      std::uint32_t edge;
      std::size_t begin;  // on the way
      bool canonical;
    };
    std::vector<Open> open;
    Waypoints waypoints = {query_.start};
    std::vector<double> before = graph_.point_of(query_.start);
    for (std::size_t i = 0; i < way.edges.size(); ++i) {
      std::vector<double> after = literal(before, way.nodes[i + 1]);
      waypoints.push_back(graph_.full(after));
      const std::uint32_t edge = way.edges[i];
      const bool canonical = is_canonical(edge, way.nodes[i], before, after);
      if (!canonical || states_[edge] != EdgeState::clear) open.push_back({edge, i, canonical});
      before = std::move(after);
    }
    std::vector<SegmentQuery> segments;
    for (const Open& o : open) segments.push_back({waypoints[o.begin], waypoints[o.begin + 1]});
    stats_.segments += static_cast<std::int64_t>(segments.size());
    const CheckResult result = model_.check_together(segments, scratch_, budget);
    stats_.check += result.stats;
    if (result.verdict == Verdict::free) {
      for (const Open& o : open)
        if (o.canonical) states_[o.edge] = EdgeState::clear;
      return waypoints;
    }
    const int blocked = result.collision ? result.collision->segment : result.undecided->segment;
    states_[open[static_cast<std::size_t>(blocked)].edge] = EdgeState::blocked;
    return std::nullopt;
  }

  Roadmap::State& state_;
  const CheckModel& model_;
  const Query& query_;
  Scratch scratch_;
  PlanStats stats_;
  JointGraph graph_;
  std::vector<EdgeState> states_;  // per edge of the graph
  WayFinder finder_;
  std::vector<double> goal_point_;    // the query's literal values
  std::uint32_t goal_ = 0;            // a node; the start is the one before it
  std::vector<std::uint32_t> edges_;  // of the path that was found
};

Result<void> fits(const Roadmap::State& state, const Scene& scene, const JointSpace& space,
                  const Query& query) {
  if (!(state.scene_hash == scene.hash()))
    return bad_input("the roadmap was built for another scene");
  if (!std::ranges::equal(space.planned(), state.graph.planned))
    return bad_input("the roadmap plans for other coordinates than the query");
  for (std::size_t i = 0; i < state.graph.rest.size(); ++i)
    if (!std::ranges::count(state.graph.planned, static_cast<int>(i)) &&
        query.start[i] != state.graph.rest[i])
      return bad_input(fmt::format("the roadmap holds '{}' at {}, the query at {}",
                                   scene.tree().coordinates()[i].name, state.graph.rest[i],
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
  CheckOptions final_check = state_->check;
  final_check.certificate = options.check.certificate;
  while (!result.proved) {
    auto waypoints = task.solve(search, iterations);
    if (!waypoints) break;
    result.path.waypoints = std::move(*waypoints);
    auto proof = prove_finally(model.value(), result.path, final_check, budget);
    if (!proof.ok()) return proof.error();
    result.proved = proof.value().verdict == Verdict::free;
    result.certificate = std::move(proof.value().certificate);
    if (budget.cancelled()) break;
    if (proof.value().collision) task.block(proof.value().collision->segment);
    if (proof.value().undecided) task.block(proof.value().undecided->segment);
  }
  task.keep_findings();
  result.stats = task.stats();
  result.stats.iterations = iterations.done();
  if (result.proved) {
    result.status = PlanStatus::solved;
  } else {
    result.path = {};
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
  PointProver prover(context);
  for (const Point& goal : context.goals)
    if (prover.seems_free(context.start, goal, true)) return std::vector{context.start, goal};
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
