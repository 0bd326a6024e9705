// A share of the altered files of `proven bench doors`: none is read as if nothing had changed,
// and what is refused names its line.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "bench/bench.h"
#include "bench/doors/alterations.h"
#include "bench/doors/door.h"
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
    EXPECT_GT(number(row, "refused") + number(row, "changed"), 0);
    EXPECT_EQ(number(row, "silent"), 0);
    EXPECT_EQ(number(row, "disagreements"), 0);
    EXPECT_EQ(number(row, "refused without a line"), 0);
  }
  for (const std::string& note : report.value().notes) ADD_FAILURE() << note;
}

// Every format has rows, by each who reads it.
TEST(Doors, AllFormatsAreTried) {
  std::set<std::string> names;
  for (const Door& door : all_doors()) {
    names.insert(door.name);
    EXPECT_GE(door.readers.size(), 2u) << door.name;
    for (const DoorFile& file : door.files) EXPECT_GT(file.text.size(), 50u) << door.name;
  }
  for (const char* name : {"CommonRoad", "MJCF", "SDF", "xacro", "packages", "data sets: JSONL"})
    EXPECT_TRUE(names.contains(name)) << name;
}

// The judge: a reader that takes anything is found out, by each kind of alteration.
TEST(Doors, ADoorThatIsOpenIsFound) {
  static constexpr SpecRow kRows[] = {{"robot", "name=t! colour=d?", "link+"},
                                      {"link", "mass=n! length=p?1", ""}};
  static const Spec kSpec{kRows};
  Door door;
  door.name = "open";
  door.ending = ".xml";
  door.spec = &kSpec;
  door.files = {
      {"two", "<robot name=\"a\" colour=\"red\"><link mass=\"1\" length=\"1\"/></robot>"}};
  door.readers = {{"none", Scope::product, one_by_one([](const auto&) {
                     return Result<Reading>(Reading{"always the same", {}, {}});
                   })},
                  {"other", Scope::product,
                   one_by_one([](const auto&) { return Result<Reading>(bad_input("refused")); })}};
  const Result<DoorResult> refused = try_door(door, {});
  EXPECT_FALSE(refused.ok());  // of what is valid
  door.readers.pop_back();
  const Result<DoorResult> result = try_door(door, {});
  ASSERT_TRUE(result.ok()) << result.error().text();
  const DoorCount& count = result.value().counts[0];
  EXPECT_GT(count.silent, 50);
  EXPECT_GT(count.decoration, 3);  // colours, and a length that is 1 anyway
  EXPECT_EQ(count.refused + count.changed, 0);
  EXPECT_EQ(count.silent + count.decoration, count.files);
  for (const char* kind :
       {"misspelt robot/link", "misspelt link", "dropped link mass", "twice link mass",
        "value link mass", "other case link", "unknown link", "moved link mass"}) {
    const std::string place =
        std::string(kind).starts_with("misspelt robot") ? "misspelt robot" : kind;
    EXPECT_TRUE(std::ranges::any_of(result.value().notes, [&](const std::string& note) {
      return note.find(place) != std::string::npos;
    })) << place;
  }
}

TEST(Doors, SpecificationsSayWhatIsWrong) {
  static constexpr SpecRow kRows[] = {
      {"a", "n=n! w=w(x|y)?x", "one! maybe? some+ none~ set*% p q r", "", "p,q|r"},
      {"one", "", "", "N2"},
      {"maybe", "", "", "b"}};
  const Spec spec{kRows};
  const auto wrong = [&](const std::string& text) {
    return spec.violations(parse_xml(text), Scope::product).size();
  };
  const std::string good = "<a n=\"1\"><one>1 2</one><some/><r/></a>";
  EXPECT_EQ(wrong(good), 0u);
  EXPECT_EQ(xml_text(parse_xml(good)), xml_text(parse_xml(xml_text(parse_xml(good)))));
  EXPECT_EQ(wrong("<a n=\"1 m\"><one>1 2</one><some/><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\" w=\"z\"><one>1 2</one><some/><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1</one><some/><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><one>1 2</one><some/><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><some/><p/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><some/><p/><q/><r/></a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><some/><r/>text</a>"), 1u);
  EXPECT_EQ(wrong("<a n=\"1\"><one>1 2</one><some/><r/><none any=\"1\"/><none/></a>"), 0u);
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
