#include "tools/traffic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "proven/io/file.h"
#include "proven/spacetime/drive.h"
#include "tools/terminal.h"
#include "tools/traffic_certificate.h"
#include "tools/traffic_page.h"
#include "tools/traffic_stops.h"
#include "tools/traffic_task.h"

namespace proven::tools {
namespace {

using spacetime::DriveResult;
using spacetime::Footprint;
using spacetime::TrafficScene;
using spacetime::Vec2;

constexpr double kLongestStop = 30;  // seconds

struct Summary {
  double check_ms = 0, generate_ms = 0;
  std::int64_t candidates = 0, checked = 0;
};

Summary summarise(const DriveResult& driven) {
  Summary sum;
  for (const spacetime::DriveCycle& cycle : driven.cycles) {
    sum.check_ms += cycle.check_ms;
    sum.generate_ms += cycle.generate_ms;
    sum.candidates += cycle.candidates;
    sum.checked += cycle.checked;
  }
  return sum;
}

// What a drive was found to be, by other means than those that made it.
struct Findings {
  spacetime::TrafficResult traffic;
  spacetime::Clearance clearance;
  spacetime::TrafficResult border;
  RoadFinding road;
  std::optional<spacetime::Violation> violation;
  bool at_goal = false;

  bool free() const { return traffic.verdict == Verdict::free; }
  bool on_road() const { return border.verdict == Verdict::free; }
};

Result<Findings> examine(const DriveResult& result, const TrafficScene& scene,
                         const spacetime::DriveTask& task, const Footprint& shape,
                         const spacetime::TrafficOptions& options) {
  Findings found;
  const spacetime::Trajectory& m = result.driven;
  const auto last = m.t.size() - 1;
  const spacetime::VehicleState state{
      m.t[last], {m.x[last], m.y[last], m.heading[last]}, result.speeds[last]};
  found.at_goal = std::ranges::any_of(task.goals, [&](const spacetime::GoalState& goal) {
    return reached(goal, task.road, state);
  });
  if (m.size() < 2) return found;
  spacetime::TrafficScratch scratch, border_scratch;
  auto traffic = check(scene, shape, m, options, scratch);
  if (!traffic.ok()) return traffic.error();
  found.traffic = std::move(traffic).value();
  auto distance = clearance(scene, shape, m, {});
  if (!distance.ok()) return distance.error();
  found.clearance = distance.value();
  found.violation = first_violation(task.vehicle, m);
  const auto border = TrafficScene::build(task.border);
  if (!border.ok()) return border.error();
  spacetime::TrafficOptions at_border = options;
  at_border.clearance = task.border.empty() ? 0 : spacetime::kSeam;
  auto edge = check(border.value(), shape, m, at_border, border_scratch);
  if (!edge.ok()) return edge.error();
  found.border = std::move(edge).value();
  if (task.road.empty()) return found;
  auto road = look_at_road(task.road, shape, m);
  if (!road.ok()) return road.error();
  found.road = road.value();
  return found;
}

void fill_page(const DriveResult& driven, const Findings& found, const TrafficFile& file,
               const TrafficScene& scene, const Footprint& car, const PlanningProblem& problem,
               TrafficPage& page) {
  page.title = file.name;
  page.lanelets = file.lanelets;
  page.obstacles = scene.obstacles();
  for (const spacetime::GoalState& goal : problem.goals)
    page.goals.insert(page.goals.end(), goal.regions.begin(), goal.regions.end());
  const spacetime::CandidateSet& set = driven.shown;
  for (int i = 0; i < set.size(); ++i) {
    std::vector<Vec2> line;
    for (std::size_t k = 0; k < set.t.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(i) * set.t.size() + k;
      line.push_back({set.x[at], set.y[at]});
    }
    page.faint_paths.push_back(
        {std::move(line), driven.shown_verdicts[static_cast<std::size_t>(i)]});
  }
  if (driven.driven.size() < 2) return;
  PageCandidate ego;
  ego.motion = {"driven", car, driven.driven};
  ego.chosen = true;
  ego.result = found.traffic;
  page.candidates.push_back(std::move(ego));
}

const PlanningProblem* find_problem(const TrafficFile& file, const std::string& id) {
  for (const PlanningProblem& problem : file.problems)
    if (id.empty() || problem.id == id) return &problem;
  return nullptr;
}

// How a drive ended, best first.
enum class Outcome {
  goal_reached,
  goal_missed,  // it drove on until the time of its goals was over
  no_way,       // no lane leads to a goal
  no_free_candidate,
  no_stop,  // --fail-safe: at the start no stop is proved free whatever others do
  time,     // the budget ended
  cancelled,
};

struct Told {
  std::string scene, page;
  std::vector<std::string> self, remarks;
  ToldSpans spans;
  Outcome outcome = Outcome::no_free_candidate;
  double t_end = 0, seconds = 0, cycle = 0;
  bool ignore_road = false;
  spacetime::VehicleModel vehicle;
  Findings found;
  double margin = 0, margin_kept = 0, required = 0;  // asked for, kept; the clearance below both
  int hard_cycles = 0, close_cycles = 0;             // close: the margin was not kept
  bool fail_safe = false;
  std::size_t stops = 0;
  int stopping_cycles = 0;
  std::optional<Departure> departure;
  std::string in_the_way;
  Summary sum;
  std::size_t cycles = 0;

