#include "io/geometry_cache.h"

#include <bit>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>

#include "io_support.h"
#include "proven/base/parallel.h"
#include "proven/base/random.h"
#include "proven/certify/check.h"
#include "proven/io/mesh_file.h"
#include "proven/io/scene_file.h"

namespace proven::test {
namespace {

namespace fs = std::filesystem;
using io::GeometryCache;

TriangleMesh torus(double ring, double tube) {
  constexpr std::uint32_t kAround = 64, kAcross = 32;
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < kAround; ++i)
    for (std::uint32_t j = 0; j < kAcross; ++j) {
      const double u = 2 * std::numbers::pi * i / kAround, v = 2 * std::numbers::pi * j / kAcross;
      const double r = ring + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      const auto at = [&](std::uint32_t a, std::uint32_t b) {
        return a % kAround * kAcross + b % kAcross;
      };
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

// Two large links, a large obstacle and a large object held, of which some share a mesh.
fs::path write_cell(const TemporaryFolder& folder) {
  must(save_obj(folder.path() / "ring.obj", torus(0.2, 0.05)));
  must(save_obj(folder.path() / "hoop.obj", torus(0.3, 0.02)));
  must(save_stl(folder.path() / "wheel.stl", torus(0.1, 0.04)));
  EXPECT_GT(fs::file_size(folder.path() / "ring.obj"), GeometryCache::kLeastMeshBytes);
  folder.write("arm.urdf", R"(<robot name="arm">
    <link name="base"><collision><geometry><mesh filename="ring.obj"/></geometry></collision></link>
    <link name="tip"><collision><origin xyz="0.4 0 0.05" rpy="0.1 0.2 0.3"/>
      <geometry><mesh filename="wheel.stl" scale="1 -1 1"/></geometry></collision>
      <collision><geometry><sphere radius="0.02"/></geometry></collision></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="tip"/>
      <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint></robot>)");
  return folder.write("cell.json", R"({"proven": 1,
    "robots": [{"name": "arm", "urdf": "arm.urdf"}],
    "obstacles": [{"name": "hoop", "mesh": "hoop.obj", "pose": {"xyz": [0, 0, 0.6]}}],
    "attached": [{"name": "held", "link": "arm/tip", "mesh": "ring.obj", "scale": 0.3,
                  "pose": {"xyz": [0.7, 0, 0.05]}}]})");
}

// Every bit of what a body has been prepared to.
Hash128 fingerprint(const Scene& scene) {
  Hasher hasher;
  const auto add = [&](const auto& values) {
    for (const auto& value : values)
      hasher.add_bytes(std::span(reinterpret_cast<const std::uint8_t*>(&value), sizeof value));
    hasher.add(static_cast<std::uint64_t>(std::size(values)));
  };
  for (const Body& body : scene.bodies()) {
    const BodyGeometry& g = *body.geometry;
    add(g.triangles());
    for (const BoxNode& n : g.box_tree().nodes) {
      add(std::array{n.centre, n.half});
      add(std::array{n.first_child, n.item, n.first_item, n.end_item, n.first_point, n.num_points});
    }
    add(g.box_tree().order);
    add(g.box_tree().points);
    add(std::array{g.box_tree().bounds.lo, g.box_tree().bounds.hi});
    add(g.bounds());
    add(std::array{g.bounding_sphere().radius, g.max_coordinate()});
    add(std::array{g.bounding_sphere().centre, Vec3{}});
    add(std::array{g.hash().high, g.hash().low});
    for (const Component& c : g.components()) {
      add(std::array{c.point});
      add(std::array{int{c.closed}, int{c.directed}, c.first_piece});
    }
  }
  return hasher.finish();
}

Scene load(const fs::path& file, const fs::path& cache) {
  SceneOptions options;
  options.cache = cache;
  return must(load_scene(file, options));
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::exists(folder))
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(GeometryCache, ColdWarmAndWithoutGiveTheSameBits) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), cache = folder.path() / "a" / "cache";
  const Scene without = load(cell, {});
  EXPECT_FALSE(fs::exists(cache));
  const Scene cold = load(cell, cache);
  // Meshes ring and hoop (a binary STL is quicker to read than to look up); shapes of four bodies.
  EXPECT_EQ(entries(cache).size(), 6u);
  const Scene warm = load(cell, cache);
  EXPECT_EQ(entries(cache).size(), 6u);
  for (const Scene* scene : {&cold, &warm}) {
    EXPECT_EQ(scene->hash().hex(), without.hash().hex());
    EXPECT_EQ(fingerprint(*scene).hex(), fingerprint(without).hex());
  }
  Path path;
  path.waypoints = {{-0.5}, {0.5}};
  CheckOptions options;
  options.certificate = true;
  Scratch scratch;
  const CheckResult expected = must(check(without, path, options, scratch));
  EXPECT_FALSE(expected.certificate.empty());
  for (const Scene* scene : {&cold, &warm}) {
    Scratch fresh;
    const CheckResult result = must(check(*scene, path, options, fresh));
    EXPECT_EQ(result.verdict, expected.verdict);
    EXPECT_EQ(result.certificate, expected.certificate);
    EXPECT_EQ(result.stats.box_tests, expected.stats.box_tests);
    EXPECT_EQ(result.stats.triangle_tests, expected.stats.triangle_tests);
  }
}

