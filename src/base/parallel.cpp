#include "proven/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace proven {

int default_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallel_for(int count, int threads, const std::function<void(int, int)>& work) {
  if (threads <= 0) threads = default_threads();
  threads = std::min(threads, count);
  if (threads <= 1) {
    for (int item = 0; item < count; ++item) work(item, 0);
    return;
  }
  std::atomic<int> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto run = [&](int thread) {
    try {
      for (int item = next++; item < count; item = next++) work(item, thread);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> pool;
    for (int thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace proven
