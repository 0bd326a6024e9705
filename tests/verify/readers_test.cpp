// The verifier's own readers against the checker's: on every file they read the same, or both
// refuse.
#include <cmath>
#include <cstdlib>

#include "places.h"
#include "verify/readers/source.h"
#include "verify/readers_support.h"

namespace proven::test {
namespace {

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
    compare_folder(fs::path(test::source_dir()) / folder, scenes, meshes);
  EXPECT_GE(scenes.agreed, 5);
  EXPECT_GE(scenes.refused, 100);
  EXPECT_GE(meshes.agreed, 1);
  EXPECT_GE(meshes.refused, 30);
}

TEST(Readers, AgreeOnRealRobotsAndObstacles) {
  PROVEN_REQUIRE_DATA("robots");
  Tally scenes, meshes;
  for (const char* folder : {"robots", "obstacles", "motionbenchmaker"})
    if (fs::exists(data_dir() / folder)) compare_folder(data_dir() / folder, scenes, meshes);
  EXPECT_GE(scenes.agreed, 15);
  EXPECT_GE(meshes.agreed, 100);
}

TEST(Readers, AgreeOnAlteredScenes) {
  const TemporaryFolder folder;
  Tally whole;
  compare_scene(write_rich_scene(folder), "rich.json", whole);
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

// Both readers take a package from where it is mapped alone, and refuse maps that lead nowhere or
// that nothing names.
TEST(Readers, MappedPackagesAreFinal) {
  const TemporaryFolder folder;
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";
  folder.write("bot/a.obj", mesh);
  folder.write("other/b.obj", mesh);
  folder.write("bot.urdf",
               "<robot name=\"r\"><link name=\"l\"><collision><geometry><mesh "
               "filename=\"package://bot/a.obj\"/></geometry></collision></link></robot>");
  const auto reads = [&](const std::string& packages,
                         const std::map<std::string, fs::path>& outside = {}) {
    const auto scene =
        folder.write("scene.json", R"({"proven": 1, "robots": [{"name": "r", "urdf": "bot.urdf")" +
                                       packages + "}]}");
    SceneOptions options;
    options.packages = outside;
    const bool ours = load_scene_source(scene, options).ok();
    EXPECT_EQ(verifier::read_scene(scene, {outside, {}}).ok(), ours) << packages;
    return ours;
  };
  EXPECT_TRUE(reads(""));
  EXPECT_TRUE(reads(R"(, "packages": {"bot": "bot"})"));
  EXPECT_FALSE(reads(R"(, "packages": {"bot": "other"})"));
  EXPECT_FALSE(reads(R"(, "packages": {"bot": "none"})"));
  EXPECT_FALSE(reads(R"(, "packages": {"bot": "bot", "more": "other"})"));
  EXPECT_TRUE(reads("", {{"bot", folder.path() / "bot"}}));
  EXPECT_FALSE(reads("", {{"bot", folder.path() / "other"}}));
  EXPECT_FALSE(reads("", {{"bot", folder.path() / "none"}}));
  EXPECT_FALSE(reads("", {{"more", folder.path() / "other"}}));
  EXPECT_FALSE(reads(R"(, "packages": {"bot": "bot"})", {{"bot", folder.path() / "bot"}}));
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
  write_rich_scene(folder);
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
                    (fs::path(test::source_dir()) / "verify").string(), file.string(),
                    folder.write("expected", expected).string());
    EXPECT_EQ(std::system(command.c_str()), 0) << seed.name;
  }
}

// Motions in every form, of joints of every kind.
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
