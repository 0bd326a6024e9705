// proven plan: a path from start to goal whose every segment is proved free.
#include "proven/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "proven/base/parallel.h"
#include "proven/io/certificate_file.h"
#include "proven/io/path_file.h"
#include "proven/plan/joint_space.h"
#include "proven/plan/pose_goal.h"
#include "proven/plan/smooth.h"
#include "proven/plan/timing.h"
#include "tools/command.h"
#include "tools/path_report.h"
#include "tools/planned.h"
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

SmoothOptions smoothing(const PlanArguments& arguments, double margin) {
  SmoothOptions options;
  options.seed = arguments.options.seed;
  options.check = arguments.options.check;
  options.check.certificate = !arguments.certificate.empty() && !arguments.timed;
  options.margin = margin;
  options.waypoint_cost = kWaypointCost;
  options.input_is_proved = true;
  options.other_goals = arguments.options.other_goals;
  options.constraints = arguments.options.constraints;
  return options;
}

void take_shorter(SmoothResult shorter, Planned& result) {
  result.rounds = shorter.rounds;
  result.path = std::move(shorter.path);
  result.certificate = std::move(shorter.certificate);
}

Result<void> shorten(const CheckModel& model, const PlanArguments& arguments, const Budget& budget,
                     Planned& result) {
  SmoothOptions options = smoothing(arguments, result.margin_kept);
  if (budget.limited()) options.rounds = kRoundsForBudget;
  auto shorter = smooth(model, result.path, options, budget);
  if (!shorter.ok()) return shorter.error();
  take_shorter(std::move(shorter).value(), result);
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
  if (result.goals.unreachable) result.status = PlanStatus::unreachable;
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
    find_clearance(scene, motion.value());
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

// The arguments for one of many queries, whose files stand in folders.
PlanArguments arguments_of_line(const PlanArguments& arguments, std::size_t line) {
  PlanArguments one = arguments;
  one.output = file_of_line(arguments.output, line, ".json");
  one.certificate = file_of_line(arguments.certificate, line, ".proof");
  return one;
}

// One line of the answer; gives the exit code of this query.
int report_line(const Scene& scene, const Result<Planned>& result, const PlanArguments& arguments,
                bool json) {
  const auto fail = [&](const Error& error) { return print_line_error(error, json); };
  remove_files({arguments.output, arguments.certificate});
  if (!result.ok()) return fail(result.error());
  if (auto saved = save(scene, arguments, result.value()); !saved.ok()) return fail(saved.error());
  const bool solved = result.value().status == PlanStatus::solved;
  if (json) {
    Json line = to_json(result.value(), scene, arguments);
    if (solved && !arguments.output.empty()) line["file"] = arguments.output;
    fmt::print("{}\n", line.dump());
  } else if (solved) {
    fmt::print("solved: {} waypoints, length {:.4g}\n", result.value().path.waypoints.size(),
               path_length(scene, result.value().path));
  } else {
    fmt::print("{}: {}\n", to_string(result.value().status), result.value().reason);
  }
  std::fflush(stdout);
  return exit_code(result.value());
}

// One of many queries on its way.
struct Line {
  PlanArguments arguments;
  Query query = {};
  Result<Planned> result = Planned{};

  bool found() const { return result.ok() && result.value().proved; }
};

// Queries that are planned together, as plan_within plans one.
class Lines {
 public:
  Lines(const CheckModel& model, const PlanArguments& arguments, const CommonOptions& common,
        const Budget& budget)
      : model_(model),
        options_(arguments.options),
        batch_{.device = chosen_device(arguments.device, common), .threads = common.threads},
        budget_(budget) {
    quiet_.cancel = budget.cancel;
    options_.check.certificate =
        !arguments.certificate.empty() && !arguments.smooth && !arguments.timed;
  }

  Result<std::vector<Line>> plan(std::span<const Result<PoseQuery>> asked,
                                 const PlanArguments& arguments, std::size_t first) {
    for (std::size_t k = 0; k < asked.size(); ++k)
      lines_.push_back({arguments_of_line(arguments, first + k)});
    each([&](std::size_t k) { find(asked[k], lines_[k]); });
    if (auto done = solve(); !done.ok()) return done.error();
    if (arguments.smooth)
      if (auto done = shorten_all(); !done.ok()) return done.error();
    each([&](std::size_t k) {
      Line& line = lines_[k];
      if (!arguments.timed || !line.found()) return;
      auto timed = add_times(model_.scene(), line.arguments, quiet_, line.result.value());
      if (!timed.ok()) line.result = timed.error();
    });
    return std::move(lines_);
  }

 private:
  void each(const std::function<void(std::size_t)>& work) const {
    parallel_for(static_cast<int>(lines_.size()), batch_.threads,
                 [&](int item, int) { work(static_cast<std::size_t>(item)); });
  }

  // Where one goes: without a goal there is nothing to plan.
  void find(const Result<PoseQuery>& asked, Line& line) const {
    if (!asked.ok()) {
      line.result = asked.error();
      return;
    }
    line.query = asked.value().query;
    line.result.value().asked = asked.value().goals;
    line.arguments.options.constraints = asked.value().constraints;
    auto found =
        find_goals(model_.scene(), line.arguments, quiet_, line.query, line.result.value());
    if (!found.ok()) line.result = found.error();
  }

  Result<void> solve() {
    std::vector<PlanProblem> problems;
    std::vector<Line*> planned;
    for (Line& line : lines_)
      if (line.result.ok() && !line.result.value().goals.configurations.empty()) {
        const PlanOptions& options = line.arguments.options;
        problems.push_back({line.query, options.other_goals, options.constraints});
        planned.push_back(&line);
      }
    auto results = plan_all(model_, problems, options_, batch_, budget_);
    if (!results.ok()) return results.error();
    for (std::size_t k = 0; k < planned.size(); ++k) {
      Result<PlanResult>& one = results.value()[k];
      if (!one.ok()) {
        planned[k]->result = one.error();
        continue;
      }
      Planned& result = planned[k]->result.value();
      static_cast<PlanResult&>(result) = std::move(one).value();
      if (result.status == PlanStatus::solved)
        result.first_length = path_length(model_.scene(), result.path);
    }
    return {};
  }

  // Those that keep the same margin together; with constraints alone.
  Result<void> shorten_all() {
    std::map<double, std::vector<Line*>> groups;
    for (Line& line : lines_)
      if (line.found() && line.arguments.options.constraints.empty())
        groups[line.result.value().margin_kept].push_back(&line);
    for (const auto& [margin, group] : groups) {
      std::vector<Path> paths;
      for (const Line* line : group) paths.push_back(line->result.value().path);
      auto results =
          smooth_all(model_, paths, smoothing(group[0]->arguments, margin), batch_, budget_);
      if (!results.ok()) return results.error();
      for (std::size_t k = 0; k < group.size(); ++k) {
        Result<SmoothResult>& one = results.value()[k];
        if (one.ok())
          take_shorter(std::move(one).value(), group[k]->result.value());
        else
          group[k]->result = one.error();
      }
    }
    each([&](std::size_t k) {
      Line& line = lines_[k];
      if (!line.found() || line.arguments.options.constraints.empty()) return;
      auto done = shorten(model_, line.arguments, quiet_, line.result.value());
      if (!done.ok()) line.result = done.error();
    });
    return {};
  }

  const CheckModel& model_;
  PlanOptions options_;
  BatchOptions batch_;
  const Budget& budget_;
  Budget quiet_;  // of threads
  std::vector<Line> lines_;
};

// Queries of one file, on one model, one line of the answer each. With a budget, which is one for
// each, and by planners of others they are planned one after the other.
int plan_many(const CheckModel& model, const PlanArguments& arguments,
              const CommonOptions& common) {
  const bool together =
      !std::isfinite(common.budget_seconds) && !arguments.options.planner.starts_with(kOmpl);
  if (!together && (common.threads != 0 || arguments.device != PlanArguments{}.device)) {
    fmt::print(stderr,
               "proven: with --budget, and by OMPL's planners, queries are planned one after the "
               "other: leave out --threads and --device\n");
    return kUsage;
  }
  const auto problems = read_problems(model.scene(), arguments.problem);
  if (!problems.ok()) return report(problems.error());
  if (auto made = make_folders({arguments.output, arguments.certificate}); !made.ok())
    return report(made.error());
  CommonOptions silent = common;  // where answers scroll over the terminal there is no place
  silent.quiet |= isatty(STDOUT_FILENO) != 0;
  const std::span<const Result<PoseQuery>> all = problems.value();
  const std::size_t some = together ? lines_at_a_time(arguments.device) : 1;
  int code = kOk;
  for (std::size_t begin = 0; begin < all.size() && !interrupted(); begin += some) {
    if (!together) {
      PlanArguments one = arguments_of_line(arguments, begin);
      silent.begun = Budget::Clock::now();
      Result<Planned> result = all[begin].ok() ? plan_within(model, all[begin].value(), one, silent)
                                               : Result<Planned>(all[begin].error());
      code = worse(code, report_line(model.scene(), result, one, common.json));
      continue;
    }
    const Work work("plan", silent, OnInterrupt::stop);
    auto lines =
        Lines(model, arguments, common, work.budget())
            .plan(all.subspan(begin, std::min(some, all.size() - begin)), arguments, begin);
    if (!lines.ok()) return report(lines.error());
    for (const Line& line : lines.value())
      code = worse(code, report_line(model.scene(), line.result, line.arguments, common.json));
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
  // Of many queries each has a budget of its own.
  std::optional<Preparation> preparation;
  if (!arguments.problem.many()) preparation.emplace("the scene and the query", common);
  if (arguments.problem.ignore_limits) arguments.options.check.limits = Limits::ignore;
  // A page shows what the verifier says, which never sees the cache.
  Result<SceneSource> source = SceneSource{};
  if (!arguments.report.empty()) source = load_source(scene_argument, &arguments.visuals);
  if (!source.ok()) return report(source.error());
  const auto scene =
      arguments.report.empty() ? load(scene_argument) : build(scene_argument, source.value());
  if (!scene.ok()) return report(scene.error());
  print_remarks(scene.value(), common);
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
  arguments.add_choice("--device", chosen.device, {"threads", "automatic"},
                       "What proves edges of many queries; automatic: a GPU, if any");
  arguments.only_for({kMany});
  arguments.honour(Common::threads, {kMany});
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
          "  proven plan cell.json queries.jsonl --json -o paths\n"
          "  proven plan cell.json queries.jsonl --device automatic --smooth -o paths",
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
