#include "plan/timing_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proven {
namespace {

constexpr double kMiddle = 3.0 / 16;    // B(1/2)
constexpr double kShortestLine = 1e-9;  // seconds: between blends that meet there is none

Row combine(const Row& origin, double a, const Row& u, double b, const Row& v) {
  Row row(origin.size());
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = origin[k] + (a * u[k] + b * v[k]);
  return row;
}

}  // namespace

LineBounds bounds_of(const Row& direction, const std::vector<AxisLimits>& limits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  LineBounds bounds{kInfinity, kInfinity, kInfinity};
  for (std::size_t k = 0; k < direction.size(); ++k) {
    const double size = std::fabs(direction[k]);
    if (size == 0) continue;
    bounds.velocity = std::min(bounds.velocity, limits[k].velocity / size);
    bounds.acceleration = std::min(bounds.acceleration, limits[k].acceleration / size);
    bounds.jerk = std::min(bounds.jerk, limits[k].jerk / size);
  }
  return bounds;
}

Row Stretch::position(double along) const {
  if (!blended()) return combine(origin, along, before, 0, before);
  const double s = along / length, left = 1 - s;
  return combine(origin, -reach() * left * left * left * (1 + s), before,
                 reach() * s * s * s * (1 + left), after);
}

Row Stretch::rate(double along) const {
  if (!blended()) return before;
  const double s = along / length, left = 1 - s;
  return combine(Row(before.size()), left * left * (1 + 2 * s), before, s * s * (1 + 2 * left),
                 after);
}

Row Stretch::bend(double along) const {
  const double s = along / length;
  const double size = blended() ? 3 * s * (1 - s) / reach() : 0;
  return combine(Row(before.size()), -size, before, size, after);
}

double travel_seconds(const Row& from, const Row& to, const std::vector<AxisLimits>& limits) {
  double most = 0;
  for (std::size_t k = 0; k < from.size(); ++k)
    most = std::max(most, std::fabs(to[k] - from[k]) / limits[k].velocity);
  return most;
}

Row direction(const Row& from, const Row& to, double length) {
  Row row(from.size());
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = (to[k] - from[k]) / length;
  return row;
}

double blend_deviation(const Row& before, const Row& after, double reach) {
  double sum = 0;
  for (std::size_t k = 0; k < before.size(); ++k)
    sum += (after[k] - before[k]) * (after[k] - before[k]);
  return kMiddle * reach * std::sqrt(sum);
}

double blend_reach(const Run& run, std::size_t i, const std::vector<AxisLimits>& limits,
                   const BlendRules& rules) {
  const double first = travel_seconds(run.points[i - 1], run.points[i], limits);
  const double second = travel_seconds(run.points[i], run.points[i + 1], limits);
  const Row before = direction(run.points[i - 1], run.points[i], first);
  const Row after = direction(run.points[i], run.points[i + 1], second);
  // At full speed the bend asks for 3/4 |after - before| / reach, its change for twice that by the
  // reach.
  double needed = rules.shortest;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const double change = std::fabs(after[k] - before[k]);
    needed = std::max(
        {needed, 0.75 * change / limits[k].acceleration, std::sqrt(1.5 * change / limits[k].jerk)});
  }
  const double unit = blend_deviation(before, after, 1);
  const double allowed = unit > 0 ? rules.deviation / unit : needed;
  return std::min({0.5 * first, 0.5 * second, needed, allowed});
}

std::vector<Stretch> blended_curve(const Run& run, const std::vector<AxisLimits>& limits,
                                   const std::vector<double>& reach) {
  std::vector<Stretch> curve;
  Row before;
  for (std::size_t i = 1; i < run.points.size(); ++i) {
    const double length = travel_seconds(run.points[i - 1], run.points[i], limits);
    const Row u = direction(run.points[i - 1], run.points[i], length);
    if (i > 1)
      curve.push_back({run.points[i - 1], before, u, 2 * reach[i - 1], run.waypoints[i - 1]});
    Stretch line{run.points[i - 1], u, u, length - reach[i - 1] - reach[i], -1};
    line.origin = line.position(reach[i - 1]);
    // Of a run without corners the line is all there is.
    if (line.length > kShortestLine || run.points.size() == 2) curve.push_back(std::move(line));
    before = u;
  }
  return curve;
}

}  // namespace proven
