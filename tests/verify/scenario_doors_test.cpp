// CommonRoad scenarios with one thing wrong in them: three readers that share no code refuse them
// all. What may be missing by the format may be missing; the readers agree on that, too.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "places.h"
#include "proven/io/traffic_file.h"
#include "support.h"
#include "verify/readers/source.h"
#include "verify/traffic.h"

namespace proven {
namespace {

namespace fs = std::filesystem;

// Everything that the formats have and the readers look into, once at least.
std::string number(double v) {
  return fmt::format("<exact>{}</exact>", v);
}
std::string at(double x, double y) {
  return fmt::format("<x>{}</x><y>{}</y>", x, y);
}
std::string state(const std::string& tag, int step, double x, const std::string& more = "") {
  return fmt::format(
      "<{0}><position><point>{1}</point></position><orientation>{2}</orientation>"
      "<time><exact>{3}</exact></time><velocity>{2}</velocity>{4}</{0}>\n",
      tag, at(x, 0), number(0.25), step, more);
}
std::string region_state(const std::string& tag, int step, const std::string& region) {
  return fmt::format(
      "<{0}><position>{1}</position><orientation><intervalStart>0.1</intervalStart>"
      "<intervalEnd>0.2</intervalEnd></orientation><time><exact>{2}</exact></time></{0}>\n",
      tag, region, step);
}
const std::string kCar =
    "<shape><rectangle><length>4</length><width>2</width><orientation>0.1</orientation><center>" +
    at(1, 0) + "</center></rectangle></shape>\n";
const std::string kDisc = "<circle><radius>0.5</radius><center>" + at(40, 9) + "</center></circle>";
const std::string kTriangle = "<polygon><point>" + at(0, 0) + "</point><point>" + at(4, 0) +
                              "</point><point>" + at(0, 3) + "</point></polygon>";
std::string occupancy(const std::string& time) {
  return "<occupancy><shape>" + kTriangle + "</shape><time>" + time + "</time></occupancy>\n";
}

std::string bound(const std::string& name, double y) {
  return fmt::format(
      "<{0}><point>{1}</point><point>{2}</point><lineMarking>solid</lineMarking></{0}>", name,
      at(0, y), at(90, y));
}

std::string scenario() {
  return "<commonRoad commonRoadVersion=\"2020a\" benchmarkID=\"B\" timeStepSize=\"0.1\">\n"
         "<location><geoNameId>1</geoNameId></location><scenarioTags><urban/></scenarioTags>\n"
         "<lanelet id=\"1\">" +
         bound("leftBound", 2) + bound("rightBound", -2) +
         "<successor ref=\"2\"/><adjacentLeft ref=\"2\" drivingDir=\"same\"/>"
         "<stopLine><lineMarking>solid</lineMarking><trafficSignRef ref=\"5\"/></stopLine>"
         "<laneletType>urban</laneletType><userOneWay>car</userOneWay>"
         "<trafficLightRef ref=\"6\"/></lanelet>\n<lanelet id=\"2\">" +
         bound("leftBound", 6) + bound("rightBound", 2) +
         "<predecessor ref=\"1\"/><adjacentRight ref=\"1\" drivingDir=\"opposite\"/>"
         "<laneletType>sidewalk</laneletType></lanelet>\n"
         "<trafficSign id=\"5\"><trafficSignElement><trafficSignID>274</trafficSignID>"
         "<additionalValue>13.5</additionalValue></trafficSignElement><position><point>" +
         at(1, 1) +
         "</point></position><virtual>false</virtual></trafficSign>\n"
         "<trafficLight id=\"6\"><cycle><cycleElement><duration>30</duration><color>red</color>"
         "</cycleElement><timeOffset>10</timeOffset></cycle><active>true</active></trafficLight>\n"
         "<staticObstacle id=\"11\"><type>parkedVehicle</type>" +
         kCar + state("initialState", 0, 30) + "</staticObstacle>\n" +
         "<staticObstacle id=\"12\"><type>unknown</type>" + kCar +
         region_state("initialState", 0, kDisc) + "</staticObstacle>\n" +
         "<dynamicObstacle id=\"13\"><type>car</type>" + kCar +
         state("initialState", 0, 0, "<yawRate>" + number(0) + "</yawRate>") +
         "<initialSignalState><time>" + number(0) +
         "</time><horn>false</horn></initialSignalState><trajectory>" + state("state", 1, 1) +
         region_state("state", 2,
                      "<rectangle><length>1</length><width>1</width><orientation>0.2"
                      "</orientation><center>" +
                          at(2, 0) + "</center></rectangle>") +
         "</trajectory><signalSeries><signalState><time>" + number(1) +
         "</time><brakingLights>true</brakingLights></signalState></signalSeries>"
         "</dynamicObstacle>\n<dynamicObstacle id=\"14\"><type>bicycle</type>" +
         kCar + state("initialState", 0, 60) + "<occupancySet>" + occupancy(number(1)) +
         occupancy("<intervalStart>2</intervalStart><intervalEnd>3</intervalEnd>") +
         "</occupancySet></dynamicObstacle>\n<phantomObstacle id=\"15\"><occupancySet>" +
         occupancy(number(4)) +
         "</occupancySet></phantomObstacle>\n<environmentObstacle id=\"16\"><type>building</type>"
         "<shape>" +
         kTriangle +
         "</shape></environmentObstacle>\n<planningProblem id=\"20\"><initialState><position>"
         "<point>" +
         at(0, 0) + "</point></position><velocity>" + number(5) + "</velocity><orientation>" +
         number(0) + "</orientation><yawRate>" + number(0) + "</yawRate><slipAngle>" + number(0) +
         "</slipAngle><time>" + number(0) +
         "</time></initialState><goalState><time><intervalStart>10</intervalStart><intervalEnd>20"
         "</intervalEnd></time><position>" +
         kDisc +
         "</position><velocity><intervalStart>1</intervalStart><intervalEnd>9</intervalEnd>"
         "</velocity></goalState></planningProblem>\n</commonRoad>\n";
}

std::string old_scenario() {
  return "<commonRoad commonRoadVersion=\"2018b\" benchmarkID=\"B\" timeStepSize=\"0.1\" "
         "tags=\"urban\">\n<lanelet id=\"1\">" +
         bound("leftBound", 2) + bound("rightBound", -2) +
         "<speedLimit>13</speedLimit></lanelet>\n<obstacle id=\"3\"><role>static</role>"
         "<type>parkedVehicle</type>" +
         kCar + state("initialState", 0, 30) +
         "</obstacle>\n<obstacle id=\"4\"><role>dynamic</role><type>car</type>" + kCar +
         state("initialState", 0, 0) + "<trajectory>" + state("state", 1, 1) +
         state("state", 2, 2) + "</trajectory></obstacle>\n</commonRoad>\n";
}

// --- one thing wrong

struct Altered {
  std::string text, what;
};

struct Tag {
  std::size_t begin = 0, open_end = 0, close = 0, end = 0;  // of the element, and of its tags
  std::string name, path;
};

// Every element of the text, whose tags are all written plainly.
std::vector<Tag> elements_of(const std::string& text) {
  std::vector<Tag> done;
  std::vector<Tag> open;
  for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i + 1)) {
    const std::size_t stop = text.find('>', i) + 1;
    if (text[i + 1] == '/') {
      open.back().close = i, open.back().end = stop;
      done.push_back(open.back());
      open.pop_back();
      continue;
    }
    Tag tag;
    tag.begin = i, tag.open_end = stop;
    tag.name = text.substr(i + 1, text.find_first_of(" />", i) - i - 1);
    tag.path = (open.empty() ? "" : open.back().path + "/") + tag.name;
    if (text[stop - 2] == '/') {
      tag.close = tag.end = stop;
      done.push_back(tag);
    } else {
      open.push_back(tag);
    }
  }
  return done;
}

