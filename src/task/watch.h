// How deep work is stopped: it looks at its budget now and then and throws Stopped. Every public
// function turns that into an outcome or an error.
#pragma once

#include <string>
#include <string_view>

#include "proven/base/budget.h"
#include "proven/base/result.h"
#include "task/limits.h"

namespace proven::task {

struct Stopped {
  enum class Why { time, cancelled, processor, memory } why = Why::time;
  std::string_view work;  // what was being done: "grounding"

  Error error() const {
    constexpr const char* kReasons[] = {"the time budget ran out", "interrupted",
                                        "the budget of processor time ran out",
                                        "the memory budget ran out"};
    const char* reason = kReasons[static_cast<int>(why)];
    return {ErrorCode::exhausted, std::string(reason) + " while " + std::string(work), {}};
  }
};

// Looks at a budget on behalf of one piece of work.
class Watch {
 public:
  Watch(const Budget& budget, std::string_view work, const Limits& limits = {})
      : budget_(budget), work_(work), limits_(limits) {}

  // Called at every step that takes a microsecond or more.
  void look() const {
    look_at_clock();
    if (++looks_ % kLooks == 0) look_closer();
  }
  // Called where somebody else is waited for: it looks at everything.
  void look_well() const {
    look_at_clock();
    look_closer();
  }
  // Called at every step that is cheaper than reading a clock: it looks at few of them.
  void tick() {
    if (++ticks_ % kTicks == 0) look();
  }

 private:
  void look_at_clock() const {
    if (const auto why = budget_.stopped())
      throw Stopped{*why == Stop::time ? Stopped::Why::time : Stopped::Why::cancelled, work_};
  }
  // Every so many looks: these cost a system call each.
  void look_closer() const {
    if (limits_.processor_ended()) throw Stopped{Stopped::Why::processor, work_};
    if (limits_.max_bytes < std::numeric_limits<std::size_t>::max() &&
        resident_bytes() > limits_.max_bytes)
      throw Stopped{Stopped::Why::memory, work_};
  }

  static constexpr unsigned kTicks = 256, kLooks = 64;

  const Budget& budget_;
  std::string_view work_;
  Limits limits_;
  unsigned ticks_ = 0;
  mutable unsigned looks_ = 0;
};

}  // namespace proven::task
