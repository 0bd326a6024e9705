#include "proven/io/path_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/ros_messages.h"
#include "io/text.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

ConfigurationReader reader_for(const Node& joints, const Scene& scene, const PathOptions& options) {
  return at_place([&] { return joints.place(); },
                  [&] { return ConfigurationReader(scene, joints.strings(), options); });
}

// Values of the named joints, or the name of a configuration of the SRDF.
std::vector<double> read_configuration(const ConfigurationReader& reader, const Node& node) {
  return at_place([&] { return node.place(); },
                  [&] {
                    return node.is(Node::Kind::string) ? reader.read(node.string())
                                                       : reader.read(node.numbers());
                  });
}

void require_increasing(const Node& node, std::span<const double> times) {
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      node.fail(fmt::format("times must increase, but {} follows {}", times[i], times[i - 1]));
}

Path read_own_path(const Node& root, const Scene& scene, const PathOptions& options) {
  root.require_version();
  root.allow_keys({"proven", "joints", "waypoints", "times"});
  const ConfigurationReader reader = reader_for(root.at("joints"), scene, options);
  Path path;
  path.defaulted = reader.defaulted();
  const Node& waypoints = root.at("waypoints");
  if (waypoints.array().empty()) waypoints.fail("expected at least one waypoint");
  path.waypoints.reserve(waypoints.array().size());
  for (const Node& waypoint : waypoints.array())
    path.waypoints.push_back(read_configuration(reader, waypoint));
  if (const Node* times = root.find("times")) {
    times->array_of(path.waypoints.size());
    path.times = times->numbers();
    require_increasing(*times, path.times);
  }
  return path;
}

// Seconds: a number, or ROS's {secs, nsecs} or {sec, nanosec}.
double read_time(const Node& node) {
  if (node.is(Node::Kind::number)) return node.number();
  const bool old = node.find("secs") != nullptr;
  node.allow_keys({old ? "secs" : "sec", old ? "nsecs" : "nanosec"});
  return node.at(old ? "secs" : "sec").number() +
         1e-9 * node.at(old ? "nsecs" : "nanosec").number();
}

// Joints and values of a trajectory, point by point, before the scene gives them meaning.
struct Points {
  std::vector<std::string> joints;
  std::vector<std::vector<double>> values;
  std::vector<double> times;
  std::vector<const Node*> places;
  const Node* names = nullptr;  // where the joints are named
};

// Rates that are zero everywhere leave the line straight: every joint then goes by one and the same
// function of time. Others bend it.
void refuse_rates(const Node& rates, const PathOptions& options) {
  if (options.linear || rates.is_empty()) return;
  if (rates.is(Node::Kind::array) || rates.is(Node::Kind::object)) {
    for (const Node& part : rates.is(Node::Kind::array) ? rates.array() : rates.members())
      refuse_rates(part, options);
    return;
  }
  if (rates.number() != 0)
    rates.fail(
        "the curve that a controller makes of positions and rates is not the straight line that is "
        "checked; write the curve's own positions, or say --interpolation linear");
}

void read_point(const Node& point, const char* values, const PathOptions& options, Points& points) {
  point.allow_keys({values, "velocities", "accelerations", "effort", "time_from_start"});
  for (const char* rates : {"velocities", "accelerations", "effort"})
    if (const Node* given = point.find(rates)) refuse_rates(*given, options);
  if (const Node* time = point.find("time_from_start")) points.times.push_back(read_time(*time));
  points.places.push_back(&point);
}

void check_times(const Node& node, const Points& points) {
  if (!points.times.empty() && points.times.size() != points.values.size())
    node.fail("some points have 'time_from_start' and some have not");
  require_increasing(node, points.times);
}

Points read_joint_points(const Node& root, const PathOptions& options) {
  root.allow_keys({"header", "joint_names", "points"});
  read_frame_id(root);
  Points result;
  result.names = &root.at("joint_names");
  result.joints = result.names->strings();
  for (const Node& point : root.at("points").array()) {
    point.at("positions").array_of(result.joints.size());
    result.values.push_back(point.at("positions").numbers());
    read_point(point, "positions", options, result);
  }
  check_times(root.at("points"), result);
  return result;
}

