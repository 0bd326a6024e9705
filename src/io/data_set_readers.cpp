#include "io/data_set_readers.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <span>

#include "io/failure.h"
#include "io/path_array.h"
#include "io/text.h"

namespace proven::io {
namespace {

// Lines of a file of any size, with the place of each.
class FileLines {
 public:
  FileLines(const std::filesystem::path& file, const PathsFile::Mark& begin)
      : file_(file), in_(file, std::ios::binary), next_(begin) {
    if (!in_) fail(file.string(), "cannot be read");
    in_.seekg(begin.offset);
  }

  // The next line that is not blank.
  bool next(std::string& line) {
    while (std::getline(in_, line)) {
      at_ = next_;
      next_.offset += static_cast<std::int64_t>(line.size()) + 1;
      ++next_.line;
      if (line.size() > kMaxFileBytes)
        fail(place(file_, at_.line),
             fmt::format("has {} bytes; at most {} are read", line.size(), kMaxFileBytes));
      if (at_.offset == 0 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!trimmed(line).empty()) return true;
    }
    if (in_.bad()) fail(file_.string(), "cannot be read");
    return false;
  }
  const PathsFile::Mark& at() const { return at_; }

 private:
  const std::filesystem::path& file_;
  std::ifstream in_;
  PathsFile::Mark at_, next_;
};

// From the last mark before the path with this index, and how many to pass over.
std::pair<PathsFile::Mark, std::int64_t> start_for(const PathsFile& file, std::int64_t index) {
  return {file.marks[static_cast<std::size_t>(index / DataSet::kMarked)], index % DataSet::kMarked};
}

[[noreturn]] void fail_as_changed(const PathsFile& file) {
  fail(file.file.string(), "changed while it was read; begin again");
}

void count(PathsFile& file, const PathsFile::Mark& mark) {
  if (file.size % DataSet::kMarked == 0) file.marks.push_back(mark);
  ++file.size;
}

// The column of the path's name.
std::optional<std::size_t> path_column(std::string_view header) {
  const std::vector<std::string_view> cells = split_commas(header);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] == "path") return i;
  return std::nullopt;
}

// The line without one of its cells; `name` receives that one. Cells of a table of paths are names
// and numbers: a comma in quotes is refused by the count of columns.
std::string without_cell(std::string_view line, std::size_t column, std::string& name) {
  std::string rest;
  const std::vector<std::string_view> cells = split_commas(line);
  if (column < cells.size()) name = cells[column];
  for (std::size_t i = 0, kept = 0; i < cells.size(); ++i)
    if (i != column) (rest += kept++ == 0 ? "" : ",") += cells[i];
  return rest;
}

// The names of a table's paths, as a set that a million of them fit into.
class NamesSeen {
 public:
  bool insert(std::string_view name) {
    Hasher hasher;
    hasher.add(name);
    const Hash128 hash = hasher.finish();
    return seen_.emplace(hash.high, hash.low).second;
  }

 private:
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

// The name of the path that a row of a table belongs to.
std::string row_name(const PathsFile& file, const FileLines& lines, std::string_view line,
                     std::size_t column, std::size_t columns) {
  const std::vector<std::string_view> cells = split_commas(line);
  const std::string where = place(file.file, lines.at().line);
  if (cells.size() != columns)
    fail(where, fmt::format("expected {} columns, got {}", columns, cells.size()));
  if (cells[column].empty())
    fail(where, "the column path is empty: each row needs its path's name");
  return std::string(cells[column]);
}

}  // namespace

void scan_lines(PathsFile& file, Hasher& hasher) {
  file.kind = PathsFile::Kind::lines;
  file.size = 0;
  FileLines lines(file.file, {});
  for (std::string line; lines.next(line);) {
    hasher.add(line);
    count(file, lines.at());
  }
  if (file.size == 0) fail(file.file.string(), "expected at least one path");
}

void read_lines_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   std::vector<PathItem>& items) {
  auto [mark, skipped] = start_for(file, first);
  FileLines lines(file.file, mark);
  std::string line;
  for (; skipped > 0; --skipped)
    if (!lines.next(line)) fail_as_changed(file);
  for (; count > 0; --count) {
    if (!lines.next(line)) fail_as_changed(file);
    PathItem& item = items.emplace_back();
    item.name = fmt::format("{}:{}", file.name, lines.at().line);
    item.file = file.file;
    item.form = PathItem::Form::json;
    item.line = lines.at().line;
    item.text = line;
  }
}

bool has_path_column(const std::filesystem::path& file) {
  FileLines lines(file, {});
  std::string header;
  return lines.next(header) && path_column(header).has_value();
}

void scan_table(PathsFile& file, Hasher& hasher) {
  file.kind = PathsFile::Kind::table;
  file.size = 0;
  FileLines lines(file.file, {});
  std::string line, last;
  lines.next(file.header);
  hasher.add(file.header);
  const std::size_t column = *path_column(file.header);
  const std::size_t columns = split_commas(file.header).size();
  NamesSeen seen;
  for (bool any = false; lines.next(line); any = true) {
    hasher.add(line);
    const std::string name = row_name(file, lines, line, column, columns);
    if (any && name == last) continue;
    // Rows of several paths in turns would be read as many short paths, of a point each.
    if (!seen.insert(name))
      fail(place(file.file, lines.at().line),
           fmt::format("path {} goes on here, after rows of {}; sort the rows by path, the order "
                       "within each kept",
                       quote(name), quote(last)));
    count(file, lines.at());
    last = name;
  }
  if (file.size == 0) fail(file.file.string(), "expected at least one path");
}

