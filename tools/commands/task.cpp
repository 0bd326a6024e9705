// proven task: plans for PDDL problems, and the judge of plans.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "manipulation/problems.h"
#include "manipulation/steps.h"
#include "proven/io/file.h"
#include "proven/task/planner.h"
#include "tools/command.h"
#include "tools/task_page.h"
#include "tools/view/page.h"
#include "tools/work.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

struct TaskArguments {
  std::vector<std::string> files;
  std::string output, folder, page;
  double memory_gib = 4;
  bool in_process = false, no_cache = false, first = false, anytime = false;
  task::TaskOptions options;
};

// What a domain with manipulation modules needs: the world, and a folder where the modules keep
// motions.
struct Geometry {
  manipulation::World world;
  fs::path store;
  std::unique_ptr<Unfinished> temporary;  // the folder, unless it stays

  ~Geometry() {
    std::error_code ignored;
    if (temporary) fs::remove_all(store, ignored);
  }
};

struct Input {
  std::string domain_text, problem_text;
  task::Domain domain;
  task::Problem problem;
  std::unique_ptr<Geometry> geometry;  // nothing without manipulation modules
};

// A plan's judgement, and its geometric steps.
struct Judged {
  task::Validation validation;
  std::vector<manipulation::PlanStep> steps;
};

Result<std::unique_ptr<Input>> load(const std::string& domain_file,
                                    const std::string& problem_file) {
  auto input = std::make_unique<Input>();
  auto domain_text = read_file(domain_file);
  if (!domain_text.ok()) return domain_text.error();
  auto problem_text = read_file(problem_file);
  if (!problem_text.ok()) return problem_text.error();
  input->domain_text = std::move(domain_text).value();
  input->problem_text = std::move(problem_text).value();
  auto domain = task::parse_domain(input->domain_text, domain_file);
  if (!domain.ok()) return domain.error();
  input->domain = std::move(domain).value();
  auto problem = task::parse_problem(input->problem_text, problem_file, input->domain);
  if (!problem.ok()) return problem.error();
  input->problem = std::move(problem).value();
  return input;
}

Result<fs::path> make_temporary_folder() {
  std::string name = (fs::temp_directory_path() / "proven-motions-XXXXXX").string();
  if (!mkdtemp(name.data()))
    return Error{ErrorCode::exhausted, "cannot be created", std::move(name)};
  return fs::path(name);
}

// Reads the world that the problem names and tells the modules where they are. With `kept`, a
// folder of an earlier plan, they find its motions there.
Result<void> open_geometry(const TaskArguments& arguments, std::uint64_t seed, const fs::path& kept,
                           Input& input) {
  if (!manipulation::uses_manipulation(input.domain)) return {};
  manipulation::Settings settings;
  settings.folder = fs::absolute(input.problem.file).parent_path();
  settings.seed = seed;
  settings.recompute = arguments.no_cache;
  auto world = manipulation::world_of(input.problem, settings.folder);
  if (!world.ok()) return world.error();
  const auto start = manipulation::first_situation(world.value(), input.problem);
  if (!start.ok()) return start.error();
  const auto doubts = manipulation::doubts_about(world.value(), start.value());
  if (!doubts.ok()) return doubts.error();
  for (const std::string& doubt : doubts.value())
    input.problem.remarks.push_back(input.problem.file + ": " + doubt);
  input.geometry = std::make_unique<Geometry>();
  input.geometry->world = std::move(world).value();
  if (kept.empty()) {
    const InterruptsWait until_it_is_known;
    auto folder = make_temporary_folder();
    if (!folder.ok()) return folder.error();
    input.geometry->store = std::move(folder).value();
    input.geometry->temporary = std::make_unique<Unfinished>(input.geometry->store);
  } else {
    input.geometry->store = fs::absolute(kept);
  }
  settings.store = input.geometry->store;
  manipulation::add_settings(settings, input.problem);
  return {};
}

