#include "bench/doors/data_sets.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/doors/python_reader.h"
#include "proven/io/data_set.h"
#include "proven/io/file.h"
#include "proven/io/scene_file.h"
#include "proven/verify/readers.h"

namespace proven::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUrdf = R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="one"><collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="two"><collision><origin xyz="0 0 1"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="joint_1" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" velocity="1"/></joint>
  <joint name="joint_2" type="prismatic"><parent link="one"/><child link="two"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="1"/></joint>
</robot>
)";

constexpr const char* kScene =
    R"({{"proven": 1, "robots": [{{"name": "arm", "urdf": "arm.urdf"}}], "obstacles": [{{"name": "post", "box": [0.1, 0.1, {}], "pose": {{"xyz": [9, 0, 0]}}}}]}})";

std::vector<std::string> joints_of(const Scene& scene) {
  std::vector<std::string> names;
  for (const auto& coordinate : scene.tree().coordinates()) names.push_back(coordinate.name);
  return names;
}

void add(Reading& reading, std::size_t path, const std::string& what, double value) {
  reading.facts.push_back({fmt::format("path {}: {}", path, what), value});
}

// The first and last row of each piece, and times.
void add_motion(Reading& reading, std::size_t path, const Motion& motion) {
  for (std::size_t i = 0; i < motion.times.size(); ++i)
    add(reading, path, fmt::format("time {}", i), motion.times[i]);
  for (std::size_t i = 0; i < motion.waypoints.size(); ++i)
    for (const double value : motion.waypoints[i])
      add(reading, path, fmt::format("waypoint {}", i), value);
  if (motion.waypoints.size() == 1)  // a path that rests
    for (const double value : motion.waypoints[0]) add(reading, path, "waypoint 1", value);
  for (const auto& rows : motion.inner)
    for (const auto& row : rows)
      for (const double value : row) reading.digest += fmt::format("{} ", value);
}

// Every path of a set in its scene. A path that cannot be read is a row with its error in an
// audit, which is a refusal.
template <class Read>
Result<Reading> read_set(const fs::path& file, Read&& read) {
  const auto set = DataSet::open(file, (file.parent_path().parent_path() / "usual.json").string());
  if (!set.ok()) return set.error();
  Reading reading;
  std::size_t path = 0;
  for (const PathGroup& group : set.value().groups()) {
    const auto source = load_scene_source(group.scene);
    if (!source.ok()) return source.error();
    const auto scene = build_scene(source.value());
    if (!scene.ok()) return scene.error();
    const auto items = set.value().read(group, 0, group.size, joints_of(scene.value()));
    if (!items.ok()) return items.error();
    reading.digest += fmt::format("{} {} {}\n", group.name,
                                  fs::path(group.scene).filename().string(), group.size);
    for (const PathItem& item : items.value()) {
      const auto motion = read(item, group, scene.value());
      if (!motion.ok()) return motion.error();
      reading.digest += item.name + "\n";
      add_motion(reading, path++, motion.value());
    }
  }
  for (const Fact& fact : reading.facts)
    reading.digest += fmt::format("{} {}\n", fact.name, fact.value);
  return reading;
}

Result<Reading> read_product(const fs::path& file) {
  return read_set(file, [](const PathItem& item, const PathGroup&, const Scene& scene) {
    return read_item(item, scene, {});
  });
}

Result<Reading> read_verifier(const fs::path& file) {
  return read_set(
      file, [](const PathItem& item, const PathGroup& group, const Scene&) -> Result<Motion> {
        if (!item.error.empty()) return bad_input(item.error);
        const auto scene = verifier::read_scene(group.scene);
        if (!scene.ok()) return scene.error();
        if (item.form == PathItem::Form::file) return verifier::read_path(item.file, scene.value());
        const auto form =
            item.form == PathItem::Form::csv ? verifier::TextForm::csv : verifier::TextForm::json;
        return verifier::read_path_text(item.name, text_of(item), form, scene.value());
      });
}

