#include "proven/io/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/data_set_readers.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/text.h"
#include "io/trajectory.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

namespace fs = std::filesystem;

bool is_scene_file(const fs::path& file) {
  const std::string ending = extension(file);
  return file.stem() == "scene" &&
         (ending == ".json" || ending == ".yaml" || ending == ".yml" || ending == ".urdf");
}

// What stands in a folder and can hold paths. Everything else, such as meshes, is the scene's.
bool may_hold_paths(const fs::path& file) {
  const std::string ending = extension(file);
  for (const char* known : {".json", ".jsonl", ".yaml", ".yml", ".csv", ".txt", ".path", ".mat",
                            ".npy", ".npz", ".h5", ".hdf5"})
    if (ending == known) return !is_scene_file(file);
  return false;
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

void add_file(PathGroup& group, const fs::path& file, const std::string& name) {
  PathsFile& added = group.files.emplace_back();
  added.file = file;
  added.name = name;
}

// "scene0012" is of the kind "scene" and has the number "0012".
struct Numbered {
  std::string prefix, number;
};
std::optional<Numbered> numbered(const fs::path& file, std::string_view word) {
  const std::string stem = file.stem().string();
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;
  const std::string_view before = std::string_view(stem).substr(0, digits);
  if (!is_yaml(file) || digits == stem.size() || !before.ends_with(word)) return std::nullopt;
  return Numbered{std::string(before.substr(0, before.size() - word.size())), stem.substr(digits)};
}

// MotionBenchMaker's folders: scene0001.yaml, request0001.yaml and path0001.yaml belong together.
bool add_numbered_groups(const std::vector<fs::path>& entries, const std::string& name,
                         std::vector<PathGroup>& groups) {
  bool any = false;
  for (const fs::path& scene : entries) {
    const auto of_scene = numbered(scene, "scene");
    if (!of_scene) continue;
    any = true;
    PathGroup group;
    group.scene = scene.string();
    group.name = (name.empty() ? "" : name + "/") + of_scene->prefix + of_scene->number;
    for (const fs::path& path : entries)
      if (const auto of_path = numbered(path, "path");
          of_path && of_path->prefix == of_scene->prefix && of_path->number == of_scene->number)
        add_file(group, path, path.filename().string());
    if (!group.files.empty()) groups.push_back(std::move(group));
  }
  return any;
}

// Each folder that holds paths is a group; its scene is its own, or that of the folder above.
void add_folder(const fs::path& folder, const std::string& name, std::string scene,
                std::vector<PathGroup>& groups) {
  const std::vector<fs::path> entries = sorted_entries(folder);
  const auto own = std::ranges::find_if(entries, is_scene_file);
  if (own != entries.end()) {
    scene = own->string();
    if (const auto other = std::find_if(own + 1, entries.end(), is_scene_file);
        other != entries.end())
      fail(other->string(), fmt::format("the folder has two scenes: {} is there, too",
                                        quote(own->filename().string())));
  }
  if (!add_numbered_groups(entries, name, groups)) {
    PathGroup group;
    group.name = name.empty() ? folder.filename().string() : name;
    group.scene = scene;
    for (const fs::path& entry : entries)
      if (fs::is_regular_file(entry) && may_hold_paths(entry))
        add_file(group, entry, entry.filename().string());
    if (!group.files.empty()) groups.push_back(std::move(group));
  }
  for (const fs::path& entry : entries)
    if (fs::is_directory(entry))
      add_folder(entry, (name.empty() ? "" : name + "/") + entry.filename().string(), scene,
                 groups);
}

// The files that a manifest names, one or a list; a folder stands for all that it holds.
void add_named(const Node& node, const fs::path& folder, PathGroup& group) {
  const auto add = [&](const Node& one) {
    const fs::path file = folder / one.string();
    if (!fs::exists(file)) one.fail(fmt::format("there is no file {}", quote(file.string())));
    if (!fs::is_directory(file)) return add_file(group, file, one.string());
    for (const fs::path& entry : sorted_entries(file))
      if (fs::is_regular_file(entry) && may_hold_paths(entry))
        add_file(group, entry, (fs::path(one.string()) / entry.filename()).string());
  };
  if (node.is(Node::Kind::array))
    for (const Node& one : node.array()) add(one);
  else
    add(node);
  if (group.files.empty()) node.fail("expected at least one file of paths");
}

void add_manifest(const Node& root, const fs::path& file, const std::string& scene,
                  std::vector<PathGroup>& groups) {
  root.require_version();
  root.allow_keys({"proven", "groups"});
  for (const Node& node : root.at("groups").array()) {
    node.allow_keys({"name", "scene", "paths", "joints", "arrays"});
    PathGroup group;
    const Node* named = node.find("scene");
    if (named) {
      // A name that is no file here may be that of a built-in scene.
      const fs::path beside = file.parent_path() / named->string();
      group.scene = fs::exists(beside) ? beside.string() : named->string();
    } else {
      group.scene = scene;
    }
    group.name = node.find("name") ? node.at("name").string() : fmt::to_string(groups.size() + 1);
    if (const Node* joints = node.find("joints")) group.joints = joints->strings();
    if (const Node* arrays = node.find("arrays")) {
      group.arrays = arrays->is(Node::Kind::array) ? arrays->strings()
                                                   : std::vector<std::string>{arrays->string()};
      if (group.arrays.empty()) arrays->fail("there are no names of arrays; leave it out for all");
    }
    for (const PathGroup& other : groups)
      if (other.name == group.name)
        node.fail(fmt::format("two groups are named {}", quote(group.name)));
    add_named(node.at("paths"), file.parent_path(), group);
    groups.push_back(std::move(group));
  }
}

std::vector<PathGroup> list_groups(const fs::path& file, const std::string& scene) {
  std::vector<PathGroup> groups;
  if (fs::is_directory(file)) {
    add_folder(file, "", scene, groups);
    if (groups.empty()) fail(file.string(), "expected files of paths in this folder");
    return groups;
  }
  if (extension(file) == ".json") {
    const Document document = read_document(file);
    if (document.root().is(Node::Kind::object) && document.root().find("groups")) {
      add_manifest(document.root(), file, scene, groups);
      if (groups.empty()) fail(file.string(), "expected at least one group");
      return groups;
    }
  }
  if (!fs::exists(file)) fail(file.string(), "no such file", ErrorCode::not_found);
  PathGroup group;
  group.name = file.stem().string();
  group.scene = scene;
  add_file(group, file, file.filename().string());
  groups.push_back(std::move(group));
  return groups;
}

// Counts and marks the paths of a file. What cannot be read is one path with an error.
std::vector<PathsFile> scan(PathsFile file, const PathGroup& group, Hasher& hasher) {
  hasher.add(file.name);
  const std::string ending = extension(file.file);
  try {
    if (is_archive(file.file)) return scan_archive(file, group.arrays, hasher);
    if (ending == ".jsonl")
      scan_lines(file, hasher);
    else if (ending == ".npy")
      scan_array(file, hasher);
    else if (ending == ".csv" && has_path_column(file.file))
      scan_table(file, hasher);
    else
      hasher.add(read_bytes(file.file));
  } catch (const Failure& failure) {
    file.kind = PathsFile::Kind::path;
    file.size = 1;
    file.marks.clear();
    file.error = failure.error().text();
    hasher.add(file.error);
  }
  return {std::move(file)};
}

// Names of columns and of arrays are for files that hold arrays; all others name their own joints.
void require_used(const fs::path& file, const PathGroup& group) {
  const auto refuse = [&](const char* key, const char* what) {
    fail(file.string(), fmt::format("the group {} has '{}', but none of its files {}; remove it",
                                    quote(group.name), key, what));
  };
  const auto is_bad = [](const PathsFile& paths) { return !paths.error.empty(); };
  if (std::ranges::any_of(group.files, is_bad)) return;
  const auto is_array = [](const PathsFile& p) { return p.kind == PathsFile::Kind::array; };
  const auto of_archive = [](const PathsFile& p) { return is_archive(p.file); };
  if (!group.joints.empty() && std::ranges::none_of(group.files, is_array))
    refuse("joints", "holds an array");
  if (!group.arrays.empty() && std::ranges::none_of(group.files, of_archive))
    refuse("arrays", "holds several arrays");
}

}  // namespace

