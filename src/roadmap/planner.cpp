#include "proven/roadmap/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>
#include <unordered_map>

#include "proven/certify/prover.h"
#include "proven/kinematics/way_finder.h"
#include "roadmap/sweep.h"

namespace proven::roadmap {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kTurn = 2 * std::numbers::pi;
// A blocked edge costs so many times its length where edges are won back: ways around come first.
constexpr double kBlockedCost = 8;
// An edge that grazes is given up after so many cells of the checker: there are others. Sooner
// where it is one of the many that may be won back.
constexpr std::int64_t kMaxCells = 5000, kMaxTrueCells = 500;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<Prover> make_prover(const Scene& scene, CheckOptions options, std::int64_t max_cells) {
  options.max_cells = std::min(options.max_cells, max_cells);
  auto model = CheckModel::build(scene, options);
  if (!model.ok()) return model.error();
  return Prover(std::move(model).value());
}

// Whether more is required than a roadmap of this scene keeps.
bool asks_more(const CheckOptions& check, const Clearances& kept) {
  const Clearances& asked = check.clearance;
  return check.tracking_error.any() || asked.world > kept.world || asked.robots > kept.robots ||
         asked.self > kept.self || asked.attached > kept.attached;
}

}  // namespace

struct Planner::State {
  const Model* model;
  const Scene* scene;
  Sweeper sweeper;
  Sweeper::Scratch scratch;
  BlockedItems blocked_edges, blocked_nodes;
  WayFinder finder;
  // What is known of blocked edges and of nodes in the true scene, until something changes: the
  // cells, the scene, or what is required in it.
  std::unordered_map<std::uint32_t, bool> edge_truly_free;
  enum class Fate : std::uint8_t { unknown, free, lost };
  std::vector<Fate> node_fate;
  struct Asked {
    Hash128 scene;
    Clearances clearance;
    TrackingError tracking_error;
    Checker checker = Checker::directional;
    double resolution = 0, step = 0;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> known_of;

  State(const Model& m, const Scene& s, Sweeper sweep)
      : model(&m),
        scene(&s),
        sweeper(std::move(sweep)),
        blocked_edges(m.grid, m.edges_at),
        blocked_nodes(m.grid, m.nodes_at),
        finder(m.graph),
        node_fate(static_cast<std::size_t>(m.graph.num_nodes())) {}

  void know_of(const Scene& truth, const CheckOptions& check) {
    const Asked asked{truth.hash(),  check.clearance,  check.tracking_error,
                      check.checker, check.resolution, check.step};
    if (known_of != asked) forget_truth();
    known_of = asked;
  }

  void forget_truth() {
    edge_truly_free.clear();
    std::fill(node_fate.begin(), node_fate.end(), Fate::unknown);
  }
};

namespace {

// One query: connects both ends, searches, wins back.
class Task {
 public:
  // `by_truth` asks of the true scene; null if that is not known.
  // `strict`: more is required than cells and edges keep, and the true scene decides everything.
  Task(Planner::State& state, std::span<const double> start, std::span<const double> goal,
       Prover& self, Prover* by_truth, const QueryOptions& options, bool strict = false);
  QueryResult run();

 private:
  struct End {
    std::vector<double> point;
    std::vector<std::uint32_t> candidates;  // nearest first
    std::size_t next = 0;
    std::vector<Connection> connections;
    bool forward = true;    // from the start; towards the goal otherwise
    bool by_truth = false;  // joined by the true scene, for it lies in occupied cells
  };

  bool accept(const End& end, QueryStatus status);
  void find_way_to_join(End& end);
  void list_candidates(End& end, bool blocked_too) const;
  bool connect(End& end, int wanted);
  bool joins(std::span<const double> from, std::span<const double> to, bool by_truth);
  bool search(bool win_back);
  bool win_back();
  bool check_blocked(const GraphWay& found);
  bool needs_truth(std::uint32_t edge) const {
    return strict_ || state_.blocked_edges.contains(edge);
  }
  bool is_lost(std::uint32_t node) const {
    return state_.node_fate[node] == Planner::State::Fate::lost;
  }
  bool node_is_truly_free(std::uint32_t node);
  bool is_truly_free(std::uint32_t edge);
  std::vector<std::vector<double>> literal(const GraphWay& found) const;
  bool end_as_written(std::vector<std::vector<double>>& points);
  void write_path(const std::vector<std::vector<double>>& points);

