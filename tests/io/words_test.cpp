// Words of enums: what C++ calls an enumerator is what files, commands and JSON call it.
#include "proven/base/words.h"

#include <fstream>
#include <regex>
#include <set>

#include "io_support.h"
#include "places.h"
#include "proven/certify/options.h"
#include "proven/certify/verdict.h"
#include "proven/plan/roadmap.h"
#include "proven/plan/smooth.h"
#include "proven/roadmap/planner.h"
#include "proven/scene/remarks.h"
#include "proven/spacetime/traffic_scene.h"
#include "proven/task/planner.h"
#include "proven/verify/verify.h"

namespace proven::test {
namespace {

// The enumerators that a header's text gives the enum.
std::vector<std::string> written_in(const std::string& header, const std::string& name) {
  std::ifstream in(std::filesystem::path(test::source_dir()) / "include/proven" / header);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text = std::regex_replace(text, std::regex("//[^\n]*"), "");
  std::smatch body;
  std::vector<std::string> words;
  if (!std::regex_search(text, body, std::regex("enum class " + name + "[^{;]*\\{([^}]*)\\}")))
    return words;
  const std::string list = body[1];
  const std::regex word("[a-z_]+");
  for (std::sregex_iterator i(list.begin(), list.end(), word), end; i != end; ++i)
    words.push_back(i->str());
  return words;
}

template <class Enum>
void expect_words(const std::string& header, const std::string& name) {
  SCOPED_TRACE(name);
  const std::vector<std::string> written = written_in(header, name);
  ASSERT_GE(written.size(), 2u);
  ASSERT_EQ(kWords<Enum>.size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(to_string(value), written[i]);
    EXPECT_STREQ(to_string(value).data(), written[i].c_str());
    EXPECT_EQ(parse_word<Enum>(written[i]), value);
    EXPECT_FALSE(parse_word<Enum>(written[i] + " "));
  }
  EXPECT_EQ(to_string(static_cast<Enum>(written.size())), "");
  EXPECT_FALSE(parse_word<Enum>(""));
}

TEST(Words, AreTheNamesOfEnumerators) {
  expect_words<ErrorCode>("base/result.h", "ErrorCode");
  expect_words<Verdict>("certify/verdict.h", "Verdict");
  expect_words<ContactKind>("certify/verdict.h", "ContactKind");
  expect_words<UndecidedReason>("certify/verdict.h", "UndecidedReason");
  expect_words<Checker>("certify/options.h", "Checker");
  expect_words<Cover>("certify/options.h", "Cover");
  expect_words<ExclusionReason>("scene/scene.h", "ExclusionReason");
  expect_words<RemarkCode>("scene/remarks.h", "RemarkCode");
  expect_words<PlanStatus>("plan/plan.h", "PlanStatus");
  expect_words<Smoother>("plan/smooth.h", "Smoother");
  expect_words<EdgeState>("plan/roadmap.h", "EdgeState");
  expect_words<roadmap::QueryStatus>("roadmap/planner.h", "QueryStatus");
  expect_words<roadmap::BuildStage>("roadmap/roadmap.h", "BuildStage");
  expect_words<roadmap::Pathology>("roadmap/roadmap.h", "Pathology");
  expect_words<spacetime::Interpolation>("spacetime/traffic_scene.h", "Interpolation");
  expect_words<task::TaskOutcome>("task/planner.h", "TaskOutcome");
  expect_words<task::ModuleWord>("task/planner.h", "ModuleWord");
  expect_words<CertificateKind>("verify/verify.h", "CertificateKind");
}

// Sentences are for people: there is one for each, and none is used twice.
template <class Enum>
void expect_descriptions() {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < kWords<Enum>.size(); ++i) {
    const std::string_view text = describe(static_cast<Enum>(i));
    EXPECT_FALSE(text.empty()) << kWords<Enum>[i];
    EXPECT_TRUE(seen.insert(text).second) << text;
  }
}

TEST(Words, HaveDescriptions) {
  expect_descriptions<ContactKind>();
  expect_descriptions<UndecidedReason>();
  expect_descriptions<ExclusionReason>();
  expect_descriptions<roadmap::Pathology>();
}

// docs/formats.md lists all words that answers hold.
TEST(Words, AreDocumented) {
  std::ifstream in(std::filesystem::path(test::source_dir()) / "docs/formats.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto expect_listed = [&](const auto& words) {
    std::string list;
    for (const std::string_view word : words)
      list += (list.empty() ? "`" : ", `") + std::string(word) + "`";
    EXPECT_NE(text.find("| " + list + " |"), std::string::npos) << list;
  };
  expect_listed(kWords<Verdict>);
  expect_listed(kWords<ContactKind>);
  expect_listed(kWords<UndecidedReason>);
  expect_listed(kWords<ExclusionReason>);
  expect_listed(kWords<RemarkCode>);
  expect_listed(kWords<Checker>);
  expect_listed(kWords<PlanStatus>);
  expect_listed(kWords<roadmap::QueryStatus>);
  expect_listed(kWords<roadmap::Pathology>);
  expect_listed(kWords<task::TaskOutcome>);
  expect_listed(kWords<task::ModuleWord>);
  expect_listed(kWords<CertificateKind>);
}

}  // namespace
}  // namespace proven::test
