#include "tools/planned.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proven/plan/smooth.h"
#include "proven/scene/sensed.h"
#include "tools/check_report.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/timing_report.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

PathReport path_report(const PlanResult& result, const PlanArguments& arguments) {
  return {result.path,        arguments.options.check, arguments.options.margin,
          result.margin_kept, result.margin_reason,    result.proved};
}

// The goal where the path ends; -1 without a path.
int goal_of(const Planned& result, const Scene& scene) {
  if (result.status != PlanStatus::solved) return -1;
  return goal_reached(scene.tree(), result.goals, result.path.waypoints.back());
}

// The pose that was reached or, without a path, the first that was asked for.
int pose_of(const Planned& result, const Scene& scene) {
  const int reached = goal_of(result, scene);
  for (int i = std::max(0, reached); i < static_cast<int>(result.asked.size()); ++i) {
    if (std::holds_alternative<PoseGoal>(result.asked[static_cast<std::size_t>(i)])) return i;
    if (reached >= 0) break;
  }
  return -1;
}

// How many configurations there were for the pose, which was chosen, and how far it is off.
Json pose_json(const Planned& result, const Scene& scene, int index) {
  const auto i = static_cast<std::size_t>(index);
  const PoseGoal& pose = std::get<PoseGoal>(result.asked[i]);
  Json json = {
      {"link", scene.tree().link(pose.target.link).name},
      {"free", to_string(pose.target.free)},
      {"reached", result.goals.poses.empty() ? 0 : result.goals.poses[i].reached},
      {"free_configurations", result.goals.poses.empty() ? 0 : result.goals.poses[i].goals.size()},
      {"configuration", nullptr}};
  if (result.status != PlanStatus::solved) return json;
  const std::vector<double>& q = result.path.waypoints.back();
  const ToolDeviation off = distance_to_pose(scene.tree(), pose, q);
  json["configuration"] = q;
  json["distance"] = off.position;
  json["angle"] = off.angle;
  return json;
}

}  // namespace

int exit_code(const PlanResult& result) {
  switch (result.status) {
    case PlanStatus::solved:
      return kOk;
    case PlanStatus::budget:
      return kUndecided;
    case PlanStatus::cancelled:
      return kInterrupted;
    case PlanStatus::start_invalid:
    case PlanStatus::goal_invalid:
      break;
  }
  if (result.broken)
    return result.broken->verdict == ConstraintVerdict::broken ? kCollision : kUndecided;
  if (!result.obstruction) return kBadInput;  // beyond limits
  return result.obstruction->kind == ContactKind::too_close ? kUndecided : kCollision;
}

nlohmann::ordered_json to_json(const Planned& result, const Scene& scene,
                               const PlanArguments& arguments) {
  const PlanStats& stats = result.stats;
  Json json = {{"status", to_string(result.status)},
               {"planner", arguments.options.planner},
               {"checker", arguments.checker},
               {"proved", result.proved},
               {"reason", result.reason},
               {"obstruction", nullptr}};
  if (result.obstruction) {
    const Witness& w = *result.obstruction;
    json["obstruction"] = {{"at", w.segment == 0 ? "start" : "goal"},
                           {"kind", to_string(w.kind)},
                           {"text", describe(w.kind)},
                           {"pair", {scene.body(w.bodies[0]).name, scene.body(w.bodies[1]).name}},
                           {"distance", w.distance},
                           {"points", Json::array()},
                           {"configuration", w.configuration}};
    for (const Vec3& p : w.points) json["obstruction"]["points"].push_back({p.x, p.y, p.z});
  }
  if (const int goal = goal_of(result, scene); goal >= 0)
    json["goal"] = goal;
  else
    json["goal"] = nullptr;
  json["constraints"] = arguments.options.constraints.size();
  json["joints"] = Json::array();
  for (const Coordinate& c : scene.tree().coordinates()) json["joints"].push_back(c.name);
  json["no_inside"] = bodies_without_inside(scene);
  json["ignored"] = scene.ignored();
  json["sensed"] = Json::object();
  for (const auto& [name, note] : sensed_bodies(scene)) json["sensed"][name] = note;
  json["waypoints"] = result.path.waypoints;
  json["length"] = path_length(scene, result.path);
  json["first_length"] = result.first_length;
  json["rounds"] = result.rounds;
  if (result.status == PlanStatus::solved)
    json.update(path_json(scene, path_report(result, arguments)));
  if (const int pose = pose_of(result, scene); pose >= 0)
    json["pose_goal"] = pose_json(result, scene, pose);
  if (result.timed) json["timing"] = timing_json(*result.timed);
  if (!result.certificate.empty()) json["certificate"] = arguments.certificate;
  json["stats"] = {
      {"iterations", stats.iterations},     {"configurations", stats.configurations},
      {"segments", stats.segments},         {"candidate_paths", stats.candidate_paths},
      {"box_tests", stats.check.box_tests}, {"triangle_tests", stats.check.triangle_tests},
      {"cells", stats.check.cells},         {"seconds", stats.seconds}};
  return json;
}