  Planner::State& state_;
  const JointGraph& graph_;
  const QueryOptions& options_;
  End start_, goal_;
  Prover& self_;
  Prover* true_;
  bool strict_;
  GraphWay found_;
  QueryResult result_;
};

Task::Task(Planner::State& state, std::span<const double> start, std::span<const double> goal,
           Prover& self, Prover* by_truth, const QueryOptions& options, bool strict)
    : state_(state),
      graph_(state.model->graph),
      options_(options),
      self_(self),
      true_(by_truth),
      strict_(strict) {
  start_.point = graph_.point_of(start);
  goal_.point = graph_.point_of(goal);
  goal_.forward = false;
}

// Limits, then the robot with itself and its surroundings.
bool Task::accept(const End& end, QueryStatus status) {
  const char* name = end.forward ? "start" : "goal";
  result_.status = status;
  for (std::size_t k = 0; k < end.point.size(); ++k) {
    const Interval& range = graph_.ranges[k];
    if (graph_.metric.periodic[k] || (end.point[k] >= range.lower && end.point[k] <= range.upper))
      continue;
    const auto c = static_cast<std::size_t>(graph_.planned[k]);
    result_.reason = fmt::format("the {} is beyond the limits of joint '{}'", name,
                                 state_.scene->tree().coordinates()[c].name);
    return false;
  }
  Prover& prover = true_ ? *true_ : self_;
  const Scene& scene = prover.scene();
  const CheckResult at = prover.check(graph_.full(end.point));
  if (at.verdict == Verdict::free) return true;
  const auto pair = at.collision   ? at.collision->bodies
                    : at.undecided ? at.undecided->bodies
                                   : std::array<int, 2>{-1, -1};
  result_.reason = pair[0] < 0 || pair[1] < 0
                       ? fmt::format("the {} is not proved free", name)
                       : fmt::format("the {} is in contact: '{}' with '{}'", name,
                                     scene.body(pair[0]).name, scene.body(pair[1]).name);
  return false;
}

// In an occupied cell, no edge can be proved by cells: if the true scene is known, it decides.
void Task::find_way_to_join(End& end) {
  const auto q = graph_.full(end.point);
  end.by_truth =
      strict_ || (true_ && options_.win_back > 0 &&
                  !state_.sweeper.avoids(q, q, state_.blocked_edges.occupied(), state_.scratch));
}

// The nearest nodes that are left: one pass, with the worst of the best on top of a heap.
void Task::list_candidates(End& end, bool blocked_too) const {
  const auto wanted = static_cast<std::size_t>(options_.neighbours);
  std::priority_queue<std::pair<double, std::uint32_t>> best;
  for (int n = 0; n < graph_.num_nodes(); ++n) {
    const auto node = static_cast<std::uint32_t>(n);
    if (!blocked_too && state_.blocked_nodes.contains(node)) continue;
    const double limit = best.size() < wanted ? kFar : best.top().first;
    const double squared = graph_.metric.squared(end.point, graph_.node(n), limit);
    if (squared >= limit) continue;
    best.emplace(squared, node);
    if (best.size() > wanted) best.pop();
  }
  end.candidates.resize(best.size());
  for (std::size_t k = best.size(); k-- > 0; best.pop()) end.candidates[k] = best.top().second;
  end.next = 0;
}

// Whether a motion is proved: by cells and the robot itself, or by the true scene.
bool Task::joins(std::span<const double> from, std::span<const double> to, bool by_truth) {
  ++result_.tried;
  const auto a = graph_.full(from), b = graph_.full(to);
  if (by_truth) return true_->is_free({a, b});
  return state_.sweeper.avoids(a, b, state_.blocked_edges.occupied(), state_.scratch) &&
         self_.is_free({a, b});
}

// Until so many connections stand, or no candidate is left. True if any was added.
bool Task::connect(End& end, int wanted) {
  const auto begin = Clock::now();
  const std::size_t before = end.connections.size();
  while (end.next < end.candidates.size() &&
         end.connections.size() < static_cast<std::size_t>(wanted)) {
    const std::uint32_t node = end.candidates[end.next++];
    const bool known = std::any_of(end.connections.begin(), end.connections.end(),
                                   [&](const Connection& c) { return c.node == node; });
    if (known || (end.by_truth && !node_is_truly_free(node))) continue;
    const auto at = graph_.node(node);
    // A motion is free in both directions: written from the end's literal values.
    if (joins(end.point, graph_.unrolled(end.point, at), end.by_truth))
      end.connections.push_back({node, graph_.distance(end.point, at)});
  }
  result_.seconds_connect += since(begin);
  return end.connections.size() > before;
}

bool Task::search(bool win_back) {
  const auto begin = Clock::now();
  const auto cost = [&](std::uint32_t edge, double length) {
    if (!needs_truth(edge)) return length;
    if (!win_back) return kFar;
    const auto known = state_.edge_truly_free.find(edge);
    if (known != state_.edge_truly_free.end()) return known->second ? length : kFar;
    const JointGraph::Edge& ends = graph_.edges[edge];
    return is_lost(ends[0]) || is_lost(ends[1]) ? kFar : kBlockedCost * length;
  };
  found_ = state_.finder.find(start_.connections, goal_.connections, goal_.point, cost);
  result_.expanded += found_.expanded;
  (win_back ? result_.seconds_win_back : result_.seconds_search) += since(begin);
  return found_.found;
}

// One configuration costs far less than an edge, and a node that is lost takes all its edges along.
bool Task::node_is_truly_free(std::uint32_t node) {
  using Fate = Planner::State::Fate;
  Fate& fate = state_.node_fate[node];
  if (fate == Fate::unknown) {
    const bool blocked = strict_ || state_.blocked_nodes.contains(node);
    const auto q = graph_.full(graph_.node(node));
    fate = !blocked || true_->is_free(q) ? Fate::free : Fate::lost;
  }
  return fate == Fate::free;
}

bool Task::is_truly_free(std::uint32_t edge) {
  const auto known = state_.edge_truly_free.find(edge);
  if (known != state_.edge_truly_free.end()) return known->second;
  ++result_.checked;
  const auto [from, to] = graph_.motion(graph_.edges[edge]);
  return state_.edge_truly_free[edge] = true_->is_free({from, to});
}

bool Task::check_blocked(const GraphWay& found) {
  bool all = true;
  for (const std::uint32_t node : found.nodes) all &= node_is_truly_free(node);
  // All edges of the way: a search costs as much as a few checks, and learns from each.
  const bool nodes_hold = all;
  for (const std::uint32_t edge : found.edges)
    if (nodes_hold && needs_truth(edge)) all &= is_truly_free(edge);
  return all;
}

// Searches with blocked edges at a higher cost; those on the way are checked, and a way of which
// all hold is the answer. Both ends get one more connection, which may lead to a blocked node.
bool Task::win_back() {
  for (End* end : {&start_, &goal_}) {
    end->by_truth = true;
    list_candidates(*end, true);
    connect(*end, static_cast<int>(end->connections.size()) + 1);
  }
  const auto begin = Clock::now();
  bool solved = false;
  for (int round = 0; !solved && round < options_.win_back && result_.checked < options_.win_back;
       ++round) {
    if (!search(true)) break;
    solved = check_blocked(found_);
  }
  if (solved)
    for (const std::uint32_t edge : found_.edges)
      result_.won_back += state_.blocked_edges.contains(edge);
  result_.seconds_win_back = since(begin);
  return solved;
}

// Start, nodes and goal, every turn the shorter way.
std::vector<std::vector<double>> Task::literal(const GraphWay& found) const {
  std::vector<std::vector<double>> points = {start_.point};
  for (const std::uint32_t node : found.nodes)
    points.push_back(graph_.unrolled(points.back(), graph_.node(node)));
  points.push_back(graph_.unrolled(points.back(), goal_.point));
  return points;
}

// Lets one motion go the long way, and all after it follow whole turns away: the last one that can.
bool Task::end_as_written(std::vector<std::vector<double>>& points) {
  std::vector<double> turns(goal_.point.size());
  for (std::size_t k = 0; k < turns.size(); ++k)
    turns[k] = std::round((goal_.point[k] - points.back()[k]) / kTurn) * kTurn;
  points.back() = goal_.point;  // to the bit
  if (std::ranges::all_of(turns, [](double turn) { return turn == 0; })) return true;
  for (std::size_t i = points.size() - 1; i > 0; --i) {
    if ((!strict_ && joins(points[i - 1], points[i], false)) ||
        (true_ && joins(points[i - 1], points[i], true)))
      return true;
    for (std::size_t k = 0; k < turns.size(); ++k) points[i - 1][k] += turns[k];
  }
  return false;
}

void Task::write_path(const std::vector<std::vector<double>>& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    result_.path.waypoints.push_back(graph_.full(points[i]));
    double squared = 0;
    for (std::size_t k = 0; i > 0 && k < points[i].size(); ++k)
      squared += (points[i][k] - points[i - 1][k]) * (points[i][k] - points[i - 1][k]);
    result_.length += std::sqrt(squared);
  }
  result_.status = QueryStatus::solved;
  result_.reason.clear();
}

QueryResult Task::run() {
  if (!accept(start_, QueryStatus::start_invalid)) return result_;
  if (!accept(goal_, QueryStatus::goal_invalid)) return result_;
  result_.status = QueryStatus::none;
  for (End* end : {&start_, &goal_}) find_way_to_join(*end);
  const auto direct = options_.any_turn ? graph_.unrolled(start_.point, goal_.point) : goal_.point;
  if (joins(start_.point, direct, start_.by_truth || goal_.by_truth)) {
    write_path({start_.point, direct});
    return result_;
  }
  for (End* end : {&start_, &goal_}) list_candidates(*end, false);
  bool solved = connect(start_, 1) && connect(goal_, 1) && search(false);
  if (!solved) {
    const bool more_starts = connect(start_, options_.connections);
    const bool more_goals = connect(goal_, options_.connections);
    solved = (more_starts || more_goals) && search(false);
  }
  if (!solved && true_ && options_.win_back > 0) solved = win_back();
  if (solved) {
    auto points = literal(found_);
    if (options_.any_turn || end_as_written(points))
      write_path(points);
    else
      result_.reason =
          "continuous joints end whole turns away from the goal as it is written: allow any turn, "
          "or write the goal another turn on";
    return result_;
  }
  if (start_.connections.empty() || goal_.connections.empty())
    result_.reason = fmt::format("the {} cannot be joined to the roadmap",
                                 start_.connections.empty() ? "start" : "goal");
  else
    result_.reason = "the obstacles cut the roadmap between start and goal";
  return result_;
}

}  // namespace

