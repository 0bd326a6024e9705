// Paths (docs/formats.md, Path).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proven/verify/readers.h"
#include "verify/readers/joints.h"
#include "verify/readers/value.h"

namespace proven::verifier {
namespace {

// From the values of named joints to configurations of the scene.
class Configurations {
 public:
  Configurations(const SceneSource& scene, const PathReading& options) : options_(options) {
    for (const RobotSource& robot : scene.robots) add_joints(robot.robot, robot.name, joints_);
    for (const Coordinate& coordinate : joints_.coordinates)
      home_.push_back(coordinate.name.ends_with(".qw") && coordinate.quaternion ? 1 : 0);
    for (const auto& [name, value] : scene.home)
      if (const auto index = joints_.find(name)) home_[*index] = value;
    named_.assign(home_.size(), false);
  }

  void name_all() {
    for (std::size_t i = 0; i < home_.size(); ++i) columns_.push_back({false, i});
    named_.assign(home_.size(), true);
  }
  void name(const std::vector<std::string>& names) {
    for (const std::string& wanted : names) {
      columns_.push_back(find(wanted));
      for (std::size_t i = 0; i + 1 < columns_.size(); ++i)
        if (columns_[i] == columns_.back()) refuse("", "joint '" + wanted + "' is named twice");
      if (!columns_.back().follows) named_[columns_.back().index] = true;
    }
  }
  std::size_t num_columns() const { return columns_.size(); }
  bool knows(const std::string& name) const { return !fits(name).empty(); }

  std::vector<double> read(const std::vector<double>& values) const {
    if (values.size() != columns_.size())
      refuse("", fmt::format("{} values for {} joints", values.size(), columns_.size()));
    std::vector<double> q = home_;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!columns_[i].follows) q[columns_[i].index] = values[i];
    for (std::size_t i = 0; i < values.size(); ++i)
      if (columns_[i].follows) {
        const Follower& f = joints_.followers[columns_[i].index];
        if (!(std::fabs(values[i] - (f.multiplier * q[f.leader] + f.offset)) <= 1e-9))
          refuse("", "joint '" + f.name + "' does not follow as it must");
      }
    if (!options_.ignore_limits) check_limits(q);
    check_quaternions(q);
    return q;
  }

  std::vector<std::string> defaulted() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < named_.size(); ++i)
      if (!named_[i]) names.push_back(joints_.coordinates[i].name);
    return names;
  }

 private:
  struct Column {
    bool follows = false;
    std::size_t index = 0;  // of the follower or the coordinate
    friend bool operator==(const Column&, const Column&) = default;
  };

  // "robot/joint", or "joint" where one robot alone has it.
  std::vector<Column> fits(const std::string& name) const {
    std::vector<Column> exact, short_of;
    const auto add = [&](const std::string& full, Column column) {
      if (full == name) exact.push_back(column);
      if (full.ends_with("/" + name)) short_of.push_back(column);
    };
    for (std::size_t i = 0; i < joints_.coordinates.size(); ++i)
      add(joints_.coordinates[i].name, {false, i});
    for (std::size_t i = 0; i < joints_.followers.size(); ++i)
      add(joints_.followers[i].name, {true, i});
    return exact.empty() ? short_of : exact;
  }
  Column find(const std::string& name) const {
    const std::vector<Column> found = fits(name);
    if (found.size() != 1) refuse("", "joint '" + name + "' is unknown or ambiguous");
    return found[0];
  }

  void check_limits(const std::vector<double>& q) const {
    const auto check = [](const std::string& name, double value, double lower, double upper) {
      if (!(value >= lower && value <= upper))
        refuse("", fmt::format("joint '{}' at {} is beyond its limits", name, value));
    };
    for (std::size_t i = 0; i < q.size(); ++i)
      check(joints_.coordinates[i].name, q[i], joints_.coordinates[i].lower,
            joints_.coordinates[i].upper);
    for (const Follower& f : joints_.followers)
      check(f.name, f.multiplier * q[f.leader] + f.offset, f.lower, f.upper);
  }

  void check_quaternions(const std::vector<double>& q) const {
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!joints_.coordinates[i].quaternion) continue;
      const double length =
          std::sqrt(q[i] * q[i] + q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3]);
      if (!(std::fabs(length - 1) <= 1e-6)) refuse("", "a quaternion that is not of length 1");
      i += 3;
    }
  }

  PathReading options_;
  JointList joints_;
  std::vector<double> home_;
  std::vector<Column> columns_;
  std::vector<bool> named_;
};

void add_time(Path& path, double time) {
  if (!path.times.empty() && !(time > path.times.back())) refuse("", "times must increase");
  path.times.push_back(time);
}

// --- JSON and YAML -------------------------------------------------------------------------------

Path read_own(const Value& root, Configurations& configurations) {
  root.only({"proven", "joints", "waypoints", "times"});
  root.version();
  const Value& joints = root.at("joints");
  joints.here([&] { configurations.name(joints.texts()); });
  Path path;
  path.defaulted = configurations.defaulted();
  for (const Value& waypoint : root.at("waypoints").list())
    path.waypoints.push_back(
        waypoint.here([&] { return configurations.read(waypoint.numbers()); }));
  if (path.waypoints.empty()) root.at("waypoints").fail("no waypoint");
  if (const Value* times = root.find("times"))
    for (const double time : times->numbers(path.waypoints.size()))
      times->here([&] { add_time(path, time); });
  return path;
}

