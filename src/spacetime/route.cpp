// Ways over lanelets: the shortest one to a goal, with changes of lanes, and the line that it
// follows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

#include "proven/spacetime/road.h"

namespace proven::spacetime {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// The share of the way along a line at which p is nearest.
double share_of(const std::vector<Vec2>& line, Vec2 p) {
  double best = kInfinity, at = 0, s = 0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec2 d = line[i + 1] - line[i], to = p - line[i];
    const double length = norm(d);
    if (!(length > 0)) continue;
    const double u = std::clamp(dot(to, d) / (length * length), 0.0, 1.0);
    const double distance = norm(to - u * d);
    if (distance < best) best = distance, at = s + u * length;
    s += length;
  }
  return s > 0 ? at / s : 0;
}

Vec2 point_at(const std::vector<Vec2>& line, double share) {
  double whole = 0;
  for (std::size_t i = 1; i < line.size(); ++i) whole += norm(line[i] - line[i - 1]);
  double left = share * whole;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double step = norm(line[i] - line[i - 1]);
    if (left <= step && step > 0) return line[i - 1] + (left / step) * (line[i] - line[i - 1]);
    left -= step;
  }
  return line.back();
}

double heading_at_end(const std::vector<Vec2>& line) {
  const Vec2 d = line.back() - line[line.size() - 2];
  return std::atan2(d.y, d.x);
}
double heading_at_start(const std::vector<Vec2>& line) {
  const Vec2 d = line[1] - line[0];
  return std::atan2(d.y, d.x);
}

class Router {
 public:
  Router(const Road& road, const Pose2& start, std::span<const int> goals,
         std::span<const Vec2> goal_points, const RouteOptions& options)
      : road_(road), start_(start), goals_(goals), points_(goal_points), options_(options) {}

  Result<Route> run() {
    const std::vector<int> first = road_.at(start_);
    if (first.empty())
      return bad_input(
          fmt::format("the vehicle starts at ({:.2f}, {:.2f}) on no lane that goes "
                      "its way; --ignore-road plans without the road",
                      start_.x, start_.y));
    search(first);
    if (!route_.reaches_goal) go_straight_on(first);
    extend();
    make_corridor();
    make_line();
    return std::move(route_);
  }

 private:
  struct Entry {
    double cost;
    int lanelet;
    bool operator<(const Entry& other) const { return cost > other.cost; }
  };

  double share_on(int lanelet, Vec2 p) const { return share_of(road_.centre_line(lanelet), p); }

  // How far along a goal lanelet its point is; the middle where it has none.
  double goal_share(int lanelet) const {
    for (std::size_t i = 0; i < goals_.size(); ++i)
      if (goals_[i] == lanelet && i < points_.size()) return share_on(lanelet, points_[i]);
    return 0.5;
  }
  bool is_goal(int lanelet) const { return std::ranges::count(goals_, lanelet) > 0; }

  // Shortest ways first. On the lanelets of the start a goal must lie ahead.
  void search(const std::vector<int>& first) {
    const std::size_t n = road_.lanelets().size();
    std::vector<double> cost(n, kInfinity), share(n, 0);
    std::vector<int> from(n, -1);
    std::vector<bool> changed(n, false), done(n, false);
    std::priority_queue<Entry> open;
    const auto offer = [&](int lanelet, double c, int before, bool change, double at) {
      if (lanelet < 0 || !road_.lanelets()[index(lanelet)].for_vehicles ||
          !(c < cost[index(lanelet)]))
        return;
      cost[index(lanelet)] = c;
      from[index(lanelet)] = before;
      changed[index(lanelet)] = change;
      share[index(lanelet)] = at;
      open.push({c, lanelet});
    };
    for (const int lanelet : first)
      offer(lanelet, 0, -1, false, share_on(lanelet, {start_.x, start_.y}));
    while (!open.empty()) {
      const auto [c, at] = open.top();
      open.pop();
      if (done[index(at)]) continue;
      done[index(at)] = true;
      const double ahead = road_.length(at) * (1 - share[index(at)]);
      if (is_goal(at) && goal_share(at) >= share[index(at)] - 1e-9) return trace(at, from, changed);
      const Lanelet& lanelet = road_.lanelets()[index(at)];
      for (const std::string& id : lanelet.successors)
        offer(road_.find(id), c + ahead, at, false, 0);
      for (const auto& side : {lanelet.left_neighbour, lanelet.right_neighbour})
        if (side && side->is_open())
          offer(road_.find(side->id), c + options_.change_cost, at, true, share[index(at)]);
    }
  }

  void trace(int last, const std::vector<int>& from, const std::vector<bool>& changed) {
    route_.reaches_goal = true;
    for (int at = last; at >= 0; at = from[index(at)]) {
      route_.lanelets.insert(route_.lanelets.begin(), at);
      route_.change.insert(route_.change.begin(), changed[index(at)]);
    }
  }