void read_table_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   std::vector<PathItem>& items) {
  auto [mark, skipped] = start_for(file, first);
  FileLines lines(file.file, mark);
  const std::size_t column = *path_column(file.header);
  std::string line, name, last, unused;
  const std::string header = without_cell(file.header, column, unused);
  std::int64_t index = first - skipped - 1;
  for (bool any = false; lines.next(line); any = true) {
    const std::string rest = without_cell(line, column, name);
    const bool begins = !any || name != last;
    if (begins) ++index;
    last = name;
    if (index >= first + count) return;
    if (index < first) continue;
    if (begins) {
      PathItem& item = items.emplace_back();
      item.name = fmt::format("{}:{}", file.name, name);
      item.file = file.file;
      item.form = PathItem::Form::csv;
      item.line = lines.at().line;
      item.text = header;
    }
    items.back().text += "\n" + rest;
  }
  if (index + 1 < first + count) fail_as_changed(file);
}

namespace {

void hash_bytes(const std::filesystem::path& file, Hasher& hasher) {
  std::ifstream in(file, std::ios::binary);
  std::string buffer(1 << 20, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0)
    hasher.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(in.gcount())));
}

// Takes the numbers of a path from an array. Rows of NaN behind the last waypoint fill up paths
// that are shorter than others.
void take_rows(std::span<const double> values, std::size_t joints, PathItem& item) {
  const auto row = [&](std::size_t i) { return values.subspan(i * joints, joints); };
  std::size_t waypoints = values.size() / joints;
  while (waypoints > 0 &&
         std::ranges::all_of(row(waypoints - 1), [](double x) { return std::isnan(x); }))
    --waypoints;
  item.values.assign(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(waypoints * joints));
  const auto bad = std::ranges::find_if_not(item.values, [](double x) { return std::isfinite(x); });
  if (bad == item.values.end()) return;
  const auto at = static_cast<std::size_t>(bad - item.values.begin());
  item.error = fmt::format("{}: waypoint {}, joint {}: expected a finite number, got {}", item.name,
                           at / joints, at % joints, *bad);
}

}  // namespace

void scan_array(PathsFile& file, Hasher& hasher) {
  file.array = open_npy(file.file);
  file.kind = PathsFile::Kind::array;
  file.size = file.array->paths;
  hash_bytes(file.file, hasher);
}

bool is_archive(const std::filesystem::path& file) {
  const std::string ending = extension(file);
  return ending == ".npz" || ending == ".h5" || ending == ".hdf5";
}

std::vector<PathsFile> scan_archive(const PathsFile& file, const std::vector<std::string>& patterns,
                                    Hasher& hasher) {
  hash_bytes(file.file, hasher);
  std::vector<PathsFile> files;
  for (NamedArray& one :
       extension(file.file) == ".npz" ? open_npz(file.file) : open_hdf5(file.file)) {
    const auto fits = [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), one.name.c_str(), 0) == 0;
    };
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), fits)) continue;
    PathsFile& added = files.emplace_back(file);
    added.name = fmt::format("{}:{}", file.name, one.name);
    added.error = one.error;
    if (!one.array) continue;
    added.kind = PathsFile::Kind::array;
    added.array = std::move(one.array);
    added.size = added.array->paths;
  }
  if (files.empty())
    fail(file.file.string(), fmt::format("has no array whose name fits {}",
                                         quote(fmt::format("{}", fmt::join(patterns, ", ")))));
  return files;
}

void read_array_of(const PathsFile& file, std::int64_t first, std::int64_t count,
                   const std::vector<std::string>& named, const std::vector<std::string>& scene,
                   std::vector<PathItem>& items) {
  const PathArray& array = *file.array;
  const std::vector<std::string>& joints = !named.empty()        ? named
                                           : array.names.empty() ? scene
                                                                 : array.names;
  std::string error;
  if (!named.empty() && !array.names.empty() && named != array.names)
    error = fmt::format("{}: it names the joints of its columns, and the manifest names others",
                        file.file.string());
  else if (static_cast<std::int64_t>(joints.size()) != array.joints)
    error = fmt::format(
        "{}: has {} columns, but {} joints are named; name them as 'joints' in a manifest",
        file.file.string(), array.joints, joints.size());
  const std::vector<double> values = array.read(first, count);
  const auto size = static_cast<std::size_t>(array.waypoints * array.joints);
  if (values.size() != static_cast<std::size_t>(count) * size) fail_as_changed(file);
  const auto names = std::make_shared<const std::vector<std::string>>(joints);
  for (std::int64_t i = 0; i < count; ++i) {
    PathItem& item = items.emplace_back();
    item.name = array.single ? file.name : fmt::format("{}:{}", file.name, first + i);
    item.file = file.file;
    item.form = PathItem::Form::array;
    item.error = error;
    item.joints = names;
    if (error.empty())
      take_rows(std::span(values).subspan(static_cast<std::size_t>(i) * size, size), joints.size(),
                item);
  }
}

}  // namespace proven::io
