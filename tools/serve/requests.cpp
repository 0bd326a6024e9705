// What each kind of request does.
#include <fmt/format.h>
#include <malloc.h>

#include <nlohmann/json.hpp>

#include "proven/kinematics/interpolation.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/repair.h"
#include "proven/plan/smooth.h"
#include "proven/scene/sensed.h"
#include "tools/scene_argument.h"
#include "tools/serve/client.h"
#include "tools/view/motion_json.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

Json place_of(const Scene& scene, int segment, double t, const std::vector<double>& configuration,
              const std::array<int, 2>& bodies, const std::array<Vec3, 2>& points,
              double distance) {
  Json place = {{"segment", segment}, {"t", t}, {"configuration", configuration}};
  if (bodies[0] >= 0) {
    place["pair"] = {scene.body(bodies[0]).name, scene.body(bodies[1]).name};
    for (const Vec3& p : points) place["points"].push_back({p.x, p.y, p.z});
  }
  place["distance"] = distance;
  return place;
}

Json to_json(const Scene& scene, const Witness& w) {
  Json place = place_of(scene, w.segment, w.t, w.configuration, w.bodies, w.points, w.distance);
  place["kind"] = to_string(w.kind);
  return place;
}

Json to_json(const Scene& scene, const Undecided& u) {
  Json place = place_of(scene, u.segment, u.t, u.configuration, u.bodies, u.points, u.distance);
  place["reason"] = to_string(u.reason);
  return place;
}

Json to_json(const CheckStats& stats) {
  return {{"box_tests", stats.box_tests},
          {"configurations", stats.configurations},
          {"seconds", stats.seconds}};
}

// What sensed bodies stand for, what is unknown in them, and what was left out of robots' files:
// part of what a verdict says.
void add_sensed(const Scene& scene, Json& body) {
  if (auto ignored = scene.ignored(); !ignored.empty()) body["ignored"] = std::move(ignored);
  for (const auto& [name, note] : sensed_bodies(scene)) body["sensed"][name] = note;
}

// As in a path file, of all coordinates.
Json path_json(const Motion& motion, const Scene& scene) {
  Json path = {{"proven", 1}, {"joints", Json::array()}};
  for (const Coordinate& c : scene.tree().coordinates()) path["joints"].push_back(c.name);
  if (motion.straight()) {
    path["waypoints"] = motion.waypoints;
    if (!motion.times.empty()) path["times"] = motion.times;
    return path;
  }
  path["pieces"] = Json::array();
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Json piece = Json::object();
    if (!motion.times.empty()) piece = {{"begin", motion.times[at]}, {"end", motion.times[at + 1]}};
    for (int k = 0; k <= motion.piece(i).degree(); ++k)
      piece["bezier"].push_back(motion.piece(i).control(k));
    path["pieces"].push_back(std::move(piece));
  }
  return path;
}

}  // namespace

Result<void> Client::scene(Request& request, Json& body) {
  if (auto read = read_plain(request.message); !read.ok()) return read;
  const auto now = world_.now();
  const Scene& scene = now->scene();
  body["version"] = now->version;
  body["hash"] = scene.hash().hex();
  body["bodies"] = Json::array();
  for (const Body& b : scene.bodies())
    body["bodies"].push_back({{"name", b.name}, {"link", scene.tree().link(b.link).name}});
  body["joints"] = Json::array();
  for (const Coordinate& c : scene.tree().coordinates()) body["joints"].push_back(c.name);
  body["home"] = scene.home();
  body["pairs"] = scene.pairs().size();
  body["excluded"] = scene.excluded_pairs().size();
  add_sensed(scene, body);
  return {};
}

Result<void> Client::edit(Request& request, Json& body) {
  const auto made = world_.edit(
      [&](const Snapshot& now) -> Result<Scene> {
        if (request.cancel->load()) return bad_input("cancelled; nothing was done");
        auto edit = read_edit(request.message, now.scene(), world_.folder());
        if (!edit.ok()) return edit.error();
        if (edit.value().if_version && *edit.value().if_version != now.version)
          return bad_input(fmt::format("the scene has version {}, not {}; nothing was done",
                                       now.version, *edit.value().if_version));
        return std::move(edit.value().scene);
      },
      request.times.first_byte);
  if (!made.ok()) return made.error();
  body["version"] = made.value()->version;
  body["bodies"] = made.value()->scene().bodies().size();
  return {};
}

