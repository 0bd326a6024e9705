#include <gtest/gtest.h>

#include <algorithm>

#include "bench/bench.h"

namespace proven::bench {
namespace {

// The short form, without its times: what a monitor says is what checking again says.
TEST(MonitorBench, AnswersAreThoseOfCheckingAgain) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "monitor", &Benchmark::name);
  ASSERT_NE(found, all.end());
  Options options;
  options.cases = 25;
  const auto report = found->run(options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_GE(report.value().rows.size(), 3u);
  std::int64_t fell = 0;
  for (const Row& row : report.value().rows)
    for (const auto& [column, cell] : row.cells) {
      if (column == "other answers") {
        EXPECT_EQ(std::get<std::int64_t>(cell), 0);
      }
      if (column == "segments that fell") fell += std::get<std::int64_t>(cell);
    }
  EXPECT_GT(fell, 0);
}

}  // namespace
}  // namespace proven::bench
