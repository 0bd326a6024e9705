// Every key of our own formats, as docs/formats.md shows them: the examples are read, and each with
// one key misspelt is refused with the line and the word that was meant.
#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "io_support.h"
#include "manipulation/world.h"
#include "places.h"
#include "proven/base/random.h"
#include "proven/io/bodies_file.h"
#include "proven/io/mesh_file.h"
#include "proven/io/obstacles_file.h"
#include "proven/io/path_file.h"
#include "proven/io/problem_set.h"
#include "proven/io/query_file.h"
#include "proven/io/scene_file.h"
#include "proven/io/traffic_file.h"
#include "proven/roadmap/grid.h"
#include "sensed_files.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRobot = R"(<robot name="arm">
<link name="base"><visual><geometry><mesh filename="package://arm_description/car.stl"/></geometry></visual></link>
<link name="link_5"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="tool"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="finger_1"><collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<joint name="joint_1" type="revolute"><parent link="base"/><child link="link_5"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="fixed" type="fixed"><parent link="link_5"/><child link="tool"/></joint>
<joint name="joint_2" type="prismatic"><parent link="tool"/><child link="finger_1"/>
<axis xyz="0 0 1"/><limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
</robot>)";

// What queries of the page name.
constexpr const char* kGroups = R"(<robot name="arm">
<group name="arm"><chain base_link="base" tip_link="tool"/></group>
<group_state name="home" group="arm"><joint name="joint_1" value="0.3"/></group_state>
<group_state name="out" group="arm"><joint name="joint_1" value="0.9"/></group_state>
</robot>)";

// The examples of the page: what stands in the block after a line "`name`:".
std::map<std::string, std::string> examples() {
  std::ifstream in(fs::path(test::source_dir()) / "docs/formats.md");
  std::map<std::string, std::string> found;
  std::string name, line;
  const std::regex title("`([a-z.]+)`:");
  for (std::string* block = nullptr; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, title)) name = match[1];
    if (line == "```") block = nullptr;
    if (block) *block += line + "\n";
    if (line == "```json" && !name.empty()) block = &found[std::exchange(name, "")];
  }
  return found;
}