Result<void> Client::check(Request& request, Json& body, std::vector<std::uint8_t>& frame) {
  const auto now = world_.now();
  auto asked = read_check(request.message, now->scene());
  if (!asked.ok()) return asked.error();
  const auto model = now->model.with_options(asked.value().options);
  if (!model.ok()) return model.error();
  auto result = model.value().check(asked.value().motion, scratch_.get(),
                                    Budget::of_seconds(asked.value().budget, request.cancel.get()));
  if (!result.ok()) return result.error();
  CheckResult& answer = result.value();
  body["version"] = now->version;
  body["verdict"] = to_string(answer.verdict);
  add_sensed(now->scene(), body);
  if (answer.collision) body["collision"] = to_json(now->scene(), *answer.collision);
  if (answer.undecided) body["undecided"] = to_json(now->scene(), *answer.undecided);
  body["stats"] = to_json(answer.stats);
  frame = std::move(answer.certificate);
  return {};
}

Result<void> Client::configuration(Request& request, Json& body) {
  const auto now = world_.now();
  const auto q = read_configuration_message(request.message, now->scene());
  if (!q.ok()) return q.error();
  if (auto clock = now->scene().require_no_clock(); !clock.ok()) return clock;
  const CheckResult answer = now->model.check_configuration(
      q.value(), scratch_.get(),
      Budget::of_seconds(std::numeric_limits<double>::infinity(), request.cancel.get()));
  body["version"] = now->version;
  body["verdict"] = to_string(answer.verdict);
  add_sensed(now->scene(), body);
  if (answer.collision) body["collision"] = to_json(now->scene(), *answer.collision);
  if (answer.undecided) body["undecided"] = to_json(now->scene(), *answer.undecided);
  return {};
}

Result<void> Client::plan(Request& request, Json& body, std::vector<std::uint8_t>& frame) {
  const auto now = world_.now();
  auto read = read_plan(request.message, now->scene());
  if (!read.ok()) return read.error();
  PlanMessage& asked = read.value();
  const Budget budget = Budget::of_seconds(asked.budget, request.cancel.get());
  body["version"] = now->version;
  PlanOptions options;
  if (!asked.planner.empty()) options.planner = asked.planner;
  options.seed = asked.seed;
  options.check = asked.check;
  options.check.certificate = asked.check.certificate && !asked.smooth;
  options.margin = asked.margin;
  options.constraints = asked.query.constraints;
  Query query = asked.query.query;
  PoseGoalOptions reaching;
  reaching.check = asked.check;
  reaching.check.certificate = false;
  reaching.seed = asked.seed;
  reaching.constraints = asked.query.constraints;
  auto reached = reach_goals(now->scene(), query, asked.query.goals, reaching, budget);
  if (!reached.ok()) return reached.error();
  const auto& goals = reached.value().configurations;
  if (goals.empty()) {
    body["status"] =
        to_string(budget.cancelled() ? PlanStatus::cancelled : PlanStatus::goal_invalid);
    body["reason"] = reached.value().reason;
    return {};
  }
  query.planned = reached.value().planned;
  query.goal = goals.front();
  options.other_goals.assign(goals.begin() + 1, goals.end());
  auto found = proven::plan(now->model, query, options, budget);
  if (!found.ok()) return found.error();
  PlanResult& planned = found.value();
  body["status"] = to_string(planned.status);
  body["seconds"] = planned.stats.seconds;
  if (!planned.reason.empty()) body["reason"] = planned.reason;
  if (planned.obstruction) body["obstruction"] = to_json(now->scene(), *planned.obstruction);
  if (planned.status != PlanStatus::solved) return {};
  if (asked.smooth && planned.proved) {
    SmoothOptions smoothing;
    smoothing.seed = asked.seed;
    smoothing.check = asked.check;
    smoothing.margin = planned.margin_kept;
    smoothing.input_is_proved = true;
    smoothing.constraints = options.constraints;
    auto shorter = smooth(now->model, planned.path, smoothing, budget);
    if (!shorter.ok()) return shorter.error();
    planned.path = std::move(shorter.value().path);
    planned.certificate = std::move(shorter.value().certificate);
  }
  body["proved"] = planned.proved;
  if (asked.query.goals.size() > 1)
    body["goal"] =
        goal_reached(now->scene().tree(), reached.value(), planned.path.waypoints.back());
  add_sensed(now->scene(), body);
  body["length"] = path_length(now->scene(), planned.path);
  body["path"] = path_json(planned.path, now->scene());
  frame = std::move(planned.certificate);
  return {};
}

