#include "tools/task_document.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace proven::tools {
namespace {

using Json = nlohmann::ordered_json;
using Bindings = std::map<std::string, std::string>;

// Arguments that depend on the state stay as a question mark.
std::string call_text(const std::string& name, const std::vector<task::Term>& arguments,
                      const Bindings& bindings) {
  std::string text = "[" + name;
  for (const task::Term& term : arguments) {
    const auto bound = bindings.find(term.name);
    text += " ";
    if (term.kind == task::Term::Kind::object)
      text += term.name;
    else
      text +=
          term.kind == task::Term::Kind::variable && bound != bindings.end() ? bound->second : "?";
  }
  return text + "]";
}

void add_calls(const task::Formula& formula, const Bindings& bindings,
               std::vector<std::string>& calls) {
  if (formula.kind == task::Formula::Kind::module)
    calls.push_back(call_text(formula.name, formula.arguments, bindings));
  for (const task::Formula& part : formula.parts) add_calls(part, bindings, calls);
}

const task::Action* schema_of(const task::Domain& domain, const std::string& name) {
  const auto found = std::find_if(domain.actions.begin(), domain.actions.end(),
                                  [&](const task::Action& action) { return action.name == name; });
  return found == domain.actions.end() ? nullptr : &*found;
}

Bindings bindings_of(const task::Action& schema, const task::PlannedAction& action) {
  Bindings bindings;
  for (std::size_t i = 0; i < schema.parameters.size() && i < action.arguments.size(); ++i)
    bindings[schema.parameters[i].name] = action.arguments[i];
  return bindings;
}

// What the value of a plan is, where it has no metric of its own.
std::string value_name(const ShownTask& task) {
  if (task.problem.metric.given)
    return task.problem.metric.minimize ? "metric" : "metric (more is better)";
  return std::any_of(task.result.plan.begin(), task.result.plan.end(),
                     [](const task::PlannedAction& a) { return a.durative; })
             ? "makespan"
             : "actions";
}

}  // namespace

Json stats_json(const task::TaskStats& stats) {
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
          {"seconds", stats.seconds},
          {"processor_seconds", stats.processor_seconds},
          {"module_processor_seconds", stats.module_processor_seconds},
          {"resident_bytes", stats.resident_bytes}};
}

std::vector<std::string> calls_of(const task::Domain& domain, const task::PlannedAction& action) {
  std::vector<std::string> calls;
  const task::Action* schema = schema_of(domain, action.name);
  if (!schema) return calls;
  const Bindings bindings = bindings_of(*schema, action);
  for (const task::Formula& condition : schema->conditions) add_calls(condition, bindings, calls);
  for (const task::Effect& effect : schema->effects)
    if (effect.kind == task::Effect::Kind::module)
      calls.push_back(call_text(effect.name, effect.arguments, bindings));
  return calls;
}

std::vector<int> actions_of(const ShownTask& task,
                            const std::vector<manipulation::PlanStep>& steps) {
  const auto& plan = task.result.plan;
  std::vector<char> used(plan.size(), 0);
  std::vector<int> actions;
  for (const manipulation::PlanStep& step : steps) {
    int found = -1;
    for (std::size_t i = 0; i < plan.size() && found < 0; ++i) {
      if (used[i]) continue;
      const auto calls = calls_of(task.domain, plan[i]);
      if (std::find(calls.begin(), calls.end(), "[" + step.call + "]") == calls.end()) continue;
      used[i] = 1;
      found = static_cast<int>(i);
    }
    actions.push_back(found);
  }
  return actions;
}

Json task_json(const ShownTask& task, const std::vector<int>& motions) {
  const task::TaskResult& result = task.result;
  Json json = {{"outcome", to_string(result.outcome)},
               {"reason", result.reason},
               {"judgement", task.judgement},
               {"valid", task.valid ? Json(*task.valid) : Json(nullptr)},
               {"value", value_name(task)},
               {"metric", result.metric},
               {"makespan", result.makespan},
               {"bound", result.bound ? Json(*result.bound) : Json(nullptr)},
               {"unreached", result.unreached},
               {"actions", Json::array()},
               {"replies", Json::array()},
               {"found", Json::array()},
               {"stats", stats_json(result.stats)}};
  for (std::size_t i = 0; i < result.plan.size(); ++i) {
    const task::PlannedAction& action = result.plan[i];
    json["actions"].push_back({{"name", action.name},
                               {"arguments", action.arguments},
                               {"start", action.start},
                               {"duration", action.duration},
                               {"calls", calls_of(task.domain, action)},
                               {"motion", i < motions.size() ? motions[i] : -1}});
  }
  for (const task::ModuleReply& reply : result.replies)
    json["replies"].push_back({{"call", reply.call},
                               {"answer", to_string(reply.answer)},
                               {"times", reply.times},
                               {"seconds", reply.seconds},
                               {"reason", reply.reason}});
  for (const task::PlanFound& plan : result.found)
    json["found"].push_back({{"seconds", plan.seconds},
                             {"processor_seconds", plan.processor_seconds},
                             {"metric", plan.metric},
                             {"makespan", plan.makespan},
                             {"actions", plan.actions}});
  return json;
}

}  // namespace proven::tools