TEST(GeometryCache, DamagedEntriesAreMadeAnew) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), cache = folder.path() / "cache";
  const std::string expected = fingerprint(load(cell, cache)).hex();
  const std::vector<fs::path> files = entries(cache);
  std::vector<std::string> whole;
  for (const fs::path& file : files) whole.push_back(bytes_of(file));
  Random random(5);
  int rounds = 0;
  const auto expect_restored = [&] {
    ASSERT_EQ(fingerprint(load(cell, cache)).hex(), expected);
    ASSERT_EQ(entries(cache), files);
    for (std::size_t i = 0; i < files.size(); ++i) ASSERT_EQ(bytes_of(files[i]), whole[i]);
    ++rounds;
  };
  // The header byte by byte, then somewhere in each stretch of the contents; all entries at once.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 56; i += 1 + static_cast<std::size_t>(cases(100) < 50))
    places.push_back(i);
  for (int i = 0; i < cases(60); ++i)
    places.push_back(static_cast<std::size_t>(random.index(30'000)));
  for (const std::size_t place : places) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::string damaged = whole[i];
      damaged[place % damaged.size()] =
          static_cast<char>(damaged[place % damaged.size()] ^ (1 << random.index(8)));
      write(files[i], damaged);
    }
    ASSERT_NO_FATAL_FAILURE(expect_restored());
  }
  for (int n = 0; n < cases(40); ++n) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const int size = static_cast<int>(whole[i].size());
      const int kept = n < 4 ? n * 28 : n < 8 ? size - 1 - n : random.index(size);
      write(files[i],
            n % 5 == 4 ? whole[i] + "more" : whole[i].substr(0, static_cast<std::size_t>(kept)));
    }
    ASSERT_NO_FATAL_FAILURE(expect_restored());
  }
  // Whole entries under each other's names.
  for (std::size_t i = 0; i < files.size(); ++i) write(files[i], whole[(i + 1) % files.size()]);
  ASSERT_NO_FATAL_FAILURE(expect_restored());
  EXPECT_GT(rounds, 30);
}

// Entries that are whole, but not by us: they must not crash, and never make a box too small.
TEST(GeometryCache, NonsenseWithTheRightSumIsRefused) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), path = folder.path() / "cache";
  const Scene fresh = load(cell, {});
  GeometryCache cache(path);
  Random random(6);
  for (int n = 0; n < cases(60); ++n) {
    for (const Body& body : fresh.bodies()) {
      BoxTreeShape shape = shape_of(body.geometry->box_tree());
      std::vector<int>& list = n % 2 == 0 ? shape.order : shape.splits;
      int& value = list[static_cast<std::size_t>(random.index(static_cast<int>(list.size())))];
      if (n % 3 == 0)
        list.pop_back();
      else if (n % 3 == 1)
        value = random.index(1 << 30) - (1 << 29);
      else
        list.assign(list.size(), random.index(9) - 1);
      cache.store(body.geometry->hash(), shape);
    }
    EXPECT_EQ(fingerprint(load(cell, path)).hex(), fingerprint(fresh).hex());
  }
  TriangleMesh mesh = torus(1, 0.2);
  const Hash128 key{1, 2};
  cache.store_mesh(key, mesh);
  ASSERT_TRUE(cache.find_mesh(key));
  EXPECT_EQ(cache.find_mesh(key)->vertices, mesh.vertices);
  EXPECT_EQ(cache.find_mesh(key)->triangles, mesh.triangles);
  mesh.triangles.back()[1] = static_cast<std::uint32_t>(mesh.vertices.size());
  cache.store_mesh(key, mesh);
  EXPECT_FALSE(cache.find_mesh(key));
  EXPECT_FALSE(cache.find_mesh({2, 1}));
  EXPECT_FALSE(cache.find(key));  // a mesh is no shape
}

// load_scene_source is what verifiers read: a forged entry must not reach them.
TEST(GeometryCache, SourcesComeFromTheFilesAlone) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), path = folder.path() / "cache";
  const std::string expected = load(cell, path).hash().hex();
  // Every mesh in the cache becomes another one, with a sum that is right.
  const TriangleMesh other = torus(0.01, 0.002);
  GeometryCache cache(path);
  for (const fs::path& file : entries(path)) {
    const std::string name = file.filename().string();
    if (name.find("-mesh") == std::string::npos) continue;
    cache.store_mesh({std::stoull(name.substr(0, 16), nullptr, 16),
                      std::stoull(name.substr(16, 16), nullptr, 16)},
                     other);
  }
  EXPECT_NE(load(cell, path).hash().hex(), expected);
  SceneOptions options;
  options.cache = path;
  const std::vector<fs::path> before = entries(path);
  const SceneSource source = must(load_scene_source(cell, options));
  EXPECT_EQ(must(build_scene(source)).hash().hex(), expected);
  EXPECT_EQ(entries(path), before);
  for (const RobotLink& link : source.robots[0].robot.links) EXPECT_FALSE(link.geometry);
}

