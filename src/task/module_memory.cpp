#include "task/module_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "task/failure.h"
#include "task/s_expression.h"

namespace proven::task {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Undefined numbers agree with each other.
bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

ModuleMemory::ModuleMemory(const GroundTask& task, const ModuleOptions& options,
                           const Budget& budget, const Limits& limits)
    : task_(task), options_(options), limits_(limits), seconds_(options.answer_seconds) {
  caller_ = options_.separate_process ? make_separate_caller(task, options_, budget, limits_)
                                      : make_caller(task, options_);
  entries_.resize(task.calls.size());
}

bool ModuleMemory::fits(const Entry& entry, const State& state) const {
  if (entry.answer.reads.everything) {
    if (entry.whole.facts != state.facts) return false;
    for (std::size_t i = 0; i < state.values.size(); ++i)
      if (!same(entry.whole.values[i], state.values[i])) return false;
    return true;
  }
  const ModuleOracle::Reads& reads = entry.answer.reads;
  for (std::size_t i = 0; i < reads.facts.size(); ++i)
    if (entry.facts[i] != state.fact(reads.facts[i])) return false;
  for (std::size_t i = 0; i < reads.variables.size(); ++i)
    if (!same(entry.values[i], state.values[at(reads.variables[i])])) return false;
  return true;
}

void ModuleMemory::ask(int call, const State& state, const Budget& budget, Entry& entry) {
  ++calls_;
  const auto asked = Budget::Clock::now();
  entry.answer = caller_->ask(call, state, seconds_, budget);
  entry.taken += std::chrono::duration<double>(Budget::Clock::now() - asked).count();
  entry.seconds = seconds_;
  if (limits_.processor_limited() && limits_.elsewhere)
    *limits_.elsewhere = caller_->processor_elsewhere();
  if (!entry.answer.error.empty()) {
    const ModuleDeclaration& module = task_.domain->modules[at(task_.calls[at(call)].module)];
    fail(place_text(task_.domain->file, module.place),
         fmt::format("module {} ({}@{}) {}", call_text(task_, call), module.function,
                     module.library, entry.answer.error),
         ErrorCode::unsupported);
  }
  if (entry.answer.truth == Truth::unknown) ++unknown_;
  const ModuleOracle::Reads& reads = entry.answer.reads;
  entry.facts.clear();
  entry.values.clear();
  for (const int fact : reads.facts) entry.facts.push_back(state.fact(fact));
  for (const int variable : reads.variables) entry.values.push_back(state.values[at(variable)]);
  if (reads.everything) entry.whole = state;
}

const ModuleMemory::Entry& ModuleMemory::answer(int call, const State& state,
                                                const Budget& budget) {
  ++questions_;
  const auto met = [](Entry& entry) -> const Entry& { return ++entry.asked, entry; };
  auto& known = entries_[at(call)];
  // Effects are kept even without a cache: the same step must do the same whenever it is repeated.
  const bool is_effect = task_.domain->modules[at(task_.calls[at(call)].module)].kind ==
                         ModuleDeclaration::Kind::effect;
  for (const auto& entry : known) {
    if (!fits(*entry, state)) continue;
    const bool stale = entry->answer.truth == Truth::unknown && entry->seconds < seconds_;
    if (stale || (!options_.cache && !is_effect)) ask(call, state, budget, *entry);
    return met(*entry);
  }
  auto entry = std::make_unique<Entry>();
  ask(call, state, budget, *entry);
  return met(*known.emplace_back(std::move(entry)));
}

Truth ModuleMemory::condition(int call, const State& state, const Budget& budget) {
  return answer(call, state, budget).answer.truth;
}

double ModuleMemory::cost(int call, const State& state, const Budget& budget) {
  const ModuleAnswer& found = answer(call, state, budget).answer;
  return found.truth == Truth::unknown ? std::nan("") : found.cost;
}

bool ModuleMemory::effect(int call, const State& state, std::vector<double>& values, bool& unknown,
                          const Budget& budget) {
  const ModuleAnswer& found = answer(call, state, budget).answer;
  unknown = found.truth == Truth::unknown;
  values = found.values;
  return found.truth == Truth::yes;
}

const ModuleOracle::Reads& ModuleMemory::reads(int call, const State& state, const Budget& budget) {
  for (const auto& entry : entries_[at(call)])
    if (fits(*entry, state)) return entry->answer.reads;
  return answer(call, state, budget).answer.reads;
}

std::vector<ModuleReply> ModuleMemory::replies() const {
  const auto word_of = [](Truth truth) {
    return truth == Truth::no    ? ModuleWord::no
           : truth == Truth::yes ? ModuleWord::yes
                                 : ModuleWord::unknown;
  };
  std::vector<ModuleReply> found;
  for (std::size_t call = 0; call < entries_.size(); ++call)
    for (const ModuleWord word : {ModuleWord::no, ModuleWord::unknown, ModuleWord::yes}) {
      ModuleReply reply{call_text(task_, static_cast<int>(call)), word, 0, 0, {}};
      for (const auto& entry : entries_[call]) {
        if (word_of(entry->answer.truth) != word) continue;
        reply.times += entry->asked;
        reply.seconds += entry->taken;
        if (!entry->answer.reason.empty()) reply.reason = entry->answer.reason;
      }
      if (reply.times > 0) found.push_back(std::move(reply));
    }
  std::stable_sort(found.begin(), found.end(), [](const ModuleReply& a, const ModuleReply& b) {
    return a.answer != b.answer ? a.answer < b.answer : a.times > b.times;
  });
  return found;
}

bool ModuleMemory::raise_budget(double limit) {
  if (seconds_ >= limit) return false;
  seconds_ = std::min(limit, 4 * seconds_);
  return true;
}

}  // namespace proven::task
