#include "tools/view/traffic_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/view/colours.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using namespace spacetime;

// The lowest limit of the lanes that a pose is on.
std::optional<double> limit_at(const Road& road, const Pose2& pose) {
  std::optional<double> limit;
  for (const int i : road.at(pose))
    if (const auto& own = road.lanelets()[static_cast<std::size_t>(i)].speed_limit)
      limit = std::min(limit.value_or(*own), *own);
  return limit;
}

Pose2 middle_of(const Trajectory& m, std::size_t i) {
  return {0.5 * (m.x[i] + m.x[i + 1]), 0.5 * (m.y[i] + m.y[i + 1]),
          0.5 * (m.heading[i] + m.heading[i + 1])};
}

Trajectory step_of(const Trajectory& m, std::size_t i) {
  Trajectory step;
  step.t = {m.t[i], m.t[i + 1]}, step.x = {m.x[i], m.x[i + 1]}, step.y = {m.y[i], m.y[i + 1]};
  step.heading = {m.heading[i], m.heading[i + 1]};
  step.between = m.between;
  step.max_acceleration = m.max_acceleration;
  step.max_angular_acceleration = m.max_angular_acceleration;
  if (!m.position_deviation.empty())
    step.position_deviation = {m.position_deviation[i], m.position_deviation[i + 1]};
  if (!m.heading_deviation.empty())
    step.heading_deviation = {m.heading_deviation[i], m.heading_deviation[i + 1]};
  return step;
}

// Straight on from the step that t is in.
Trajectory straight_on(const Trajectory& m, double t, double seconds) {
  const auto after = std::upper_bound(m.t.begin(), m.t.end(), t) - m.t.begin();
  const auto k = static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(m.t.size()) - 2));
  const double share = seconds / (m.t[k + 1] - m.t[k]);
  const Pose2 from = pose_at(m, std::clamp(t, m.t.front(), m.t.back()));
  Trajectory on;
  on.t = {t, t + seconds};
  on.x = {from.x, from.x + share * (m.x[k + 1] - m.x[k])};
  on.y = {from.y, from.y + share * (m.y[k + 1] - m.y[k])};
  on.heading = {from.heading, from.heading};
  return on;
}

Result<double> time_to_collision_at(const TrafficScene& scene, const Footprint& shape,
                                    const Trajectory& own, double t, double seconds) {
  std::vector<Obstacle> all;
  for (const Obstacle& o : scene.obstacles()) {
    if (o.is_set()) continue;
    Obstacle other = o;
    if (o.moves()) {
      if (t < o.motion.t.front() || t > o.motion.t.back()) continue;
      other.motion = straight_on(o.motion, t, seconds);
    }
    all.push_back(std::move(other));
  }
  const auto now = TrafficScene::build(std::move(all));
  if (!now.ok()) return now.error();
  TrafficScratch scratch;
  const auto bounds =
      time_to_collision(now.value(), shape, straight_on(own, t, seconds), {}, scratch);
  if (!bounds.ok()) return bounds.error();
  return bounds.value().lower;
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json speed_series(const Road& road, const Trajectory& m) {
  Json values = Json::array(), limits = Json::array();
  for (std::size_t i = 0; i + 1 < m.t.size(); ++i) {
    values.push_back(norm(Vec2{m.x[i + 1] - m.x[i], m.y[i + 1] - m.y[i]}) / (m.t[i + 1] - m.t[i]));
    const auto limit = limit_at(road, middle_of(m, i));
    limits.push_back(limit ? Json(*limit) : Json(nullptr));
  }
  return {
      {"name", "Speed"}, {"unit", "m/s"}, {"times", m.t}, {"values", values}, {"limits", limits}};
}

// Values of which less is worse; beyond `far` nobody cares, below `alarm` everybody does.
Json nearness(const char* name, const char* unit, const std::vector<double>& times,
              const std::vector<double>& values, double far, double alarm) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value < far ? number(value) : Json(nullptr));
  return {{"name", name},   {"unit", unit}, {"times", times},
          {"values", list}, {"far", far},   {"alarm", alarm}};
}

}  // namespace

Json traffic_intervals(const Road& road, const Trajectory& m, const TrafficResult& result,
                       double clearance) {
  Json proved = Json::array();
  const auto add = [](Json& list, double begin, double end, const std::string& label,
                      const char* colour) {
    if (end > begin)
      list.push_back({{"begin", begin}, {"end", end}, {"label", label}, {"colour", colour}});
  };
  const double begin = m.t.front(), end = m.t.back();
  const std::string free = clearance > 0 ? fmt::format("free by {:g} m", clearance) : "free";
  if (const auto& c = result.contact) {
    add(proved, begin, c->t_lower, free, colours::kProved);
    add(proved, c->t_lower, std::max(c->t_lower + 0.02 * (end - begin), c->t), "contact",
        colours::kContact);
  } else if (const auto& d = result.doubt) {
    add(proved, d->t_begin, std::max(d->t_end, d->t_begin + 0.01 * (end - begin)), "undecided",
        colours::kRegion);
  } else {
    add(proved, begin, end, free, colours::kProved);
  }
  Json lanes = Json::array({{{"name", "Proved"}, {"intervals", proved}}});
  // Stretches with the same limit.
  Json limits = Json::array();
  bool any = false;
  for (std::size_t i = 0; i + 1 < m.t.size();) {
    const auto limit = limit_at(road, middle_of(m, i));
    const double from = m.t[i];
    while (i + 1 < m.t.size() && limit_at(road, middle_of(m, i)) == limit) ++i;
    any = any || limit.has_value();
    add(limits, from, m.t[i], limit ? fmt::format("{:.0f} km/h", 3.6 * *limit) : "no limit",
        limit ? colours::kMoving : colours::kStanding);
  }
  if (any) lanes.push_back({{"name", "Speed limit"}, {"intervals", limits}});
  return lanes;
}

Json traffic_series(const TrafficScene& scene, const Road& road, const Footprint& shape,
                    const Trajectory& m) {
  constexpr double kFar = 5, kLongGap = 3, kLater = 8;
  std::vector<double> distance, gap, collision;
  MetricOptions options;
  options.tolerance = 0.01;
  options.time_tolerance = 0.02;
  options.horizon = kLongGap;
  options.max_cells = 2000;
  const double none = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < m.t.size(); ++i) {
    const Trajectory step = step_of(m, i);
    const auto near = clearance(scene, shape, step, options);
    distance.push_back(near.ok() ? near.value().distance.lower : none);
    const auto between = time_gap(scene, shape, step, options);
    gap.push_back(between.ok() ? between.value().seconds.lower : none);
    const auto until = time_to_collision_at(scene, shape, m, m.t[i], kLater);
    collision.push_back(until.ok() ? until.value() : none);
  }
  return Json::array({speed_series(road, m), nearness("Distance", "m", m.t, distance, kFar, 0.3),
                      nearness("Time gap", "s", m.t, gap, kLongGap, 0.5),
                      nearness("Collision in", "s", m.t, collision, kLater, 1.5)});
}

}  // namespace proven::tools
