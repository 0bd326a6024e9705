// The arrows between layers go down only. A layer may include itself and the layers listed here;
// everything outside the library sees public headers alone.
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>>& allowed_layers() {
  static const std::map<std::string, std::set<std::string>> allowed = {
      {"base", {}},
      {"task", {"base"}},
      {"geometry", {"base"}},
      {"kinematics", {"base", "geometry"}},
      {"scene", {"base", "geometry", "kinematics"}},
      {"certify", {"base", "geometry", "kinematics", "scene"}},
      {"spacetime", {"base", "geometry", "kinematics", "scene", "certify"}},
      {"plan", {"base", "kinematics", "scene", "certify"}},
      {"roadmap", {"base", "geometry", "kinematics", "scene", "certify"}},
      {"io",
       {"base", "geometry", "kinematics", "scene", "certify", "spacetime", "roadmap", "plan"}},
  };
  return allowed;
}

struct Include {
  fs::path file;
  int line;
  std::string target;
};

std::vector<Include> quoted_includes(const fs::path& folder) {
  static const std::regex pattern("^\\s*#\\s*include\\s+[\"<]([^\">]+)[\">]");
  std::vector<Include> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    std::ifstream in(entry.path());
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      std::smatch match;
      if (std::regex_search(text, match, pattern)) found.push_back({entry.path(), line, match[1]});
    }
  }
  return found;
}

std::string layer_of(const std::string& include) {
  static const std::regex pattern("^(?:\\.\\./)*(?:proven/)?([a-z_]+)/");
  std::smatch match;
  if (!std::regex_search(include, match, pattern)) return "";
  const std::string layer = match[1];
  return allowed_layers().contains(layer) ? layer : "";
}

// Arrows that are not drawn, one line each.
std::vector<std::string> forbidden_arrows(const fs::path& root) {
  std::vector<std::string> violations;
  for (const auto& [layer, below] : allowed_layers()) {
    for (const fs::path& folder : {root / "include/proven" / layer, root / "src" / layer}) {
      for (const Include& include : quoted_includes(folder)) {
        const std::string used = layer_of(include.target);
        const bool is_private = include.target.rfind("proven/", 0) != 0;
        if (used.empty() || (used == layer) || (below.contains(used) && !is_private)) continue;
        violations.push_back(include.file.string() + ":" + std::to_string(include.line) + ": " +
                             layer + " must not include " + include.target);
      }
    }
  }
  return violations;
}

TEST(Includes, OnlyDrawnArrows) {
  for (const std::string& violation : forbidden_arrows(PROVEN_SOURCE_DIR))
    ADD_FAILURE() << violation;
}

// The verifier shares plain data with the rest, and nothing else.
TEST(Includes, VerifierUsesBaseAndPlainDataOnly) {
  const fs::path root = PROVEN_SOURCE_DIR;
  const std::set<std::string> plain_data = {"proven/scene/scene_source.h", "proven/scene/path.h",
                                            "proven/kinematics/robot.h", "proven/geometry/shapes.h",
                                            "proven/verify/verify.h"};
  int seen = 0;
  for (const fs::path& folder : {root / "verify", root / "include/proven/verify"})
    for (const Include& include : quoted_includes(folder)) {
      const bool ours =
          include.target.find('/') != std::string::npos && include.target.rfind("fmt/", 0) != 0;
      if (!ours) continue;
      ++seen;
      EXPECT_TRUE(plain_data.contains(include.target) ||
                  include.target.rfind("proven/base/", 0) == 0 ||
                  include.target.rfind("verify/", 0) == 0)
          << include.file << ":" << include.line << " includes " << include.target;
    }
  EXPECT_GT(seen, 20);
}

TEST(Includes, ToolsUsePublicHeadersOnly) {
  const fs::path root = PROVEN_SOURCE_DIR;
  std::set<std::string> private_headers;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src"))
    if (entry.path().extension() == ".h") private_headers.insert(entry.path().filename());
  ASSERT_FALSE(private_headers.empty());
  for (const char* folder : {"tools", "bench", "scenes", "examples", "manipulation"})
    for (const Include& include : quoted_includes(root / folder)) {
      const bool own = fs::exists(root / include.target) || include.target.rfind("proven/", 0) == 0;
      EXPECT_TRUE(own || !private_headers.contains(fs::path(include.target).filename()))
          << include.file << ":" << include.line << " includes the private " << include.target;
    }
}

// What reproduces papers stands beside the product; of the rest only benchmarks look at it.
TEST(Includes, NothingOfTheProductUsesPapers) {
  const fs::path root = PROVEN_SOURCE_DIR;
  int seen = 0;
  for (const char* folder : {"include", "src", "verify", "scenes", "manipulation", "adapters",
                             "tools", "python", "examples"})
    for (const Include& include : quoted_includes(root / folder)) {
      ++seen;
      EXPECT_NE(include.target.rfind("papers/", 0), 0u) << include.file << ":" << include.line;
    }
  EXPECT_GT(seen, 500);
  EXPECT_TRUE(fs::exists(root / "papers"));
}

// Tools and benchmarks use it; it uses neither.
TEST(Includes, ManipulationStandsBelowTools) {
  const fs::path root = PROVEN_SOURCE_DIR;
  int seen = 0;
  for (const Include& include : quoted_includes(root / "manipulation")) {
    ++seen;
    for (const char* above : {"tools/", "bench/", "adapters/", "scenes/"})
      EXPECT_NE(include.target.rfind(above, 0), 0u) << include.file << ":" << include.line;
  }
  EXPECT_GT(seen, 20);
}

// The scan itself must be able to find a forbidden arrow.
TEST(Includes, ScanFindsAnUpwardArrow) {
  const fs::path root = fs::path(testing::TempDir()) / "proven_arrow_scan";
  fs::create_directories(root / "src/base");
  fs::create_directories(root / "src/geometry");
  std::ofstream(root / "src/base/bad.cpp") << "#include \"proven/scene/scene.h\"\n";
  std::ofstream(root / "src/geometry/bad.cpp") << "#include \"base/secret.h\"\n"
                                               << "#include \"proven/base/vec3.h\"\n";
  EXPECT_EQ(forbidden_arrows(root).size(), 2u);
  fs::remove_all(root);
}

}  // namespace
}  // namespace proven
