#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/exact_rates.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/text.h"
#include "io/trajectory.h"
#include "proven/io/data_set.h"
#include "proven/kinematics/interpolation.h"
#include "proven/scene/splines.h"

namespace proven {
namespace io {
namespace {

using Row = std::vector<double>;

std::string list(const Row& values) {
  return nlohmann::json(values).dump();  // the shortest digits that come back as they are
}

// --- JSON ----------------------------------------------------------------------------------------

std::string own_text(const Motion& motion, const Scene& scene) {
  nlohmann::json joints = nlohmann::json::array();
  for (const Coordinate& coordinate : scene.tree().coordinates()) joints.push_back(coordinate.name);
  std::string text = "{\"proven\": 1,\n \"joints\": " + joints.dump() + ",\n ";
  if (motion.straight()) {
    text += "\"waypoints\": [";
    for (std::size_t i = 0; i < motion.waypoints.size(); ++i)
      text += (i == 0 ? "\n  " : ",\n  ") + list(motion.waypoints[i]);
    text += "]";
    if (!motion.times.empty()) text += ",\n \"times\": " + list(motion.times);
    return text + "}\n";
  }
  text += "\"pieces\": [";
  for (int i = 0; i < motion.num_segments(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    text += i == 0 ? "\n  {" : ",\n  {";
    if (!motion.times.empty())
      text += fmt::format("\"begin\": {}, \"end\": {}, ", nlohmann::json(motion.times[at]).dump(),
                          nlohmann::json(motion.times[at + 1]).dump());
    text += "\"bezier\": [";
    const MotionPiece piece = motion.piece(i);
    for (int k = 0; k <= piece.degree(); ++k) {
      const std::span<const double> row = piece.control(k);
      text += (k == 0 ? "\n    " : ",\n    ") + list({row.begin(), row.end()});
    }
    text += "]}";
  }
  return text + "]}\n";
}

// --- Points with rates ---------------------------------------------------------------------------

Vec3 vector_at(std::span<const double> values, std::size_t i) {
  return {values[i], values[i + 1], values[i + 2]};
}

// φ at control point k of a piece.
Vec3 turn_at(const MotionPiece& piece, int k, std::size_t i) {
  if (k == 0) return {0, 0, 0};
  const int first = static_cast<int>(i);
  if (k == piece.degree())
    return turn_between(read_quaternion(piece.from, first), read_quaternion(piece.to, first));
  return vector_at(piece.control(k), i);
}

// Rates at one end of a piece, of ball joints as angular velocities.
Row end_velocity(const MotionPiece& piece, bool at_end, double seconds, const Scene& scene) {
  const int n = piece.degree(), last = at_end ? n : 1;
  const auto coordinates = scene.tree().coordinates();
  Row rates(coordinates.size(), 0);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (!coordinates[i].quaternion) {
      rates[i] = n * (piece.control(last)[i] - piece.control(last - 1)[i]) / seconds;
      continue;
    }
    const Vec3 phi_rate = (n / seconds) * (turn_at(piece, last, i) - turn_at(piece, last - 1, i));
    const Vec3 omega = angular_velocity(read_quaternion(piece.from, static_cast<int>(i)),
                                        turn_at(piece, at_end ? n : 0, i), phi_rate);
    for (int axis = 0; axis < 3; ++axis) rates[i++] = omega[axis];
  }
  return rates;
}

Row end_acceleration(const MotionPiece& piece, bool at_end, double seconds) {
  const int n = piece.degree();
  Row rates(piece.from.size(), 0);
  for (std::size_t i = 0; i < rates.size() && n > 1; ++i) {
    const double a = piece.control(at_end ? n : 0)[i], b = piece.control(at_end ? n - 1 : 1)[i],
                 c = piece.control(at_end ? n - 2 : 2)[i];
    rates[i] = n * (n - 1) * ((a - b) - (b - c)) / (seconds * seconds);
  }
  return rates;
}

// The degree by which a trajectory of that degree is read.
int read_degree(int degree) {
  return degree == 1 ? 1 : degree <= 3 ? 3 : 5;
}

// The rates at the waypoints, by the longer of the two pieces that meet there: rounding changes
// them least.
struct Rates {
  std::vector<Row> velocities, accelerations;
};

// A coordinate's control points on a piece.
Row column(const MotionPiece& piece, std::size_t i) {
  Row values;
  for (int k = 0; k <= piece.degree(); ++k) values.push_back(piece.control(k)[i]);
  return values;
}

// Takes rates that are read as exactly the same pieces, where there are such.
void make_exact(const Motion& motion, const std::vector<double>& times, std::size_t waypoint,
                const Scene& scene, Row& velocities, Row& accelerations) {
  const auto coordinates = scene.tree().coordinates();
  const int last = motion.num_segments(), here = static_cast<int>(waypoint);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].quaternion) continue;
    const Row before = here > 0 ? column(motion.piece(here - 1), i) : Row{};
    const Row after = here < last ? column(motion.piece(here), i) : Row{};
    const auto fits = [&](const Row& control) {
      return control.empty() ||
             static_cast<int>(control.size()) == read_degree(motion.degree()) + 1;
    };
    if (!fits(before) || !fits(after)) continue;
    const auto found =
        exact_rates({before, before.empty() ? 0 : times[waypoint] - times[waypoint - 1]},
                    {after, after.empty() ? 0 : times[waypoint + 1] - times[waypoint]},
                    {0, velocities[i], accelerations[i]});
    if (found) velocities[i] = found->velocity, accelerations[i] = found->acceleration;
  }
}

