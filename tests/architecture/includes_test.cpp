// The arrows between layers go down only. cmake/layers.txt states them; here every #include is held
// to it, followed from file to file.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "places.h"
#include "support.h"

namespace proven {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// name -> what it may use, as cmake/layers.txt says.
using Rules = std::map<std::string, Names>;

Rules read_rules(const fs::path& root) {
  Rules rules;
  std::ifstream in(root / "cmake/layers.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, used;
    words >> name;
    EXPECT_EQ(name.back(), ':') << line;
    name.pop_back();
    EXPECT_FALSE(rules.contains(name)) << name << " is stated twice";
    for (rules[name]; words >> used;) rules[name].insert(used);
  }
  return rules;
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

// A file of the repository: the name that it belongs to, and what others may call it by.
struct Place {
  std::string owner;   // "" outside all of them, as the tests are
  std::string header;  // "layer/x.h" of a public or internal header
};

Place place_of(const std::string& file) {
  static const std::regex pattern(
      "^(include/proven/|internal/proven/|src/|adapters/ompl/include/proven/|)([a-z_]+)/(.*)$");
  std::smatch match;
  if (!std::regex_match(file, match, pattern)) return {};
  const std::string start = match[1], name = match[2], rest = match[3];
  if (start == "adapters/ompl/include/proven/") return {"adapters", "adapters/" + rest};
  // Folders beside the library share the headers that stand in them; the verifier has public ones.
  const bool is_private = start == "src/" || (start.empty() && name == "verify");
  return {name, is_private ? "" : name + "/" + rest};
}

struct Include {
  int line;
  std::string target;  // of the repository, relative to its root
};

class Sources {
 public:
  explicit Sources(fs::path root) : root_(std::move(root)) {}

  std::vector<std::string> files_below(const std::string& folder) const {
    std::vector<std::string> files;
    if (!fs::is_directory(root_ / folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp")
        files.push_back(entry.path().lexically_relative(root_).generic_string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  // What a file includes of the repository; headers of the system are passed over.
  const std::vector<Include>& includes(const std::string& file) {
    const auto [at, is_new] = includes_.try_emplace(file);
    if (!is_new) return at->second;
    static const std::regex pattern("^\\s*#\\s*include\\s+[\"<]([^\">]+)[\">]");
    std::ifstream in(root_ / file);
    std::string text;
    for (int line = 1; std::getline(in, text); ++line) {
      std::smatch match;
      if (!std::regex_search(text, match, pattern)) continue;
      const std::string target = resolve(file, match[1]);
      if (!target.empty()) at->second.push_back({line, target});
    }
    return at->second;
  }

  // Everything that a file sees, directly or not.
  Names seen_by(const std::string& file) {
    Names seen;
    std::vector<std::string> open = {file};
    while (!open.empty()) {
      const std::string next = open.back();
      open.pop_back();
      for (const Include& include : includes(next))
        if (seen.insert(include.target).second) open.push_back(include.target);
    }
    return seen;
  }

 private:
  std::string resolve(const std::string& file, const std::string& target) const {
    for (const fs::path& folder :
         {fs::path(file).parent_path(), fs::path("."), fs::path("include"), fs::path("internal"),
          fs::path("src"), fs::path("adapters/ompl/include")}) {
      const fs::path candidate = (folder / target).lexically_normal();
      if (fs::is_regular_file(root_ / candidate)) return candidate.generic_string();
    }
    return "";
  }

  fs::path root_;
  std::map<std::string, std::vector<Include>> includes_;
};

std::string rule_name(const Rules& rules, const std::string& file) {
  return rules.contains(file) ? file : place_of(file).owner;
}

bool allows(const Rules& rules, const std::string& file, const std::string& target) {
  const Place from = place_of(file), to = place_of(target);
  if (to.owner == from.owner) return true;
  // Reproductions of papers look at the product's inside; nobody else does.
  if (to.header.empty()) return from.owner == "papers" && rules.at("papers").contains(to.owner);
  for (const std::string& name : {rule_name(rules, file), from.owner}) {
    const auto rule = rules.find(name);
    if (rule == rules.end()) continue;
    if (rule->second.contains(to.owner) || rule->second.contains(to.header)) return true;
  }
  return false;
}

// Includes that are not drawn, one line each.
std::vector<std::string> forbidden_arrows(const fs::path& root, const Rules& rules) {
  Sources sources(root);
  std::vector<std::string> violations;
  for (const auto& [name, used] : rules)
    for (const std::string& folder :
         {"include/proven/" + name, "internal/proven/" + name, "src/" + name, name})
      for (const std::string& file : sources.files_below(folder))
        for (const Include& include : sources.includes(file))
          if (!allows(rules, file, include.target))
            violations.push_back(file + ":" + std::to_string(include.line) + ": " + name +
                                 " must not include " + include.target);
  return violations;
}

const Rules& rules() {
  static const Rules rules = read_rules(test::source_dir());
  return rules;
}

TEST(Includes, OnlyDrawnArrows) {
  ASSERT_GT(rules().size(), 15u);
  for (const std::string& violation : forbidden_arrows(test::source_dir(), rules()))
    ADD_FAILURE() << violation;
}

// A folder with sources that the rules do not know would not be looked at.
TEST(Includes, EveryFolderHasARule) {
  const fs::path root = test::source_dir();
  Sources sources(root);
  for (const char* parent : {".", "src", "include/proven", "internal/proven"})
    for (const auto& entry : fs::directory_iterator(root / parent)) {
      const std::string name = entry.path().filename();
      const Names others = {"src", "include", "internal", "tests", "build", "viewer", ".git"};
      if (!entry.is_directory() || others.contains(name)) continue;
      const fs::path folder = (fs::path(parent) / name).lexically_normal();
      if (sources.files_below(folder.generic_string()).empty()) continue;
      EXPECT_TRUE(rules().contains(name)) << folder << " has no line in cmake/layers.txt";
    }
}

// A layer comes after what it uses, so there is no circle; and what it names exists.
TEST(Includes, RulesGoDownOnly) {
  std::ifstream in(fs::path(test::source_dir()) / "cmake/layers.txt");
  Names below;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string name = line.substr(0, line.find(':'));
    for (const std::string& used : rules().at(name)) {
      EXPECT_TRUE(below.contains(used.substr(0, used.find('/'))) || starts_with(name, "tools/"))
          << name << " uses " << used << ", which does not stand before it";
    }
    below.insert(name);
  }
}

// The verifier shares plain data with the rest: the exact list, whatever includes what.
TEST(Includes, VerifierSeesPlainDataOnly) {
  Sources sources(test::source_dir());
  Names seen;
  for (const char* folder : {"verify", "include/proven/verify"})
    for (const std::string& file : sources.files_below(folder))
      for (const std::string& header : sources.seen_by(file))
        if (place_of(header).owner != "verify") {
          const std::string public_name = place_of(header).header;
          seen.insert(public_name.empty() ? header : public_name);
        }
  EXPECT_EQ(seen, rules().at("verify"));
}

// What users include brings nothing that is not installed.
TEST(Includes, PublicHeadersSeePublicHeadersOnly) {
  Sources sources(test::source_dir());
  int count = 0;
  for (const char* folder : {"include/proven", "adapters/ompl/include", "examples"})
    for (const std::string& file : sources.files_below(folder)) {
      ++count;
      for (const std::string& header : sources.seen_by(file))
        EXPECT_NE(header.find("include/proven/"), std::string::npos)
            << file << " brings " << header;
    }
  EXPECT_GT(count, 40);
}

// The page that explains the layers says what the rules say.
TEST(Includes, DocumentTellsTheRules) {
  std::ifstream in(fs::path(test::source_dir()) / "docs/architecture.md");
  static const std::regex row("^\\| `([a-z]+)` \\|.*\\| ([^|]*) \\|$");
  Rules told;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    std::istringstream words(std::regex_replace(match[2].str(), std::regex(","), " "));
    for (std::string used; words >> used;)
      if (used != "–")
        told[match[1]].insert(used);
      else
        told[match[1]];
  }
  for (const auto& [name, used] : rules())
    if (fs::exists(fs::path(test::source_dir()) / "src" / name)) {
      ASSERT_TRUE(told.contains(name)) << name << " has no row in docs/architecture.md";
      EXPECT_EQ(told.at(name), used) << name;
    }
}

// The scan itself must find what is forbidden: upward, private, and through another header.
TEST(Includes, ScanFindsForbiddenArrows) {
  const fs::path root = fs::path(testing::TempDir()) / "proven_arrow_scan";
  fs::remove_all(root);
  const auto write = [&](const fs::path& file, const std::string& text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  write("include/proven/scene/scene.h", "");
  write("include/proven/base/vec3.h", "");
  write("include/proven/base/loose.h", "#include \"proven/scene/scene.h\"\n");
  write("src/base/secret.h", "");
  write("src/geometry/bad.cpp", "#include \"base/secret.h\"\n#include \"proven/base/vec3.h\"\n");
  write("bench/bench.h", "");
  write("tools/demo.cpp", "#include \"bench/bench.h\"\n");
  write("tools/commands/bench.cpp", "#include \"bench/bench.h\"\n");
  write("verify/reader.cpp", "#include \"proven/base/loose.h\"\n");
  EXPECT_EQ(forbidden_arrows(root, rules()).size(), 4u);
  EXPECT_TRUE(Sources(root).seen_by("verify/reader.cpp").contains("include/proven/scene/scene.h"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace proven
