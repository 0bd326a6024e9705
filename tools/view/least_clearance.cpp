#include "tools/view/least_clearance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNearestLines = 5;

std::string length(double metres, bool down) {
  const double size = std::fabs(metres);
  if (size == 0) return "0 m";
  const auto [factor, unit] = size < 1e-3  ? std::pair(1e6, "µm")
                              : size < 1.0 ? std::pair(1e3, "mm")
                                           : std::pair(1.0, "m");
  const double scaled = metres * factor;
  const int digits =
      std::clamp(2 - static_cast<int>(std::floor(std::log10(std::fabs(scaled)))), 0, 3);
  const double step = std::pow(10.0, digits);
  const double shown = (down ? std::floor(scaled * step) : std::ceil(scaled * step)) / step;
  return fmt::format("{:.{}f} {}", shown, digits, unit);
}

bool is_known(const ClearanceBounds& bounds) {
  return bounds.bodies[0] >= 0;
}

std::string pair_text(const Scene& scene, const ClearanceBounds& bounds) {
  return fmt::format("{} and {}", scene.body(bounds.bodies[0]).name,
                     scene.body(bounds.bodies[1]).name);
}

Json bounds_json(const Scene& scene, const Motion& motion, const ClearanceBounds& bounds) {
  if (!is_known(bounds)) return nullptr;
  Json json = {{"at_least", bounds.at_least},
               {"at_most", bounds.at_most},
               {"pair", {scene.body(bounds.bodies[0]).name, scene.body(bounds.bodies[1]).name}},
               {"class", to_string(scene.pair_class(bounds.bodies[0], bounds.bodies[1]))},
               {"segment", bounds.segment},
               {"t", bounds.t}};
  if (!motion.times.empty()) json["time"] = bounds.time;
  json["points"] = Json::array();
  for (const Vec3& p : bounds.points) json["points"].push_back({p.x, p.y, p.z});
  return json;
}

double knot_time(const Motion& motion, std::span<const double> knots, int segment, double t) {
  const auto i = static_cast<std::size_t>(segment);
  if (motion.num_segments() == 0) return knots[0];
  return t == 1 ? knots[i + 1] : knots[i] + t * (knots[i + 1] - knots[i]);
}

}  // namespace

std::string length_down(double metres) {
  return length(metres, true);
}
std::string length_up(double metres) {
  return length(metres, false);
}

std::string bounds_text(const Scene& scene, const Motion& motion, const ClearanceBounds& bounds) {
  return fmt::format(
      "at least {}, proved; at most {}, measured between {} at segment {}, t = {:.4g}{}",
      length_down(bounds.at_least), length_up(bounds.at_most), pair_text(scene, bounds),
      bounds.segment, bounds.t, motion.times.empty() ? "" : fmt::format(", {:.6g} s", bounds.time));
}

std::vector<std::string> least_clearance_lines(const Scene& scene, const Motion& motion,
                                               const LeastClearance& found) {
  if (found.verdict != Verdict::free) return {fmt::format("least clearance: none; {}", found.note)};
  if (!is_known(found.least)) return {"least clearance: none; no pair is tested"};
  std::vector<std::string> lines = {
      fmt::format("least clearance: {}", bounds_text(scene, motion, found.least))};
  if (!found.note.empty()) lines.push_back(fmt::format("  {}", found.note));
  if (found.classes.size() > 1)
    for (const ClassClearance& of_class : found.classes)
      lines.push_back(fmt::format("  class {}: {}", to_string(of_class.kind),
                                  bounds_text(scene, motion, of_class.bounds)));
  if (found.pairs.size() > 1) lines.push_back("  nearest pairs, proved and measured:");
  if (found.pairs.size() > 1)
    for (const ClearanceBounds& pair :
         std::span(found.pairs).first(std::min(kNearestLines, found.pairs.size())))
      lines.push_back(fmt::format("    {:>9} to {:>9}  {}", length_down(pair.at_least),
                                  length_up(pair.at_most), pair_text(scene, pair)));
  return lines;
}

Json least_clearance_json(const Scene& scene, const Motion& motion, const LeastClearance& found) {
  if (found.verdict != Verdict::free || !is_known(found.least)) return nullptr;
  Json json = bounds_json(scene, motion, found.least);
  json["tight"] = found.tight;
  json["note"] = found.note;
  json["classes"] = Json::object();
  for (const ClassClearance& of_class : found.classes)
    json["classes"][std::string(to_string(of_class.kind))] =
        bounds_json(scene, motion, of_class.bounds);
  json["segments"] = Json::array();
  for (const ClearanceBounds& segment : found.segments)
    json["segments"].push_back(bounds_json(scene, motion, segment));
  json["pairs"] = Json::array();
  for (const ClearanceBounds& pair : found.pairs)
    json["pairs"].push_back(bounds_json(scene, motion, pair));
  json["searches"] = found.searches;
  json["seconds"] = found.seconds;
  return json;
}

Json shown_clearance_json(const Motion& motion, std::span<const double> knots,
                          const LeastClearance& found) {
  const auto bounds = [&](const ClearanceBounds& b) {
    return Json{{"at_least", b.at_least},
                {"at_most", b.at_most},
                {"bodies", b.bodies},
                {"time", knot_time(motion, knots, b.segment, b.t)}};
  };
  if (found.verdict != Verdict::free || !is_known(found.least)) return nullptr;
  Json json = bounds(found.least);
  json["tight"] = found.tight;
  json["note"] = found.note;
  json["pairs"] = Json::array();
  for (const ClearanceBounds& pair : found.pairs) json["pairs"].push_back(bounds(pair));
  json["stretches"] = Json::array();
  for (const ClearanceStretch& s : found.stretches) {
    Json near = Json::array();
    for (const ClearanceBounds& pair : s.pairs)
      near.push_back({pair.bodies[0], pair.bodies[1], pair.at_least, pair.at_most});
    json["stretches"].push_back({knot_time(motion, knots, s.segment, s.begin),
                                 knot_time(motion, knots, s.segment, s.end), s.bounds.at_least,
                                 s.bounds.at_most, std::move(near)});
  }
  return json;
}

}  // namespace proven::tools