Rates rates_of(const Motion& motion, const std::vector<double>& times, const Scene& scene) {
  Rates rates;
  for (std::size_t i = 0; i < motion.waypoints.size(); ++i) {
    const bool first = i == 0, last = i + 1 == motion.waypoints.size();
    const double before = first ? 0 : times[i] - times[i - 1];
    const double after = last ? 0 : times[i + 1] - times[i];
    const bool at_end = last || before > after;
    const MotionPiece piece = motion.piece(static_cast<int>(i) - (at_end ? 1 : 0));
    rates.velocities.push_back(end_velocity(piece, at_end, std::max(before, after), scene));
    rates.accelerations.push_back(end_acceleration(piece, at_end, std::max(before, after)));
    make_exact(motion, times, i, scene, rates.velocities.back(), rates.accelerations.back());
  }
  return rates;
}

// Names as drivers have them.
class Names {
 public:
  explicit Names(const Scene& scene) {
    std::set<std::string> robots;
    for (const Coordinate& coordinate : scene.tree().coordinates())
      robots.insert(coordinate.name.substr(0, coordinate.name.find('/')));
    if (robots.size() == 1) prefix_ = robots.begin()->size() + 1;
  }
  std::string operator()(const std::string& name) const { return name.substr(prefix_); }

 private:
  std::size_t prefix_ = 0;
};

Row picked(const Row& row, const std::vector<std::size_t>& columns) {
  Row values;
  for (const std::size_t column : columns) values.push_back(row[column]);
  return values;
}

// --- CSV -----------------------------------------------------------------------------------------