Json Client::state_of(const Watched& watched) const {
  const Monitor& monitor = watched.monitor;
  const Scene& scene = monitor.scene();
  Json state = {{"version", watched.version},
                {"verdict", to_string(monitor.verdict())},
                {"ahead", {{"segment", monitor.ahead().segment}, {"t", monitor.ahead().t}}},
                {"segments", monitor.num_segments()},
                {"fell", Json::array()},
                {"undecided", Json::array()}};
  for (int i = 0; i < monitor.num_segments(); ++i) {
    const Monitor::Segment segment = monitor.segment(i);
    if (segment.collision) state["fell"].push_back(to_json(scene, *segment.collision));
    if (segment.undecided) state["undecided"].push_back(to_json(scene, *segment.undecided));
  }
  return state;
}

void Client::tell_motion(const std::string& name, const Watched& watched) {
  journal_.motion(options_.id, name,
                  motion_json(watched.monitor.scene(), watched.monitor.motion()));
}

void Client::tell_state(const std::string& name, const Watched& watched, const Json& state) {
  const Monitor& monitor = watched.monitor;
  const KinematicTree& tree = monitor.scene().tree();
  std::vector<double> place(static_cast<std::size_t>(tree.num_coordinates()));
  interpolate(tree, monitor.motion().piece(monitor.ahead().segment), monitor.ahead().t, place);
  journal_.stands(options_.id, name, state, place);
}

// Brings a monitor to the newest version; says so if that changed what stands. With the lock held.
void Client::follow(const std::string& name, Watched& watched, const Snapshot& now) {
  if (watched.version >= now.version) return;
  Budget budget;
  budget.cancel = &stop_watching_;
  const auto counts = watched.monitor.update(now.scene(), monitors_scratch_.get(), budget);
  watched.version = now.version;
  if (!counts.ok()) {
    connection_.event({{"event", "monitor"},
                       {"name", name},
                       {"version", now.version},
                       {"error", counts.error().text()}},
                      now.asked);
    return;
  }
  if (counts.value().changed.empty()) return;
  Json event = {{"event", "monitor"}, {"name", name}};
  const Json state = state_of(watched);
  tell_state(name, watched, state);
  event.update(state);
  event["changed"] = counts.value().changed;
  event["pairs_changed"] = counts.value().pairs_changed;
  connection_.event(std::move(event), now.asked);
}

Result<Client::Watched*> Client::find_monitor(const std::string& name) {
  const auto found = monitors_.find(name);
  if (found == monitors_.end())
    return bad_input(fmt::format("there is no monitor '{}' of this client", name));
  follow(name, found->second, *world_.now());
  return &found->second;
}

Result<void> Client::monitor(Request& request, Json& body) {
  const auto now = world_.now();
  auto asked = read_monitor(request.message, now->scene());
  if (!asked.ok()) return asked.error();
  MonitorMessage& m = asked.value();
  auto made = Monitor::build(now->scene(), std::move(m.motion), m.options, scratch_.get(),
                             Budget::of_seconds(m.budget, request.cancel.get()));
  if (!made.ok()) return made.error();
  const std::lock_guard lock(monitors_mutex_);
  if (monitors_.contains(m.name))
    return bad_input(fmt::format("there is a monitor '{}' already: drop it first", m.name));
  Watched& watched =
      monitors_.emplace(m.name, Watched{std::move(made).value(), now->version}).first->second;
  tell_motion(m.name, watched);
  follow(m.name, watched, *world_.now());
  const Json state = state_of(watched);
  tell_state(m.name, watched, state);
  body["name"] = m.name;
  body.update(state);
  return {};
}

Result<void> Client::advance(Request& request, Json& body) {
  const auto asked = read_advance(request.message);
  if (!asked.ok()) return asked.error();
  const std::lock_guard lock(monitors_mutex_);
  const auto watched = find_monitor(asked.value().name);
  if (!watched.ok()) return watched.error();
  Monitor& monitor = watched.value()->monitor;
  if (asked.value().segment >= monitor.num_segments())
    return bad_input(fmt::format("the motion has {} segments, 0 to {}", monitor.num_segments(),
                                 monitor.num_segments() - 1));
  Budget budget;
  budget.cancel = request.cancel.get();
  monitor.advance(asked.value().segment, asked.value().t, monitors_scratch_.get(), budget);
  const Json state = state_of(*watched.value());
  tell_state(asked.value().name, *watched.value(), state);
  body["name"] = asked.value().name;
  body.update(state);
  return {};
}

