// What sensors saw, from files of every kind: against what was written, brute force and the library
// of OctoMap.
#include <octomap/octomap.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/sensed_readers.h"
#include "io_support.h"
#include "proven/base/random.h"
#include "proven/geometry/body_geometry.h"
#include "proven/io/scene_file.h"
#include "proven/io/sensed_file.h"
#include "proven/scene/scene_source.h"
#include "sensed_files.h"

namespace proven::test {
namespace {

using Cell = std::array<std::int32_t, 3>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Sensed : public testing::Test {
 protected:
  Result<SceneSource> load(const std::string& shape) const {
    return load_scene_source(folder_.write(
        "scene.json", R"({"proven": 1, "obstacles": [{"name": "seen", )" + shape + "}]}"));
  }
  std::string error(const std::string& shape) const { return error_text(load(shape)); }
  CollisionElement element(const std::string& shape) const {
    return must(load(shape)).obstacles.at(0).elements.at(0);
  }
  PointCloud cloud(const std::string& shape) const {
    return *std::get<std::shared_ptr<const PointCloud>>(element(shape).shape);
  }
  VoxelSet voxels(const std::string& shape) const {
    return *std::get<std::shared_ptr<const VoxelSet>>(element(shape).shape);
  }
  void expect_error(const std::string& shape, const std::string& part) const {
    EXPECT_NE(error(shape).find(part), std::string::npos) << error(shape) << "\nexpected: " << part;
  }

  TemporaryFolder folder_;
  Random random_{5};
};

std::vector<Vec3> some_points(Random& random, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    // Floats exactly, so that every encoding holds the same.
    const auto coordinate = [&] {
      return static_cast<double>(static_cast<float>(random.uniform(-2, 2)));
    };
    const double x = coordinate(), y = coordinate(), z = coordinate();
    points.push_back({x, y, z});
  }
  return points;
}

std::string ply(const std::vector<Vec3>& points, const std::string& encoding,
                const std::string& more = "") {
  std::string text = fmt::format(
      "ply\nformat {} 1.0\ncomment c\nelement vertex {}\nproperty double x\nproperty float y\n{}"
      "property double z\nend_header\n",
      encoding, points.size(), more);
  const bool big = encoding == "binary_big_endian";
  for (const Vec3& p : points) {
    if (encoding == "ascii")
      text += fmt::format("{} {} {}{}\n", p.x, p.y, more.empty() ? "" : "9 ", p.z);
    else
      text += bytes_of(p.x, big) + bytes_of(static_cast<float>(p.y), big) +
              (more.empty() ? "" : "\x09") + bytes_of(p.z, big);
  }
  return text;
}

std::vector<double> flat(const std::vector<Vec3>& points) {
  std::vector<double> values;
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) values.push_back(p[i]);
  return values;
}

TEST_F(Sensed, PointsAreTheSameInEveryEncoding) {
  const std::vector<Vec3> points = some_points(random_, 60);
  std::vector<float> floats;
  for (const double x : flat(points)) floats.push_back(static_cast<float>(x));
  std::vector<double> columns;
  for (int i = 0; i < 3; ++i)
    for (const Vec3& p : points) columns.push_back(p[i]);
  std::map<std::string, std::string> files = {
      {"ascii.ply", ply(points, "ascii")},
      {"little.ply", ply(points, "binary_little_endian", "property uchar red\n")},
      {"big.ply", ply(points, "binary_big_endian")},
      {"f8.npy", npy("<f8", "60, 3", packed(flat(points)))},
      {"f4.npy", npy("<f4", "60, 3", packed(floats), false, 2)},
      {"big.npy", npy(">f8", "5, 12, 3", packed(flat(points), true), false, 3)},
      {"fortran.npy", npy("<f8", "60, 3", packed(columns), true)}};
  for (const char* data : {"ascii", "binary", "binary_compressed"})
    for (const bool doubles : {false, true})
      for (const bool intensity : {false, true})
        files[fmt::format("{}{}{}.pcd", data, doubles, intensity)] =
            pcd(points, {data, "0 0 0 1 0 0 0", doubles, intensity, 5});
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    folder_.write(name, bytes);
    const PointCloud read =
        cloud(fmt::format(R"("cloud": {{"points": "{}", "radius": 0.02}})", name));
    EXPECT_EQ(read.points, points);
    EXPECT_EQ(read.radius, 0.02);
  }
}

