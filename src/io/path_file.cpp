#include "proven/io/path_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/sensed_readers.h"
#include "io/text.h"
#include "io/trajectory.h"
#include "proven/io/document.h"

namespace proven {
namespace io {
namespace {

void require_increasing(const Node& node, std::span<const double> times) {
  for (std::size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      node.fail(fmt::format("times must increase, but {} follows {}", times[i], times[i - 1]));
}

Motion read_waypoints(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"proven", "joints", "waypoints", "times", "pieces"});
  const ConfigurationReader reader = reader_for(root.at("joints"), scene, options);
  Motion motion;
  motion.defaulted = reader.defaulted();
  const Node& waypoints = root.at("waypoints");
  at_place([&] { return waypoints.place(); },
           [&] { degree_of(options.interpolation, false, false); });
  if (waypoints.array().empty()) waypoints.fail("expected at least one waypoint");
  motion.waypoints.reserve(waypoints.array().size());
  for (const Node& waypoint : waypoints.array())
    motion.waypoints.push_back(read_configuration(reader, waypoint));
  if (const Node* times = root.find("times")) {
    times->array_of(motion.waypoints.size());
    motion.times = times->numbers();
    require_increasing(*times, motion.times);
  }
  return motion;
}

// Where a piece begins is where the one before ended, in configuration and in time.
void require_joined(const Node& row, std::span<const double> before, std::span<const double> begin,
                    const Scene& scene) {
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (begin[i] != before[i])
      row.fail(fmt::format("a jump of {} by {}: the piece before ends at {}, this one begins at {}",
                           scene.tree().coordinates()[i].name, begin[i] - before[i], before[i],
                           begin[i]));
}

void read_piece_times(const Node& piece, std::size_t index, std::vector<double>& times) {
  const Node *begin = piece.find("begin"), *end = piece.find("end");
  if (!begin != !end || (index > 0 && !begin != times.empty()))
    piece.fail("'begin' and 'end' belong to all pieces or to none");
  if (!begin) return;
  if (index == 0) times.push_back(begin->number());
  if (begin->number() != times.back())
    begin->fail(fmt::format("the piece before ends at {} s, this one begins at {} s", times.back(),
                            begin->number()));
  if (!(end->number() > begin->number()))
    end->fail(
        fmt::format("times must increase, but {} follows {}", end->number(), begin->number()));
  times.push_back(end->number());
}

Motion read_pieces(const Node& root, const Scene& scene, const PathOptions& options) {
  root.allow_keys({"proven", "joints", "pieces"});
  const ConfigurationReader reader = reader_for(root.at("joints"), scene, options);
  const Node& pieces = root.at("pieces");
  if (options.interpolation != Interpolation::as_given)
    pieces.fail("pieces say themselves what is between their ends; leave out --interpolation");
  Motion motion;
  motion.defaulted = reader.defaulted();
  if (pieces.array().empty()) pieces.fail("expected at least one piece");
  for (std::size_t i = 0; i < pieces.array().size(); ++i) {
    const Node& piece = pieces.array()[i];
    piece.allow_keys({"begin", "end", "bezier"});
    read_piece_times(piece, i, motion.times);
    const std::vector<Node>& rows = piece.at("bezier").array();
    if (rows.size() < 2 || rows.size() > kMaxDegree + 1)
      piece.at("bezier").fail(
          fmt::format("a piece has 2 to {} control points, not {}", kMaxDegree + 1, rows.size()));
    const std::vector<double> begin = read_configuration(reader, rows.front());
    if (i == 0)
      motion.waypoints.push_back(begin);
    else
      require_joined(rows.front(), motion.waypoints.back(), begin, scene);
    motion.waypoints.push_back(read_configuration(reader, rows.back()));
    motion.inner.emplace_back();
    for (std::size_t k = 1; k + 1 < rows.size(); ++k)
      motion.inner.back().push_back(at_place([&] { return rows[k].place(); },
                                             [&] { return reader.read_inner(rows[k].numbers()); }));
    at_place([&] { return piece.place(); },
             [&] { reader.check_piece(motion, static_cast<int>(i)); });
  }
  if (motion.straight()) motion.inner.clear();
  return motion;
}

Motion read_own_path(const Node& root, const Scene& scene, const PathOptions& options) {
  root.require_version();
  return root.find("pieces") ? read_pieces(root, scene, options)
                             : read_waypoints(root, scene, options);
}

}  // namespace

Motion read_path_node(const Node& root, const Scene& scene, const PathOptions& options) {
  if (root.find("joint_trajectory") || root.find("multi_dof_joint_trajectory"))
    return read_robot_trajectory(root, scene, options);
  if (root.find("joint_names") && !root.find("proven"))
    return read_joint_trajectory(root, scene, options);
  return read_own_path(root, scene, options);
}

namespace {

bool is_matrix(const std::string& ending) {
  return ending.empty() || ending == ".txt" || ending == ".path" || ending == ".mat";
}

// A row for each waypoint, all coordinates of the scene in order.
Path read_npy_path(const std::filesystem::path& file, const Scene& scene,
                   const PathOptions& options) {
  const Array array = read_npy(file);
  const ConfigurationReader reader(scene, options);
  Path path;
  at_place([&] { return file.string(); },
           [&] {
             degree_of(options.interpolation, false, false);
             if (array.kind != Array::Kind::real || array.shape.size() != 2 || array.shape[0] < 1 ||
                 array.shape[1] != reader.num_values())
               fail("",
                    fmt::format("expected floats of shape (waypoints, {})", reader.num_values()));
             std::vector<double> row(array.shape[1]);
             for (std::size_t i = 0; i < array.shape[0]; ++i) {
               for (std::size_t k = 0; k < row.size(); ++k) row[k] = array[i * row.size() + k];
               path.waypoints.push_back(reader.read(row));
             }
           });
  return path;
}

Path read_path(const std::filesystem::path& file, const Scene& scene, const PathOptions& options) {
  const std::string ending = extension(file);
  if (ending == ".csv") return read_csv_path(file, scene, options);
  if (is_matrix(ending)) return read_matrix_path(file, scene, options);
  if (ending == ".npy") return read_npy_path(file, scene, options);
  if (ending == ".jsonl") fail(file.string(), "holds many paths; one is expected here");
  if (ending != ".json" && !is_yaml(file))
    fail(file.string(),
         fmt::format("paths end in .json, .jsonl, .yaml, .csv, .npy or .txt, not in {}",
                     quote(ending)),
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

// The rows of values of a file that has any: waypoints, positions or control points.
std::vector<const Node*> outline_rows(const Node& root, const Node& trajectory) {
  std::vector<const Node*> rows;
  if (const Node* waypoints = root.find("waypoints")) {
    for (const Node& waypoint : waypoints->array()) rows.push_back(&waypoint);
  } else if (const Node* pieces = root.find("pieces")) {
    for (const Node& piece : pieces->array())
      for (const Node& row : piece.at("bezier").array()) rows.push_back(&row);
  } else {
    for (const Node& point : trajectory.at("points").array())
      rows.push_back(&point.at("positions"));
  }
  return rows;
}

std::optional<PathOutline> read_outline(const std::filesystem::path& file) {
  if (extension(file) != ".json" && !is_yaml(file)) return std::nullopt;
  const Document document = read_document(file);
  const Node& root = document.root();
  const Node* pieces = root.find("pieces");
  const bool own = root.find("waypoints") || pieces;
  const Node* trajectory = root.find("joint_trajectory") ? root.find("joint_trajectory") : &root;
  if (!own && !trajectory->find("joint_names")) return std::nullopt;
  PathOutline outline;
  outline.joints = own ? root.at("joints").strings() : trajectory->at("joint_names").strings();
  const std::vector<const Node*> rows = outline_rows(root, *trajectory);
  if (rows.empty()) root.fail("expected at least one waypoint");
  for (const Node* values : rows) {
    values->array_of(outline.joints.size());
    const std::vector<double> q = values->numbers();
    if (values == rows[0]) outline.lower = outline.upper = q;
    for (std::size_t i = 0; i < q.size(); ++i) {
      outline.lower[i] = std::min(outline.lower[i], q[i]);
      outline.upper[i] = std::max(outline.upper[i], q[i]);
    }
  }
  outline.num_waypoints = static_cast<int>(pieces ? pieces->array().size() + 1 : rows.size());
  outline.timed = pieces ? pieces->array()[0].find("begin") != nullptr
                  : own  ? root.find("times") != nullptr
                         : trajectory->at("points").array()[0].find("time_from_start") != nullptr;
  return outline;
}

std::vector<double> read_single(const std::filesystem::path& file, const Scene& scene,
                                const PathOptions& options) {
  Path path;
  if (extension(file) == ".json" || is_yaml(file)) {
    const Document document = read_document(file);
    const Node& root = document.root();
    if (root.find("goal_constraints") || root.find("start"))
      return read_query_node(root, scene, options).query.start;
    path = read_path_node(root, scene, options);
  } else {
    path = read_path(file, scene, options);
  }
  if (path.waypoints.size() != 1)
    fail(file.string(), fmt::format("expected one waypoint, got {}", path.waypoints.size()));
  return std::move(path.waypoints[0]);
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

Result<std::vector<double>> load_configuration(const std::filesystem::path& file,
                                               const Scene& scene, const PathOptions& options) {
  return io::guarded<std::vector<double>>(file,
                                          [&] { return io::read_single(file, scene, options); });
}

}  // namespace proven
