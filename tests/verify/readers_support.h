// Both readers on one file, and files that are altered at random.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "io/io_support.h"
#include "proven/base/random.h"
#include "proven/io/mesh_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/scene/scene.h"
#include "proven/verify/readers.h"

namespace proven::test {

namespace fs = std::filesystem;
using verifier::first_difference;

inline std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// How often both readers read the same, and how often both refused.
struct Tally {
  int agreed = 0, refused = 0, differed = 0;

  template <class T, class U>
  void add(const Result<T>& checker, const Result<U>& verifier,
           const std::function<std::optional<std::string>()>& difference, const std::string& what) {
    if (checker.ok() != verifier.ok()) {
      if (++differed <= 20)
        ADD_FAILURE() << what << "\n  the checker's reader:  " << error_text(checker)
                      << "\n  the verifier's reader: " << error_text(verifier);
    } else if (!checker.ok()) {
      ++refused;
    } else if (const auto text = difference()) {
      if (++differed <= 20) ADD_FAILURE() << what << "\n  " << *text;
    } else {
      ++agreed;
    }
  }
};

inline void compare_scene(const fs::path& file, const std::string& what, Tally& tally,
                          const fs::path& robot = {}) {
  SceneOptions options;
  options.robot = robot;
  options.allow_empty = true;  // whether that is meant is not a question of reading
  verifier::SceneReading reading;
  reading.robot = robot;
  const auto a = load_scene_source(file, options);
  const auto b = verifier::read_scene(file, reading);
  tally.add(
      a, b, [&] { return first_difference(a.value(), b.value()); }, what);
}

inline void compare_mesh(const fs::path& file, const std::string& what, Tally& tally) {
  const auto a = load_mesh(file);
  const auto b = verifier::read_mesh(file);
  tally.add(
      a, b, [&] { return first_difference(*a.value(), b.value()); }, what);
}

// A scene for paths, as both readers have it.
struct Reference {
  SceneSource source;
  Scene scene;
  explicit Reference(const fs::path& file)
      : source(must(load_scene_source(file))), scene(must(build_scene(source))) {}
};

inline void compare_path(const fs::path& file, const Reference& reference, const std::string& what,
                         Tally& tally) {
  for (const bool ignore_limits : {false, true}) {
    PathOptions options;
    options.ignore_limits = ignore_limits;
    const auto a = load_path(file, reference.scene, options);
    const auto b = verifier::read_path(file, reference.source, {ignore_limits});
    tally.add(
        a, b, [&] { return first_difference(a.value(), b.value()); }, what);
  }
}

// The same with what the user says of the points' rates.
inline void compare_interpolations(const fs::path& file, const Reference& reference,
                                   const std::string& what, Tally& tally) {
  for (const auto& [ours, theirs] :
       {std::pair(Interpolation::linear, verifier::Between::linear),
        std::pair(Interpolation::cubic, verifier::Between::cubic),
        std::pair(Interpolation::quintic, verifier::Between::quintic)}) {
    const auto a = load_path(file, reference.scene, {true, ours});
    const auto b = verifier::read_path(file, reference.source, {true, theirs});
    tally.add(
        a, b, [&] { return first_difference(a.value(), b.value()); }, what);
  }
}

// Single bytes, words and lines of a file are changed, dropped, doubled and swapped.
class Mutator {
 public:
  Mutator(std::string text, std::uint64_t seed) : text_(std::move(text)), random_(seed) {}

  std::string next() {
    std::string text = text_;
    for (int i = 1 + random_.index(2); i > 0; --i) {
      const int kind = random_.index(4);
      if (kind == 0) alter_byte(text);
      if (kind == 1 || kind == 2) alter_word(text);
      if (kind == 3) alter_line(text);
    }
    return text;
  }

 private:
  std::size_t place(const std::string& text) {
    return static_cast<std::size_t>(random_.index(static_cast<int>(text.size()) + 1));
  }

  void alter_byte(std::string& text) {
    constexpr std::string_view kBytes = "0123456789.-+eE \t\n,:;/\\\"'<>{}[]#&xyznaT\xC3\x80\r";
    const char byte =
        kBytes[static_cast<std::size_t>(random_.index(static_cast<int>(kBytes.size())))];
    const std::size_t at = place(text);
    const int kind = random_.index(3);
    if (kind == 0 && at < text.size()) text[at] = byte;
    if (kind == 1) text.insert(at, 1, byte);
    if (kind == 2 && at < text.size()) text.erase(at, 1);
  }

  // The word of letters, digits and signs at or behind a random place.
  std::pair<std::size_t, std::size_t> word(const std::string& text) {
    constexpr std::string_view kParts =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
    const std::size_t begin = text.find_first_of(kParts, place(text));
    if (begin == std::string::npos) return {text.size(), 0};
    return {begin, std::min(text.find_first_not_of(kParts, begin), text.size()) - begin};
  }

  void alter_word(std::string& text) {
    static const std::vector<std::string> kWords = {
        "0",     "-0",   "1",     "-1", "0.5",  "1e-400", "1e400", "1e8",     "1e-10", "nan",
        "inf",   "0x10", "+2",    "1.", ".5",   "3.7",    "true",  "false",   "null",  "~",
        "world", "name", "joint", "2",  "link", "xyz",    "rpy",   "100",     "box",   "mesh",
        "4",     "1e9",  "--1",   "1e", "1_0",  "0001",   "7",     "1000001", "12",    "5e-324"};
    const auto [at, size] = word(text);
    const int kind = random_.index(4);
    const auto [other, other_size] = word(text);
    if (kind == 0)
      text.replace(
          at, size,
          kWords[static_cast<std::size_t>(random_.index(static_cast<int>(kWords.size())))]);
    if (kind == 1) text.replace(at, size, text.substr(other, other_size));
    if (kind == 2) text.erase(at, size);
    if (kind == 3) text.insert(at, text.substr(at, size) + " ");
  }

