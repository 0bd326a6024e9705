// Random small temporal tasks: what the planner says against an exhaustive search.
#pragma once

#include "bench/task/exhaustive.h"

namespace proven::bench {

struct TaskTally {
  int tasks = 0;
  int exist = 0, none = 0, open = 0;              // by exhaustive search
  int solved = 0, unsolvable = 0, undecided = 0;  // by the planner
  int missed = 0;                                 // undecided although there is a plan
  int false_unsolvable = 0, invalid = 0;          // must stay 0
  std::vector<std::string> complaints, misses;

  void add(const TaskTally& other);
};

TaskTally judge_task(const SmallTask& task);

}  // namespace proven::bench
