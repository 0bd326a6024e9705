// proven traffic: trajectories among moving obstacles.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "proven/base/parallel.h"
#include "proven/io/bodies_file.h"
#include "proven/io/traffic_file.h"
#include "proven/spacetime/check.h"
#include "tools/command.h"
#include "tools/terminal.h"
#include "tools/traffic_bodies.h"
#include "tools/traffic_certificate.h"
#include "tools/traffic_page.h"
#include "tools/traffic_plan.h"
#include "tools/traffic_spans.h"
#include "tools/traffic_task.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using spacetime::Footprint;
using spacetime::Road;
using spacetime::TrafficContact;
using spacetime::TrafficOptions;
using spacetime::TrafficResult;
using spacetime::TrafficScene;

struct TrafficArguments {
  std::string action, scene, trajectories, after, output = "traffic.html";
  bool recorded = false, metrics = false, leave_lanes = false;
  std::string vehicle;           // empty: a car, which is not asked for
  double length = 0, width = 0;  // 0: those of the vehicle's type
  std::vector<std::string> left_out;
  ChosenAfterwards afterwards;
  std::string certificate;
  TrafficOptions options;
  PlanOptions plan;
};

// A candidate, and which obstacle it is itself (-1 stands for none).
struct Candidate {
  NamedTrajectory motion;
  int self = -1;
};

struct Outcome {
  TrafficResult result;
  spacetime::Clearance clearance;
  spacetime::TimeGap gap;
  RoadFinding road;
  std::optional<spacetime::Violation> violation;
};

Result<std::vector<Candidate>> load_candidates(const TrafficArguments& arguments,
                                               const std::vector<spacetime::Obstacle>& obstacles) {
  std::vector<Candidate> candidates;
  if (arguments.recorded) {
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      const spacetime::Obstacle& o = obstacles[i];
      if (o.moves()) candidates.push_back({{o.name, o.footprint, o.motion}, static_cast<int>(i)});
    }
    return candidates;
  }
  auto loaded = load_trajectories(arguments.trajectories);
  if (!loaded.ok()) return loaded.error();
  const spacetime::VehicleModel& vehicle = arguments.plan.vehicle;
  const auto box = Footprint::box(vehicle.length, vehicle.width);
  if (!box.ok()) return bad_input(box.error().message, "--length, --width");
  for (NamedTrajectory& motion : loaded.value()) {
    if (motion.footprint.pieces().empty()) motion.footprint = box.value();
    candidates.push_back({std::move(motion), -1});
  }
  return candidates;
}

// The chosen vehicle in the size of an outline, whose origin need not be its middle.
spacetime::VehicleModel fitted(const spacetime::VehicleModel& vehicle, const Footprint& outline) {
  auto model = vehicle.resized(2 * outline.box_half().x, 2 * outline.box_half().y);
  model.rear_axle -= outline.box_centre().x;
  return model;
}

