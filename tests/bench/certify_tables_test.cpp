// The benchmarks of the papers' checkers in a tiny form: rows, the paper's figures beside ours, and
// the relations that the papers claim.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

Report run_tiny(const std::string& name, int cases) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, name, &Benchmark::name);
  if (found == all.end()) {
    ADD_FAILURE() << "no benchmark " << name;
    return {};
  }
  Options options;
  options.quick = true;
  options.threads = 2;
  options.cases = test::cases(cases);
  Result<Report> report = found->run(options);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().text());
  return report.ok() ? std::move(report).value() : Report{};
}

const Cell* find(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row.cells)
    if (name == column) return &cell;
  return nullptr;
}

double number(const Row& row, const std::string& column) {
  const Cell* cell = find(row, column);
  if (!cell) {
    ADD_FAILURE() << "no column " << column;
    return -1;
  }
  const auto* integer = std::get_if<std::int64_t>(cell);
  return integer ? static_cast<double>(*integer) : std::get<double>(*cell);
}

std::string text(const Row& row, const std::string& column) {
  const Cell* cell = find(row, column);
  return cell ? std::get<std::string>(*cell) : "";
}

double sum(const Report& report, const std::string& column, const std::string& where,
           const std::string& value) {
  double total = 0;
  for (const Row& row : report.rows)
    if (text(row, where) == value) total += number(row, column);
  return total;
}

TEST(CertifyTables, ReferenceLengthsAreThePapers) {
  const Report report = run_tiny("table2", 1);
  ASSERT_EQ(report.rows.size(), 8u);
  for (const Row& row : report.rows) {
    const double length = number(row, "reference length: ours");
    EXPECT_EQ(length, number(row, "reference length: paper")) << text(row, "scene");
    // The forearm is a link of the built scene, or longer ones are.
    EXPECT_GE(number(row, "largest link"), 0.99 * length) << text(row, "scene");
  }
}

TEST(CertifyTables, AllCheckersFindTheCollisionsAndClassicWithLessWork) {
  const Report report = run_tiny("table3", 4);
  ASSERT_EQ(report.rows.size(), 18u);
  for (const Row& row : report.rows) {
    EXPECT_GT(number(row, "boxes: paper"), 0);
    EXPECT_EQ(number(row, "free"), 0) << text(row, "scene") << " " << text(row, "checker");
    if (text(row, "checker") == "classic, threshold 0") {
      EXPECT_EQ(number(row, "collision"), number(row, "count")) << text(row, "scene");
    }
  }
  EXPECT_LT(sum(report, "boxes: ours", "checker", "classic, threshold 0"),
            sum(report, "boxes: ours", "checker", "fixed, step to 0"));
  EXPECT_EQ(report.plot.series.size(), 6u);
}

TEST(CertifyTables, FixedNeverProvesAFreeSegment) {
  const Report report = run_tiny("table6", 4);
  ASSERT_EQ(report.rows.size(), 4u);
  for (const Row& row : report.rows) {
    const bool fixed = text(row, "checker") == "fixed";
    EXPECT_EQ(number(row, fixed ? "undecided" : "free"), number(row, "count"));
    EXPECT_GT(number(row, "triangles: paper"), 0);
    EXPECT_GT(number(row, "ms: ours"), 0);
  }
}

TEST(CertifyTables, GlidingIsProvedAndOtherLinksHardlyMatter) {
  double classic_boxes[3] = {0, 0, 0};
  const std::string names[] = {"table8", "table9", "table10"};
  for (std::size_t k = 0; k < 3; ++k) {
    const Report report = run_tiny(names[k], 2);
    ASSERT_GE(report.rows.size(), 2u);
    for (const Row& row : report.rows) {
      EXPECT_EQ(text(row, "verdict"), "free");
      EXPECT_EQ(text(row, "refined: verdict"), "free");
      EXPECT_LE(number(row, "refined: boxes"), number(row, "boxes: ours"));
      EXPECT_EQ(text(row, "directional: verdict"), "free");
      EXPECT_GE(number(row, "classic's boxes / directional's"), 1);
      EXPECT_GT(number(row, "directional: configurations"), 0);
      EXPECT_GT(number(row, "boxes: paper"), 0);
    }
    EXPECT_EQ(report.plot.series.size(), 4u);
    const double all = sum(report, "boxes: ours", "checked", "all links");
    const double gun = sum(report, "boxes: ours", "checked", "end-effector");
    EXPECT_LE(gun, all);
    if (report.rows.size() > 2) {
      EXPECT_GE(gun, 0.8 * all);
    }
    classic_boxes[k] = all;
  }
  // A shorter part of the turn passes over the box, and a still shorter over the narrow one.
  EXPECT_LT(classic_boxes[1], classic_boxes[0]);
  EXPECT_LT(classic_boxes[2], classic_boxes[1]);
}

TEST(CertifyTables, RefinedVisitsAtMostHalfTheBoxesOfClassicOnFreeSegments) {
  const Report report = run_tiny("table11", 4);
  ASSERT_EQ(report.rows.size(), 24u);
  double classic = 0, refined = 0;
  for (const Row& row : report.rows) {
    if (text(row, "segments") != "free") continue;
    EXPECT_EQ(number(row, "free"), number(row, "count")) << text(row, "scene");
    EXPECT_GT(number(row, "boxes: paper"), 0);
    (text(row, "checker") == "classic" ? classic : refined) += number(row, "boxes: ours");
  }
  EXPECT_LE(refined, 0.5 * classic);
  EXPECT_FALSE(report.notes.empty());
}

TEST(CertifyTables, EveryMotionBenchMakerProblemGetsAVerdict) {
  PROVEN_REQUIRE_DATA("motionbenchmaker");
  const Report report = run_tiny("mbm-straight", 24);
  std::set<std::string> robots;
  for (const Row& row : report.rows) {
    robots.insert(text(row, "robot"));
    EXPECT_EQ(number(row, "failed"), 0) << text(row, "set");
    EXPECT_EQ(number(row, "free") + number(row, "collision") + number(row, "undecided"),
              number(row, "problems"));
  }
  EXPECT_EQ(robots.size(), 2u);
}

TEST(CertifyTables, MissingDataIsSaidNotFailed) {
  const char* before = std::getenv("PROVEN_DATA");
  const std::string kept = before ? before : "";
  ::setenv("PROVEN_DATA", "/nowhere/at/all", 1);
  const Report report = run_tiny("mbm-straight", 1);
  before ? ::setenv("PROVEN_DATA", kept.c_str(), 1) : ::unsetenv("PROVEN_DATA");
  EXPECT_TRUE(report.rows.empty());
  ASSERT_FALSE(report.notes.empty());
  EXPECT_TRUE(report.notes[0].starts_with("skipped")) << report.notes[0];
}

}  // namespace
}  // namespace proven::bench
