#include <cstring>

#include "fuzz.h"
#include "places.h"
#include "proven/base/hash.h"
#include "proven/io/obstacles_file.h"
#include "proven/io/scene_file.h"
#include "proven/roadmap/planner.h"
#include "tools/roadmap_obstacles.h"

namespace proven::fuzz {
namespace {

const Scene& scene() {
  static const Scene scene =
      load_scene(std::filesystem::path(test::source_dir()) / "tests/bad_input/ok/scene.json")
          .value();
  return scene;
}

Hash128 sum_of(Bytes bytes) {
  Hasher hasher;
  hasher.add_bytes(bytes);
  return hasher.finish();
}

// Puts right the size and the checksums of a roadmap file, so that what lies behind them is
// reached. The words are 8 bytes wide: the reader expects memory that is aligned, as a mapped file
// is.
void seal(std::vector<std::uint64_t>& words, std::size_t size) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(words.data());
  constexpr std::size_t kHeader = 48, kEntry = 40, kAlign = 64;
  if (size < kHeader) return;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes + 12, 4);
  if (count > (size - kHeader) / kEntry) return;
  words[2] = size;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::uint8_t* entry = bytes + kHeader + k * kEntry;
    std::uint64_t place[2];
    std::memcpy(place, entry + 8, 16);
    if (place[0] > size || place[1] > size) continue;
    const std::size_t padded = (place[1] + kAlign - 1) / kAlign * kAlign;
    if (place[0] + padded > size) continue;
    const Hash128 sum = sum_of({bytes + place[0], padded});
    std::memcpy(entry + 24, &sum.high, 8);
    std::memcpy(entry + 32, &sum.low, 8);
  }
  const Hash128 sum = sum_of({bytes + kHeader, count * kEntry});
  words[3] = sum.high;
  words[4] = sum.low;
}

// What was read can be written again and used.
bool roadmap_file(Bytes input) {
  std::vector<std::uint64_t> words(input.size() / 8 + 1);
  if (!input.empty()) std::memcpy(words.data(), input.data(), input.size());
  seal(words, input.size());
  const auto model = roadmap::from_bytes(
      {reinterpret_cast<const std::uint8_t*>(words.data()), input.size()}, nullptr);
  if (!answers(model)) return false;
  if (roadmap::to_bytes(model.value()).empty()) broken("a roadmap can be written");
  for (const auto* table : {&model.value().edges_at, &model.value().nodes_at})
    for (int cell = 0; cell < table->num_rows(); ++cell) table->items(cell);
  auto planner = roadmap::Planner::create(model.value(), scene());
  if (answers(planner)) {
    roadmap::CellMask occupied(model.value().grid);
    occupied.set(0);
    planner.value().set_occupied(occupied);
    answers(planner.value().plan(scene().home(), scene().home(), nullptr, {}));
  }
  return true;
}

std::vector<std::string> models() {
  roadmap::BuildOptions options;
  options.nodes = 6;
  options.neighbours = 2;
  options.cell = 0.4;
  options.threads = 1;
  const auto model = roadmap::build(scene(), {}, scene().home(), options);
  const auto bytes = roadmap::to_bytes(model.value());
  return {std::string(bytes.begin(), bytes.end())};
}

// Lines of changes, as `proven roadmap watch` reads them.
bool changes(Bytes input) {
  static const roadmap::Grid grid = {{-1, -1, -1}, {0.25, 0.25, 0.25}, {8, 8, 8}};
  tools::ObstacleSet obstacles(grid);
  bool any = false;
  std::string_view text = as_text(input);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto change = parse_change(text.substr(0, end), scene());
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!answers(change)) continue;
    any |= answers(obstacles.apply(change.value()));
    obstacles.cells();
  }
  return any;
}

std::vector<std::string> streams() {
  return {
      R"({"add": [{"name": "a", "box": [0.1, 0.1, 0.1], "pose": {"xyz": [0.2, 0, 0], "rpy": [0, 1, 0]}}]}
{"move": [{"name": "a", "pose": {"xyz": [0.5, 0, 0]}}], "cells": [{"name": "c", "index": [1, 2, 511]}]}
{"points": [{"name": "p", "xyz": [[0, 0, 0], [0.1, 0, 0]], "radius": 0.01}], "remove": ["a"]}
{"clear": true, "obstacles": [{"name": "m", "mesh": "triangle.stl", "scale": 0.5}, {"name": "s", "sphere": 0.2}]}
{"add": [{"name": "k", "capsule": {"radius": 0.1, "length": 0.5}}]}
)"};
}

}  // namespace

std::vector<Fuzzer> roadmap_fuzzers() {
  return {{"roadmap", roadmap_file, {}, models}, {"obstacle_changes", changes, {}, streams}};
}

}  // namespace proven::fuzz