void print(const Planned& result, const Scene& scene, const PlanArguments& arguments) {
  const bool solved = result.status == PlanStatus::solved;
  fmt::print("{}", paint(solved ? Colour::green : Colour::red, to_string(result.status)));
  if (solved)
    fmt::print(": {} waypoints, length {:.4g}, {}\n", result.path.waypoints.size(),
               path_length(scene, result.path),
               !result.proved ? "sampled only: run `proven check` on it"
                              : fmt::format("every segment proved free{} by '{}'",
                                            arguments.options.constraints.empty()
                                                ? ""
                                                : " and to keep its constraints",
                                            arguments.checker));
  else
    fmt::print(": {}\n", result.reason);
  if (solved && result.asked.size() > 1)
    fmt::print("  at goal {} of {}\n", goal_of(result, scene) + 1, result.asked.size());
  if (const int pose = pose_of(result, scene); solved && pose >= 0) {
    const auto i = static_cast<std::size_t>(pose);
    const ToolDeviation off = distance_to_pose(scene.tree(), std::get<PoseGoal>(result.asked[i]),
                                               result.path.waypoints.back());
    fmt::print(
        "  the tool is {:.3g} m and {:.3g} rad from its pose; {} of {} configurations found "
        "for it were proved free and tried\n",
        off.position, off.angle, result.goals.poses[i].goals.size(), result.goals.poses[i].reached);
  }
  if (solved) print_path(scene, path_report(result, arguments));
  if (result.obstruction) {
    const Vec3& p = result.obstruction->points[0];
    fmt::print("  near [{:.6f}, {:.6f}, {:.6f}]\n", p.x, p.y, p.z);
  }
  for (const auto& [name, note] : sensed_bodies(scene)) fmt::print("  {} is {}\n", name, note);
  for (const std::string& what : scene.ignored()) fmt::print("  ignored, as asked: {}\n", what);
  if (const auto open = bodies_without_inside(scene); solved && !open.empty())
    fmt::print("  no well-defined inside: {}\n", fmt::join(open, ", "));
  if (result.rounds > 0)
    fmt::print("  the first path had length {:.4g}; {} other paths were tried\n",
               result.first_length, result.rounds);
  if (result.timed) {
    fmt::print("  timed, and proved free as it is run: ");
    print_timing(*result.timed);
  }
  fmt::print("  {} iterations, {} configurations, {} segments, {:.3f} ms\n",
             result.stats.iterations, result.stats.configurations, result.stats.segments,
             1e3 * result.stats.seconds);
  if (!result.certificate.empty())
    fmt::print("  certificate of {} bytes: {}\n", result.certificate.size(), arguments.certificate);
  else if (solved && interrupted() && !arguments.certificate.empty())
    fmt::print("  no certificate: `proven check` with --certificate writes one\n");
  if (solved && arguments.output.empty())
    fmt::print("  not written: give -o FILE to keep the {}\n", result.timed ? "motion" : "path");
}

}  // namespace proven::tools