std::string misspelt(const std::string& word) {
  return word.size() > 2 ? word.substr(0, word.size() - 2) + word.back() : word + "e";
}

std::string replaced(std::string text, std::size_t at, std::size_t count, const std::string& by) {
  return text.replace(at, count, by);
}

std::string renamed(const std::string& text, const Tag& tag, const std::string& name) {
  std::string out = text;
  if (tag.close != tag.end) out.replace(tag.close + 2, tag.name.size(), name);
  return out.replace(tag.begin + 1, tag.name.size(), name);
}

// What every reader refuses.
std::vector<Altered> wrongs_of(const std::string& text) {
  std::vector<Altered> all;
  for (const Tag& tag : elements_of(text)) {
    const auto add = [&](const char* what, std::string altered) {
      if (altered != text) all.push_back({std::move(altered), what + (": " + tag.path)});
    };
    const bool unread = tag.path.find("/location/") != std::string::npos ||
                        tag.path.find("/scenarioTags/") != std::string::npos ||
                        tag.path.find("/trafficSign/position/") != std::string::npos;
    if (unread) continue;
    const std::string inside = text.substr(tag.open_end, tag.close - tag.open_end);
    const bool leaf = tag.close != tag.end && inside.find('<') == std::string::npos;
    const bool passed = tag.name == "location" || tag.name == "scenarioTags" ||
                        tag.path.ends_with("trafficSign/position");
    add("misspelt", renamed(text, tag, misspelt(tag.name)));
    add("capital",
        renamed(text, tag, static_cast<char>(std::toupper(tag.name[0])) + tag.name.substr(1)));
    add("prefixed", renamed(text, tag, "a:" + tag.name));
    if (!passed) {
      add("a new attribute", replaced(text, tag.begin + 1 + tag.name.size(), 0, " more=\"1\""));
      add("a new element",
          replaced(text, tag.open_end - (tag.close == tag.end ? 2 : 0),
                   tag.close == tag.end ? 2 : 0,
                   tag.close == tag.end ? "><more/></" + tag.name + ">" : "<more/>"));
      if (!leaf && tag.close != tag.end) add("a text", replaced(text, tag.open_end, 0, " 1 "));
    }
    if (!leaf || passed) continue;
    // Any text is the number of a sign, and what stands on it.
    const bool any_text = tag.name == "trafficSignID" || tag.name == "additionalValue";
    add("empty", replaced(text, tag.open_end, inside.size(), " "));
    add("cut by a comment", replaced(text, tag.open_end, inside.size(), inside + "<!-- -->0"));
    add("CDATA", replaced(text, tag.open_end, inside.size(), "<![CDATA[" + inside + "]]>"));
    if (any_text) continue;
    add("no such value", replaced(text, tag.open_end, inside.size(), "1x"));
    add("an entity", replaced(text, tag.open_end, inside.size(), "&one;"));
    if (std::isdigit(static_cast<unsigned char>(inside[0])))
      for (const char* value : {"nan", "inf", "1e999", "0x10", "1_0", "1,5", "1 2", "--1", "1e"})
        add(value, replaced(text, tag.open_end, inside.size(), value));
  }
  // Attributes, at every place.
  for (std::size_t i = text.find("=\""); i != std::string::npos; i = text.find("=\"", i + 2)) {
    const std::size_t begin = text.rfind(' ', i) + 1, end = text.find('"', i + 2) + 1;
    const std::string name = text.substr(begin, i - begin), what = "attribute " + name;
    all.push_back({replaced(text, begin, name.size(), name + "s"), what + " misspelt"});
    if (name == "benchmarkID" || name == "tags") continue;
    all.push_back({replaced(text, begin, end - begin, ""), what + " dropped"});
    all.push_back({replaced(text, i + 2, end - i - 3, "x1"), what + " wrong"});
    all.push_back({replaced(text, i + 2, end - i - 3, ""), what + " empty"});
  }
  return all;
}

