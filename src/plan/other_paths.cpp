#include "plan/other_paths.h"

#include <algorithm>
#include <cmath>

#include "plan/smoother.h"
#include "plan/solve.h"

namespace proven {
namespace {

// Measured on MotionBenchMaker problems (docs/decisions/0005-shorter-paths.md).
constexpr std::int64_t kIterations = 1000;  // of the planner in one round
constexpr std::int64_t kPatience = 60;      // of shortcuts on another path
constexpr int kMoves = 30;                  // of waypoints of the best path in one round
constexpr int kCuts = 8;                    // places on a path where another may join it
constexpr int kCrossings = 8;               // joints of two paths that are proved at most
// A path this close to the straight line is as short as it gets.
constexpr double kShortest = 1 + 1e-9;

using Points = std::vector<Point>;

class OtherPaths {
 public:
  OtherPaths(const OtherPathsContext& context, ShortcutPath& best, SmoothResult& result)
      : context_(context), best_(best), result_(result), random_(context.options.seed) {
    start_ = best.points().front();
    goals_.push_back(best.points().back());
    for (const std::vector<double>& goal : context.options.other_goals) {
      goals_.emplace_back(start_.size());
      context.space.restrict(goal, goals_.back());
    }
  }

  void run() {
    const double straight = straight_length();
    while (result_.rounds < context_.options.rounds && !context_.budget.stopped()) {
      context_.budget.report("rounds", ++result_.rounds, 0);
      if (best_.length() <= kShortest * straight) return;
      const double before = best_.length();
      if (auto other = plan()) compare(shortened(*other));
      move_waypoints();
      result_.better += best_.length() < before;
    }
  }

 private:
  double straight_length() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Point& goal : goals_) least = std::min(least, context_.space.distance(start_, goal));
    return least;
  }

  // Where the path can only be shorter than the best one.
  Solution plan() {
    PlanOptions options;
    options.seed = context_.options.seed + static_cast<std::uint64_t>(result_.rounds);
    IterationCount iterations(kIterations, context_.budget);
    SolveContext solve{context_.query, options, context_.space, context_.prover, iterations};
    solve.start = start_;
    solve.goals = goals_;
    solve.longest = best_.length();
    return context_.prover.constraints() ? solve_constrained(solve) : solve_rrt_connect(solve);
  }

  ShortcutPath shortened(const Points& points) {
    std::vector<std::vector<double>> waypoints;
    for (const Point& point : points) {
      waypoints.emplace_back(context_.query.start.size());
      context_.space.complete(point, waypoints.back());
    }
    ShortcutPath path(context_.space, waypoints, context_.options.waypoint_cost);
    SmoothOptions options = context_.options;
    options.seed += static_cast<std::uint64_t>(result_.rounds);
    options.patience = kPatience;
    Shortcuts shortcuts(options, context_.space, context_.budget, path);
    ask_alone(shortcuts, context_.prover, context_.budget);
    return path;
  }

  void compare(const ShortcutPath& other) {
    if (other.length() < best_.length()) {
      const Points before = best_.points();
      best_.become(other.points());
      cross(before, best_.points()) || cross(best_.points(), before);
      return;
    }
    cross(other.points(), best_.points()) || cross(best_.points(), other.points());
  }

