#include "tools/work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace proven::tools {
namespace {

// All that the signal handler touches.
std::atomic<bool> stop = false;
std::atomic<std::int64_t> first_press = 0;            // of the monotonic clock, in ms
std::atomic<int> stoppable = 0;                       // works
std::array<std::atomic<const char*>, 8> clean_ups{};  // commands for a shell
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<const char*>::is_always_lock_free);

// A program that starts this one, such as timeout, passes one press on several times.
constexpr std::int64_t kOnePressMs = 300;

std::int64_t now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

// Nobody waits for it: what still writes into a folder ends with this program.
void start_shell(const char* command) {
  if (_Fork() != 0) return;  // unlike fork, it takes no locks
  execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(1);
}

extern "C" void on_interrupt(int) {
  const std::int64_t now = now_ms();
  if (stoppable > 0 && !stop.exchange(true)) first_press = now;
  if (stop && now - first_press < kOnePressMs) return;
  for (const auto& slot : clean_ups)
    if (const char* command = slot) start_shell(command);
  // A progress line may stand on the terminal.
  constexpr char kClearLine[] = "\r\033[K";
  if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, kClearLine, sizeof kClearLine - 1);
  std::_Exit(kInterrupted);
}

}  // namespace

void end_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
}

bool interrupted() {
  return stop;
}

int unless_interrupted(int code) {
  return interrupted() ? static_cast<int>(kInterrupted) : code;
}

namespace {

Preparation* preparation = nullptr;  // of the main thread

// Work on what is read quickly still gives its whole answer when its budget is over: it says more.
constexpr std::chrono::milliseconds kGrace{250};

}  // namespace

Preparation::Preparation(std::string what, const CommonOptions& common) {
  const Budget budget = common.budget();
  if (!budget.limited()) return;
  preparation = this;
  sigset_t all, before;  // signals are for the main thread
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, deadline = budget.deadline + kGrace, what = std::move(what),
                         json = common.json] { wait(deadline, what, json); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Preparation::wait(Budget::Clock::time_point deadline, const std::string& what, bool json) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_until(lock, deadline, [this] { return ended_; })) return;
  const std::string text = fmt::format(
      "the budget ran out while {} were read and prepared; nothing is said of them", what);
  if (json)
    fmt::print(
        "{{\"verdict\":\"undecided\",\"status\":\"budget\",\"reason\":\"time\",\"text\":\"{}\"}}\n",
        text);
  fmt::print(stderr, "proven: {}\n", text);
  std::fflush(stdout);
  std::_Exit(kUndecided);
}

void Preparation::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  preparation = nullptr;
}

Preparation::~Preparation() {
  end();
}

Work::Work(std::string label, const CommonOptions& common, OnInterrupt on_interrupt,
           std::string_view first_kept_stage)
    : budget_(common.budget(&stop)), line_(std::move(label), common.quiet, budget_.deadline) {
  if (preparation) preparation->end();
  const bool stops_later = !first_kept_stage.empty();
  if (on_interrupt == OnInterrupt::stop && !stops_later) stop_on_interrupt();
  if (!line_.visible() && !stops_later) return;
  budget_.progress = [this, stage = std::string(first_kept_stage)](const Progress& progress) {
    if (!stage.empty() && progress.stage == stage) stop_on_interrupt();
    line_.update(progress);
  };
}

void Work::stop_on_interrupt() {
  if (!std::exchange(stops_, true)) ++stoppable;
}

Work::~Work() {
  if (stops_) --stoppable;
}

InterruptsWait::InterruptsWait() {
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
}

InterruptsWait::~InterruptsWait() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Unfinished::Unfinished(const std::filesystem::path& path) {
  std::error_code ignored;
  std::string quoted = "'";
  for (const char c : std::filesystem::weakly_canonical(path, ignored).string())
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += "'";
  clean_up_ = std::filesystem::is_directory(path, ignored)
                  ? fmt::format(
                        "for i in 1 2 3 4 5 6 7 8 9; do rm -rf -- {0} 2>/dev/null; "
                        "sleep 0.05; [ -e {0} ] || break; done",
                        quoted)
                  : fmt::format("rm -f -- {}.{}.*.new", quoted, getpid());
  for (auto& slot : clean_ups) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, clean_up_.c_str())) return;
  }
}

Unfinished::~Unfinished() {
  for (auto& slot : clean_ups) {
    const char* mine = clean_up_.c_str();
    slot.compare_exchange_strong(mine, nullptr);
  }
}

}  // namespace proven::tools
