#include "tools/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "proven/scene/sensed.h"
#include "tools/claims.h"
#include "tools/scene_argument.h"
#include "tools/terminal.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

Json place_json(const Scene& scene, int segment, double t, const std::vector<double>& configuration,
                const std::array<int, 2>& bodies, const std::array<Vec3, 2>& points,
                double distance) {
  Json place = {{"segment", segment}, {"t", t}, {"configuration", configuration}};
  place["pair"] = Json::array();
  place["points"] = Json::array();
  if (bodies[0] >= 0) {
    for (const int body : bodies) place["pair"].push_back(scene.body(body).name);
    for (const Vec3& p : points) place["points"].push_back({p.x, p.y, p.z});
  }
  place["distance"] = distance;
  return place;
}

// How many pairs are excluded for each reason, with each note.
std::map<std::pair<ExclusionReason, std::string>, int> exclusions(const Scene& scene) {
  std::map<std::pair<ExclusionReason, std::string>, int> count;
  for (const ExcludedPair& pair : scene.excluded_pairs()) ++count[{pair.reason, pair.note}];
  return count;
}

std::string pair_text(const Scene& scene, const std::array<int, 2>& bodies) {
  return bodies[0] < 0 ? "" : scene.body(bodies[0]).name + " - " + scene.body(bodies[1]).name;
}

// Joints that the path puts beyond a limit: by no more than rounding, unless limits are ignored.
std::vector<std::string> beyond_limits(const Scene& scene, const Path& path) {
  std::vector<std::string> names;
  const auto coordinates = scene.tree().coordinates();
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (std::ranges::any_of(path.waypoints, [&](const std::vector<double>& q) {
          return q[i] < coordinates[i].lower || q[i] > coordinates[i].upper;
        }))
      names.push_back(coordinates[i].name);
  return names;
}

// What was checked, in the words of its kind.
std::string motion_text(const Motion& motion) {
  if (motion.straight()) return fmt::format("{} segments", motion.num_segments());
  return fmt::format("{} pieces of degree up to {}", motion.num_segments(), motion.degree());
}

std::string clock_text(const Motion& motion, double time) {
  return motion.times.empty() ? "" : fmt::format(", {:.6g} s", time);
}

// What is required of a pair, with its class.
std::string required_text(const Scene& scene, const CheckOptions& options,
                          const std::array<int, 2>& bodies) {
  for (const BodyPair& pair : scene.pairs())
    if (pair.a == bodies[0] && pair.b == bodies[1])
      return fmt::format("{} m required of class {}", required(pair, options),
                         to_string(pair.kind));
  return "";
}

}  // namespace

ExitCode exit_code(Verdict verdict) {
  return verdict == Verdict::free ? kOk : verdict == Verdict::collision ? kCollision : kUndecided;
}

