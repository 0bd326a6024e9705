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

}  // namespace
}  // namespace proven