class Formats : public testing::Test {
 protected:
  Formats() {
    for (const auto& [name, text] : examples()) folder_.write(name, text);
    folder_.write("arm.urdf", kRobot);
    folder_.write("arm.srdf", kGroups);
    must(save_stl(folder_.path() / "car.stl", {{{9, 0, 0}, {9, 1, 0}, {9, 0, 1}}, {{0, 1, 2}}}));
    write_sensed();
    scene_ = must(load_scene(folder_.path() / "arm.urdf"));
    with_srdf_ = must(load_scene(folder_.write("with_srdf.json", R"({"proven": 1,
        "robots": [{"name": "arm", "urdf": "arm.urdf", "srdf": "arm.srdf"}]})")));
  }

  // The files that sensed.json names.
  void write_sensed() const {
    std::string scan =
        pcd({{0, 0, 900}, {10, 0, 900}, {NAN, NAN, NAN}}, {"ascii", "1 0 0 1 0 0 0"});
    scan.replace(scan.find("intensity"), 9, "confidence");
    folder_.write("scan.pcd", scan);
    folder_.write("grid.npy", npy("|i1", "1, 1, 3", "\x01\xFF\x01"));
    folder_.write("map.bt",
                  octomap_header(true, 2, "0.05") + octomap_node({0, 0, 0, 0, 0, 0, 0, 2}));
    folder_.write("depth.png", png(4, 3, std::vector<int>(12, 1800)));
    folder_.write("depth.npy", npy("<f4", "1, 2", packed(std::vector<float>{1, 1})));
    folder_.write("heights.npy", npy("<f8", "1, 2", packed(std::vector<double>{0.5, 0.25})));
  }

  // The error of the file of that name, read as what the name says.
  std::string error_of(const std::string& name) const {
    const fs::path file = folder_.path() / name;
    const std::map<std::string, std::function<std::string()>> readers = {
        {"scene.json", [&] { return error_text(load_scene(file)); }},
        {"sensed.json", [&] { return error_text(load_scene(file)); }},
        {"path.json", [&] { return error_text(load_path(file, scene_)); }},
        {"pieces.json", [&] { return error_text(load_path(file, scene_)); }},
        {"query.json", [&] { return error_text(load_query(file, scene_)); }},
        {"reach.json", [&] { return error_text(load_pose_query(file, scene_)); }},
        {"goals.json", [&] { return error_text(load_pose_query(file, with_srdf_)); }},
        {"constraints.json", [&] { return error_text(load_constraints(file, scene_)); }},
        {"obstacles.json", [&] { return error_text(load_obstacles(file)); }},
        {"changes.jsonl", [&] { return changes_error(file); }},
        {"world.json", [&] { return error_text(manipulation::load_world(file)); }},
        {"traffic.json", [&] { return error_text(load_traffic(file)); }},
        {"trajectories.json", [&] { return error_text(load_trajectories(file)); }},
        {"bodies.json", [&] { return error_text(load_bodies(file)); }},
        {"problems.json", [&] { return error_text(load_problem_set(file)); }},
    };
    EXPECT_TRUE(readers.contains(name)) << name;
    return readers.contains(name) ? readers.at(name)() : "";
  }

  std::string changes_error(const fs::path& file) const {
    std::ifstream in(file);
    long number = 0;
    for (std::string line; std::getline(in, line);) {
      const auto change = parse_change(line, scene_, file, ++number);
      if (!change.ok()) return change.error().text();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  Scene scene_, with_srdf_;
};

TEST_F(Formats, ExamplesAreRead) {
  EXPECT_EQ(examples().size(), 15u);
  for (const auto& [name, text] : examples()) EXPECT_EQ(error_of(name), "no error");
}

TEST_F(Formats, MisspeltKeysAreRefused) {
  // Names that users choose.
  const std::set<std::string> free_names = {"arm_description", "top", "joint_2", "shelf"};
  const std::regex key("\"([a-z_0-9]+)\":");
  int keys = 0;
  for (const auto& [name, text] : examples()) {
    for (std::sregex_iterator i(text.begin(), text.end(), key), end; i != end; ++i) {
      const std::string word = (*i)[1];
      if (free_names.contains(word)) continue;
      const auto at = static_cast<std::size_t>(i->position(1));
      // A slip of the finger: the last letter twice.
      std::string altered = text;
      altered.insert(at + word.size(), 1, word.back());
      const auto line = 1 + std::count(text.begin(), text.begin() + i->position(1), '\n');
      folder_.write(name, altered);
      const std::string error = error_of(name);
      EXPECT_TRUE(error.starts_with((folder_.path() / name).string() + ":" + std::to_string(line)))
          << error;
      EXPECT_TRUE(
          error.ends_with("unknown key '" + word + word.back() + "', did you mean '" + word + "'?"))
          << word << ": " << error;
      ++keys;
    }
    folder_.write(name, text);
  }
  EXPECT_GT(keys, 180);
}

TEST_F(Formats, RepeatedKeysAreRefused) {
  for (const auto& [name, text] : examples()) {
    const std::size_t begin = text.find('"');
    const std::string key = text.substr(begin, text.find('"', begin + 1) + 1 - begin);
    folder_.write(name, "{" + key + ": 1, " + text.substr(begin));
    EXPECT_NE(error_of(name).find(":1: repeated key '"), std::string::npos) << error_of(name);
    folder_.write(name, text);
  }
}

TEST_F(Formats, WrongValuesAreRefused) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"scene.json", R"("home": {"arm/joint_1": 0.3})", R"("home": {"arm/joint_1": "a"})"},
      {"scene.json", R"("sphere": 0.2)", R"("sphere": -0.2)"},
      {"scene.json", "[0, 0, 0, 1]", "[0, 0, 0, 2]"},
      {"reach.json", R"("link": "arm/tool")", R"("link": "arm/tol")"},
      {"reach.json", R"("free": "z")", R"("free": "w")"},
      {"reach.json", R"("free": "z")", R"("free": "all")"},
      {"reach.json", R"(, "rpy": [3.14159, 0, 0])", ""},
      {"reach.json", R"("tolerance": 0.001)", R"("tolerance": 0)"},
      {"obstacles.json", R"("index": [5, 6])", R"("index": [5, -6])"},
      {"obstacles.json", R"("index": [5, 6])", R"("index": [5, 6.5])"},
      {"obstacles.json", R"("radius": 0.01)", R"("radius": -0.01)"},
      {"obstacles.json", R"("name": "cloud")", R"("name": "crate")"},
      {"obstacles.json", R"("name": "cloud")", R"("name": "a/b")"},
      {"changes.jsonl", R"("start": [0.1, 0.02])", R"("start": [0.1])"},
      {"changes.jsonl", R"("quaternion": [0, 0, 1, 0])", R"("quaternion": [0, 0, 1])"},
      {"changes.jsonl", R"("clear": true)", R"("clear": 1)"},
      {"world.json", R"("fingers": "arm/joint_2",)", ""},
      {"world.json", R"("clearance": 0.01)", R"("clearance": -0.01)"},
      {"world.json", R"("grip": {"xyz": [0, 0, 0.1]})", R"("grip": {"xyz": [0, 0]})"},
      {"traffic.json", R"("turns": "shortest")", R"("turns": "shorter")"},
      {"traffic.json", R"("between": "bounded_acceleration")", R"("between": "linear")"},
      {"traffic.json", R"("pose": [38, -1.7, 0])", R"("max_step": 1, "pose": [38, -1.7, 0])"},
      {"trajectories.json", R"("parts": [)", R"("centre": [1, 1], "parts": [)"},
      {"bodies.json", R"("pose": [5)", R"("max_step": 1, "pose": [5)"},
      {"problems.json", R"("angle_unit": "rad")", R"("angle_unit": "deg")"},
      {"problems.json", R"("index": 1)", R"("index": 1.5)"},
      {"problems.json", R"("type": "box", "size")", R"("type": "box", "radius": 1, "size")"},
  };
  const auto all = examples();
  for (const auto& [name, good, bad] : cases) {
    SCOPED_TRACE(bad);
    std::string text = all.at(name);
    ASSERT_NE(text.find(good), std::string::npos);
    folder_.write(name, text.replace(text.find(good), good.size(), bad));
    const std::string error = error_of(name);
    // The place stands between the line and the message: "file:line: place: message".
    const std::regex form(".*/" + name + ":[0-9]+: [a-z_0-9\\[\\].'/]+: [^\n]+");
    EXPECT_TRUE(std::regex_match(error, form)) << error;
    folder_.write(name, all.at(name));
  }
}

