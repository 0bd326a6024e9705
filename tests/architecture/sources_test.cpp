// Every source file has a test of its own name, or docs/architecture.md says what tests it.
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "places.h"
#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = test::source_dir();

std::vector<std::string> quoted(const std::string& text) {
  static const std::regex pattern("`([^`]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

// "src/layer/x.cpp" -> tests, of the table "Where it is tested".
std::map<std::string, std::vector<std::string>> told() {
  static const std::regex row("^\\| `((?:src/)?[a-z_]+)` \\| (.*) \\| (.*) \\|$");
  std::map<std::string, std::vector<std::string>> tests;
  std::ifstream in(kRoot / "docs/architecture.md");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Where it is tested";
    std::smatch match;
    if (!inside || !std::regex_match(line, match, row)) continue;
    for (const std::string& source : quoted(match[2])) {
      const std::string file = match[1].str() + "/" + source + ".cpp";
      EXPECT_FALSE(tests.contains(file)) << file << " stands in two rows";
      tests[file] = quoted(match[3]);
    }
  }
  return tests;
}

TEST(Sources, HaveATestOfTheirNameOrARow) {
  const auto rows = told();
  ASSERT_GT(rows.size(), 50u);
  int own = 0;
  std::set<std::string> without;
  for (const char* folder : {"src", "verify"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string file = entry.path().lexically_relative(kRoot).generic_string();
      const std::string layer = entry.path().parent_path().filename();
      if (fs::exists(kRoot / "tests" / layer / (entry.path().stem().string() + "_test.cpp")))
        ++own;
      else
        without.insert(file);
    }
  EXPECT_GT(own, 30);
  for (const std::string& file : without)
    EXPECT_TRUE(rows.contains(file))
        << file << " has no test of its own name: write one, or say what tests it in the table "
        << "\"Where it is tested\" of docs/architecture.md";
  for (const auto& [file, tests] : rows) {
    EXPECT_TRUE(without.contains(file))
        << file << " is gone or has a test of its own name: take it out of the table of "
        << "docs/architecture.md";
    EXPECT_FALSE(tests.empty()) << file;
    for (const std::string& test : tests)
      EXPECT_TRUE(fs::exists(kRoot / test)) << file << " is said to be tested by " << test;
  }
}

}  // namespace
}  // namespace proven
