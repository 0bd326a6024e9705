// proven task: plans for PDDL problems, and the judge of plans.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "proven/task/planner.h"
#include "tools/command.h"

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;

struct TaskArguments {
  std::vector<std::string> files;
  std::string output;
  double memory_gib = 4;
  bool in_process = false, no_cache = false;
  task::TaskOptions options;
};

struct Input {
  std::string domain_text, problem_text;
  task::Domain domain;
  task::Problem problem;
};

Result<std::string> read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    return Error{ErrorCode::not_found, "cannot be read", file};
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<std::unique_ptr<Input>> load(const std::string& domain_file,
                                    const std::string& problem_file) {
  auto input = std::make_unique<Input>();
  auto domain_text = read_text(domain_file);
  if (!domain_text.ok()) return domain_text.error();
  auto problem_text = read_text(problem_file);
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

// Modules are asked anew, so that the judge does not lean on the planner's answers.
Result<task::Validation> judge(const Input& input, const std::string& plan,
                               const task::TaskOptions& options) {
  task::ValidationOptions validation;
  validation.separation = options.separation;
  std::unique_ptr<task::ValidationModules> modules;
  if (!input.domain.modules.empty()) {
    auto loaded = task::load_modules(input.domain, input.problem, options.modules);
    if (!loaded.ok()) return loaded.error();
    modules = std::move(loaded).value();
    validation.modules = modules.get();
  }
  return task::validate_plan(input.domain_text, input.problem_text, plan, validation);
}

Json to_json(const task::TaskStats& stats) {
  return {{"facts", stats.facts},
          {"numbers", stats.numbers},
          {"actions", stats.actions},
          {"landmarks", stats.landmarks},
          {"expanded", stats.expanded},
          {"generated", stats.generated},
          {"evaluated", stats.evaluated},
          {"module_questions", stats.module_questions},
          {"module_calls", stats.module_calls},
          {"module_unknown", stats.module_unknown},
          {"plans", stats.plans},
          {"ground_seconds", stats.ground_seconds},
          {"first_plan_seconds", stats.first_plan_seconds},
          {"seconds", stats.seconds}};
}

Json to_json(const task::TaskResult& result, const task::Validation* validation) {
  Json json{{"outcome", task::to_string(result.outcome)}};
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (result.outcome == task::TaskOutcome::solved) {
    json["makespan"] = result.makespan;
    json["metric"] = result.metric;
    json["valid"] = validation && validation->valid;
    json["plan"] = Json::array();
    for (const task::PlannedAction& action : result.plan)
      json["plan"].push_back({{"start", action.start},
                              {"duration", action.duration},
                              {"action", action.name},
                              {"arguments", action.arguments}});
  }
  json["stats"] = to_json(result.stats);
  return json;
}

int report_any(const Error& error) {
  report(error);
  return error.code == ErrorCode::exhausted ? kUndecided : kBadInput;
}

int plan(const TaskArguments& arguments, const CommonOptions& common) {
  const auto loaded = load(arguments.files[0], arguments.files[1]);
  if (!loaded.ok()) return report(loaded.error());
  const Input& input = *loaded.value();
  if (!common.quiet)
    for (const std::string& remark : input.problem.remarks)
      fmt::print(stderr, "proven: note: {}\n", remark);
  const auto planned = task::plan_task(input.domain, input.problem, arguments.options);
  if (!planned.ok()) return report_any(planned.error());
  const task::TaskResult& result = planned.value();
  if (result.outcome != task::TaskOutcome::solved) {
    if (common.json)
      fmt::print("{}\n", to_json(result, nullptr).dump());
    else
      fmt::print("{}: {}\n", task::to_string(result.outcome), result.reason);
    return result.outcome == task::TaskOutcome::unsolvable ? kCollision : kUndecided;
  }
  const std::string text = to_text(result.plan);
  const auto judged = judge(input, text, arguments.options);
  if (!judged.ok()) return report(judged.error());
  if (!arguments.output.empty() && !(std::ofstream(arguments.output) << text))
    return report({ErrorCode::not_found, "cannot be written", arguments.output});
  if (common.json) {
    fmt::print("{}\n", to_json(result, &judged.value()).dump());
  } else {
    fmt::print("{}", text);
    fmt::print("; makespan {:.3f}, metric {:.6g}, {} actions, found in {:.2f} s, {}\n",
               result.makespan, result.metric, result.plan.size(), result.stats.first_plan_seconds,
               judged.value().valid ? "accepted by the validator"
                                    : "REJECTED by the validator: " + judged.value().reason);
  }
  return judged.value().valid ? kOk : kRejected;
}

int validate(const TaskArguments& arguments, const CommonOptions& common) {
  const auto loaded = load(arguments.files[1], arguments.files[2]);
  if (!loaded.ok()) return report(loaded.error());
  const auto text = read_text(arguments.files[3]);
  if (!text.ok()) return report(text.error());
  const auto judged = judge(*loaded.value(), text.value(), arguments.options);
  if (!judged.ok()) {
    Error error = judged.error();
    if (error.context.empty()) error.context = arguments.files[3];
    return report(error);
  }
  const task::Validation& validation = judged.value();
  if (common.json) {
    Json json{{"valid", validation.valid},
              {"actions", validation.actions},
              {"makespan", validation.makespan}};
    if (!validation.valid) json["reason"] = validation.reason;
    if (validation.metric) json["metric"] = *validation.metric;
    fmt::print("{}\n", json.dump());
  } else if (validation.valid) {
    fmt::print("accepted: {} actions, makespan {:.3f}\n", validation.actions, validation.makespan);
  } else {
    fmt::print("rejected: {}\n", validation.reason);
  }
  return validation.valid ? kOk : kRejected;
}

int run(TaskArguments& arguments, const CommonOptions& common) {
  const bool judging = !arguments.files.empty() && arguments.files[0] == "validate";
  if (arguments.files.size() != (judging ? 4u : 2u)) {
    fmt::print(stderr, "proven: expected DOMAIN PROBLEM, or validate DOMAIN PROBLEM PLAN\n");
    return kUsage;
  }
  task::TaskOptions& options = arguments.options;
  options.max_seconds = common.budget_seconds;
  options.max_bytes = static_cast<std::size_t>(arguments.memory_gib * 1024 * 1024 * 1024);
  options.modules.separate_process = !arguments.in_process;
  options.modules.cache = !arguments.no_cache;
  // Libraries beside the domain are found without being told.
  const std::string& domain = arguments.files[judging ? 1 : 0];
  options.modules.search_path.push_back(std::filesystem::absolute(domain).parent_path().string());
  return judging ? validate(arguments, common) : plan(arguments, common);
}

void add_options(Arguments& arguments, TaskArguments& chosen) {
  arguments.add("files", chosen.files, "DOMAIN PROBLEM, or: validate DOMAIN PROBLEM PLAN");
  arguments.add("-o,--output", chosen.output, "Write the plan to this file");
  arguments.add_flag("--anytime", chosen.options.anytime,
                     "Search for better plans until the budget ends");
  arguments.add("--memory", chosen.memory_gib, "Memory of the search, in GiB", 0.001);
  arguments.add("--separation", chosen.options.separation,
                "Least time between events that depend on each other", 1e-5);
  arguments.add("--modules", chosen.options.modules.search_path, "Folders of module libraries");
  arguments.add("--module-seconds", chosen.options.modules.answer_seconds,
                "Time that a module gets for its first answer", 1e-3);
  arguments.add("--module-grace", chosen.options.modules.grace_seconds,
                "A module that takes so much longer ends planning", 0.0);
  arguments.add_flag("--in-process", chosen.in_process,
                     "Call modules in this process: faster, but a crash is a crash");
  arguments.add_flag("--no-module-cache", chosen.no_cache, "Ask modules again every time");
  arguments.add_flag("--eager-modules", chosen.options.eager_modules,
                     "Ask modules for all successors, not only for those expanded");
}

}  // namespace

Command task_command() {
  return {"task", "Plan for a PDDL problem, with modules; or judge a plan",
          "  proven task domain.pddl problem.pddl --budget 30 -o plan.txt\n"
          "  proven task domain.pddl problem.pddl --anytime --budget 60 --json\n"
          "  proven task validate domain.pddl problem.pddl plan.txt",
          [](Arguments& arguments, const CommonOptions& common) -> std::function<int()> {
            auto chosen = std::make_shared<TaskArguments>();
            add_options(arguments, *chosen);
            return [=, &common] { return run(*chosen, common); };
          }};
}

}  // namespace proven::tools
