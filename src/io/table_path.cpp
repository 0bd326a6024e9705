// Paths in tables: CSV with joint names, and OMPL's matrices without.
#include <fmt/format.h>

#include <algorithm>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/text.h"
#include "io/trajectory.h"
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

// The header of a CSV: the joints, and which columns hold their values, rates and the time.
struct Header {
  std::vector<std::string> joints;
  std::vector<std::size_t> positions, velocities, accelerations;  // by joint; rates perhaps empty
  std::optional<std::size_t> time;
  std::size_t columns = 0;
};

// Puts the columns of `rates` ("joint", column) into the order of the joints; all of them or none.
std::vector<std::size_t> in_order(const Header& header, const char* what,
                                  const std::vector<std::pair<std::string, std::size_t>>& rates) {
  std::vector<std::size_t> columns;
  for (const auto& [joint, column] : rates) {
    const auto count = std::count(header.joints.begin(), header.joints.end(), joint);
    if (count == 0)
      fail("",
           fmt::format("the column {} belongs to no column {}", quote(joint + what), quote(joint)));
  }
  for (const std::string& joint : header.joints) {
    const auto is_of = [&](const auto& rate) { return rate.first == joint; };
    const auto found = std::find_if(rates.begin(), rates.end(), is_of);
    if (found == rates.end() && !rates.empty())
      fail("", fmt::format("there is no column {}, but other joints have one; give all of them",
                           quote(joint + what)));
    if (std::count_if(rates.begin(), rates.end(), is_of) > 1)
      fail("", fmt::format("two columns are named {}", quote(joint + what)));
    if (found != rates.end()) columns.push_back(found->second);
  }
  return columns;
}

Header read_header(std::string_view line, const Scene& scene) {
  Header header;
  const std::vector<std::string_view> cells = split_commas(line);
  if (cells.size() == 1 && line.find(';') != std::string_view::npos)
    fail("", "columns must be separated by commas, not semicolons");
  if (std::all_of(cells.begin(), cells.end(), [](auto cell) { return parse_double(cell); }))
    fail("", "the first line must name the joints");
  std::vector<std::pair<std::string, std::size_t>> velocities, accelerations;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string name(cells[i]);
    const auto before = [&](std::string_view suffix) {
      return name.substr(0, name.size() - suffix.size());
    };
    // A joint of that name is meant before the time or a rate.
    if (is_known_joint(scene, name)) {
      header.joints.push_back(name);
      header.positions.push_back(i);
    } else if (is_time(name) && !header.time) {
      header.time = i;
    } else if (name.ends_with(kVelocity)) {
      velocities.emplace_back(before(kVelocity), i);
    } else if (name.ends_with(kAcceleration)) {
      accelerations.emplace_back(before(kAcceleration), i);
    } else {
      header.joints.push_back(name);
      header.positions.push_back(i);
    }
  }
  header.columns = cells.size();
  (void)ConfigurationReader(scene, header.joints);  // a slip in a joint's name is the first to tell
  header.velocities = in_order(header, kVelocity, velocities);
  header.accelerations = in_order(header, kAcceleration, accelerations);
  return header;
}

void add_time(std::vector<double>& times, double time) {
  if (!times.empty() && !(time > times.back()))
    fail("", fmt::format("times must increase, but {} follows {}", time, times.back()));
  times.push_back(time);
}

// Calls `read(line, number)` for each line that is not blank.
template <class Read>
void for_each_line(const std::filesystem::path& file, std::string_view text, Read&& read) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);)
    if (!trimmed(line).empty())
      at_place([&] { return place(file, lines.number()); }, [&] { read(line, lines.number()); });
}

}  // namespace

Motion read_csv_text(const std::filesystem::path& file, std::string_view text, const Scene& scene,
                     const PathOptions& options) {
  Trajectory trajectory;
  Header header;
  std::vector<long> lines;
  std::string names;
  int degree = 1;
  for_each_line(file, text, [&](std::string_view line, long number) {
    if (names.empty()) {
      names = place(file, number);
      header = read_header(line, scene);
      trajectory.joints = header.joints;
      degree = degree_of(options.interpolation, !header.velocities.empty(),
                         !header.accelerations.empty());
      for (const std::string& joint : header.joints)
        if (degree > 1 && is_quaternion(scene, joint))
          fail("", fmt::format("{} has no rate of its own; write pieces in JSON, or say "
                               "--interpolation linear",
                               quote(joint)));
      trajectory.degrees.assign(header.joints.size(), degree);
      return;
    }
    const std::vector<std::string_view> cells = split_commas(line);
    if (cells.size() != header.columns)
      fail("", fmt::format("expected {} columns, got {}{}", header.columns, cells.size(),
                           cells.size() == 2 * header.columns
                               ? " (decimal commas are not read; use points)"
                               : ""));
    const std::vector<double> values = parse_row(cells);
    const auto pick = [&](const std::vector<std::size_t>& columns) {
      std::vector<double> row;
      for (const std::size_t column : columns) row.push_back(values[column]);
      return row;
    };
    if (header.time) add_time(trajectory.times, values[*header.time]);
    trajectory.positions.push_back(pick(header.positions));
    if (degree >= 3) trajectory.velocities.push_back(pick(header.velocities));
    if (degree == 5) trajectory.accelerations.push_back(pick(header.accelerations));
    lines.push_back(number);
  });
  trajectory.place = [&](std::size_t i) { return place(file, lines[i]); };
  if (trajectory.positions.empty()) fail(file.string(), "expected at least one waypoint");
  return to_motion(trajectory, names, scene, options);
}

Motion read_csv_path(const std::filesystem::path& file, const Scene& scene,
                     const PathOptions& options) {
  return read_csv_text(file, read_text(file), scene, options);
}

Path read_matrix_path(const std::filesystem::path& file, const Scene& scene,
                      const PathOptions& options) {
  const std::string text = read_text(file);
  const ConfigurationReader reader(scene, options);
  Path path;
  at_place([&] { return file.string(); }, [&] { degree_of(options.interpolation, false, false); });
  for_each_line(file, text, [&](std::string_view line, long) {
    path.waypoints.push_back(reader.read(parse_row(words(line))));
  });
  if (path.waypoints.empty()) fail(file.string(), "expected at least one waypoint");
  return path;
}

}  // namespace proven::io
