// The verifier's own readers against the checker's: on every file they read the same, or both
// refuse; and the comparison names what differs.
#include "proven/verify/readers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "io/io_support.h"
#include "io/sensed_files.h"
#include "proven/base/random.h"
#include "proven/io/mesh_file.h"
#include "proven/io/path_file.h"
#include "proven/io/scene_file.h"
#include "proven/scene/scene.h"
#include "verify/readers/source.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;
using verifier::first_difference;

std::string contents(const fs::path& file) {
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

void compare_scene(const fs::path& file, const std::string& what, Tally& tally,
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

void compare_mesh(const fs::path& file, const std::string& what, Tally& tally) {
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

void compare_path(const fs::path& file, const Reference& reference, const std::string& what,
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
void compare_interpolations(const fs::path& file, const Reference& reference,
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

bool is_mesh(const std::string& ending) {
  return ending == ".stl" || ending == ".STL" || ending == ".obj" || ending == ".dae" ||
         ending == ".ply";
}

// Every file below a folder that has the ending of a scene or a mesh.
void compare_folder(const fs::path& folder, Tally& scenes, Tally& meshes) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string ending = file.extension();
    if (is_mesh(ending)) compare_mesh(file, file.string(), meshes);
    if (ending == ".json" || ending == ".urdf" || ending == ".yaml")
      compare_scene(file, file.string(), scenes);
  }
}

TEST(Readers, AgreeOnEveryFileOfTheRepository) {
  Tally scenes, meshes;
  for (const char* folder : {"tests", "examples"})
    compare_folder(fs::path(PROVEN_SOURCE_DIR) / folder, scenes, meshes);
  EXPECT_GE(scenes.agreed, 5);
  EXPECT_GE(scenes.refused, 100);
  EXPECT_GE(meshes.agreed, 1);
  EXPECT_GE(meshes.refused, 30);
}

TEST(Readers, AgreeOnEveryPathOfTheRepository) {
  const fs::path folder = bad_input_dir();
  Tally tally;
  for (const char* name : {"ok/scene.json", "ok/two_arms.json", "ok/drone.json"}) {
    const Reference reference(folder / name);
    for (const auto& entry : fs::directory_iterator(folder / "paths")) {
      const std::string what = entry.path().string() + " with " + name;
      compare_path(entry.path(), reference, what, tally);
      compare_interpolations(entry.path(), reference, what, tally);
    }
  }
  EXPECT_GE(tally.refused, 100);
  EXPECT_GE(tally.agreed, 1);
}

TEST(Readers, AgreeOnRealRobotsAndObstacles) {
  PROVEN_REQUIRE_DATA("robots");
  Tally scenes, meshes;
  for (const char* folder : {"robots", "obstacles", "motionbenchmaker"})
    if (fs::exists(data_dir() / folder)) compare_folder(data_dir() / folder, scenes, meshes);
  EXPECT_GE(scenes.agreed, 15);
  EXPECT_GE(meshes.agreed, 100);
}

// --- Altered files -------------------------------------------------------------------------------

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

const char* const kUrdf = R"(<?xml version="1.0"?>
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

const char* const kSrdf = R"(<robot name="arm">
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

const char* const kScene = R"({
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

TEST(Readers, AgreeOnAlteredScenes) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  Tally whole;
  compare_scene(folder.write("rich.json", kScene), "rich.json", whole);
  EXPECT_EQ(whole.agreed, 1);
  struct Altered {
    const char *name, *text;
  };
  for (const Altered& altered :
       {Altered{"rich.json", kScene}, Altered{"rich.urdf", kUrdf}, Altered{"rich.srdf", kSrdf}})
    compare_altered({{altered.name, altered.text}}, 2000,
                    [&](const fs::path& file, const std::string& what, Tally& tally) {
                      fs::copy_file(file, folder.path() / altered.name,
                                    fs::copy_options::overwrite_existing);
                      compare_scene(folder.path() / "rich.json", what, tally);
                      folder.write(altered.name, altered.text);
                    });
}

// What a scene may say of each kind of sensed body.
const std::vector<Seed>& sensed_shapes() {
  static const std::vector<Seed> shapes = {
      {"cloud.pcd",
       R"("cloud": {"points": "cloud.pcd", "radius": 0.01, "scale": [1, 2, 0.5], "region": [[-1, -1, -1], [1, 3, 2]],
 "unknown": "free", "coordinates": "sensor", "ignore": ["intensity"]})"},
      {"points.npy", R"("cloud": {"points": "points.npy", "scale": 0.5})"},
      {"listed", R"("cloud": {"points": [[0, 0, 0], [1, 2, 3], [0.5, 0, 0]], "radius": 0.1})"},
      {"grid.npy", R"("voxels": {"cells": "grid.npy", "size": 0.1, "unknown": "occupied"})"},
      {"cells", R"("voxels": {"cells": [[0, 0, 0], [1, -2, 3]], "size": 0.1})"},
      {"map.bt",
       R"("octomap": {"file": "map.bt", "unknown": "occupied", "region": [[-0.5, -0.2, -0.5], [0.2, 1, 0.3]]})"},
      {"map.ot", R"("octomap": {"file": "map.ot", "unknown": "free"})"},
      {"image.png",
       R"("depth": {"file": "image.png", "scale": 0.001, "unknown": "occupied", "size": 0.2, "near": 0.1, "far": 1.2,
 "camera": {"fx": 3, "fy": 3.5, "cx": 1.5, "cy": 1}})"},
      {"image.png",
       R"("depth": {"file": "image.png", "scale": 0.001, "unknown": "free", "radius": 0.05, "camera": {"fx": 3, "fy": 3.5, "cx": 1.5, "cy": 1}})"},
      {"image.png",
       R"("heights": {"file": "image.png", "scale": 0.001, "size": 0.1, "floor": -0.5})"}};
  return shapes;
}