Result<Outcome> examine(const TrafficScene& scene, const Road& road, const Candidate& candidate,
                        const TrafficArguments& arguments, const Budget& budget,
                        spacetime::TrafficScratch& workspace) {
  const auto& [motion, self] = candidate;
  Outcome outcome;
  auto result =
      check(scene, motion.footprint, motion.trajectory, arguments.options, workspace, self, budget);
  if (!result.ok())
    return Error{result.error().code, result.error().text(), "trajectory '" + motion.name + "'"};
  outcome.result = std::move(result).value();
  if (self < 0) {
    outcome.violation =
        first_violation(fitted(arguments.plan.vehicle, motion.footprint), motion.trajectory);
    if (!road.empty()) {
      auto finding = look_at_road(road, motion.footprint, motion.trajectory);
      if (!finding.ok()) return finding.error();
      outcome.road = finding.value();
    }
  }
  if (!arguments.metrics) return outcome;
  const spacetime::MetricOptions metric;
  outcome.clearance =
      clearance(scene, motion.footprint, motion.trajectory, metric, self, budget).value();
  outcome.gap = time_gap(scene, motion.footprint, motion.trajectory, metric, self, budget).value();
  return outcome;
}

Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Outcome& outcome, const Candidate& candidate, const TrafficScene& scene,
             bool metrics) {
  const auto name = [&](int o) {
    return o < 0 ? Json(nullptr) : Json(scene.obstacles()[static_cast<std::size_t>(o)].name);
  };
  const TrafficResult& r = outcome.result;
  Json json = {{"name", candidate.motion.name}, {"verdict", to_string(r.verdict)}};
  json["collision"] = nullptr;
  json["undecided"] = nullptr;
  if (const auto& c = r.contact)
    json["collision"] = {
        {"obstacle", name(c->obstacle)},
        {"t_lower", c->t_lower},
        {"t", c->t},
        {"pose", {c->pose.x, c->pose.y, c->pose.heading}},
        {"obstacle_pose", {c->obstacle_pose.x, c->obstacle_pose.y, c->obstacle_pose.heading}},
        {"distance", c->distance}};
  if (const auto& d = r.doubt)
    json["undecided"] = {{"reason", to_string(d->reason)},
                         {"message", describe(d->reason)},
                         {"obstacle", name(d->obstacle)},
                         {"t_begin", d->t_begin},
                         {"t_end", d->t_end},
                         {"distance", d->distance}};
  json["violation"] = nullptr;
  if (outcome.violation)
    json["violation"] = {{"limit", to_string(outcome.violation->limit)},
                         {"t", outcome.violation->t},
                         {"value", outcome.violation->value},
                         {"allowed", outcome.violation->allowed},
                         {"text", outcome.violation->text()}};
  json["left_road_at"] = outcome.road.on_road ? Json(nullptr) : Json(outcome.road.t);
  json["against_lanelet"] = outcome.road.against;
  if (metrics) {
    const auto& [distance, nearest, t] = outcome.clearance;
    json["clearance"] = {{"lower", number_or_null(distance.lower)},
                         {"upper", number_or_null(distance.upper)},
                         {"obstacle", name(nearest)},
                         {"t", t}};
    json["time_gap"] = {{"lower", number_or_null(outcome.gap.seconds.lower)},
                        {"upper", number_or_null(outcome.gap.seconds.upper)},
                        {"obstacle", name(outcome.gap.obstacle)},
                        {"t", outcome.gap.t},
                        {"t_obstacle", outcome.gap.t_obstacle}};
  }
  json["stats"] = {{"box_tests", r.stats.box_tests},
                   {"step_pairs", r.stats.step_pairs},
                   {"cells", r.stats.cells}};
  return json;
}

void print(const Outcome& outcome, const Candidate& candidate, const TrafficScene& scene,
           bool metrics) {
  const auto name = [&](int o) { return scene.obstacles()[static_cast<std::size_t>(o)].name; };
  const TrafficResult& r = outcome.result;
  const Colour colour = r.verdict == Verdict::free        ? Colour::green
                        : r.verdict == Verdict::collision ? Colour::red
                                                          : Colour::yellow;
  std::string line =
      fmt::format("{:<12} {}", candidate.motion.name, paint(colour, to_string(r.verdict)));
  if (const auto& c = r.contact)
    line += fmt::format(
        " with {} at {:.4f} s (free before {:.4f} s), pose ({:.3f}, {:.3f}, {:.4f}), distance "
        "{:.4f} m",
        name(c->obstacle), c->t, c->t_lower, c->pose.x, c->pose.y, c->pose.heading, c->distance);
  if (const auto& d = r.doubt)
    line += fmt::format("{} from {:.4f} to {:.4f} s: {}",
                        d->obstacle < 0 ? "" : " with " + name(d->obstacle), d->t_begin, d->t_end,
                        describe(d->reason));
  fmt::print("{}\n", line);
  if (!outcome.road.on_road)
    fmt::print("{:<12} {}\n", "",
               paint(Colour::red, fmt::format("leaves the road at {:.2f} s", outcome.road.t)));
  if (!outcome.road.against.empty())
    fmt::print("{:<12} drives against the direction of lanelet {} at {:.2f} s\n", "",
               outcome.road.against, outcome.road.against_t);
  if (outcome.violation)
    fmt::print("{:<12} not what a vehicle can drive: {}\n", "", outcome.violation->text());
  if (!metrics) return;
  const auto& clear = outcome.clearance;
  if (clear.obstacle >= 0)
    fmt::print("{:<12} distance {:.4f} to {:.4f} m (obstacle {}, {:.3f} s)\n", "",
               clear.distance.lower, clear.distance.upper, name(clear.obstacle), clear.t);
  if (outcome.gap.obstacle >= 0)
    fmt::print("{:<12} time gap {:.4f} to {:.4f} s (obstacle {}: {:.3f} s here, {:.3f} s there)\n",
               "", outcome.gap.seconds.lower, outcome.gap.seconds.upper, name(outcome.gap.obstacle),
               outcome.gap.t, outcome.gap.t_obstacle);
}