  void alter_line(std::string& text) {
    const std::size_t begin = text.rfind('\n', place(text)) + 1;  // 0 at the first line
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin) + "\n";
    if (random_.index(2) == 0)
      text.erase(begin, line.size());
    else
      text.insert(begin, line);
  }

  std::string text_;
  Random random_;
};

struct Seed {
  std::string name, text;
};

// Alters each seed `count` times; guards that both outcomes occur.
template <class Compare>
void compare_altered(const std::vector<Seed>& seeds, int count, Compare&& compare) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  for (const Seed& seed : seeds) {
    Tally tally;
    std::uint64_t number = 17;
    for (const char c : seed.name) number = 31 * number + static_cast<unsigned char>(c);
    Mutator mutator(seed.text, number);
    for (int i = 0; i < cases(count) && tally.differed < 5; ++i) {
      const std::string text = mutator.next();
      const fs::path file = folder.write("altered_" + seed.name, text);
      compare(file, fmt::format("{} altered, number {}:\n{}\n", seed.name, i, text), tally);
    }
    if (cases(count) < 100) continue;
    EXPECT_GE(tally.agreed, cases(count) / 100) << seed.name;
    EXPECT_GE(tally.refused, cases(count) / 20) << seed.name;
  }
}

inline const char* const kUrdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><mass value="1"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <collision name="c">
      <origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>
      <geometry><box size="0.1 0.2 0.3"/></geometry>
    </collision>
    <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
  </link>
  <link name="lower">
    <collision><origin rotation="0 -1 0 1 0 0 0 0 1"/><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="tool">
    <collision><geometry><mesh filename="triangle.stl" scale="1 -2 3"/></geometry></collision>
    <visual><geometry><mesh filename="package://here/look.dae"/></geometry></visual>
    <collision><geometry><mesh filename="triangle.stl" convex="true"/></geometry></collision>
  </link>
  <link name="finger"><collision><geometry><capsule radius="0.1" length="0.5"/></geometry></collision></link>
  <link name="cart"/>
  <link name="ball"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="1" effort="3"/><dynamics damping="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0 1"/><parent link="upper"/><child link="lower"/><axis xyz="1 2 2"/>
    <limit lower="0" upper="0.5" velocity="0" effort="3" acceleration="4"/>
  </joint>
  <joint name="wheel" type="continuous"><parent link="lower"/><child link="tool"/></joint>
  <joint name="follow" type="revolute">
    <parent link="tool"/><child link="finger"/><limit lower="-3" upper="3"/>
    <mimic joint="turn" multiplier="-0.5" offset="0.1"/>
  </joint>
  <joint name="drive" type="planar"><parent link="base"/><child link="cart"/><axis xyz="0 0 1"/></joint>
  <joint name="fly" type="floating"><parent link="cart"/><child link="ball"/></joint>
</robot>
)";

inline const char* const kSrdf = R"(<robot name="arm">
  <group name="all"><chain base_link="base" tip_link="tool"/><joint name="follow"/></group>
  <group name="more"><group name="all"/><link name="cart"/></group>
  <group_state name="home" group="all"><joint name="turn" value="0.5"/></group_state>
  <end_effector name="hand" parent_link="tool" group="more"/>
  <virtual_joint name="world_joint" type="planar" parent_frame="odom" child_link="base"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="upper" link2="tool" reason="Never"/>
  <disable_collisions link1="upper" link2="finger"/>
</robot>
)";

inline const char* const kScene = R"({
  "proven": 1,
  "robots": [{"name": "arm", "urdf": "rich.urdf", "srdf": "rich.srdf", "virtual_joints": true,
    "pose": {"xyz": [0, 0.5, 0], "rpy": [0.1, 0.2, 0.3]}, "packages": {"here": "."}}],
  "obstacles": [
    {"name": "table", "box": [1.2, 0.8, 0.05], "pose": {"xyz": [0.6, 0, 0.4]}},
    {"name": "pillar", "cylinder": {"radius": 0.1, "length": 2.0}, "pose": {"quaternion": [0.6, 0, 0, 0.8]}},
    {"name": "rail", "capsule": {"radius": 0.1, "length": 2.0},
     "pose": {"xyz": [5, 0, 0], "rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}},
    {"name": "ball", "sphere": 0.2},
    {"name": "car", "mesh": "triangle.stl", "scale": 2.0},
    {"name": "wedge", "hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "scale": [1, 1, -0.5]},
    {"name": "hull", "hull": "triangle.stl"},
    {"name": "stool", "parts": [
      {"box": [0.4, 0.4, 0.02], "pose": {"xyz": [0, 0, 0.5]}},
      {"sphere": {"radius": 0.1}}
    ]}
  ],
  "attached": [{"name": "part", "link": "arm/tool", "box": [0.1, 0.1, 0.1], "pose": {"xyz": [0, 0, 0.1]},
    "touch": ["arm/finger", "table"]}],
  "home": {"arm/turn": 0.3, "arm/fly.qw": 1},
  "clearance": {"world": 0.001, "robots": 0.002, "self": 0, "attached": 0.0005},
  "pairs": {
    "exclude": [["arm/lower", "arm/cart", "far \u00e4part"], ["ball", "arm/upper"]],
    "clearance": [["arm/tool", "table", 0.01], ["arm/upper", "table", -0.02]]
  }
}
)";

// The files of a rich scene in a folder: what scene.json names is there.
inline fs::path write_rich_scene(const TemporaryFolder& folder) {
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  return folder.write("rich.json", kScene);
}

}  // namespace proven::test
