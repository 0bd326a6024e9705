#include "tools/traffic_task.h"

#include <algorithm>
#include <cmath>

namespace proven::tools {
namespace {

using spacetime::GoalState;
using spacetime::Pose2;
using spacetime::Road;
using spacetime::Vec2;

struct GoalSpots {
  std::vector<int> lanelets;
  std::vector<Vec2> points;  // one on each
};

double distance_to(const std::vector<Vec2>& line, Vec2 p) {
  double best = 1e18;
  for (const Vec2 q : line) best = std::min(best, norm(p - q));
  return best;
}

// The lanelets on which a goal region lies, each with the point of the region that is nearest to
// its middle.
void add_region(const Road& road, const GoalState& goal, const spacetime::Footprint& region,
                GoalSpots& spots) {
  constexpr int kGrid = 12;
  const Vec2 middle = region.box_centre(), half = region.box_half();
  for (const int lanelet : road.all()) {
    double best = 1e18;
    Vec2 found;
    for (int i = -kGrid; i <= kGrid; ++i)
      for (int j = -kGrid; j <= kGrid; ++j) {
        const Vec2 p = middle + Vec2{half.x * i / kGrid, half.y * j / kGrid};
        if (!holds(region, p) || !road.holds(lanelet, p)) continue;
        if (goal.heading && std::cos(road.direction(lanelet, p) - goal.heading->middle()) < 0.5)
          continue;
        // Rather in the middle of the region, too.
        const double off = distance_to(road.centre_line(lanelet), p) + 0.2 * norm(p - middle);
        if (off < best) best = off, found = p;
      }
    if (best > 1e17) continue;
    spots.lanelets.push_back(lanelet);
    spots.points.push_back(found);
  }
}

GoalSpots find_spots(const Road& road, const std::vector<GoalState>& goals) {
  GoalSpots spots;
  for (const GoalState& goal : goals) {
    for (const std::string& id : goal.lanelets) {
      spots.lanelets.push_back(road.find(id));
      spots.points.push_back(road.centre_line(road.find(id)).back());
    }
    for (const spacetime::Footprint& region : goal.regions) add_region(road, goal, region, spots);
  }
  return spots;
}

bool any_place(const std::vector<GoalState>& goals) {
  return std::ranges::any_of(goals, [](const GoalState& goal) { return goal.has_place(); });
}

// Leads the line through a goal beside it: over to it within 35 m, and back after it.
void lead_through(std::vector<Vec2>& line, const std::vector<GoalState>& goals, const Road& road,
                  const GoalSpots& spots) {
  for (std::size_t k = 0; k < spots.points.size(); ++k) {
    const Vec2 goal = spots.points[k];
    double best = 1e18, s_goal = 0, s = 0;
    Vec2 off;
    std::vector<double> lengths = {0};
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Vec2 d = line[i] - line[i - 1], to = goal - line[i - 1];
      const double length = norm(d);
      const double u = std::clamp(dot(to, d) / (length * length), 0.0, 1.0);
      if (norm(to - u * d) < best)
        best = norm(to - u * d), s_goal = s + u * length, off = to - u * d;
      lengths.push_back(s += length);
    }
    constexpr double kFarthest = 3;
    if (best > kFarthest || best < 0.05) continue;
    // Where the line goes through the region well enough, it stays as it is.
    const Vec2 here = goal - off, aside = (0.3 / best) * off;
    const bool well = std::ranges::any_of(goals, [&](const GoalState& g) {
      return g.has_place() && at_place(g, road, here) && at_place(g, road, here - aside);
    });
    if (well) continue;
    const auto smooth = [](double u) {
      u = std::clamp(u, 0.0, 1.0);
      return u * u * u * (10 - 15 * u + 6 * u * u);
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
      const double to_go = s_goal - lengths[i];
      const double w = to_go > 0 ? smooth((35 - to_go) / 32) : smooth((40 + to_go) / 34);
      line[i] = line[i] + w * off;
    }
    return;
  }
}

void add_limits(const Road& road, const spacetime::Route& route, spacetime::DriveTask& task) {
  for (std::size_t i = 0; i < route.lanelets.size(); ++i) {
    const spacetime::Lanelet& lanelet =
        road.lanelets()[static_cast<std::size_t>(route.lanelets[i])];
    const double s = i == 0 ? -1e9 : task.path.locate(road.centre_line(route.lanelets[i])[0]).x;
    const double limit = lanelet.speed_limit.value_or(task.vehicle.max_speed);
    if (!task.limits.empty() && route.change[i])
      task.limits.back().speed = std::min(task.limits.back().speed, limit);
    else
      task.limits.push_back({s, limit});
    if (!lanelet.stop_line) continue;
    const spacetime::StopLine& line = *lanelet.stop_line;
    if (!line.must_stop && line.lights.empty()) continue;
    spacetime::StopPoint stop;
    stop.s = task.path.locate(0.5 * (line.left + line.right)).x;
    stop.must_stop = line.must_stop;
    for (const std::string& id : line.lights)
      if (const auto* light = road.find_light(id)) stop.lights.push_back(*light);
    task.stops.push_back(std::move(stop));
  }
}

double end_of_drive(const PlanningProblem& problem) {
  constexpr double kWithoutTime = 30, kLongest = 60;
  double end = problem.t_start;
  for (const GoalState& goal : problem.goals)
    end = std::max(end, goal.time ? goal.time->high : problem.t_start + kWithoutTime);
  return std::min(end, problem.t_start + kLongest);
}

std::vector<Vec2> straight_line(const Pose2& start, const std::vector<GoalState>& goals) {
  const Vec2 from{start.x, start.y}, ahead{std::cos(start.heading), std::sin(start.heading)};
  std::vector<Vec2> line = {from, from + 10 * ahead};
  for (const GoalState& goal : goals)
    for (const spacetime::Footprint& region : goal.regions) {
      const Vec2 to = region.box_centre() - from;
      if (dot(to, ahead) > 15) line.push_back(region.box_centre());
      break;
    }
  const Vec2 last = line.back() - line[line.size() - 2];
  line.push_back(line.back() + (300 / norm(last)) * last);
  return line;
}

}  // namespace

