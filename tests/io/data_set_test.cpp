// Data sets: the same paths in every form give the same motions, any part of them can be read, and
// what cannot be read is told.
#include "proven/io/data_set.h"

#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "proven/base/random.h"
#include "scenes/scenes.h"
#include "support.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

class DataSets : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("proven_sets_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Random random(3);
    for (int i = 0; i < 600; ++i) {
      Motion path;
      for (int k = 0; k < 3; ++k)
        path.waypoints.push_back({random.uniform(-1, 1), random.uniform(-1, 1)});
      paths_.push_back(path);
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string lines() const {
    std::string text;
    for (const Motion& path : paths_) text += path_line(path, scene_) + "\n";
    return text;
  }
  static DataSet must_open(const fs::path& file, const std::string& scene = "planar-2") {
    auto set = DataSet::open(file, scene);
    EXPECT_TRUE(set.ok()) << (set.ok() ? "" : set.error().text());
    return std::move(set).value();
  }
  std::vector<std::string> joints() const {
    std::vector<std::string> names;
    for (const Coordinate& c : scene_.tree().coordinates()) names.push_back(c.name);
    return names;
  }
  // Reads any part of a set that holds paths_.
  void expect_paths(const DataSet& set) const {
    ASSERT_EQ(set.size(), static_cast<std::int64_t>(paths_.size()));
    for (const auto& [begin, end] :
         {std::pair{0, 600}, {0, 1}, {255, 257}, {256, 300}, {599, 600}}) {
      const auto items = set.read(set.groups()[0], begin, end, joints());
      ASSERT_TRUE(items.ok()) << items.error().text();
      ASSERT_EQ(items.value().size(), static_cast<std::size_t>(end - begin));
      for (std::size_t i = 0; i < items.value().size(); ++i) {
        const auto motion = read_item(items.value()[i], scene_, {});
        ASSERT_TRUE(motion.ok()) << motion.error().text();
        EXPECT_EQ(motion.value().waypoints, paths_[static_cast<std::size_t>(begin) + i].waypoints);
      }
    }
  }
  static std::string npy(const std::vector<Motion>& paths, std::size_t waypoints) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                         std::to_string(paths.size()) + ", " + std::to_string(waypoints) +
                         ", 2), }\n";
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    for (const Motion& path : paths)
      for (std::size_t k = 0; k < waypoints; ++k)
        for (std::size_t j = 0; j < 2; ++j) {
          const double x = k < path.waypoints.size() ? path.waypoints[k][j] : std::nan("");
          const auto bits = std::bit_cast<std::uint64_t>(x);
          for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i));
        }
    return bytes;
  }

  fs::path folder_;
  Scene scene_ = build_scene(make_scene("planar-2").value()).value();
  std::vector<Motion> paths_;
};

TEST_F(DataSets, OfLinesReadAnyPart) {
  // Blank lines and ends as of other systems do not count.
  std::string text = "\xEF\xBB\xBF\r\n" + lines();
  text.insert(text.find('\n', 5000) + 1, "\n  \n");
  expect_paths(must_open(write("paths.jsonl", text)));
  text.pop_back();
  expect_paths(must_open(write("no_end.jsonl", text)));
}

TEST_F(DataSets, OfTablesReadAnyPart) {
  std::string text = "path," + joints()[0] + "," + joints()[1] + "\n";
  for (std::size_t i = 0; i < paths_.size(); ++i)
    for (const auto& q : paths_[i].waypoints)
      text += "p" + std::to_string(i) + "," + nlohmann::json(q[0]).dump() + "," +
              nlohmann::json(q[1]).dump() + "\n";
  const DataSet set = must_open(write("paths.csv", text));
  expect_paths(set);
  EXPECT_EQ(set.read(set.groups()[0], 7, 8, {}).value()[0].name, "paths.csv:p7");
}

TEST_F(DataSets, OfArraysReadAnyPartAndFillShortPathsUp) {
  expect_paths(must_open(write("paths.npy", npy(paths_, 3))));
  expect_paths(must_open(write("filled.npy", npy(paths_, 5))));
  std::vector<Motion> holes = paths_;
  holes[4].waypoints[1][0] = std::nan("");
  const DataSet set = must_open(write("holes.npy", npy(holes, 3)));
  const auto items = set.read(set.groups()[0], 4, 6, joints());
  const auto bad = read_item(items.value()[0], scene_, {});
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().text().find("finite"), std::string::npos) << bad.error().text();
  EXPECT_TRUE(read_item(items.value()[1], scene_, {}).ok());
  const auto wrong = set.read(set.groups()[0], 0, 1, {"a", "b", "c"});
  EXPECT_FALSE(read_item(wrong.value()[0], scene_, {}).ok());
}

TEST_F(DataSets, OfFoldersAreGroupsWithTheirScenes) {
  write("scene.json", "{}");
  write("b.jsonl", lines());
  write("a.txt", "0 0\n1 1\n");
  write("meshes/part.stl", "solid");
  write("cell/scene.yaml", "{}");
  write("cell/path.json", path_line(paths_[0], scene_));
  write("cell/deeper/path.json", path_line(paths_[1], scene_));
  write("numbered/scene0001.yaml", "{}");
  write("numbered/request0001.yaml", "{}");
  write("numbered/path0001.yaml", "{}");
  write("numbered/scene0002.yaml", "{}");
  const DataSet set = must_open(folder_, "");
  std::string shape;
  for (const PathGroup& group : set.groups())
    shape += group.name + " " + fs::relative(group.scene, folder_).string() + " " +
             std::to_string(group.begin) + "+" + std::to_string(group.size) + "\n";
  EXPECT_EQ(shape, folder_.filename().string() +
                       " scene.json 0+601\n"
                       "cell cell/scene.yaml 601+1\n"
                       "cell/deeper cell/scene.yaml 602+1\n"
                       "numbered/0001 numbered/scene0001.yaml 603+1\n");
  EXPECT_EQ(&set.group_of(600), &set.groups()[0]);
  EXPECT_EQ(&set.group_of(601), &set.groups()[1]);
  EXPECT_EQ(&set.group_of(603), &set.groups()[3]);
}

