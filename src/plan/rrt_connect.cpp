// RRT-Connect (Kuffner, LaValle) with every edge proved: two trees, the smaller of which grows
// towards a random point; the other then reaches for the new node.
//
// Nodes at obstacles collect samples that never extend them. Such a node is chosen again only for
// samples nearby (dynamic domains: Yershova, Jaillet, Siméon, LaValle).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plan/informed_samples.h"
#include "plan/solve.h"
#include "plan/tree.h"

namespace proven {
namespace {

class RrtConnect {
 public:
  explicit RrtConnect(SolveContext& context)
      : context_(context),
        prover_(context),
        random_(context.options.seed),
        samples_(context.space, context.start, context.goals, context.longest),
        range_(kRangePerJoint * std::sqrt(context.space.dimension())),
        sides_{Side(context.space), Side(context.space)},
        target_(static_cast<std::size_t>(context.space.dimension())),
        step_(target_) {
    sides_[0].add(context.start, -1, true);
    // Only the first goal was tested as literal values.
    for (const Point& goal : context.goals) sides_[1].add(goal, -1, sides_[1].tree.size() == 0);
  }

  Solution solve() {
    if (connect_roots()) return path_;
    while (context_.iterations.next()) {
      const int grow = sides_[0].tree.size() <= sides_[1].tree.size() ? 0 : 1;
      Side& side = sides_[static_cast<std::size_t>(grow)];
      const int near = choose(side);
      const int added = extend(side, near);
      if (added < 0)
        side.domains[static_cast<std::size_t>(near)] = kDomain * range_;
      else if (connect(grow, added))
        return path_;
    }
    return std::nullopt;
  }

 private:
  // Measured on MotionBenchMaker problems (docs/decisions/0003-default-planner.md).
  // The longest edge: so much of every joint at once. Longer ones collide too often, shorter ones
  // cost a proof each.
  static constexpr double kRangePerJoint = 0.3;
  // A node that failed takes samples up to so many edges away.
  static constexpr double kDomain = 4;
  // Samples drawn for one that is in a domain; with many joints nearly all are far from all nodes.
  static constexpr int kDraws = 50;

  struct Side {
    explicit Side(const JointSpace& space) : tree(space) {}
    int add(std::span<const double> point, int parent, bool is_free) {
      domains.push_back(std::numeric_limits<double>::infinity());
      free.push_back(is_free);
      return tree.add(point, parent);
    }
    SearchTree tree;
    std::vector<char> free;       // per node: known to be free
    std::vector<double> domains;  // per node: how far the samples may be that it takes
  };

  // Straight from the start to a goal.
  bool connect_roots() {
    for (const Point& goal : context_.goals)
      if (prover_.passes(context_.start, goal, true)) {
        path_ = {context_.start, goal};
        return true;
      }
    return false;
  }

  // Draws target_; the node to extend towards it.
  int choose(Side& side) {
    int near = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      samples_.sample(random_, target_);
      near = side.tree.nearest(target_);
      const double domain = side.domains[static_cast<std::size_t>(near)];
      if (context_.space.distance(side.tree.point(near), target_) <= domain) break;
    }
    return near;
  }

  // One step from `near` towards target_; the new node, or -1. Most steps fail, and most of those
  // end in collision: the end is tested first, unless sweeps see it anyway.
  int extend(Side& side, int near) {
    const double distance = context_.space.distance(side.tree.point(near), target_);
    if (distance <= 0) return -1;
    const double share = std::min(1.0, range_ / distance);
    context_.space.interpolate(side.tree.point(near), target_, share, step_);
    if (!prover_.sweeps() && !prover_.is_free(step_)) return -1;
    auto& free = side.free[static_cast<std::size_t>(near)];
    if (!prover_.passes_soon(side.tree.point(near), step_, free)) return -1;
    free = true;
    return side.add(step_, near, true);
  }

  // Greedily from the other tree to the new node.
  bool connect(int grown, int added) {
    const SearchTree& tree = sides_[static_cast<std::size_t>(grown)].tree;
    Side& other = sides_[static_cast<std::size_t>(1 - grown)];
    const auto goal = tree.point(added);
    target_.assign(goal.begin(), goal.end());
    int near = other.tree.nearest(target_);
    while (context_.space.distance(other.tree.point(near), target_) > range_) {
      near = extend(other, near);
      if (near < 0) return false;
    }
    const bool free = other.free[static_cast<std::size_t>(near)];
    if (!prover_.passes(other.tree.point(near), tree.point(added), free)) return false;
    grown == 0 ? join(added, near) : join(near, added);
    return true;
  }

  void join(int start_node, int goal_node) {
    const auto append = [&](const SearchTree& tree, int node) {
      const auto point = tree.point(node);
      path_.emplace_back(point.begin(), point.end());
    };
    for (const int node : sides_[0].tree.way_to_root(start_node)) append(sides_[0].tree, node);
    std::reverse(path_.begin(), path_.end());
    for (const int node : sides_[1].tree.way_to_root(goal_node)) append(sides_[1].tree, node);
  }

  SolveContext& context_;
  PointProver prover_;
  Random random_;
  InformedSamples samples_;
  double range_;
  std::array<Side, 2> sides_;  // from the start, from the goals
  std::vector<double> target_, step_;
  std::vector<Point> path_;
};

}  // namespace

Solution solve_rrt_connect(SolveContext& context) {
  return RrtConnect(context).solve();
}

}  // namespace proven
