#include "tools/view/motion_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/view/packed.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

bool is_timed(const Motion& motion) {
  return motion.times.size() > 1;
}

// In the words of verdicts.
std::string curve_text(const Motion& motion) {
  const int n = motion.num_segments(), degree = motion.degree();
  if (motion.straight()) return fmt::format("{} segment{}", n, n == 1 ? "" : "s");
  return n == 1 ? fmt::format("1 piece of degree {}", degree)
                : fmt::format("{} pieces of degree up to {}", n, degree);
}

// In the words of verdicts and of the verifier's theorem.
std::string clock_text(const Scene& scene, const Motion& motion, std::span<const double> delays) {
  std::string text = fmt::format("{:.6g} s", motion.times.back() - motion.times.front());
  const auto timed = scene.timed();
  for (std::size_t i = 0; i < timed.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? ", on one clock with" : ",", timed[i].name);
    if (timed[i].late <= 0) continue;
    text += delays.empty() ? fmt::format(" from any start up to {} s late", timed[i].late)
                           : fmt::format(" if it starts {} s late", delays[i]);
  }
  if (scene.may_be_late() && delays.empty())
    text += "; shown on time, and without the proof's cells, which are of many starts";
  return text;
}

}  // namespace

// A segment of no length keeps a thousandth of the whole, so that it can be seen.
std::vector<double> knots_of(const Motion& motion) {
  if (is_timed(motion)) return motion.times;
  std::vector<double> lengths;
  double total = 0;
  for (std::size_t i = 1; i < motion.waypoints.size(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < motion.waypoints[i].size(); ++k) {
      const double step = motion.waypoints[i][k] - motion.waypoints[i - 1][k];
      squares += step * step;
    }
    lengths.push_back(std::sqrt(squares));
    total += lengths.back();
  }
  if (!(total > 0)) total = 1;
  std::vector<double> knots = {0};
  for (const double length : lengths)
    knots.push_back(knots.back() + std::max(length, 1e-3 * total));
  if (knots.size() == 1) knots.push_back(1);
  return knots;
}

Json motion_json(const Scene& scene, const Motion& motion, std::span<const double> delays) {
  std::vector<double> values;
  const auto add = [](std::vector<double>& list, const std::vector<double>& q) {
    list.insert(list.end(), q.begin(), q.end());
  };
  for (const auto& waypoint : motion.waypoints) add(values, waypoint);
  if (motion.waypoints.size() == 1) add(values, motion.waypoints[0]);
  Json json = {{"knots", knots_of(motion)},
               {"unit", is_timed(motion) ? "s" : ""},
               {"values", packed(values)},
               {"curve", curve_text(motion)}};
  if (is_timed(motion)) json["clock"] = clock_text(scene, motion, delays);
  if (motion.straight()) return json;
  std::vector<double> inner;
  json["degrees"] = Json::array();
  for (const auto& points : motion.inner) {
    json["degrees"].push_back(points.size() + 1);
    for (const auto& point : points) add(inner, point);
  }
  json["inner"] = packed(inner);
  return json;
}

Json joints_json(const Scene& scene) {
  Json joints = Json::array();
  const auto coordinates = scene.tree().coordinates();
  for (std::size_t i = 0; i < coordinates.size(); i += coordinates[i].quaternion ? 4 : 1) {
    if (scene.follows_clock(static_cast<int>(i))) continue;
    const Coordinate& c = coordinates[i];
    Json& joint = joints.emplace_back(Json{{"name", c.quaternion ? c.joint : c.name},
                                           {"channel", i},
                                           {"unit", c.rotary || c.quaternion ? "rad" : "m"}});
    if (!c.quaternion && std::isfinite(c.lower)) joint["lower"] = c.lower;
    if (!c.quaternion && std::isfinite(c.upper)) joint["upper"] = c.upper;
    if (std::isfinite(c.velocity)) joint["velocity"] = c.velocity;
    if (std::isfinite(c.acceleration)) joint["acceleration"] = c.acceleration;
  }
  return joints;
}

}  // namespace proven::tools