void write_sensed_files(const TemporaryFolder& folder) {
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0.5}, {0, 1.5, 0.5}, {0.25, NAN, 2}};
  folder.write("cloud.pcd", pcd(points, {"ascii", "0.1 0.2 0.3 0.6 0 0 0.8"}));
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) values.push_back(std::sin(i * i));
  folder.write("points.npy", npy("<f8", "20, 3", packed(values)));
  folder.write("grid.npy", npy("|i1", "3, 2, 2", std::string("\1\0\0\1\0\0\xFF\0\0\1\0\1", 12)));
  folder.write("map.bt", octomap_header(true, 4, "0.1") + octomap_node({2, 1, 0, 0, 0, 0, 0, 3}) +
                             octomap_node({0, 0, 0, 0, 0, 0, 0, 0}));
  folder.write("map.ot", octomap_header(false, 3, "0.5") + bytes_of(-1.f) + "\x81" +
                             bytes_of(0.5f) + std::string(1, '\0') + bytes_of(-0.5f) +
                             std::string(1, '\0'));
  folder.write("image.png",
               png(4, 3, {500, 0, 700, 65535, 900, 800, 300, 200, 100, 600, 550, 440}));
}

std::string sensed_scene(const std::string& shape) {
  return "{\"proven\": 1, \"obstacles\": [{\"name\": \"seen\", " + shape +
         ", \"pose\": {\"xyz\": [1, 0, 0]}}]}";
}

// Both the words of the scene and the bytes of the file; the fuzzers of tests/fuzz go further.
TEST(Readers, AgreeOnAlteredSensedBodies) {
  const TemporaryFolder folder;
  write_sensed_files(folder);
  for (const Seed& seed : sensed_shapes()) {
    SCOPED_TRACE(seed.text);
    Tally whole, altered;
    const std::string text = sensed_scene(seed.text);
    compare_scene(folder.write("scene.json", text), seed.name, whole);
    EXPECT_EQ(whole.agreed, 1);
    Mutator of_scene(text, 3);
    for (int i = 0; i < cases(400) && altered.differed < 5; ++i) {
      const std::string other = of_scene.next();
      compare_scene(folder.write("scene.json", other), other, altered);
    }
    folder.write("scene.json", text);
    if (seed.name.find('.') != std::string::npos) {
      const std::string bytes = contents(folder.path() / seed.name);
      Mutator of_file(bytes, 5);
      for (int i = 0; i < cases(400) && altered.differed < 5; ++i) {
        folder.write(seed.name, of_file.next());
        compare_scene(folder.path() / "scene.json",
                      seed.name + " altered, number " + std::to_string(i), altered);
      }
      folder.write(seed.name, bytes);
    }
    if (cases(400) < 100) continue;
    EXPECT_GE(altered.agreed, 4);
    EXPECT_GE(altered.refused, 20);
  }
}

// The second verifier's reader, in Python, writes what it read as a scene that lists it.
TEST(Readers, PythonReadsTheSameSensedBodies) {
  PROVEN_REQUIRE_TOOL(std::system("python3 -c 'import mpmath' 2>/dev/null") == 0,
                      "python3 with mpmath");
  const TemporaryFolder folder;
  write_sensed_files(folder);
  folder.write("read.py", R"(import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from sensed_files import listed
for number in range(int(sys.argv[2])):
    node = json.load(open(f'scene_{number}.json'))['obstacles'][0]
    shape = listed(node, '.')
    if 'triangles' in shape:
        with open('listed.obj', 'w') as file:
            file.writelines('v {!r} {!r} {!r}\n'.format(*v) for v in shape['vertices'])
            file.writelines('f {} {} {}\n'.format(*(i + 1 for i in t)) for t in shape['triangles'])
        shape = {'mesh': 'listed.obj'}
    json.dump({'proven': 1, 'obstacles': [{'name': 'seen', 'pose': node['pose'], **shape}]}, open(f'listed_{number}.json', 'w'))
)");
  std::vector<std::string> shapes;
  for (const Seed& seed : sensed_shapes()) shapes.push_back(seed.text);
  for (const char* data : {"binary", "binary_compressed"}) {
    const std::string name = std::string(data) + ".pcd";
    folder.write(name, pcd({{0, 0, 0}, {1, 0, 0.3}, {0, 0.1, 7}}, {data, "0 0 0 1 0 0 0", false}));
    shapes.push_back(R"("cloud": {"points": ")" + name + "\"}");
  }
  folder.write(
      "points.ply",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty double y\n"
      "property float z\nproperty uchar red\nend_header\n0 0 0.5 7\n1 nan 2 8\n1 0.1 2 8\n");
  shapes.push_back(R"("cloud": {"points": "points.ply", "unknown": "free"})");
  folder.write("fortran.npy",
               npy(">f4", "2, 3", packed(std::vector<float>{1, 2, 3, 4, 5, 6.5}, true), true, 2));
  shapes.push_back(R"("cloud": {"points": "fortran.npy"})");
  const auto file = [&](const char* name, std::size_t i) {
    return fmt::format("{}_{}.json", name, i);
  };
  for (std::size_t i = 0; i < shapes.size(); ++i)
    folder.write(file("scene", i), sensed_scene(shapes[i]));
  const std::string read = fmt::format("cd '{}' && python3 read.py '{}/verify' {} 2> errors",
                                       folder.path().string(), PROVEN_SOURCE_DIR, shapes.size());
  ASSERT_EQ(std::system(read.c_str()), 0) << contents(folder.path() / "errors");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    SCOPED_TRACE(shapes[i]);
    const auto scene = must(load_scene_source(folder.path() / file("scene", i)));
    const auto listed = must(load_scene_source(folder.path() / file("listed", i)));
    EXPECT_EQ(first_difference(scene, listed), std::nullopt);
  }
  // What the others refuse, it refuses.
  int refused = 0;
  for (const auto& entry : fs::directory_iterator(bad_input_dir() / "sensed"))
    if (entry.path().extension() == ".json") ++refused;
  EXPECT_GT(refused, 50);
  const std::string command = fmt::format(
      "cd '{}' && python3 -B -c \"import sys, glob, json; sys.path.insert(0, '{}/verify'); import "
      "sensed_files as s; "
      "from meshes import Unreadable\nfor f in glob.glob('*.json'):\n  if 'parts' in f or 'scaled' "
      "in f: continue\n"
      "  try: s.listed(json.load(open(f))['obstacles'][0], '.'); print(f)\n"
      "  except (Unreadable, KeyError, ValueError, OSError): pass\n\" > '{}/taken' 2>&1",
      (bad_input_dir() / "sensed").string(), PROVEN_SOURCE_DIR, folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(contents(folder.path() / "taken"), "");
}

