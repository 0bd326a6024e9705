// How long work may take, who may stop it, and who wants to know how far it is. Every long call
// takes one by reference and passes it down; nothing keeps it beyond the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

namespace proven {

struct Progress {
  std::string_view stage;  // what is being done, for people: "samples", "neighbours"
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: not known
};

// Why work was stopped from outside.
enum class Stop { time, cancelled };

struct Budget {
  using Clock = std::chrono::steady_clock;

  // The one meaning of "no limit" is max(); seconds from outside are infinite for it.
  Clock::time_point deadline = Clock::time_point::max();
  // Set from another thread or a signal handler to stop soon; may be null.
  const std::atomic<bool>* cancel = nullptr;
  // Called now and then by the thread that works; may be empty.
  std::function<void(const Progress&)> progress = {};

  // From now on. Infinite seconds, and more than a century, are no limit; none, and NaN, are over.
  static Budget of_seconds(double seconds, const std::atomic<bool>* cancel = nullptr) {
    return {deadline_in(seconds), cancel, {}};
  }
  // The same, but over in so many seconds at the latest.
  Budget at_most(double seconds) const {
    return {std::min(deadline, deadline_in(seconds)), cancel, progress};
  }

  bool limited() const { return deadline != Clock::time_point::max(); }
  bool cancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
  bool late() const { return limited() && Clock::now() >= deadline; }
  std::optional<Stop> stopped() const {
    if (cancelled()) return Stop::cancelled;
    if (late()) return Stop::time;
    return std::nullopt;
  }
  // Infinite without a limit, never negative.
  double seconds_left() const {
    if (!limited()) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(deadline - Clock::now()).count());
  }
  void report(std::string_view stage, std::int64_t done, std::int64_t total = 0) const {
    if (progress) progress({stage, done, total});
  }

 private:
  static Clock::time_point deadline_in(double seconds) {
    constexpr double kCentury = 100 * 365.25 * 86400;
    if (seconds > kCentury) return Clock::time_point::max();
    const double left = seconds > 0 ? seconds : 0;
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(left));
  }
};

}  // namespace proven