// A joint that a transform moves: "robot/joint" of a planar or floating joint.
struct MultiJoint {
  std::string name;
  bool planar = false;
};

MultiJoint find_multi_joint(const Node& node, const Scene& scene, const std::string& frame) {
  const std::string& name = node.string();
  std::vector<MultiJoint> fits;
  std::vector<std::string> known;
  const auto coordinates = scene.tree().coordinates();
  for (const Link& link : scene.tree().links()) {
    if (link.joint.coordinate < 0) continue;
    const std::string& first = coordinates[static_cast<std::size_t>(link.joint.coordinate)].name;
    if (!first.ends_with(".x")) continue;
    const std::string joint = first.substr(0, first.size() - 2);
    known.push_back(joint.substr(joint.rfind('/') + 1));
    if (joint != name && !joint.ends_with("/" + name)) continue;
    fits.push_back({joint, scene.tree().find_coordinate(joint + ".angle") >= 0});
    const std::string& parent = scene.tree().link(link.parent).name;
    if (!frame.empty() && parent != frame && !parent.ends_with("/" + frame))
      node.fail(fmt::format("joint {} moves in the frame {}, not in {}", quote(name), quote(parent),
                            quote(frame)));
  }
  if (fits.empty())
    node.fail(
        fmt::format("no planar or floating joint is named {}{}; a scene asks for the virtual "
                    "joint of its SRDF with \"virtual_joints\": true",
                    quote(name), suggestion(name, known)));
  if (fits.size() > 1)
    node.fail(fmt::format("joint {} is ambiguous; write robot/joint", quote(name)));
  return fits[0];
}

// The turn from the point before is the shorter one.
double nearest_turn(double angle, double before) {
  return before + std::remainder(angle - before, 2 * std::numbers::pi);
}

Points read_transform_points(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"header", "joint_names", "points"});
  Points result;
  std::vector<MultiJoint> joints;
  result.names = &root.at("joint_names");
  const std::string frame = read_frame_id(root);
  for (const Node& name : root.at("joint_names").array()) {
    joints.push_back(find_multi_joint(name, scene, frame));
    const std::vector<const char*> suffixes =
        joints.back().planar
            ? std::vector<const char*>{".x", ".y", ".angle"}
            : std::vector<const char*>{".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
    for (const char* suffix : suffixes) result.joints.push_back(joints.back().name + suffix);
  }
  for (const Node& point : root.at("points").array()) {
    std::vector<double> values;
    const std::vector<Node>& transforms = point.at("transforms").array_of(joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Node& transform = transforms[i];
      for (const auto& [suffix, value] :
           joints[i].planar ? read_planar(transform) : read_floating(transform)) {
        const bool turns = joints[i].planar && std::string_view(suffix) == ".angle";
        const bool follows = turns && !result.values.empty();
        values.push_back(follows ? nearest_turn(value, result.values.back()[values.size()])
                                 : value);
      }
    }
    result.values.push_back(std::move(values));
    read_point(point, "transforms", options, result);
  }
  check_times(root.at("points"), result);
  return result;
}

// Both halves of a RobotTrajectory say the same times, point by point.
Points merge(const Node& root, Points a, const Points& b) {
  if (b.values.empty()) return a;
  if (a.values.empty()) return b;
  if (a.values.size() != b.values.size() || a.times != b.times)
    root.fail(
        fmt::format("joint_trajectory has {} points and multi_dof_joint_trajectory {}: both "
                    "need the same times",
                    a.values.size(), b.values.size()));
  a.joints.insert(a.joints.end(), b.joints.begin(), b.joints.end());
  for (std::size_t i = 0; i < a.values.size(); ++i)
    a.values[i].insert(a.values[i].end(), b.values[i].begin(), b.values[i].end());
  return a;
}