// Cut anywhere, or longer than it says, a file is refused.
TEST_F(Sensed, CutFilesAreRefused) {
  const std::vector<Vec3> points = some_points(random_, 7);
  const std::string half = png(4, 3, std::vector<int>(12, 700));
  const std::map<std::string, std::pair<std::string, std::string>> files = {
      {"a.pcd", {pcd(points, {"binary"}), R"("cloud": {"points": "a.pcd", "radius": 0.1})"}},
      {"c.pcd",
       {pcd(points, {"binary_compressed"}), R"("cloud": {"points": "c.pcd", "radius": 0.1})"}},
      {"t.pcd", {pcd(points), R"("cloud": {"points": "t.pcd", "radius": 0.1})"}},
      {"p.npy",
       {npy("<f8", "7, 3", packed(flat(points))),
        R"("cloud": {"points": "p.npy", "radius": 0.1})"}},
      {"d.png", {half, R"("heights": {"file": "d.png", "size": 0.1, "scale": 0.001, "floor": 0})"}},
      {"m.bt",
       {octomap_header(true, 4) + octomap_node({2, 1, 0, 0, 0, 0, 0, 3}) +
            octomap_node({0, 0, 0, 0, 0, 0, 0, 0}),
        R"("octomap": {"file": "m.bt", "unknown": "free", "region": [[-3276.8, -3276.8, -3276.8], [-3276.7, -3276.7, -3276.7]]})"}}};
  for (const auto& [name, file] : files) {
    const auto& [bytes, shape] = file;
    folder_.write(name, bytes);
    EXPECT_EQ(error(shape), "no error") << name;
    const std::size_t whole = bytes.size() - 1;
    for (std::size_t size = 0; size <= whole; size += size < 200 ? 9 : 3) {
      folder_.write(name, bytes.substr(0, size));
      EXPECT_NE(error(shape), "no error") << name << " cut to " << size << " of " << bytes.size();
    }
    folder_.write(name, bytes + "1 2 3 4");
    EXPECT_NE(error(shape), "no error") << name;
  }
}

TEST_F(Sensed, PointsWithoutAPlaceNeedAWord) {
  std::vector<Vec3> points = some_points(random_, 5);
  points[1].x = kNan;
  points[4] = {kNan, kNan, kNan};
  folder_.write("a.pcd", pcd(points));
  folder_.write("b.pcd", pcd(points, {"binary"}));
  folder_.write("c.ply", ply(points, "ascii"));
  folder_.write("d.npy", npy("<f8", "5, 3", packed(flat(points))));
  for (const char* name : {"a.pcd", "b.pcd", "c.ply", "d.npy"}) {
    const std::string start = fmt::format(R"("cloud": {{"points": "{}", "radius": 0.1)", name);
    expect_error(start + "}", "2 points have no place (not finite); say what that counts as");
    expect_error(start + R"(, "unknown": "occupied"})", "the file does not say");
    EXPECT_EQ(cloud(start + R"(, "unknown": "free"})").points.size(), 3u);
    EXPECT_NE(element(start + R"(, "unknown": "free"})")
                  .source.find("2 points that were not seen count as free"),
              std::string::npos);
    expect_error(start + R"(, "unknown": "fre"})", "did you mean 'free'");
  }
}

TEST_F(Sensed, AViewpointNeedsAWord) {
  const std::vector<Vec3> points = {{1, 2, 3}, {4, 5, 6}};
  folder_.write("a.pcd", pcd(points, {"ascii", "10 20 30 0 0 0 1"}));  // half a turn about z
  const std::string start = R"("cloud": {"points": "a.pcd", "radius": 0.1)";
  expect_error(start + "}", "say whose coordinates they are");
  EXPECT_EQ(cloud(start + R"(, "coordinates": "world"})").points, points);
  EXPECT_EQ(cloud(start + R"(, "coordinates": "sensor"})").points,
            (std::vector<Vec3>{{9, 18, 33}, {6, 15, 36}}));
  EXPECT_EQ(cloud(start + R"(, "coordinates": "sensor", "scale": 0.5})").points,
            (std::vector<Vec3>{{4.5, 9, 16.5}, {3, 7.5, 18}}));
}