// Modules are asked anew, so that the judge does not lean on the planner's answers.
Result<Judged> judge(const Input& input, const std::string& plan, const task::TaskOptions& options,
                     const Budget& budget) {
  Judged judged;
  task::ValidationOptions validation;
  validation.separation = options.separation;
  std::unique_ptr<task::ValidationModules> modules;
  std::unique_ptr<manipulation::StepRecorder> recorder;
  if (!input.domain.modules.empty()) {
    auto loaded = task::load_modules(input.domain, input.problem, options.modules, budget);
    if (!loaded.ok()) return loaded.error();
    modules = std::move(loaded).value();
    validation.modules = modules.get();
  }
  if (input.geometry) {
    recorder = std::make_unique<manipulation::StepRecorder>(std::move(modules), input.domain,
                                                            input.geometry->world);
    validation.modules = recorder.get();
  }
  auto result =
      task::validate_plan(input.domain_text, input.problem_text, plan, validation, budget);
  if (!result.ok()) return result.error();
  judged.validation = std::move(result).value();
  if (recorder) judged.steps = recorder->steps();
  return judged;
}

Json to_json(const task::TaskResult& result, const task::Validation* validation) {
  Json json{{"outcome", task::to_string(result.outcome)}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (!result.unreached.empty()) json["unreached"] = result.unreached;
  for (const task::ModuleReply& reply : result.replies)
    json["replies"].push_back({{"call", reply.call},
                               {"answer", task::to_string(reply.answer)},
                               {"times", reply.times},
                               {"seconds", reply.seconds},
                               {"reason", reply.reason}});
  if (result.outcome == task::TaskOutcome::solved) {
    json["makespan"] = result.makespan;
    json["metric"] = result.metric;
    if (result.bound) json["bound"] = *result.bound;
    for (const task::PlanFound& plan : result.found)
      json["found"].push_back({{"seconds", plan.seconds},
                               {"processor_seconds", plan.processor_seconds},
                               {"metric", plan.metric},
                               {"makespan", plan.makespan},
                               {"actions", plan.actions}});
    json["valid"] = validation ? Json(validation->valid) : Json(nullptr);
    json["plan"] = Json::array();
    for (const task::PlannedAction& action : result.plan)
      json["plan"].push_back({{"start", action.start},
                              {"duration", action.duration},
                              {"action", action.name},
                              {"arguments", action.arguments}});
  }
  json["stats"] = stats_json(result.stats);
  return json;
}

// A plan, its judgement unless Ctrl-C came first, and its motions with their proofs.
struct Planned {
  task::TaskResult result;
  std::string text;
  std::optional<Judged> judged;
  manipulation::PlanFiles files;
  std::optional<manipulation::ClockedPlan> clock;  // of several arms

  bool valid() const { return judged && judged->validation.valid; }
};

// Writes the motions of an accepted plan with their proofs. Fills in "steps".
Result<void> write_motions(const Input& input, const fs::path& root, std::uint64_t seed,
                           Planned& planned, Json& json) {
  json["steps"] = Json::array();
  if (!input.geometry || !planned.valid()) return {};
  manipulation::StepOptions options;
  options.seed = seed;
  auto written = manipulation::write_steps(input.geometry->world, planned.judged->steps,
                                           input.geometry->store, root, options);
  if (!written.ok()) return written.error();
  planned.files = std::move(written).value();
  for (std::size_t i = 0; i < planned.files.steps.size(); ++i) {
    const manipulation::StepFiles& files = planned.files.steps[i];
    json["steps"].push_back({{"motion", to_text(planned.judged->steps[i].request)},
                             {"scene", (root / files.folder / "scene.json").string()},
                             {"path", (root / files.folder / "path.json").string()},
                             {"certificate", (root / files.folder / "path.proof").string()},
                             {"waypoints", files.path.waypoints.size()},
                             {"verdict", to_string(files.check.verdict)},
                             {"verified", files.verified}});
    if (const auto seconds = planned.judged->steps[i].seconds)
      json["steps"].back()["seconds"] = *seconds;
  }
  if (!planned.clock) return {};
  json["in_turn"] = planned.clock->in_turn;
  json["waits"] = planned.clock->waits;
  json["together"] = Json::array();
  for (const manipulation::TogetherFiles& files : planned.files.together) {
    json["together"].push_back({{"begin", files.stretch.begin},
                                {"end", files.stretch.end},
                                {"motions", Json::array()},
                                {"scene", (root / files.folder / "scene.json").string()},
                                {"path", (root / files.folder / "path.json").string()},
                                {"certificate", (root / files.folder / "path.proof").string()},
                                {"verdict", to_string(files.check.verdict)},
                                {"verified", files.verified}});
    for (const int i : files.stretch.steps)
      json["together"].back()["motions"].push_back(
          to_text(planned.judged->steps[static_cast<std::size_t>(i)].request));
  }
  return {};
}

// A line per motion, below the plan.
void print_steps(const Json& json) {
  for (const Json& step : json["steps"])
    fmt::print(
        "; {}: {}, {} waypoints, {}{}, {}\n", step["motion"].get<std::string>(),
        step["path"].get<std::string>(), step["waypoints"].get<int>(),
        step.contains("seconds") ? fmt::format("{:.3f} s, ", step["seconds"].get<double>()) : "",
        step["verdict"].get<std::string>(),
        step["verified"].get<bool>() ? "verified" : "NOT verified");
  if (json.contains("together"))
    for (const Json& stretch : json["together"]) {
      std::string motions;
      for (const Json& motion : stretch["motions"])
        motions += (motions.empty() ? "" : " | ") + motion.get<std::string>();
      fmt::print("; together {:.3f} s to {:.3f} s: {}, {}, {}, {}\n",
                 stretch["begin"].get<double>(), stretch["end"].get<double>(), motions,
                 stretch["path"].get<std::string>(), stretch["verdict"].get<std::string>(),
                 stretch["verified"].get<bool>() ? "verified" : "NOT verified");
    }
  if (json.contains("page")) fmt::print("; page: {}\n", json["page"].get<std::string>());
}

bool all_verified(const Json& json) {
  for (const char* list : {"steps", "together"})
    if (json.contains(list))
      for (const Json& step : json[list])
        if (!step["verified"].get<bool>()) return false;
  return true;
}

// The seconds of motions depend on the seed that they were found with: the plan says which.
constexpr std::string_view kSeedLine = "; seed ";

std::string text_of(const Input& input, const std::vector<task::PlannedAction>& plan,
                    std::uint64_t seed) {
  return (input.geometry ? fmt::format("{}{}\n", kSeedLine, seed) : "") + to_text(plan);
}

// That of the plan; `otherwise` where it does not say.
std::uint64_t seed_of(const std::string& plan, std::uint64_t otherwise) {
  if (!plan.starts_with(kSeedLine)) return otherwise;
  const std::string line = plan.substr(kSeedLine.size(), plan.find('\n') - kSeedLine.size());
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), seed);
  return error == std::errc() && end == line.data() + line.size() ? seed : otherwise;
}

