// Calls into the shared libraries of modules, here or in a process of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proven/task/planner.h"
#include "task/state.h"

namespace proven::task {

struct ModuleAnswer {
  Truth truth = Truth::unknown;
  double cost = 0;
  std::vector<double> values;
  ModuleOracle::Reads reads;
  std::string error;  // not empty: the module failed, crashed or hung
};

class ModuleCaller {
 public:
  virtual ~ModuleCaller() = default;
  virtual ModuleAnswer ask(int call, const State& state, double seconds) = 0;
};

// Loads every library that the task names and runs the module options. Throws Failure.
std::unique_ptr<ModuleCaller> make_caller(const GroundTask& task, const ModuleOptions& options);
// Puts a caller behind a process that is killed when an answer takes too long.
std::unique_ptr<ModuleCaller> in_separate_process(std::unique_ptr<ModuleCaller> caller,
                                                  const ModuleOptions& options);
std::string call_text(const GroundTask& task, int call);  // "[name object ...]"

}  // namespace proven::task