TEST_F(Sensed, FieldsThatMayMeanSomethingNeedAWord) {
  std::string text = pcd({{1, 2, 3}, {3, 4, 5}});
  text.replace(text.find("intensity"), 9, "confidenc");
  folder_.write("a.pcd", text);
  folder_.write("b.ply", ply({{1, 2, 3}, {3, 4, 5}}, "ascii", "property uchar confidenc\n"));
  for (const char* name : {"a.pcd", "b.ply"}) {
    const std::string start = fmt::format(R"("cloud": {{"points": "{}", "radius": 0.1)", name);
    expect_error(
        start + "}",
        R"(a field 'confidenc'; if it says nothing of where they are, give "ignore": ["confidenc"])");
    EXPECT_EQ(cloud(start + R"(, "ignore": ["confidenc"]})").points.size(), 2u);
    expect_error(start + R"(, "ignore": ["confidence"]})",
                 "no field 'confidence', did you mean 'confidenc'?");
  }
}

TEST_F(Sensed, RegionAndScale) {
  const std::string listed =
      R"("cloud": {"points": [[0, 0, 0], [1000, 2000, 3000], [9000, 0, 0]], "scale": 0.001, "radius": 0.1)";
  EXPECT_EQ(cloud(listed + "}").points, (std::vector<Vec3>{{0, 0, 0}, {1, 2, 3}, {9, 0, 0}}));
  const std::string kept = listed + R"(, "region": [[0, -1, -1], [1, 2, 3]]})";
  EXPECT_EQ(cloud(kept).points, (std::vector<Vec3>{{0, 0, 0}, {1, 2, 3}}));
  EXPECT_NE(element(kept).source.find("1 points outside the region left out"), std::string::npos);
  expect_error(listed + R"(, "region": [[20, 0, 0], [21, 1, 1]]})", "there is no point");
  expect_error(listed + R"(, "region": [[1, 0, 0], [0, 1, 1]]})",
               "each coordinate of the first below");
  expect_error(R"("cloud": {"points": [[0, 0, 0]], "unknown": "free"})",
               "is for points from a file");
  expect_error(R"("cloud": {"points": [[0, 0, 2e7]], "radius": 1})", "too far away");
}

TEST_F(Sensed, PointsAreWrittenBitForBit) {
  const std::vector<Vec3> points = {{0.1, -2e-300, 3}, {kNan, 1, 1}, {1e6, 0, -0.0}};
  const auto file = folder_.path() / "points.npy";
  must(save_points(file, points));
  const std::vector<Vec3> read = must(load_points(file));
  ASSERT_EQ(read.size(), 3u);
  EXPECT_EQ(std::memcmp(read.data(), points.data(), sizeof(Vec3) * 3), 0);
  EXPECT_NE(error_text(save_points(folder_.path() / "points.pcd", points)), "no error");
  folder_.write("v.pcd", pcd({{1, 2, 3}}, {"ascii", "0 0 1 1 0 0 0"}));
  EXPECT_NE(error_text(load_points(folder_.path() / "v.pcd")).find("VIEWPOINT"), std::string::npos);
  std::string text = pcd({{1, 2, 3}});
  folder_.write("f.pcd", text.replace(text.find("intensity"), 9, "radius"));
  EXPECT_NE(error_text(load_points(folder_.path() / "f.pcd")).find("field 'radius'"),
            std::string::npos);
  EXPECT_EQ(must(radius_of_spacing({{0, 0, 0}, {2, 0, 0}})), std::sqrt(2.0));
  EXPECT_NE(error_text(radius_of_spacing(points)), "no error");
}

// --- The radius from the spacing ---

double brute_force_radius(const std::vector<Vec3>& points) {
  std::vector<double> squares;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double best = INFINITY;
    bool first = true;  // of its place
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (points[i] == points[j]) first = first && j >= i;
      if (points[i] == points[j]) continue;
      const Vec3 d = points[i] - points[j];
      best = std::min(best, d.x * d.x + d.y * d.y + d.z * d.z);
    }
    if (first) squares.push_back(best);
  }
  std::sort(squares.begin(), squares.end());
  return std::sqrt(0.5 * squares[static_cast<std::size_t>(
                                     std::ceil(0.95 * static_cast<double>(squares.size()) - 1e-9)) -
                                 1]);
}