// A plan of several arms gets the times that are proved, and is judged again with them: as PDDL,
// and whether what overlaps is free together.
Result<void> put_on_clock(const Input& input, const task::TaskOptions& options, std::uint64_t seed,
                          const Budget& budget, Planned& planned) {
  auto clock =
      manipulation::on_one_clock(input.geometry->world, planned.result.plan, planned.judged->steps,
                                 input.geometry->store, options.separation);
  if (!clock.ok()) return clock.error();
  planned.clock = std::move(clock).value();
  planned.result.plan = planned.clock->plan;
  planned.text = text_of(input, planned.result.plan, seed);
  auto judged = judge(input, planned.text, options, budget);
  if (!judged.ok()) return judged.error();
  planned.judged = std::move(judged).value();
  task::Validation& validation = planned.judged->validation;
  if (!validation.valid) return {};
  const auto refuted = manipulation::refute_clock(input.geometry->world, planned.judged->steps,
                                                  input.geometry->store);
  if (!refuted.ok()) return refuted.error();
  validation.valid = refuted.value().empty();
  validation.reason = refuted.value();
  planned.result.makespan = validation.makespan;
  planned.result.metric = validation.metric.value_or(validation.makespan);
  return {};
}

// The budget is that of planning; Ctrl-C ends both.
Result<Planned> plan_and_judge(const Input& input, const TaskArguments& arguments,
                               const CommonOptions& common) {
  const Work work("task", common, OnInterrupt::stop, task::kImproving);
  task::TaskOptions options = arguments.options;
  options.anytime = arguments.anytime || (work.budget().limited() && !arguments.first);
  auto result = task::plan_task(input.domain, input.problem, options, work.budget());
  if (!result.ok()) return result.error();
  Planned planned;
  planned.result = std::move(result).value();
  if (planned.result.outcome != task::TaskOutcome::solved) return planned;
  planned.text = text_of(input, planned.result.plan, common.seed);
  Budget judging = work.budget();
  judging.deadline = Budget::Clock::time_point::max();
  auto judged = judge(input, planned.text, arguments.options, judging);
  if (judged.ok())
    planned.judged = std::move(judged).value();
  else if (!interrupted())
    return judged.error();
  if (!planned.valid() || !input.geometry || input.geometry->world.arms.size() == 1) return planned;
  const auto done = put_on_clock(input, arguments.options, common.seed, judging, planned);
  if (!done.ok() && !interrupted()) return done.error();
  if (!done.ok()) planned.judged.reset();
  return planned;
}

