// Runs independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace proven {

// The number of threads to use when the user says 0.
int default_threads();

// Called once for every item in [0, count), thread in [0, threads). Items are handed out in order;
// which thread takes which is not promised, so results must be stored by item and never depend on
// `thread` except as the index of scratch memory. An exception stops the hand-out and is rethrown.
using ParallelWork = std::function<void(int item, int thread)>;

void parallel_for(int count, int threads, const ParallelWork& work);

// Threads that stay ready, for work that comes often and is short. Who calls is one of them, and
// calls alone.
class Workers {
 public:
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return static_cast<int>(others_.size()) + 1; }
  void each(int count, const ParallelWork& work);

  // The same in two steps. Between them the others work alone, and `work` must stay where it is.
  void begin(int count, const ParallelWork& work);
  void finish();
  // Whether nothing is under way, or all items have been handed out and are done.
  bool idle();

 private:
  void stand_by(int thread);
  void take_items(int count, const ParallelWork& work, int thread);

  std::atomic<int> next_ = 0;  // item
  std::mutex mutex_;           // of all below
  std::condition_variable begun_, done_;
  const ParallelWork* work_ = nullptr;  // that may be joined
  int count_ = 0;
  unsigned round_ = 0;
  int joined_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> others_;
};

}  // namespace proven
