#include "tools/serve/ending.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "tools/command.h"

namespace proven::tools {
namespace {

// A program that starts this one, such as timeout, passes one press on several times.
constexpr std::chrono::milliseconds kOnePress{300};

sigset_t both() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Ending::Ending() {
  const sigset_t set = both();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void Ending::forget() {
  if (!thread_.joinable()) return;
  done_ = true;
  ::pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

Ending::~Ending() {
  forget();
  const sigset_t set = both();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Ending::on_signal(std::function<void()> stop) {
  thread_ = std::thread([this, stop = std::move(stop)] {
    const sigset_t set = both();
    std::chrono::steady_clock::time_point first;
    while (true) {
      int came = 0;
      if (::sigwait(&set, &came) != 0) continue;
      if (done_) return;
      const auto now = std::chrono::steady_clock::now();
      if (signal_ == 0) {
        first = now;
        signal_ = came;
        stop();
      } else if (now - first > kOnePress) {
        end();
      }
    }
  });
}

void Ending::end() const {
  if (signal_ == SIGTERM) {
    std::signal(SIGTERM, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    ::raise(SIGTERM);
  }
  std::_Exit(kInterrupted);
}

}  // namespace proven::tools
