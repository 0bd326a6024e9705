// The benchmarks of the planners in a tiny form: every path verified, one scene or set at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

Result<Report> run_one(const std::string& name, const std::string& set,
                       const std::string& robot = "") {
  const auto found = std::ranges::find(benchmarks(), name, &Benchmark::name);
  if (found == benchmarks().end()) return bad_input("no such benchmark");
  EXPECT_TRUE(found->has_sets);
  Options options;
  options.quick = true;
  options.threads = 1;
  options.cases = 1;
  options.set = set;
  options.robot = robot;
  return found->run(options);
}

std::int64_t count(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row.cells)
    if (name == column) return std::get<std::int64_t>(cell);
  ADD_FAILURE() << "no column " << column;
  return -1;
}

std::string text(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row.cells)
    if (name == column) return std::get<std::string>(cell);
  return "";
}

TEST(PlanTables, AdaptiveSblIsVerifiedAtEveryThreshold) {
  const auto report = run_one("table5", "machine-tool");
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_EQ(report.value().rows.size(), 8u);
  for (const Row& row : report.value().rows) {
    EXPECT_EQ(count(row, "solved"), 1);
    EXPECT_EQ(count(row, "verified"), 1);
  }
  EXPECT_FALSE(to_svg(report.value().plot).empty());
}

TEST(PlanTables, SblIsJudgedBesideAdaptiveSbl) {
  const auto report = run_one("table4", "machine-tool");
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_EQ(report.value().rows.size(), 5u);
  const Row& adaptive = report.value().rows.back();
  EXPECT_EQ(text(adaptive, "planner"), "a-sbl");
  EXPECT_EQ(count(adaptive, "verified"), count(adaptive, "runs"));
  EXPECT_EQ(report.value().plot.series.size(), 4u);
}

TEST(PlanTables, UnknownSetsAreNamed) {
  for (const char* name : {"table4", "table5", "table7"}) {
    const auto report = run_one(name, "kitchen");
    ASSERT_FALSE(report.ok());
    EXPECT_NE(report.error().text().find("kitchen"), std::string::npos);
  }
  EXPECT_FALSE(run_one("mbm", "", "octopus").ok());
}

TEST(PlanTables, RealProblemsAreSolvedAndVerified) {
  PROVEN_REQUIRE_DATA("motionbenchmaker");
  EXPECT_FALSE(run_one("mbm", "kitchen").ok());
  const auto report = run_one("mbm", "table_pick", "panda");
  ASSERT_TRUE(report.ok()) << report.error().text();
  ASSERT_GE(report.value().rows.size(), 2u);
  for (const Row& row : report.value().rows) {
    EXPECT_EQ(count(row, "problems"), 1);
    if (text(row, "planner").starts_with("OMPL")) continue;
    EXPECT_EQ(count(row, "raw: verified"), 1) << text(row, "planner");
    EXPECT_EQ(count(row, "simplified: verified"), 1) << text(row, "planner");
  }
}

// Every line is proved or refused for a reason that is known, and a twin sees no tool farther from
// its line than was proved.
TEST(PlanTables, LinesOfToolsAreProvedOrRefused) {
  PROVEN_REQUIRE_DATA("robots");
  const auto found = std::ranges::find(benchmarks(), "tool-lines", &Benchmark::name);
  ASSERT_NE(found, benchmarks().end());
  Options options;
  options.cases = 5;
  const auto report = found->run(options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_FALSE(report.value().failed);
  ASSERT_EQ(report.value().rows.size(), 3u);
  for (const Row& row : report.value().rows) {
    EXPECT_GT(count(row, "proved"), 0);
    std::int64_t refused = 0;
    for (const char* why :
         {"singular", "joint limit", "out of reach", "no solution nearby", "other"})
      refused += count(row, std::string("refused: ") + why);
    EXPECT_EQ(count(row, "proved") + refused, count(row, "lines"));
    EXPECT_EQ(count(row, "refused: other"), 0);
    EXPECT_EQ(count(row, "beyond what is proved"), 0);
  }
}

}  // namespace
}  // namespace proven::bench
