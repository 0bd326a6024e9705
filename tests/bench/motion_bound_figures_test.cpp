// The benchmarks fig5 and fig9 in their short form: what the papers say holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "bench/bench.h"

namespace proven::bench {
namespace {

Report run_quick(const std::string& name) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, name, &Benchmark::name);
  if (found == all.end()) {
    ADD_FAILURE() << "no benchmark " << name;
    return {};
  }
  Options options;
  options.quick = true;
  options.threads = 2;
  Result<Report> report = found->run(options);
  EXPECT_TRUE(report.ok());
  return report.ok() ? report.value() : Report{};
}

double number(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row.cells)
    if (name == column && std::holds_alternative<double>(cell)) return std::get<double>(cell);
  return -1;
}

TEST(Fig5, LambdaIsAboutSixTimesTooLongForSixLinksAndAlwaysTheBetterBound) {
  const Report report = run_quick("fig5");
  ASSERT_EQ(report.rows.size(), 12u);
  EXPECT_NEAR(number(report.rows[0], "lambda_error_mean"), 0, 1e-9);
  for (const Row& row : report.rows) {
    EXPECT_GE(number(row, "lambda_error_min"), 0);
    EXPECT_LE(number(row, "lambda_error_mean"), number(row, "rho_error_mean") + 1e-9);
  }
  EXPECT_NEAR(number(report.rows[5], "lambda_factor_mean"), 6, 2);
  EXPECT_EQ(report.plot.series.size(), 2u);
}

TEST(Fig9, RatiosAreAtLeastOneAndAsSmallAsThePaperSays) {
  const Report report = run_quick("fig9");
  ASSERT_GT(report.rows.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(number(report.rows[i], "smallest"), 1);
  EXPECT_GT(number(report.rows[0], "share_below_15"), 0.5);
  EXPECT_GT(number(report.rows[1], "share_below_5"), 0.8);
  EXPECT_GT(number(report.rows[2], "share_below_5"), 0.8);
  // The histograms hold 99 % of the ratios.
  std::map<std::string, double> total;
  for (std::size_t i = 4; i < report.rows.size(); ++i)
    total[std::get<std::string>(report.rows[i].cells[0].second)] += number(report.rows[i], "share");
  EXPECT_EQ(total.size(), 4u);
  for (const auto& [robot, share] : total) EXPECT_GE(share, 0.98) << robot;
}

}  // namespace
}  // namespace proven::bench