// " (the best)", or how far from the best it may be.
std::string gap_of(const task::TaskResult& result) {
  if (!result.bound) return {};
  const double gap = result.metric - *result.bound;
  const double small = 1e-6 * (1 + std::abs(result.metric));
  if (gap <= small) return " (the best)";
  if (result.metric > 0 && std::abs(*result.bound) <= small) return {};  // it says nothing
  return fmt::format(" (no plan below {:.6g}: gap {:.0f} %)", *result.bound,
                     100 * gap / std::max(1e-9, std::abs(result.metric)));
}

std::string judgement_of(const std::optional<Judged>& judged) {
  if (!judged) return "interrupted before the validator was done";
  if (judged->validation.valid) return "accepted by the validator";
  return "REJECTED by the validator: " + judged->validation.reason;
}

Result<void> write_page_of(const fs::path& file, const Input& input, const Planned& planned) {
  const bool solved = planned.result.outcome == task::TaskOutcome::solved;
  const auto valid =
      planned.judged ? std::optional(planned.judged->validation.valid) : std::nullopt;
  const ShownTask task{input.domain, input.problem, planned.result, valid,
                       solved ? judgement_of(planned.judged) : ""};
  if (!input.geometry) return write_task_page(file, task, nullptr);
  auto first = manipulation::first_situation(input.geometry->world, input.problem);
  if (!first.ok()) return first.error();
  static const std::vector<manipulation::PlanStep> kNone;
  const bool moves = planned.judged && !planned.files.steps.empty();
  const ShownSteps geometry{input.geometry->world, std::move(first).value(),
                            moves ? planned.judged->steps : kNone, planned.files};
  return write_task_page(file, task, &geometry);
}

// What --out and --report write: the plan and, of one that was accepted, the motions with their
// proofs; and pages. Without --out, motions go where they are removed afterwards.
Result<void> write_files(const Input& input, const TaskArguments& arguments, std::uint64_t seed,
                         Planned& planned, Json& json) {
  if (!arguments.folder.empty()) {
    const fs::path root = arguments.folder;
    std::error_code error;
    fs::create_directories(root, error);
    if (auto saved = write_file(root / "plan.txt", planned.text); !saved.ok()) return saved;
    if (auto written = write_motions(input, root, seed, planned, json); !written.ok())
      return written;
    if (has_viewer() && !planned.files.steps.empty()) {
      json["page"] = (root / "plan.html").string();
      if (auto written = write_page_of(root / "plan.html", input, planned); !written.ok())
        return written;
    }
  }
  if (arguments.page.empty()) return {};
  if (arguments.folder.empty() && input.geometry && planned.valid()) {
    Json ignored;
    const auto written =
        write_motions(input, input.geometry->store / "report", seed, planned, ignored);
    if (!written.ok()) return written;
  }
  json["report"] = arguments.page;
  return write_page_of(arguments.page, input, planned);
}

