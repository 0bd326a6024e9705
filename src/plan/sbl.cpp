// SBL (Sánchez, Latombe): single query, bidirectional, lazy. With a proving checker it is A-SBL
// (Schwarzer, Saha, Latombe).
//
// Two trees of milestones, as the paper calls them, grow from start and goal. A milestone is a free
// configuration; the segment to its parent is not tested. A bridge between the trees makes a
// candidate path, which is tested as a whole, its most doubtful parts first; the work on its
// segments is kept. Where a segment collides, the milestones beyond it move to the other tree, to
// which the bridge ties them.
#include <algorithm>
#include <array>
#include <limits>

#include "plan/density_grid.h"
#include "plan/solve.h"
#include "proven/certify/session.h"

namespace proven {
namespace {

struct Node {
  int configuration = 0;
  int tree = 0;      // 0: rooted at the start, 1: at a goal
  int parent = -1;   // -1: a root
  int segment = -1;  // to the parent
  std::vector<int> children;
};

// Configurations and segments of one session, which keeps the work on them.
class LazySegments {
 public:
  explicit LazySegments(SolveContext& context)
      : space_(context.space),
        prover_(context.prover),
        budget_(context.iterations.budget()),
        session_(context.prover.model(), true),
        full_(context.query.start.size()) {}

  int add(std::span<const double> point) {
    space_.complete(point, full_);
    points_.insert(points_.end(), point.begin(), point.end());
    return session_.add_configuration(full_);
  }
  std::span<const double> point(int configuration) const {
    const auto n = static_cast<std::size_t>(space_.dimension());
    return {points_.data() + static_cast<std::size_t>(configuration) * n, n};
  }
  bool is_free(int configuration) {
    ++prover_.counts().configurations;
    const double start = seconds();
    const CheckResult result = session_.check_configuration(configuration, scratch_, budget_);
    prover_.counts().configuration_seconds += seconds() - start;
    if (result.collision) prover_.note_contact(*result.collision);
    return result.verdict == Verdict::free;
  }
  int add_segment(int from, int to) {
    ++prover_.counts().segments;
    return session_.add_segment(from, to);
  }

  // Whether all of them pass; else the index (into `segments`) of one that does not.
  struct Outcome {
    bool passes = false;
    int blocked = -1;  // -1 with !passes: a budget ran out, the work is kept
  };
  Outcome run(std::span<const int> segments) {
    const CheckResult result = session_.run(segments, scratch_, budget_);
    prover_.counts().check += result.stats;
    const bool sampled =
        result.undecided && result.undecided->reason == UndecidedReason::sampled_only;
    if (result.verdict == Verdict::free || sampled) return {true};
    if (result.collision) {
      prover_.note_contact(*result.collision);
      return {false, result.collision->segment};
    }
    const bool given_up = result.undecided->reason == UndecidedReason::gap_below_resolution ||
                          result.undecided->reason == UndecidedReason::depth;
    return {false, given_up ? result.undecided->segment : -1};
  }

 private:
  static double seconds() {
    return std::chrono::duration<double>(Budget::Clock::now().time_since_epoch()).count();
  }

  const JointSpace& space_;
  Prover& prover_;  // for its counts
  const Budget& budget_;
  CheckSession session_;
  Scratch scratch_;
  std::vector<double> points_;  // flat
  std::vector<double> full_;
};

class Sbl {
 public:
  explicit Sbl(SolveContext& context)
      : context_(context),
        prover_(context),
        random_(context.options.seed),
        grids_{DensityGrid(context.space), DensityGrid(context.space)},
        point_(static_cast<std::size_t>(context.space.dimension())) {
    change_projections();
    add_node(prover_.add(context.start), 0, -1);
    for (const Point& goal : context.goals) add_node(prover_.add(goal), 1, -1);
  }

  Solution solve() {
    for (const int goal : members_[1])
      if (auto path = test_bridge(0, goal)) return path;
    while (context_.iterations.next()) {
      const int milestone = expand(random_.index(2));
      if (milestone < 0) continue;
      if (auto path = connect(milestone)) return path;
    }
    return std::nullopt;
  }

 private:
  // Radius of the neighbourhoods and length of the bridges, as a share of the ranges; the authors
  // use 0.1 to 0.3.
  static constexpr double kNeighbourhood = 0.2;
  static constexpr int kTries = 32;          // of a neighbourhood, which shrinks each time
  static constexpr int kProjectionAge = 50;  // milestones after which the projection changes

  Node& node(int n) { return nodes_[static_cast<std::size_t>(n)]; }
  std::span<const double> point(int n) { return prover_.point(node(n).configuration); }
  DensityGrid& grid(int tree) { return grids_[static_cast<std::size_t>(tree)]; }

  int add_node(int configuration, int tree, int parent) {
    const int n = static_cast<int>(nodes_.size());
    nodes_.push_back({configuration, tree, parent, -1, {}});
    if (parent >= 0) {
      node(n).segment = prover_.add_segment(node(parent).configuration, configuration);
      node(parent).children.push_back(n);
    }
    join_tree(n, tree);
    return n;
  }

  void join_tree(int n, int tree) {
    node(n).tree = tree;
    members_[static_cast<std::size_t>(tree)].push_back(n);
    grid(tree).add(n, point(n));
  }