Result<void> Client::status(Request& request, Json& body) {
  const auto name = read_name(request.message);
  if (!name.ok()) return name.error();
  const std::lock_guard lock(monitors_mutex_);
  const auto watched = find_monitor(name.value());
  if (!watched.ok()) return watched.error();
  body["name"] = name.value();
  body.update(state_of(*watched.value()));
  return {};
}

// On a monitor of its own, so that the one that watches is not held up.
Result<void> Client::repair(Request& request, Json& body, std::vector<std::uint8_t>& frame) {
  const auto read = read_repair(request.message);
  if (!read.ok()) return read.error();
  const RepairMessage& asked = read.value();
  const Budget budget = Budget::of_seconds(asked.budget, request.cancel.get());
  Motion motion;
  CheckOptions check;
  Monitor::Place place;
  {
    const std::lock_guard lock(monitors_mutex_);
    const auto watched = find_monitor(asked.name);
    if (!watched.ok()) return watched.error();
    motion = watched.value()->monitor.motion();
    check = watched.value()->monitor.options();
    place = watched.value()->monitor.ahead();
  }
  const auto now = world_.now();
  auto own = Monitor::build(now->scene(), std::move(motion), check, scratch_.get(), budget);
  if (!own.ok()) return own.error();
  own.value().advance(place.segment, place.t, scratch_.get(), budget);
  RepairOptions options;
  options.plan.seed = asked.seed;
  options.plan.check.certificate = asked.certificate;
  auto repaired = proven::repair(own.value(), options, budget);
  if (!repaired.ok()) return repaired.error();
  RepairResult& result = repaired.value();
  body["name"] = asked.name;
  body["version"] = now->version;
  body["status"] = to_string(result.status);
  if (!result.reason.empty()) body["reason"] = result.reason;
  if (result.obstruction) body["obstruction"] = to_json(now->scene(), *result.obstruction);
  if (result.status != PlanStatus::solved) return {};
  body["stretches"] = result.stretches;
  body["kept"] = result.kept;
  body["proved"] = result.proved;
  body["path"] = path_json(result.motion, now->scene());
  frame = std::move(result.certificate);
  if (!asked.take) return {};
  auto next = Monitor::build(now->scene(), std::move(result.motion), check, scratch_.get(), budget);
  if (!next.ok()) return next.error();
  const std::lock_guard lock(monitors_mutex_);
  const auto found = monitors_.find(asked.name);
  if (found == monitors_.end()) return bad_input("the monitor was dropped meanwhile");
  found->second = Watched{std::move(next).value(), now->version};
  tell_motion(asked.name, found->second);
  follow(asked.name, found->second, *world_.now());
  body["monitor"] = state_of(found->second);
  tell_state(asked.name, found->second, body["monitor"]);
  return {};
}

Result<void> Client::drop(Request& request, Json& body) {
  const auto name = read_name(request.message);
  if (!name.ok()) return name.error();
  const std::lock_guard lock(monitors_mutex_);
  if (monitors_.erase(name.value()) == 0)
    return bad_input(fmt::format("there is no monitor '{}' of this client", name.value()));
  journal_.dropped(options_.id, name.value());
  body["name"] = name.value();
  return {};
}

Result<void> Client::stats(Request& request, Json& body) {
  if (auto read = read_plain(request.message); !read.ok()) return read;
  const Connection::Latency latency = connection_.latency();
  body["version"] = world_.now()->version;
  // The program holds the first; what it took from the system, and keeps for the next use, is the
  // second.
  const auto memory = ::mallinfo2();
  body["allocated_bytes"] = memory.uordblks + memory.hblkhd;
  body["system_bytes"] = memory.arena + memory.hblkhd;
  body["client"] = {
      {"answers", latency.count},
      {"mean_ms", latency.count > 0 ? 1e3 * latency.sum / static_cast<double>(latency.count) : 0.0},
      {"most_ms", 1e3 * latency.most}};
  return {};
}

}  // namespace proven::tools
