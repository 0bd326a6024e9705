// Data sets of paths: groups, each a scene and a row of paths, of any size (docs/audit.md).
//
// Opening one looks at every byte once: it counts the paths, hashes them, and remembers where every
// so many of them begin. What is asked for is then read from its files; nothing else is kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proven/base/hash.h"
#include "proven/base/result.h"
#include "proven/io/path_file.h"
#include "proven/scene/scene.h"

namespace proven {

namespace io {
class PathArray;
}

// A path before it is understood: whoever reads it needs its scene.
struct PathItem {
  enum class Form : std::uint8_t { file, json, csv, array };

  std::string name;  // within its group: "path_1.yaml", "paths.jsonl:12"
  std::filesystem::path file;
  Form form = Form::file;
  long line = 1;     // of the text's first line in the file
  std::string text;  // of the forms json and csv
  // Of an array: a value for each joint, row by row.
  std::shared_ptr<const std::vector<std::string>> joints;
  std::vector<double> values;
  std::string error;  // why there is none
};

// A file that holds one path or many, or one of the arrays of an archive.
struct PathsFile {
  enum class Kind : std::uint8_t { path, lines, table, array };
  struct Mark {
    std::int64_t offset = 0;  // of a path's first byte
    long line = 1;
  };

  Kind kind = Kind::path;
  std::filesystem::path file;
  std::string name;                  // in its group
  std::string error;                 // why it cannot be read; it then counts as one path
  std::int64_t begin = 0, size = 1;  // paths; `begin` counts from the group's first
  std::vector<Mark> marks;           // every kMarked paths
  std::string header;                // of a table
  std::shared_ptr<const io::PathArray> array;
};

struct PathGroup {
  std::string name;
  std::string scene;                 // a file, or the name of a built-in scene
  std::vector<std::string> joints;   // of arrays; empty: those of the file, or of the scene
  std::vector<std::string> arrays;   // patterns of those that count in archives; empty: all
  std::int64_t begin = 0, size = 0;  // paths; `begin` counts from the data set's first
  std::vector<PathsFile> files;
};

class DataSet {
 public:
  static constexpr std::int64_t kMarked = 256;

  // A *.jsonl with a path per line, a *.csv with a column `path`, arrays of paths (*.npy, *.npz,
  // *.h5), any other path file, a folder, or a manifest. `scene` is that of groups that do not name
  // one.
  static Result<DataSet> open(const std::filesystem::path& file, const std::string& scene = {});

  const std::vector<PathGroup>& groups() const { return groups_; }
  std::int64_t size() const { return size_; }
  // Of all that was read, with the scenes' own files.
  const Hash128& hash() const { return hash_; }
  const PathGroup& group_of(std::int64_t index) const;

  // Paths of a group, counted from its first, in order. `joints` are the scene's, for arrays.
  // Fails if files changed since they were opened.
  Result<std::vector<PathItem>> read(const PathGroup& group, std::int64_t begin, std::int64_t end,
                                     const std::vector<std::string>& joints) const;

 private:
  std::vector<PathGroup> groups_;
  std::int64_t size_ = 0;
  Hash128 hash_;
};

// What an item says in its scene.
Result<Motion> read_item(const PathItem& item, const Scene& scene, const PathOptions& options);
// What stands in the file for all that is no file of its own; an array as JSON.
std::string text_of(const PathItem& item);
// A path as one line of JSON.
std::string path_line(const Motion& motion, const Scene& scene);

}  // namespace proven
