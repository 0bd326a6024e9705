// Every mutant still has the line that it changes: one that is stale notices nothing.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "places.h"
#include "support.h"

namespace proven {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Mutants, ChangeALineThatIsThere) {
  const std::filesystem::path root = test::source_dir();
  const auto mutants = nlohmann::json::parse(text_of(root / "tests/mutation/mutants.json"));
  EXPECT_GT(mutants.size(), 50u);
  for (const auto& mutant : mutants) {
    const std::string text = text_of(root / mutant.at("file").get<std::string>());
    const std::string line = mutant.at("from").get<std::string>();
    const std::size_t at = text.find(line);
    EXPECT_TRUE(at != std::string::npos && text.find(line, at + 1) == std::string::npos)
        << mutant.at("name") << ": " << mutant.at("file") << " must hold it once";
    EXPECT_NE(mutant.at("to"), mutant.at("from")) << mutant.at("name");
  }
}

}  // namespace
}  // namespace proven
