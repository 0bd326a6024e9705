// A share of the altered files of `proven bench doors`: none is read as if nothing had changed,
// and what is refused names its line.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench/bench.h"
#include "bench/doors/alterations.h"
#include "support.h"

namespace proven::bench {
namespace {

std::int64_t number(const Row& row, const std::string& column) {
  for (const auto& [name, cell] : row.cells)
    if (name == column) return std::get<std::int64_t>(cell);
  ADD_FAILURE() << "no column " << column;
  return -1;
}

TEST(Doors, NoFieldIsSilentAndRefusalsNameALine) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "doors", &Benchmark::name);
  ASSERT_NE(found, all.end());
  Options options;
  options.quick = true;
  options.cases = test::cases(30);
  const Result<Report> report = found->run(options);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_FALSE(report.value().failed);
  ASSERT_GT(report.value().rows.size(), 10u);
  for (const Row& row : report.value().rows) {
    EXPECT_GT(number(row, "files"), 0);
    EXPECT_GT(number(row, "honoured"), 0);
    EXPECT_GT(number(row, "refused"), 0);
    EXPECT_EQ(number(row, "silent"), 0);
    EXPECT_EQ(number(row, "refused without a line"), 0);
  }
  for (const std::string& note : report.value().notes) ADD_FAILURE() << note;
}

TEST(Doors, AlterationsTouchKeysNumbersAndTexts) {
  const auto has = [](const std::string& file, const std::string& text, const std::string& other) {
    const std::vector<Alteration> all = alterations(file, text);
    return std::ranges::any_of(all, [&](const Alteration& a) { return a.text == other; });
  };
  EXPECT_TRUE(has("a.json", R"({"key": [1, "b"]})", R"({"keyy": [1, "b"]})"));
  EXPECT_TRUE(has("a.json", R"({"key": [1, "b"]})", R"({"key": [1.25, "b"]})"));
  EXPECT_TRUE(has("a.json", R"({"key": [1, "b"]})", R"({"key": [1, "bx"]})"));
  EXPECT_TRUE(has("a.yaml", "key: [true, b/c]\n", "key: [false, b/c]\n"));
  EXPECT_TRUE(has("a.yaml", "key: [true, b/c]\n", "key: [true, b/cx]\n"));
  EXPECT_TRUE(has("a.urdf", "<link a=\"1 2\"><b/></link>", "<linkk a=\"1 2\"><b/></linkk>"));
  EXPECT_TRUE(has("a.urdf", "<link a=\"1 2\"><b/></link>", "<link a=\"1 3\"><b/></link>"));
  EXPECT_TRUE(has("a.urdf", "<link a=\"1 2\"><b/></link>", "<link a=\"1 2\"><bb/></link>"));
  EXPECT_TRUE(has("a.csv", "time,q\n0,1\n", "time,qq\n0,1\n"));
}

}  // namespace
}  // namespace proven::bench