// Large ones: the trees and sweeps of both readers see the same spacing, cells and hidden space.
TEST(Readers, AgreeOnLargeSensedBodies) {
  const TemporaryFolder folder;
  Random random(9);
  Tally tally;
  const auto compare = [&](const std::string& shape) {
    compare_scene(folder.write("scene.json", sensed_scene(shape)), shape, tally);
  };
  for (int round = 0; round < 8; ++round) {
    std::vector<float> points;
    for (int i = 0; i < 3 * 3000; ++i)
      points.push_back(i % 3 == round % 4 ? 0.5f : static_cast<float>(random.uniform(-1, 1)));
    folder.write("points.npy", npy("<f4", "3000, 3", packed(points)));
    compare(R"("cloud": {"points": "points.npy"})");
    std::vector<int> depths;
    for (int i = 0; i < 60 * 40; ++i)
      depths.push_back(random.index(30) == 0 ? 0 : 500 + random.index(1 + 1000 * (i % 2)));
    folder.write("image.png", png(60, 40, depths));
    const std::string camera = fmt::format(
        R"("camera": {{"fx": {}, "fy": {}, "cx": {}, "cy": {}}})", random.uniform(20, 60),
        random.uniform(20, 60), random.uniform(-10, 70), random.uniform(-10, 50));
    compare(fmt::format(
        R"("depth": {{"file": "image.png", "scale": 0.001, "unknown": "occupied", "size": {}, "near": 0.2, "far": 2, {}}})",
        random.uniform(0.03, 0.2), camera));
    compare(R"("depth": {"file": "image.png", "scale": 0.001, "unknown": "free", )" + camera + "}");
    compare(R"("heights": {"file": "image.png", "scale": 0.001, "size": 0.05, "floor": -1})");
  }
  EXPECT_EQ(tally.agreed, 32);
}

TEST(Readers, AgreeOnAlteredScenesWithAClock) {
  const Seed seed{"clock.json", contents(bad_input_dir() / "ok/clock.json")};
  Tally whole;
  compare_scene(bad_input_dir() / "ok/clock.json", seed.name, whole);
  EXPECT_EQ(whole.agreed, 1);
  compare_altered({seed}, 2000, [&](const fs::path& file, const std::string& what, Tally& tally) {
    compare_scene(file, what, tally);
  });
}

const char* const kPlanningScene = R"(name: ""
robot_model_name: arm
robot_state:
  joint_state: {name: [turn, slide], position: [0.3, 0.1]}
  multi_dof_joint_state:
    joint_names: [world_joint]
    transforms: [{translation: [1, 2, 0], rotation: [0, 0, 0.6, 0.8]}]
  attached_collision_objects:
    - link_name: tool
      touch_links: [finger]
      object:
        header: {frame_id: upper}
        id: part
        primitives: [{type: sphere, dimensions: [0.1]}]
        primitive_poses: [{position: [0, 0, 1], orientation: [0, 0, 0, 1]}]
fixed_frame_transforms:
  - header: {frame_id: odom}
    child_frame_id: cell
    transform: {translation: [0, 1, 0], rotation: [0, 0, 1, 0]}
link_padding: [{link_name: upper, padding: 0.01}]
link_scale: [{link_name: lower, scale: 1.1}]
allowed_collision_matrix:
  entry_names: [upper, finger, can]
  entry_values:
    - [false, true, false]
    - [true, false, true]
    - [false, true, false]
  default_entry_names: [shelf]
  default_entry_values: [true]