Planner::Planner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;
Planner::~Planner() = default;

Result<Planner> Planner::create(const Model& model, const Scene& scene) {
  if (model.scene_hash != scene.hash())
    return bad_input(
        "the roadmap was built for another scene: give the scene file that it was built from, or "
        "build it again");
  if (model.graph.rest.size() != scene.home().size())
    return bad_input("the roadmap has another number of joints than its scene: build it again");
  SweepOptions options;
  options.remainder = model.remainder;
  auto sweeper = Sweeper::build(scene, model.grid, options);
  if (!sweeper.ok()) return sweeper.error();
  return Planner(std::make_unique<State>(model, scene, std::move(sweeper).value()));
}

void Planner::set_occupied(const CellMask& cells) {
  state_->blocked_edges.set(cells);
  state_->blocked_nodes.set(cells);
  state_->forget_truth();
}

void Planner::update(std::span<const std::uint32_t> occupied,
                     std::span<const std::uint32_t> freed) {
  state_->blocked_edges.update(occupied, freed);
  state_->blocked_nodes.update(occupied, freed);
  state_->forget_truth();
}

const BlockedItems& Planner::blocked_edges() const {
  return state_->blocked_edges;
}
const BlockedItems& Planner::blocked_nodes() const {
  return state_->blocked_nodes;
}

