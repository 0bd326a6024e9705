// Paths (docs/formats.md, Path).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "proven/verify/readers.h"
#include "verify/readers/joints.h"
#include "verify/readers/scenes.h"

namespace proven::verifier {
namespace {

// From the values of named joints to configurations of the scene.
class Configurations {
 public:
  Configurations(const SceneSource& scene, const PathReading& options)
      : scene_(scene), options_(options) {
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

  // A named configuration of the SRDF: a value for each named joint; what it says of others must be
  // where they rest.
  std::vector<double> read(const std::string& state) const {
    const std::map<std::string, double> given = values_of(state);
    std::vector<double> values;
    std::set<std::string> used;
    for (const Column& column : columns_) {
      const std::string& name = column.follows ? joints_.followers[column.index].name
                                               : joints_.coordinates[column.index].name;
      if (!given.contains(name)) refuse("", "'" + state + "' has no value of joint '" + name + "'");
      values.push_back(given.at(name));
      used.insert(name);
    }
    for (const auto& [name, value] : given)
      if (const auto index = joints_.find(name);
          index && !used.contains(name) && home_[*index] != value)
        refuse("", "'" + state + "' sets joint '" + name + "', which is not named here");
    return read(values);
  }

  // The planar or floating joint ("robot/joint") of that name, and whether it is planar. A frame
  // that is given must be its parent link.
  std::pair<std::string, bool> find_placed_joint(const std::string& name,
                                                 const std::string& frame) const {
    std::vector<std::pair<std::string, bool>> found;
    for (const RobotSource& robot : scene_.robots)
      for (const RobotJoint& joint : robot.robot.joints) {
        const std::string full = robot.name + "/" + joint.name;
        if (suffixes(joint.type).size() < 2 || (full != name && !full.ends_with("/" + name)))
          continue;
        const std::string parent = robot.name + "/" + joint.parent_link;
        if (!frame.empty() && parent != frame && !parent.ends_with("/" + frame))
          refuse("", "joint '" + full + "' does not move in the frame '" + frame + "'");
        found.emplace_back(full, joint.type == JointType::planar);
      }
    if (found.size() != 1) refuse("", "joint '" + name + "' is unknown or ambiguous");
    return found[0];
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

  // "name", "group/name", "robot/name" or "robot/group/name"; several that agree are one.
  std::map<std::string, double> values_of(const std::string& wanted) const {
    std::map<std::string, double> values;
    bool found = false;
    for (const RobotSource& robot : scene_.robots)
      for (const GroupState& state : robot.robot.states) {
        const std::string full = robot.name + "/" + state.group + "/" + state.name;
        if (full != wanted && !full.ends_with("/" + wanted) &&
            robot.name + "/" + state.name != wanted)
          continue;
        found = true;
        for (const auto& [joint, list] : state.joints) {
          const auto ends = suffixes(list.size() == 3   ? JointType::planar
                                     : list.size() == 7 ? JointType::floating
                                                        : JointType::revolute);
          for (std::size_t i = 0; i < list.size(); ++i)
            if (values.emplace(robot.name + "/" + joint + ends[i], list[i]).first->second !=
                list[i])
              refuse("", "'" + wanted + "' is ambiguous");
        }
      }
    if (!found) refuse("", "there is no configuration '" + wanted + "'");
    return values;
  }

  void check_limits(const std::vector<double>& q) const {
    constexpr double kRounded = 1e-6;  // as other programs write a value at its limit
    const auto check = [](const std::string& name, double value, double lower, double upper) {
      if (!(value >= lower - kRounded && value <= upper + kRounded))
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

  const SceneSource& scene_;
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
    path.waypoints.push_back(waypoint.here([&] {
      return waypoint.kind == Value::Kind::text ? configurations.read(waypoint.text())
                                                : configurations.read(waypoint.numbers());
    }));
  if (path.waypoints.empty()) root.at("waypoints").fail("no waypoint");
  if (const Value* times = root.find("times"))
    for (const double time : times->numbers(path.waypoints.size()))
      times->here([&] { add_time(path, time); });
  return path;
}

// A number of seconds, or ROS's pairs of seconds and nanoseconds.
double seconds(const Value& value) {
  if (value.kind == Value::Kind::number) return value.number();
  const bool old = value.find("secs") != nullptr;
  value.only({old ? "secs" : "sec", old ? "nsecs" : "nanosec"});
  return value.at(old ? "secs" : "sec").number() +
         1e-9 * value.at(old ? "nsecs" : "nanosec").number();
}

// The points of a trajectory before they are configurations: named values, and perhaps times.
struct Points {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::vector<double> times;
};

// Rates bend the lines between the positions, unless all of them are zero.
void refuse_rates(const Value& rates) {
  for (const double rate : rates.figures)
    if (rate != 0) rates.fail("the curve is not the straight line between its points");
  for (const Value& part : rates.items) refuse_rates(part);
  if (!rates.empty() && rates.kind != Value::Kind::list && rates.kind != Value::Kind::object &&
      rates.number() != 0)
    rates.fail("the curve is not the straight line between its points");
}

void read_point(const Value& point, std::string_view values, bool linear, Points& points) {
  point.only({values, "velocities", "accelerations", "effort", "time_from_start"});
  for (const char* rates : {"velocities", "accelerations", "effort"})
    if (const Value* given = point.find(rates); given && !linear) refuse_rates(*given);
  if (const Value* time = point.find("time_from_start")) points.times.push_back(seconds(*time));
}

void check_times(const Value& place, const Points& points) {
  if (!points.times.empty() && points.times.size() != points.values.size())
    place.fail("some points have a time and some have none");
  for (std::size_t i = 1; i < points.times.size(); ++i)
    if (!(points.times[i] > points.times[i - 1])) place.fail("times must increase");
}

Points joint_points(const Value& root, bool linear) {
  root.only({"header", "joint_names", "points"});
  frame_of(root);
  Points points;
  points.names = root.at("joint_names").texts();
  for (const Value& point : root.at("points").list()) {
    points.values.push_back(point.at("positions").numbers(points.names.size()));
    read_point(point, "positions", linear, points);
  }
  check_times(root.at("points"), points);
  return points;
}

// Transforms of planar joints (about z, every turn the shorter way) and floating ones.
Points transform_points(const Value& root, bool linear, const Configurations& configurations) {
  root.only({"header", "joint_names", "points"});
  Points points;
  std::vector<bool> planar;
  const std::string frame = frame_of(root);
  for (const std::string& name : root.at("joint_names").texts()) {
    const auto [joint, is_planar] =
        root.here([&] { return configurations.find_placed_joint(name, frame); });
    planar.push_back(is_planar);
    for (const std::string& suffix : suffixes(is_planar ? JointType::planar : JointType::floating))
      points.names.push_back(joint + suffix);
  }
  for (const Value& point : root.at("points").list()) {
    const std::vector<Value>& transforms = point.at("transforms").list();
    if (transforms.size() != planar.size()) point.fail("as many transforms as joints are needed");
    std::vector<double> values;
    for (std::size_t i = 0; i < planar.size(); ++i)
      for (const double value :
           planar[i] ? planar_values(transforms[i]) : floating_values(transforms[i]))
        values.push_back(value);
    for (std::size_t i = 0; i < values.size() && !points.values.empty(); ++i) {
      const double before = points.values.back()[i];
      if (points.names[i].ends_with(".angle"))
        values[i] = before + std::remainder(values[i] - before, 2 * std::numbers::pi);
    }
    points.values.push_back(std::move(values));
    read_point(point, "transforms", linear, points);
  }
  check_times(root.at("points"), points);
  return points;
}

Path path_of(const Value& root, const Points& points, Configurations& configurations) {
  return root.here([&] {
    Path path;
    configurations.name(points.names);
    path.defaulted = configurations.defaulted();
    path.times = points.times;
    for (const std::vector<double>& values : points.values)
      path.waypoints.push_back(configurations.read(values));
    return path;
  });
}

bool has_points(const Value* trajectory) {
  if (!trajectory || trajectory->empty()) return false;
  const Value* points = trajectory->find("points");
  return points && !points->empty();
}

// The two halves of a RobotTrajectory have the same times.
Path read_robot_trajectory(const Value& root, bool linear, Configurations& configurations) {
  root.only({"joint_trajectory", "multi_dof_joint_trajectory"});
  const Value* joints = root.find("joint_trajectory");
  const Value* base = root.find("multi_dof_joint_trajectory");
  Points points;
  if (joints && (has_points(joints) || !has_points(base))) points = joint_points(*joints, linear);
  if (has_points(base)) {
    const Points moved = transform_points(*base, linear, configurations);
    if (points.values.empty())
      points = Points{{}, moved.values, moved.times};
    else if (points.values.size() != moved.values.size() || points.times != moved.times)
      root.fail("both halves need the same times");
    else
      for (std::size_t i = 0; i < moved.values.size(); ++i)
        points.values[i].insert(points.values[i].end(), moved.values[i].begin(),
                                moved.values[i].end());
    points.names.insert(points.names.end(), moved.names.begin(), moved.names.end());
  }
  return path_of(root, points, configurations);
}

Path read_tree_path(const Value& root, bool linear, Configurations& configurations) {
  if (root.find("joint_trajectory") || root.find("multi_dof_joint_trajectory"))
    return read_robot_trajectory(root, linear, configurations);
  if (root.find("joint_names") && !root.find("proven"))
    return path_of(root, joint_points(root, linear), configurations);
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
        if (is_time && !time && !configurations.knows(std::string(cells[i])))
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
    path = read_tree_path(tree.root, options.linear, configurations);
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