std::vector<PathItem> read_items(const PathGroup& group, std::int64_t begin, std::int64_t end,
                                 const std::vector<std::string>& joints) {
  std::vector<PathItem> items;
  auto file = std::ranges::upper_bound(group.files, begin, {}, &PathsFile::begin) - 1;
  for (; begin < end; ++file) {
    const std::int64_t first = begin - file->begin,
                       count = std::min(end, file->begin + file->size) - begin;
    begin += count;
    if (file->kind == PathsFile::Kind::lines) {
      read_lines_of(*file, first, count, items);
    } else if (file->kind == PathsFile::Kind::table) {
      read_table_of(*file, first, count, items);
    } else if (file->kind == PathsFile::Kind::array) {
      read_array_of(*file, first, count, group.joints, joints, items);
    } else {
      PathItem& item = items.emplace_back();
      item.name = file->name;
      item.file = file->file;
      item.error = file->error;
    }
  }
  return items;
}

}  // namespace io

Result<DataSet> DataSet::open(const std::filesystem::path& file, const std::string& scene) {
  return io::guarded<DataSet>(file, [&] {
    DataSet set;
    set.groups_ = io::list_groups(file, scene);
    Hasher hasher;
    for (PathGroup& group : set.groups_) {
      if (group.scene.empty())
        io::fail(file.string(), fmt::format("the group {} has no scene: give one by --scene, as "
                                            "scene.json beside the paths, or in a manifest",
                                            io::quote(group.name)));
      hasher.add(group.name);
      hasher.add(static_cast<std::uint64_t>(group.joints.size()));
      for (const std::string& joint : group.joints) hasher.add(joint);
      for (const std::string& pattern : group.arrays) hasher.add(pattern);
      if (std::filesystem::is_regular_file(group.scene))
        hasher.add(io::read_bytes(group.scene));
      else
        hasher.add(group.scene);
      group.begin = set.size_;
      for (PathsFile& listed : std::exchange(group.files, {}))
        for (PathsFile& paths : io::scan(std::move(listed), group, hasher)) {
          paths.begin = group.size;
          group.size += paths.size;
          group.files.push_back(std::move(paths));
        }
      io::require_used(file, group);
      set.size_ += group.size;
    }
    set.hash_ = hasher.finish();
    return set;
  });
}

