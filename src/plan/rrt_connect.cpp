// RRT-Connect (Kuffner, LaValle) with proved edges.
#include <algorithm>
#include <array>
#include <cmath>

#include "plan/solve.h"
#include "plan/tree.h"

namespace proven {
namespace {

class RrtConnect {
 public:
  explicit RrtConnect(SolveContext& context)
      : context_(context),
        prover_(context.prover),
        random_(context.options.seed),
        range_(kRangePerJoint * std::sqrt(context.space.dimension())),
        trees_{SearchTree(context.prover), SearchTree(context.prover)},
        target_(static_cast<std::size_t>(context.space.dimension())),
        step_(target_) {
    trees_[0].add(context.start, -1);
    for (const int goal : context.goals) trees_[1].add(goal, -1);
  }

  Solution solve() {
    if (connect_roots()) return path_;
    for (int grow = 0; context_.budget.next(); grow = 1 - grow) {
      context_.space.sample(random_, target_);
      SearchTree& tree = trees_[static_cast<std::size_t>(grow)];
      const int added = extend(tree, tree.nearest(target_));
      if (added >= 0 && connect(grow, added)) return path_;
    }
    return std::nullopt;
  }

 private:
  // The longest edge: so much of every joint at once. Longer ones collide too often, shorter ones
  // cost a proof each.
  static constexpr double kRangePerJoint = 0.4;

  // Straight from the start to a goal.
  bool connect_roots() {
    for (const int goal : context_.goals)
      if (prover_.passes(prover_.add_segment(context_.start, goal))) {
        path_ = {context_.start, goal};
        return true;
      }
    return false;
  }

  // One step from `near` towards target_; the new node, or -1.
  int extend(SearchTree& tree, int near) {
    const double distance = context_.space.distance(tree.point(near), target_);
    if (distance <= 0) return -1;
    context_.space.interpolate(tree.point(near), target_, std::min(1.0, range_ / distance), step_);
    const int added = prover_.add(step_);
    if (!prover_.passes(prover_.add_segment(tree.configuration(near), added))) return -1;
    return tree.add(added, near);
  }

  // Greedily from the other tree to the new node.
  bool connect(int grown, int added) {
    const SearchTree& tree = trees_[static_cast<std::size_t>(grown)];
    SearchTree& other = trees_[static_cast<std::size_t>(1 - grown)];
    const auto goal = tree.point(added);
    target_.assign(goal.begin(), goal.end());
    int near = other.nearest(target_);
    while (context_.space.distance(other.point(near), target_) > range_) {
      near = extend(other, near);
      if (near < 0) return false;
    }
    const int last = prover_.add_segment(other.configuration(near), tree.configuration(added));
    if (!prover_.passes(last)) return false;
    grown == 0 ? join(added, near) : join(near, added);
    return true;
  }

  void join(int start_node, int goal_node) {
    path_ = trees_[0].way_to_root(start_node);
    std::reverse(path_.begin(), path_.end());
    const std::vector<int> rest = trees_[1].way_to_root(goal_node);
    path_.insert(path_.end(), rest.begin(), rest.end());
  }

  SolveContext& context_;
  Prover& prover_;
  Random random_;
  double range_;
  std::array<SearchTree, 2> trees_;  // from the start, from the goals
  std::vector<double> target_, step_;
  std::vector<int> path_;
};

}  // namespace

Solution solve_rrt_connect(SolveContext& context) {
  return RrtConnect(context).solve();
}

}  // namespace proven