world:
  collision_objects:
    - id: can
      header: {frame_id: lower}
      pose: {position: [0.5, 0, 0], orientation: [0, 0, 0, 1]}
      primitives:
        - {type: cylinder, dimensions: [0.2, 0.1]}
      primitive_poses:
        - {position: [0, 0, 1], orientation: [0, 0, 0.6, 0.8]}
      subframe_names: [top]
      subframe_poses: [{position: [0, 0, 0.1], orientation: [0, 0, 0, 1]}]
    - id: shelf
      header: {frame_id: can/top}
      primitives:
        - {type: box, dimensions: [1, 2, 3]}
        - {type: sphere, dimensions: [0.1]}
      primitive_poses:
        - {position: {x: 0, y: 1, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}
        - {position: [0, 0, 1], orientation: [0, 0, 0, 1]}
    - id: mesh
      header: {frame_id: cell}
      meshes:
        - vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
          triangles: [[0, 1, 2]]
      mesh_poses: [{position: [0, 0, 2], orientation: [0, 0, 0, 1]}]
)";

TEST(Readers, AgreeOnAlteredPlanningScenes) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  const fs::path robot = folder.path() / "rich.urdf";
  Tally whole;
  compare_scene(folder.write("rich.yaml", kPlanningScene), "rich.yaml", whole, robot);
  EXPECT_EQ(whole.agreed, 1) << error_text(
      verifier::read_scene(folder.path() / "rich.yaml", {{}, robot}));
  compare_altered({{"rich.yaml", kPlanningScene}}, 2000,
                  [&](const fs::path& file, const std::string& what, Tally& tally) {
                    compare_scene(file, what, tally, robot);
                  });
}

std::vector<Seed> mesh_seeds() {
  const TemporaryFolder folder;
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {0, 0, 2}},
                          {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}}};
  must(save_stl(folder.path() / "good.stl", mesh));
  const std::string ply_header =
      "element vertex 3\nproperty float x\nproperty double y\nproperty float z\nproperty uchar "
      "red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n";
  std::string binary = "ply\nformat binary_little_endian 1.0\n" + ply_header;
  for (int i = 0; i < 3; ++i) {
    const float x = i == 1 ? 1.5f : 0, z = 0.25f;
    const double y = i == 2 ? 2 : 0;
    binary.append(reinterpret_cast<const char*>(&x), 4)
        .append(reinterpret_cast<const char*>(&y), 8);
    binary.append(reinterpret_cast<const char*>(&z), 4).append(1, '\x7f');
  }
  for (int i = 0; i < 2; ++i) binary += std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
  return {
      {"binary.stl", contents(folder.path() / "good.stl")},
      {"text.stl", contents(bad_input_dir() / "ok/triangle.stl")},
      {"good.obj",
       "# a comment\no thing\nv 0 0 0\nv 1 0 0 1\nv 0 1 0.5 1 1 1\nvn 0 0 1\nusemtl grey\nf 1 2 3\n"
       "v 0 0 2\nf -1//1 1//1 2//1 3//1\ns off\n"},
      {"text.ply", "ply\nformat ascii 1.0\ncomment by hand\n" + ply_header +
                       "0 0 0 1\n1 0 0.5 2\n0 1.25 0 3\n3 0 1 2\n3 2 1 0\n"},
      {"binary.ply", binary},
      {"good.dae",
       R"(<COLLADA version="1.4.1"><asset><unit meter="0.5"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array>
<technique_common><accessor source="#a" count="4" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#p" offset="1"/><p>0 0 1 1 2 2 0 0 1 1 3 3</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 3</p></tristrips>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">
<node id="n"><translate>1 2 3</translate><rotate>0 0 1 30</rotate><scale>1 1 -2</scale>
<instance_geometry url="#g"/></node>
<node><matrix>0 -1 0 4 1 0 0 5 0 0 1 6 0 0 0 1</matrix><instance_node url="#n"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)"}};
}

TEST(Readers, AgreeOnAlteredMeshes) {
  const TemporaryFolder folder;
  for (const Seed& seed : mesh_seeds()) {
    Tally whole;
    const fs::path file = folder.write(seed.name, seed.text);
    compare_mesh(file, seed.name, whole);
    EXPECT_EQ(whole.agreed, 1) << seed.name << ": " << error_text(load_mesh(file));
  }
  compare_altered(mesh_seeds(), 2000, compare_mesh);
}

// The second verifier reads the same meshes, to the bit.
TEST(Readers, PythonReadsTheSameMeshes) {
  PROVEN_REQUIRE_TOOL(std::system("python3 --version >/dev/null") == 0, "python3");
  const TemporaryFolder folder;
  const fs::path script = folder.write("compare.py", R"(import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import meshes
vertices, faces = meshes.read_mesh(sys.argv[2])
with open(sys.argv[3]) as stream:
    rows = [line.split() for line in stream]
assert [tuple(map(float, row[1:])) for row in rows if row[0] == 'v'] == [tuple(v) for v in vertices], 'vertices'
assert [tuple(map(int, row[1:])) for row in rows if row[0] == 'f'] == [tuple(f) for f in faces], 'faces'
)");
  for (const Seed& seed : mesh_seeds()) {
    const fs::path file = folder.write(seed.name, seed.text);
    const TriangleMesh mesh = must(verifier::read_mesh(file));
    std::string expected;
    for (const Vec3& v : mesh.vertices) expected += fmt::format("v {} {} {}\n", v.x, v.y, v.z);
    for (const auto& [a, b, c] : mesh.triangles) expected += fmt::format("f {} {} {}\n", a, b, c);
    const std::string command =
        fmt::format("python3 '{}' '{}' '{}' '{}'", script.string(),
                    (fs::path(PROVEN_SOURCE_DIR) / "verify").string(), file.string(),
                    folder.write("expected", expected).string());
    EXPECT_EQ(std::system(command.c_str()), 0) << seed.name;
  }
}

