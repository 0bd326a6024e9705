#include "proven/io/path_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/text.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

ConfigurationReader reader_for(const Node& joints, const Scene& scene, const PathOptions& options) {
  return at_place([&] { return joints.place(); },
                  [&] { return ConfigurationReader(scene, joints.strings(), options); });
}

std::vector<double> read_configuration(const ConfigurationReader& reader, const Node& node) {
  return at_place([&] { return node.place(); }, [&] { return reader.read(node.numbers()); });
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
  node.allow_keys({"secs", "nsecs", "sec", "nanosec"});
  const Node* seconds = node.find("secs") ? node.find("secs") : node.find("sec");
  const Node* nanoseconds = node.find("nsecs") ? node.find("nsecs") : node.find("nanosec");
  if (!seconds || !nanoseconds) node.fail("expected seconds, or 'sec' and 'nanosec'");
  return seconds->number() + 1e-9 * nanoseconds->number();
}

Path read_trajectory(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"header", "joint_names", "points"});
  const ConfigurationReader reader = reader_for(root.at("joint_names"), scene, options);
  Path path;
  path.defaulted = reader.defaulted();
  const std::vector<Node>& points = root.at("points").array();
  if (points.empty()) root.at("points").fail("expected at least one point");
  for (const Node& point : points) {
    point.allow_keys({"positions", "velocities", "accelerations", "effort", "time_from_start"});
    path.waypoints.push_back(read_configuration(reader, point.at("positions")));
    if (const Node* time = point.find("time_from_start")) path.times.push_back(read_time(*time));
  }
  if (!path.times.empty() && path.times.size() != points.size())
    root.at("points").fail("some points have 'time_from_start' and some have not");
  require_increasing(root.at("points"), path.times);
  return path;
}

Path read_path_node(const Node& root, const Scene& scene, const PathOptions& options) {
  if (const Node* trajectory = root.find("joint_trajectory")) {
    root.allow_keys({"joint_trajectory", "multi_dof_joint_trajectory"});
    const Node* base = root.find("multi_dof_joint_trajectory");
    const Node* moves = base ? base->find("points") : nullptr;
    if (moves && !moves->is_empty()) moves->fail("a trajectory that moves the base is not read");
    return read_trajectory(*trajectory, scene, options);
  }
  if (root.find("joint_names") && !root.find("proven"))
    return read_trajectory(root, scene, options);
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
  const ConfigurationReader reader = reader_for(root.at("joints"), scene, options);
  Query query;
  query.start = read_configuration(reader, root.at("start"));
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
