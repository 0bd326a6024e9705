// `proven serve` as a program. Its messages: tests/io/messages_test.cpp; what clients see:
// tests/python/serve_test.py.
#include <nlohmann/json.hpp>

#include "program.h"

namespace proven {
namespace {

using Json = nlohmann::json;

class ServeTest : public test::ProgramTest {
 protected:
  // What it answers on standard output, line by line.
  std::vector<Json> serve(const std::string& messages) {
    const std::string in = file("messages", messages), out = folder_ / "answers";
    const std::string command = "timeout 60 " + test::shell_quoted(test::program()) +
                                " serve demo <" + test::shell_quoted(in) + " >" +
                                test::shell_quoted(out);
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::vector<Json> answers;
    std::ifstream lines(out);
    for (std::string line; std::getline(lines, line);) answers.push_back(Json::parse(line));
    return answers;
  }
};

TEST_F(ServeTest, AnswersEveryLineInOrderAndEndsWithItsInput) {
  const auto answers = serve(
      "{\"id\": 1, \"do\": \"scene\"}\n\n  \n{\"id\": \"two\", \"do\": \"edit\", \"edits\": "
      "[{\"clear\": true}]}\r\n"
      "{\"id\": 3, \"do\": \"edit\", \"edits\": [{\"add\": {\"name\": \"a\", \"sphere\": 0.1, "
      "\"pose\": {\"xyz\": [9, 0, 0]}}}, {\"remove\": \"b\"}]}\n"
      "{\"id\": 4, \"do\": \"scene\"}\n{\"id\": 5, \"do\": \"scene\"");
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0]["version"], 0);
  EXPECT_EQ(answers[1]["id"], "two");
  EXPECT_EQ(answers[1]["version"], 1);
  EXPECT_FALSE(answers[2]["ok"]);
  EXPECT_EQ(answers[2]["version"], 1);
  EXPECT_NE(answers[2]["error"].get<std::string>().find("edits[1]"), std::string::npos);
  EXPECT_EQ(answers[3]["version"], 1);
  for (const Json& body : answers[3]["bodies"]) EXPECT_NE(body["name"], "a");
  EXPECT_FALSE(answers[4]["ok"]) << "half a line";
  for (const Json& answer : answers)
    EXPECT_GE(answer["ms"]["total"].get<double>(), answer["ms"]["work"].get<double>());
}

TEST_F(ServeTest, OneOfSocketAndPort) {
  const auto result =
      test::run_program({"serve", "demo", "--socket", folder_ / "s", "--port", "0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("not both"), std::string::npos);
  EXPECT_EQ(test::run_program({"serve", "nothing.json"}).exit_code, 4);
}

// A few seconds of what runs for half an hour by hand.
TEST_F(ServeTest, Soak) {
  const auto result =
      test::run_program({"bench", "serve-soak", "--quick", "--cases", "4", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json report = Json::parse(result.out);
  ASSERT_EQ(report["rows"].size(), 2u);
  for (const Json& row : report["rows"]) {
    EXPECT_EQ(row["wrong"], 0);
    EXPECT_EQ(row["stale"], 0);
    EXPECT_GT(row["compared"], 0);
    EXPECT_GT(row["edits"], 0);
  }
}

}  // namespace
}  // namespace proven
