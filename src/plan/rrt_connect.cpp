#include "plan/rrt_connect.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proven {
namespace {

// Measured on MotionBenchMaker problems (docs/decisions/0003-default-planner.md).
// The longest edge: so much of every joint at once. Longer ones collide too often, shorter ones
// cost a proof each.
constexpr double kRangePerJoint = 0.3;
// A node that failed takes samples up to so many edges away.
constexpr double kDomain = 4;
// Samples drawn for one that is in a domain.
constexpr int kDraws = 50;

}  // namespace

RrtConnect::Side::Side(const JointSpace& of, double domain_of_limited)
    : space(of), domain(domain_of_limited), tree(of) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  nearby.assign(static_cast<std::size_t>(of.dimension()), {kNone, -kNone});
}

int RrtConnect::Side::add(std::span<const double> point, int parent, bool is_free) {
  limited.push_back(false);
  free.push_back(is_free);
  for (std::size_t k = 0; k < point.size(); ++k) {
    const Interval& range = space.ranges()[k];
    nearby[k].lower = std::min(nearby[k].lower, std::max(range.lower, point[k] - domain));
    nearby[k].upper = std::max(nearby[k].upper, std::min(range.upper, point[k] + domain));
  }
  return tree.add(point, parent);
}

void RrtConnect::Side::limit(int node) {
  char& is_limited = limited[static_cast<std::size_t>(node)];
  if (!is_limited) ++num_limited;
  is_limited = true;
}

RrtConnect::RrtConnect(const Task& task)
    : task_(task),
      random_(task.seed),
      samples_(task.space, task.start, task.goals, task.longest),
      range_(kRangePerJoint * std::sqrt(task.space.dimension())),
      sides_{Side(task.space, kDomain * range_), Side(task.space, kDomain * range_)},
      question_(task.space),
      target_(static_cast<std::size_t>(task.space.dimension())),
      step_(target_) {
  sides_[0].add(task.start, -1, true);
  // Only the first goal was tested as literal values.
  for (const Point& goal : task.goals) sides_[1].add(goal, -1, sides_[1].tree.size() == 0);
}

const MotionQuestion* RrtConnect::next() {
  if (waiting_) return &question_;
  if (stage_ == Stage::straight && goal_ == task_.goals.size()) stage_ = Stage::grow;
  if (stage_ == Stage::grow && !choose()) stage_ = Stage::end;
  const JointSpace& space = task_.space;
  switch (stage_) {
    case Stage::straight:
      question_.set(space, task_.start, task_.goals[goal_], true, false);
      break;
    case Stage::grow:
    case Stage::reach: {
      const Side& side = stage_ == Stage::grow ? growing() : other();
      step(side);
      question_.set(space, side.tree.point(near_), step_,
                    side.free[static_cast<std::size_t>(near_)], true);
      break;
    }
    case Stage::join:
      question_.set(space, other().tree.point(near_), growing().tree.point(added_),
                    other().free[static_cast<std::size_t>(near_)], false);
      break;
    case Stage::end:
      return nullptr;
  }
  waiting_ = true;
  ++asked_;
  return &question_;
}

void RrtConnect::take(bool proved) {
  waiting_ = false;
  if (stage_ == Stage::straight) {
    if (proved) end({task_.start, task_.goals[goal_]});
    ++goal_;
    return;
  }
  if (!proved) {
    if (stage_ == Stage::grow) growing().limit(near_);
    stage_ = Stage::grow;
    return;
  }
  if (stage_ == Stage::join) {
    join_trees();
    return;
  }
  Side& side = stage_ == Stage::grow ? growing() : other();
  side.free[static_cast<std::size_t>(near_)] = true;
  const int added = side.add(step_, near_, true);
  if (stage_ == Stage::grow) {
    added_ = added;
    target_ = step_;
    near_ = other().tree.nearest(target_).node;
  } else {
    near_ = added;
  }
  const double left = task_.space.distance(other().tree.point(near_), target_);
  stage_ = left > range_ ? Stage::reach : Stage::join;
}

Solution RrtConnect::solution() const {
  if (path_.empty()) return std::nullopt;
  return path_;
}

// Draws target_ for the smaller tree, and near_ to extend towards it; false when it has to stop.
bool RrtConnect::choose() {
  while (task_.iterations.next()) {
    growing_ = sides_[0].tree.size() <= sides_[1].tree.size() ? 0 : 1;
    Side& side = growing();
    SearchTree::Near near{};
    for (int draw = 0; draw < kDraws; ++draw) {
      // What is farther from all nodes than any of them takes need not be drawn.
      if (!side.all_limited() || !samples_.sample_within(side.nearby, random_, target_))
        samples_.sample(random_, target_);
      near = side.tree.nearest(target_);
      if (side.takes(near)) break;
    }
    near_ = near.node;
    if (near.distance > 0) return true;
    side.limit(near_);
  }
  return false;
}

// One step from near_ towards target_.
void RrtConnect::step(const Side& side) {
  const double distance = task_.space.distance(side.tree.point(near_), target_);
  const double share = std::min(1.0, range_ / distance);
  task_.space.interpolate(side.tree.point(near_), target_, share, step_);
}

void RrtConnect::join_trees() {
  const int start_node = growing_ == 0 ? added_ : near_;
  const int goal_node = growing_ == 0 ? near_ : added_;
  std::vector<Point> path;
  const auto append = [&](const SearchTree& tree, int node) {
    const auto point = tree.point(node);
    path.emplace_back(point.begin(), point.end());
  };
  for (const int node : sides_[0].tree.way_to_root(start_node)) append(sides_[0].tree, node);
  std::reverse(path.begin(), path.end());
  for (const int node : sides_[1].tree.way_to_root(goal_node)) append(sides_[1].tree, node);
  end(std::move(path));
}

void RrtConnect::end(std::vector<Point> path) {
  path_ = std::move(path);
  stage_ = Stage::end;
}

Solution solve_rrt_connect(SolveContext& context) {
  RrtConnect planner({context.space, context.start, context.goals, context.options.seed,
                      context.longest, context.iterations});
  const Budget& budget = context.iterations.budget();
  Prover& prover = context.prover;
  while (const MotionQuestion* asked = planner.next()) {
    // Most steps fail, and most of those end in collision: the end is tested first, unless sweeps
    // see it anyway.
    const SegmentQuery motion = asked->segment();
    if (!asked->others)
      planner.take(prover.seems_free(motion, budget));
    else
      planner.take((prover.model().sweeps() || prover.seems_free(asked->to, budget)) &&
                   prover.seems_free_quickly(motion, budget));
  }
  return planner.solution();
}

}  // namespace proven
