// Is there a plan? All sequences of happenings of a small task, with nothing of the planner: PDDL
// 2.1 as it is defined. Events of one moment see the state before it, must not interfere, and take
// effect together; events that interfere at different moments are a separation apart; over-all
// conditions hold on the open interval between start and end. The separation is as good as
// infinitesimal, so that what exists for any separation is found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/task/small_task.h"

namespace proven::bench {

struct SmallStep {
  int action = 0;
  double start = 0, duration = 0;
};
using SmallPlan = std::vector<SmallStep>;

struct Exhaustive {
  std::optional<SmallPlan> plan;
  bool complete = true;  // every plan of so many actions was tried
  std::int64_t nodes = 0;
};

Exhaustive search_all(const SmallTask& task, int most_actions, std::int64_t most_nodes);

// What is wrong with a plan whose interfering events are to be `separation` apart; nothing: valid.
std::string refute(const SmallTask& task, const SmallPlan& plan, double separation);

}  // namespace proven::bench