Result<PlannedTask> make_task(const TrafficFile& file, const PlanningProblem& problem,
                              const TaskOptions& options) {
  auto road = Road::build(file.lanelets, file.lights);
  if (!road.ok()) return road.error();
  PlannedTask planned;
  spacetime::DriveTask& task = planned.task;
  task.vehicle = options.vehicle;
  task.start = problem.start;
  task.speed = problem.speed;
  task.t_begin = problem.t_start;
  task.t_end = end_of_drive(problem);
  task.goals = problem.goals;
  task.road = std::move(road).value();
  const double usual = std::max(problem.speed, 5.0);
  planned.desired_speed = usual;
  const bool ignore = options.ignore_road || task.road.empty();
  auto route = ignore && task.road.at(problem.start).empty()
                   ? Result<spacetime::Route>(spacetime::Route{})
                   : Result<spacetime::Route>(Error{});
  const GoalSpots spots = find_spots(task.road, problem.goals);
  if (!route.ok()) {
    spacetime::RouteOptions route_options;
    route_options.length =
        std::max(60.0, 1.3 * usual * (task.t_end - task.t_begin)) + 2 * usual + 30;
    route = find_route(task.road, problem.start, spots.lanelets, spots.points, route_options);
    if (!route.ok()) return route.error();
    planned.way_to_goal = !any_place(problem.goals) || route.value().reaches_goal;
  }
  std::vector<Vec2> line = route.value().line;
  if (line.size() < 2)
    line = straight_line(problem.start, problem.goals);
  else if (planned.way_to_goal)
    lead_through(line, problem.goals, task.road, spots);
  auto path = spacetime::ReferencePath::make(std::move(line));
  if (!path.ok()) return path.error();
  task.path = std::move(path).value();
  if (!route.value().lanelets.empty()) add_limits(task.road, route.value(), task);
  if (!ignore) task.border = task.road.border(route.value().corridor);
  return planned;
}

std::vector<std::string> drop_own_recordings(TrafficFile& file, const PlanningProblem& problem) {
  constexpr double kSamePlace = 0.1, kSameId = 2;
  std::vector<std::string> names;
  std::erase_if(file.obstacles, [&](const spacetime::Obstacle& o) {
    if (!o.moves() || o.motion.t.front() > problem.t_start || o.motion.t.back() < problem.t_start)
      return false;
    const Pose2 at = pose_at(o.motion, problem.t_start);
    const double off = norm({at.x - problem.start.x, at.y - problem.start.y});
    const bool own = off < (o.name == problem.id ? kSameId : kSamePlace);
    if (own) names.push_back(o.name);
    return own;
  });
  return names;
}

Result<RoadFinding> look_at_road(const Road& road, const spacetime::Footprint& shape,
                                 const spacetime::Trajectory& motion) {
  RoadFinding finding;
  const std::vector<int> all = road.all();
  const auto border = spacetime::TrafficScene::build(road.border(all));
  if (!border.ok()) return border.error();
  spacetime::TrafficScratch scratch;
  const auto found = check(border.value(), shape, motion, {}, scratch);
  if (!found.ok()) return found.error();
  const Vec2 first{motion.x[0], motion.y[0]};
  if (std::ranges::none_of(all, [&](int lanelet) { return road.holds(lanelet, first); }))
    finding.on_road = false, finding.t = motion.t[0];
  else if (found.value().contact)
    finding.on_road = false, finding.t = found.value().contact->t_lower;
  else if (found.value().doubt)
    finding.on_road = false, finding.t = found.value().doubt->t_begin;
  for (std::size_t i = 0; i + 1 < motion.t.size() && finding.against.empty(); ++i) {
    const Vec2 p{motion.x[i], motion.y[i]}, d{motion.x[i + 1] - p.x, motion.y[i + 1] - p.y};
    if (!(norm(d) > 0.01)) continue;
    std::string against;
    bool allowed = false;
    for (const int lanelet : all) {
      if (!road.holds(lanelet, p)) continue;
      if (std::cos(road.direction(lanelet, p) - std::atan2(d.y, d.x)) > 0)
        allowed = true;
      else
        against = road.lanelets()[static_cast<std::size_t>(lanelet)].id;
    }
    if (!allowed && !against.empty()) finding.against = against, finding.against_t = motion.t[i];
  }
  return finding;
}

}  // namespace proven::tools
