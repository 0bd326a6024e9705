// The benchmark of speed in a tiny form: its rows and columns, and what must hold of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/bench.h"
#include "support.h"

namespace proven::bench {
namespace {

Result<Report> run_speed(const std::string& robot) {
  const auto all = benchmarks();
  const auto found = std::ranges::find(all, "speed", &Benchmark::name);
  if (found == all.end()) return bad_input("no benchmark speed");
  Options options;
  options.quick = true;
  options.cases = 2;
  options.robot = robot;
  return found->run(options);
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

std::vector<std::string> questions(const Report& report) {
  std::vector<std::string> all;
  for (const Row& row : report.rows) all.push_back(std::get<std::string>(*find(row, "question")));
  return all;
}

TEST(Speed, QuestionsOfScenes) {
  const auto report = run_speed("lattice-1, anywhere");
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report.value().failed);
  EXPECT_EQ(questions(report.value()),
            (std::vector<std::string>{"free segment", "free configuration", "colliding segment",
                                      "colliding configuration"}));
  for (const Row& row : report.value().rows) {
    EXPECT_EQ(number(row, "asked"), 2);
    if (!find(row, "us, FCL at 0.005")) continue;  // of configurations
    EXPECT_NEAR(number(row, "FCL at 0.005 / ours"),
                number(row, "us, FCL at 0.005") / number(row, "us"),
                1e-9 * number(row, "FCL at 0.005 / ours"));
  }
}

TEST(Speed, QuestionsOfRobots) {
  PROVEN_REQUIRE_DATA("motionbenchmaker");
  const auto report = run_speed("panda");
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report.value().failed);
  EXPECT_EQ(questions(report.value()),
            (std::vector<std::string>{"free edge", "free configuration", "colliding edge",
                                      "colliding configuration", "plan, median", "plan, 95 %",
                                      "smooth, median", "smooth, 95 %",
                                      "certificate of 10 segments", "verify it"}));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GT(number(report.value().rows[i], "us"), 0);
    EXPECT_GT(number(report.value().rows[i], "us, twin"), 0);
    EXPECT_GT(number(report.value().rows[i], "ours / twin"), 0);
  }
  EXPECT_LT(number(report.value().rows[6], "length after / before"), 1);
}

TEST(Speed, UnknownRobotIsRefused) {
  const auto report = run_speed("robbie");
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().text().find("lattice-1, threaded"), std::string::npos);
}

}  // namespace
}  // namespace proven::bench