struct Loaded {
  TrafficFile file;
  Road road;
  TrafficScene scene;  // of what lasts as long as the candidates
  ToldSpans spans;
  std::vector<Candidate> candidates;
};

double end_of(const std::vector<Candidate>& candidates) {
  double end = -HUGE_VAL;
  for (const Candidate& candidate : candidates)
    if (!candidate.motion.trajectory.t.empty())
      end = std::max(end, candidate.motion.trajectory.t.back());
  return end;
}

Result<Loaded> load_all(const TrafficArguments& arguments, bool candidates_wanted) {
  auto file = load_traffic(arguments.scene);
  if (!file.ok()) return file.error();
  std::vector<spacetime::Obstacle> kept = file.value().obstacles;
  for (const std::string& name : arguments.left_out)
    if (std::erase_if(kept, [&](const auto& o) { return o.name == name; }) == 0)
      return bad_input(fmt::format("there is no obstacle '{}' to leave out", name),
                       arguments.scene);
  std::vector<Candidate> candidates;
  if (candidates_wanted) {
    auto loaded = load_candidates(arguments, kept);
    if (!loaded.ok()) return loaded.error();
    candidates = std::move(loaded).value();
  }
  const double until = end_of(candidates);
  ToldSpans spans = spans_until(kept, arguments.afterwards, until);
  auto scene = TrafficScene::build(lasting(std::move(kept), arguments.afterwards.after, until));
  if (!scene.ok()) return Error{scene.error().code, scene.error().text(), arguments.scene};
  auto road = Road::build(file.value().lanelets, file.value().lights);
  if (!road.ok()) return Error{road.error().code, road.error().text(), arguments.scene};
  return Loaded{std::move(file).value(), std::move(road).value(), std::move(scene).value(),
                std::move(spans), std::move(candidates)};
}

Result<std::vector<Outcome>> examine_all(const Loaded& loaded, const TrafficArguments& arguments,
                                         const Budget& budget, int threads) {
  const int n = static_cast<int>(loaded.candidates.size());
  if (threads <= 0) threads = default_threads();
  std::vector<spacetime::TrafficScratch> workspaces(static_cast<std::size_t>(threads));
  std::vector<std::unique_ptr<Result<Outcome>>> results(static_cast<std::size_t>(n));
  parallel_for(n, threads, [&](int i, int thread) {
    results[static_cast<std::size_t>(i)] = std::make_unique<Result<Outcome>>(
        examine(loaded.scene, loaded.road, loaded.candidates[static_cast<std::size_t>(i)],
                arguments, budget, workspaces[static_cast<std::size_t>(thread)]));
  });
  std::vector<Outcome> outcomes;
  for (auto& result : results) {
    if (!result->ok()) return result->error();
    outcomes.push_back(std::move(*result).value());
  }
  return outcomes;
}

// Writes the proofs of all candidates; false: it said why not.
bool write_proofs(const TrafficArguments& arguments, const Loaded& loaded, const Budget& budget,
                  bool quiet) {
  if (arguments.certificate.empty()) return true;
  std::vector<spacetime::CertifiedMotion> motions;
  for (const Candidate& candidate : loaded.candidates)
    motions.push_back({candidate.motion.footprint, candidate.motion.trajectory});
  const auto made = write_traffic_certificate(loaded.file.obstacles, arguments.left_out, motions,
                                              arguments.options, arguments.afterwards.after,
                                              arguments.certificate, budget);
  if (!made.ok()) return report(made.error()), false;
  if (!quiet)
    fmt::print("wrote {}: {} pairs, {} leaves, {} bytes\n", arguments.certificate,
               made.value().pairs, made.value().leaves, made.value().bytes.size());
  return true;
}

