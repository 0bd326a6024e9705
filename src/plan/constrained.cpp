#include "proven/plan/constrained.h"

#include <algorithm>
#include <array>

#include "plan/constraint_projection.h"
#include "plan/solve.h"
#include "plan/tree.h"

namespace proven {
namespace {

constexpr double kStep = 0.4;       // of an edge
constexpr double kProgress = 0.02;  // that a corrected step must make
constexpr int kShortcuts = 120;     // that are tried

class ConstrainedConnect {
 public:
  explicit ConstrainedConnect(SolveContext& context)
      : context_(context),
        prover_(context),
        projection_(context.prover.scene().tree(), context.space,
                    context.prover.constraints()->constraints()),
        random_(context.options.seed),
        trees_{SearchTree(context.space), SearchTree(context.space)},
        sample_(static_cast<std::size_t>(context.space.dimension())) {
    trees_[0].add(context.start, -1);
    for (const Point& goal : context.goals) trees_[1].add(goal, -1);
  }

  Solution solve() {
    for (const Point& goal : context_.goals)
      if (prover_.seems_free(context_.start, goal, false))
        return std::vector<Point>{context_.start, goal};
    for (std::size_t side = 0; context_.iterations.next(); side = 1 - side) {
      context_.space.sample(random_, sample_);
      const int near = grow(trees_[side], sample_);
      if (near < 0) continue;
      const auto at_node = trees_[side].point(near);
      const Point reached(at_node.begin(), at_node.end());
      const int other = grow(trees_[1 - side], reached);
      if (other >= 0 && std::ranges::equal(trees_[1 - side].point(other), reached))
        return shorter(side == 0 ? joined(near, other) : joined(other, near));
    }
    return std::nullopt;
  }

 private:
  // From the nearest node towards the target, as far as it goes; the last node, or -1.
  int grow(SearchTree& tree, const Point& target) {
    const JointSpace& space = context_.space;
    Point next(target.size());
    int last = -1;
    for (int from = tree.nearest(target).node; !context_.iterations.budget().stopped();
         from = last) {
      const auto near = tree.point(from);
      const double left = space.distance(near, target);
      if (left == 0) return from;
      next = target;
      if (left > kStep) {
        space.interpolate(near, target, kStep / left, next);
        if (!projection_.correct(next)) return last;
        if (!(space.distance(next, target) < left - kProgress)) return last;
      }
      if (!prover_.seems_free(near, next, false)) return last;
      last = tree.add(next, from);
      if (next == target) return last;
    }
    return last;
  }

  std::vector<Point> joined(int start_node, int goal_node) const {
    std::vector<Point> path;
    const auto append = [&](const SearchTree& tree, int node) {
      const auto point = tree.point(node);
      path.emplace_back(point.begin(), point.end());
    };
    for (const int node : trees_[0].way_to_root(start_node)) append(trees_[0], node);
    std::ranges::reverse(path);
    // Both trees have the point where they meet.
    for (const int node : trees_[1].way_to_root(goal_node))
      if (node != goal_node) append(trees_[1], node);
    return path;
  }

  // Points between two that can be joined are left out.
  std::vector<Point> shorter(std::vector<Point> path) {
    for (int k = 0; k < kShortcuts && path.size() > 2; ++k) {
      const int i = random_.index(static_cast<int>(path.size()) - 2);
      const int j = i + 2 + random_.index(static_cast<int>(path.size()) - i - 2);
      if (prover_.seems_free(path[static_cast<std::size_t>(i)], path[static_cast<std::size_t>(j)],
                             false))
        path.erase(path.begin() + i + 1, path.begin() + j);
    }
    return path;
  }

  SolveContext& context_;
  PointProver prover_;
  ConstraintProjection projection_;
  Random random_;
  std::array<SearchTree, 2> trees_;  // from the start, from the goals
  Point sample_;
};

}  // namespace

Solution solve_constrained(SolveContext& context) {
  return ConstrainedConnect(context).solve();
}

Path plan_constrained(const Query& query, std::int64_t iterations, std::uint64_t seed,
                      Prover& prover, const Budget& budget) {
  IterationCount count(iterations, budget);
  const JointSpace space(prover.scene(), query);
  PlanOptions options;
  options.seed = seed;
  SolveContext context{query, options, space, prover, count};
  const auto point = [&](const std::vector<double>& q) {
    Point p(static_cast<std::size_t>(space.dimension()));
    space.restrict(q, p);
    return p;
  };
  context.start = point(query.start);
  context.goals = {point(query.goal)};
  Path path;
  if (const Solution found = solve_constrained(context))
    for (const Point& p : *found) {
      path.waypoints.emplace_back(query.start.size());
      space.complete(p, path.waypoints.back());
    }
  return path;
}

}  // namespace proven
