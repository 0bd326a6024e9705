// Answers of modules, asked once per what they depend on.
#pragma once

#include <map>
#include <memory>

#include "task/module_caller.h"

namespace proven::task {

// Throws Failure when a module fails, crashes or hangs.
class ModuleMemory : public ModuleOracle {
 public:
  ModuleMemory(const GroundTask& task, const ModuleOptions& options);

  Truth condition(int call, const State& state) override;
  double cost(int call, const State& state) override;
  bool effect(int call, const State& state, std::vector<double>& values, bool& unknown) override;
  const Reads& reads(int call, const State& state) override;

  // Lets unknown answers be asked again with more time; false when the budget has reached `limit`.
  bool raise_budget(double limit);

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
  };

  const Entry& answer(int call, const State& state);
  bool fits(const Entry& entry, const State& state) const;
  void ask(int call, const State& state, Entry& entry);

  const GroundTask& task_;
  ModuleOptions options_;
  std::unique_ptr<ModuleCaller> caller_;
  std::vector<std::vector<std::unique_ptr<Entry>>> entries_;  // per call
  double seconds_;
  std::int64_t questions_ = 0, calls_ = 0, unknown_ = 0;
};

}  // namespace proven::task