std::string csv_text(const Motion& motion, const Scene& scene) {
  const Names name(scene);
  const int degree = read_degree(motion.degree());
  std::vector<std::string> header;
  if (!motion.times.empty()) header.emplace_back("time");
  for (const char* suffix : {"", kVelocity, kAcceleration})
    for (const Coordinate& coordinate : scene.tree().coordinates())
      if (suffix[0] == 0 || degree == 5 || (degree == 3 && suffix == kVelocity))
        header.push_back(name(coordinate.name) + suffix);
  const Rates rates = degree == 1 ? Rates{} : rates_of(motion, motion.times, scene);
  std::string text = fmt::format("{}\n", fmt::join(header, ","));
  for (std::size_t i = 0; i < motion.waypoints.size(); ++i) {
    Row row;
    if (!motion.times.empty()) row.push_back(motion.times[i]);
    row.insert(row.end(), motion.waypoints[i].begin(), motion.waypoints[i].end());
    if (degree >= 3) row.insert(row.end(), rates.velocities[i].begin(), rates.velocities[i].end());
    if (degree == 5)
      row.insert(row.end(), rates.accelerations[i].begin(), rates.accelerations[i].end());
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

// --- ROS -----------------------------------------------------------------------------------------

// A time as ROS writes it, in whole nanoseconds.
struct RosTime {
  double sec, nanosec;
  explicit RosTime(double time) : sec(std::floor(time)) {
    nanosec = std::round((time - sec) * 1e9);
    if (nanosec < 1e9) return;
    sec += 1;
    nanosec = 0;
  }
  double seconds() const { return sec + 1e-9 * nanosec; }  // as they are read
};

// One way to write a motion; not every one is read again as the same. Drivers want nanoseconds.
struct Form {
  bool nanoseconds;
  int base_degree;
};

class RosWriter {
 public:
  RosWriter(const Motion& motion, const Scene& scene, const Form& form)
      : motion_(motion),
        scene_(scene),
        name_(scene),
        form_(form),
        times_(motion.times),
        degree_(read_degree(motion.degree())),
        placed_(placed_joints(scene)) {
    if (form.nanoseconds)
      for (double& time : times_) time = RosTime(time).seconds();
    if (degree_ > 1) rates_ = rates_of(motion, times_, scene);
    const auto coordinates = scene.tree().coordinates();
    for (std::size_t i = 0; i < coordinates.size(); ++i)
      if (std::none_of(placed_.begin(), placed_.end(), [&](const PlacedJoint& joint) {
            return joint.name == coordinates[i].joint;
          }))
        columns_.push_back(i);
  }

  std::string text() const {
    if (placed_.empty()) return joint_half("");
    std::string text;
    if (!columns_.empty()) text += "joint_trajectory:\n" + joint_half("  ");
    return text + "multi_dof_joint_trajectory:\n" + base_half();
  }

 private:
  std::string time_text(std::size_t i) const {
    if (times_.empty()) return "";
    const RosTime ros(times_[i]);
    return form_.nanoseconds
               ? fmt::format(", time_from_start: {{sec: {:.0f}, nanosec: {:.0f}}}", ros.sec,
                             ros.nanosec)
               : fmt::format(", time_from_start: {}", nlohmann::json(times_[i]).dump());
  }

  std::string joint_half(const std::string& indent) const {
    std::vector<std::string> names;
    for (const std::size_t column : columns_)
      names.push_back("\"" + name_(scene_.tree().coordinates()[column].name) + "\"");
    std::string text =
        fmt::format("{0}joint_names: [{1}]\n{0}points:\n", indent, fmt::join(names, ", "));
    for (std::size_t i = 0; i < motion_.waypoints.size(); ++i) {
      text += fmt::format("{}  - {{positions: {}", indent,
                          list(picked(motion_.waypoints[i], columns_)));
      if (degree_ >= 3)
        text += fmt::format(", velocities: {}", list(picked(rates_.velocities[i], columns_)));
      if (degree_ == 5)
        text += fmt::format(", accelerations: {}", list(picked(rates_.accelerations[i], columns_)));
      text += time_text(i) + "}\n";
    }
    return text;
  }

  std::string base_half() const {
    std::vector<std::string> names;
    for (const PlacedJoint& joint : placed_) names.push_back("\"" + name_(joint.name) + "\"");
    std::string text = fmt::format("  joint_names: [{}]\n  points:\n", fmt::join(names, ", "));
    for (std::size_t i = 0; i < motion_.waypoints.size(); ++i) {
      std::vector<std::string> transforms, velocities, accelerations;
      for (const PlacedJoint& joint : placed_) {
        transforms.push_back(transform(joint, motion_.waypoints[i]));
        if (form_.base_degree >= 3) velocities.push_back(twist(joint, rates_.velocities[i]));
        if (form_.base_degree == 5) accelerations.push_back(twist(joint, rates_.accelerations[i]));
      }
      text += fmt::format("    - {{transforms: [{}]", fmt::join(transforms, ", "));
      if (!velocities.empty())
        text += fmt::format(", velocities: [{}]", fmt::join(velocities, ", "));
      if (!accelerations.empty())
        text += fmt::format(", accelerations: [{}]", fmt::join(accelerations, ", "));
      text += time_text(i) + "}\n";
    }
    return text;
  }

  Row values(const PlacedJoint& joint, const Row& row) const {
    Row result;
    for (const std::string& suffix : suffixes_of(joint))
      result.push_back(
          row[static_cast<std::size_t>(scene_.tree().find_coordinate(joint.name + suffix))]);
    return result;
  }

  static std::string entry(const char* a, const Row& p, const char* b, const Row& q) {
    return fmt::format("{{{}: {}, {}: {}}}", a, list(p), b, list(q));
  }
  std::string transform(const PlacedJoint& joint, const Row& row) const {
    const Row v = values(joint, row);
    if (joint.planar)
      return entry("translation", {v[0], v[1], 0}, "rotation",
                   {0, 0, std::sin(v[2] / 2), std::cos(v[2] / 2)});
    return entry("translation", {v[0], v[1], v[2]}, "rotation", {v[3], v[4], v[5], v[6]});
  }
  std::string twist(const PlacedJoint& joint, const Row& row) const {
    const Row v = values(joint, row);
    if (joint.planar) return entry("linear", {v[0], v[1], 0}, "angular", {0, 0, v[2]});
    return entry("linear", {v[0], v[1], v[2]}, "angular", {v[3], v[4], v[5]});
  }

  const Motion& motion_;
  const Scene& scene_;
  Names name_;
  Form form_;
  std::vector<double> times_;
  int degree_;
  std::vector<PlacedJoint> placed_;
  std::vector<std::size_t> columns_;  // coordinates of the joints of one value
  Rates rates_;
};

// --- Whether it was said truly -------------------------------------------------------------------

// All control points of a coordinate, or of a part of a ball joint's turn, by that degree.
Row control_of(const MotionPiece& piece, const Coordinate& coordinate, std::size_t i, int axis,
               int degree) {
  Row control;
  for (int k = 0; k <= piece.degree(); ++k)
    control.push_back(coordinate.quaternion ? turn_at(piece, k, i)[axis] : piece.control(k)[i]);
  while (static_cast<int>(control.size()) <= degree) control = elevated(control);
  return control;
}

bool near(const Row& a, const Row& b, double least) {
  double largest = least;
  for (const double value : a) largest = std::max(largest, std::fabs(value));
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(std::fabs(a[k] - b[k]) <= kConversionError * largest)) return false;
  return true;
}

bool same_rotation(const Row& a, const Row& b, std::size_t i) {
  const int first = static_cast<int>(i);
  return rotation_angle(read_quaternion(a, first), read_quaternion(b, first)) <=
         2 * kConversionError;
}

// Whether the pieces are the same but for rounding, and the times.
bool same(const Motion& a, const Motion& b, const Scene& scene) {
  if (a.waypoints.size() != b.waypoints.size() || a.times.size() != b.times.size()) return false;
  for (std::size_t i = 0; i < a.times.size(); ++i)
    if (!(std::fabs(a.times[i] - b.times[i]) <= 0x1p-50 * std::fabs(a.times[i]))) return false;
  const auto coordinates = scene.tree().coordinates();
  const int pieces = std::max(1, a.num_segments());
  for (int index = 0; index < pieces; ++index) {
    const MotionPiece x = a.piece(index), y = b.piece(index);
    const int degree = std::max(x.degree(), y.degree());
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const bool ball = coordinates[i].quaternion;
      for (int axis = 0; axis < (ball ? 3 : 1); ++axis)
        if (!near(control_of(x, coordinates[i], i, axis, degree),
                  control_of(y, coordinates[i], i, axis, degree), ball ? 1 : 0))
          return false;
      if (ball &&
          !(same_rotation({x.from.begin(), x.from.end()}, {y.from.begin(), y.from.end()}, i) &&
            same_rotation({x.to.begin(), x.to.end()}, {y.to.begin(), y.to.end()}, i)))
        return false;
      if (ball) i += 3;
    }
  }
  return true;
}