  // Whether everything that is claimed of the drive was found to be so.
  bool holds() const {
    return cycles > 0 && found.free() && (ignore_road || found.on_road()) && !found.violation;
  }
  double per_cycle(double value) const {
    return value / static_cast<double>(std::max<std::size_t>(1, cycles));
  }
  double per_100_ms() const {
    return sum.check_ms > 0 ? static_cast<double>(sum.checked) / sum.check_ms * 100 : 0;
  }
};

std::string describe(const Told& told) {
  switch (told.outcome) {
    case Outcome::goal_reached:
      return "goal reached";
    case Outcome::goal_missed:
      return "the goal was not reached in its time";
    case Outcome::no_way:
      return "no lane leads from the start to a goal; driven straight on";
    case Outcome::no_free_candidate:
      return told.in_the_way.empty()
                 ? "no free candidate"
                 : fmt::format("no free candidate (in the way of braking: {})", told.in_the_way);
    case Outcome::no_stop:
      return fmt::format(
          "refused: at the start no stop is free whatever others do (in the way of braking: {})",
          told.in_the_way.empty() ? "nothing; the road" : told.in_the_way);
    case Outcome::time:
      return "the time ran out (--budget)";
    case Outcome::cancelled:
      return "interrupted";
  }
  return "";
}

// The driven trajectory as trajectory files have it, for other programs to check.
nlohmann::ordered_json to_json(const DriveResult& driven) {
  const spacetime::Trajectory& m = driven.driven;
  nlohmann::ordered_json poses = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < m.t.size(); ++i) poses.push_back({m.x[i], m.y[i], m.heading[i]});
  return {{"times", m.t}, {"poses", poses}, {"speeds", driven.speeds}};
}

nlohmann::ordered_json to_json(const spacetime::VehicleModel& v) {
  return {{"type", v.name},
          {"length", v.length},
          {"width", v.width},
          {"wheelbase", v.wheelbase},
          {"rear_axle", v.rear_axle},
          {"max_steering", v.max_steering},
          {"max_steering_rate", v.max_steering_rate},
          {"max_acceleration", v.max_acceleration},
          {"max_speed", v.max_speed}};
}

void tell_json(const Told& told, const DriveResult& driven) {
  nlohmann::ordered_json json = {
      {"scene", told.scene}, {"outcome", to_string(told.outcome)}, {"message", describe(told)}};
  const Findings& found = told.found;
  json["goal_time"] = nullptr;
  if (told.outcome == Outcome::goal_reached) json["goal_time"] = told.t_end;
  json["driven_free"] = found.free();
  json["on_road"] = nullptr;
  if (!told.ignore_road) json["on_road"] = found.on_road();
  json["left_road_at"] = nullptr;
  if (!found.road.on_road) json["left_road_at"] = found.road.t;
  json["against_lanelet"] = found.road.against;
  json["violation"] = nullptr;
  if (found.violation) json["violation"] = found.violation->text();
  json["margin"] = told.margin;
  json["margin_kept"] = told.margin_kept;
  json["cycles_below_margin"] = told.close_cycles;
  json["clearance"] = nullptr;
  if (std::isfinite(found.clearance.distance.lower))
    json["clearance"] = {{"lower", found.clearance.distance.lower},
                         {"upper", found.clearance.distance.upper}};
  json["hard_cycles"] = told.hard_cycles;
  json["in_the_way"] = told.in_the_way;
  json["fail_safe"] = nullptr;
  if (told.fail_safe) {
    json["fail_safe"] = {{"proved_stops", told.stops}, {"stopping_cycles", told.stopping_cycles}};
    json["fail_safe"]["left_bounds"] = nullptr;
    if (told.departure)
      json["fail_safe"]["left_bounds"] = {{"obstacle", told.departure->name},
                                          {"t", told.departure->t}};
  }
  json["vehicle"] = to_json(told.vehicle);
  json["cycle"] = told.cycle;
  json["cycles"] = told.cycles;
  json["candidates_per_cycle"] = told.per_cycle(static_cast<double>(told.sum.candidates));
  json["checked_per_cycle"] = told.per_cycle(static_cast<double>(told.sum.checked));
  json["check_ms_per_cycle"] = told.per_cycle(told.sum.check_ms);
  json["generate_ms_per_cycle"] = told.per_cycle(told.sum.generate_ms);
  json["candidates_checked_per_100_ms"] = told.per_100_ms();
  json["left_out"] = told.self;
  json["remarks"] = told.remarks;
  add_spans(told.spans, json);
  json["page"] = told.page;
  json["box"] = {told.vehicle.length, told.vehicle.width};
  json["driven"] = to_json(driven);
  fmt::print("{}\n", json.dump());
}

// The margin is given up as a last resort; that is said.
void tell_margin(const Told& told) {
  if (told.margin > 0 && told.close_cycles == 0)
    fmt::print("the margin of {:.2f} m was kept in every cycle\n", told.margin);
  else if (told.margin > 0)
    fmt::print("{}\n",
               paint(Colour::yellow,
                     fmt::format("the margin of {:.2f} m was not kept in {} of {} cycles: no "
                                 "candidate could; at least {:.2f} m there",
                                 told.margin, told.close_cycles, told.cycles,
                                 told.required + told.margin_kept)));
}

void tell_stops(const Told& told) {
  if (!told.fail_safe) return;
  fmt::print(
      "in every cycle a stop was proved free whatever others do within their bounds; {} of "
      "{} cycles were part of one\n",
      told.stopping_cycles, told.cycles);
  if (told.departure)
    fmt::print("{}\n", paint(Colour::yellow,
                             fmt::format("note: the recording of {} does not keep the bounds at "
                                         "{:.2f} s; nothing is promised against it",
                                         told.departure->name, told.departure->t)));
}

void tell_findings(const Told& told) {
  const Findings& found = told.found;
  if (found.free() && std::isfinite(found.clearance.distance.lower) &&
      found.clearance.obstacle >= 0)
    fmt::print("at least {:.2f} m from every obstacle (nearest at {:.1f} s)\n",
               found.clearance.distance.lower, found.clearance.t);
  tell_margin(told);
  if (told.hard_cycles > 0)
    fmt::print("{} of {} cycles are harder than is comfortable\n", told.hard_cycles, told.cycles);
  if (!told.ignore_road)
    fmt::print("{}\n", found.on_road() ? paint(Colour::green, "on the road: proved")
                                       : paint(Colour::red, "on the road: not proved"));
  else if (!found.road.on_road)
    fmt::print("{}\n",
               paint(Colour::yellow, fmt::format("it leaves the road at {:.2f} s", found.road.t)));
  if (!found.road.against.empty())
    fmt::print("it drives against the direction of lanelet {} at {:.2f} s\n", found.road.against,
               found.road.against_t);
  if (found.violation)
    fmt::print("{}\n", paint(Colour::red, "a " + told.vehicle.name +
                                              " cannot drive this: " + found.violation->text()));
  else
    fmt::print("a {} of {:.2f} by {:.2f} m can drive it\n", told.vehicle.name, told.vehicle.length,
               told.vehicle.width);
}

void tell(const Told& told) {
  const std::string driven = told.cycles == 0    ? "nothing was driven"
                             : told.found.free() ? paint(Colour::green, "the drive is proved free")
                                                 : paint(Colour::red, "the drive is not free");
  fmt::print("{}: {} after {:.1f} s; {}\n", told.scene, describe(told), told.seconds, driven);
  if (told.cycles > 0) tell_findings(told), tell_stops(told);
  fmt::print(
      "{} cycles of {:.2f} s and {:.0f} candidates: {:.2f} ms to make them, {:.2f} ms to check the "
      "{:.0f} that were needed, on one core\n",
      told.cycles, told.cycle, told.per_cycle(static_cast<double>(told.sum.candidates)),
      told.per_cycle(told.sum.generate_ms), told.per_cycle(told.sum.check_ms),
      told.per_cycle(static_cast<double>(told.sum.checked)));
  for (const std::string& name : told.self)
    fmt::print("obstacle {} is a recording of the vehicle itself: left out\n", name);
  print_spans(told.spans);
  for (const std::string& remark : told.remarks) fmt::print("note: {}\n", remark);
  fmt::print("wrote {}\n", told.page);
}

Outcome outcome_of(const DriveResult& result, bool at_goal, bool way_to_goal) {
  if (result.stopped == Stop::time) return Outcome::time;
  if (result.stopped == Stop::cancelled) return Outcome::cancelled;
  if (at_goal && result.end == spacetime::DriveEnd::goal) return Outcome::goal_reached;
  if (result.no_stop) return Outcome::no_stop;
  if (!way_to_goal) return Outcome::no_way;
  return result.end == spacetime::DriveEnd::no_free_candidate ? Outcome::no_free_candidate
                                                              : Outcome::goal_missed;
}

Result<void> save_trajectory(const DriveResult& driven, const spacetime::VehicleModel& vehicle,
                             const std::string& file) {
  nlohmann::ordered_json trajectory = to_json(driven);
  trajectory.erase("speeds");
  trajectory["name"] = "driven";
  const nlohmann::ordered_json json = {
      {"proven", 1}, {"box", {vehicle.length, vehicle.width}}, {"trajectories", {trajectory}}};
  return write_file(file, json.dump() + "\n");
}

}  // namespace