Path to_path(const Node& root, const Points& points, const Scene& scene,
             const PathOptions& options) {
  if (points.values.empty())
    (root.find("points") ? root.at("points") : root).fail("expected at least one point");
  const ConfigurationReader reader =
      at_place([&] { return points.names->place(); },
               [&] { return ConfigurationReader(scene, points.joints, options); });
  Path path;
  path.defaulted = reader.defaulted();
  path.times = points.times;
  for (std::size_t i = 0; i < points.values.size(); ++i)
    path.waypoints.push_back(at_place([&] { return points.places[i]->place(); },
                                      [&] { return reader.read(points.values[i]); }));
  return path;
}

bool has_points(const Node* trajectory) {
  const Node* points = trajectory && !trajectory->is_empty() ? trajectory->find("points") : nullptr;
  return points && !points->is_empty();
}

Path read_robot_trajectory(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"joint_trajectory", "multi_dof_joint_trajectory"});
  const Node* joints = root.find("joint_trajectory");
  const Node* base = root.find("multi_dof_joint_trajectory");
  Points points;
  if (joints && (has_points(joints) || !has_points(base)))
    points = read_joint_points(*joints, options);
  if (has_points(base))
    points = merge(root, std::move(points), read_transform_points(*base, scene, options));
  return to_path(root, points, scene, options);
}

Path read_path_node(const Node& root, const Scene& scene, const PathOptions& options) {
  if (root.find("joint_trajectory") || root.find("multi_dof_joint_trajectory"))
    return read_robot_trajectory(root, scene, options);
  if (root.find("joint_names") && !root.find("proven"))
    return to_path(root, read_joint_points(root, options), scene, options);
  return read_own_path(root, scene, options);
}

bool is_matrix(const std::string& ending) {
  return ending.empty() || ending == ".txt" || ending == ".path" || ending == ".mat";
}

Path read_path(const std::filesystem::path& file, const Scene& scene, const PathOptions& options) {
  const std::string ending = extension(file);
  if (ending == ".csv") return read_csv_path(file, scene, options);
  if (is_matrix(ending)) return read_matrix_path(file, scene, options);
  if (ending == ".jsonl") fail(file.string(), "holds many paths; one is expected here");
  if (ending != ".json" && !is_yaml(file))
    fail(file.string(),
         fmt::format("paths end in .json, .jsonl, .yaml, .csv or .txt, not in {}", quote(ending)),
         ErrorCode::unsupported);
  return read_path_node(read_document(file).root(), scene, options);
}

std::vector<Result<Path>> read_lines(const std::filesystem::path& file, const Scene& scene,
                                     const PathOptions& options) {
  const std::string text = read_text(file);
  std::vector<Result<Path>> paths;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    paths.push_back(guarded<Path>(file, [&] {
      return read_path_node(parse_json(file, line, lines.number()).root(), scene, options);
    }));
  }
  if (paths.empty()) fail(file.string(), "expected at least one path");
  return paths;
}

std::optional<PathOutline> read_outline(const std::filesystem::path& file) {
  if (extension(file) != ".json" && !is_yaml(file)) return std::nullopt;
  const Document document = read_document(file);
  const Node& root = document.root();
  const bool own = root.find("waypoints") != nullptr;
  const Node* trajectory = root.find("joint_trajectory") ? root.find("joint_trajectory") : &root;
  if (!own && !trajectory->find("joint_names")) return std::nullopt;
  PathOutline outline;
  outline.joints = own ? root.at("joints").strings() : trajectory->at("joint_names").strings();
  const Node& points = own ? root.at("waypoints") : trajectory->at("points");
  if (points.array().empty()) points.fail("expected at least one waypoint");
  for (const Node& point : points.array()) {
    const Node& values = own ? point : point.at("positions");
    values.array_of(outline.joints.size());
    const std::vector<double> q = values.numbers();
    if (outline.num_waypoints++ == 0) outline.lower = outline.upper = q;
    for (std::size_t i = 0; i < q.size(); ++i) {
      outline.lower[i] = std::min(outline.lower[i], q[i]);
      outline.upper[i] = std::max(outline.upper[i], q[i]);
    }
  }
  outline.timed =
      own ? root.find("times") != nullptr : points.array()[0].find("time_from_start") != nullptr;
  return outline;
}

