#include "proven/base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "support.h"

namespace proven {
namespace {

TEST(ParallelFor, CallsEveryItemOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> calls(1000);
    std::atomic<bool> thread_in_range{true};
    parallel_for(1000, threads, [&](int item, int thread) {
      ++calls[static_cast<std::size_t>(item)];
      if (thread < 0 || thread >= threads) thread_in_range = false;
    });
    for (const auto& n : calls) EXPECT_EQ(n, 1);
    EXPECT_TRUE(thread_in_range);
  }
}

TEST(ParallelFor, PassesExceptionsOn) {
  EXPECT_THROW(parallel_for(100, 3,
                            [](int item, int) {
                              if (item == 50) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
}

TEST(Workers, CallEveryItemOfEveryRoundOnce) {
  for (const int threads : {1, 2, 5}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    // Short rounds: who wakes up late must find neither an old one nor a new one twice.
    for (int round = 0; round < 2000; ++round) {
      const int count = round % 7;
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      workers.each(count, [&](int item, int) { ++calls[static_cast<std::size_t>(item)]; });
      for (const auto& n : calls) ASSERT_EQ(n, 1);
    }
  }
}

TEST(Workers, WorkWhileTheirCallerDoes) {
  Workers workers(2);
  std::atomic<int> calls{0};
  const ParallelWork work = [&](int, int) { ++calls; };
  EXPECT_TRUE(workers.idle());
  workers.begin(10, work);
  while (!workers.idle()) std::this_thread::yield();  // The other thread does it all.
  EXPECT_EQ(calls, 10);
  workers.finish();
  EXPECT_EQ(calls, 10);
  // Alone, the caller does it when it comes to that.
  Workers none(1);
  none.begin(10, work);
  EXPECT_FALSE(none.idle());
  none.finish();
  EXPECT_EQ(calls, 20);
}

TEST(Workers, PassExceptionsOnAndGoOn) {
  Workers workers(3);
  EXPECT_THROW(workers.each(100,
                            [](int item, int) {
                              if (item == 50) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  std::atomic<int> calls{0};
  workers.each(100, [&](int, int) { ++calls; });
  EXPECT_EQ(calls, 100);
}

}  // namespace
}  // namespace proven