Result<QueryResult> Planner::plan(std::span<const double> start, std::span<const double> goal,
                                  const Scene* truth, const QueryOptions& options) {
  const JointGraph& graph = state_->model->graph;
  for (const auto& q : {start, goal}) {
    if (q.size() != graph.rest.size())
      return bad_input("start and goal must have a value for every coordinate of the scene");
    for (const double v : q)
      if (!std::isfinite(v)) return bad_input("start and goal must be finite numbers");
    const auto kept = graph.full(graph.point_of(q));
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (kept[k] != q[k])
        return bad_input(
            fmt::format("the roadmap was built for the value {} of this joint, not {}: build "
                        "another one for it",
                        kept[k], q[k]),
            state_->scene->tree().coordinates()[k].name);
  }
  if (truth && truth->tree().num_coordinates() != state_->scene->tree().num_coordinates())
    return bad_input("the scene with the obstacles has other joints than the roadmap's");
  const bool strict = asks_more(options.check, state_->scene->clearance());
  if (strict && !truth)
    return bad_input(
        "cells and edges of the roadmap keep the clearances of its scene, and no tube: ask with "
        "the "
        "true scene, or write what is required into the scene and build the roadmap again");
  auto self = make_prover(*state_->scene, options.check, kMaxCells);
  if (!self.ok()) return self.error();
  if (!truth) return Task(*state_, start, goal, self.value(), nullptr, options).run();
  auto by_truth = make_prover(*truth, options.check, kMaxTrueCells);
  if (!by_truth.ok()) return by_truth.error();
  state_->know_of(*truth, options.check);
  return Task(*state_, start, goal, self.value(), &by_truth.value(), options, strict).run();
}

}  // namespace proven::roadmap