// A number of seconds, or ROS's pairs of seconds and nanoseconds.
double seconds(const Value& value) {
  if (value.kind == Value::Kind::number) return value.number();
  const bool ros1 = value.find("secs") != nullptr;
  if (ros1)
    value.only({"secs", "nsecs"});
  else
    value.only({"sec", "nanosec"});
  return value.at(ros1 ? "secs" : "sec").number() +
         1e-9 * value.at(ros1 ? "nsecs" : "nanosec").number();
}

Path read_trajectory(const Value& root, Configurations& configurations) {
  root.only({"header", "joint_names", "points"});
  const Value& joints = root.at("joint_names");
  joints.here([&] { configurations.name(joints.texts()); });
  Path path;
  path.defaulted = configurations.defaulted();
  for (const Value& point : root.at("points").list()) {
    point.only({"positions", "velocities", "accelerations", "effort", "time_from_start"});
    const Value& positions = point.at("positions");
    path.waypoints.push_back(
        positions.here([&] { return configurations.read(positions.numbers()); }));
    if (const Value* time = point.find("time_from_start"))
      time->here([&] { add_time(path, seconds(*time)); });
  }
  if (path.waypoints.empty()) root.at("points").fail("no point");
  if (!path.times.empty() && path.times.size() != path.waypoints.size())
    root.at("points").fail("some points have a time and some have none");
  return path;
}

Path read_tree_path(const Value& root, Configurations& configurations) {
  if (const Value* trajectory = root.find("joint_trajectory")) {
    root.only({"joint_trajectory", "multi_dof_joint_trajectory"});
    if (const Value* base = root.find("multi_dof_joint_trajectory"))
      if (const Value* points = base->find("points"); points && !points->empty())
        points->fail("a moving base is not read");
    return read_trajectory(*trajectory, configurations);
  }
  if (root.find("joint_names") && !root.find("proven"))
    return read_trajectory(root, configurations);
  return read_own(root, configurations);
}

// --- Tables --------------------------------------------------------------------------------------

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view cell = without_blanks(line.substr(0, comma));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::vector<double> numbers_of(const std::vector<std::string_view>& cells) {
  std::vector<double> values;
  for (const std::string_view cell : cells) {
    const auto value = decimal(cell);
    if (!value) refuse("", fmt::format("'{}' is no number", cell.substr(0, 40)));
    values.push_back(*value);
  }
  return values;
}

// Calls `read` with the lines that are not blank.
template <class Read>
void each_line(const std::filesystem::path& file, Read&& read) {
  const std::string text = file_text(file);
  std::string_view rest = text, line;
  for (long number = 1; take_line(rest, line); ++number)
    if (!without_blanks(line).empty()) at_place(line_place(file, number), [&] { read(line); });
}

Path read_csv(const std::filesystem::path& file, Configurations& configurations) {
  Path path;
  std::size_t columns = 0;
  std::optional<std::size_t> time;
  each_line(file, [&](std::string_view line) {
    const auto cells = cells_of(line);
    if (columns == 0) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool is_time = cells[i] == "time" || cells[i] == "t" || cells[i] == "time_from_start";
        if (is_time && !time)
          time = i;
        else
          names.emplace_back(cells[i]);
      }
      configurations.name(names);
      path.defaulted = configurations.defaulted();
      columns = cells.size();
      return;
    }
    if (cells.size() != columns)
      refuse("", fmt::format("{} columns, not {}", cells.size(), columns));
    std::vector<double> values = numbers_of(cells);
    if (time) {
      add_time(path, values[*time]);
      values.erase(values.begin() + static_cast<std::ptrdiff_t>(*time));
    }
    path.waypoints.push_back(configurations.read(values));
  });
  return path;
}

Path read_matrix(const std::filesystem::path& file, Configurations& configurations) {
  configurations.name_all();
  Path path;
  each_line(file, [&](std::string_view line) {
    path.waypoints.push_back(configurations.read(numbers_of(split_blanks(line))));
  });
  return path;
}

}  // namespace

Path read_any_path(const std::filesystem::path& file, const SceneSource& scene,
                   const PathReading& options) {
  Configurations configurations(scene, options);
  const std::string ending = ending_of(file);
  Path path;
  if (ending == ".json" || is_yaml(file)) {
    const Tree tree = read_tree(file);
    path = read_tree_path(tree.root, configurations);
  } else if (ending == ".csv") {
    path = read_csv(file, configurations);
  } else if (ending.empty() || ending == ".txt" || ending == ".path" || ending == ".mat") {
    path = read_matrix(file, configurations);
  } else {
    refuse(file.string(), "one path ends in .json, .yaml, .csv, .txt, .path or .mat");
  }
  if (path.waypoints.empty()) refuse(file.string(), "no waypoint");
  return path;
}

}  // namespace proven::verifier