// The motion that a text would be read as; nothing if it would be refused.
std::optional<Motion> read_again(const std::filesystem::path& file, const std::string& text,
                                 const Scene& scene) {
  const PathOptions options{.ignore_limits = true};
  const auto again = guarded<Motion>(file, [&] {
    return extension(file) == ".csv"
               ? read_csv_text(file, text, scene, options)
               : read_path_node(parse_yaml(file, text).root(), scene, options);
  });
  if (!again.ok()) return std::nullopt;
  return again.value();
}

std::string trajectory_text(const std::filesystem::path& file, const Motion& motion,
                            const Scene& scene) {
  if (!motion.straight() && motion.times.empty())
    fail(file.string(), "a curved motion without times is no trajectory; write it as .json");
  const auto is_true = [&](const std::string& text) {
    const auto again = read_again(file, text, scene);
    return again && same(motion, *again, scene);
  };
  if (extension(file) == ".csv") {
    if (std::string text = csv_text(motion, scene); is_true(text)) return text;
  } else {
    const int degree = read_degree(motion.degree());
    for (const bool nanoseconds : {true, false})
      for (const int base : std::set<int>{1, std::min(degree, 3), degree})
        if (std::string text = RosWriter(motion, scene, {nanoseconds, base}).text(); is_true(text))
          return text;
  }
  fail(file.string(),
       "a trajectory of positions and rates cannot say this motion: rates jump between its pieces, "
       "a "
       "base turns by more than half a circle, or its pieces are too short; write it as .json",
       ErrorCode::unsupported);
}