  // The successor that bends least; a lanelet that is on the way already is none.
  int straightest(int lanelet, bool forward) const {
    const std::vector<Vec2>& line = road_.centre_line(lanelet);
    const double heading = forward ? heading_at_end(line) : heading_at_start(line);
    const Lanelet& here = road_.lanelets()[index(lanelet)];
    int best = -1;
    double least = kInfinity;
    for (const std::string& id : forward ? here.successors : here.predecessors) {
      const int next = road_.find(id);
      if (next < 0 || !road_.lanelets()[index(next)].for_vehicles ||
          std::ranges::count(route_.lanelets, next) > 0)
        continue;
      const std::vector<Vec2>& other = road_.centre_line(next);
      const double bend = std::fabs(std::remainder(
          (forward ? heading_at_end(other) : heading_at_start(other)) - heading, 2 * M_PI));
      if (bend < least) least = bend, best = next;
    }
    return best;
  }

  void go_straight_on(const std::vector<int>& first) {
    // The lanelet whose direction fits best.
    int best = first[0];
    const auto off = [&](int lanelet) {
      return std::fabs(std::remainder(
          road_.direction(lanelet, {start_.x, start_.y}) - start_.heading, 2 * M_PI));
    };
    for (const int lanelet : first)
      if (off(lanelet) < off(best)) best = lanelet;
    route_.lanelets = {best};
    route_.change = {false};
  }

  // Beyond the goal too, so that there is road to stop on.
  void extend() {
    double ahead = route_.reaches_goal ? 0
                                       : -share_on(route_.lanelets[0], {start_.x, start_.y}) *
                                             road_.length(route_.lanelets[0]);
    if (!route_.reaches_goal)
      for (const int lanelet : route_.lanelets) ahead += road_.length(lanelet);
    while (ahead < options_.length) {
      const int next = straightest(route_.lanelets.back(), true);
      if (next < 0) return;
      route_.lanelets.push_back(next);
      route_.change.push_back(false);
      ahead += road_.length(next);
    }
  }

  void add_to_corridor(int lanelet) {
    if (std::ranges::count(route_.corridor, lanelet) > 0) return;
    route_.corridor.push_back(lanelet);
    const Lanelet& here = road_.lanelets()[index(lanelet)];
    for (const auto& side : {here.left_neighbour, here.right_neighbour}) {
      const int next = side && side->is_open() ? road_.find(side->id) : -1;
      if (next >= 0 && road_.lanelets()[index(next)].for_vehicles) add_to_corridor(next);
    }
  }

  void make_corridor() {
    for (const int lanelet : route_.lanelets) add_to_corridor(lanelet);
    // Where the vehicle's tail may be.
    constexpr double kBehind = 20;
    std::vector<std::pair<int, double>> open;
    for (const int lanelet : road_.at(start_)) {
      add_to_corridor(lanelet);
      open.emplace_back(lanelet,
                        kBehind - road_.length(lanelet) * share_on(lanelet, {start_.x, start_.y}));
    }
    for (std::size_t i = 0; i < open.size() && i < 100; ++i) {
      const auto [lanelet, left] = open[i];
      if (left <= 0) continue;
      for (const std::string& id : road_.lanelets()[index(lanelet)].predecessors)
        if (const int before = road_.find(id); before >= 0) {
          if (!road_.lanelets()[index(before)].for_vehicles) continue;
          add_to_corridor(before);
          open.emplace_back(before, left - road_.length(before));
        }
    }
  }

  // Lanelets side by side are one stretch of the line, which goes over from the first to the last.
  void make_line() {
    int before = straightest(route_.lanelets[0], false);
    if (before >= 0) append(road_.centre_line(before));
    std::size_t i = 0;
    while (i < route_.lanelets.size()) {
      std::size_t last = i;
      while (last + 1 < route_.lanelets.size() && route_.change[last + 1]) ++last;
      const int a = route_.lanelets[i], b = route_.lanelets[last];
      if (i == last)
        append(road_.centre_line(a));
      else
        append(go_over(a, b, i == 0, static_cast<double>(last - i)));
      i = last + 1;
    }
  }

  std::vector<Vec2> go_over(int a, int b, bool first, double lanes) const {
    constexpr double kLongest = 60;  // metres for one change
    const std::vector<Vec2>&from = road_.centre_line(a), &to = road_.centre_line(b);
    const double length = road_.length(b);
    const double begin = first ? share_on(a, {start_.x, start_.y}) : 0;
    double end = is_goal(b) && !points_.empty() ? goal_share(b) : 1;
    end = std::clamp(end, std::min(1.0, begin + 10 / length), 1.0);
    end = std::min(end, begin + lanes * kLongest / length);
    std::vector<Vec2> line;
    const int parts = std::max(2, static_cast<int>(length));
    for (int k = 0; k <= parts; ++k) {
      const double share = static_cast<double>(k) / parts;
      const double u = std::clamp((share - begin) / (end - begin), 0.0, 1.0);
      const double w = u * u * u * (10 - 15 * u + 6 * u * u);
      line.push_back((1 - w) * point_at(from, share) + w * point_at(to, share));
    }
    return line;
  }

  void append(const std::vector<Vec2>& line) {
    for (const Vec2 p : line)
      if (route_.line.empty() || norm(p - route_.line.back()) > 0.5) route_.line.push_back(p);
  }

  const Road& road_;
  const Pose2& start_;
  const std::span<const int> goals_;
  const std::span<const Vec2> points_;
  const RouteOptions& options_;
  Route route_;
};

}  // namespace

Result<Route> find_route(const Road& road, const Pose2& start, std::span<const int> goals,
                         std::span<const Vec2> goal_points, const RouteOptions& options) {
  return Router(road, start, goals, goal_points, options).run();
}

}  // namespace proven::spacetime
