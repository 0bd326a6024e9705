// Planning scenes in YAML, as MoveIt describes them and MotionBenchMaker writes them.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "io/xml.h"

namespace proven::io {

namespace fs = std::filesystem;

RobotSource read_robot_with_srdf(const fs::path& urdf, const SceneOptions& options,
                                 MeshCache& meshes) {
  RobotSource source;
  source.robot = read_urdf(urdf, UrdfOptions{.packages = options.packages}, meshes);
  source.name = source.robot.name;
  fs::path srdf = urdf;
  srdf.replace_extension(".srdf");
  std::error_code error;
  if (fs::is_regular_file(srdf, error)) read_srdf(srdf, source.robot, SrdfOptions{});
  return source;
}

void add_home(RobotSource& source, const std::string& name, double value, SceneSource& scene) {
  const auto& joints = source.robot.joints;
  const auto joint = std::find_if(joints.begin(), joints.end(),
                                  [&](const RobotJoint& j) { return j.name == name; });
  if (joint == joints.end()) {
    source.robot.warnings.push_back(fmt::format(
        "the robot state names joint {}, which the robot does not have (ignored)", quote(name)));
    return;
  }
  const bool has_value = joint->type == JointType::revolute ||
                         joint->type == JointType::continuous ||
                         joint->type == JointType::prismatic;
  if (has_value && !joint->mimic) scene.home[source.name + "/" + name] = value;
}

void add_allowed_pair(const RobotSource& source, const std::string& a, const std::string& b,
                      SceneSource& scene, std::set<std::string>& unknown) {
  const auto body = [&](const std::string& name) -> std::string {
    for (const RobotLink& link : source.robot.links)
      if (link.name == name) return source.name + "/" + name;
    for (const ObstacleSource& obstacle : scene.obstacles)
      if (obstacle.name == name) return name;
    unknown.insert(name);
    return "";
  };
  std::string body_a = body(a), body_b = body(b);
  if (body_a.empty() || body_b.empty() || body_a == body_b) return;
  scene.exclusions.push_back({std::move(body_a), std::move(body_b), "allowed collision matrix"});
}

void warn_of_unknown_bodies(const std::set<std::string>& unknown, SceneSource& scene) {
  if (unknown.empty()) return;
  std::string names;
  for (const std::string& name : unknown) names += (names.empty() ? "" : ", ") + name;
  scene.warnings.push_back(
      fmt::format("the allowed collision matrix names what is not there (ignored): {}", names));
}

namespace {

// The robot's name in a URDF, or empty if the file is not one.
std::string robot_name(const fs::path& urdf) {
  try {
    const XmlFile xml(urdf, "robot");
    return xml.find_text(xml.root(), "name").value_or("");
  } catch (const Failure&) {
    return "";
  }
}

// URDFs in the folder that call their robot `name`; if one of several has an SRDF beside it, that
// one alone.
std::vector<fs::path> find_robots(const fs::path& folder, const std::string& name) {
  std::vector<fs::path> found, with_srdf;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end;
       !error && it != end; it.increment(error)) {
    fs::path path = folder / it->path().filename();
    if (extension(path) != ".urdf" || robot_name(path) != name) continue;
    found.push_back(path);
    std::error_code ignored;
    if (fs::is_regular_file(path.replace_extension(".srdf"), ignored))
      with_srdf.push_back(found.back());
  }
  std::sort(found.begin(), found.end());
  return with_srdf.size() == 1 ? with_srdf : found;
}

fs::path find_robot(const Node& model_name, const fs::path& scene_file) {
  const std::string& name = model_name.string();
  fs::path folder = scene_file.parent_path();
  std::string tried;
  for (int level = 0; level < 3; ++level, folder = folder / "..") {
    const fs::path place = folder.lexically_normal();
    std::error_code error;
    fs::path same_name = place / (name + ".urdf");
    if (fs::is_regular_file(same_name, error)) return same_name;
    const std::vector<fs::path> robots = find_robots(place, name);
    if (robots.size() == 1) return robots[0];
    if (robots.size() > 1)
      model_name.fail(fmt::format("several URDFs describe {}: {}, {}; say which one to use",
                                  quote(name), robots[0].string(), robots[1].string()));
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", same_name.string());
  }
  fail(model_name.place(), fmt::format("no URDF found for {}; tried {}", quote(name), tried),
       ErrorCode::not_found);
}

// Vectors come as lists or as {x: .., y: .., z: ..}.
Vec3 read_vector(const Node& node) {
  if (node.is(Node::Kind::array)) return read_position(node);
  const Vec3 p = {node.at("x").number(), node.at("y").number(), node.at("z").number()};
  if (const std::string refusal = refuse_position(p); !refusal.empty()) node.fail(refusal);
  return p;
}

Pose read_stamped_pose(const Node& node, const char* position, const char* orientation) {
  return {read_quaternion(node.at(orientation)), read_vector(node.at(position))};
}

class PlanningSceneReader {
 public:
  PlanningSceneReader(const fs::path& file, const SceneOptions& options, MeshCache& meshes)
      : document_(read_document(file)) {
    const Node& root = document_.root();
    const fs::path urdf =
        options.robot.empty() ? find_robot(root.at("robot_model_name"), file) : options.robot;
    robot_ = read_robot_with_srdf(urdf, options, meshes);
  }

  SceneSource read() {
    const Node& root = document_.root();
    if (const Node* frames = root.find("fixed_frame_transforms")) check_frames(*frames);
    if (const Node* state = root.find("robot_state")) read_state(*state);
    if (const Node* world = root.find("world")) read_world(*world);
    if (const Node* matrix = root.find("allowed_collision_matrix")) read_matrix(*matrix);
    scene_.robots.push_back(std::move(robot_));
    return std::move(scene_);
  }

