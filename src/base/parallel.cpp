#include "proven/base/parallel.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace proven {

int default_threads() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallel_for(int count, int threads, const ParallelWork& work) {
  if (threads <= 0) threads = default_threads();
  Workers(std::min(threads, count)).each(count, work);
}

Workers::Workers(int threads) {
  // Where the system gives no more threads, those that are there do it all.
  try {
    for (int thread = 1; thread < threads; ++thread)
      others_.emplace_back([this, thread] { stand_by(thread); });
  } catch (const std::system_error&) {
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    next_ = count_;
  }
  begun_.notify_all();
  for (std::thread& other : others_) other.join();
}

void Workers::each(int count, const ParallelWork& work) {
  begin(count, work);
  finish();
}

void Workers::begin(int count, const ParallelWork& work) {
  {
    const std::lock_guard lock(mutex_);
    count_ = count;
    next_ = 0;
    work_ = &work;
    ++round_;
  }
  if (count > 1) begun_.notify_all();
}

void Workers::finish() {
  std::unique_lock lock(mutex_);
  if (!work_) return;
  lock.unlock();
  take_items(count_, *work_, 0);
  lock.lock();
  work_ = nullptr;  // Who has not joined by now is not waited for.
  done_.wait(lock, [this] { return joined_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool Workers::idle() {
  const std::lock_guard lock(mutex_);
  return !work_ || (next_ >= count_ && joined_ == 0);
}

void Workers::stand_by(int thread) {
  unsigned seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [&] { return ending_ || (work_ && round_ != seen); });
    if (ending_) return;
    seen = round_;
    ++joined_;
    const int count = count_;
    const ParallelWork& work = *work_;
    lock.unlock();
    take_items(count, work, thread);
    lock.lock();
    if (--joined_ == 0) done_.notify_one();
  }
}

void Workers::take_items(int count, const ParallelWork& work, int thread) {
  try {
    for (int item = next_++; item < count; item = next_++) work(item, thread);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = count;
  }
}

}  // namespace proven