// What search never reached, and what modules answered no or unknown to.
void print_refusals(const task::TaskResult& result) {
  constexpr std::size_t kMost = 12;
  const auto rest = [](std::size_t count) {
    if (count > kMost) fmt::print("  ... and {} more (--json lists all)\n", count - kMost);
  };
  for (std::size_t i = 0; i < result.unreached.size() && i < kMost; ++i)
    fmt::print("  never reached: {}\n", result.unreached[i]);
  rest(result.unreached.size());
  std::size_t refusals = 0;
  for (const task::ModuleReply& reply : result.replies) {
    if (reply.answer == task::ModuleWord::yes || ++refusals > kMost) continue;
    fmt::print("  {} answered {}{}{}\n", reply.call, task::to_string(reply.answer),
               reply.times > 1 ? fmt::format(", {} times", reply.times) : "",
               reply.reason.empty() ? "" : ": " + reply.reason);
  }
  rest(refusals);
}

int report_unsolved(const task::TaskResult& result, const Json& json, const CommonOptions& common) {
  if (common.json) {
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}: {}\n", task::to_string(result.outcome), result.reason);
    print_refusals(result);
    if (json.contains("report")) fmt::print("  report: {}\n", json["report"].get<std::string>());
  }
  return unless_interrupted(result.outcome == task::TaskOutcome::unsolvable ? kCollision
                                                                            : kUndecided);
}

int report_solved(const Planned& planned, const Json& json, const CommonOptions& common) {
  const task::TaskResult& result = planned.result;
  if (common.json) {
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}", planned.text);
    fmt::print("; makespan {:.3f}, metric {:.6g}{}, {} actions, first plan in {:.2f} s, {}\n",
               result.makespan, result.metric, gap_of(result), result.plan.size(),
               result.stats.first_plan_seconds, judgement_of(planned.judged));
    if (planned.clock) {
      fmt::print("; one motion after the other would take {:.3f}\n", planned.clock->in_turn);
      for (const std::string& wait : planned.clock->waits) fmt::print("; {}\n", wait);
    }
    if (json.contains("steps")) print_steps(json);
    if (json.contains("report")) fmt::print("; report: {}\n", json["report"].get<std::string>());
  }
  if (planned.judged && (!planned.valid() || !all_verified(json))) return kRejected;
  return unless_interrupted(kOk);
}

int plan(const TaskArguments& arguments, const CommonOptions& common) {
  if (!arguments.page.empty() && !has_viewer()) return report(page_of(ViewDocument("")).error());
  const auto loaded = load(arguments.files[0], arguments.files[1]);
  if (!loaded.ok()) return report(loaded.error());
  if (const auto opened = open_geometry(arguments, common.seed, {}, *loaded.value()); !opened.ok())
    return report(opened.error());
  const Input& input = *loaded.value();
  const Unfinished page(arguments.page);
  if (!common.quiet)
    for (const std::string& remark : input.problem.remarks)
      fmt::print(stderr, "proven: note: {}\n", remark);
  auto made = plan_and_judge(input, arguments, common);
  if (!made.ok()) return report_any(made.error());
  Planned& planned = made.value();
  Json json = to_json(planned.result, planned.judged ? &planned.judged->validation : nullptr);
  if (planned.result.outcome != task::TaskOutcome::solved) {
    if (!arguments.page.empty()) {
      const auto written = write_page_of(arguments.page, input, planned);
      if (!written.ok()) return report(written.error());
      json["report"] = arguments.page;
    }
    return report_unsolved(planned.result, json, common);
  }
  if (!arguments.output.empty())
    if (const auto saved = write_file(arguments.output, planned.text); !saved.ok())
      return report(saved.error());
  TaskArguments files = arguments;
  if (planned.judged && !planned.valid()) files.folder.clear();  // nothing of a rejected plan
  const auto written = write_files(input, files, common.seed, planned, json);
  if (!written.ok()) return report(written.error());
  return report_solved(planned, json, common);
}

Result<Judged> judge_within(const Input& input, const std::string& plan,
                            const TaskArguments& arguments, const CommonOptions& common) {
  const Work work("task", common, OnInterrupt::end);
  return judge(input, plan, arguments.options, work.budget());
}

