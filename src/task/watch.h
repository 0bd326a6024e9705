// How deep work is stopped: it looks at its budget now and then and throws Stopped. Every public
// function turns that into an outcome or an error.
#pragma once

#include <string>
#include <string_view>

#include "proven/base/budget.h"
#include "proven/base/result.h"

namespace proven::task {

struct Stopped {
  Stop why = Stop::time;
  std::string_view work;  // what was being done: "grounding"

  Error error() const {
    const char* reason = why == Stop::time ? "the time budget ran out" : "interrupted";
    return {ErrorCode::exhausted, std::string(reason) + " while " + std::string(work), {}};
  }
};

// Looks at a budget on behalf of one piece of work.
class Watch {
 public:
  Watch(const Budget& budget, std::string_view work) : budget_(budget), work_(work) {}

  // Called at every step that takes a microsecond or more.
  void look() const {
    if (const auto why = budget_.stopped()) throw Stopped{*why, work_};
  }
  // Called at every step that is cheaper than reading a clock: it looks at few of them.
  void tick() {
    if (++ticks_ % kTicks == 0) look();
  }

 private:
  static constexpr unsigned kTicks = 256;

  const Budget& budget_;
  std::string_view work_;
  unsigned ticks_ = 0;
};

}  // namespace proven::task