bool has_candidates(const TrafficArguments& arguments) {
  if (arguments.recorded && !arguments.certificate.empty()) {
    fmt::print(stderr, "proven: --certificate is for TRAJECTORIES, not for --recorded\n");
    return false;
  }
  if (arguments.recorded == arguments.trajectories.empty()) return true;
  fmt::print(stderr, "proven: traffic check needs either TRAJECTORIES or --recorded\n");
  return false;
}

int run_check(const TrafficArguments& arguments, const CommonOptions& common,
              const Budget& budget) {
  const auto start = std::chrono::steady_clock::now();
  const auto loaded = load_all(arguments, true);
  if (!loaded.ok()) return report(loaded.error());
  const auto outcomes = examine_all(loaded.value(), arguments, budget, common.threads);
  if (!outcomes.ok()) return report(outcomes.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!write_proofs(arguments, loaded.value(), budget, common.json || common.quiet))
    return kBadInput;
  int counts[3] = {}, off_road = 0, not_driven = 0;
  Json list = Json::array();
  for (std::size_t i = 0; i < outcomes.value().size(); ++i) {
    const Outcome& outcome = outcomes.value()[i];
    const Candidate& candidate = loaded.value().candidates[i];
    ++counts[static_cast<int>(outcome.result.verdict)];
    off_road += !outcome.road.on_road;
    not_driven += outcome.violation.has_value();
    if (common.json)
      list.push_back(to_json(outcome, candidate, loaded.value().scene, arguments.metrics));
    else
      print(outcome, candidate, loaded.value().scene, arguments.metrics);
  }
  const int collisions = counts[static_cast<int>(Verdict::collision)];
  const int undecided = counts[static_cast<int>(Verdict::undecided)];
  // What leaves the road, or what a vehicle that was named cannot drive, is no solution either.
  const bool refused = (off_road > 0 && !arguments.plan.ignore_road) ||
                       (not_driven > 0 && !arguments.vehicle.empty());
  const int code = interrupted()           ? kInterrupted
                   : collisions || refused ? kCollision
                   : undecided             ? kUndecided
                                           : kOk;
  if (common.json) {
    const Verdict worst = collisions  ? Verdict::collision
                          : undecided ? Verdict::undecided
                                      : Verdict::free;
    Json json = {{"scene", loaded.value().file.name},
                 {"verdict", to_string(worst)},
                 {"obstacles", loaded.value().scene.obstacles().size()},
                 {"clearance", arguments.options.clearance},
                 {"resolution", arguments.options.resolution},
                 {"off_road", off_road},
                 {"not_drivable", not_driven},
                 {"trajectories", list},
                 {"remarks", loaded.value().file.remarks},
                 {"seconds", seconds}};
    add_spans(loaded.value().spans, json);
    fmt::print("{}\n", json.dump());
    return code;
  }
  if (!common.quiet) {
    fmt::print("{} trajectories among {} obstacles: {} free, {} collision, {} undecided\n",
               outcomes.value().size(), loaded.value().scene.obstacles().size(),
               counts[static_cast<int>(Verdict::free)], collisions, undecided);
    if (off_road > 0)
      fmt::print("{} leave the road{}\n", off_road,
                 arguments.plan.ignore_road ? " (ignored)" : "; --ignore-road allows it");
    if (not_driven > 0 && arguments.vehicle.empty())
      fmt::print("{} are not what a vehicle can drive; with --vehicle TYPE that counts\n",
                 not_driven);
    print_spans(loaded.value().spans);
    for (const std::string& remark : loaded.value().file.remarks) fmt::print("note: {}\n", remark);
  }
  return code;
}

