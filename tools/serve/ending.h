// SIGINT and SIGTERM as an event, for programs that have something to write down before they end.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace proven::tools {

class Ending {
 public:
  // Made before any other thread is: from then on the signals wait for `on_signal`, in this thread
  // and all that it starts.
  Ending();
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // `stop` is called once, in a thread of its own, when the first signal comes. Another one ends
  // the program at once.
  void on_signal(std::function<void()> stop);

  // What came; 0: nothing.
  int signal() const { return signal_; }
  // `stop` is not called any more, and whatever it refers to may go.
  void forget();
  // Ends the program as the signal would have: SIGINT with kInterrupted, SIGTERM by its default.
  // Threads that still run end with it; no destructor is called.
  [[noreturn]] void end() const;

 private:
  std::atomic<int> signal_ = 0;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace proven::tools
