// repair: where segments of a monitored motion fell, another way around, proved.
#pragma once

#include "proven/certify/monitor.h"
#include "proven/plan/plan.h"

namespace proven {

struct RepairOptions {
  PlanOptions plan;  // of each stretch that fell; `check` is the monitor's own
  // The ways around are shortened by so many steps of `smooth`; 0: not at all.
  std::int64_t smooth_steps = 200;
  // Coordinates that the ways around may move, as in Query; empty: all of them.
  std::vector<int> planned = {};
};

struct RepairResult {
  PlanStatus status = PlanStatus::budget;
  std::string reason;                  // one sentence for people; empty if solved
  std::optional<Witness> obstruction;  // as in PlanResult
  // Solved: from where the part ahead begins to the end of the motion. Pieces that stood are as
  // they were; a motion whose present segment stands begins with that segment as a whole. Times are
  // dropped: the ways around have none.
  Motion motion;
  // Proved once more as a whole, as the literal values of the motion; with its certificate, if
  // PlanOptions::check asks for one.
  bool proved = false;
  Certificate certificate;
  int stretches = 0;  // that were planned anew
  int kept = 0;       // segments that stood
  PlanStats stats;
};

// Plans a way around every stretch of segments ahead that are not free, from the end of the last
// one that stands to the beginning of the next. Fails as plan does.
Result<RepairResult> repair(const Monitor& monitor, const RepairOptions& options,
                            const Budget& budget = {});

}  // namespace proven