int run_render(const TrafficArguments& arguments, const CommonOptions& common,
               const Budget& budget) {
  TrafficArguments chosen = arguments;
  if (chosen.trajectories.empty()) chosen.recorded = true;
  const auto loaded = load_all(chosen, true);
  if (!loaded.ok()) return report(loaded.error());
  const auto outcomes = examine_all(loaded.value(), chosen, budget, common.threads);
  if (!outcomes.ok()) return report(outcomes.error());
  TrafficPage page;
  page.title = loaded.value().file.name;
  page.lanelets = loaded.value().file.lanelets;
  page.obstacles = loaded.value().scene.obstacles();
  for (std::size_t i = 0; i < outcomes.value().size(); ++i) {
    const Candidate& candidate = loaded.value().candidates[i];
    PageCandidate drawn;
    drawn.motion = candidate.motion;
    drawn.result = outcomes.value()[i].result;
    drawn.self = candidate.self;
    page.candidates.push_back(std::move(drawn));
  }
  if (auto written = write_page(page, arguments.output); !written.ok())
    return report(written.error());
  if (common.json)
    fmt::print("{}\n", Json{{"scene", page.title},
                            {"page", arguments.output},
                            {"obstacles", page.obstacles.size()},
                            {"trajectories", page.candidates.size()}}
                           .dump());
  else if (!common.quiet)
    fmt::print("wrote {}\n", arguments.output);
  return interrupted() ? kInterrupted : kOk;
}

int run(const TrafficArguments& arguments, const CommonOptions& common) {
  if (auto valid = validate(arguments.options); !valid.ok()) {
    fmt::print(stderr, "proven: {}\n", valid.error().text());
    return kUsage;
  }
  if (auto valid = validate(arguments.plan.vehicle); !valid.ok()) {
    fmt::print(stderr, "proven: {}\n", valid.error().text());
    return kUsage;
  }
  if (arguments.action == "verify") {
    if (arguments.trajectories.empty() || arguments.certificate.empty()) {
      fmt::print(stderr, "proven: traffic verify needs TRAJECTORIES and --certificate FILE\n");
      return kUsage;
    }
    return run_traffic_verify(
        {arguments.scene, arguments.trajectories, arguments.certificate, arguments.left_out,
         arguments.options.clearance, arguments.plan.vehicle.length, arguments.plan.vehicle.width,
         arguments.afterwards.after},
        common);
  }
  const auto in_space = holds_bodies(arguments.scene);
  if (!in_space.ok()) return report(in_space.error());
  if (in_space.value() && arguments.action != "check")
    return report(
        bad_input("bodies in space can be checked, not rendered or planned for", arguments.scene));
  if (arguments.action == "check" && !has_candidates(arguments)) return kUsage;
  const Work work("traffic", common, OnInterrupt::stop);
  const Budget& budget = work.budget();
  if (in_space.value())
    return run_bodies_check(arguments.scene, arguments.trajectories, arguments.options,
                            arguments.afterwards, common, budget);
  if (arguments.action == "check") return run_check(arguments, common, budget);
  if (arguments.action == "render") return run_render(arguments, common, budget);
  return run_traffic_plan(arguments.scene, arguments.plan, arguments.output, common, budget);
}

