// The short form of the suite of windings.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

TEST(Windings, ShortForm) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "windings", &Benchmark::name);
  ASSERT_NE(found, all.end());
  Options options;
  options.cases = test::cases(600);
  const auto report = found->run(options);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report.value().failed) << to_text(report.value());
}

}  // namespace
}  // namespace proven::bench
