// The verifier's own readers of sensed bodies against the checker's, in C++ and in Python.
#include <cmath>
#include <cstdlib>

#include "io/sensed_files.h"
#include "places.h"
#include "verify/readers_support.h"

namespace proven::test {
namespace {

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
                                       folder.path().string(), test::source_dir(), shapes.size());
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
      (bad_input_dir() / "sensed").string(), test::source_dir(), folder.path().string());
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

}  // namespace
}  // namespace proven::test