// Without one element.
std::vector<Altered> drops_of(const std::string& text) {
  std::vector<Altered> all;
  for (const Tag& tag : elements_of(text))
    if (tag.begin != 0)
      all.push_back({replaced(text, tag.begin, tag.end - tag.begin, ""), tag.path});
  return all;
}

// What the formats let out. Roads, signs and lights are no part of proofs: refused by the first
// reader alone where something refers to them.
bool may_lack(const std::string& path) {
  static const std::set<std::string_view> kMay = {
      "location", "scenarioTags", "urban", "geoNameId", "successor", "predecessor", "adjacentLeft",
      "adjacentRight", "stopLine", "userOneWay", "trafficLightRef", "trafficSignRef", "timeOffset",
      "active", "virtual", "initialSignalState", "signalSeries", "horn", "brakingLights",
      "additionalValue", "lanelet", "trafficSign", "trafficLight", "center", "lineMarking",
      "velocity", "speedLimit", "yawRate",
      // One of several.
      "staticObstacle", "dynamicObstacle", "phantomObstacle", "environmentObstacle", "obstacle",
      "planningProblem", "state", "occupancy"};
  const std::string name = path.substr(path.rfind('/') + 1);
  if (path.find("planningProblem/initialState/") != std::string::npos) return false;
  if (path.ends_with("stopLine/lineMarking")) return false;
  return kMay.contains(name) || path.ends_with("rectangle/orientation") ||
         path.ends_with("goalState/position") || path.ends_with("Bound/point") ||
         path.find("trafficSign/position") != std::string::npos;
}

