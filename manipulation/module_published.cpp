// libproven_manipulation_cpp.so: the same modules through the C++ signatures of the published
// PDDL/M planner, for planners that know only those. They have no third answer and no budget: what
// is not found within `seconds` (an argument of manipulationInit) counts as impossible.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "manipulation/library.h"
#include "proven/task/module.h"

namespace proven::manipulation {
namespace {

using modules::numericalFluentCallbackType;
using modules::ParameterList;
using modules::predicateCallbackType;

ModuleLibrary& library() {
  static ModuleLibrary one;
  return one;
}

void report(const char* who, const Result<void>& done) {
  if (!done.ok()) throw std::runtime_error(fmt::format("{}: {}", who, done.error().text()));
}

std::vector<std::string> words_after_first(int count, char** arguments) {
  return count > 1 ? std::vector<std::string>(arguments + 1, arguments + count)
                   : std::vector<std::string>();
}

ModuleCall made_from(const ParameterList& parameters, predicateCallbackType facts,
                     numericalFluentCallbackType numbers, MotionRequest::Kind kind) {
  if (parameters.size() != 3 && parameters.size() != 4)
    throw std::runtime_error(
        "expected the arguments object, place, grasp; before them the arm, where there are "
        "several");
  ModuleCall made;
  made.kind = kind;
  const std::size_t first = parameters.size() - 3;
  if (first > 0) made.arm = parameters[0].value;
  made.object = parameters[first].value;
  made.place = parameters[first + 1].value;
  made.grasp = parameters[first + 2].value;
  made.seconds = library().seconds();
  made.fluents = [=](const std::string& fluent,
                     const std::string& object) -> std::optional<double> {
    ParameterList of;
    if (!object.empty()) of.emplace_back("", "", object);
    modules::NumericalFluentList list{{fluent, of}};
    modules::NumericalFluentList* asked = &list;
    if (!numbers(asked) || std::isnan(list[0].value)) return std::nullopt;
    return list[0].value;
  };
  made.is_at = [=](const std::string& object, const std::string& place) {
    modules::PredicateList list{{"on", {{"", "", object}, {"", "", place}}}};
    modules::PredicateList* asked = &list;
    return facts(asked) && list[0].value;
  };
  return made;
}

ModuleReply ask(const ModuleCall& call, bool reuse) {
  auto reply = library().ask(call, reuse);
  if (!reply.ok()) throw std::runtime_error(reply.error().text());
  return std::move(reply).value();
}

double cost_of(const ModuleCall& call) {
  return ask(call, false).answer == Answer::yes ? 0 : modules::INFINITE_COST;
}

double seconds_of(ModuleCall call) {
  call.timed = true;
  const ModuleReply reply = ask(call, true);
  return reply.answer == Answer::yes ? reply.values[0] : modules::INFINITE_COST;
}

int write_effect(const ModuleCall& call, std::vector<double>& written) {
  const ModuleReply reply = ask(call, true);
  if (reply.answer != Answer::yes || reply.values.size() != written.size()) return 0;
  written = reply.values;
  return 1;
}

}  // namespace
}  // namespace proven::manipulation

extern "C" {

using modules::numericalFluentCallbackType;
using modules::ParameterList;
using modules::predicateCallbackType;
using proven::manipulation::MotionRequest;

void manipulationSettings(int count, char** arguments) {
  using namespace proven::manipulation;
  report(arguments[0], library().start(words_after_first(count, arguments)));
}

void manipulationInit(int count, char** arguments) {
  using namespace proven::manipulation;
  report(arguments[0], library().open(words_after_first(count, arguments)));
}

double checkTransit(const ParameterList& parameters, predicateCallbackType facts,
                    numericalFluentCallbackType numbers, int) {
  using namespace proven::manipulation;
  return cost_of(made_from(parameters, facts, numbers, MotionRequest::Kind::transit));
}

double checkTransfer(const ParameterList& parameters, predicateCallbackType facts,
                     numericalFluentCallbackType numbers, int) {
  using namespace proven::manipulation;
  return cost_of(made_from(parameters, facts, numbers, MotionRequest::Kind::transfer));
}

double timeTransit(const ParameterList& parameters, predicateCallbackType facts,
                   numericalFluentCallbackType numbers, int) {
  using namespace proven::manipulation;
  return seconds_of(made_from(parameters, facts, numbers, MotionRequest::Kind::transit));
}

double timeTransfer(const ParameterList& parameters, predicateCallbackType facts,
                    numericalFluentCallbackType numbers, int) {
  using namespace proven::manipulation;
  return seconds_of(made_from(parameters, facts, numbers, MotionRequest::Kind::transfer));
}

int applyTransit(const ParameterList& parameters, predicateCallbackType facts,
                 numericalFluentCallbackType numbers, int, std::vector<double>& written) {
  using namespace proven::manipulation;
  return write_effect(made_from(parameters, facts, numbers, MotionRequest::Kind::transit), written);
}

int applyTransfer(const ParameterList& parameters, predicateCallbackType facts,
                  numericalFluentCallbackType numbers, int, std::vector<double>& written) {
  using namespace proven::manipulation;
  return write_effect(made_from(parameters, facts, numbers, MotionRequest::Kind::transfer),
                      written);
}
}

VERIFY_INIT_MODULE_DEF(manipulationInit);
VERIFY_CONDITIONCHECKER_DEF(checkTransit);
VERIFY_APPLYEFFECT_DEF(applyTransit);