TEST_F(DataSets, ManifestsAreReadStrictly) {
  write("paths.jsonl", lines());
  const auto error_of = [&](const std::string& text) {
    const auto set = DataSet::open(write("set.json", text));
    return set.ok() ? std::string() : set.error().text();
  };
  EXPECT_EQ(error_of(R"({"proven": 1, "groups": [{"scene": "demo", "paths": "paths.jsonl"}]})"),
            "");
  for (
      const auto& [text, word] : std::vector<std::pair<std::string, std::string>>{
          {R"({"proven": 1, "groups": [{"scene": "demo", "path": "paths.jsonl"}]})", "'paths'"},
          {R"({"proven": 1, "groups": [{"paths": "paths.jsonl"}]})", "no scene"},
          {R"({"proven": 1, "groups": []})", "at least one group"},
          {R"({"proven": 2, "groups": []})", "proven"},
          {R"({"proven": 1, "groups": [{"scene": "demo", "paths": "none.jsonl"}]})", "none.jsonl"},
          {R"({"proven": 1, "groups": [{"name": "a", "scene": "demo", "paths": "paths.jsonl"},
                {"name": "a", "scene": "demo", "paths": "paths.jsonl"}]})",
           "two groups"},
          {R"({"proven": 1, "groups": [{"scene": "demo", "paths": "paths.jsonl", "joints": ["a"]}]})",
           "has 'joints', but none of its files holds an array"},
          {R"({"proven": 1, "groups": [{"scene": "demo", "paths": "paths.jsonl", "arrays": "a"}]})",
           "has 'arrays', but none"},
          {R"({"proven": 1, "groups": [{"scene": "demo", "paths": "paths.npz", "arrays": []}]})",
           "there are no names of arrays"}})
    EXPECT_NE(error_of(text).find(word), std::string::npos) << error_of(text);
}

TEST_F(DataSets, HashesSeeEveryChange) {
  const std::string text = lines();
  const Hash128 hash = must_open(write("paths.jsonl", text)).hash();
  EXPECT_EQ(must_open(write("paths.jsonl", text)).hash(), hash);
  EXPECT_FALSE(must_open(write("paths.jsonl", text), "planar-3").hash() == hash);
  std::string other = text;
  other[other.size() / 2] = other[other.size() / 2] == '1' ? '2' : '1';
  EXPECT_FALSE(must_open(write("paths.jsonl", other)).hash() == hash);
}

TEST_F(DataSets, NoticeFilesThatChangeMeanwhile) {
  const fs::path file = write("paths.jsonl", lines());
  const DataSet set = must_open(file);
  write("paths.jsonl", lines().substr(0, 2000));
  EXPECT_FALSE(set.read(set.groups()[0], 500, 501, {}).ok());
}

// Rows of several paths in turns: each row would be a path of one point, and nothing between the
// points would be checked.
TEST_F(DataSets, PathsOfATableStandTogether) {
  const std::string head = "path," + joints()[0] + "," + joints()[1] + "\n";
  const auto error_of = [&](const std::string& text) {
    const DataSet set = must_open(write("mixed.csv", text));
    const auto items = set.read(set.groups()[0], 0, set.size(), joints());
    const auto motion = read_item(items.value()[0], scene_, {});
    return motion.ok() ? std::to_string(set.size()) + " paths" : motion.error().text();
  };
  EXPECT_EQ(error_of(head + "a,0,0\na,1,1\nb,0,0\nb,1,1\n"), "2 paths");
  EXPECT_EQ(error_of(head + "b,0,0\nb,1,1\na,0,0\n"), "2 paths");  // in any order
  for (const auto& [rows, words] : std::vector<std::pair<std::string, std::string>>{
           {"a,0,0\nb,0,0\na,1,1\nb,1,1\n",
            "mixed.csv:4: path 'a' goes on here, after rows of 'b'"},
           {"a,0,0\n,1,1\n", "mixed.csv:3: the column path is empty"},
           {"a,0,0\na,1\n", "mixed.csv:3: expected 3 columns, got 2"}})
    EXPECT_NE(error_of(head + rows).find(words), std::string::npos) << error_of(head + rows);
  // The name in the last column: a row without it is not the path above.
  const std::string last = joints()[0] + "," + joints()[1] + ",path\n";
  EXPECT_EQ(error_of(last + "0,0,a\n1,1,b\n"), "2 paths");
  EXPECT_NE(error_of(last + "0,0,a\n1,1\n").find("expected 3 columns, got 2"), std::string::npos);
}

TEST_F(DataSets, FilesThatCannotBeReadAreOnePathWithAnError) {
  const DataSet set = must_open(write("paths.npy", "no array"));
  ASSERT_EQ(set.size(), 1);
  const auto items = set.read(set.groups()[0], 0, 1, {});
  EXPECT_FALSE(read_item(items.value()[0], scene_, {}).ok());
}

}  // namespace
}  // namespace proven::test