class ScenarioDoors : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_scenario_doors_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(std::size_t i, const std::string& text) const {
    const fs::path file = folder_ / fmt::format("{}.xml", i);
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  static bool first_takes(const fs::path& file) {
    const auto loaded = load_traffic(file);
    if (!loaded.ok()) {
      EXPECT_NE(loaded.error().text().find(".xml:"), std::string::npos) << loaded.error().text();
    }
    return loaded.ok();
  }
  static bool second_takes(const fs::path& file) {
    try {
      verifier::read_traffic_scene(file);
      return true;
    } catch (const verifier::Unreadable&) {
      return false;
    }
  }
  // Which of the files 0.xml, 1.xml, ... the reader in Python takes.
  std::vector<bool> third_takes(std::size_t count) const {
    std::ofstream(folder_ / "all.py")
        << "import sys\nsys.path.insert(0, '" << test::source_dir() << "/verify')\nimport traffic\n"
        << "for i in range(" << count << "):\n    try:\n        traffic.read_scene(f'"
        << folder_.string() << "/{i}.xml')\n        print(1)\n"
        << "    except traffic.Unreadable:\n        print(0)\n";
    const fs::path out = folder_ / "out";
    const int status = std::system(
        fmt::format("python3 -B '{}' > '{}'", (folder_ / "all.py").string(), out.string()).c_str());
    EXPECT_EQ(status, 0);
    std::vector<bool> takes;
    std::ifstream in(out);
    for (int one = 0; in >> one;) takes.push_back(one == 1);
    takes.resize(count, true);
    return takes;
  }

  fs::path folder_;
};

bool have_python() {
  return std::system("python3 -c 'import mpmath' 2>/dev/null") == 0;
}

TEST_F(ScenarioDoors, WhatIsRightIsRead) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  const std::vector<std::string> texts = {scenario(), old_scenario()};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto loaded = load_traffic(write(i, texts[i]));
    EXPECT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_TRUE(second_takes(folder_ / fmt::format("{}.xml", i)));
  }
  EXPECT_EQ(third_takes(2), (std::vector<bool>{true, true}));
}

TEST_F(ScenarioDoors, WhatIsMisspeltIsRefusedByAll) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  std::vector<Altered> all = wrongs_of(scenario());
  for (Altered& more : wrongs_of(old_scenario())) all.push_back(std::move(more));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fs::path file = write(i, all[i].text);
    EXPECT_FALSE(first_takes(file)) << "first reader, " << all[i].what;
    EXPECT_FALSE(second_takes(file)) << "second reader, " << all[i].what;
  }
  const std::vector<bool> third = third_takes(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_FALSE(third[i]) << "third, " << all[i].what;
  EXPECT_GT(all.size(), 3000u);
}

TEST_F(ScenarioDoors, WhatMustBeThereIsMissed) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  std::vector<Altered> all = drops_of(scenario());
  for (Altered& more : drops_of(old_scenario())) all.push_back(std::move(more));
  std::vector<int> first, second;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fs::path file = write(i, all[i].text);
    first.push_back(first_takes(file));
    second.push_back(second_takes(file));
  }
  const std::vector<bool> third = third_takes(all.size());
  int refused = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(second[i], third[i]) << all[i].what;
    EXPECT_LE(first[i], second[i]) << all[i].what;
    if (!may_lack(all[i].what)) {
      EXPECT_FALSE(second[i]) << all[i].what;
    }
    refused += !second[i];
  }
  EXPECT_GT(refused, 100);
}

