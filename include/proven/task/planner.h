// plan_task: a plan for a PDDL problem, or the reason why there is none.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "proven/base/words.h"
#include "proven/task/pddl.h"
#include "proven/task/validate.h"

namespace proven::task {

struct ModuleOptions {
  std::vector<std::string> search_path;  // folders for libraries, before the system's own
  double answer_seconds = 1;             // budget given to a module's first answer
  // A call that takes this much longer than its budget ends planning with an error. Needs
  // `separate_process`, which also contains crashes and lets a budget end a call that is under way.
  double grace_seconds = 20;
  bool separate_process = true;
  bool cache = true;
};

struct TaskOptions {
  std::size_t max_bytes = std::size_t{4} << 30;  // resident memory of the process
  // Processor time of planning: of all threads, and of the processes that modules run in.
  double processor_seconds = std::numeric_limits<double>::infinity();
  double separation = 0.001;   // least time between events that depend on each other
  bool anytime = false;        // use the whole time to find better plans
  bool eager_modules = false;  // call modules for all successors, not only for those expanded
  // States that differ by exchanging equal objects (docs/algorithms/task_planning.md) count as one.
  bool exchange_equal = true;
  ModuleOptions modules;
};

struct PlannedAction {
  double start = 0, duration = 0;
  bool durative = false;
  std::string name;
  std::vector<std::string> arguments;
};

enum class TaskOutcome {
  solved,
  unsolvable,  // proved
  undecided    // a budget ran out, or search ended without a proof
};
using proven::to_string;

struct TaskStats {
  std::int64_t facts = 0, numbers = 0, actions = 0, landmarks = 0;
  std::int64_t expanded = 0, generated = 0, evaluated = 0;
  std::int64_t module_questions = 0, module_calls = 0, module_unknown = 0;
  int plans = 0;  // found, each better than the one before
  double ground_seconds = 0, first_plan_seconds = 0, seconds = 0;
  double processor_seconds = 0;         // with that of modules
  double module_processor_seconds = 0;  // of modules in processes of their own
  std::int64_t resident_bytes = 0;      // of the process, at the end
};

enum class ModuleWord { no, unknown, yes };

// What a module answered to a call, over all states in which it was asked.
struct ModuleReply {
  std::string call;  // "[name object ...]"
  ModuleWord answer = ModuleWord::unknown;
  int times = 0;       // how often search met this answer
  double seconds = 0;  // that the module took for it
  std::string reason;  // the latest that the module gave for no or unknown, if any
};

// A plan, each better than the one before it.
struct PlanFound {
  double seconds = 0, processor_seconds = 0;  // since planning began
  double metric = 0, makespan = 0;
  int actions = 0;
};

struct TaskResult {
  TaskOutcome outcome = TaskOutcome::undecided;
  std::string reason;                  // where it is not `solved`; or why improvement stopped early
  std::vector<std::string> unreached;  // parts of the goal that no state of the search reached
  // Answers no first, then unknown, then yes; the most frequent first.
  std::vector<ModuleReply> replies;
  std::vector<PlannedAction> plan;  // by start time
  double makespan = 0;
  double metric = 0;  // the problem's metric; makespan or number of actions where it has none
  // No plan has a smaller metric (of one to be minimised); absent where nothing is known.
  std::optional<double> bound;
  std::vector<PlanFound> found;  // how the plan became what it is: the last one is `plan`
  TaskStats stats;
};

// The stage that plan_task reports once it has a plan.
inline constexpr std::string_view kImproving = "better plans";

// When the budget ends, so does planning: with the best plan so far, or undecided.
// Error: the task cannot be grounded, a library is missing, or a module crashed or hung.
Result<TaskResult> plan_task(const Domain& domain, const Problem& problem,
                             const TaskOptions& options, const Budget& budget = {});

// The modules of a domain for validate_plan; they are loaded and asked anew. The budget is that of
// loading alone.
Result<std::unique_ptr<ValidationModules>> load_modules(const Domain& domain,
                                                        const Problem& problem,
                                                        const ModuleOptions& options,
                                                        const Budget& budget = {});

// One line per action: "0.000: (drive truck a b) [3.500]".
std::string to_text(const std::vector<PlannedAction>& plan);

}  // namespace proven::task