// Motions in every form, of joints of every kind.
std::vector<Seed> motion_seeds() {
  return {{"pieces.json",
           "{\"proven\": 1, \"joints\": [\"turn\", \"slide\", \"follow\"], \"pieces\": [\n"
           "{\"begin\": 0, \"end\": 0.5, \"bezier\": [[0, 0.1, 0.1], [1, 0.2, -0.4], [0.5, 0.3, "
           "-0.15]]},\n"
           "{\"begin\": 0.5, \"end\": 2, \"bezier\": [[0.5, 0.3, -0.15], [0, 0.3, 0.1]]}]}\n"},
          {"flying.yaml",
           "proven: 1\njoints: [fly.x, fly.qz, fly.qw]\npieces:\n"
           "- bezier: [[0, 0, 1], [1, 0.5, 0], [2, -0.25, 0], [0.5, 0.6, 0.8]]\n"
           "- bezier: [[0.5, 0.6, 0.8], [1, 0.6, 0.8]]\n"},
          {"cubic.yaml",
           "joint_names: [turn, slide, follow]\npoints:\n"
           "- {positions: [0, 0.1, 0.1], velocities: [0.5, 0, -0.25], time_from_start: 0.5}\n"
           "- {positions: [0.5, 0.2, -0.15], velocities: [0.3, 0.1, -0.15], effort: [0, 0, 0], "
           "time_from_start: {sec: 1, nanosec: 700}}\n"
           "- {positions: [1, 0.1, -0.4], velocities: [0, 0, 0], time_from_start: 2}\n"},
          {"quintic.json",
           "{\"joint_names\": [\"turn\", \"wheel\"], \"points\": [\n"
           "{\"positions\": [0.1, 2], \"velocities\": [0.3, 1], \"accelerations\": [0.1, -2],\n"
           " \"time_from_start\": 0.5},\n"
           "{\"positions\": [0.3, 2], \"velocities\": [0.7, 0], \"accelerations\": [0, 3],\n"
           " \"time_from_start\": 0.75}]}\n"},
          {"twists.yaml",
           "joint_trajectory:\n  joint_names: [turn]\n  points:\n"
           "  - {positions: [0.1], velocities: [0.2], accelerations: [0.1], time_from_start: 0}\n"
           "  - {positions: [0.2], velocities: [0.1], accelerations: [0], time_from_start: 1.5}\n"
           "multi_dof_joint_trajectory:\n  joint_names: [drive, fly]\n  points:\n"
           "  - transforms:\n"
           "    - {translation: [0, 0, 0], rotation: [0, 0, 0, 1]}\n"
           "    - {translation: [1, 2, 3], rotation: [0, 0, 0.6, 0.8]}\n"
           "    velocities:\n"
           "    - {linear: [1, 0, 0], angular: {x: 0, y: 0, z: 0.5}}\n"
           "    - {linear: [0.1, 0.2, 0.3], angular: [0.25, -0.1, 0.7]}\n"
           "    time_from_start: 0\n"
           "  - transforms:\n"
           "    - {translation: [1, 0.5, 0], rotation: {x: 0, y: 0, z: 0.6, w: -0.8}}\n"
           "    - {translation: [1, 2, 4], rotation: [0.48, 0.36, 0.64, 0.48]}\n"
           "    velocities:\n"
           "    - {linear: [0, 0.1, 0], angular: [0, 0, 0]}\n"
           "    - {linear: {x: 0, y: 0, z: 1}, angular: [0, 0.5, 0.2]}\n"
           "    time_from_start: 1.5\n"},
          {"slerp.yaml",
           "joint_trajectory:\n  joint_names: [turn, slide]\n  points:\n"
           "  - {positions: [0.1, 0], velocities: [0.2, 0.1], time_from_start: 0}\n"
           "  - {positions: [0.2, 0.3], velocities: [0.1, 0], time_from_start: 1.5}\n"
           "multi_dof_joint_trajectory:\n  joint_names: [fly]\n  points:\n"
           "  - transforms: [{translation: [1, 2, 3], rotation: [0, 0, 0.6, 0.8]}]\n"
           "    time_from_start: 0\n"
           "  - transforms: [{translation: [1, 2, 4], rotation: [0.48, 0.36, 0.64, 0.48]}]\n"
           "    time_from_start: 1.5\n"},
          {"rates.csv",
           "time,turn,slide,turn.velocity,slide.velocity,turn.acceleration,slide.acceleration\n"
           "0,0.1,0.2,0.3,0,1,0\n0.7,0.2,0.2,0.1,0.01,0,0\n2,0.3,0.1,0,0,0,0.2\n"},
          {"half.csv",
           "arm/turn.velocity,t,arm/turn,wheel,wheel.velocity\n0.1,0,0.1,1,2\n0,1.1,0.2,7,0\n"}};
}