// Points are one cloud, and mark the cells that a sphere around each of them marks.
TEST_F(Formats, PointsAreOneCloud) {
  Random random(7);
  std::string xyz;
  std::vector<CollisionElement> spheres;
  for (int i = 0; i < 40; ++i) {
    const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    xyz += fmt::format("{}[{}, {}, {}]", i > 0 ? ", " : "", p.x, p.y, p.z);
    spheres.push_back({Sphere{0.06}, Pose::translation(p), {}});
  }
  folder_.write(
      "obstacles.json",
      fmt::format(R"({{"points": [{{"name": "p", "xyz": [{}], "radius": 0.06}}]}})", xyz));
  const ObstacleChange change = must(load_obstacles(folder_.path() / "obstacles.json"));
  ASSERT_EQ(change.add.size(), 1u);
  ASSERT_EQ(change.add[0].elements.size(), 1u);
  const auto& cloud = *std::get<std::shared_ptr<const PointCloud>>(change.add[0].elements[0].shape);
  EXPECT_EQ(cloud.points.size(), 40u);
  EXPECT_EQ(cloud.radius, 0.06);
  const roadmap::Grid grid = roadmap::cover_box({{-1, -1, -1}, {1, 1, 1}}, {0.05, 0.05, 0.05});
  roadmap::CellMask of_cloud(grid), of_spheres(grid);
  must(roadmap::mark_obstacle(grid, change.add[0].elements, Pose{}, of_cloud));
  must(roadmap::mark_obstacle(grid, spheres, Pose{}, of_spheres));
  EXPECT_EQ(of_cloud, of_spheres);
  EXPECT_GT(of_cloud.cells().size(), 500u);
  EXPECT_LT(of_cloud.cells().size(), static_cast<std::size_t>(grid.num_cells()));
}

std::vector<std::uint8_t> bytes_of(std::initializer_list<float> numbers) {
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.begin(), bytes.size());
  return bytes;
}