Reading from_python(const nlohmann::json& answer) {
  Reading reading;
  std::size_t path = 0;
  for (const auto& motion : answer) {
    for (std::size_t i = 0; i < motion[0].size(); ++i)
      add(reading, path, fmt::format("time {}", i), motion[0][i]);
    for (std::size_t i = 0; i < motion[1].size(); ++i)
      for (const auto& value : motion[1][i])
        add(reading, path, fmt::format("waypoint {}", i), value);
    ++path;
  }
  return reading;
}

std::uint32_t crc_of(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

}  // namespace

std::vector<DoorReader> data_set_readers(bool with_python) {
  std::vector<DoorReader> readers = {{"checker", Scope::product, one_by_one(read_product)},
                                     {"verifier", Scope::product, one_by_one(read_verifier)}};
  if (with_python)
    if (auto python = python_reader("data_set", from_python))
      readers.push_back({"Python", Scope::verifier, *python});
  return readers;
}

std::string npy_header(const std::string& shape) {
  return fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': {}, }}", shape);
}

std::string npy_bytes(const std::string& header, const std::vector<double>& values) {
  std::string text = header;
  while ((text.size() + 11) % 64 != 0) text += ' ';
  std::string bytes =
      "\x93NUMPY" + std::string("\x01\x00", 2) + little(text.size() + 1, 2) + text + "\n";
  for (const double value : values) bytes += little(std::bit_cast<std::uint64_t>(value), 8);
  return bytes;
}

std::string npy_texts(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string bytes =
      npy_bytes(fmt::format("{{'descr': '<U{}', 'fortran_order': False, 'shape': ({},), }}",
                            longest, texts.size()),
                {});
  for (const std::string& text : texts)
    for (std::size_t i = 0; i < longest; ++i)
      bytes += little(i < text.size() ? static_cast<unsigned char>(text[i]) : 0, 4);
  return bytes;
}

std::string zip_bytes(const std::vector<ZipMember>& members) {
  std::string out, directory;
  for (const ZipMember& m : members) {
    const std::string common =
        little(20, 2) + little(m.flags, 2) + little(m.method, 2) + little(0, 4) +
        little(crc_of(m.bytes) ^ (m.wrong_checksum ? 1u : 0u), 4) + little(m.bytes.size(), 4) +
        little(m.bytes.size(), 4) + little(m.name.size(), 2) + little(0, 2);
    directory +=
        "PK\x01\x02" + little(20, 2) + common + little(0, 10) + little(out.size(), 4) + m.name;
    out += "PK\x03\x04" + common + m.name + m.bytes;
  }
  const std::size_t begin = out.size();
  return out + directory + "PK\x05\x06" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(begin, 4) + little(0, 2);
}

void write_data_sets(const fs::path& folder) {
  (void)write_file(folder / "arm.urdf", kUrdf);
  (void)write_file(folder / "scene.json", fmt::format(fmt::runtime(kScene), 1));
  (void)write_file(folder / "other.json", fmt::format(fmt::runtime(kScene), 2));
  (void)write_file(folder / "usual.json", fmt::format(fmt::runtime(kScene), 3));
  (void)write_file(
      folder / "one.jsonl",
      R"({"proven": 1, "joints": ["arm/joint_1", "arm/joint_2"], "waypoints": [[0.1, 0.01], [0.2, 0.02]]})"
      "\n"
      R"({"proven": 1, "joints": ["arm/joint_2"], "waypoints": [[0.03], [0.05]]})"
      "\n");
  (void)write_file(
      folder / "two.csv",
      "path,arm/joint_1,arm/joint_2\na,0.1,0.01\na,0.2,0.02\nb,0.3,0.03\nb,0.4,0.04\n");
  (void)write_file(folder / "three.npy", npy_bytes(npy_header("(2, 2, 2)"),
                                                   {0.1, 0.01, 0.2, 0.02, 0.3, 0.03, 0.4, 0.04}));
  (void)write_file(folder / "four.npz",
                   zip_bytes({{"demo_1.npy", npy_bytes(npy_header("(2, 2)"), {0.1, 0.2, 0.3, 0.4})},
                              {"extra.npy", npy_bytes(npy_header("(2, 2)"), {0.5, 0.6, 0.7, 0.8})},
                              {"joints.npy", npy_texts({"arm/joint_2", "arm/joint_1"})}}));
}

}  // namespace proven::bench
