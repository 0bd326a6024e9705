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

Vec3 read_unit(const Node& node) {
  const Vec3 v = node.vec3();
  if (!(norm(v) > 0)) node.fail("expected a direction: three numbers that are not all 0");
  return normalized(v);
}

// An axis of a frame within a cone, or its origin within a box.
FrameConstraint read_constraint(const Node& node, const Scene& scene) {
  node.allow_keys({"link", "frame", "cone", "axis", "direction", "box", "pose"});
  FrameConstraint constraint;
  const Node& link = node.at("link");
  constraint.link = scene.tree().find_link(link.string());
  if (constraint.link <= 0)
    link.fail(fmt::format("there is no link {}: give ROBOT/LINK", quote(link.string())));
  if (const Node* frame = node.find("frame")) constraint.X_LF = read_pose(*frame);
  const Node *angle = node.find("cone"), *size = node.find("box");
  if (!angle == !size) node.fail("give one of 'cone' and 'box'");
  const auto refuse = [&](const char* key, const char* other) {
    if (const Node* given = node.find(key))
      given->fail(fmt::format("'{}' is for a '{}'", key, other));
  };
  if (angle) {
    refuse("pose", "box");
    AxisCone cone;
    cone.angle = angle->positive_number();
    if (const Node* axis = node.find("axis")) cone.axis = read_unit(*axis);
    if (const Node* direction = node.find("direction")) cone.direction = read_unit(*direction);
    constraint.within = cone;
    return constraint;
  }
  refuse("axis", "cone");
  refuse("direction", "cone");
  OriginBox box;
  for (int k = 0; k < 3; ++k)
    box.size[k] = size->array_of(3)[static_cast<std::size_t>(k)].positive_number();
  if (const Node* pose = node.find("pose")) box.X_WB = read_pose(*pose);
  constraint.within = box;
  return constraint;
}

std::vector<FrameConstraint> read_constraints(const Node& list, const Scene& scene) {
  std::vector<FrameConstraint> constraints;
  if (list.array().empty()) list.fail("expected at least one constraint");
  for (const Node& node : list.array()) constraints.push_back(read_constraint(node, scene));
  return constraints;
}

// Of a group of the SRDF, "robot/group", or without the robot's name.
std::vector<std::string> joints_of_group(const Node& node, const Scene& scene) {
  auto joints = group_joints(scene, node.string());
  if (!joints.ok()) node.fail(joints.error().message);
  return std::move(joints).value();
}

// The joints that start and goal have values of. Named configurations say it by themselves.
ConfigurationReader query_reader(const Node& root, const Scene& scene, const PathOptions& options) {
  const Node& start = root.at("start");
  if (const Node* group = root.find("group")) {
    if (root.find("joints")) group->fail("give one of 'joints' and 'group'");
    return at_place(
        [&] { return group->place(); },
        [&] { return ConfigurationReader(scene, joints_of_group(*group, scene), options); });
  }
  if (root.find("joints") || !start.is(Node::Kind::string))
    return reader_for(root.at("joints"), scene, options);
  return at_place(
      [&] { return start.place(); },
      [&] { return ConfigurationReader(scene, joints_of_state(scene, start.string()), options); });
}

PoseQuery read_own_query(const Node& root, const Scene& scene, const PathOptions& options) {
  root.require_version();
  root.allow_keys({"proven", "joints", "group", "start", "goal", "goals", "constraints"});
  const ConfigurationReader reader = query_reader(root, scene, options);
  PoseQuery read;
  Query& query = read.query;
  query.start = read_configuration(reader, root.at("start"));
  const auto add_goal = [&](const Node& goal) {
    if (goal.is(Node::Kind::object)) {
      read.goals.emplace_back(read_pose_goal(goal, scene));
      return;
    }
    read.goals.emplace_back(read_configuration(reader, goal));
    if (query.goal.empty()) query.goal = std::get<std::vector<double>>(read.goals.back());
  };
  if (const Node* goals = root.find("goals")) {
    if (const Node* goal = root.find("goal")) goal->fail("give one of 'goal' and 'goals'");
    if (goals->array().empty()) goals->fail("expected at least one goal");
    for (const Node& goal : goals->array()) add_goal(goal);
  } else {
    add_goal(root.at("goal"));
  }
  if (const Node* list = root.find("constraints"))
    read.constraints = read_constraints(*list, scene);
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
  if (!root.find("goal_constraints")) return read_own_query(root, scene, options);
  PoseQuery read;
  read.query = read_request(root, scene, options);
  read.goals.emplace_back(read.query.goal);
  return read;
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
    if (std::holds_alternative<PoseGoal>(read.goals.front()))
      io::fail(file.string(), "a pose is a goal for `proven plan` alone: give a configuration");
    if (read.goals.size() > 1 || !read.constraints.empty())
      io::fail(file.string(), "several goals and constraints are for `proven plan` alone");
    return std::move(read.query);
  });
}

Result<PoseQuery> parse_pose_query(const std::string& name, std::string_view text,
                                   const Scene& scene, const PathOptions& options) {
  return io::guarded<PoseQuery>(
      name, [&] { return io::read_query_node(io::parse_json(name, text).root(), scene, options); });
}

Result<std::vector<Result<PoseQuery>>> load_pose_queries(const std::filesystem::path& file,
                                                         const Scene& scene,
                                                         const PathOptions& options) {
  return io::guarded<std::vector<Result<PoseQuery>>>(file, [&] {
    const std::string text = io::read_text(file);
    std::vector<Result<PoseQuery>> queries;
    io::LineReader lines(text);
    for (std::string_view line; lines.next(line);) {
      if (io::trimmed(line).empty()) continue;
      queries.push_back(io::guarded<PoseQuery>(file, [&] {
        return io::read_query_node(io::parse_json(file, line, lines.number()).root(), scene,
                                   options);
      }));
    }
    if (queries.empty()) io::fail(file.string(), "expected at least one query");
    return queries;
  });
}

Result<std::vector<FrameConstraint>> load_constraints(const std::filesystem::path& file,
                                                      const Scene& scene) {
  return io::guarded<std::vector<FrameConstraint>>(file, [&] {
    const io::Document document = io::read_document(file);
    const io::Node& root = document.root();
    if (root.find("start")) {
      root.at("constraints");
      return io::read_query_node(root, scene, {}).constraints;
    }
    root.require_version();
    root.allow_keys({"proven", "constraints"});
    return io::read_constraints(root.at("constraints"), scene);
  });
}

Result<std::vector<std::string>> group_joints(const Scene& scene, const std::string& name) {
  std::string known;
  for (const JointGroup& group : scene.groups()) {
    if (group.name == name || group.name.ends_with("/" + name)) return group.joints;
    known += " " + group.name;
  }
  return bad_input(fmt::format("there is no joint group '{}'; there are:{}", name,
                               known.empty() ? " none" : known));
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

Result<std::vector<int>> set_values(const Scene& scene, const JointValues& values,
                                    std::vector<double>& configuration) {
  return io::guarded<std::vector<int>>({}, [&] {
    const io::ConfigurationReader reader(scene, values.names, {true});
    configuration = reader.read(values.values, configuration);
    return reader.planned();
  });
}

}  // namespace proven