Query read_own_query(const Node& root, const Scene& scene, const PathOptions& options) {
  root.require_version();
  root.allow_keys({"proven", "joints", "start", "goal"});
  // Two named configurations say by themselves which joints they are of.
  const Node& start = root.at("start");
  const ConfigurationReader reader =
      root.find("joints") || !start.is(Node::Kind::string)
          ? reader_for(root.at("joints"), scene, options)
          : at_place([&] { return start.place(); },
                     [&] {
                       return ConfigurationReader(scene, joints_of_state(scene, start.string()),
                                                  options);
                     });
  Query query;
  query.start = read_configuration(reader, start);
  query.goal = read_configuration(reader, root.at("goal"));
  query.planned = reader.planned();
  query.defaulted = reader.defaulted();
  return query;
}

Query read_query(const std::filesystem::path& file, const Scene& scene,
                 const PathOptions& options) {
  const Document document = read_document(file);
  const Node& root = document.root();
  return root.find("goal_constraints") ? read_request(root, scene, options)
                                       : read_own_query(root, scene, options);
}

std::vector<double> read_single(const std::filesystem::path& file, const Scene& scene,
                                const PathOptions& options) {
  Path path;
  if (extension(file) == ".json" || is_yaml(file)) {
    const Document document = read_document(file);
    const Node& root = document.root();
    if (root.find("goal_constraints")) return read_request(root, scene, options).start;
    if (root.find("start")) return read_own_query(root, scene, options).start;
    path = read_path_node(root, scene, options);
  } else {
    path = read_path(file, scene, options);
  }
  if (path.waypoints.size() != 1)
    fail(file.string(), fmt::format("expected one waypoint, got {}", path.waypoints.size()));
  return std::move(path.waypoints[0]);
}

std::string path_text(const Path& path, const Scene& scene) {
  using nlohmann::json;
  json joints = json::array();
  for (const Coordinate& coordinate : scene.tree().coordinates()) joints.push_back(coordinate.name);
  std::string text = "{\"proven\": 1,\n \"joints\": " + joints.dump() + ",\n \"waypoints\": [";
  for (std::size_t i = 0; i < path.waypoints.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + json(path.waypoints[i]).dump();
  text += "]";
  if (!path.times.empty()) text += ",\n \"times\": " + json(path.times).dump();
  return text + "}\n";
}

}  // namespace
}  // namespace io

Result<Path> load_path(const std::filesystem::path& file, const Scene& scene,
                       const PathOptions& options) {
  return io::guarded<Path>(file, [&] { return io::read_path(file, scene, options); });
}

Result<std::vector<Result<Path>>> load_paths(const std::filesystem::path& file, const Scene& scene,
                                             const PathOptions& options) {
  return io::guarded<std::vector<Result<Path>>>(file, [&] {
    if (io::extension(file) == ".jsonl") return io::read_lines(file, scene, options);
    return std::vector<Result<Path>>{load_path(file, scene, options)};
  });
}

Result<std::optional<PathOutline>> inspect_path(const std::filesystem::path& file) {
  return io::guarded<std::optional<PathOutline>>(file, [&] { return io::read_outline(file); });
}

Result<Query> load_query(const std::filesystem::path& file, const Scene& scene,
                         const PathOptions& options) {
  return io::guarded<Query>(file, [&] { return io::read_query(file, scene, options); });
}

Result<void> save_query(const std::filesystem::path& file, const std::vector<std::string>& joints,
                        const std::vector<double>& start, const std::vector<double>& goal) {
  const nlohmann::ordered_json json = {
      {"proven", 1}, {"joints", joints}, {"start", start}, {"goal", goal}};
  return write_file(file, json.dump(2) + "\n");
}

Result<std::vector<double>> load_configuration(const std::filesystem::path& file,
                                               const Scene& scene, const PathOptions& options) {
  return io::guarded<std::vector<double>>(file,
                                          [&] { return io::read_single(file, scene, options); });
}

Result<void> save_path(const std::filesystem::path& file, const Path& path, const Scene& scene) {
  return write_file(file, io::path_text(path, scene));
}

}  // namespace proven