TEST_F(Sensed, SpacingAgreesWithBruteForce) {
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points = some_points(random_, 2 + random_.index(200));
    const int flat_axis = random_.index(6);
    for (Vec3& p : points) {
      if (flat_axis < 3) p[flat_axis] = 0.5;  // a wall
      if (flat_axis == 4)
        for (int i = 0; i < 3; ++i) p[i] = std::round(8 * p[i]) / 8;  // a grid
    }
    if (round % 3 == 0) points.push_back(points[0]);    // one place twice
    if (round % 7 == 0) points.push_back({100, 0, 0});  // far from all
    EXPECT_EQ(io::spacing_radius(points), brute_force_radius(points)) << round;
  }
  EXPECT_EQ(io::spacing_radius({{1, 2, 3}, {1, 2, 3}}), std::nullopt);
  expect_error(R"("cloud": {"points": [[1, 2, 3]]})", "give its \"radius\"");
}

// Clouds that are hard for a search along a curve: all of them in one of its cells but for one that
// is far away, dense here and thin there, places many times over, places closer than squares can
// tell.
TEST_F(Sensed, SpacingOfUnevenCloudsAgreesWithBruteForce) {
  for (int round = 0; round < 24; ++round) {
    std::vector<Vec3> points = some_points(random_, 900);
    const auto scale_some = [&](std::size_t first, double factor) {
      for (std::size_t i = first; i < points.size(); ++i) points[i] = factor * points[i];
    };
    if (round % 4 == 0) scale_some(0, 1e-6), points.push_back({1e6, 0, 0});
    if (round % 4 == 1) scale_some(100, 0.01);
    if (round % 4 == 2) std::fill(points.begin() + 200, points.end(), Vec3{});
    if (round % 4 == 3) scale_some(random_.index(2) == 0 ? 0 : 450, 1e-200);
    EXPECT_EQ(io::spacing_radius(points), brute_force_radius(points)) << round;
  }
  // Most have their nearest place across the middle of the curve, where those beside them along it
  // are much farther away; the answer is of the few others.
  std::vector<Vec3> points;
  for (int j = 0; j < 21; ++j)
    for (int k = 0; k < 20; ++k)
      for (const double x : {-0.001, 0.001}) points.push_back({x, 0.1 * j - 1, 0.1 * k - 1});
  for (int j = 0; j < 6; ++j)
    for (int k = 0; k < 10; ++k) points.push_back({-1, 0.05 * j - 1, 0.05 * k - 1});
  EXPECT_NEAR(brute_force_radius(points), 0.05 / std::sqrt(2.0), 1e-9);
  EXPECT_EQ(io::spacing_radius(points), brute_force_radius(points));
  EXPECT_NE(error_text(radius_of_spacing({{0, 0, 0}, {1e300, 0, 0}})), "no error");
}

// Balls of that radius cover a wall that is sampled in a square grid, and smaller ones do not.
TEST_F(Sensed, SpacingCoversASquareGrid) {
  std::vector<Vec3> points;
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 30; ++j) points.push_back({0.1 * i, 0.1 * j, 1});
  const double radius = io::spacing_radius(points).value();
  double farthest = 0;
  for (int round = 0; round < 2000; ++round) {
    const Vec3 p{random_.uniform(0, 2.9), random_.uniform(0, 2.9), 1};
    double nearest = INFINITY;
    for (const Vec3& q : points) nearest = std::min(nearest, norm(p - q));
    farthest = std::max(farthest, nearest);
  }
  EXPECT_LE(farthest, radius * (1 + 1e-12));
  EXPECT_GT(farthest, 0.9 * radius);
}

// --- Voxels ---