 private:
  // Frames other than the robot's root are not followed: they must coincide with it.
  static void check_frames(const Node& frames) {
    for (const Node& frame : frames.array()) {
      const Node& transform = frame.at("transform");
      if (read_stamped_pose(transform, "translation", "rotation") != Pose{})
        transform.fail("a fixed frame that differs from the robot's root is not supported");
    }
  }

  void check_frame(const Node& object) const {
    const Node* header = object.find("header");
    const Node* frame = header ? header->find("frame_id") : nullptr;
    if (!frame || frame->is_empty()) return;
    if (frame->string() != "world" && frame->string() != root_link())
      frame->fail(fmt::format("frame {} is not supported; use 'world' or the root link",
                              quote(frame->string())));
  }

  std::string root_link() const {
    for (const RobotLink& link : robot_.robot.links)
      if (std::none_of(robot_.robot.joints.begin(), robot_.robot.joints.end(),
                       [&](const RobotJoint& joint) { return joint.child_link == link.name; }))
        return link.name;
    return "";
  }

  void read_state(const Node& state) {
    if (const Node* held = state.find("attached_collision_objects"); held && !held->is_empty())
      held->fail("attached objects in planning scenes are not supported; use a scene in JSON");
    if (const Node* base = state.find("multi_dof_joint_state")) read_base(*base);
    const Node* joints = state.find("joint_state");
    if (!joints) return;
    const std::vector<std::string> names = joints->at("name").strings();
    const std::vector<Node>& values = joints->at("position").array_of(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      add_home(robot_, names[i], values[i].number(), scene_);
  }

  // The virtual joint says where the robot stands.
  void read_base(const Node& base) {
    const Node* transforms = base.find("transforms");
    if (!transforms || transforms->is_empty()) return;
    const Node& transform = transforms->array_of(1)[0];
    robot_.X_WR = read_stamped_pose(transform, "translation", "rotation");
  }

  void read_world(const Node& world) {
    if (const Node* octomap = world.find("octomap"); octomap && has_data(*octomap))
      octomap->fail("octomaps are not supported");
    const Node* objects = world.find("collision_objects");
    if (!objects || objects->is_empty()) return;
    for (const Node& object : objects->array()) read_object(object);
  }

  static bool has_data(const Node& octomap) {
    const Node* inner = octomap.find("octomap");
    const Node* data = (inner ? *inner : octomap).find("data");
    return data && !data->is_empty();
  }

  void read_object(const Node& object) {
    ObstacleSource obstacle;
    obstacle.name = object.at("id").string();
    for (const ObstacleSource& other : scene_.obstacles)
      if (other.name == obstacle.name)
        object.at("id").fail(fmt::format("the name {} is used twice", quote(obstacle.name)));
    for (const char* unsupported : {"meshes", "planes"})
      if (const Node* list = object.find(unsupported); list && !list->is_empty())
        list->fail(fmt::format("{} in planning scenes are not supported", unsupported));
    check_frame(object);
    if (const Node* pose = object.find("pose"))
      obstacle.X_WB = read_stamped_pose(*pose, "position", "orientation");
    const std::vector<Node>& shapes = object.at("primitives").array();
    if (shapes.empty()) object.at("primitives").fail("is empty");
    const std::vector<Node>& poses = object.at("primitive_poses").array_of(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i)
      obstacle.elements.push_back({read_primitive(shapes[i]),
                                   read_stamped_pose(poses[i], "position", "orientation"),
                                   shapes[i].place()});
    // The boxes of a body lie along its frame: with a single shape they fit if that is the shape's.
    if (obstacle.elements.size() == 1) {
      obstacle.X_WB = obstacle.X_WB * obstacle.elements[0].X_BS;
      obstacle.elements[0].X_BS = Pose{};
    }
    if (const auto doubt = doubt_size("object " + quote(obstacle.name), obstacle.elements))
      scene_.warnings.push_back(*doubt);
    scene_.obstacles.push_back(std::move(obstacle));
  }

  static Shape read_primitive(const Node& node) {
    const std::string& type = node.at("type").string();
    const Node& dimensions = node.at("dimensions");
    const auto size = [&](std::size_t count, std::size_t i) {
      return read_size(dimensions.array_of(count)[i]);
    };
    if (type == "box") return Box{0.5 * Vec3{size(3, 0), size(3, 1), size(3, 2)}};
    if (type == "sphere") return Sphere{size(1, 0)};
    if (type == "cylinder") return Cylinder{size(2, 1), 0.5 * size(2, 0)};
    node.at("type").fail(
        fmt::format("{} is not supported; use box, sphere or cylinder", quote(type)));
  }

  void read_matrix(const Node& matrix) {
    const std::vector<std::string> names = matrix.at("entry_names").strings();
    const std::vector<Node>& rows = matrix.at("entry_values").array_of(names.size());
    for (const Node& row : rows) row.array_of(names.size());
    std::set<std::string> unknown;
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j)
        if (rows[i].array()[j].boolean() && rows[j].array()[i].boolean())
          add_allowed_pair(robot_, names[i], names[j], scene_, unknown);
    warn_of_unknown_bodies(unknown, scene_);
  }

  Document document_;
  RobotSource robot_;
  SceneSource scene_;
};

}  // namespace

SceneSource read_planning_scene(const fs::path& file, const SceneOptions& options,
                                MeshCache& meshes) {
  return PlanningSceneReader(file, options, meshes).read();
}

}  // namespace proven::io