// Pairs that cannot both be meant, times that do not fit, shapes that enclose nothing.
TEST_F(ScenarioDoors, ContradictionsAreRefusedByAll) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = scenario();
    const std::size_t found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), to);
  };
  const std::string point = "<position><point>" + at(0, 0) + "</point>";
  const std::string set = "</trajectory>";
  const std::vector<Altered> all = {
      {with(point, point + kDisc), "a point and a region"},
      {with(point, "<position><lanelet ref=\"1\"/>"), "somewhere on a lanelet"},
      {with(number(0.25), number(0.25) + "<intervalStart>0</intervalStart>"), "exact and interval"},
      {with(number(0.25), "<intervalStart>0</intervalStart>"), "half an interval"},
      {with(number(0.25), "<intervalStart>2</intervalStart><intervalEnd>1</intervalEnd>"),
       "an interval backwards"},
      {with(set, set + "<occupancySet>" + occupancy(number(1)) + "</occupancySet>"),
       "a trajectory and a set"},
      {with("</staticObstacle>",
            "<trajectory>" + state("state", 1, 1) + "</trajectory></staticObstacle>"),
       "what stands has a trajectory"},
      {with(state("state", 1, 1), state("state", 2, 1)), "a missing step"},
      {with(state("state", 1, 1), state("state", 1, 1) + state("state", 1, 1)), "a step twice"},
      {with("<intervalStart>2</intervalStart>", "<intervalStart>3</intervalStart>"),
       "a gap in a set"},
      {with(occupancy(number(1)), ""), "a gap behind the initial state"},
      {with("<exact>1</exact>", "<exact>1.5</exact>"), "half a step"},
      {with("<exact>1</exact>", "<exact>-1</exact>"), "a step before the first"},
      {with("<time><exact>1</exact>",
            "<time><intervalStart>1</intervalStart><intervalEnd>2</intervalEnd>"),
       "a state of several steps"},
      {with("<length>4</length>", "<length>-4</length>"), "a negative length"},
      {with("<width>2</width>", "<width>0</width>"), "no width"},
      {with("<radius>0.5</radius>", "<radius>-0.5</radius>"), "a negative radius"},
      {with(kTriangle, "<polygon><point>" + at(0, 0) + "</point><point>" + at(1, 1) +
                           "</point><point>" + at(1, 0) + "</point><point>" + at(0, 1) +
                           "</point></polygon>"),
       "a polygon that crosses itself"},
      {with(kTriangle,
            "<polygon><point>" + at(0, 0) + "</point><point>" + at(1, 1) + "</point></polygon>"),
       "a polygon of two corners"},
      {with("id=\"12\"", "id=\"11\""), "an id twice"},
      {with("timeStepSize=\"0.1\"", "timeStepSize=\"-0.1\""), "steps backwards"},
      {with("\"2020a\"", "\"2021a\""), "another version"},
      {with("<commonRoad ", "<commonRoad xmlns=\"http://other\" "), "another namespace"},
      {scenario() + scenario(), "a second root"},
      {scenario() + "more", "a text behind it"},
      {"<!DOCTYPE commonRoad>\n" + scenario(), "a document type"},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const fs::path file = write(i, all[i].text);
    EXPECT_FALSE(load_traffic(file).ok()) << "first reader, " << all[i].what;
    EXPECT_FALSE(second_takes(file)) << "second reader, " << all[i].what;
  }
  const std::vector<bool> third = third_takes(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_FALSE(third[i]) << "third, " << all[i].what;
}

// Comments beside numbers, steps as decimals and the order of elements change nothing.
TEST_F(ScenarioDoors, WhatMeansTheSameIsReadByAll) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  std::string text = scenario();
  const auto exchange = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  exchange("<length>4</length>", "<length><!-- metres --> 4e0 </length>");
  exchange("<width>2</width>", "<width>\n +2.0 <!-- metres -->\n</width>");
  exchange("<exact>1</exact>", "<exact>1.0</exact>");
  exchange("<commonRoad ", "<commonRoad xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" ");
  const fs::path file =
      write(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- one -->\n" + text);
  const auto loaded = load_traffic(file);
  EXPECT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_TRUE(second_takes(file));
  EXPECT_EQ(third_takes(1), std::vector<bool>{true});
}

// Every scenario at hand, in all three.
TEST_F(ScenarioDoors, PublishedScenariosAreReadByAll) {
  PROVEN_REQUIRE_TOOL(have_python(), "python3 with mpmath");
  PROVEN_REQUIRE_DATA("commonroad");
  std::size_t count = 0;
  for (const char* folder : {"commonroad", "commonroad_more"}) {
    if (!fs::exists(test::data_dir() / folder)) continue;
    for (const auto& entry : fs::directory_iterator(test::data_dir() / folder)) {
      if (entry.path().extension() != ".xml") continue;
      const auto loaded = load_traffic(entry.path());
      EXPECT_TRUE(loaded.ok()) << loaded.error().text();
      EXPECT_TRUE(second_takes(entry.path())) << entry.path();
      fs::copy_file(entry.path(), folder_ / fmt::format("{}.xml", count++));
    }
  }
  EXPECT_GE(count, 11u);
  EXPECT_EQ(third_takes(count), std::vector<bool>(count, true));
}

}  // namespace
}  // namespace proven