int run_traffic_plan(const std::string& scene_file, const PlanOptions& options,
                     const std::string& output, const CommonOptions& common, const Budget& budget) {
  auto loaded = load_traffic(scene_file);
  if (!loaded.ok()) return report(loaded.error());
  TrafficFile& file = loaded.value();
  if (!options.certificate.empty() && options.trajectory.empty())
    return report(bad_input("--certificate needs --trajectory: a proof is of a file"));
  const PlanningProblem* found_problem = find_problem(file, options.problem);
  if (!found_problem)
    return report(bad_input(options.problem.empty()
                                ? "no planning problem in it"
                                : fmt::format("no planning problem '{}'", options.problem),
                            scene_file));
  const PlanningProblem& problem = *found_problem;
  Told told;
  const std::vector<spacetime::Obstacle> all = file.obstacles;
  told.self = drop_own_recordings(file, problem);
  const auto recorded = TrafficScene::build(file.obstacles);
  if (!recorded.ok()) return report(recorded.error());
  const auto planned = make_task(file, problem, {options.vehicle, options.ignore_road});
  if (!planned.ok()) return report(Error{planned.error().code, planned.error().text(), scene_file});
  const spacetime::DriveTask& task = planned.value().task;
  // As far as candidates and stops look ahead.
  const double ahead = task.t_end + options.horizon + kLongestStop;
  const auto scene = TrafficScene::build(lasting(file.obstacles, options.afterwards.after, ahead));
  if (!scene.ok()) return report(Error{scene.error().code, scene.error().text(), scene_file});
  spacetime::DriveOptions chosen;
  chosen.candidates = options.candidates;
  chosen.time_step = file.time_step > 0 ? file.time_step : chosen.time_step;
  // Decisions are made at the steps of the recording.
  chosen.cycle = std::max(1.0, std::round(options.cycle / chosen.time_step)) * chosen.time_step;
  chosen.horizon = std::max(options.horizon, chosen.cycle);
  chosen.desired_speed = planned.value().desired_speed;
  chosen.margin = options.margin;
  chosen.check.clearance = options.clearance;
  chosen.fail_safe = options.fail_safe;
  chosen.movers = options.movers;
  const auto driven = drive(scene.value(), task, chosen, budget);
  if (!driven.ok()) return report(driven.error());
  const DriveResult& result = driven.value();
  const Footprint car = Footprint::box(task.vehicle.length, task.vehicle.width).value();
  auto findings = examine(result, scene.value(), task, car, chosen.check);
  if (!findings.ok()) return report(findings.error());
  told.scene = file.name;
  told.found = std::move(findings).value();
  told.outcome = outcome_of(result, told.found.at_goal, planned.value().way_to_goal);
  told.t_end = result.driven.t.back();
  told.seconds = told.t_end - problem.t_start;
  told.cycle = chosen.cycle;
  told.ignore_road = task.border.empty();
  told.vehicle = task.vehicle;
  told.margin_kept = result.margin_kept;
  told.hard_cycles = result.hard_cycles;
  told.margin = options.margin;
  told.required = options.clearance;
  told.close_cycles = static_cast<int>(
      std::ranges::count_if(result.cycles, [&](const spacetime::DriveCycle& cycle) {
        return !cycle.stopping && cycle.margin < options.margin;
      }));
  told.fail_safe = options.fail_safe;
  told.stops = result.stops.size();
  told.stopping_cycles = result.stopping_cycles;
  told.departure = first_departure(result, recorded.value());
  told.spans = spans_until(file.obstacles, options.afterwards, told.t_end);
  told.in_the_way = result.in_the_way;
  told.sum = summarise(result);
  told.cycles = result.cycles.size();
  told.remarks = file.remarks;
  told.page = output;
  if (std::fabs(chosen.cycle - options.cycle) > 1e-9)
    told.remarks.push_back(
        fmt::format("cycles take {} s instead of {} s: a multiple of the scenario's step of {} s",
                    chosen.cycle, options.cycle, chosen.time_step));
  TrafficPage page;
  fill_page(result, told.found, file, scene.value(), car, problem, page);
  page.subtitle = fmt::format("{}; {} cycles, {:.0f} candidates each", describe(told), told.cycles,
                              told.per_cycle(static_cast<double>(told.sum.candidates)));
  if (auto written = write_page(page, output); !written.ok()) return report(written.error());
  if (!options.trajectory.empty())
    if (auto saved = save_trajectory(result, task.vehicle, options.trajectory); !saved.ok())
      return report(saved.error());
  if (!options.certificate.empty() && result.driven.size() > 1) {
    const auto made =
        write_traffic_certificate(all, told.self, {{car, result.driven}}, chosen.check,
                                  options.afterwards.after, options.certificate, budget);
    if (!made.ok()) return report(made.error());
    if (!common.json)
      fmt::print("wrote {}: {} pairs, {} leaves, {} bytes\n", options.certificate,
                 made.value().pairs, made.value().leaves, made.value().bytes.size());
  }
  if (!options.certificate.empty() && !result.stops.empty()) {
    const auto made =
        write_stops(result, task.vehicle, stop_files(options.trajectory, options.certificate),
                    chosen.check, budget);
    if (!made.ok()) return report(made.error());
    if (!common.json)
      fmt::print("wrote {}, {} and {}: {} stops, {} pairs, {} leaves, {} bytes\n",
                 made.value().stops, made.value().regions, made.value().proof, result.stops.size(),
                 made.value().pairs, made.value().leaves, made.value().bytes);
  }
  common.json ? tell_json(told, result) : tell(told);
  if (told.outcome == Outcome::cancelled) return kInterrupted;
  return told.outcome == Outcome::goal_reached && told.holds() ? kOk : kUndecided;
}

}  // namespace proven::tools
