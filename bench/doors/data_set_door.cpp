// Data sets of paths: manifests and lines of JSON, as docs/audit.md describes them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/doors/data_sets.h"
#include "bench/doors/python_reader.h"
#include "proven/io/file.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

constexpr SpecRow kManifestRows[] = {
    {"file", "", "proven! groups!"},
    {"proven", "", "", "w(1)"},
    {"groups", "", "item+"},
    {"groups/item", "", "name?^ scene?^ paths! joints? arrays?"},
    {"name scene paths paths/item joints/item arrays/item", "", "item*", "s"},
    {"joints", "", "item+"},
    {"arrays", "", "item+%"},
};

constexpr SpecRow kLinesRows[] = {
    {"file", "", "item+"},
    {"file/item", "", "proven! joints! waypoints? times? pieces?", "", "waypoints|pieces"},
    {"proven", "", "", "w(1)"},
    {"joints", "", "item#2"},
    {"joints/item", "", "", "s"},
    {"waypoints", "", "item+"},
    {"waypoints/item bezier/item", "", "item#2"},
    {"item/item times/item begin end", "", "", "n"},
    {"times", "", "item+"},
    {"pieces", "", "item+"},
    {"pieces/item", "", "begin! end! bezier!"},
    {"bezier", "", "item+"},
};

constexpr const char* kManifest = R"({"proven": 1, "groups": [
  {"name": "lines", "scene": "../scene.json", "paths": "../one.jsonl"},
  {"name": "table", "scene": "../other.json", "paths": ["../two.csv", "../one.jsonl"]}]})";

constexpr const char* kArrays = R"({"proven": 1, "groups": [
  {"name": "array", "scene": "../scene.json", "paths": ["../three.npy"], "joints": ["arm/joint_2", "arm/joint_1"]},
  {"name": "archive", "scene": "../other.json", "paths": "../four.npz", "arrays": ["demo_*"]}]})";

constexpr const char* kLines = R"([
  {"proven": 1, "joints": ["arm/joint_2", "arm/joint_1"], "waypoints": [[0.01, 0.1], [0.02, 0.2], [0.03, 0.4]], "times": [0, 0.5, 1.5]},
  {"proven": 1, "joints": ["arm/joint_1", "arm/joint_2"], "pieces": [{"begin": 0.5, "end": 0.9, "bezier": [[0.1, 0.01], [0.2, 0.02], [0.3, 0.03]]}, {"begin": 0.9, "end": 2, "bezier": [[0.3, 0.03], [0.2, 0.02]]}]}
])";

fs::path own_folder(const fs::path& folder, std::size_t i) {
  fs::create_directories(folder / std::to_string(i));
  return folder / std::to_string(i);
}

Door door_of(const Spec& spec, const char* name, const char* ending, const char* text) {
  Door door;
  door.name = name;
  door.ending = ending;
  door.spec = &spec;
  door.files = {{"set", text}};
  door.prepare = write_data_sets;
  door.readers = data_set_readers(true);
  // A group's name that is not given is its number, which is another.
  door.place = [](const fs::path& folder, std::size_t i, const std::string&,
                  const std::string& written) {
    const fs::path file = own_folder(folder, i) / "set.json";
    (void)write_file(file, written);
    return file;
  };
  return door;
}

// Each element of the list on a line of its own.
std::string lines_of(const Tree& list) {
  std::string lines;
  for (const Tree& line : list.children) {
    std::string text = json_text(line);
    std::erase(text, '\n');
    lines += text + "\n";
  }
  return lines;
}

}  // namespace

std::vector<Door> data_set_doors() {
  static const Spec kManifests{kManifestRows}, kOfLines{kLinesRows};
  Door manifest = door_of(kManifests, "data sets: manifest", ".json", kManifest);
  Door arrays = door_of(kManifests, "data sets: manifest of arrays", ".json", kArrays);
  arrays.readers = data_set_readers(false);
  Door lines = door_of(kOfLines, "data sets: JSONL", ".jsonl", kLines);
  lines.write = lines_of;
  lines.place = [](const fs::path& folder, std::size_t i, const std::string&,
                   const std::string& text) {
    const fs::path own = own_folder(folder, i);
    (void)write_file(own / "set.jsonl", text);
    return own / "set.jsonl";
  };
  return {manifest, arrays, lines};
}

}  // namespace proven::bench