TEST_F(Sensed, GridsOfNumpy) {
  // 2 x 3 x 2; [1, 2, 0] and [0, 0, 1] are occupied, [1, 0, 1] is unknown.
  std::vector<std::uint8_t> grid(12, 0);
  const auto at = [](int x, int y, int z) { return static_cast<std::size_t>((x * 3 + y) * 2 + z); };
  grid[at(1, 2, 0)] = grid[at(0, 0, 1)] = 1;
  folder_.write("bool.npy", npy("|b1", "2, 3, 2", packed(grid)));
  std::vector<std::uint8_t> turned(12);
  for (int x = 0; x < 2; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 2; ++z)
        turned[static_cast<std::size_t>(x + 2 * (y + 3 * z))] = grid[at(x, y, z)];
  folder_.write("fortran.npy", npy("|u1", "2, 3, 2", packed(turned), true));
  grid[at(1, 0, 1)] = 255;
  folder_.write("u1.npy", npy("|u1", "2, 3, 2", packed(grid)));
  folder_.write("i1.npy", npy("|i1", "2, 3, 2", packed(grid)));
  folder_.write("rows.npy",
                npy("<i8", "2, 3", packed(std::vector<std::int64_t>{1, 2, 0, 0, 0, 1})));
  folder_.write("f8.npy", npy("<f8", "1, 1, 1", packed(std::vector<double>{1})));
  const auto read = [&](const std::string& name, const std::string& more = "") {
    return fmt::format(R"("voxels": {{"cells": "{}", "size": 0.25{}}})", name, more);
  };
  const std::vector<Cell> two = {{0, 0, 1}, {1, 2, 0}}, three = {{0, 0, 1}, {1, 0, 1}, {1, 2, 0}};
  for (const char* name : {"bool.npy", "fortran.npy"})
    EXPECT_EQ(voxels(read(name)).cells, two) << name;
  EXPECT_EQ(voxels(read("rows.npy")).cells, (std::vector<Cell>{{1, 2, 0}, {0, 0, 1}}));
  for (const char* name : {"u1.npy", "i1.npy"}) {
    expect_error(read(name), "1 cells are unknown; say what that counts as");
    EXPECT_EQ(voxels(read(name, R"(, "unknown": "free")")).cells, two) << name;
    EXPECT_EQ(voxels(read(name, R"(, "unknown": "occupied")")).cells, three) << name;
  }
  EXPECT_EQ(voxels(read("bool.npy")).size, 0.25);
  expect_error(read("f8.npy"), "compare with your threshold");
  grid[3] = 100;
  folder_.write("odd.npy", npy("|u1", "2, 3, 2", packed(grid)));
  expect_error(read("odd.npy", R"(, "unknown": "free")"),
               "the value 100 at [0, 1, 1] is neither 0 (free), 1 (occupied) nor 255 (unknown)");
  EXPECT_EQ(voxels(R"("voxels": {"size": 0.1, "cells": [[-3, 0, 7]]})").cells,
            (std::vector<Cell>{{-3, 0, 7}}));
  expect_error(R"("voxels": {"size": 0.1, "cells": [[0.5, 0, 0]]})", "a whole number");
  expect_error(R"("parts": [{"voxels": {"size": 0.1, "cells": [[0, 0, 0]]}}, {"sphere": 1}])",
               "only shape of its body");
}

// --- OctoMap, against its own library ---

// What the library says of the cell with these indices.
int library_state(const octomap::OcTree& tree, const Cell& cell) {
  octomap::OcTreeKey key;
  for (unsigned i = 0; i < 3; ++i) key[i] = static_cast<octomap::key_type>(cell[i] + 32768);
  const octomap::OcTreeNode* node = tree.search(key);
  if (!node) return 0;
  return tree.isNodeOccupied(node) ? 2 : 1;
}