TEST(GeometryCache, AChangedFileIsReadAnew) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), cache = folder.path() / "cache";
  const std::string before = load(cell, cache).hash().hex();
  must(save_obj(folder.path() / "ring.obj", torus(0.21, 0.05)));
  const std::string after = load(cell, cache).hash().hex();
  EXPECT_NE(after, before);
  EXPECT_EQ(after, load(cell, {}).hash().hex());
}

TEST(GeometryCache, ManyWriteAndReadAtOnce) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder), path = folder.path() / "cache";
  const Scene scene = load(cell, {});
  const Hash128 key = scene.body(0).geometry->hash();
  const BoxTreeShape shape = shape_of(scene.body(0).geometry->box_tree());
  std::atomic<int> found = 0;
  parallel_for(cases(400), 4, [&](int item, int) {
    GeometryCache cache(path);
    if (item % 4 == 0) cache.store(key, shape);
    if (const auto read = cache.find(key)) {
      EXPECT_EQ(*read, shape);
      ++found;
    }
  });
  EXPECT_GT(found, 0);
  EXPECT_EQ(entries(path).size(), 1u);  // nothing half-written is left
}

TEST(GeometryCache, WhatWasNotUsedForLongestGoesFirst) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = torus(1, 0.2);
  const std::uintmax_t size = mesh.vertices.size() * 24 + mesh.triangles.size() * 12;
  GeometryCache cache(folder.path(), 3 * size + size / 2);  // room for three
  folder.write("foreign.txt", std::string(4 * size, 'x'));
  const auto age = [&](std::uint64_t key, int hours) {
    for (const fs::path& file : entries(folder.path()))
      if (file.filename().string().starts_with(Hash128{key, 0}.hex()))
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (std::uint64_t key = 1; key <= 3; ++key) {
    cache.store_mesh({key, 0}, mesh);
    age(key, 10 - static_cast<int>(key));
  }
  EXPECT_TRUE(cache.find_mesh({1, 0}));  // used again: now the youngest
  cache.store_mesh({4, 0}, mesh);
  EXPECT_TRUE(cache.find_mesh({1, 0}));
  EXPECT_FALSE(cache.find_mesh({2, 0}));
  EXPECT_TRUE(cache.find_mesh({3, 0}));
  EXPECT_TRUE(cache.find_mesh({4, 0}));
  EXPECT_TRUE(fs::exists(folder.path() / "foreign.txt"));
  GeometryCache small(folder.path() / "small", size / 2);
  small.store_mesh({1, 0}, mesh);
  EXPECT_FALSE(small.find_mesh({1, 0}));  // larger than all that may be kept
}

TEST(GeometryCache, AFolderThatCannotBeWrittenIsNoError) {
  const TemporaryFolder folder;
  const fs::path cell = write_cell(folder);
  const fs::path file = folder.write("file", "no folder");
  EXPECT_EQ(fingerprint(load(cell, file / "cache")).hex(), fingerprint(load(cell, {})).hex());
  EXPECT_EQ(fingerprint(load(cell, file)).hex(), fingerprint(load(cell, {})).hex());
  EXPECT_EQ(fingerprint(load(cell, "/proc/nowhere")).hex(), fingerprint(load(cell, {})).hex());
}

// Puts the environment back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(GeometryCache, FolderOfTheEnvironment) {
  const Variable home("HOME", "/home/me");
  const Variable unset("PROVEN_CACHE", nullptr), no_xdg("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(default_cache_folder(), "/home/me/.cache/proven/geometry");
  {
    const Variable xdg("XDG_CACHE_HOME", "/var/me");
    EXPECT_EQ(default_cache_folder(), "/var/me/proven/geometry");
    const Variable off("PROVEN_CACHE", "off");
    EXPECT_EQ(default_cache_folder(), "");
    const Variable other("PROVEN_CACHE", "/scratch/kept");
    EXPECT_EQ(default_cache_folder(), "/scratch/kept");
  }
  const Variable relative("XDG_CACHE_HOME", "not/absolute");  // to be ignored, says its standard
  EXPECT_EQ(default_cache_folder(), "/home/me/.cache/proven/geometry");
  const Variable homeless("HOME", nullptr);
  EXPECT_EQ(default_cache_folder(), "");
}

}  // namespace
}  // namespace proven::test
