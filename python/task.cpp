// proven.task: plans for PDDL problems, and the judge of plans.
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "archive.h"
#include "convert.h"
#include "docs_layers.h"
#include "proven/io/file.h"
#include "proven/task/planner.h"

namespace proven::python {

template <class A>
void fields(A& a, task::PlannedAction& p) {
  a(p.start, p.duration, p.durative, p.name, p.arguments);
}
template <class A>
void fields(A& a, task::ModuleReply& r) {
  a(r.call, r.answer, r.times, r.seconds, r.reason);
}
template <class A>
void fields(A& a, task::PlanFound& p) {
  a(p.seconds, p.processor_seconds, p.metric, p.makespan, p.actions);
}
// What Python is told of it.
template <class A>
void fields(A& a, task::TaskResult& r) {
  a(r.outcome, r.reason, r.plan, r.makespan, r.metric, r.bound, r.found, r.unreached, r.replies,
    r.stats.seconds, r.stats.processor_seconds);
}
template <class A>
void fields(A& a, task::Validation& v) {
  a(v.valid, v.reason, v.actions, v.makespan, v.metric);
}

namespace {

using namespace task;

struct Input {
  std::string domain_text, problem_text;
  Domain domain;
  Problem problem;
};

Input read(const std::filesystem::path& domain, const std::filesystem::path& problem) {
  Input input{value_of(read_file(domain)), value_of(read_file(problem)), {}, {}};
  input.domain = value_of(parse_domain(input.domain_text, domain.string()));
  input.problem = value_of(parse_problem(input.problem_text, problem.string(), input.domain));
  return input;
}

// Libraries beside the domain are found without being told.
ModuleOptions module_options(const std::filesystem::path& domain,
                             std::vector<std::string> search_path) {
  ModuleOptions options;
  options.search_path = std::move(search_path);
  options.search_path.push_back(std::filesystem::absolute(domain).parent_path().string());
  return options;
}

TaskResult plan_one(const std::filesystem::path& domain, const std::filesystem::path& problem,
                    double max_seconds, double max_processor_seconds, bool anytime,
                    double separation, std::vector<std::string> modules) {
  const Input input = read(domain, problem);
  TaskOptions options;
  options.processor_seconds = max_processor_seconds;
  options.anytime = anytime;
  options.separation = separation;
  options.modules = module_options(domain, std::move(modules));
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(max_seconds, &cancel);
  return value_of(interruptible(
      cancel, [&] { return plan_task(input.domain, input.problem, options, budget); }));
}

Validation validate_one(const std::filesystem::path& domain, const std::filesystem::path& problem,
                        const py::object& plan, double separation,
                        std::vector<std::string> modules) {
  const Input input = read(domain, problem);
  const std::string text = py::isinstance<TaskResult>(plan) ? to_text(plan.cast<TaskResult>().plan)
                                                            : plan.cast<std::string>();
  ValidationOptions options;
  options.separation = separation;
  std::atomic<bool> cancel = false;
  const Budget budget = Budget::of_seconds(std::numeric_limits<double>::infinity(), &cancel);
  return value_of(interruptible(cancel, [&]() -> Result<Validation> {
    std::unique_ptr<ValidationModules> loaded;
    if (!input.domain.modules.empty()) {
      auto result =
          load_modules(input.domain, input.problem, module_options(domain, modules), budget);
      if (!result.ok()) return result.error();
      loaded = std::move(result).value();
    }
    options.modules = loaded.get();
    return validate_plan(input.domain_text, input.problem_text, text, options, budget);
  }));
}

std::string describe(const TaskResult& r) {
  if (r.outcome != TaskOutcome::solved)
    return fmt::format("<proven.task.TaskResult: {}: {}>", to_string(r.outcome), r.reason);
  return fmt::format("<proven.task.TaskResult: solved, {} actions, makespan {:.6g}>", r.plan.size(),
                     r.makespan);
}

}  // namespace

void bind_task(py::module_& parent) {
  py::module_ module = parent.def_submodule("task", "Symbolic planning with geometric modules");
  py::class_<PlannedAction> action(module, "PlannedAction", doc::planned_action);
  pickles(action);
  action.def_readonly("start", &PlannedAction::start)
      .def_readonly("duration", &PlannedAction::duration)
      .def_readonly("name", &PlannedAction::name)
      .def_readonly("arguments", &PlannedAction::arguments)
      .def("__repr__", [](const PlannedAction& a) {
        std::string text = to_text({a});
        while (!text.empty() && text.back() == '\n') text.pop_back();
        return "<" + text + ">";
      });
  py::class_<ModuleReply> reply(module, "ModuleReply", doc::module_reply);
  pickles(reply);
  reply.def_readonly("call", &ModuleReply::call)
      .def_property_readonly("answer",
                             [](const ModuleReply& r) { return std::string(to_string(r.answer)); })
      .def_readonly("times", &ModuleReply::times)
      .def_readonly("seconds", &ModuleReply::seconds)
      .def_readonly("reason", &ModuleReply::reason)
      .def("__repr__", [](const ModuleReply& r) {
        return fmt::format("<{} answered {}, {} times{}>", r.call, to_string(r.answer), r.times,
                           r.reason.empty() ? "" : ": " + r.reason);
      });
  py::class_<PlanFound> found(module, "PlanFound", doc::plan_found);
  pickles(found);
  found.def_readonly("seconds", &PlanFound::seconds)
      .def_readonly("processor_seconds", &PlanFound::processor_seconds)
      .def_readonly("metric", &PlanFound::metric)
      .def_readonly("makespan", &PlanFound::makespan)
      .def_readonly("actions", &PlanFound::actions)
      .def("__repr__", [](const PlanFound& p) {
        return fmt::format("<{:.6g} after {:.3g} s>", p.metric, p.seconds);
      });
  py::class_<TaskResult> task_result(module, "TaskResult", doc::task_result);
  pickles(task_result);
  no_truth_value(task_result, "outcome");
  task_result
      .def_property_readonly("outcome",
                             [](const TaskResult& r) { return std::string(to_string(r.outcome)); })
      .def_readonly("reason", &TaskResult::reason)
      .def_readonly("plan", &TaskResult::plan)
      .def_readonly("makespan", &TaskResult::makespan)
      .def_readonly("metric", &TaskResult::metric)
      .def_readonly("bound", &TaskResult::bound)
      .def_readonly("found", &TaskResult::found)
      .def_readonly("unreached", &TaskResult::unreached)
      .def_readonly("replies", &TaskResult::replies)
      .def_property_readonly("processor_seconds",
                             [](const TaskResult& r) { return r.stats.processor_seconds; })
      .def_property_readonly("seconds", [](const TaskResult& r) { return r.stats.seconds; })
      .def("__str__", [](const TaskResult& r) { return to_text(r.plan); })
      .def("__repr__", describe);
  py::class_<Validation> validation(module, "Validation", doc::validation);
  pickles(validation);
  no_truth_value(validation, "valid");
  validation.def_readonly("valid", &Validation::valid)
      .def_readonly("reason", &Validation::reason)
      .def_readonly("actions", &Validation::actions)
      .def_readonly("makespan", &Validation::makespan)
      .def("__repr__", [](const Validation& v) {
        return v.valid ? fmt::format("<proven.task.Validation: valid, {} actions>", v.actions)
                       : fmt::format("<proven.task.Validation: rejected: {}>", v.reason);
      });
  module.def("plan_task", plan_one, py::arg("domain"), py::arg("problem"), py::kw_only(),
             py::arg("max_seconds") = std::numeric_limits<double>::infinity(),
             py::arg("max_processor_seconds") = std::numeric_limits<double>::infinity(),
             py::arg("anytime") = false, py::arg("separation") = TaskOptions{}.separation,
             py::arg("modules") = std::vector<std::string>{}, doc::plan_task);
  module.def("validate_plan", validate_one, py::arg("domain"), py::arg("problem"), py::arg("plan"),
             py::kw_only(), py::arg("separation") = ValidationOptions{}.separation,
             py::arg("modules") = std::vector<std::string>{}, doc::validate_plan);
}

}  // namespace proven::python