TEST_F(Sensed, OctomapsAreReadAsTheirLibraryReadsThem) {
  for (int round = 0; round < 6; ++round) {
    octomap::OcTree tree(0.05);
    for (int ray = 0; ray < 40; ++ray) {
      const auto number = [&] { return static_cast<float>(random_.uniform(-0.6, 0.6)); };
      const octomap::point3d from(number(), number(), number()), to(number(), number(), number());
      tree.insertRay(from, to);
    }
    if (round % 2 == 1)  // a block, which is kept as few large cubes
      for (int i = 0; i < 512; ++i)
        tree.setNodeValue(octomap::OcTreeKey(static_cast<octomap::key_type>(32768 + i % 8),
                                             static_cast<octomap::key_type>(32776 + i / 8 % 8),
                                             static_cast<octomap::key_type>(32768 + i / 64)),
                          2.f);
    tree.updateInnerOccupancy();
    tree.prune();
    tree.write((folder_.path() / "map.ot").string());
    tree.writeBinary((folder_.path() / "map.bt").string());  // makes it maximum likelihood
    octomap::OcTree full(0.05), likely((folder_.path() / "map.bt").string());
    auto* read = dynamic_cast<octomap::OcTree*>(
        octomap::AbstractOcTree::read((folder_.path() / "map.ot").string()));
    ASSERT_TRUE(read);
    const std::unique_ptr<octomap::OcTree> owned(read);
    for (const auto& [name, map] : {std::pair("map.ot", read), std::pair("map.bt", &likely)}) {
      for (const bool occupied : {false, true}) {
        const VoxelSet set = voxels(fmt::format(
            R"("octomap": {{"file": "{}", "unknown": "{}", "region": [[-0.71, -0.3, -0.7], [0.7, 0.725, 0.7]]}})",
            name, occupied ? "occupied" : "free"));
        ASSERT_EQ(set.size, 0.05);
        const std::set<Cell> cells(set.cells.begin(), set.cells.end());
        EXPECT_EQ(cells.size(), set.cells.size());
        int inside = 0;
        // -0.71 / 0.05 = -14.2: cells from -15 on overlap the region.
        for (std::int32_t x = -17; x < 17; ++x)
          for (std::int32_t y = -17; y < 17; ++y)
            for (std::int32_t z = -17; z < 17; ++z) {
              const bool in = x >= -15 && x < 14 && y >= -6 && y < 15 && z >= -14 && z < 14;
              const int state = library_state(*map, {x, y, z});
              const bool wanted = in && (state == 2 || (state == 0 && occupied));
              inside += wanted;
              ASSERT_EQ(cells.contains({x, y, z}), wanted)
                  << name << " " << x << " " << y << " " << z;
            }
        EXPECT_EQ(inside, static_cast<int>(cells.size()));
        EXPECT_GT(inside, 10);
      }
    }
  }
}

TEST_F(Sensed, UnknownSpaceEndsWithWhatIsKnown) {
  octomap::OcTree tree(0.1);
  tree.insertRay({0.05f, 0.05f, 0.05f}, {0.95f, 0.25f, 0.05f});
  tree.write((folder_.path() / "map.ot").string());
  const VoxelSet set = voxels(R"("octomap": {"file": "map.ot", "unknown": "occupied"})");
  // 10 x 3 x 1 cells are around the ray; those that it passed are free, its end is occupied.
  std::set<Cell> wanted;
  for (std::int32_t x = 0; x < 10; ++x)
    for (std::int32_t y = 0; y < 3; ++y)
      if (library_state(tree, {x, y, 0}) != 1) wanted.insert({x, y, 0});
  EXPECT_EQ(std::set<Cell>(set.cells.begin(), set.cells.end()), wanted);
  EXPECT_EQ(voxels(R"("octomap": {"file": "map.ot", "unknown": "free"})").cells,
            (std::vector<Cell>{{9, 2, 0}}));
  expect_error(R"("octomap": {"file": "map.ot"})", "\"unknown\": \"free\" or \"occupied\"");
  const std::string note =
      element(R"("octomap": {"file": "map.ot", "unknown": "occupied"})").source;
  EXPECT_NE(note.find("unknown space counts as occupied"), std::string::npos) << note;
}

TEST_F(Sensed, OctomapsWithColoursAndOfOneNode) {
  // One leaf: the whole map is occupied.
  folder_.write("one.ot", octomap_header(false, 1, "0.001") + bytes_of(1.f) + std::string(1, '\0'));
  const VoxelSet whole = voxels(R"("octomap": {"file": "one.ot", "unknown": "free"})");
  EXPECT_EQ(whole.cells.size(), 8u);
  EXPECT_EQ(whole.size, 32.768);
  const std::string coloured = octomap_header(false, 2, "0.5", "ColorOcTree") + bytes_of(-1.f) +
                               "rgb\x80" + bytes_of(0.f) + std::string("rgb\0", 4);
  folder_.write("colour.ot", coloured);
  EXPECT_EQ(voxels(R"("octomap": {"file": "colour.ot", "unknown": "free"})").cells,
            (std::vector<Cell>{{0, 0, 0}}));
  folder_.write("odd.ot",
                octomap_header(false, 1, "0.001") + bytes_of(std::nanf("")) + std::string(1, '\0'));
  expect_error(R"("octomap": {"file": "odd.ot", "unknown": "free"})", "not finite");
  folder_.write("deep.bt", octomap_header(true, 40) + std::string(80, '\xFF'));
  expect_error(R"("octomap": {"file": "deep.bt", "unknown": "free"})", "deeper than 16 levels");
}

