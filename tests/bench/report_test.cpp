#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

Report sample() {
  Report report;
  report.rows.push_back(Row{}.add("scene", "a,b").add("tests", 12).add("ratio", 0.25));
  report.rows.push_back(Row{}.add("scene", "c").add("extra", 1e9));
  report.notes = {"how to read it"};
  report.plot.title = "a < b";
  report.plot.series = {{"one", Series::Style::bars, {0, 1}, {3, 4}, {}}};
  return report;
}

TEST(BenchReport, JsonKeepsNamedColumns) {
  const auto json = nlohmann::json::parse(to_json("table0", sample()));
  EXPECT_EQ(json["bench"], "table0");
  EXPECT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][0]["tests"], 12);
  EXPECT_FALSE(json["rows"][1].contains("tests"));
}

TEST(BenchReport, CsvQuotesAndLeavesBlanks) {
  EXPECT_EQ(to_csv(sample()), "scene,tests,ratio,extra\n\"a,b\",12,0.25,\nc,,,1000000000\n");
}

TEST(BenchReport, TextIsAligned) {
  const std::string text = to_text(sample());
  EXPECT_NE(text.find("scene  tests  ratio"), std::string::npos) << text;
  EXPECT_NE(text.find("how to read it"), std::string::npos);
}

TEST(BenchPlot, IsEscapedSvgWithOneRectPerBar) {
  const std::string svg = to_svg(sample().plot);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  std::size_t rects = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1))
    ++rects;
  EXPECT_EQ(rects, 1u /* background */ + 2u /* bars */ + 1u /* legend */);
}

TEST(BenchPlot, SurvivesLogAxesWithZeros) {
  Plot plot;
  plot.log_x = plot.log_y = true;
  plot.series = {{"s", Series::Style::line, {1, 10, 100}, {0, 1e-3, 1e3}, {}}};
  EXPECT_EQ(to_svg(plot).find("nan"), std::string::npos);
  EXPECT_EQ(to_svg(plot).find("inf"), std::string::npos);
}

}  // namespace
}  // namespace proven::bench