  struct Cut {
    std::size_t next;  // the first point behind it
    double place;      // length from the begin
    bool at_point;     // it is the point before `next`
    Point point;
  };
  // The points of a path, and places in between.
  std::vector<Cut> cuts_of(const Points& points, double& length) const {
    std::vector<Cut> cuts;
    length = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      length += context_.space.distance(points[i - 1], points[i]);
    double begin = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double width = context_.space.distance(points[i - 1], points[i]);
      const int parts = 1 + static_cast<int>(kCuts * width / std::max(length, 1e-300));
      for (int k = 0; k < parts; ++k) {
        const double t = static_cast<double>(k) / parts;
        Cut cut{i, begin + t * width, k == 0, points[i - 1]};
        if (k > 0) context_.space.interpolate(points[i - 1], points[i], t, cut.point);
        cuts.push_back(std::move(cut));
      }
      begin += width;
    }
    cuts.push_back({points.size(), length, true, points.back()});
    return cuts;
  }

  struct Crossing {
    double length;
    const Cut *leave, *join;
  };
  // Begins as one path and ends as the other, if that is shorter than the best path and proved.
  bool cross(const Points& first, const Points& second) {
    double first_length = 0, second_length = 0;
    const std::vector<Cut> leaves = cuts_of(first, first_length);
    const std::vector<Cut> joins = cuts_of(second, second_length);
    std::vector<Crossing> crossings;
    for (const Cut& leave : leaves)
      for (const Cut& join : joins) {
        const double length = leave.place + context_.space.distance(leave.point, join.point) +
                              second_length - join.place;
        if (length < (1 - context_.options.tolerance) * best_.length())
          crossings.push_back({length, &leave, &join});
      }
    std::ranges::stable_sort(crossings, {}, &Crossing::length);
    for (std::size_t i = 0; i < crossings.size() && i < kCrossings; ++i)
      if (take(crossings[i], first, second)) return true;
    return false;
  }

  bool take(const Crossing& crossing, const Points& first, const Points& second) {
    const Cut &leave = *crossing.leave, &join = *crossing.join;
    PointProver prover(context_.query, context_.space, context_.prover, context_.budget);
    if (!prover.seems_free(leave.point, join.point, leave.at_point)) return false;
    // Cuts are rounded: what is left of the segments that they cut is proved as well.
    if (!leave.at_point && !prover.seems_free(first[leave.next - 1], leave.point, true))
      return false;
    if (!join.at_point && !prover.seems_free(join.point, second[join.next], true)) return false;
    Points joined(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(leave.next));
    if (!leave.at_point) joined.push_back(leave.point);
    joined.push_back(join.point);
    joined.insert(joined.end(), second.begin() + static_cast<std::ptrdiff_t>(join.next),
                  second.end());
    const ShortcutPath shorter = shortened(joined);
    if (shorter.length() < best_.length()) best_.become(shorter.points());
    return true;
  }

  // Waypoints of the best path towards the line between their neighbours, and a little aside.
  void move_waypoints() {
    PointProver prover(context_.query, context_.space, context_.prover, context_.budget);
    for (int i = 0; i < kMoves && best_.num_segments() > 1; ++i) {
      const int waypoint = 1 + random_.index(best_.num_segments() - 1);
      const auto w = static_cast<std::size_t>(waypoint);
      const Points& points = best_.points();
      const double before = context_.space.distance(points[w - 1], points[w]);
      const double after = context_.space.distance(points[w], points[w + 1]);
      if (before + after <= 0) continue;
      Point middle(start_.size()), to(start_.size());
      context_.space.interpolate(points[w - 1], points[w + 1], before / (before + after), middle);
      const double off = context_.space.distance(points[w], middle);
      context_.space.interpolate(points[w], middle, random_.uniform(), to);
      if (context_.space.euclidean()) move_aside(0.3 * off, to);
      if (best_.propose_move(waypoint, to) > 0 &&
          prover.seems_free_quickly(points[w - 1], to, true) &&
          prover.seems_free_quickly(to, points[w + 1], true))
        best_.move(waypoint, to);
    }
  }

  // Within the ranges of the space, unless the point was beyond them.
  void move_aside(double far, Point& point) {
    for (std::size_t k = 0; k < point.size(); ++k) {
      const Interval& range = context_.space.ranges()[k];
      const double low = std::min(range.lower, point[k]), high = std::max(range.upper, point[k]);
      point[k] = std::clamp(point[k] + far * random_.normal(), low, high);
    }
  }

  const OtherPathsContext& context_;
  ShortcutPath& best_;
  SmoothResult& result_;
  Random random_;
  Point start_;
  Points goals_;
};

}  // namespace

void try_other_paths(const OtherPathsContext& context, ShortcutPath& best, SmoothResult& result) {
  OtherPaths(context, best, result).run();
}

}  // namespace proven