// --- Depth images ---

struct View {
  std::size_t columns = 24, rows = 16;
  double fx = 20, fy = 22, cx = 11.25, cy = 8.5;
  std::vector<int> millimetres;

  explicit View(Random& random) {
    for (std::size_t i = 0; i < columns * rows; ++i) {
      const bool wall = i % columns < columns / 2;
      millimetres.push_back(random.index(20) == 0 ? 0
                            : wall                ? 900 + random.index(3)
                                                  : 1500 + random.index(400));
    }
  }
  std::string camera() const {
    return fmt::format(R"("camera": {{"fx": {}, "fy": {}, "cx": {}, "cy": {}}})", fx, fy, cx, cy);
  }
  double depth(std::size_t row, std::size_t column) const {
    return millimetres[row * columns + column] * 0.001;
  }
};

TEST_F(Sensed, DepthImagesAsPoints) {
  const View view(random_);
  folder_.write("d.png", png(view.columns, view.rows, view.millimetres));
  const PointCloud seen = cloud(
      R"("depth": {"file": "d.png", "scale": 0.001, "unknown": "free", )" + view.camera() + "}");
  std::vector<Vec3> points;
  for (std::size_t r = 0; r < view.rows; ++r)
    for (std::size_t c = 0; c < view.columns; ++c)
      if (const double z = view.depth(r, c); z > 0)
        points.push_back({(static_cast<double>(c) - view.cx) / view.fx * z,
                          (static_cast<double>(r) - view.cy) / view.fy * z, z});
  EXPECT_EQ(seen.points, points);
  EXPECT_LT(points.size(), view.millimetres.size());
  EXPECT_EQ(seen.radius, brute_force_radius(points));
  expect_error(R"("depth": {"file": "d.png", "unknown": "free", )" + view.camera() + "}",
               "give \"scale\"");
  expect_error(R"("depth": {"file": "d.png", "scale": 0.001, )" + view.camera() + "}",
               "say what that counts as");
  expect_error(R"("depth": {"file": "d.png", "scale": 0.001, "unknown": "free", "far": 3, )" +
                   view.camera() + "}",
               "which counts as free");
}

// What lies behind the surface, and in front of nothing that was seen, is in a cell; and there are
// few cells more than these.
TEST_F(Sensed, WhatIsHiddenIsInCells) {
  const View view(random_);
  folder_.write("d.png", png(view.columns, view.rows, view.millimetres));
  const double near = 0.3, far = 2.1, size = 0.07;
  const VoxelSet set = voxels(fmt::format(
      R"("depth": {{"file": "d.png", "scale": 0.001, "unknown": "occupied", "size": {}, "near": {}, "far": {}, {}}})",
      size, near, far, view.camera()));
  const std::set<Cell> cells(set.cells.begin(), set.cells.end());
  std::set<Cell> hit;
  int seen_free = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double z = random_.uniform(near, far);
    const double u = random_.uniform(-0.5, static_cast<double>(view.columns) - 0.5),
                 v = random_.uniform(-0.5, static_cast<double>(view.rows) - 0.5);
    const double depth = view.depth(static_cast<std::size_t>(std::lround(v)),
                                    static_cast<std::size_t>(std::lround(u)));
    const double x = (u - view.cx) / view.fx * z, y = (v - view.cy) / view.fy * z;
    const auto index = [&](double w) { return static_cast<std::int32_t>(std::floor(w / size)); };
    const Cell cell{index(x), index(y), index(z)};
    if (depth > 0 && z < depth) {
      seen_free += !cells.contains(cell);
      continue;
    }
    ASSERT_TRUE(cells.contains(cell)) << u << " " << v << " " << z;
    hit.insert(cell);
  }
  EXPECT_GT(seen_free, 10'000);
  EXPECT_GT(static_cast<double>(hit.size()), 0.8 * static_cast<double>(cells.size()));
  expect_error(
      fmt::format(
          R"("depth": {{"file": "d.png", "scale": 0.001, "unknown": "occupied", "size": 1e-7, "near": 0.3, "far": 2, {}}})",
          view.camera()),
      "too many cells");
}

