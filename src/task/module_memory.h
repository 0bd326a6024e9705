// Answers of modules, asked once per what they depend on.
#pragma once

#include <map>
#include <memory>

#include "task/module_caller.h"

namespace proven::task {

// Throws Failure when a module fails, crashes or hangs, and Stopped.
class ModuleMemory {
 public:
  // The budget is that of loading alone; the limits are those of every call.
  ModuleMemory(const GroundTask& task, const ModuleOptions& options, const Budget& budget,
               const Limits& limits = {});

  // These answer as those of ModuleOracle do.
  Truth condition(int call, const State& state, const Budget& budget);
  double cost(int call, const State& state, const Budget& budget);
  bool effect(int call, const State& state, std::vector<double>& values, bool& unknown,
              const Budget& budget);
  const ModuleOracle::Reads& reads(int call, const State& state, const Budget& budget);

  // Lets unknown answers be asked again with more time; false when the budget has reached `limit`.
  bool raise_budget(double limit);

  // What calls were answered, with the latest reason for each answer: no before unknown before yes,
  // the most frequent first.
  std::vector<ModuleReply> replies() const;
  // Processor time of the modules' processes so far.
  double processor_elsewhere() { return caller_->processor_elsewhere(); }

  std::int64_t questions() const { return questions_; }
  std::int64_t calls() const { return calls_; }
  std::int64_t unknown() const { return unknown_; }

 private:
  struct Entry {
    ModuleAnswer answer;
    std::vector<bool> facts;     // values of answer.reads.facts
    std::vector<double> values;  // values of answer.reads.variables
    State whole;                 // where everything was read
    double seconds = 0;          // budget it was given
    double taken = 0;            // seconds that the module took, all in all
    int asked = 0;               // how often search met this answer
  };

  const Entry& answer(int call, const State& state, const Budget& budget);
  bool fits(const Entry& entry, const State& state) const;
  void ask(int call, const State& state, const Budget& budget, Entry& entry);

  const GroundTask& task_;
  ModuleOptions options_;
  Limits limits_;
  std::unique_ptr<ModuleCaller> caller_;
  std::vector<std::vector<std::unique_ptr<Entry>>> entries_;  // per call
  double seconds_;
  std::int64_t questions_ = 0, calls_ = 0, unknown_ = 0;
};

// The memory with the budget of one call of the planner, which outlives it.
class MemoryOracle : public ModuleOracle {
 public:
  MemoryOracle(ModuleMemory& memory, const Budget& budget) : memory_(memory), budget_(budget) {}

  Truth condition(int call, const State& state) override {
    return memory_.condition(call, state, budget_);
  }
  double cost(int call, const State& state) override { return memory_.cost(call, state, budget_); }
  bool effect(int call, const State& state, std::vector<double>& values, bool& unknown) override {
    return memory_.effect(call, state, values, unknown, budget_);
  }
  const Reads& reads(int call, const State& state) override {
    return memory_.reads(call, state, budget_);
  }

 private:
  ModuleMemory& memory_;
  const Budget& budget_;
};

}  // namespace proven::task
