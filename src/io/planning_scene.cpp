// Planning scenes in YAML, as MoveIt describes them and MotionBenchMaker writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <system_error>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/ros_messages.h"
#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "io/xml.h"
#include "proven/kinematics/poses.h"

namespace proven::io {

namespace fs = std::filesystem;

RobotSource read_robot_with_srdf(const fs::path& urdf, const SceneOptions& options,
                                 MeshCache& meshes) {
  RobotSource source;
  source.robot = read_urdf(urdf,
                           UrdfOptions{.packages = options.packages,
                                       .allow_empty = options.allow_empty,
                                       .ignore_elements = options.ignore_elements},
                           meshes);
  source.name = source.robot.name;
  fs::path srdf = urdf;
  srdf.replace_extension(".srdf");
  std::error_code error;
  if (fs::is_regular_file(srdf, error)) read_srdf(srdf, source.robot, SrdfOptions{});
  return source;
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

// How far a link's shapes may reach beyond themselves when MoveIt scales and pads them:
//   a point x of a shape goes to s x (about the shape's own origin, or the mean of a mesh's
//   vertices), so by (s - 1) r at most, r the farthest point from there; then padding p moves it by
//   p on spheres and meshes (vertices go outwards by p), by sqrt 2 p at most on a cylinder (radius
//   and half length grow by p) and by sqrt 3 p on a box (half extents do).
// So all that MoveIt tests lies within this distance of the shapes as they are.
struct Growth {
  double scale, padding;

  double operator()(const Sphere& s) const { return (scale - 1) * s.radius + padding; }
  double operator()(const Box& s) const {
    return (scale - 1) * norm(s.half_extents) + std::sqrt(3.0) * padding;
  }
  double operator()(const Cylinder& s) const {
    return (scale - 1) * std::hypot(s.radius, s.half_length) + std::sqrt(2.0) * padding;
  }
  double operator()(const Capsule& s) const {
    return (scale - 1) * (s.radius + s.half_length) + padding;
  }
  double operator()(const std::shared_ptr<const ConvexHull>& s) const { return of(s->points); }
  double operator()(const std::shared_ptr<const TriangleMesh>& s) const { return of(s->vertices); }
  // Links have none of these.
  double operator()(const std::shared_ptr<const PointCloud>&) const { return 0; }
  double operator()(const std::shared_ptr<const VoxelSet>&) const { return 0; }

  // The mean is that of any weights, so the farthest two points bound the reach from it.
  double of(const std::vector<Vec3>& points) const {
    Vec3 lower = points.empty() ? Vec3{} : points[0], upper = lower;
    for (const Vec3& p : points)
      for (int i = 0; i < 3; ++i) {
        lower[i] = std::min(lower[i], p[i]);
        upper[i] = std::max(upper[i], p[i]);
      }
    return (scale - 1) * norm(upper - lower) + padding;
  }
};

class PlanningSceneReader {
 public:
  PlanningSceneReader(const fs::path& file, const SceneOptions& options, MeshCache& meshes)
      : document_(read_document(file)) {
    const Node& root = document_.root();
    const fs::path urdf =
        options.robot.empty() ? find_robot(root.at("robot_model_name"), file) : options.robot;
    robot_ = read_robot_with_srdf(urdf, options, meshes);
    const Node* name = root.find("robot_model_name");
    if (name && name->string() != robot_.name)
      scene_.warnings.push_back(fmt::format("the scene is of robot {}, the URDF of {}",
                                            quote(name->string()), quote(robot_.name)));
  }

  // In MoveIt's order: fixed frames, the robot's state, what it holds, the world.
  SceneSource read() {
    const Node& root = document_.root();
    root.allow_keys({"name", "robot_model_name", "robot_state", "fixed_frame_transforms",
                     "allowed_collision_matrix", "link_padding", "link_scale", "object_colors",
                     "world", "is_diff"});
    refuse_diff(root);
    const Node* state = root.find("robot_state");
    if (state && !state->is_empty()) read_state(*state);
    compute_links();
    if (const Node* frames = root.find("fixed_frame_transforms"); frames && !frames->is_empty())
      for (const Node& frame : frames->array()) read_fixed_frame(frame);
    if (const Node* held =
            state && !state->is_empty() ? state->find("attached_collision_objects") : nullptr;
        held && !held->is_empty())
      for (const Node& object : held->array()) read_attached(object);
    if (const Node* world = root.find("world"); world && !world->is_empty()) read_world(*world);
    read_growth(root);
    if (const Node* matrix = root.find("allowed_collision_matrix"); matrix && !matrix->is_empty())
      read_matrix(*matrix);
    scene_.robots.push_back(std::move(robot_));
    return std::move(scene_);
  }

 private:
  static void refuse_diff(const Node& node) {
    if (const Node* diff = node.find("is_diff"); diff && diff->boolean())
      diff->fail("a difference says only what changes; save the whole scene");
  }

  std::string root_link() const {
    for (const RobotLink& link : robot_.robot.links)
      if (std::none_of(robot_.robot.joints.begin(), robot_.robot.joints.end(),
                       [&](const RobotJoint& joint) { return joint.child_link == link.name; }))
        return link.name;
    return "";
  }

  // MoveIt's planning frame: the virtual joint's parent, or the root link.
  std::string planning_frame() const {
    return robot_.robot.virtual_joint ? robot_.robot.virtual_joint->parent_link : root_link();
  }

  // Where the links are at the robot's state.
  void compute_links() {
    KinematicTree tree;
    unwrap(tree.add_robot(robot_.robot, robot_.name, robot_.X_WR));
    std::vector<double> q = tree.zero_configuration();
    for (const auto& [name, value] : scene_.home)
      q[static_cast<std::size_t>(tree.find_coordinate(name))] = value;
    LinkPoses poses;
    compute_poses(tree, q, poses);
    for (const RobotLink& link : robot_.robot.links)
      frames_[link.name] =
          poses.X_WL[static_cast<std::size_t>(tree.find_link(robot_.name + "/" + link.name))];
    if (robot_.robot.virtual_joint) frames_[planning_frame()] = Pose{};
  }

  Pose frame(const Node& node) const {
    const std::string name = read_frame_id(node);
    if (name.empty()) return {};
    const auto found = frames_.find(name);
    if (found != frames_.end()) return found->second;
    if (name == "world") return {};
    std::vector<std::string> known;
    for (const auto& [frame, pose] : frames_) known.push_back(frame);
    node.at("header")
        .at("frame_id")
        .fail(fmt::format(
            "there is no frame {}{}: frames are links, the planning frame {}, fixed frames, "
            "and objects and their subframes that come before",
            quote(name), suggestion(name, known), quote(planning_frame())));
  }

  void add_frame(const Node& place, const std::string& name, const Pose& X) {
    const auto [found, is_new] = frames_.emplace(name, X);
    if (!is_new && found->second != X)
      place.fail(fmt::format("the frame {} is defined twice, at two poses", quote(name)));
  }

  void read_fixed_frame(const Node& node) {
    node.allow_keys({"header", "child_frame_id", "transform"});
    const std::string above = read_frame_id(node);
    if (!above.empty() && above != "world" && above != planning_frame())
      node.at("header").fail(fmt::format("fixed frames stand in the planning frame {}, not in {}",
                                         quote(planning_frame()), quote(above)));
    const Node& name = node.at("child_frame_id");
    const Pose X = frame(node) * read_transform(node.at("transform"));
    const std::string& text = name.string();
    add_frame(name, text[0] == '/' ? text.substr(1) : text, X);
  }

  void read_state(const Node& state) {
    state.allow_keys(
        {"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"});
    refuse_diff(state);
    if (const Node* base = state.find("multi_dof_joint_state"); base && !base->is_empty())
      read_base(*base);
    const Node* joints = state.find("joint_state");
    if (!joints || joints->is_empty()) return;
    joints->allow_keys({"header", "name", "position", "velocity", "effort"});
    const Node* names = joints->find("name");
    const Node* values = joints->find("position");
    const std::size_t count = names && !names->is_empty() ? names->array().size() : 0;
    if (values && !values->is_empty()) values->array_of(count);
    for (std::size_t i = 0; i < count; ++i)
      set_joint(names->array()[i], joints->at("position").array_of(count)[i].number());
    check_mimics(*joints);
  }

  void set_joint(const Node& node, double value) {
    const std::string& name = node.string();
    const RobotJoint* joint = find_joint(name);
    if (!joint)
      node.fail(fmt::format("the robot has no joint {}{}", quote(name), near_joint(name)));
    if (!values_.emplace(name, value).second)
      node.fail(fmt::format("joint {} is named twice", quote(name)));
    if (joint->type == JointType::planar || joint->type == JointType::floating)
      node.fail(fmt::format("joint {} has several values: give it in multi_dof_joint_state",
                            quote(name)));
    if (joint->type == JointType::fixed && value != 0)
      node.fail(fmt::format("joint {} is fixed and has no value", quote(name)));
    if (joint->type != JointType::fixed && !joint->mimic)
      scene_.home[robot_.name + "/" + name] = value;
  }

  // A joint that follows another is where that one puts it, whatever the state says of it.
  void check_mimics(const Node& place) const {
    for (const auto& [name, value] : values_) {
      const RobotJoint* joint = find_joint(name);
      if (!joint->mimic) continue;
      const auto leader = values_.find(joint->mimic->joint);
      const double at = leader == values_.end() ? 0 : leader->second;
      const double expected = joint->mimic->multiplier * at + joint->mimic->offset;
      if (std::fabs(value - expected) > 1e-6)
        place.fail(fmt::format("joint {} follows {} and must be {} here, not {}; leave it out",
                               quote(name), quote(joint->mimic->joint), expected, value));
    }
  }

  const RobotJoint* find_joint(const std::string& name) const {
    for (const RobotJoint& joint : robot_.robot.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  std::string near_joint(const std::string& name) const {
    std::vector<std::string> known;
    for (const RobotJoint& joint : robot_.robot.joints) known.push_back(joint.name);
    if (robot_.robot.virtual_joint) known.push_back(robot_.robot.virtual_joint->name);
    return suggestion(name, known);
  }

  // Joints of several values, of which the virtual one says where the robot stands.
  void read_base(const Node& base) {
    base.allow_keys({"header", "joint_names", "transforms", "twist", "wrench"});
    const Node* names = base.find("joint_names");
    const Node* transforms = base.find("transforms");
    const std::size_t count = names && !names->is_empty() ? names->array().size() : 0;
    if (transforms && !transforms->is_empty()) transforms->array_of(count);
    const std::string above = read_frame_id(base);
    if (count > 0 && !above.empty() && above != "world" && above != planning_frame())
      base.at("header").fail(fmt::format("the base stands in the planning frame {}, not in {}",
                                         quote(planning_frame()), quote(above)));
    for (std::size_t i = 0; i < count; ++i)
      set_transform(names->array()[i], base.at("transforms").array_of(count)[i]);
  }

  void set_transform(const Node& node, const Node& transform) {
    const std::string& name = node.string();
    const RobotJoint* joint = find_joint(name);
    const std::optional<RobotJoint>& own = robot_.robot.virtual_joint;
    const Pose X = read_transform(transform);
    if (!moved_.insert(name).second) node.fail(fmt::format("joint {} is named twice", quote(name)));
    if (!joint && own && own->name != name)
      node.fail(fmt::format("the robot has no joint {}{}", quote(name), near_joint(name)));
    // Without an SRDF the one joint that the URDF does not know is the virtual one.
    if (!joint) {
      if (has_base_) node.fail("there is a virtual joint already");
      has_base_ = true;
      if (own && own->type == JointType::fixed && X != Pose{})
        transform.fail(fmt::format("the virtual joint {} is fixed", quote(name)));
      if (own && own->type == JointType::planar) read_planar(transform);
      robot_.X_WR = X;
      return;
    }
    if (joint->type != JointType::planar && joint->type != JointType::floating)
      node.fail(fmt::format("joint {} has one value: give it in joint_state", quote(name)));
    if (joint->type == JointType::planar && joint->axis != Vec3{0, 0, 1})
      node.fail(fmt::format("the planar joint {} has not the axis 0 0 1", quote(name)));
    const std::string full = robot_.name + "/" + name;
    for (const auto& [suffix, value] :
         joint->type == JointType::planar ? read_planar(transform) : read_floating(transform))
      scene_.home[full + suffix] = value;
  }

  // An object that stands where its frame is at the robot's state.
  void read_object(const Node& object) {
    ObstacleSource obstacle;
    obstacle.name = claim(object.at("id"));
    CollisionObject shapes = read_collision_object(object);
    obstacle.X_WB = frame(object) * shapes.X_FO;
    add_frames(object, obstacle.name, obstacle.X_WB, shapes.subframes);
    obstacle.elements = std::move(shapes.elements);
    // The boxes of a body lie along its frame: with a single shape they fit if that is the shape's.
    if (obstacle.elements.size() == 1) {
      obstacle.X_WB = obstacle.X_WB * obstacle.elements[0].X_BS;
      obstacle.elements[0].X_BS = Pose{};
    }
    if (const auto doubt =
            doubt_size("object " + quote(obstacle.name), kLongObstacle, obstacle.elements))
      scene_.warnings.push_back(*doubt);
    scene_.obstacles.push_back(std::move(obstacle));
  }

  void read_attached(const Node& node) {
    node.allow_keys({"link_name", "object", "touch_links", "detach_posture", "weight"});
    AttachedSource held;
    held.link = link_name(node.at("link_name"));
    const Node& object = node.at("object");
    held.name = claim(object.at("id"));
    if (read_frame_id(object).empty())
      object.fail("give header.frame_id: the frame that the pose of a held object is in");
    CollisionObject shapes = read_collision_object(object);
    const Pose X_WO = frame(object) * shapes.X_FO;
    const std::string link = node.at("link_name").string();
    // In the link's own frame the pose stays as it is written, to the last bit.
    held.X_LB = read_frame_id(object) == link ? shapes.X_FO : inverse(frames_.at(link)) * X_WO;
    held.elements = std::move(shapes.elements);
    add_frames(object, held.name, X_WO, shapes.subframes);
    if (const Node* touch = node.find("touch_links"); touch && !touch->is_empty())
      for (const Node& name : touch->array()) held.touch.push_back(link_name(name));
    scene_.attached.push_back(std::move(held));
  }

  std::string claim(const Node& id) {
    const std::string& name = id.string();
    if (!names_.insert(name).second) id.fail(fmt::format("the name {} is used twice", quote(name)));
    return name;
  }

  void add_frames(const Node& object, const std::string& name, const Pose& X_WO,
                  const std::map<std::string, Pose>& subframes) {
    add_frame(object.at("id"), name, X_WO);
    for (const auto& [subframe, X_OS] : subframes)
      add_frame(object.at("subframe_names"), name + "/" + subframe, X_WO * X_OS);
  }

  std::string link_name(const Node& node) const {
    std::vector<std::string> known;
    for (const RobotLink& link : robot_.robot.links) known.push_back(link.name);
    if (std::find(known.begin(), known.end(), node.string()) == known.end())
      node.fail(fmt::format("the robot has no link {}{}", quote(node.string()),
                            suggestion(node.string(), known)));
    return robot_.name + "/" + node.string();
  }

  void read_world(const Node& world) {
    world.allow_keys({"collision_objects", "octomap"});
    if (const Node* octomap = world.find("octomap"); octomap && has_data(*octomap))
      octomap->fail("octomaps are not supported; use boxes or a mesh");
    const Node* objects = world.find("collision_objects");
    if (!objects || objects->is_empty()) return;
    for (const Node& object : objects->array()) read_object(object);
  }

  static bool has_data(const Node& octomap) {
    if (octomap.is_empty()) return false;
    octomap.allow_keys({"header", "origin", "octomap", "binary", "id", "resolution", "data"});
    const Node* inner = octomap.find("octomap");
    if (inner && !inner->is_empty())
      inner->allow_keys({"header", "binary", "id", "resolution", "data"});
    const Node* data = (inner ? *inner : octomap).find("data");
    return data && !data->is_empty();
  }

  // Padding and scale of links, which MoveIt applies against the world alone: each pair of such a
  // link and an obstacle keeps that much clearance.
  void read_growth(const Node& root) {
    std::map<std::string, Growth> growths;
    const auto read = [&](const char* list, const char* key, double Growth::*field) {
      const Node* entries = root.find(list);
      if (!entries || entries->is_empty()) return;
      std::set<std::string> named;
      for (const Node& entry : entries->array()) {
        entry.allow_keys({"link_name", key});
        const std::string link = link_name(entry.at("link_name"));
        if (!named.insert(link).second)
          entry.fail(fmt::format("link {} is listed twice", quote(link)));
        growths.emplace(link, Growth{1, 0}).first->second.*field = entry.at(key).number();
        if (field == &Growth::padding && entry.at(key).number() < 0)
          entry.at(key).fail("a negative padding makes the robot smaller than it is");
        if (field == &Growth::scale && entry.at(key).number() < 1)
          entry.at(key).fail("a scale below 1 makes the robot smaller than it is");
      }
    };
    read("link_padding", "padding", &Growth::padding);
    read("link_scale", "scale", &Growth::scale);
    for (const RobotLink& link : robot_.robot.links) {
      const auto found = growths.find(robot_.name + "/" + link.name);
      if (found == growths.end()) continue;
      double reach = 0;
      for (const CollisionElement& element : link.collision)
        reach = std::max(reach, std::visit(found->second, element.shape));
      if (reach == 0) continue;
      for (const ObstacleSource& obstacle : scene_.obstacles)
        scene_.clearances.push_back({found->first, obstacle.name, reach * (1 + 0x1p-40)});
    }
  }

  // The links and objects that the matrix can name.
  std::string body(const std::string& name) const {
    for (const RobotLink& link : robot_.robot.links)
      if (link.name == name) return robot_.name + "/" + name;
    return names_.contains(name) ? name : "";
  }

  static bool allows(const Node& rows, std::size_t i, std::size_t j, std::size_t count) {
    const Node& row = rows.array_of(count)[i];
    if (!row.is(Node::Kind::array)) row.allow_keys({"enabled"});
    return (row.is(Node::Kind::array) ? row : row.at("enabled")).array_of(count)[j].boolean();
  }

  void read_matrix(const Node& matrix) {
    matrix.allow_keys(
        {"entry_names", "entry_values", "default_entry_names", "default_entry_values"});
    const Node* entries = matrix.find("entry_names");
    const std::vector<std::string> names =
        entries && !entries->is_empty() ? entries->strings() : std::vector<std::string>{};
    if (names.empty() && matrix.find("entry_values")) matrix.at("entry_values").array_of(0);
    const Node* rows = names.empty() ? nullptr : &matrix.at("entry_values");
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = 0; j < names.size(); ++j) {
        const bool allowed = allows(*rows, i, j, names.size());
        if (allowed != allows(*rows, j, i, names.size()))
          rows->array()[i].fail(fmt::format("the matrix is not symmetric: {} and {}",
                                            quote(names[i]), quote(names[j])));
        has_true_diagonal_ |= i == j && allowed;
        if (j > i && !listed_.insert(std::minmax(names[i], names[j])).second)
          entries->fail(
              fmt::format("{} and {} are listed twice", quote(names[i]), quote(names[j])));
        if (j > i && allowed) allow(names[i], names[j]);
      }
    read_defaults(matrix);
    tell_of_matrix();
  }

  // A default is for the pairs of a name that have no entry of their own; one that says no wins.
  void read_defaults(const Node& matrix) {
    const Node* named = matrix.find("default_entry_names");
    const Node* given = matrix.find("default_entry_values");
    const std::size_t count = named && !named->is_empty() ? named->array().size() : 0;
    if (given && !given->is_empty()) given->array_of(count);
    std::map<std::string, bool> defaults;
    for (std::size_t i = 0; i < count; ++i)
      if (!defaults
               .emplace(named->array()[i].string(),
                        matrix.at("default_entry_values").array_of(count)[i].boolean())
               .second)
        named->array()[i].fail("is listed twice");
    std::set<std::string> all(names_.begin(), names_.end());
    for (const RobotLink& link : robot_.robot.links) all.insert(link.name);
    for (const auto& [name, allowed] : defaults) {
      if (body(name).empty()) unknown_.insert(name);
      for (const std::string& other : all) {
        const auto its = defaults.find(other);
        const bool both = allowed && (its == defaults.end() || its->second);
        if (!both || other == name || body(name).empty()) continue;
        if (listed_.insert(std::minmax(name, other)).second) allow(name, other);
      }
    }
  }

  // Pairs of links that the SRDF disables keep its reason: what it calls Never was only never seen
  // colliding, and a matrix that was made from it knows no more.
  void allow(const std::string& a, const std::string& b) {
    const std::string body_a = body(a), body_b = body(b);
    if (body_a.empty()) unknown_.insert(a);
    if (body_b.empty()) unknown_.insert(b);
    if (body_a.empty() || body_b.empty() || body_a == body_b) return;
    for (const DisabledPair& pair : robot_.robot.disabled_pairs) {
      if (std::minmax(pair.link_a, pair.link_b) != std::minmax(a, b)) continue;
      never_seen_ += pair.reason == "Never";
      return;
    }
    scene_.exclusions.push_back({body_a, body_b, "allowed collision matrix"});
  }

  void tell_of_matrix() {
    warn_of_unknown_bodies(unknown_, scene_);
    if (has_true_diagonal_)
      scene_.warnings.push_back(
          "the allowed collision matrix allows bodies against themselves, which means nothing");
    if (never_seen_ > 0)
      scene_.warnings.push_back(
          fmt::format("{} pairs that the allowed collision matrix allows were only never seen "
                      "colliding (SRDF: Never): they are tested unless --trust-srdf-never",
                      never_seen_));
  }

  Document document_;
  RobotSource robot_;
  SceneSource scene_;
  std::map<std::string, Pose> frames_;  // X_WF at the robot's state
  std::set<std::string> names_;         // of objects
  std::map<std::string, double> values_;
  std::set<std::string> moved_;  // joints of several values
  bool has_base_ = false;
  std::set<std::pair<std::string, std::string>> listed_;  // pairs with an entry in the matrix
  std::set<std::string> unknown_;
  int never_seen_ = 0;
  bool has_true_diagonal_ = false;
};

}  // namespace

SceneSource read_planning_scene(const fs::path& file, const SceneOptions& options,
                                MeshCache& meshes) {
  return PlanningSceneReader(file, options, meshes).read();
}

}  // namespace proven::io
