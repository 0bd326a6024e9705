#include "proven/io/problem_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/configuration_reader.h"
#include "io/failure.h"
#include "io/model_readers.h"
#include "io/scene_readers.h"
#include "io/text.h"
#include "proven/plan/joint_space.h"

namespace proven {
namespace io {
namespace {

Pose read_placement(const Node& node) {
  return {read_quaternion(node.at("quat_xyzw")), read_position(node.at("position"))};
}

Shape read_shape(const Node& node) {
  static constexpr std::string_view kTypes[] = {"box", "cylinder", "sphere"};
  const auto allow = [&](auto... sizes) {
    node.allow_keys({"id", "type", "position", "quat_xyzw", "object_pose", sizes...});
  };
  switch (node.at("type").index_in(kTypes)) {
    case 0: {
      allow("size");
      const std::vector<Node>& size = node.at("size").array_of(3);
      return Box{0.5 * Vec3{read_size(size[0]), read_size(size[1]), read_size(size[2])}};
    }
    case 1:
      allow("radius", "length");
      return Cylinder{read_size(node.at("radius")), 0.5 * read_size(node.at("length"))};
    default:
      allow("radius");
      return Sphere{read_size(node.at("radius"))};
  }
}

// The shape stands at object_pose * (position, quat); without an object_pose at the latter. The
// body's frame is the shape's: its boxes lie along that frame and then fit tightly.
ObstacleSource read_obstacle(const Node& node) {
  node.allow_keys(
      {"id", "type", "position", "quat_xyzw", "object_pose", "size", "radius", "length"});
  ObstacleSource obstacle;
  obstacle.name = node.at("id").string();
  obstacle.X_WB = read_placement(node);
  if (const Node* pose = node.find("object_pose")) {
    pose->allow_keys({"position", "quat_xyzw"});
    obstacle.X_WB = read_placement(*pose) * obstacle.X_WB;
  }
  obstacle.elements.push_back({read_shape(node), Pose{}, node.place()});
  return obstacle;
}

Problem read_problem(const Node& node, std::size_t num_joints) {
  node.allow_keys({"index", "group", "start", "goal", "obstacles"});
  Problem problem;
  problem.index = static_cast<int>(node.at("index").integer(0, 1'000'000'000));
  problem.group = node.at("group").string();
  problem.place = node.place();
  node.at("start").array_of(num_joints);
  node.at("goal").array_of(num_joints);
  problem.start = node.at("start").numbers();
  problem.goal = node.at("goal").numbers();
  for (const Node& obstacle : node.at("obstacles").array())
    problem.obstacles.push_back(read_obstacle(obstacle));
  return problem;
}

// Builds the geometry of the links once, for all scenes of the set.
void build_geometry(Robot& robot) {
  for (RobotLink& link : robot.links)
    if (!link.collision.empty()) link.geometry = unwrap(BodyGeometry::build(link.collision));
}

const RobotJoint& known_joint(const Node& place, const std::string& name, const Robot& robot) {
  std::vector<std::string> known;
  for (const RobotJoint& joint : robot.joints) {
    if (joint.name == name) return joint;
    known.push_back(joint.name);
  }
  place.fail(fmt::format("the robot has no joint {}{}", quote(name), suggestion(name, known)));
}

// Rest values. A joint without a value of its own (fixed, mimic) is passed over.
void read_homes(const Node& node, const RobotSource& robot, SceneSource& scene) {
  for (const Node& value : node.members()) {
    const RobotJoint& joint = known_joint(value, value.key(), robot.robot);
    const double number = value.number();
    if (joint.type == JointType::planar || joint.type == JointType::floating)
      value.fail(fmt::format("joint {} has several values", quote(joint.name)));
    const JointLimits& limits = joint.limits;
    if (number < limits.lower - kLimitTolerance || number > limits.upper + kLimitTolerance)
      value.fail(fmt::format("{} is beyond the joint's limits {} and {}", number, limits.lower,
                             limits.upper));
    if (joint.type != JointType::fixed && !joint.mimic)
      scene.home[robot.name + "/" + joint.name] = number;
  }
}

std::vector<std::string> read_joints(const Node& node, const RobotSource& robot) {
  std::vector<std::string> names;
  for (const Node& joint : node.array()) {
    names.push_back(robot.name + "/" + known_joint(joint, joint.string(), robot.robot).name);
  }
  return names;
}

ProblemSet read_problem_set(const std::filesystem::path& file, const ProblemSetOptions& options) {
  const Document document = read_document(file);
  const Node& root = document.root();
  root.allow_keys({"robot", "joints", "other_joints", "angle_unit", "length_unit",
                   "scene_allowed_collision_pairs", "problems"});
  for (const auto& [key, unit] : {std::pair{"angle_unit", "rad"}, std::pair{"length_unit", "m"}})
    if (const Node* given = root.find(key); given && given->string() != unit)
      given->fail(fmt::format("only {} is read", quote(unit)));
  ProblemSet set;
  set.file = file;
  const std::filesystem::path urdf =
      options.robot.empty() ? file.parent_path() / (root.at("robot").string() + ".urdf")
                            : options.robot;
  SceneOptions scene_options;
  scene_options.packages = options.packages;
  MeshCache meshes;
  require_package_folders(options.packages);
  RobotSource robot = read_named(root.at("robot"),
                                 [&] { return read_robot_with_srdf(urdf, scene_options, meshes); });
  require_packages_used(options.packages, meshes.packages);
  build_geometry(robot.robot);
  SceneSource& scene = set.scene_without_obstacles;
  set.joints = read_joints(root.at("joints"), robot);
  if (const Node* others = root.find("other_joints")) read_homes(*others, robot, scene);
  std::set<std::string> unknown;
  if (const Node* pairs = root.find("scene_allowed_collision_pairs"))
    for (const Node& pair : pairs->array())
      add_allowed_pair(robot, pair.array_of(2)[0].string(), pair.array_of(2)[1].string(), scene,
                       unknown);
  warn_of_unknown_bodies(unknown, scene);
  scene.robots.push_back(std::move(robot));
  for (const Node& problems : root.at("problems").members())
    for (const Node& problem : problems.array()) {
      set.problems.push_back(read_problem(problem, set.joints.size()));
      set.problems.back().set = problems.key();
    }
  return set;
}

const Problem& problem_at(const ProblemSet& set, int index) {
  if (index < 0 || index >= set.size())
    fail(set.file.string(), fmt::format("there is no problem {}; there are {}", index, set.size()));
  return set.problems[static_cast<std::size_t>(index)];
}

}  // namespace
}  // namespace io

Result<ProblemSet> load_problem_set(const std::filesystem::path& file,
                                    const ProblemSetOptions& options) {
  return io::guarded<ProblemSet>(file, [&] { return io::read_problem_set(file, options); });
}

Result<Scene> problem_scene(const ProblemSet& set, int index, bool trust_srdf_never) {
  return io::guarded<Scene>(set.file, [&] {
    SceneSource source = set.scene_without_obstacles;
    source.obstacles = io::problem_at(set, index).obstacles;
    return io::unwrap(build_scene(source, trust_srdf_never));
  });
}

Result<Query> problem_query(const ProblemSet& set, int index, const Scene& scene) {
  return io::guarded<Query>(set.file, [&] {
    const Problem& problem = io::problem_at(set, index);
    const io::ConfigurationReader reader(scene, set.joints);
    Query query;
    io::at_place([&] { return problem.place; },
                 [&] {
                   query.start = reader.read(problem.start);
                   query.goal = reader.read(problem.goal);
                 });
    query.planned = reader.planned();
    query.defaulted = reader.defaulted();
    return query;
  });
}

}  // namespace proven
