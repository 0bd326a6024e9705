// Paths in tables: CSV with joint names, and OMPL's matrices without.
#include <fmt/format.h>

#include <algorithm>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/text.h"
#include "proven/base/numbers.h"

namespace proven::io {
namespace {

std::vector<double> parse_row(const std::vector<std::string_view>& cells) {
  std::vector<double> values;
  for (const std::string_view cell : cells) {
    const std::optional<double> value = parse_double(cell);
    if (!value) fail("", fmt::format("expected a finite decimal number, got {}", quote(cell)));
    values.push_back(*value);
  }
  return values;
}

bool is_time(std::string_view name) {
  return name == "time" || name == "t" || name == "time_from_start";
}

// The header of a CSV: the joints, and which column, if any, holds the time.
struct Header {
  std::vector<std::string> joints;
  std::optional<std::size_t> time;
};

Header read_header(std::string_view line, const Scene& scene) {
  Header header;
  const std::vector<std::string_view> cells = split_commas(line);
  if (cells.size() == 1 && line.find(';') != std::string_view::npos)
    fail("", "columns must be separated by commas, not semicolons");
  if (std::all_of(cells.begin(), cells.end(), [](auto cell) { return parse_double(cell); }))
    fail("", "the first line must name the joints");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // A joint of that name is meant before the time.
    const bool is_joint = is_known_joint(scene, std::string(cells[i]));
    if (is_time(cells[i]) && !is_joint && !header.time)
      header.time = i;
    else
      header.joints.emplace_back(cells[i]);
  }
  return header;
}

void add_time(Path& path, double time) {
  if (!path.times.empty() && !(time > path.times.back()))
    fail("", fmt::format("times must increase, but {} follows {}", time, path.times.back()));
  path.times.push_back(time);
}

// Calls `read(line)` for each line that is not blank.
template <class Read>
void for_each_line(const std::filesystem::path& file, std::string_view text, Read&& read) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);)
    if (!trimmed(line).empty())
      at_place([&] { return place(file, lines.number()); }, [&] { read(line); });
}

}  // namespace

Path read_csv_path(const std::filesystem::path& file, const Scene& scene,
                   const PathOptions& options) {
  const std::string text = read_text(file);
  Path path;
  Header header;
  std::optional<ConfigurationReader> reader;
  for_each_line(file, text, [&](std::string_view line) {
    if (!reader) {
      header = read_header(line, scene);
      reader.emplace(scene, header.joints, options);
      path.defaulted = reader->defaulted();
      return;
    }
    const std::vector<std::string_view> cells = split_commas(line);
    const std::size_t expected = header.joints.size() + (header.time ? 1 : 0);
    if (cells.size() != expected)
      fail("",
           fmt::format(
               "expected {} columns, got {}{}", expected, cells.size(),
               cells.size() == 2 * expected ? " (decimal commas are not read; use points)" : ""));
    std::vector<double> values = parse_row(cells);
    if (header.time) {
      add_time(path, values[*header.time]);
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(*header.time));
    }
    path.waypoints.push_back(reader->read(values));
  });
  if (path.waypoints.empty()) fail(file.string(), "expected at least one waypoint");
  return path;
}

Path read_matrix_path(const std::filesystem::path& file, const Scene& scene,
                      const PathOptions& options) {
  const std::string text = read_text(file);
  const ConfigurationReader reader(scene, options);
  Path path;
  for_each_line(file, text, [&](std::string_view line) {
    path.waypoints.push_back(reader.read(parse_row(words(line))));
  });
  if (path.waypoints.empty()) fail(file.string(), "expected at least one waypoint");
  return path;
}

}  // namespace proven::io