// Waypoints as numpy.save writes them: doubles, a row for each, all coordinates in order.
std::string npy_bytes(const std::filesystem::path& file, const Motion& motion, const Scene& scene) {
  if (!motion.straight() || !motion.times.empty())
    fail(file.string(), "an array has neither times nor curves; write it as .json, .yaml or .csv",
         ErrorCode::unsupported);
  static_assert(std::endian::native == std::endian::little);
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
                  motion.waypoints.size(), scene.tree().num_coordinates());
  constexpr std::size_t kBefore = 10, kBlock = 64;  // the numbers begin at a multiple of a block
  header.append(kBlock - (kBefore + header.size() + 1) % kBlock, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, header.size() % 256, header.size() / 256})
    bytes += static_cast<char>(byte);
  bytes += header;
  for (const Row& waypoint : motion.waypoints)
    bytes.append(reinterpret_cast<const char*>(waypoint.data()), waypoint.size() * sizeof(double));
  return bytes;
}

}  // namespace
}  // namespace io

std::string path_line(const Motion& motion, const Scene& scene) {
  std::string line;
  for (const char c : io::own_text(motion, scene))
    if (c != '\n') line += c;
  return line;
}

Result<Trajectory> to_trajectory(const Motion& motion, const Scene& scene) {
  const auto unsupported = [](const char* why) { return Error{ErrorCode::unsupported, why, ""}; };
  if (!motion.straight() && motion.times.empty())
    return unsupported("a curved motion without times is no trajectory");
  Trajectory points;
  for (const Coordinate& coordinate : scene.tree().coordinates()) {
    if (coordinate.quaternion && !motion.straight())
      return unsupported("a ball joint has no rates of its own; write the motion to a file");
    points.joints.push_back(coordinate.name);
  }
  points.positions = motion.waypoints;
  points.times = motion.times;
  const int degree = io::read_degree(motion.degree());
  if (degree > 1) {
    io::Rates rates = io::rates_of(motion, motion.times, scene);
    points.velocities = std::move(rates.velocities);
    if (degree == 5) points.accelerations = std::move(rates.accelerations);
  }
  const auto again = to_motion(points, scene, {.ignore_limits = true});
  if (!again.ok()) return again.error();
  if (!io::same(motion, again.value(), scene))
    return unsupported("positions and rates cannot say this motion: rates jump between its pieces");
  return points;
}

Result<void> save_path(const std::filesystem::path& file, const Motion& motion,
                       const Scene& scene) {
  const bool trajectory = io::extension(file) == ".csv" || io::is_yaml(file);
  const bool array = io::extension(file) == ".npy";
  if (!trajectory && !array && io::extension(file) != ".json")
    return Error{ErrorCode::unsupported, "paths are written as .json, .yaml, .csv or .npy",
                 file.string()};
  const auto text = io::guarded<std::string>(file, [&] {
    return trajectory ? io::trajectory_text(file, motion, scene)
           : array    ? io::npy_bytes(file, motion, scene)
                      : io::own_text(motion, scene);
  });
  if (!text.ok()) return text.error();
  return write_file(file, text.value());
}

}  // namespace proven
