// proven plan: a path from start to goal whose every segment is proved free.
#include "proven/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/plan_problem.h"
#include "tools/scene_argument.h"
#include "tools/timing_report.h"
#include "tools/view/page.h"
#include "tools/view/visuals.h"
#include "tools/work.h"
#ifdef PROVEN_WITH_OMPL
#include "proven/scene/sensed.h"
#include "tools/ompl_planner.h"
#endif

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kOmpl = "ompl:";
constexpr const char *kOne = "one query", *kMany = "*.jsonl";

struct PlanArguments {
  ProblemArguments problem;
  std::string output, report, certificate, checker{to_string(kProvingChecker)};
  PlanOptions options;
  bool list = false, smooth = false, timed = false;
  std::vector<RobotVisuals> visuals;  // of the report
};

// What is found, and what is made of it.
struct Planned : PlanResult {
  std::vector<PlanGoal> asked;
  GoalsResult goals;                  // configurations for them
  double first_length = 0;            // of the path as it was planned
  std::int64_t rounds = 0;            // of other paths, for a shorter one
  std::optional<TimingResult> timed;  // of a proved path, if asked for
};

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

Json to_json(const Planned& result, const Scene& scene, const PlanArguments& arguments) {
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

Result<PlanResult> solve(const CheckModel& model, const Query& problem, const PlanOptions& options,
                         const Budget& budget) {
  if (!options.planner.starts_with(kOmpl)) return plan(model, problem, options, budget);
#ifdef PROVEN_WITH_OMPL
  constexpr double kSeconds = 2;  // for a margin: without a budget, these planners never give up
  const Scene& scene = model.scene();
  return plan_with_margin(scene, options, budget,
                          [&](const PlanOptions& tried, const Budget& share) {
                            const bool stricter = tried.check.clearance != options.check.clearance;
                            return plan_by_ompl(scene, problem, tried.planner.substr(kOmpl.size()),
                                                tried, stricter ? share.at_most(kSeconds) : share);
                          });
#else
  return bad_input("this program was built without OMPL: install libompl-dev and build again");
#endif
}

Result<void> shorten(const CheckModel& model, const PlanArguments& arguments, const Budget& budget,
                     Planned& result) {
  SmoothOptions smoothing;
  smoothing.seed = arguments.options.seed;
  smoothing.check = arguments.options.check;
  smoothing.check.certificate = !arguments.certificate.empty() && !arguments.timed;
  smoothing.margin = result.margin_kept;
  smoothing.waypoint_cost = kWaypointCost;
  smoothing.input_is_proved = true;
  if (budget.limited()) smoothing.rounds = kRoundsForBudget;
  smoothing.other_goals = arguments.options.other_goals;
  smoothing.constraints = arguments.options.constraints;
  auto shorter = smooth(model, result.path, smoothing, budget);
  if (!shorter.ok()) return shorter.error();
  result.rounds = shorter.value().rounds;
  result.path = std::move(shorter.value().path);
  result.certificate = std::move(shorter.value().certificate);
  return {};
}

// The path is proved; the motion is, too, and keeps the same margin.
Result<void> add_times(const Scene& scene, const PlanArguments& arguments, const Budget& budget,
                       Planned& result) {
  CheckOptions check = arguments.options.check;
  check.resolution = std::min(check.resolution, CheckOptions{}.resolution);
  check.max_cells = CheckOptions{}.max_cells;
  const CheckOptions stricter = with_margin(check, result.margin_kept);
  TimingOptions timing;
  timing.input_is_proved = true;
  Budget unlimited;  // as with all that was found in time, only a person stops its proof
  unlimited.cancel = budget.cancel;
  auto timed = time_path(scene, result.path, timing, stricter, unlimited);
  if (!timed.ok()) return timed.error();
  if (timed.value().proof.verdict != Verdict::free)
    return Error{ErrorCode::exhausted,
                 "the proof of the timed motion was stopped; nothing is written", arguments.output};
  result.timed = std::move(timed).value();
  if (!arguments.options.constraints.empty()) {
    ConstraintProver prover(scene.tree(), arguments.options.constraints, check.tracking_error);
    const ConstraintResult kept = prover.check(result.timed->motion);
    if (kept.verdict != ConstraintVerdict::kept)
      return Error{ErrorCode::exhausted,
                   "the timed motion cuts corners and is not proved to keep the constraints: " +
                       describe(scene.tree(), arguments.options.constraints, kept) +
                       "; plan without --timed, or with more room in the constraint",
                   arguments.output};
  }
  if (arguments.certificate.empty()) return {};
  check.certificate = true;
  auto proof = prove_finally(scene, result.timed->motion, check, budget);
  if (!proof.ok()) return proof.error();
  result.certificate = std::move(proof.value().certificate);
  return {};
}

// Configurations for goals that are poses; without any there is nothing to plan.
Result<void> find_goals(const Scene& scene, PlanArguments& arguments, const Budget& budget,
                        Query& problem, Planned& result) {
  PoseGoalOptions options;
  options.check = arguments.options.check;
  options.seed = arguments.options.seed;
  options.constraints = arguments.options.constraints;
  auto reached = reach_goals(scene, problem, result.asked, options, budget);
  if (!reached.ok()) return reached.error();
  result.goals = std::move(reached).value();
  result.reason = result.goals.reason;
  if (budget.cancelled()) result.status = PlanStatus::cancelled;
  problem.planned = result.goals.planned;
  const auto& goals = result.goals.configurations;
  if (goals.empty()) return {};
  problem.goal = goals.front();
  arguments.options.other_goals.assign(goals.begin() + 1, goals.end());
  if (arguments.problem.ignore_limits) ignore_limits(scene, problem);
  return {};
}

// Plans and, if asked to, shortens and times. What comes last is certified.
Result<Planned> plan_within(const CheckModel& model, const PoseQuery& asked,
                            PlanArguments& arguments, const CommonOptions& common) {
  const Work work("plan", common, OnInterrupt::stop);
  const Scene& scene = model.scene();
  Query problem = asked.query;
  Planned result;
  result.asked = asked.goals;
  arguments.options.constraints = asked.constraints;
  if (auto found = find_goals(scene, arguments, work.budget(), problem, result); !found.ok())
    return found.error();
  if (result.goals.configurations.empty()) return result;
  const bool shortens = arguments.smooth || work.budget().limited();
  arguments.options.check.certificate =
      !arguments.certificate.empty() && !shortens && !arguments.timed;
  auto found = solve(model, problem, arguments.options, work.budget());
  if (!found.ok()) return found.error();
  static_cast<PlanResult&>(result) = std::move(found).value();
  if (result.status == PlanStatus::solved) result.first_length = path_length(scene, result.path);
  if (shortens && result.proved)
    if (auto done = shorten(model, arguments, work.budget(), result); !done.ok())
      return done.error();
  if (arguments.timed && result.proved)
    if (auto done = add_times(scene, arguments, work.budget(), result); !done.ok())
      return done.error();
  return result;
}

// Writes what was asked for.
Result<void> save(const Scene& scene, const PlanArguments& arguments, const Planned& result) {
  if (result.status != PlanStatus::solved) return {};
  if (!arguments.output.empty())
    if (auto saved =
            save_path(arguments.output, result.timed ? result.timed->motion : result.path, scene);
        !saved.ok())
      return saved;
  if (arguments.certificate.empty() || (interrupted() && result.certificate.empty())) return {};
  if (result.certificate.empty())
    return Error{ErrorCode::exhausted, "the proof of the path was stopped; nothing is written",
                 arguments.certificate};
  return save_certificate(arguments.certificate, result.certificate);
}

// A page with the planned path and, unless it is that, the straight way.
Result<void> write_report(const SceneArgument& scene_argument, const SceneSource& source,
                          const Scene& scene, const Query& problem, const PlanArguments& arguments,
                          const PlanResult& result) {
  ViewDocument document(std::filesystem::path(scene_argument.scene).filename().string());
  document.set_scene(scene, size_of(scene));
  add_visuals(source, arguments.visuals, scene, kMostVisualTriangles, document);
  const auto add = [&](const char* name, const Path& path) -> Result<void> {
    auto motion =
        check_motion(source, scene, path, arguments.options.check, scene_argument.trust_srdf_never);
    if (!motion.ok()) return motion.error();
    motion.value().name = name;
    document.add_motion(scene, motion.value());
    return {};
  };
  Path straight;
  straight.waypoints = {problem.start, result.status == PlanStatus::solved
                                           ? result.path.waypoints.back()
                                           : problem.goal};
  if (result.path.waypoints.size() != 2 && !straight.waypoints[1].empty())
    if (auto added = add("Straight", straight); !added.ok()) return added;
  if (result.status == PlanStatus::solved)
    if (auto added = add("Planned", result.path); !added.ok()) return added;
  if (!result.reason.empty()) document.add_error(bad_input(result.reason));
  return write_page(arguments.report, document);
}

int plan_and_report(const SceneArgument& scene_argument, const SceneSource& source,
                    const CheckModel& model, const PoseQuery& problem, PlanArguments& arguments,
                    const CommonOptions& common) {
  const Scene& scene = model.scene();
  const auto result = plan_within(model, problem, arguments, common);
  if (!result.ok()) return report_any(result.error());
  if (result.value().status == PlanStatus::cancelled) arguments.report.clear();
  const Unfinished path(arguments.output), certificate(arguments.certificate),
      page(arguments.report);
  if (auto saved = save(scene, arguments, result.value()); !saved.ok())
    return report_any(saved.error());
  if (!arguments.report.empty())
    if (auto written =
            write_report(scene_argument, source, scene, problem.query, arguments, result.value());
        !written.ok())
      return report(written.error());
  if (common.json)
    fmt::print("{}\n", to_json(result.value(), scene, arguments).dump());
  else
    print(result.value(), scene, arguments);
  return unless_interrupted(exit_code(result.value()));
}

// The arguments for one of many queries, whose files stand in folders as 1.json and 1.proof.
PlanArguments arguments_of_line(const PlanArguments& arguments, std::size_t line) {
  PlanArguments one = arguments;
  const auto within = [&](const std::string& folder, const char* ending) {
    return (std::filesystem::path(folder) / (std::to_string(line + 1) + ending)).string();
  };
  if (!one.output.empty()) one.output = within(one.output, ".json");
  if (!one.certificate.empty()) one.certificate = within(one.certificate, ".proof");
  return one;
}

// One line of the answer; gives the exit code of this query. What an earlier run left in its place
// goes.
int plan_line(const CheckModel& model, const Result<PoseQuery>& problem, PlanArguments arguments,
              const CommonOptions& common) {
  const auto fail = [&](const Error& error) {
    if (common.json)
      fmt::print("{}\n", Json{{"error", error.text()}}.dump());
    else
      fmt::print("error: {}\n", error.text());
    return error.code == ErrorCode::exhausted ? kUndecided : kBadInput;
  };
  std::error_code ignored;
  for (const std::string& file : {arguments.output, arguments.certificate})
    if (!file.empty()) std::filesystem::remove(file, ignored);
  if (!problem.ok()) return fail(problem.error());
  const auto result = plan_within(model, problem.value(), arguments, common);
  if (!result.ok()) return fail(result.error());
  if (auto saved = save(model.scene(), arguments, result.value()); !saved.ok())
    return fail(saved.error());
  const bool solved = result.value().status == PlanStatus::solved;
  if (common.json) {
    Json json = to_json(result.value(), model.scene(), arguments);
    if (solved && !arguments.output.empty()) json["file"] = arguments.output;
    fmt::print("{}\n", json.dump());
  } else if (solved) {
    fmt::print("solved: {} waypoints, length {:.4g}\n", result.value().path.waypoints.size(),
               path_length(model.scene(), result.value().path));
  } else {
    fmt::print("{}: {}\n", to_string(result.value().status), result.value().reason);
  }
  return exit_code(result.value());
}

// Queries of one file, on one model, one line of the answer each.
int plan_many(const CheckModel& model, const PlanArguments& arguments,
              const CommonOptions& common) {
  const auto problems = read_problems(model.scene(), arguments.problem);
  if (!problems.ok()) return report(problems.error());
  for (const std::string& folder : {arguments.output, arguments.certificate}) {
    std::error_code failed;
    if (!folder.empty()) std::filesystem::create_directories(folder, failed);
    if (failed)
      return report(
          Error{ErrorCode::bad_input, "cannot make this folder: " + failed.message(), folder});
  }
  CommonOptions silent = common;  // where answers scroll over the terminal there is no place
  silent.quiet |= isatty(STDOUT_FILENO) != 0;
  int code = kOk;
  for (std::size_t line = 0; line < problems.value().size() && !interrupted(); ++line) {
    code = worse(
        code, plan_line(model, problems.value()[line], arguments_of_line(arguments, line), silent));
    std::fflush(stdout);
  }
  return unless_interrupted(code);
}

int list_planners(bool json) {
  Json rows = Json::array();
  for (const PlannerInfo& info : planners())
    rows.push_back({{"name", info.name}, {"summary", info.summary}});
#ifdef PROVEN_WITH_OMPL
  for (const std::string& name : ompl_planner_names())
    rows.push_back(
        {{"name", std::string(kOmpl) + name}, {"summary", "of OMPL, every motion proved"}});
#endif
  if (json) {
    fmt::print("{}\n", Json{{"planners", rows}}.dump());
    return kOk;
  }
  for (const Json& row : rows)
    fmt::print("{:<26} {}\n", row["name"].get<std::string>(), row["summary"].get<std::string>());
  return kOk;
}

// Prepared once; planners take from it what they need.
CheckOptions checking(const PlanArguments& arguments) {
  CheckOptions check = arguments.options.check;
  if (arguments.options.planner == "sbl") check.checker = Checker::fixed;
  return check;
}

int run(const SceneArgument& scene_argument, PlanArguments& arguments,
        const CommonOptions& common) {
  if (arguments.list) return list_planners(common.json);
  keep_stdout_for(arguments.output);
  if (const std::string refused = refusal(arguments.problem); !refused.empty()) {
    fmt::print(stderr, "proven: {}\n", refused);
    return kUsage;
  }
  arguments.options.check.checker = parse_word<Checker>(arguments.checker).value();
  if (arguments.options.planner == "sbl") arguments.checker = to_string(Checker::fixed);
  arguments.options.seed = common.seed;
  // A page shows what the verifier says, which never sees the cache.
  Result<SceneSource> source = SceneSource{};
  if (!arguments.report.empty()) source = load_source(scene_argument, &arguments.visuals);
  if (!source.ok()) return report(source.error());
  const auto scene =
      arguments.report.empty() ? load(scene_argument) : build(scene_argument, source.value());
  if (!scene.ok()) return report(scene.error());
  const auto model = CheckModel::build(scene.value(), checking(arguments));
  if (!model.ok()) return report(model.error());
  if (arguments.problem.many()) return plan_many(model.value(), arguments, common);
  const auto problem = read_problem(scene_argument, scene.value(), arguments.problem);
  if (!problem.ok()) return report(problem.error());
  return plan_and_report(scene_argument, source.value(), model.value(), problem.value(), arguments,
                         common);
}

void add_options(Arguments& arguments, PlanArguments& chosen) {
  PlanOptions& options = chosen.options;
  options.margin = kMargin;
  add_problem_options(arguments, chosen.problem);
  arguments.add("--planner", options.planner,
                "Which planner: rrt-connect, a-sbl, prm, lazy-prm, sbl, or ompl:NAME");
  arguments.add_flag("--list", chosen.list, "List the planners");
  arguments.add("-o,--output", chosen.output,
                "Write the path to this file; of *.jsonl into this folder, as 1.json and so on");
  arguments.add("--certificate", chosen.certificate,
                "Write a proof of the path that 'proven verify' checks; of *.jsonl into this "
                "folder, as 1.proof and so on");
  arguments.add("--report", chosen.report, "Write a page that shows the path and its proof");
  arguments.only_for({kOne});
  arguments.add_choice("--checker", chosen.checker, {"directional", "classic", "refined"},
                       "By which rule motions are proved");
  arguments.add_clearance(options.check.clearance);
  arguments.add("--margin", options.margin, kMarginHelp, 0.0);
  arguments.add_tracking_error(options.check.tracking_error);
  arguments.add("--resolution", options.check.resolution,
                "Motions closer than clearance + this to contact are given up, in metres", 0.0);
  arguments.add("--step", options.check.step, "Planner sbl: largest step between samples", 1e-9);
  arguments.add("--max-iterations", options.max_iterations, "Give up after so many", 0);
  arguments.add_flag("--smooth", chosen.smooth, "Shorten the path, every piece proved");
  arguments.add_flag("--timed", chosen.timed,
                     "Write a timed motion instead, as 'proven time' makes it, and prove it");
  arguments.honour(Common::seed);
  arguments.honour(Common::budget);
  arguments.honour(Common::no_cache);
}

}  // namespace

Command plan_command() {
  return {"plan", "Plan a path and prove it free",
          "  proven plan demo -o path.json --report path.html\n"
          "  proven plan cell.json query.json --planner a-sbl --clearance 0.005 -o path.json\n"
          "  proven plan cell.json query.json --planner ompl:RRTConnect --json\n"
          "  proven plan cell.json --goal up --goal \"joint_1=0.5 joint_2=-1\" -o path.json\n"
          "  proven plan cell.json queries.jsonl --json -o paths",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto scene = add_scene_argument(arguments);
            auto chosen = std::make_shared<PlanArguments>();
            add_options(arguments, *chosen);
            add_require_solid(arguments, *scene);
            arguments.set_action([chosen] { return chosen->problem.many() ? kMany : kOne; });
            return [=, &common] { return run(*scene, *chosen, common); };
          }};
}

}  // namespace proven::tools