Json to_json(const CheckResult& result, const Scene& scene, const Path& path,
             const CheckOptions& options) {
  Json json = {{"verdict", to_string(result.verdict)},
               {"checker", to_string(options.checker)},
               {"certificate", nullptr},
               {"segments", path.num_segments()},
               {"curve", path.straight() ? Json("straight") : Json(path.degree())},
               {"clearance", required(scene, options).world},
               {"claims", claims_json(scene, options)},
               {"resolution", options.resolution},
               {"collision", nullptr},
               {"undecided", nullptr}};
  if (result.collision) {
    const Witness& w = *result.collision;
    json["collision"] =
        place_json(scene, w.segment, w.t, w.configuration, w.bodies, w.points, w.distance);
    if (!path.times.empty()) json["collision"]["time"] = w.time;
    json["collision"]["kind"] = to_string(w.kind);
    json["collision"]["text"] = describe(w.kind);
    json["collision"]["pieces"] = w.pieces;
    json["collision"]["class"] = to_string(scene.pair_class(w.bodies[0], w.bodies[1]));
    if (options.first) json["collision"]["t_lower"] = w.t_lower;
    for (std::size_t i = 0; i < w.delays.size(); ++i)
      if (scene.timed()[i].late > 0) json["collision"]["late"][scene.timed()[i].name] = w.delays[i];
  }
  if (result.undecided) {
    const Undecided& u = *result.undecided;
    json["undecided"] =
        place_json(scene, u.segment, u.t, u.configuration, u.bodies, u.points, u.distance);
    if (!path.times.empty()) json["undecided"]["time"] = u.time;
    json["undecided"]["reason"] = to_string(u.reason);
    if (u.bodies[0] >= 0)
      json["undecided"]["class"] = to_string(scene.pair_class(u.bodies[0], u.bodies[1]));
    json["undecided"]["text"] = describe(u.reason);
  }
  json["tested_pairs"] = scene.pairs().size();
  json["excluded_pairs"] = scene.excluded_pairs().size();
  json["exclusions"] = Json::array();
  for (const auto& [why, count] : exclusions(scene))
    json["exclusions"].push_back({{"reason", to_string(why.first)},
                                  {"text", describe(why.first)},
                                  {"note", why.second},
                                  {"pairs", count}});
  json["defaulted_joints"] = path.defaulted;
  json["beyond_limits"] = beyond_limits(scene, path);
  json["stats"] = {{"box_tests", result.stats.box_tests},
                   {"triangle_tests", result.stats.triangle_tests},
                   {"configurations", result.stats.configurations},
                   {"cells", result.stats.cells},
                   {"seconds", result.stats.seconds}};
  if (options.explain) {
    json["efforts"] = Json::array();
    for (const Effort& effort : result.efforts) {
      Json pair = {scene.body(effort.bodies[0]).name};
      if (effort.bodies[1] >= 0) pair.push_back(scene.body(effort.bodies[1]).name);
      Json& entry =
          json["efforts"].emplace_back(Json{{"segment", effort.segment},
                                            {"pair", pair},
                                            {"tests", effort.tests},
                                            {"tests_by_stretch", effort.tests_by_stretch}});
      if (std::isfinite(effort.least_gap))
        entry["smallest_gap"] = {{"t", effort.t_least_gap}, {"distance", effort.least_gap}};
    }
  }
  return json;
}

namespace {

constexpr std::size_t kExplainedLines = 10;

std::string effort_pair(const Effort& effort, const Scene& scene) {
  return fmt::format("{} - {}", scene.body(effort.bodies[0]).name,
                     effort.bodies[1] < 0 ? "all still bodies" : scene.body(effort.bodies[1]).name);
}

std::size_t busiest_stretch(const Effort& effort) {
  return static_cast<std::size_t>(std::ranges::max_element(effort.tests_by_stretch) -
                                  effort.tests_by_stretch.begin());
}

void print_efforts(const CheckResult& result, const Scene& scene) {
  fmt::print("  where the work went (box tests; busiest stretch; smallest proved gap):\n");
  for (const Effort& effort :
       std::span(result.efforts).first(std::min(kExplainedLines, result.efforts.size()))) {
    const double width = 1.0 / Effort::kStretches;
    const double begin = static_cast<double>(busiest_stretch(effort)) * width;
    fmt::print("  {:>8}  {:<40} segment {}, t {:.3f} to {:.3f}", effort.tests,
               effort_pair(effort, scene), effort.segment, begin, begin + width);
    if (std::isfinite(effort.least_gap))
      fmt::print(", {:.3g} m at t = {:.4f}", effort.least_gap, effort.t_least_gap);
    fmt::print("\n");
  }
  if (result.efforts.size() > kExplainedLines)
    fmt::print("  ... and {} more (--json lists all)\n", result.efforts.size() - kExplainedLines);
}

}  // namespace

