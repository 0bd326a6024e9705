#include "tools/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "proven/base/largest_number.h"
#include "proven/base/numbers.h"
#include "proven/scene/sensed.h"
#include "tools/scene_argument.h"

namespace proven::tools {
namespace {

// Calls take(name, number) for every part of "number,name=number,..."; the name of a bare number,
// which comes first, is empty.
template <class Take>
Result<void> parse_parts(std::string_view text, Take take) {
  bool first = true;
  for (std::size_t begin = 0; begin <= text.size(); first = false) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::size_t sign = part.rfind('=');
    const bool named = sign != std::string_view::npos;
    const auto number = parse_double(named ? part.substr(sign + 1) : part);
    if (!number || !(*number >= 0 && *number <= kLargestNumber) || (!named && !first))
      return bad_input(fmt::format(
          "'{}' is not understood: expected a number from 0 to 1e9, then NAME=NUMBER, by commas",
          part));
    if (auto taken = take(named ? part.substr(0, sign) : std::string_view(), *number); !taken.ok())
      return taken;
    begin = end + 1;
  }
  return {};
}

double* member(Clearances& clearances, std::string_view name) {
  if (name == to_string(PairClass::world)) return &clearances.world;
  if (name == to_string(PairClass::robots)) return &clearances.robots;
  if (name == to_string(PairClass::self)) return &clearances.self;
  if (name == to_string(PairClass::attached)) return &clearances.attached;
  return nullptr;
}

nlohmann::ordered_json to_json(const Clearances& c) {
  return {{"world", c.world}, {"robots", c.robots}, {"self", c.self}, {"attached", c.attached}};
}

}  // namespace

Result<Clearances> parse_clearances(std::string_view text) {
  Clearances clearances;
  const auto parsed = parse_parts(text, [&](std::string_view name, double metres) -> Result<void> {
    if (name.empty()) {
      clearances = metres;
      return {};
    }
    double* const value = member(clearances, name);
    if (!value)
      return bad_input(fmt::format(
          "there is no class of pairs '{}'; there are world, robots, self and attached", name));
    *value = metres;
    return {};
  });
  if (!parsed.ok()) return parsed.error();
  return clearances;
}

Result<TrackingError> parse_tracking_error(std::string_view text) {
  TrackingError error;
  const auto parsed = parse_parts(text, [&](std::string_view name, double value) -> Result<void> {
    if (name.empty())
      error.general = value;
    else
      error.joints[std::string(name)] = value;
    return {};
  });
  if (!parsed.ok()) return parsed.error();
  return error;
}

std::string to_text(const TrackingError& error) {
  std::string text = fmt::format("{} rad or m per joint", error.general);
  for (const auto& [joint, own] : error.joints) text += fmt::format(", {} {}", joint, own);
  return text;
}

Clearances required(const Scene& scene, const CheckOptions& options) {
  const Clearances &x = scene.clearance(), &y = options.clearance;
  return {std::max(x.world, y.world), std::max(x.robots, y.robots), std::max(x.self, y.self),
          std::max(x.attached, y.attached)};
}

double required(const BodyPair& pair, const CheckOptions& options) {
  const double asked = options.clearance.of(pair.kind);
  return asked > 0 ? std::max(asked, pair.clearance) : pair.clearance;
}

std::string required_text(const Scene& scene, const CheckOptions& options) {
  constexpr std::pair<PairClass, const char*> kClasses[] = {
      {PairClass::world, "against the world"},
      {PairClass::robots, "between robots"},
      {PairClass::self, "within a robot"},
      {PairClass::attached, "to what it holds"}};
  std::string text;
  bool same = true;
  for (const BodyPair& pair : scene.pairs())
    same = same && required(pair, options) == required(scene.pairs()[0], options);
  if (same)
    return fmt::format("{} m", scene.pairs().empty() ? 0 : required(scene.pairs()[0], options));
  for (const auto& [kind, words] : kClasses) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const BodyPair& pair : scene.pairs()) {
      if (pair.kind != kind) continue;
      least = std::min(least, required(pair, options));
      most = std::max(most, required(pair, options));
    }
    if (least > most) continue;  // no such pair
    text += fmt::format(
        "{}{} m {}", text.empty() ? "" : ", ",
        least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most), words);
  }
  return text;
}

nlohmann::ordered_json claims_json(const Scene& scene, const CheckOptions& options) {
  const Clearances general = required(scene, options);
  nlohmann::ordered_json claims = {{"clearance", to_json(general)}};
  claims["pairs"] = nlohmann::ordered_json::array();
  for (const BodyPair& pair : scene.pairs()) {
    const double clearance = required(pair, options);
    if (clearance != general.of(pair.kind))
      claims["pairs"].push_back({scene.body(pair.a).name, scene.body(pair.b).name, clearance});
  }
  claims["tracking_error"] = options.tracking_error.general;
  if (!options.tracking_error.joints.empty())
    claims["tracking_error_of"] = options.tracking_error.joints;
  claims["no_inside"] = bodies_without_inside(scene);
  claims["ignored"] = scene.ignored();
  claims["sensed"] = nlohmann::ordered_json::object();
  for (const auto& [name, note] : sensed_bodies(scene)) claims["sensed"][name] = note;
  claims["moving"] = nlohmann::ordered_json::array();
  claims["growing"] = claims["late"] = nlohmann::ordered_json::object();
  for (const TimedPart& part : scene.timed()) {
    claims["moving"].push_back(part.name);
    if (const int body = scene.find_body(part.name); body >= 0 && scene.body(body).grows > 0)
      claims["growing"][part.name] = scene.body(body).grows;
    if (part.late > 0) claims["late"][part.name] = part.late;
  }
  return claims;
}

}  // namespace proven::tools