const PathGroup& DataSet::group_of(std::int64_t index) const {
  return *(std::ranges::upper_bound(groups_, index, {}, &PathGroup::begin) - 1);
}

Result<std::vector<PathItem>> DataSet::read(const PathGroup& group, std::int64_t begin,
                                            std::int64_t end,
                                            const std::vector<std::string>& joints) const {
  return io::guarded<std::vector<PathItem>>(
      group.name, [&] { return io::read_items(group, begin, end, joints); });
}

namespace io {
namespace {

// The rows of an array as those of a path file are read.
Motion read_rows(const PathItem& item, const Scene& scene, const PathOptions& options) {
  const ConfigurationReader reader(scene, *item.joints, options);
  degree_of(options.interpolation, false, false);
  if (item.values.empty()) fail("", "expected at least one waypoint");
  Motion motion;
  motion.defaulted = reader.defaulted();
  const std::size_t joints = item.joints->size();
  const std::span<const double> values(item.values);
  for (std::size_t at = 0; at < values.size(); at += joints)
    motion.waypoints.push_back(
        at_place([&] { return fmt::format("{}: waypoint {}", item.name, at / joints); },
                 [&] { return reader.read(values.subspan(at, joints)); }));
  return motion;
}

}  // namespace
}  // namespace io

Result<Motion> read_item(const PathItem& item, const Scene& scene, const PathOptions& options) {
  if (!item.error.empty()) return bad_input(item.error);
  if (item.form == PathItem::Form::file) return load_path(item.file, scene, options);
  return io::guarded<Motion>(item.file, [&] {
    if (item.form == PathItem::Form::array)
      return io::at_place([&] { return item.name; },
                          [&] { return io::read_rows(item, scene, options); });
    if (item.form == PathItem::Form::csv)
      return io::at_place([&] { return item.name; },
                          [&] { return io::read_csv_text(item.name, item.text, scene, options); });
    return io::read_path_node(io::parse_json(item.file, item.text, item.line).root(), scene,
                              options);
  });
}

std::string text_of(const PathItem& item) {
  if (item.form != PathItem::Form::array) return item.text;
  const auto joints = static_cast<std::ptrdiff_t>(item.joints->size());
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (auto row = item.values.begin(); row != item.values.end(); row += joints)
    rows.push_back(std::vector<double>(row, row + joints));
  return nlohmann::ordered_json{{"proven", 1}, {"joints", *item.joints}, {"waypoints", rows}}
      .dump();
}

}  // namespace proven