// A trajectory with numbers of all sizes.
std::string random_trajectory(Random& random) {
  const int degree = 1 + 2 * random.index(3), joints = 1 + random.index(3);
  const char* const names[] = {"turn", "slide", "wheel"};
  std::string text = "joint_names: [";
  for (int i = 0; i < joints; ++i) text += fmt::format("{}{}", i ? ", " : "", names[i]);
  text += "]\npoints:\n";
  double time = random.uniform(0, 10);
  for (int point = 1 + random.index(5); point >= 0; --point) {
    const auto row = [&](double size) {
      std::string list;
      for (int i = 0; i < joints; ++i)
        list += fmt::format("{}{}", i ? ", " : "", random.uniform(-1, 1) * size);
      return list;
    };
    text += fmt::format("- {{positions: [{}]", row(3));
    if (degree > 1)
      text += fmt::format(", velocities: [{}]", row(std::pow(10, random.uniform(-9, 3))));
    if (degree > 3)
      text += fmt::format(", accelerations: [{}]", row(std::pow(10, random.uniform(-9, 6))));
    text += fmt::format(", time_from_start: {}}}\n", time);
    time += std::pow(10, random.uniform(-6, 2));
  }
  return text;
}

// Twists of a floating base.
std::string random_flight(Random& random) {
  std::string text = "multi_dof_joint_trajectory:\n  joint_names: [fly]\n  points:\n";
  double time = 0;
  for (int point = 1 + random.index(3); point >= 0; --point) {
    double q[4], length = 0;
    for (double& part : q) part = random.normal(), length += part * part;
    const auto vector = [&](double size) {
      return fmt::format("[{}, {}, {}]", size * random.normal(), size * random.normal(),
                         size * random.normal());
    };
    const double n = std::sqrt(length);
    text += fmt::format(
        "    - {{transforms: [{{translation: {}, rotation: [{}, {}, {}, {}]}}], velocities: "
        "[{{linear: {}, angular: {}}}], time_from_start: {}}}\n",
        vector(1), q[0] / n, q[1] / n, q[2] / n, q[3] / n, vector(1), vector(1), time);
    time += random.uniform(0.1, 1.5);
  }
  return text;
}

TEST(Readers, AgreeOnMotions) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  const Reference reference(folder.write("rich.json", kScene));
  Tally whole;
  for (const Seed& seed : motion_seeds())
    compare_path(folder.write(seed.name, seed.text), reference, seed.name, whole);
  EXPECT_EQ(whole.agreed, 2 * static_cast<int>(motion_seeds().size()));
  compare_altered(motion_seeds(), 600,
                  [&](const fs::path& file, const std::string& what, Tally& tally) {
                    compare_path(file, reference, what, tally);
                    compare_interpolations(file, reference, what, tally);
                  });
  Random random(11);
  Tally joints, flights;
  for (int i = 0; i < cases(400); ++i) {
    const std::string one = random_trajectory(random), two = random_flight(random);
    compare_path(folder.write("random.yaml", one), reference, one, joints);
    compare_path(folder.write("random.yaml", two), reference, two, flights);
  }
  EXPECT_GE(joints.agreed, cases(400) / 3);
  EXPECT_GE(joints.refused, cases(400) / 20);
  EXPECT_GE(flights.agreed, cases(400) / 3);
}

TEST(Readers, AgreeOnAlteredPaths) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  const Reference reference(folder.write("rich.json", kScene));
  const std::vector<Seed> seeds = {
      {"own.json",
       "{\"proven\": 1, \"joints\": [\"turn\", \"arm/slide\", \"follow\"],\n"
       "\"waypoints\": [[0.1, 0.2, 0.05], [0.2, 0.25, 0]],\n\"times\": [0, 0.5]}\n"},
      {"named.json",
       "{\"proven\": 1, \"joints\": [\"turn\"],\n"
       "\"waypoints\": [[0.1], \"home\", \"all/home\"]}\n"},
      {"ros.yaml",
       "header: {frame_id: ''}\njoint_names: [turn, wheel]\npoints:\n"
       "- positions: [0.1, 20]\n  time_from_start: {sec: 0, nanosec: 0}\n"
       "- positions: [0.2, -3]\n  time_from_start: {sec: 1, nanosec: 500}\n"},
      {"ros.json",
       "{\"joint_trajectory\": {\"joint_names\": [\"turn\", \"wheel\"], \"points\": [\n"
       "{\"positions\": [0.1, 2], \"time_from_start\": 0.5},\n"
       "{\"positions\": [0.3, 2], \"time_from_start\": 0.75}]},\n"
       "\"multi_dof_joint_trajectory\": {}}\n"},
      {"base.yaml",
       "joint_trajectory:\n  joint_names: [turn]\n  points:\n"
       "  - {positions: [0.1], effort: [0], time_from_start: 0}\n"
       "  - {positions: [0.2], accelerations: [], time_from_start: 1}\n"
       "multi_dof_joint_trajectory:\n  header: {frame_id: base}\n  joint_names: [drive]\n  "
       "points:\n"
       "  - transforms: [{translation: [0, 0, 0], rotation: [0, 0, 0, 1]}]\n    time_from_start: "
       "0\n"
       "  - transforms: [{translation: [1, 0, 0], rotation: {x: 0, y: 0, z: 0.6, w: -0.8}}]\n"
       "    time_from_start: 1\n"},
      {"table.csv", "time,turn,\"fly.qx\",fly.qw\n0,0.1,0,1\n1,0.2,1,0\n2.5,0.3,0.6,0.8\n"},
      {"matrix.txt", "0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0\n1 2 3 0.1 0.2 9 1 2 3 0 0 0 0 1 0 0\n"}};
  Tally whole;
  for (const Seed& seed : seeds)
    compare_path(folder.write(seed.name, seed.text), reference, seed.name, whole);
  EXPECT_EQ(whole.agreed, 2 * static_cast<int>(seeds.size()));
  compare_altered(seeds, 1000, [&](const fs::path& file, const std::string& what, Tally& tally) {
    compare_path(file, reference, what, tally);
  });
}

