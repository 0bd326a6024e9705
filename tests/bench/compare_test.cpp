#include "bench/compare.h"

#include "support.h"

namespace proven::bench {
namespace {

Report table(double ms, int solved, int cells) {
  Report report;
  report.rows.push_back(Row{}
                            .add("scene", "a, \"b\"")
                            .add("ms median", ms)
                            .add("solved", solved)
                            .add("cells", cells));
  report.rows.push_back(Row{}.add("scene", "c").add("ms median", 2 * ms).add("solved", 5));
  return report;
}

TEST(BenchCompare, CsvComesBack) {
  const auto back = from_csv(to_csv(table(0.25, 3, 7)), "file");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(to_csv(back.value()), to_csv(table(0.25, 3, 7)));
}

TEST(BenchCompare, BadCsvIsRefusedWithItsPlace) {
  for (const auto& [text, words] :
       {std::pair{"", "empty"}, {"a,b\n1\n", "f.csv:2"}, {"a\n\"1", "no end"}}) {
    const auto report = from_csv(text, "f.csv");
    ASSERT_FALSE(report.ok()) << text;
    EXPECT_NE(report.error().text().find(words), std::string::npos) << report.error().text();
  }
}

std::vector<std::string> column(const Report& report, const std::string& name) {
  std::vector<std::string> values;
  for (const Row& row : report.rows)
    for (const auto& [key, cell] : row.cells)
      if (key == name) values.push_back(std::get<std::string>(cell));
  return values;
}

TEST(BenchCompare, WhatGotWorseComesFirst) {
  Report after = table(0.5, 6, 8);  // twice as slow, more solved, one more cell
  after.rows[1] = Row{}.add("scene", "c").add("ms median", 0.1).add("solved", 1);
  const Report report = compare(table(0.25, 3, 7), after);
  EXPECT_EQ(column(report, "column"),
            (std::vector<std::string>{"solved", "ms median", "solved", "ms median", "cells"}));
  EXPECT_EQ(column(report, "is"),
            (std::vector<std::string>{"worse", "worse", "better", "better", "other"}));
}

TEST(BenchCompare, RowsThatComeAndGoAreNamed) {
  Report after = table(0.25, 3, 7);
  after.rows[1] = Row{}.add("scene", "new").add("ms median", 1.0);
  const Report report = compare(table(0.25, 3, 7), after);
  EXPECT_TRUE(report.rows.empty());
  ASSERT_EQ(report.notes.size(), 3u);
  EXPECT_EQ(report.notes[0], "only after: new");
  EXPECT_EQ(report.notes[1], "only before: c");
}

TEST(BenchCompare, RowsOfOneNameGoByTheirOrder) {
  Report before, after;
  for (const double v : {1.0, 2.0}) {
    before.rows.push_back(Row{}.add("scene", "s").add("ms", v));
    after.rows.push_back(Row{}.add("scene", "s").add("ms", 3 * v));
  }
  EXPECT_EQ(column(compare(before, after), "row"), (std::vector<std::string>{"s", "s, #2"}));
  EXPECT_TRUE(compare(before, before).rows.empty());
}

TEST(BenchCompare, TheFirstColumnNamesARowOfNumbers) {
  Report before, after;
  for (const int links : {1, 2}) before.rows.push_back(Row{}.add("links", links).add("ms", 1.0));
  for (const int links : {2, 3}) after.rows.push_back(Row{}.add("links", links).add("ms", 2.0));
  const Report report = compare(before, after);
  EXPECT_EQ(column(report, "row"), std::vector<std::string>{"2"});
  EXPECT_EQ(report.notes.size(), 3u);
}

}  // namespace
}  // namespace proven::bench