void add_options(Arguments& arguments, TrafficArguments& chosen) {
  TrafficOptions& options = chosen.options;
  arguments.add_choice("action", chosen.action, {"check", "render", "plan", "verify"},
                       "check trajectories, render a page, plan through recorded traffic, or "
                       "verify a proof");
  arguments.add_required("scene", chosen.scene,
                         "CommonRoad .xml, or traffic .json (outlines or bodies)");
  arguments.add("trajectories", chosen.trajectories, "Candidates: .json or .csv");
  arguments.add_flag("--recorded", chosen.recorded,
                     "Check every recorded vehicle against all others");
  arguments.add_flag("--metrics", chosen.metrics,
                     "Also prove the least distance and the least gap in time");
  arguments.add("--vehicle", chosen.vehicle,
                "What drives, where a file does not give its shape: " +
                    spacetime::VehicleModel::types() + " (default: car)");
  arguments.add("--length", chosen.length, "Its length in metres; default: that of its type", 0);
  arguments.add("--width", chosen.width, "Its width", 0);
  arguments.add_flag("--ignore-road", chosen.plan.ignore_road,
                     "Leaving the road is told, but allowed");
  arguments.only_for({"check", "plan"});
  arguments.add("--clearance", options.clearance, "Required of every obstacle, in metres");
  arguments.add("--leave-out", chosen.left_out, "Ids of obstacles that are not asked about");
  arguments.only_for({"check", "verify"});
  arguments.add_choice("--after", chosen.after, {"rest", "continue", "gone"},
                       "Of obstacles after their last sample or occupancy: they rest, continue "
                       "straight on as in the last step, or are gone; default: continue");
  arguments.add("--certificate", chosen.certificate,
                "The proof to write, or of verify the proof to check");
  arguments.only_for({"check", "plan", "verify"});
  arguments.add("--resolution", options.resolution,
                "Closer than clearance + this without a proof is undecided, in metres");
  arguments.add("--time-resolution", options.time_resolution,
                "Contacts are located to within this, in seconds");
  arguments.add("--max-cells", options.max_cells, "Give up on a trajectory after this many cells",
                1);
  arguments.add("-o,--output", chosen.output, "The HTML page to write");
  arguments.only_for({"render", "plan"});
  arguments.add("--problem", chosen.plan.problem, "Id of the planning problem; default: the first");
  arguments.only_for({"plan"});
  arguments.add("--candidates", chosen.plan.candidates, "Candidates per cycle", 10);
  arguments.only_for({"plan"});
  arguments.add("--cycle", chosen.plan.cycle, "Seconds between two decisions", 0.01);
  arguments.only_for({"plan"});
  arguments.add("--margin", chosen.plan.margin,
                "Kept from obstacles beyond the clearance where possible, in metres", 0);
  arguments.only_for({"plan"});
  arguments.add("--trajectory", chosen.plan.trajectory,
                "A .json file to write the drive to, for `traffic check`");
  arguments.only_for({"plan"});
  arguments.add("--horizon", chosen.plan.horizon, "Seconds that a candidate looks ahead", 0.5);
  arguments.only_for({"plan"});
  arguments.add_flag("--fail-safe", chosen.plan.fail_safe,
                     "Keep a stop at all times that is proved free whatever others do within "
                     "their bounds");
  arguments.only_for({"plan"});
  arguments.add("--mover-speed", chosen.plan.movers.max_speed,
                "With --fail-safe: nobody gets faster, in m/s", 0);
  arguments.only_for({"plan"});
  arguments.add("--mover-acceleration", chosen.plan.movers.max_acceleration,
                "With --fail-safe: nobody speeds up or brakes harder, in m/s^2", 0.1);
  arguments.only_for({"plan"});
  arguments.add_flag("--leave-lanes", chosen.leave_lanes,
                     "With --fail-safe: others need not keep their lanes");
  arguments.only_for({"plan"});
  arguments.honour(Common::threads, {"check", "render"});
  arguments.honour(Common::budget);
  arguments.set_action([&chosen] { return chosen.action; });
}

}  // namespace

Command traffic_command() {
  return {"traffic", "Prove trajectories free among moving obstacles, draw them, or plan one",
          "  proven traffic check scenario.xml --recorded --metrics\n"
          "  proven traffic check scene.json candidates.csv --clearance 0.2 --json\n"
          "  proven traffic render scenario.xml -o page.html\n"
          "  proven traffic plan scenario.xml -o drive.html --trajectory drive.json --certificate "
          "drive.proof\n"
          "  proven traffic verify scenario.xml drive.json --certificate drive.proof",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<TrafficArguments>();
            add_options(arguments, *chosen);
            return [=, &common] {
              chosen->plan.clearance = chosen->options.clearance;
              chosen->plan.certificate = chosen->certificate;
              chosen->plan.movers.keeps_lane = !chosen->leave_lanes;
              if (const auto after = spacetime::afterwards_of(chosen->after))
                chosen->afterwards = {*after, true};
              chosen->plan.afterwards = chosen->afterwards;
              const std::string type = chosen->vehicle.empty() ? "car" : chosen->vehicle;
              const auto vehicle = spacetime::VehicleModel::of_type(type);
              if (!vehicle) {
                fmt::print(stderr, "proven: no vehicle '{}'; there are {}\n", type,
                           spacetime::VehicleModel::types());
                return static_cast<int>(kUsage);
              }
              chosen->plan.vehicle =
                  vehicle->resized(chosen->length > 0 ? chosen->length : vehicle->length,
                                   chosen->width > 0 ? chosen->width : vehicle->width);
              return run(*chosen, common);
            };
          }};
}

}  // namespace proven::tools