int validate(const TaskArguments& arguments, const CommonOptions& common) {
  const auto loaded = load(arguments.files[1], arguments.files[2]);
  if (!loaded.ok()) return report(loaded.error());
  const auto text = read_file(arguments.files[3]);
  if (!text.ok()) return report(text.error());
  const fs::path motions =
      arguments.folder.empty() ? fs::path() : fs::path(arguments.folder) / "motions";
  const std::uint64_t seed = seed_of(text.value(), common.seed);
  if (const auto opened = open_geometry(arguments, seed, motions, *loaded.value()); !opened.ok())
    return report(opened.error());
  const auto judged = judge_within(*loaded.value(), text.value(), arguments, common);
  if (!judged.ok()) {
    Error error = judged.error();
    if (error.context.empty()) error.context = arguments.files[3];
    return report_any(error);
  }
  task::Validation validation = judged.value().validation;
  const std::size_t motions_checked = arguments.folder.empty() ? 0 : judged.value().steps.size();
  if (validation.valid && loaded.value()->geometry && !arguments.folder.empty()) {
    const auto refuted = manipulation::refute_steps(loaded.value()->geometry->world,
                                                    judged.value().steps, arguments.folder);
    if (!refuted.ok()) return report(refuted.error());
    validation.valid = refuted.value().empty();
    validation.reason = refuted.value();
  } else if (validation.valid && loaded.value()->geometry) {
    const Geometry& geometry = *loaded.value()->geometry;
    const auto refuted =
        manipulation::refute_clock(geometry.world, judged.value().steps, geometry.store);
    if (!refuted.ok()) return report(refuted.error());
    validation.valid = refuted.value().empty();
    validation.reason = refuted.value();
  }
  if (common.json) {
    Json json{{"valid", validation.valid},
              {"actions", validation.actions},
              {"makespan", validation.makespan}};
    if (!validation.valid) json["reason"] = validation.reason;
    if (validation.metric) json["metric"] = *validation.metric;
    if (motions_checked > 0) json["motions_verified"] = validation.valid ? motions_checked : 0;
    fmt::print("{}\n", json.dump());
  } else if (validation.valid) {
    fmt::print("accepted: {} actions, makespan {:.3f}{}\n", validation.actions, validation.makespan,
               motions_checked > 0
                   ? fmt::format("; {} motions proved and verified", motions_checked)
                   : "");
  } else {
    fmt::print("rejected: {}\n", validation.reason);
  }
  return validation.valid ? kOk : kRejected;
}

// The built-in problems as files.
int make(const TaskArguments& arguments, const CommonOptions& common) {
  const auto set = manipulation::make_task_set(arguments.files[1]);
  if (!set.ok()) return report(set.error());
  const fs::path folder = arguments.files[2];
  if (const auto saved = manipulation::save_task_set(set.value(), folder); !saved.ok())
    return report(saved.error());
  const std::string domain = (folder / "domain.pddl").string();
  Json json{{"domain", domain}, {"problems", Json::array()}};
  for (const manipulation::TaskProblem& problem : set.value().problems) {
    json["problems"].push_back((folder / (problem.name + ".pddl")).string());
    if (!common.json) fmt::print("{} {}\n", domain, json["problems"].back().get<std::string>());
  }
  if (common.json) fmt::print("{}\n", json.dump());
  return kOk;
}

constexpr const char *kPlanning = "planning", *kValidate = "validate", *kMake = "make";

std::string action_of(const TaskArguments& arguments) {
  const std::string first = arguments.files.empty() ? "" : arguments.files[0];
  return first == kValidate || first == kMake ? first : kPlanning;
}

int run(TaskArguments& arguments, const CommonOptions& common) {
  const std::string action = action_of(arguments);
  const bool judging = action == kValidate, making = action == kMake;
  if (arguments.files.size() != (judging ? 4u : making ? 3u : 2u)) {
    fmt::print(
        stderr,
        "proven: expected DOMAIN PROBLEM, validate DOMAIN PROBLEM PLAN, or make SET FOLDER\n");
    return kUsage;
  }
  if (making) return make(arguments, common);
  task::TaskOptions& options = arguments.options;
  options.max_bytes = static_cast<std::size_t>(arguments.memory_gib * 1024 * 1024 * 1024);
  options.modules.separate_process = !arguments.in_process;
  options.modules.cache = !arguments.no_cache;
  // Libraries beside the domain are found without being told.
  const std::string& domain = arguments.files[judging ? 1 : 0];
  options.modules.search_path.push_back(fs::absolute(domain).parent_path().string());
  for (std::string& folder : manipulation::own_module_folders())
    options.modules.search_path.push_back(std::move(folder));
  return judging ? validate(arguments, common) : plan(arguments, common);
}