// --- What they mean ------------------------------------------------------------------------------

TEST(Readers, RotationsMeanWhatTheFormatsSay) {
  Random random(3);
  for (int i = 0; i < cases(2000); ++i) {
    const Vec3 rpy{random.uniform(-7, 7), random.uniform(-7, 7), random.uniform(-7, 7)};
    const long double cr = std::cos(static_cast<long double>(rpy.x)),
                      sr = std::sin(static_cast<long double>(rpy.x));
    const long double cp = std::cos(static_cast<long double>(rpy.y)),
                      sp = std::sin(static_cast<long double>(rpy.y));
    const long double cy = std::cos(static_cast<long double>(rpy.z)),
                      sy = std::sin(static_cast<long double>(rpy.z));
    const long double exact[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                                     {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                                     {-sp, cp * sr, cp * cr}};
    const Mat3 R = verifier::rotation_of_rpy(rpy);
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        ASSERT_LE(std::fabs(static_cast<long double>(R(j, k)) - exact[j][k]), 0x1p-48L);
  }
}

TEST(Readers, NumbersAreWholeFiniteDecimals) {
  using verifier::decimal;
  for (const auto& [text, value] :
       std::vector<std::pair<std::string, double>>{{"1.5", 1.5},
                                                   {"+4", 4},
                                                   {"-2e-3", -2e-3},
                                                   {".5", 0.5},
                                                   {"5.", 5},
                                                   {"1e-400", 0},
                                                   {"0e999", 0},
                                                   {"0." + std::string(400, '0') + "1", 0},
                                                   {"1" + std::string(400, '0') + "e-400", 1}})
    EXPECT_EQ(decimal(text), value) << text;
  for (const std::string text : {"", "+", "-", ".", "e5", "1e", "1e+", "0x10", "nan", "inf", "1,5",
                                 "1 ", " 1", "--1", "+-1", "1e400", "1_0"})
    EXPECT_FALSE(decimal(text)) << text;
  EXPECT_FALSE(decimal("1" + std::string(400, '0') + "e-1"));
}

// --- The comparison ------------------------------------------------------------------------------

TEST(Difference, NamesEveryFieldThatDiffers) {
  const TemporaryFolder folder;
  fs::copy(bad_input_dir() / "ok", folder.path());
  folder.write("rich.urdf", kUrdf);
  folder.write("rich.srdf", kSrdf);
  const SceneSource good = must(verifier::read_scene(folder.write("rich.json", kScene)));
  EXPECT_EQ(first_difference(good, good), std::nullopt);
  struct Change {
    const char* named;
    std::function<void(SceneSource&)> make;
  };
  const auto joint = [](SceneSource& s) -> RobotJoint& { return s.robots[0].robot.joints[1]; };
  const auto link = [](SceneSource& s) -> RobotLink& { return s.robots[0].robot.links[2]; };
  for (const Change& change : std::vector<Change>{
           {"robot 'arm', position of the pose: [0, 0.5, 0] and [1, 0.5, 0]",
            [](auto& s) { s.robots[0].X_WR.p.x = 1; }},
           {"row 3 of the rotation of the pose",
            [](auto& s) { s.robots[0].X_WR.R.row[2].z += 0x1p-53; }},
           {"number of robots: 1 and 0", [](auto& s) { s.robots.clear(); }},
           {"joint 'turn', axis", [&](auto& s) { joint(s).axis.z = 2; }},
           {"joint 'turn', lower limit: -1 and -1.5",
            [&](auto& s) { joint(s).limits.lower = -1.5; }},
           {"joint 'turn', velocity", [&](auto& s) { joint(s).limits.velocity = 2; }},
           {"joint 'turn', type: revolute and prismatic",
            [&](auto& s) { joint(s).type = JointType::prismatic; }},
           {"joint 'turn', position of the origin", [&](auto& s) { joint(s).X_PJ.p.y = 1e-300; }},
           {"joint 'follow', multiplier: -0.5 and 0.5",
            [](auto& s) { s.robots[0].robot.joints[4].mimic->multiplier = 0.5; }},
           {"joint 'follow', joint that it follows",
            [](auto& s) { s.robots[0].robot.joints[4].mimic.reset(); }},
           {"link 'upper', shape 1, half extents",
            [&](auto& s) { std::get<Box>(link(s).collision[0].shape).half_extents.x = 1; }},
           {"link 'upper', shape 2, kind of shape: cylinder and sphere",
            [&](auto& s) { link(s).collision[1].shape = Sphere{0.1}; }},
           {"link 'upper', number of shapes: 2 and 1",
            [&](auto& s) { link(s).collision.pop_back(); }},
           {"disabled pair 1, reason: Adjacent and User",
            [](auto& s) { s.robots[0].robot.disabled_pairs[0].reason = "User"; }},
           {"obstacle 'ball', shape 1, radius: 0.2 and 0.3",
            [](auto& s) { std::get<Sphere>(s.obstacles[3].elements[0].shape).radius = 0.3; }},
           {"obstacle 'car', shape 1, vertex",
            [](auto& s) {
              auto& shape =
                  std::get<std::shared_ptr<const TriangleMesh>>(s.obstacles[4].elements[0].shape);
              auto other = std::make_shared<TriangleMesh>(*shape);
              other->vertices[0].x += 1;
              shape = other;
            }},
           {"obstacle 'wedge', shape 1, number of points",
            [](auto& s) {
              auto& shape =
                  std::get<std::shared_ptr<const ConvexHull>>(s.obstacles[5].elements[0].shape);
              auto other = std::make_shared<ConvexHull>(*shape);
              other->points.pop_back();
              shape = other;
            }},
           {"attached object 'part', link", [](auto& s) { s.attached[0].link = "arm/lower"; }},
           {"number of bodies that it may touch", [](auto& s) { s.attached[0].touch.pop_back(); }},
           {"clearance from the world: 0.001 and 0", [](auto& s) { s.clearance.world = 0; }},
           {"clearance of robots", [](auto& s) { s.clearance.robots = 0; }},
           {"clearance of links", [](auto& s) { s.clearance.self = 1; }},
           {"clearance of held objects", [](auto& s) { s.clearance.attached = 0; }},
           {"excluded pairs 2, first body: ball and car",
            [](auto& s) { s.exclusions[1].body_a = "car"; }},
           {"pairs with a clearance 1, value: 0.01 and -1",
            [](auto& s) { s.clearances[0].clearance = -1; }},
           {"home of arm/turn", [](auto& s) { s.home.erase("arm/turn"); }},
           {"home of arm/turn: 0.3 and 0.4", [](auto& s) { s.home["arm/turn"] = 0.4; }}}) {
    SceneSource other = good;
    change.make(other);
    const auto text = first_difference(good, other);
    ASSERT_TRUE(text) << change.named;
    EXPECT_NE(text->find(change.named), std::string::npos)
        << *text << "\nexpected: " << change.named;
  }
}

TEST(Difference, OfPathsNamesWaypointsTimesAndJoints) {
  const Path good{{{0, 1}, {2, 3}}, {0, 1}, {"a/b"}};
  EXPECT_EQ(first_difference(good, good), std::nullopt);
  Path other = good;
  other.waypoints[1][0] = std::nextafter(2, 3);
  EXPECT_EQ(first_difference(good, other), "waypoint 1, value 0: 2 and 2.0000000000000004");
  other = good;
  other.times = {};
  EXPECT_EQ(first_difference(good, other), "number of times: 2 and 0");
  other = good;
  other.defaulted[0] = "a/c";
  EXPECT_EQ(first_difference(good, other), "joints that are not named 1: a/b and a/c");
  other = good;
  other.waypoints.pop_back();
  EXPECT_EQ(first_difference(good, other), "number of waypoints: 2 and 1");
  other = good;
  other.inner = {{}};
  EXPECT_EQ(first_difference(good, other), std::nullopt);  // straight all the same
  other.inner = {{{1, 2}}};
  EXPECT_EQ(first_difference(good, other), "piece 0, number of inner control points: 0 and 1");
  Path third = other;
  third.inner[0][0][1] = 3;
  EXPECT_EQ(first_difference(other, third), "piece 0, inner control point 0, value 1: 2 and 3");
}

// Meshes of packages that the environment knows, of none (package:///), and a robot without a name.
TEST(Readers, FindTheSameMeshes) {
  const TemporaryFolder folder;
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";
  folder.write("install/share/bot/a.obj", mesh);
  folder.write("src/other/a.obj", mesh + "f 1 3 4\n");
  folder.write("up/meshes/a.obj", mesh + "f 2 3 4\n");
  const auto compare = [&](const std::string& name, Tally& tally) {
    compare_scene(
        folder.write("up/urdf/r.urdf",
                     "<robot name=\" \"><link name=\"a\"><collision><geometry><mesh filename=\"" +
                         name + "\"/></geometry></collision></link></robot>"),
        name, tally);
  };
  const std::vector<std::string> names = {"package://bot/a.obj", "package://other/a.obj",
                                          "package:///meshes/a.obj", "package:///none.obj"};
  Tally without, with;
  for (const std::string& name : names) compare(name, without);
  EXPECT_EQ(without.agreed, 1);
  EXPECT_EQ(without.refused, 3);
  setenv("AMENT_PREFIX_PATH", (folder.path() / "install").c_str(), 1);
  setenv("ROS_PACKAGE_PATH", (folder.path() / "src").c_str(), 1);
  for (const std::string& name : names) compare(name, with);
  unsetenv("AMENT_PREFIX_PATH");
  unsetenv("ROS_PACKAGE_PATH");
  EXPECT_EQ(with.agreed, 3);
  EXPECT_EQ(with.refused, 1);
}

}  // namespace
}  // namespace proven::test