// --- Heights ---

double height_of(const TriangleMesh& mesh, double x, double y) {
  double top = -INFINITY;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
    const double area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
    if (area <= 0) continue;  // walls and the floor
    const double u = ((b.x - x) * (c.y - y) - (c.x - x) * (b.y - y)) / area;
    const double v = ((c.x - x) * (a.y - y) - (a.x - x) * (c.y - y)) / area;
    if (u < 0 || v < 0 || u + v > 1) continue;
    top = std::max(top, u * a.z + v * b.z + (1 - u - v) * c.z);
  }
  return top;
}

TEST_F(Sensed, NothingSticksOutOfASolidOfHeights) {
  std::vector<float> heights;
  const std::size_t nx = 7, ny = 5;
  for (std::size_t i = 0; i < nx * ny; ++i)
    heights.push_back(i % ny < 3 ? 0.5f : static_cast<float>(random_.uniform(0.2, 1)));
  folder_.write("h.npy", npy("<f4", "7, 5", packed(heights)));
  const auto read = must(load(R"("heights": {"file": "h.npy", "size": 0.1, "floor": -0.25})"));
  const TriangleMesh mesh =
      *std::get<std::shared_ptr<const TriangleMesh>>(read.obstacles[0].elements[0].shape);
  for (int i = 0; i < 3000; ++i) {
    const double x = random_.uniform(0, 0.7), y = random_.uniform(0, 0.5);
    const auto column = static_cast<std::size_t>(x / 0.1) * ny + static_cast<std::size_t>(y / 0.1);
    ASSERT_GE(height_of(mesh, x, y), static_cast<double>(heights[column]) - 1e-12) << x << " " << y;
    if (y < 0.2) {
      ASSERT_NEAR(height_of(mesh, x, y), 0.5, 1e-12);  // a plateau stays one
    }
  }
  const auto body = must(BodyGeometry::build(read.obstacles[0].elements));
  ASSERT_EQ(body->components().size(), 1u);
  EXPECT_TRUE(body->components()[0].closed);
  heights[3] = -0.25f;
  folder_.write("low.npy", npy("<f4", "7, 5", packed(heights)));
  expect_error(R"("heights": {"file": "low.npy", "size": 0.1, "floor": -0.25})",
               "the height -0.25 at [0, 3] is not above the floor");
  heights[3] = std::nanf("");
  folder_.write("nan.npy", npy("<f4", "7, 5", packed(heights)));
  expect_error(R"("heights": {"file": "nan.npy", "size": 0.1, "floor": -0.25})",
               "the height nan at [0, 3]");
}

TEST_F(Sensed, PngOfEveryFilter) {
  std::vector<int> values;
  for (int i = 0; i < 9 * 11; ++i) values.push_back(i % 3 == 0 ? 65535 : random_.index(65536));
  const io::Array image = io::read_png(folder_.write("a.png", png(9, 11, values)));
  ASSERT_EQ(image.shape, (std::vector<std::size_t>{11, 9}));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(image[i], values[i]) << i;
  const std::string shape = R"("heights": {"file": "b.png", "size": 0.1, "scale": 1, "floor": -1})";
  folder_.write("b.png", png(9, 11, values, std::string("\x08\0\0\0\0", 5)));
  expect_error(shape, "8 bits and colour type 0; 16-bit grey is read");
  folder_.write("b.png", png(9, 11, values, std::string("\x10\0\0\0\1", 5)));
  expect_error(shape, "interlaced");
  std::string damaged = png(9, 11, values);
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  folder_.write("b.png", damaged);
  expect_error(shape, "checksum");
}

}  // namespace
}  // namespace proven::test