  void leave_tree(int n) {
    const int tree = node(n).tree;
    std::erase(members_[static_cast<std::size_t>(tree)], n);
    grid(tree).remove(n, point(n));
  }

  void change_projections() {
    for (int tree = 0; tree < 2; ++tree) {
      grid(tree).choose_projection(random_);
      for (const int n : members_[static_cast<std::size_t>(tree)]) grid(tree).add(n, point(n));
    }
    projected_at_ = nodes_.size();
  }

  // EXPAND-TREE: a new milestone near one from a sparse region; -1 if none was found.
  int expand(int tree) {
    if (nodes_.size() >= projected_at_ + kProjectionAge) change_projections();
    const int from = grid(tree).pick(random_);
    for (int i = 1; i <= kTries; ++i) {
      context_.space.sample_near(point(from), kNeighbourhood / i, random_, point_);
      const int configuration = prover_.add(point_);
      if (prover_.is_free(configuration)) return add_node(configuration, tree, from);
    }
    return -1;
  }

  // CONNECT-TREES: from a new milestone to the nearest of the other tree, and to any of them.
  Solution connect(int milestone) {
    const auto other = static_cast<std::size_t>(1 - node(milestone).tree);
    const int nearest = nearest_in(other, milestone);
    if (context_.space.normalised_distance(point(milestone), point(nearest)) < kNeighbourhood)
      if (auto path = test_bridge(milestone, nearest)) return path;
    // A failed bridge may have moved the milestone.
    const auto now = static_cast<std::size_t>(1 - node(milestone).tree);
    const std::vector<int>& members = members_[now];
    const int any =
        members[static_cast<std::size_t>(random_.index(static_cast<int>(members.size())))];
    if (any == nearest) return std::nullopt;
    return test_bridge(milestone, any);
  }

  int nearest_in(std::size_t tree, int milestone) {
    double best = std::numeric_limits<double>::infinity();
    int nearest = -1;
    for (const int n : members_[tree]) {
      const double d = context_.space.distance(point(n), point(milestone));
      if (d < best) best = d, nearest = n;
    }
    return nearest;
  }

  // TEST-PATH on the candidate path over a bridge between the two trees.
  Solution test_bridge(int a, int b) {
    if (node(a).tree == 1) std::swap(a, b);
    const int bridge = prover_.add_segment(node(a).configuration, node(b).configuration);
    std::vector<int> ends;      // of the tested segments: the node farther from the root
    std::vector<int> segments;  // from the start to the goal
    for (int n = a; node(n).parent >= 0; n = node(n).parent) ends.push_back(n);
    std::reverse(ends.begin(), ends.end());
    for (const int n : ends) segments.push_back(node(n).segment);
    ends.push_back(-1);
    segments.push_back(bridge);
    for (int n = b; node(n).parent >= 0; n = node(n).parent) {
      ends.push_back(n);
      segments.push_back(node(n).segment);
    }
    ++context_.candidate_paths;
    const LazySegments::Outcome outcome = prover_.run(segments);
    if (outcome.passes) return path_over(a, b);
    if (outcome.blocked >= 0) cut(ends[static_cast<std::size_t>(outcome.blocked)], a, b, bridge);
    return std::nullopt;
  }

  std::vector<Point> path_over(int a, int b) {
    std::vector<Point> path;
    const auto append = [&](int n) {
      const auto at = point(n);
      path.emplace_back(at.begin(), at.end());
    };
    for (int n = a; n >= 0; n = node(n).parent) append(n);
    std::reverse(path.begin(), path.end());
    for (int n = b; n >= 0; n = node(n).parent) append(n);
    return path;
  }

  // The segment from `child` to its parent collides (-1: the bridge does, and vanishes): what hangs
  // on `child` moves to the other tree, hung up at the bridge.
  void cut(int child, int a, int b, int bridge) {
    if (child < 0) return;
    const int tree = node(child).tree;
    const int inner = tree == 0 ? a : b, outer = tree == 0 ? b : a;
    std::erase(node(node(child).parent).children, child);
    int parent = outer, segment = bridge;
    for (int n = inner;;) {
      const int next = node(n).parent;
      const int next_segment = node(n).segment;
      if (n != child) std::erase(node(next).children, n);
      node(n).parent = parent;
      node(n).segment = segment;
      node(parent).children.push_back(n);
      if (n == child) break;
      parent = n;
      segment = next_segment;
      n = next;
    }
    move_subtree(inner, 1 - tree);
  }

  void move_subtree(int root, int tree) {
    std::vector<int> open = {root};
    while (!open.empty()) {
      const int n = open.back();
      open.pop_back();
      leave_tree(n);
      join_tree(n, tree);
      open.insert(open.end(), node(n).children.begin(), node(n).children.end());
    }
  }

  SolveContext& context_;
  LazySegments prover_;
  Random random_;
  std::vector<Node> nodes_;
  std::array<std::vector<int>, 2> members_;  // nodes of each tree
  std::array<DensityGrid, 2> grids_;
  std::size_t projected_at_ = 0;
  std::vector<double> point_;
};

}  // namespace

Solution solve_sbl(SolveContext& context) {
  return Sbl(context).solve();
}

}  // namespace proven
