// libproven_manipulation.so: the modules checkTransit, applyTransit, checkTransfer and
// applyTransfer of paper 003, checkOperation and applyOperation for fixtures, applyRide for what
// stands on them, checkHandover and applyHandover between two hands, and timeTransit, timeTransfer,
// timeOperation and timeHandover, which say how many seconds these motions take, through the plain
// C interface. Where there are several arms, each takes the arm as its first argument. library.h
// says what manipulationSettings and manipulationInit take.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "manipulation/library.h"
#include "proven/task/module_c.h"

namespace proven::manipulation {
namespace {

ModuleLibrary& library() {
  static ModuleLibrary one;
  return one;
}

int report(const char* who, const Result<void>& done) {
  if (done.ok()) return 0;
  fmt::print(stderr, "proven: {}: {}\n", who, done.error().text());
  return 1;
}

std::vector<std::string> words_after_first(int count, const char* const* arguments) {
  return count > 1 ? std::vector<std::string>(arguments + 1, arguments + count)
                   : std::vector<std::string>();
}

proven_answer fail(const proven_call* call, const std::string& reason) {
  fmt::print(stderr, "proven: module {}: {}\n", call->module, reason);
  return PROVEN_FAILED;
}

// The arguments are object, place and grasp, of a handover the object alone; before them the arm,
// where there are several. Places are asked for by the domain's predicate (on ?object ?place), if
// it has one.
bool counts_are_right(const proven_call* call, MotionRequest::Kind kind) {
  if (kind == MotionRequest::Kind::handover) return call->argument_count == 2;
  return call->argument_count == 3 || call->argument_count == 4;
}

ModuleCall made_from(const proven_call* call, const proven_state* state, MotionRequest::Kind kind) {
  ModuleCall made;
  made.kind = kind;
  const char* const* word = call->arguments;
  if (call->argument_count != 3) made.arm = *word++;
  made.object = word[0];
  if (kind != MotionRequest::Kind::handover) {
    made.place = word[1];
    made.grasp = word[2];
  }
  made.seconds = call->seconds;
  made.fluents = [=](const std::string& fluent,
                     const std::string& object) -> std::optional<double> {
    const char* const argument = object.c_str();
    double value = 0;
    const int known =
        call->functions->number(state, fluent.c_str(), object.empty() ? 0 : 1, &argument, &value);
    return known == 1 ? std::optional(value) : std::nullopt;
  };
  made.is_at = [=](const std::string& object, const std::string& place) {
    const char* const arguments[] = {object.c_str(), place.c_str()};
    return call->functions->fact(state, "on", 2, arguments) == 1;
  };
  return made;
}

constexpr const char* kArguments =
    "expected the arguments object, place, grasp, of a handover the object; before them the arm, "
    "where there are several";

// How long the motion takes. The condition has found it, or it is sought now.
proven_answer ask_time(const proven_call* call, const proven_state* state, MotionRequest::Kind kind,
                       double* seconds) {
  if (!counts_are_right(call, kind)) return fail(call, kArguments);
  ModuleCall made = made_from(call, state, kind);
  made.timed = true;
  const auto reply = library().ask(made, true);
  call->functions->explain(
      state, reply.ok() ? reply.value().reason.c_str() : reply.error().text().c_str());
  if (!reply.ok()) return PROVEN_FAILED;
  if (reply.value().answer == Answer::yes) *seconds = reply.value().values[0];
  return reply.value().answer == Answer::yes  ? PROVEN_YES
         : reply.value().answer == Answer::no ? PROVEN_NO
                                              : PROVEN_UNKNOWN;
}

// `values` is null for a condition.
proven_answer ask(const proven_call* call, const proven_state* state, const ModuleCall& made,
                  double* values) {
  const auto reply = library().ask(made, values != nullptr);
  if (!reply.ok()) {
    call->functions->explain(state, reply.error().text().c_str());
    return PROVEN_FAILED;
  }
  call->functions->explain(state, reply.value().reason.c_str());
  if (reply.value().answer == Answer::unknown) return PROVEN_UNKNOWN;
  if (reply.value().answer == Answer::no)
    return values ? fail(call, "its effect was asked for, but it is impossible") : PROVEN_NO;
  const std::vector<double>& written = reply.value().values;
  if (!values) return PROVEN_YES;
  if (static_cast<int>(written.size()) != call->written_count)
    return fail(call, fmt::format("it writes {} numbers, the domain names {}", written.size(),
                                  call->written_count));
  std::copy(written.begin(), written.end(), values);
  return PROVEN_YES;
}

proven_answer ask(const proven_call* call, const proven_state* state, MotionRequest::Kind kind,
                  double* values) {
  if (!counts_are_right(call, kind)) return fail(call, kArguments);
  return ask(call, state, made_from(call, state, kind), values);
}

// The arguments are an object, the fixture and its position; before them the arm, where there are
// several.
proven_answer ask_rider(const proven_call* call, const proven_state* state, double* values) {
  if (call->argument_count != 3 && call->argument_count != 4)
    return fail(call,
                "expected the arguments object, fixture, position; before them the arm, where "
                "there are several");
  ModuleCall made = made_from(call, state, MotionRequest::Kind::operation);
  made.rider = made.object;
  made.object = made.place;
  made.place = made.grasp;
  made.grasp.clear();
  return ask(call, state, made, values);
}

}  // namespace
}  // namespace proven::manipulation

