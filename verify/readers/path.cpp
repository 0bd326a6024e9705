// Paths and motions (docs/formats.md, Path).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "proven/verify/readers.h"
#include "verify/readers/configurations.h"
#include "verify/readers/scenes.h"
#include "verify/readers/spline.h"

namespace proven::verifier {
namespace {

void add_time(std::vector<double>& times, double time) {
  if (!times.empty() && !(time > times.back())) refuse("", "times must increase");
  times.push_back(time);
}

// --- Trajectories --------------------------------------------------------------------------------

// The points of a trajectory before they are configurations: named values, and perhaps rates and
// times. Rates of a turn are its angular velocity, in the first three places of its quaternion.
struct Points {
  std::vector<std::string> names;
  std::vector<int> degrees;                                            // of each name: 1, 3 or 5
  std::vector<std::vector<double>> values, velocities, accelerations;  // rates perhaps empty
  std::vector<double> times;
  std::vector<long> lines;  // of a table
};

int degree_between(Between between, bool velocities, bool accelerations) {
  if (between == Between::linear) return 1;
  if (between == Between::cubic && !velocities) refuse("", "a cubic without velocities");
  if (between == Between::quintic && !accelerations) refuse("", "a quintic without accelerations");
  if (accelerations && !velocities) refuse("", "accelerations without velocities");
  if (accelerations && between != Between::cubic) return 5;
  return velocities ? 3 : 1;
}

struct State {
  std::vector<double> q, v, a;
};

// The rows of control points between two states.
std::vector<std::vector<double>> rows_between(const State& x, const State& y, double seconds,
                                              const std::vector<int>& degrees, std::size_t degree,
                                              const Configurations& configurations) {
  std::vector<std::vector<double>> rows(degree - 1, std::vector<double>(x.q.size(), 0));
  const auto put = [&](std::size_t i, const Coefficients& polynomial) {
    const Coefficients p = raised(polynomial, degree);
    for (std::size_t k = 1; k < degree; ++k) rows[k - 1][i] = p[k];
  };
  for (std::size_t i = 0; i < x.q.size(); ++i) {
    if (configurations.is_turn(i)) {
      const auto parts = degrees[i] == 1
                             ? slerp_turn(&x.q[i], &y.q[i])
                             : cubic_turn(&x.q[i], {x.v[i], x.v[i + 1], x.v[i + 2]}, &y.q[i],
                                          {y.v[i], y.v[i + 1], y.v[i + 2]}, seconds);
      for (std::size_t k = 0; k < 3; ++k) put(i + k, parts[k]);
      i += 3;
    } else if (degrees[i] == 1) {
      put(i, {x.q[i], y.q[i]});
    } else if (degrees[i] == 3) {
      put(i, cubic(x.q[i], x.v[i], y.q[i], y.v[i], seconds));
    } else {
      put(i, quintic(x.q[i], x.v[i], x.a[i], y.q[i], y.v[i], y.a[i], seconds));
    }
  }
  return rows;
}

State state_of(const Points& points, std::size_t i, const Configurations& configurations) {
  State state;
  state.q = configurations.read(points.values[i]);
  state.v = state.a = std::vector<double>(state.q.size(), 0);
  if (!points.velocities.empty()) {
    check_rates(points.velocities[i]);
    state.v = configurations.read_rates(points.velocities[i]);
  }
  if (!points.accelerations.empty()) {
    check_rates(points.accelerations[i]);
    state.a = configurations.read_rates(points.accelerations[i]);
  }
  return state;
}

// Its joints have been named.
Motion motion_of(const Points& points, const Configurations& configurations,
                 const std::filesystem::path& file) {
  const std::vector<int> degrees = configurations.degrees(points.degrees);
  int degree = 1;
  for (const int one : degrees) degree = std::max(degree, one);
  if (degree > 1 && points.times.empty()) refuse("", "rates without times");
  Motion motion;
  motion.defaulted = configurations.defaulted();
  motion.times = points.times;
  State before;
  const auto add = [&](std::size_t i) {
    State state = state_of(points, i, configurations);
    motion.waypoints.push_back(state.q);
    if (degree > 1 && i > 0) {
      const double seconds = motion.times[i] - motion.times[i - 1];
      check_duration(seconds);
      motion.inner.push_back(rows_between(before, state, seconds, degrees,
                                          static_cast<std::size_t>(degree), configurations));
      configurations.check_piece(motion, i - 1);
    }
    before = std::move(state);
  };
  for (std::size_t i = 0; i < points.values.size(); ++i)
    at_place(points.lines.empty() ? "" : line_place(file, points.lines[i]), [&] { add(i); });
  if (degree > 1 && points.values.size() == 1)
    for (const auto* rates : {&points.velocities, &points.accelerations})
      for (const auto& row : *rates)
        for (const double rate : row)
          if (rate != 0) refuse("", "one point alone makes no curve");
  return motion;
}

// --- JSON and YAML -------------------------------------------------------------------------------

std::vector<double> configuration_at(const Value& value, const Configurations& configurations) {
  return value.here([&] {
    return value.kind == Value::Kind::text ? configurations.read(value.text())
                                           : configurations.read(value.numbers());
  });
}

Motion read_waypoints(const Value& root, Between between, const Configurations& configurations) {
  root.only({"proven", "joints", "waypoints", "times"});
  if (between == Between::cubic || between == Between::quintic)
    root.fail("waypoints have no rates for a curve");
  Motion motion;
  for (const Value& waypoint : root.at("waypoints").list())
    motion.waypoints.push_back(configuration_at(waypoint, configurations));
  if (motion.waypoints.empty()) root.at("waypoints").fail("no waypoint");
  if (const Value* times = root.find("times"))
    for (const double time : times->numbers(motion.waypoints.size()))
      times->here([&] { add_time(motion.times, time); });
  return motion;
}

void read_piece(const Value& piece, const Configurations& configurations, Motion& motion) {
  piece.only({"begin", "end", "bezier"});
  const bool first = motion.waypoints.empty(), timed = piece.find("begin") != nullptr;
  if (timed != (piece.find("end") != nullptr) || (!first && timed != !motion.times.empty()))
    piece.fail("some pieces have times and some have none");
  if (timed) {
    const double begin = piece.at("begin").number();
    if (first) motion.times.push_back(begin);
    if (begin != motion.times.back()) piece.fail("it begins when the one before has not ended");
    piece.here([&] { add_time(motion.times, piece.at("end").number()); });
  }
  const std::vector<Value>& rows = piece.at("bezier").list();
  if (rows.size() < 2 || rows.size() > 6) piece.fail("2 to 6 control points are needed");
  const std::vector<double> begin = configuration_at(rows.front(), configurations);
  if (first) motion.waypoints.push_back(begin);
  if (begin != motion.waypoints.back()) rows.front().fail("a jump from the piece before");
  motion.waypoints.push_back(configuration_at(rows.back(), configurations));
  motion.inner.emplace_back();
  for (std::size_t k = 1; k + 1 < rows.size(); ++k)
    rows[k].here(
        [&] { motion.inner.back().push_back(configurations.read_between(rows[k].numbers())); });
  piece.here([&] { configurations.check_piece(motion, motion.inner.size() - 1); });
}

Motion read_pieces(const Value& root, Between between, const Configurations& configurations) {
  root.only({"proven", "joints", "pieces"});
  if (between != Between::as_given) root.fail("pieces say themselves what they are");
  Motion motion;
  for (const Value& piece : root.at("pieces").list()) read_piece(piece, configurations, motion);
  if (motion.waypoints.empty()) root.at("pieces").fail("no piece");
  if (motion.straight()) motion.inner.clear();
  return motion;
}

Motion read_own(const Value& root, Between between, Configurations& configurations) {
  root.version();
  const Value& joints = root.at("joints");
  joints.here([&] { configurations.name(joints.texts()); });
  Motion motion = root.find("pieces") ? read_pieces(root, between, configurations)
                                      : read_waypoints(root, between, configurations);
  motion.defaulted = configurations.defaulted();
  return motion;
}

// A number of seconds, or ROS's pairs of seconds and nanoseconds.
double seconds(const Value& value) {
  if (value.kind == Value::Kind::number) return value.number();
  const bool old = value.find("secs") != nullptr;
  value.only({old ? "secs" : "sec", old ? "nsecs" : "nanosec"});
  const Value &seconds = value.at(old ? "secs" : "sec"),
              &rest = value.at(old ? "nsecs" : "nanosec");
  if (seconds.number() != std::floor(seconds.number()) ||
      !(seconds.number() >= -0x1p31 && seconds.number() < 0x1p31))
    seconds.fail("expected whole seconds");
  if (rest.number() != std::floor(rest.number()) || !(rest.number() >= 0 && rest.number() < 1e9))
    rest.fail("expected whole nanoseconds below 10^9");
  return seconds.number() + 1e-9 * rest.number();
}

void refuse_efforts(const Value& effort) {
  for (const double force : effort.figures)
    if (force != 0) effort.fail("a motion has no forces");
  if (effort.kind == Value::Kind::list)
    for (const Value& part : effort.items) refuse_efforts(part);
  else if (!effort.empty() && effort.number() != 0)
    effort.fail("a motion has no forces");
}

// Rates at every point or at none.
bool have_rates(const std::vector<Value>& points, std::string_view key) {
  std::size_t count = 0;
  for (const Value& point : points)
    if (const Value* rates = point.find(key); rates && !rates->empty()) ++count;
  if (count > 0 && count < points.size()) points[0].fail("rates of some points alone");
  return count > 0;
}

// What both kinds of points have; `read` gives a row of rates.
template <class ReadRates>
void read_points(const Value& root, std::string_view values, Between between, Points& result,
                 ReadRates&& read) {
  const std::vector<Value>& points = root.at("points").list();
  for (const Value& point : points) {
    point.only({values, "velocities", "accelerations", "effort", "time_from_start"});
    if (const Value* effort = point.find("effort"); effort && between != Between::linear)
      refuse_efforts(*effort);
    if (const Value* time = point.find("time_from_start"))
      point.here([&] { add_time(result.times, seconds(*time)); });
  }
  if (!result.times.empty() && result.times.size() != points.size())
    root.at("points").fail("some points have a time and some have none");
  int degree = 1;
  if (between != Between::linear && !points.empty())
    degree = root.here([&] {
      return degree_between(between, have_rates(points, "velocities"),
                            have_rates(points, "accelerations"));
    });
  result.degrees.assign(result.names.size(), degree);
  for (const Value& point : points) {
    if (degree >= 3) result.velocities.push_back(read(point.at("velocities")));
    if (degree == 5) result.accelerations.push_back(read(point.at("accelerations")));
  }
}

Points joint_points(const Value& root, Between between, const Configurations& configurations) {
  root.only({"header", "joint_names", "points"});
  frame_of(root);
  Points points;
  points.names = root.at("joint_names").texts();
  for (const Value& point : root.at("points").list())
    points.values.push_back(point.at("positions").numbers(points.names.size()));
  read_points(root, "positions", between, points,
              [&](const Value& rates) { return rates.numbers(points.names.size()); });
  for (const std::string& name : points.names)
    if (!points.velocities.empty() && configurations.names_turn(name))
      root.fail("a part of a quaternion has no rate of its own");
  return points;
}

Vec3 rate_vector(const Value& value) {
  if (value.kind == Value::Kind::list) return value.vector();
  value.only({"x", "y", "z"});
  return {value.at("x").number(), value.at("y").number(), value.at("z").number()};
}

// Twists in the frame of the transforms, as rates.
std::vector<double> twist_rates(const Value& twists, const std::vector<bool>& planar) {
  const std::vector<Value>& given = twists.list();
  if (given.size() != planar.size()) twists.fail("as many twists as joints are needed");
  std::vector<double> rates;
  for (std::size_t i = 0; i < planar.size(); ++i) {
    given[i].only({"linear", "angular"});
    const Vec3 v = rate_vector(given[i].at("linear")), w = rate_vector(given[i].at("angular"));
    if (planar[i] && (v.z != 0 || w.x != 0 || w.y != 0)) given[i].fail("it leaves the plane");
    for (const double rate : planar[i] ? std::vector<double>{v.x, v.y, w.z}
                                       : std::vector<double>{v.x, v.y, v.z, w.x, w.y, w.z, 0})
      rates.push_back(rate);
  }
  return rates;
}

// Transforms of planar joints (about z, every turn the shorter way) and floating ones.
Points transform_points(const Value& root, Between between, const Configurations& configurations) {
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
  }
  read_points(root, "transforms", between, points,
              [&](const Value& twists) { return twist_rates(twists, planar); });
  if (!points.accelerations.empty() && std::count(planar.begin(), planar.end(), false) > 0)
    root.fail("accelerations of a floating joint");
  return points;
}

bool has_points(const Value* trajectory) {
  if (!trajectory || trajectory->empty()) return false;
  const Value* points = trajectory->find("points");
  return points && !points->empty();
}

// Rows of one half behind those of the other; where one half alone has rates, the other's are not
// asked for.
void append(std::vector<std::vector<double>>& rows, std::size_t width,
            std::vector<std::vector<double>> more, std::size_t more_width, std::size_t count) {
  if (rows.empty() && more.empty()) return;
  if (rows.empty()) rows.assign(count, std::vector<double>(width, 0));
  if (more.empty()) more.assign(count, std::vector<double>(more_width, 0));
  for (std::size_t i = 0; i < count; ++i)
    rows[i].insert(rows[i].end(), more[i].begin(), more[i].end());
}

Motion motion_at(const Value& root, const Points& points, Configurations& configurations) {
  return root.here([&] {
    configurations.name(points.names);
    return motion_of(points, configurations, *root.file);
  });
}

// The two halves of a RobotTrajectory have the same times.
Motion read_robot_trajectory(const Value& root, Between between, Configurations& configurations) {
  root.only({"joint_trajectory", "multi_dof_joint_trajectory"});
  const Value* joints = root.find("joint_trajectory");
  const Value* base = root.find("multi_dof_joint_trajectory");
  Points points;
  if (joints && (has_points(joints) || !has_points(base)))
    points = joint_points(*joints, between, configurations);
  if (has_points(base)) {
    Points moved = transform_points(*base, between, configurations);
    const std::size_t count = moved.values.size();
    if (points.values.empty()) {
      points = std::move(moved);
    } else {
      if (points.values.size() != count || points.times != moved.times)
        root.fail("both halves need the same times");
      const std::size_t width = points.names.size(), more = moved.names.size();
      append(points.values, width, moved.values, more, count);
      append(points.velocities, width, moved.velocities, more, count);
      append(points.accelerations, width, moved.accelerations, more, count);
      points.names.insert(points.names.end(), moved.names.begin(), moved.names.end());
      points.degrees.insert(points.degrees.end(), moved.degrees.begin(), moved.degrees.end());
    }
  }
  return motion_at(root, points, configurations);
}

Motion read_tree_path(const Value& root, Between between, Configurations& configurations) {
  if (root.find("joint_trajectory") || root.find("multi_dof_joint_trajectory"))
    return read_robot_trajectory(root, between, configurations);
  if (root.find("joint_names") && !root.find("proven"))
    return motion_at(root, joint_points(root, between, configurations), configurations);
  return read_own(root, between, configurations);
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

// Calls `read` with the lines of a text that are not blank, and their numbers.
template <class Read>
void each_line(const std::filesystem::path& file, std::string_view text, Read&& read) {
  std::string_view rest = text, line;
  for (long number = 1; take_line(rest, line); ++number)
    if (!without_blanks(line).empty())
      at_place(line_place(file, number), [&] { read(line, number); });
}

// What each column of a CSV holds.
struct Columns {
  std::size_t count = 0;
  std::optional<std::size_t> time;
  std::vector<std::string> names;
  std::vector<std::size_t> values;
  std::map<std::string, std::size_t> velocities, accelerations;  // by the joint's column
};

Columns read_header(std::string_view line, const Configurations& configurations) {
  Columns columns;
  for (const std::string_view cell : cells_of(line)) {
    const std::size_t at = columns.count++;
    const std::string name(cell);
    const bool is_time = name == "time" || name == "t" || name == "time_from_start";
    const auto add_rate = [&](auto& rates, std::size_t ending) {
      if (!rates.emplace(name.substr(0, name.size() - ending), at).second)
        refuse("", "the column '" + name + "' twice");
    };
    if (!configurations.knows(name) && is_time && !columns.time) {
      columns.time = at;
    } else if (!configurations.knows(name) && name.ends_with(".velocity")) {
      add_rate(columns.velocities, 9);
    } else if (!configurations.knows(name) && name.ends_with(".acceleration")) {
      add_rate(columns.accelerations, 13);
    } else {
      columns.names.push_back(name);
      columns.values.push_back(at);
    }
  }
  // Names that are repeated are refused where they are found.
  const std::set<std::string> names(columns.names.begin(), columns.names.end());
  for (const auto* rates : {&columns.velocities, &columns.accelerations}) {
    for (const auto& [name, at] : *rates)
      if (!names.contains(name)) refuse("", "a rate of '" + name + "', which has no column");
    if (!rates->empty() && rates->size() != names.size()) refuse("", "rates of some joints alone");
  }
  return columns;
}

Motion read_csv(const std::filesystem::path& file, std::string_view text, Between between,
                Configurations& configurations) {
  Points points;
  Columns columns;
  int degree = 1;
  each_line(file, text, [&](std::string_view line, long number) {
    if (columns.count == 0) {
      columns = read_header(line, configurations);
      points.names = columns.names;
      configurations.name(points.names);
      degree = degree_between(between, !columns.velocities.empty(), !columns.accelerations.empty());
      points.degrees.assign(points.names.size(), degree);
      for (const std::string& name : points.names)
        if (degree > 1 && configurations.names_turn(name))
          refuse("", "a part of a quaternion has no rate of its own");
      return;
    }
    const auto cells = cells_of(line);
    if (cells.size() != columns.count)
      refuse("", fmt::format("{} columns, not {}", cells.size(), columns.count));
    const std::vector<double> values = numbers_of(cells);
    if (columns.time) add_time(points.times, values[*columns.time]);
    std::vector<double> row, velocity, acceleration;
    for (const std::size_t at : columns.values) row.push_back(values[at]);
    for (const std::string& name : columns.names) {
      if (degree >= 3) velocity.push_back(values[columns.velocities.at(name)]);
      if (degree == 5) acceleration.push_back(values[columns.accelerations.at(name)]);
    }
    points.values.push_back(std::move(row));
    points.lines.push_back(number);
    if (degree >= 3) points.velocities.push_back(std::move(velocity));
    if (degree == 5) points.accelerations.push_back(std::move(acceleration));
  });
  return motion_of(points, configurations, file);
}

Motion read_matrix(const std::filesystem::path& file, Between between,
                   Configurations& configurations) {
  if (between == Between::cubic || between == Between::quintic)
    refuse("", "a matrix has no rates for a curve");
  configurations.name_all();
  Motion motion;
  each_line(file, file_text(file), [&](std::string_view line, long) {
    motion.waypoints.push_back(configurations.read(numbers_of(split_blanks(line))));
  });
  return motion;
}

}  // namespace

Motion motion_at(const Value& value, const SceneSource& scene) {
  const PathReading options;
  Configurations configurations(scene, options);
  return read_tree_path(value, options.between, configurations);
}

Motion read_path_line(std::string_view text, const SceneSource& scene, const PathReading& options) {
  Configurations configurations(scene, options);
  Tree tree{std::make_unique<std::filesystem::path>(), {}};
  try {
    parse_json(text, tree);
    Motion motion = read_tree_path(tree.root, options.between, configurations);
    if (motion.waypoints.empty()) refuse("", "no waypoint");
    return motion;
  } catch (const Unreadable& error) {
    refuse("", error.message);  // its place is within the line
  }
}

Motion read_path_table(const std::string& name, std::string_view text, const SceneSource& scene,
                       const PathReading& options) {
  Configurations configurations(scene, options);
  Motion motion = read_csv(name, text, options.between, configurations);
  if (motion.waypoints.empty()) refuse(name, "no waypoint");
  return motion;
}

Motion read_any_path(const std::filesystem::path& file, const SceneSource& scene,
                     const PathReading& options) {
  Configurations configurations(scene, options);
  const std::string ending = ending_of(file);
  Motion motion;
  if (ending == ".json" || is_yaml(file)) {
    const Tree tree = read_tree(file);
    motion = read_tree_path(tree.root, options.between, configurations);
  } else if (ending == ".csv") {
    motion = read_csv(file, file_text(file), options.between, configurations);
  } else if (ending.empty() || ending == ".txt" || ending == ".path" || ending == ".mat") {
    motion = read_matrix(file, options.between, configurations);
  } else {
    refuse(file.string(), "one path ends in .json, .yaml, .csv, .txt, .path or .mat");
  }
  if (motion.waypoints.empty()) refuse(file.string(), "no waypoint");
  return motion;
}

}  // namespace proven::verifier