void add_options(Arguments& arguments, TaskArguments& chosen) {
  arguments.add(
      "files", chosen.files,
      "DOMAIN PROBLEM; validate DOMAIN PROBLEM PLAN; or make SET FOLDER (tables, dexterity, "
      "dexterity-board, tower, packing, drawer, sorting, handover)");
  arguments.suggest({kValidate, kMake});
  const std::vector<std::string> planning = {kPlanning}, both = {kPlanning, kValidate};
  arguments.add("-o,--output", chosen.output, "Write the plan to this file");
  arguments.only_for(planning);
  arguments.add("--out", chosen.folder,
                "Folder for the plan, its motions with their certificates, and a page; `validate` "
                "judges them too");
  arguments.only_for(both);
  arguments.add("--report", chosen.page,
                "One page for the browser: the plan over time, its motions with their proofs, what "
                "modules answered, how plans got better; or why there is none");
  arguments.only_for(planning);
  arguments.add_flag("--first", chosen.first,
                     "End with the first plan; else better ones are sought until the budget ends");
  arguments.only_for(planning);
  arguments.add_flag("--anytime", chosen.anytime,
                     "Search for better plans without a budget, too: until Ctrl-C");
  arguments.only_for(planning);
  arguments.add("--memory", chosen.memory_gib, "Memory of the program, in GiB", 0.001);
  arguments.only_for(planning);
  arguments.add("--processor", chosen.options.processor_seconds,
                "Processor time of planning, in seconds", 0.0);
  arguments.only_for(planning);
  arguments.add("--separation", chosen.options.separation,
                "Least time between events that depend on each other", 1e-5);
  arguments.only_for(both);
  arguments.add("--modules", chosen.options.modules.search_path, "Folders of module libraries");
  arguments.only_for(both);
  arguments.add("--module-seconds", chosen.options.modules.answer_seconds,
                "Time that a module gets for its first answer", 1e-3);
  arguments.only_for(both);
  arguments.add("--module-grace", chosen.options.modules.grace_seconds,
                "A module that takes so much longer ends planning", 0.0);
  arguments.only_for(both);
  arguments.add_flag("--in-process", chosen.in_process,
                     "Call modules in this process: faster, but a crash is a crash, and Ctrl-C "
                     "waits for the answer");
  arguments.only_for(both);
  arguments.add_flag("--no-module-cache", chosen.no_cache, "Ask modules again every time");
  arguments.only_for(both);
  arguments.add_flag("--eager-modules", chosen.options.eager_modules,
                     "Ask modules for all successors, not only for those expanded");
  arguments.only_for(planning);
  arguments.honour(Common::seed, both);
  arguments.honour(Common::budget, both);
  arguments.set_action([&chosen] { return action_of(chosen); });
}

}  // namespace

Command task_command() {
  return {"task", "Plan for a PDDL problem, with modules; or judge a plan",
          "  proven task domain.pddl problem.pddl --budget 30 -o plan.txt\n"
          "  proven task domain.pddl problem.pddl --anytime --budget 60 --json\n"
          "  proven task domain.pddl problem.pddl --budget 30 --report plan.html\n"
          "  proven task validate domain.pddl problem.pddl plan.txt\n"
          "  proven task make tables tables\n"
          "  proven task tables/domain.pddl tables/II-01.pddl --out plan\n"
          "  proven task validate tables/domain.pddl tables/II-01.pddl plan/plan.txt --out plan",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<TaskArguments>();
            add_options(arguments, *chosen);
            return [=, &common] { return run(*chosen, common); };
          }};
}

}  // namespace proven::tools
