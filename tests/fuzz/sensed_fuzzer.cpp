#include <fmt/format.h>
#include <zlib.h>

#include "fuzz.h"
#include "io/sensed_files.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"

namespace proven::fuzz {
namespace {

using namespace proven::test;

// A scene that names the input: the checker's reader and the verifier's take it or leave it both,
// and read the same.
bool sensed(Bytes input, const char* ending, const std::string& shape) {
  as_file(input, ending);
  const std::string text = R"({"proven": 1, "obstacles": [{"name": "seen", )" + shape + "}]}";
  const auto file =
      as_file({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "json");
  const auto ours = load_scene_source(file);
  const auto verifiers = verifier::read_scene(file);
  if (ours.ok() != verifiers.ok()) {
    if (!ours.ok()) tell(ours.error());
    if (!verifiers.ok()) tell(verifiers.error());
    broken("both readers take the same files");
  }
  if (!answers(ours)) return false;
  if (const auto difference = verifier::first_difference(ours.value(), verifiers.value()))
    broken("both readers read the same: " + *difference);
  return true;
}

bool points(Bytes input, const char* ending) {
  return sensed(
      input, ending,
      fmt::format(
          R"("cloud": {{"points": "input.{}", "unknown": "free", "coordinates": "sensor"}})",
          ending));
}

// Checksums are put right, else few inputs come further.
bool image(Bytes input) {
  std::string bytes(as_text(input));
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size = size << 8 | static_cast<unsigned char>(bytes[at + i]);
    if (size > bytes.size() - at - 12) break;
    const auto sum = static_cast<std::uint32_t>(crc32(
        0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), static_cast<uInt>(size + 4)));
    bytes.replace(at + 8 + size, 4, bytes_of(sum, true));
    at += 12 + size;
  }
  const Bytes whole(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return sensed(
      whole, "png",
      R"("depth": {"file": "input.png", "scale": 0.001, "unknown": "occupied", "size": 0.2, "near": 0.1, "far": 1, "camera": {"fx": 3, "fy": 3, "cx": 1.5, "cy": 1}})");
}

bool octomap(Bytes input, const char* ending) {
  // A small region: few bits can say that half of all space is occupied.
  return sensed(
      input, ending,
      fmt::format(
          R"("octomap": {{"file": "input.{}", "unknown": "occupied", "region": [[-0.05, -0.05, -0.05], [0.05, 0.05, 0.05]]}})",
          ending));
}

const std::vector<Vec3>& four_points() {
  static const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1.5, 0}, {0.25, 0, 2}};
  return points;
}

std::vector<std::string> pcds() {
  return {pcd(four_points()), pcd(four_points(), {"binary", "1 2 3 1 0 0 0", true, false, 2}),
          pcd(four_points(), {"binary_compressed"})};
}

std::vector<std::string> plys() {
  return {
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
      "z\n"
      "property uchar red\nend_header\n0 0 0 7\n1 nan 2 8\n1 0 2 8\n",
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\n"
      "property uchar red\nend_header\n0 0 0 7\n1 nan 2 8\n1 0 2 8\n"};
}

std::vector<std::string> npys() {
  std::vector<double> values;
  for (const Vec3& p : four_points())
    for (int i = 0; i < 3; ++i) values.push_back(p[i]);
  return {npy("<f8", "4, 3", packed(values)), npy(">f8", "2, 2, 3", packed(values, true), true, 2)};
}

std::vector<std::string> grids() {
  return {npy("|b1", "2, 2, 3", std::string("\1\0\0\1\0\0\0\0\0\1\0\1", 12)),
          npy("|i1", "3, 2, 2", std::string("\1\0\0\1\0\0\xFF\0\0\1\0\1", 12), true),
          npy("<i4", "2, 3", packed(std::vector<std::int32_t>{1, -2, 3, 4, 5, -6}))};
}

std::vector<std::string> images() {
  return {png(4, 3, {500, 0, 700, 65535, 900, 800, 300, 200, 100, 600, 550, 440})};
}

std::vector<std::string> short_maps() {
  return {octomap_header(true, 4, "0.1") + octomap_node({2, 1, 0, 0, 0, 0, 0, 3}) +
          octomap_node({0, 0, 0, 0, 0, 0, 0, 0})};
}

std::vector<std::string> maps() {
  return {octomap_header(false, 2, "0.1", "ColorOcTree") + bytes_of(-1.f) + "rgb\x80" +
              bytes_of(0.f) + std::string("rgb\0", 4),
          octomap_header(false, 3, "0.1") + bytes_of(-1.f) + "\x81" + bytes_of(0.5f) +
              std::string(1, '\0') + bytes_of(-0.5f) + std::string(1, '\0')};
}

}  // namespace

std::vector<Fuzzer> sensed_fuzzers() {
  return {
      {"pcd", [](Bytes input) { return points(input, "pcd"); }, {"bad_input/sensed/*.pcd"}, pcds},
      {"ply_points",
       [](Bytes input) { return points(input, "ply"); },
       {"bad_input/sensed/*.ply"},
       plys},
      {"npy_points",
       [](Bytes input) { return points(input, "npy"); },
       {"bad_input/sensed/*.npy"},
       npys},
      {"npy_cells",
       [](Bytes input) {
         return sensed(input, "npy",
                       R"("voxels": {"cells": "input.npy", "size": 0.1, "unknown": "occupied"})");
       },
       {"bad_input/sensed/*.npy"},
       grids},
      {"png", image, {"bad_input/sensed/*.png"}, images},
      {"octomap_binary",
       [](Bytes input) { return octomap(input, "bt"); },
       {"bad_input/sensed/*.bt"},
       short_maps},
      {"octomap",
       [](Bytes input) { return octomap(input, "ot"); },
       {"bad_input/sensed/*.ot"},
       maps}};
}

}  // namespace proven::fuzz
