#include "tools/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "tools/command.h"

namespace proven::tools {
namespace {

std::atomic<bool> watched = false, stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "read and written by a signal handler");

extern "C" void on_interrupt(int) {
  if (watched && !stop.exchange(true)) return;
  // A progress line may stand on the terminal.
  constexpr char kClearLine[] = "\r\033[K";
  if (isatty(STDERR_FILENO)) (void)!write(STDERR_FILENO, kClearLine, sizeof kClearLine - 1);
  std::_Exit(kInterrupted);
}

}  // namespace

void end_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
}

const std::atomic<bool>* stop_on_interrupt() {
  watched = true;
  return &stop;
}

bool interrupted() {
  return stop;
}

}  // namespace proven::tools
