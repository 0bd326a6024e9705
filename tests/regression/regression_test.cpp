// The smallest case of every bug stays mended: manifest.json.
#include <nlohmann/json.hpp>

#include "places.h"
#include "tools/program.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class Regression : public ProgramTest {
 protected:
  std::vector<std::string> arguments(const Json& command) const {
    const fs::path here = fs::path(test::source_dir()) / "tests/regression";
    std::vector<std::string> result;
    for (const auto& word : command) {
      const auto text = word.get<std::string>();
      if (text.rfind("out/", 0) == 0)
        result.push_back(folder_ / text.substr(4));
      else
        result.push_back(fs::is_regular_file(here / text) ? (here / text).string() : text);
    }
    return result;
  }
};

TEST_F(Regression, EveryBugStaysMended) {
  std::ifstream in(fs::path(test::source_dir()) / "tests/regression/manifest.json");
  const Json bugs = Json::parse(in);
  ASSERT_FALSE(bugs.empty());
  for (const Json& bug : bugs) {
    SCOPED_TRACE(bug.at("bug").get<std::string>());
    ProgramResult last;
    for (const Json& command : bug.at("commands")) {
      EXPECT_TRUE(last.exit_code <= 0) << "an earlier command failed: " << last.err;
      last = run_program(arguments(command));
    }
    EXPECT_EQ(last.exit_code, bug.at("exit").get<int>()) << last.out << last.err;
    EXPECT_NE((last.out + last.err).find(bug.at("says").get<std::string>()), std::string::npos)
        << last.out << last.err;
  }
}

}  // namespace
}  // namespace proven::test