void print(const CheckResult& result, const Scene& scene, const Path& path,
           const CheckOptions& options) {
  const Colour colour = result.verdict == Verdict::free        ? Colour::green
                        : result.verdict == Verdict::collision ? Colour::red
                                                               : Colour::yellow;
  fmt::print("{}", paint(colour, to_string(result.verdict)));
  if (result.verdict == Verdict::free)
    fmt::print(
        ": all {}, {} pairs, clearance {}{}\n", motion_text(path), scene.pairs().size(),
        required_text(scene, options),
        options.checker == Checker::directional
            ? ""
            : fmt::format(" (by the rule of '{}'; no certificate)", to_string(options.checker)));
  if (result.collision) {
    const Witness& w = *result.collision;
    fmt::print(": {} ({}) at segment {}, t = {}{}\n", pair_text(scene, w.bodies), describe(w.kind),
               w.segment, w.t, clock_text(path, w.time));
    for (std::size_t i = 0; i < w.delays.size(); ++i)
      if (scene.timed()[i].late > 0)
        fmt::print("  if {} starts {} s late\n", scene.timed()[i].name, w.delays[i]);
    if (options.first) fmt::print("  no contact before t = {} of that segment\n", w.t_lower);
    fmt::print("  at [{:.6f}, {:.6f}, {:.6f}], distance {:.3g} m; {}\n  configuration [{:.17g}]\n",
               w.points[0].x, w.points[0].y, w.points[0].z, w.distance,
               required_text(scene, options, w.bodies), fmt::join(w.configuration, ", "));
  }
  if (result.undecided) {
    const Undecided& u = *result.undecided;
    fmt::print(": {}\n", describe(u.reason));
    if (u.bodies[0] >= 0)
      fmt::print("  {} at segment {}, t = {}{}, gap {:.3g} m; {}\n", pair_text(scene, u.bodies),
                 u.segment, u.t, clock_text(path, u.time), u.distance,
                 required_text(scene, options, u.bodies));
  }
  fmt::print("  {} pairs tested, {} excluded", scene.pairs().size(), scene.excluded_pairs().size());
  std::string separator = ": ";
  for (const auto& [why, count] : exclusions(scene)) {
    fmt::print("{}{} {}{}{}", separator, count, describe(why.first), why.second.empty() ? "" : ": ",
               why.second);
    separator = ", ";
  }
  fmt::print("\n");
  for (const TimedPart& part : scene.timed()) {
    const int body = scene.find_body(part.name);
    const double grows = body < 0 ? 0 : scene.body(body).grows;
    fmt::print("  {} moves by the clock{}{}\n", part.name,
               part.late > 0 ? fmt::format(", from any start up to {} s late", part.late) : "",
               grows > 0 ? fmt::format(" and grows by {} m/s from time 0", grows) : "");
    if (!path.times.empty() && (part.motion->times.back() < path.times.back() ||
                                part.motion->times.front() > path.times.front()))
      fmt::print("  {} moves from {} to {} s: before and after it rests\n", part.name,
                 part.motion->times.front(), part.motion->times.back());
    if (const double end = part.motion->times.back() + part.late;
        !path.times.empty() && end > path.times.back())
      fmt::print(
          "  {} moves until {} s, the motion ends at {} s: nothing is said of the time after "
          "(a last waypoint at rest, at that time, covers it)\n",
          part.name, end, path.times.back());
  }
  if (options.tracking_error.any())
    fmt::print("  for every motion within {} of the path\n", to_text(options.tracking_error));
  for (const auto& [name, note] : sensed_bodies(scene)) fmt::print("  {} is {}\n", name, note);
  for (const std::string& what : scene.ignored()) fmt::print("  ignored, as asked: {}\n", what);
  if (const auto open = bodies_without_inside(scene); !open.empty())
    fmt::print("  no well-defined inside, since a mesh is open (docs/inside.md): {}\n",
               fmt::join(open, ", "));
  if (const auto beyond = beyond_limits(scene, path); !beyond.empty())
    fmt::print("  beyond a limit, and taken as it is: {}\n", fmt::join(beyond, ", "));
  if (!path.defaulted.empty())
    fmt::print("  not in the path, at home: {}\n", fmt::join(path.defaulted, ", "));
  fmt::print("  {} configurations, {} cells, {} box tests, {} triangle tests, {:.3f} ms\n",
             result.stats.configurations, result.stats.cells, result.stats.box_tests,
             result.stats.triangle_tests, 1e3 * result.stats.seconds);
  if (options.explain) print_efforts(result, scene);
}

std::filesystem::path certificate_of_many(const std::filesystem::path& folder, std::size_t index) {
  return folder / fmt::format("{}.proof", index + 1);
}

}  // namespace proven::tools