using namespace proven::manipulation;

extern "C" {

extern const uint32_t proven_module_interface;
const uint32_t proven_module_interface = PROVEN_MODULE_INTERFACE;

int manipulationSettings(int count, const char* const* arguments) {
  return report(arguments[0], library().start(words_after_first(count, arguments)));
}

int manipulationInit(int count, const char* const* arguments) {
  return report(arguments[0], library().open(words_after_first(count, arguments)));
}

proven_answer checkTransit(const proven_call* call, const proven_state* state) {
  return ask(call, state, MotionRequest::Kind::transit, nullptr);
}

proven_answer checkTransfer(const proven_call* call, const proven_state* state) {
  return ask(call, state, MotionRequest::Kind::transfer, nullptr);
}

proven_answer applyTransit(const proven_call* call, const proven_state* state, double* values) {
  return ask(call, state, MotionRequest::Kind::transit, values);
}

proven_answer applyTransfer(const proven_call* call, const proven_state* state, double* values) {
  return ask(call, state, MotionRequest::Kind::transfer, values);
}

proven_answer timeTransit(const proven_call* call, const proven_state* state, double* seconds) {
  return ask_time(call, state, MotionRequest::Kind::transit, seconds);
}

proven_answer checkOperation(const proven_call* call, const proven_state* state) {
  return ask(call, state, MotionRequest::Kind::operation, nullptr);
}

proven_answer applyOperation(const proven_call* call, const proven_state* state, double* values) {
  return ask(call, state, MotionRequest::Kind::operation, values);
}

proven_answer applyRide(const proven_call* call, const proven_state* state, double* values) {
  return ask_rider(call, state, values);
}

proven_answer checkHandover(const proven_call* call, const proven_state* state) {
  return ask(call, state, MotionRequest::Kind::handover, nullptr);
}

proven_answer applyHandover(const proven_call* call, const proven_state* state, double* values) {
  return ask(call, state, MotionRequest::Kind::handover, values);
}

proven_answer timeHandover(const proven_call* call, const proven_state* state, double* seconds) {
  return ask_time(call, state, MotionRequest::Kind::handover, seconds);
}

proven_answer timeOperation(const proven_call* call, const proven_state* state, double* seconds) {
  return ask_time(call, state, MotionRequest::Kind::operation, seconds);
}

proven_answer timeTransfer(const proven_call* call, const proven_state* state, double* seconds) {
  return ask_time(call, state, MotionRequest::Kind::transfer, seconds);
}
}
