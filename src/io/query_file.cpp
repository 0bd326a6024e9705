#include "proven/io/query_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/path_readers.h"
#include "io/scene_readers.h"
#include "io/text.h"

namespace proven {
namespace io {

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

namespace {

// A pose of a link's frame, or of a frame fixed on it.
PoseGoal read_pose_goal(const Node& node, const Scene& scene) {
  node.allow_keys({"link", "frame", "xyz", "rpy", "quaternion", "rotation", "free", "tolerance",
                   "angle_tolerance"});
  PoseGoal goal;
  InverseTarget& target = goal.target;
  const Node& link = node.at("link");
  target.link = scene.tree().find_link(link.string());
  if (target.link <= 0)
    link.fail(fmt::format("there is no link {}: give ROBOT/LINK", quote(link.string())));
  if (const Node* frame = node.find("frame")) target.X_LT = read_pose(*frame);
  node.at("xyz");
  target.X_WT = read_pose_fields(node);
  if (const Node* free = node.find("free")) target.free = free->word<FreeTurn>();
  const bool turned = node.find("rpy") || node.find("quaternion") || node.find("rotation");
  if (turned == (target.free == FreeTurn::all))
    node.fail(turned ? "all turns are free: leave out 'rpy', 'quaternion' and 'rotation'"
                     : "give 'rpy' or 'quaternion', or \"free\": \"all\" if any turn will do");
  if (const Node* tolerance = node.find("tolerance"))
    goal.position_tolerance = tolerance->positive_number();
  if (const Node* tolerance = node.find("angle_tolerance"))
    goal.angle_tolerance = tolerance->positive_number();
  return goal;
}

PoseQuery read_own_query(const Node& root, const Scene& scene, const PathOptions& options) {
  root.require_version();
  root.allow_keys({"proven", "joints", "start", "goal"});
  // Named configurations say by themselves which joints they are of.
  const Node& start = root.at("start");
  const ConfigurationReader reader =
      root.find("joints") || !start.is(Node::Kind::string)
          ? reader_for(root.at("joints"), scene, options)
          : at_place([&] { return start.place(); },
                     [&] {
                       return ConfigurationReader(scene, joints_of_state(scene, start.string()),
                                                  options);
                     });
  PoseQuery read;
  Query& query = read.query;
  query.start = read_configuration(reader, start);
  if (const Node& goal = root.at("goal"); goal.is(Node::Kind::object))
    read.pose = read_pose_goal(goal, scene);
  else
    query.goal = read_configuration(reader, goal);
  query.planned = reader.planned();
  query.defaulted = reader.defaulted();
  return read;
}

PoseQuery read_query(const std::filesystem::path& file, const Scene& scene,
                     const PathOptions& options) {
  return read_query_node(read_document(file).root(), scene, options);
}

}  // namespace

PoseQuery read_query_node(const Node& root, const Scene& scene, const PathOptions& options) {
  if (root.find("goal_constraints")) return {read_request(root, scene, options), {}};
  return read_own_query(root, scene, options);
}

}  // namespace io

Result<PoseQuery> load_pose_query(const std::filesystem::path& file, const Scene& scene,
                                  const PathOptions& options) {
  return io::guarded<PoseQuery>(file, [&] { return io::read_query(file, scene, options); });
}

Result<Query> load_query(const std::filesystem::path& file, const Scene& scene,
                         const PathOptions& options) {
  return io::guarded<Query>(file, [&] {
    PoseQuery read = io::read_query(file, scene, options);
    if (read.pose)
      io::fail(file.string(), "a pose is a goal for `proven plan` alone: give a configuration");
    return std::move(read.query);
  });
}

Result<void> save_query(const std::filesystem::path& file, const std::vector<std::string>& joints,
                        const std::vector<double>& start, const std::vector<double>& goal) {
  const nlohmann::ordered_json json = {
      {"proven", 1}, {"joints", joints}, {"start", start}, {"goal", goal}};
  return write_file(file, json.dump(2) + "\n");
}

Result<std::vector<int>> set_named(const Scene& scene, const std::string& name,
                                   std::vector<double>& configuration) {
  const bool is_home = name == "home" && std::ranges::none_of(scene.states(), [](const auto& s) {
                         return s.name == "home";
                       });
  if (is_home) {
    configuration.assign(scene.home().begin(), scene.home().end());
    std::vector<int> all(configuration.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  auto set = io::guarded<std::vector<int>>({}, [&] {
    std::vector<std::string> joints;
    std::vector<double> values;
    for (const auto& [joint, value] : io::find_state(scene, name)) {
      joints.push_back(joint);
      values.push_back(value);
    }
    const io::ConfigurationReader reader(scene, joints);
    configuration = reader.read(values, configuration);
    return reader.planned();
  });
  if (set.ok()) return set;
  return bad_input(set.error().message + "; 'home' is the scene's own");
}

}  // namespace proven
