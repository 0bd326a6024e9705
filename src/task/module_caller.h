// Calls into the shared libraries of modules, here or in a process of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proven/task/planner.h"
#include "task/limits.h"
#include "task/state.h"

namespace proven::task {

struct ModuleAnswer {
  Truth truth = Truth::unknown;
  double cost = 0;
  std::vector<double> values;
  ModuleOracle::Reads reads;
  std::string error;   // not empty: the module failed, crashed or hung
  std::string reason;  // of `no` and `unknown`, if the module gives one
};

class ModuleCaller {
 public:
  virtual ~ModuleCaller() = default;
  // `seconds` are the module's own. Throws Stopped.
  virtual ModuleAnswer ask(int call, const State& state, double seconds, const Budget& budget) = 0;
  // Processor time of the processes that it started, so far.
  virtual double processor_elsewhere() = 0;
};

// Loads every library that the task names and runs the module options. Task and options must
// outlive it. Throws Failure.
std::unique_ptr<ModuleCaller> make_caller(const GroundTask& task, const ModuleOptions& options);
// The same in a process of its own, which is killed when an answer takes too long or a budget ends.
// What it uses is told to `limits.elsewhere`. Throws Stopped as well.
std::unique_ptr<ModuleCaller> make_separate_caller(const GroundTask& task,
                                                   const ModuleOptions& options,
                                                   const Budget& budget, const Limits& limits);
std::string call_text(const GroundTask& task, int call);  // "[name object ...]"

}  // namespace proven::task
