// Watching a budget from a hot loop.
#pragma once

#include "proven/base/budget.h"
#include "proven/certify/verdict.h"

namespace proven::spacetime {

inline UndecidedReason reason_of(Stop stop) {
  return stop == Stop::time ? UndecidedReason::time : UndecidedReason::cancelled;
}

// Looks at the budget at the first and at every 64th call only: clocks cost more than what is done
// in between, which takes microseconds.
class Watch {
 public:
  explicit Watch(const Budget& budget) : budget_(budget) {}

  bool over() {
    if (!stop_ && count_++ % 64 == 0) stop_ = budget_.stopped();
    return ended();
  }
  // Whether a call said so, without looking again; then there is a reason.
  bool ended() const { return stop_.has_value(); }
  UndecidedReason reason() const { return reason_of(*stop_); }

 private:
  const Budget& budget_;
  std::optional<Stop> stop_;
  unsigned count_ = 0;
};

}  // namespace proven::spacetime