// Points in a frame behind the line are the same change as points in it.
TEST_F(Formats, PointsOfChangesStandInFrames) {
  const auto frame = bytes_of({9, 9, 9, 1, 2, 3, 0.5, -0.25, 0});
  int asked = 0;
  const auto read = [&](const std::string& text) {
    return parse_change(text, scene_, "-", 1, [&](std::size_t bytes) {
      ++asked;
      return std::vector<std::uint8_t>(
          frame.begin(),
          frame.begin() + static_cast<long>(std::min<std::size_t>(bytes, frame.size())));
    });
  };
  const auto cloud_of = [](const ObstacleChange& change) {
    return std::get<std::shared_ptr<const PointCloud>>(change.add.at(0).elements.at(0).shape);
  };
  const ObstacleChange framed = must(read(
      R"({"points": [{"name": "p", "radius": 0.1, "xyz": {"type": "float32", "count": 2, "offset": 12}}], "bytes": 36})"));
  const ObstacleChange plain = must(
      read(R"({"points": [{"name": "p", "radius": 0.1, "xyz": [[1, 2, 3], [0.5, -0.25, 0]]}]})"));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(cloud_of(framed)->points, cloud_of(plain)->points);
  EXPECT_EQ(cloud_of(framed)->radius, cloud_of(plain)->radius);
  const std::vector<std::pair<std::string, std::string>> refused = {
      {R"({"points": [{"name": "p", "xyz": {"type": "float32", "count": 4}}], "bytes": 36})",
       "points[0].xyz: 4 items of 12 bytes at 0 end beyond the frame of 36 bytes"},
      {R"({"points": [{"name": "p", "xyz": {"type": "int32", "count": 1}}], "bytes": 36})",
       "float32 or float64"},
      {R"({"points": [{"name": "p", "xyz": {"type": "float32", "count": 1}}]})", "no frame"},
      {R"({"points": [{"name": "p", "xyz": [[1, 2, 3]]}], "bytes": 36})",
       "bytes: no points stand in the frame"},
      {R"({"points": [{"name": "p", "xyz": {"type": "float32", "count": 1}}], "bytes": 37})",
       "bytes: the frame ends before its bytes have come"},
      {R"({"points": [{"name": "p", "xyz": {"type": "float32", "count": 0}}], "bytes": 36})",
       "count"},
      {R"({"remov": ["x"], "bytes": 36})", "remov"},
  };
  for (const auto& [text, error] : refused) {
    asked = 0;
    const auto result = read(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.error().text().find(error), std::string::npos) << result.error().text();
    // Whatever is refused, the frame is taken: the next line begins behind it.
    EXPECT_EQ(asked, text.find("bytes") == std::string::npos ? 0 : 1) << text;
  }
}

// What a change says in the order in which it takes effect.
TEST_F(Formats, ChangesAreReadWhole) {
  const ObstacleChange change = must(parse_change(
      R"({"add": [{"name": "a", "sphere": 0.5, "pose": {"quaternion": [0, 0, 1, 0]}}],
          "points": [{"name": "b", "xyz": [[1, 2, 3]]}], "cells": [{"name": "c", "index": [7]}],
          "move": [{"name": "d", "pose": {"xyz": [1, 0, 0]}}], "remove": ["e"], "clear": true,
          "start": [0.5, 0.01], "goal": [9, 0.02]})",
      scene_));
  EXPECT_TRUE(change.clear);
  EXPECT_EQ(change.remove, std::vector<std::string>{"e"});
  ASSERT_EQ(change.add.size(), 2u);
  EXPECT_EQ(change.add[0].X_WB.R.row[0].x, -1);
  const auto& cloud = change.add[1].elements.at(0);
  EXPECT_EQ(std::get<std::shared_ptr<const PointCloud>>(cloud.shape)->radius, 1e-6);
  EXPECT_EQ(std::get<std::shared_ptr<const PointCloud>>(cloud.shape)->points,
            (std::vector<Vec3>{{1, 2, 3}}));
  EXPECT_EQ(change.cells.at(0).cells, std::vector<int>{7});
  EXPECT_EQ(change.move.at(0).second.p, (Vec3{1, 0, 0}));
  EXPECT_EQ(change.start, (std::vector<double>{0.5, 0.01}));
  EXPECT_EQ(change.goal, (std::vector<double>{9, 0.02}));  // limits are the planner's
  EXPECT_FALSE(must(parse_change("{}", scene_)).start);
}

}  // namespace
}  // namespace proven::test
