// Planning scenes: MoveIt's message PlanningScene in YAML. All keys of the messages are known; what
// would change bodies, frames or pairs and is not honoured is refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "proven/base/elementary.h"
#include "verify/readers/joints.h"
#include "verify/readers/scenes.h"
#include "verify/readers/xml.h"

namespace proven::verifier {
namespace {

namespace fs = std::filesystem;
using NamePair = std::pair<std::string, std::string>;

NamePair sorted(const std::string& a, const std::string& b) {
  return a < b ? NamePair(a, b) : NamePair(b, a);
}

// A member that is there and not empty.
const Value* filled(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  return found && !found->empty() ? found : nullptr;
}

// --- Finding the robot ---

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

std::string name_in(const fs::path& urdf) {
  try {
    const Xml xml(urdf, "robot");
    return xml.text(xml.root(), "name").value_or("");
  } catch (const Unreadable&) {
    return "";
  }
}

// NAME.urdf, or the one URDF that calls its robot so (of several, the one with an SRDF), in the
// scene's folder or one of the two above.
fs::path find_robot(const Value& name, const fs::path& scene) {
  fs::path folder = scene.parent_path();
  for (int level = 0; level < 3; ++level, folder /= "..") {
    const fs::path place = folder.lexically_normal();
    if (is_file(place / (name.text() + ".urdf"))) return place / (name.text() + ".urdf");
    std::vector<fs::path> found, with_srdf;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place.empty() ? "." : place, error)) {
      fs::path file = place / entry.path().filename();
      if (ending_of(file) != ".urdf" || name_in(file) != name.text()) continue;
      found.push_back(file);
      if (is_file(file.replace_extension(".srdf"))) with_srdf.push_back(found.back());
    }
    if (with_srdf.size() == 1) return with_srdf[0];
    if (found.size() == 1) return found[0];
    if (!found.empty()) name.fail("several URDFs describe this robot");
  }
  name.fail("no URDF of this robot was found");
}

// --- Poses ---

Vec3 vector_at(const Value& value) {
  Vec3 p;
  if (value.kind == Value::Kind::object) {
    value.only({"x", "y", "z"});
    p = {value.at("x").number(), value.at("y").number(), value.at("z").number()};
  } else {
    p = value.vector();
  }
  return value.here([&] { return checked_position(p); });
}
Mat3 orientation_at(const Value& value) {
  if (value.kind != Value::Kind::object) return quaternion_at(value);
  value.only({"x", "y", "z", "w"});
  const double q[4] = {value.at("x").number(), value.at("y").number(), value.at("z").number(),
                       value.at("w").number()};
  return value.here([&] { return rotation_of_quaternion(q); });
}
Pose pose_at(const Value& value) {
  value.only({"position", "orientation"});
  return {orientation_at(value.at("orientation")), vector_at(value.at("position"))};
}

}  // namespace

Pose transform_at(const Value& value) {
  value.only({"translation", "rotation"});
  return {orientation_at(value.at("rotation")), vector_at(value.at("translation"))};
}

std::string frame_of(const Value& value) {
  const Value* header = filled(value, "header");
  if (!header) return "";
  header->only({"frame_id", "stamp", "seq"});
  const Value* frame = filled(*header, "frame_id");
  if (!frame) return "";
  return frame->text().substr(frame->text()[0] == '/' ? 1 : 0);
}

std::vector<double> planar_values(const Value& transform) {
  const Pose X = transform_at(transform);
  if (!(std::fabs(X.p.z) <= 1e-6 && std::fabs(X.R(2, 0)) <= 1e-6 && std::fabs(X.R(2, 1)) <= 1e-6))
    transform.fail("a planar joint does not leave its plane");
  return {X.p.x, X.p.y, arc_tangent(X.R(1, 0), X.R(0, 0))};
}

std::vector<double> floating_values(const Value& transform) {
  const Pose X = transform_at(transform);
  const Value& rotation = transform.at("rotation");
  double q[4];
  for (std::size_t i = 0; i < 4; ++i)
    q[i] = rotation.kind == Value::Kind::object
               ? rotation.at(std::string_view("xyzw").substr(i, 1)).number()
               : rotation.numbers()[i];
  const double length = hypotenuse(hypotenuse(q[0], q[1]), hypotenuse(q[2], q[3]));
  return {X.p.x, X.p.y, X.p.z, q[0] / length, q[1] / length, q[2] / length, q[3] / length};
}

namespace {

// --- Shapes ---

std::size_t index_at(const Value& list, double value, double least, double most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    list.fail(fmt::format("expected a whole number from {} to {}", least, most));
  return static_cast<std::size_t>(value);
}

Shape primitive_at(const Value& value) {
  value.only({"type", "dimensions", "polygon"});
  if (const Value* polygon = filled(value, "polygon")) {
    polygon->only({"points"});
    if (!polygon->at("points").empty()) polygon->fail("prisms are not read");
  }
  const Value& type = value.at("type");
  constexpr std::string_view kNames[] = {"box", "sphere", "cylinder"};
  const std::string_view kind = type.kind == Value::Kind::number
                                    ? kNames[index_at(type, type.number(), 1, 3) - 1]
                                    : std::string_view(type.text());
  const Value& dimensions = value.at("dimensions");
  const auto size = [&](std::size_t count, std::size_t i) {
    const double given = dimensions.numbers(count)[i];
    return dimensions.here([&] { return checked_size(given); });
  };
  if (kind == "box") return Box{{0.5 * size(3, 0), 0.5 * size(3, 1), 0.5 * size(3, 2)}};
  if (kind == "sphere") return Sphere{size(1, 0)};
  if (kind == "cylinder") return Cylinder{size(2, 1), 0.5 * size(2, 0)};  // height, radius
  type.fail("only box, sphere and cylinder are read");
}

Shape mesh_at(const Value& value) {
  value.only({"triangles", "vertices"});
  auto mesh = std::make_shared<TriangleMesh>();
  for (const Value& vertex : value.at("vertices").list())
    mesh->vertices.push_back(vector_at(vertex));
  const double last = static_cast<double>(mesh->vertices.size()) - 1;
  for (const Value& triangle : value.at("triangles").list()) {
    const bool object = triangle.kind == Value::Kind::object;
    if (object) triangle.only({"vertex_indices"});
    const Value& corners = object ? triangle.at("vertex_indices") : triangle;
    auto& added = mesh->triangles.emplace_back();
    for (std::size_t i = 0; i < 3; ++i)
      added[i] = static_cast<std::uint32_t>(index_at(corners, corners.numbers(3)[i], 0, last));
  }
  if (mesh->triangles.empty()) value.fail("no triangles");
  return std::shared_ptr<const TriangleMesh>(std::move(mesh));
}

// A CollisionObject in the frame of its header.
struct Object {
  std::string name;
  Pose X_FO;
  std::vector<CollisionElement> elements;
  std::vector<std::pair<std::string, Pose>> subframes;
};

template <class Read>
void add_shapes(const Value& value, const char* shapes, const char* poses, Read&& read,
                Object& object) {
  const Value* list = filled(value, shapes);
  const Value* given = filled(value, poses);
  if (!list && !given) return;
  if (!list || !given || list->list().size() != given->list().size())
    value.fail(fmt::format("as many {} as {} are needed", poses, shapes));
  for (std::size_t i = 0; i < list->items.size(); ++i)
    object.elements.push_back({read(list->items[i]), pose_at(given->items[i]), {}});
}

Object object_at(const Value& value) {
  value.only({"id", "header", "pose", "type", "operation", "primitives", "primitive_poses",
              "meshes", "mesh_poses", "planes", "plane_poses", "subframe_names", "subframe_poses"});
  Object object;
  object.name = value.at("id").text();
  if (const Value* operation = value.find("operation"))
    if (operation->number() != 0) operation->fail("only objects that are added are read");
  for (const char* planes : {"planes", "plane_poses"})
    if (const Value* list = filled(value, planes)) list->fail("planes are not read");
  if (const Value* pose = value.find("pose")) object.X_FO = pose_at(*pose);
  add_shapes(value, "primitives", "primitive_poses", primitive_at, object);
  add_shapes(value, "meshes", "mesh_poses", mesh_at, object);
  if (object.elements.empty()) value.fail("no shapes");
  const Value* names = filled(value, "subframe_names");
  const Value* poses = filled(value, "subframe_poses");
  if (!names && !poses) return object;
  if (!names || !poses || names->list().size() != poses->list().size())
    value.fail("as many subframe_poses as subframe_names are needed");
  std::set<std::string> known;
  for (std::size_t i = 0; i < names->items.size(); ++i) {
    if (!known.insert(names->items[i].text()).second) names->fail("a subframe twice");
    object.subframes.emplace_back(names->items[i].text(), pose_at(poses->items[i]));
  }
  return object;
}

// How far a shape reaches beyond itself when it is scaled by s about its origin (a mesh about the
// mean of its vertices) and padded by p: points move by (s - 1) times their distance from there,
// then by p, on cylinders and boxes along two or three axes at once.
double growth(const Shape& shape, double s, double p) {
  if (const auto* x = std::get_if<Sphere>(&shape)) return (s - 1) * x->radius + p;
  if (const auto* x = std::get_if<Box>(&shape))
    return (s - 1) * norm(x->half_extents) + std::sqrt(3.0) * p;
  if (const auto* x = std::get_if<Cylinder>(&shape))
    return (s - 1) * hypotenuse(x->radius, x->half_length) + std::sqrt(2.0) * p;
  if (const auto* x = std::get_if<Capsule>(&shape))
    return (s - 1) * (x->radius + x->half_length) + p;
  if (is_sensed(shape)) return 0;  // links have none
  const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&shape);
  const std::vector<Vec3>& points =
      hull ? (*hull)->points : std::get<std::shared_ptr<const TriangleMesh>>(shape)->vertices;
  Vec3 low = points[0], high = points[0];
  for (const Vec3& v : points)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], v[i]);
      high[i] = std::max(high[i], v[i]);
    }
  return (s - 1) * norm(high - low) + p;
}

// --- The scene ---

class PlanningScene {
 public:
  PlanningScene(const fs::path& file, const SceneReading& options, Meshes& meshes)
      : tree_(read_tree(file)) {
    const fs::path urdf =
        options.robot.empty() ? find_robot(tree_.root.at("robot_model_name"), file) : options.robot;
    if (const Value* name = tree_.root.find("robot_model_name")) name->text();
    robot_.robot =
        read_urdf(urdf, options.packages,
                  {options.ignore_elements.begin(), options.ignore_elements.end()}, meshes);
    robot_.name = robot_.robot.name;
    fs::path srdf = urdf;
    if (is_file(srdf.replace_extension(".srdf"))) read_srdf(srdf, false, robot_.robot);
  }

  SceneSource read() {
    const Value& root = tree_.root;
    root.only({"name", "robot_model_name", "robot_state", "fixed_frame_transforms",
               "allowed_collision_matrix", "link_padding", "link_scale", "object_colors", "world",
               "is_diff"});
    whole(root);
    const Value* state = filled(root, "robot_state");
    if (state) read_state(*state);
    frames_ = link_poses(robot_.robot, robot_.name, robot_.X_WR, scene_.home);
    if (robot_.robot.virtual_joint) frames_[robot_.robot.virtual_joint->parent_link] = Pose{};
    if (const Value* frames = filled(root, "fixed_frame_transforms"))
      for (const Value& frame : frames->list()) read_fixed_frame(frame);
    if (const Value* held = state ? filled(*state, "attached_collision_objects") : nullptr)
      for (const Value& object : held->list()) read_attached(object);
    if (const Value* world = filled(root, "world")) read_world(*world);
    read_growth(root);
    if (const Value* matrix = filled(root, "allowed_collision_matrix")) read_matrix(*matrix);
    scene_.robots.push_back(std::move(robot_));
    return std::move(scene_);
  }

 private:
  static void whole(const Value& value) {
    if (const Value* diff = value.find("is_diff"); diff && diff->boolean())
      diff->fail("a difference of scenes is not read");
  }
  std::string planning_frame() const {
    if (robot_.robot.virtual_joint) return robot_.robot.virtual_joint->parent_link;
    for (const RobotLink& link : robot_.robot.links)
      if (std::none_of(robot_.robot.joints.begin(), robot_.robot.joints.end(),
                       [&](const RobotJoint& joint) { return joint.child_link == link.name; }))
        return link.name;
    return "";
  }
  void stands_in_planning_frame(const Value& value) const {
    const std::string frame = frame_of(value);
    if (!frame.empty() && frame != "world" && frame != planning_frame())
      value.at("header").fail("only the planning frame is possible here");
  }

  // --- The robot's state ---

  const RobotJoint* find_joint(const std::string& name) const {
    for (const RobotJoint& joint : robot_.robot.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  void read_state(const Value& state) {
    state.only({"joint_state", "multi_dof_joint_state", "attached_collision_objects", "is_diff"});
    whole(state);
    if (const Value* base = filled(state, "multi_dof_joint_state")) read_base(*base);
    const Value* joints = filled(state, "joint_state");
    if (!joints) return;
    joints->only({"header", "name", "position", "velocity", "effort"});
    const Value* names = filled(*joints, "name");
    const Value* values = filled(*joints, "position");
    if (!names && !values) return;
    if (!names || !values) joints->fail("as many positions as names are needed");
    const std::vector<std::string> named = names->texts();
    const std::vector<double>& given = values->numbers(named.size());
    std::map<std::string, double> state_values;
    for (std::size_t i = 0; i < named.size(); ++i) {
      const RobotJoint* joint = find_joint(named[i]);
      if (!joint || !state_values.emplace(named[i], given[i]).second)
        names->fail(fmt::format("joint '{}' is unknown, or named twice", named[i]));
      if (joint->type == JointType::planar || joint->type == JointType::floating ||
          (joint->type == JointType::fixed && given[i] != 0))
        names->fail(fmt::format("joint '{}' does not have one value", named[i]));
      if (joint->type != JointType::fixed && !joint->mimic)
        scene_.home[robot_.name + "/" + named[i]] = given[i];
    }
    for (const auto& [name, value] : state_values) {
      const RobotJoint* joint = find_joint(name);
      if (!joint->mimic) continue;
      const auto leader = state_values.find(joint->mimic->joint);
      const double at = leader == state_values.end() ? 0 : leader->second;
      if (std::fabs(value - (joint->mimic->multiplier * at + joint->mimic->offset)) > 1e-6)
        joints->fail(fmt::format("joint '{}' does not follow as it must", name));
    }
  }

  void read_base(const Value& base) {
    base.only({"header", "joint_names", "transforms", "twist", "wrench"});
    const Value* names = filled(base, "joint_names");
    const Value* transforms = filled(base, "transforms");
    if (!names && !transforms) return;
    if (!names || !transforms || names->list().size() != transforms->list().size())
      base.fail("as many transforms as joint_names are needed");
    stands_in_planning_frame(base);
    std::set<std::string> moved;
    bool placed = false;
    for (std::size_t i = 0; i < names->items.size(); ++i) {
      const std::string& name = names->items[i].text();
      const Value& transform = transforms->items[i];
      const Pose X = transform_at(transform);
      if (!moved.insert(name).second) names->fail("a joint is named twice");
      if (const RobotJoint* joint = find_joint(name)) {
        set_joint(*joint, transform);
        continue;
      }
      // Without an SRDF the one joint that the URDF does not have is the virtual one.
      if (placed || (robot_.robot.virtual_joint && robot_.robot.virtual_joint->name != name))
        names->fail(fmt::format("there is no joint '{}'", name));
      placed = true;
      if (robot_.robot.virtual_joint && robot_.robot.virtual_joint->type == JointType::fixed &&
          !(X == Pose{}))
        transform.fail("the virtual joint is fixed");
      if (robot_.robot.virtual_joint && robot_.robot.virtual_joint->type == JointType::planar)
        planar_values(transform);
      robot_.X_WR = X;
    }
  }
  void set_joint(const RobotJoint& joint, const Value& transform) {
    const bool planar = joint.type == JointType::planar && joint.axis == Vec3{0, 0, 1};
    if (!planar && joint.type != JointType::floating)
      transform.fail(fmt::format("joint '{}' has no transform", joint.name));
    const std::vector<double> values =
        planar ? planar_values(transform) : floating_values(transform);
    const std::vector<std::string> names = suffixes(joint.type);
    for (std::size_t i = 0; i < names.size(); ++i)
      scene_.home[robot_.name + "/" + joint.name + names[i]] = values[i];
  }

  // --- Frames and objects ---

  Pose frame_at(const Value& value) const {
    const std::string name = frame_of(value);
    if (name.empty()) return {};
    const auto found = frames_.find(name);
    if (found == frames_.end() && name == "world") return {};
    if (found == frames_.end())
      value.at("header").fail(fmt::format("there is no frame '{}'", name));
    return found->second;
  }
  void add_frame(const Value& at, const std::string& name, const Pose& X) {
    const auto [found, is_new] = frames_.emplace(name, X);
    if (!is_new && !(found->second == X)) at.fail(fmt::format("frame '{}' at two poses", name));
  }
  void add_frames(const Value& at, const Object& object, const Pose& X_WO) {
    add_frame(at, object.name, X_WO);
    for (const auto& [name, X_OS] : object.subframes)
      add_frame(at, object.name + "/" + name, X_WO * X_OS);
  }
  void read_fixed_frame(const Value& value) {
    value.only({"header", "child_frame_id", "transform"});
    stands_in_planning_frame(value);
    const std::string& name = value.at("child_frame_id").text();
    add_frame(value, name.substr(name[0] == '/' ? 1 : 0),
              frame_at(value) * transform_at(value.at("transform")));
  }

  void claim(const Value& value, const std::string& name) {
    if (!objects_.insert(name).second) value.fail(fmt::format("two objects '{}'", name));
  }
  std::string link_at(const Value& value) const {
    for (const RobotLink& link : robot_.robot.links)
      if (link.name == value.text()) return robot_.name + "/" + link.name;
    value.fail("there is no such link");
  }

  void read_attached(const Value& value) {
    value.only({"link_name", "object", "touch_links", "detach_posture", "weight"});
    AttachedSource held;
    held.link = link_at(value.at("link_name"));
    const Value& given = value.at("object");
    Object object = object_at(given);
    claim(given, object.name);
    const std::string frame = frame_of(given), link = value.at("link_name").text();
    if (frame.empty()) given.fail("a held object needs a frame");
    const Pose X_WO = frame_at(given) * object.X_FO;
    held.name = object.name;
    held.X_LB = frame == link ? object.X_FO : inverse(frames_.find(link)->second) * X_WO;
    add_frames(given, object, X_WO);
    held.elements = std::move(object.elements);
    if (const Value* touch = filled(value, "touch_links"))
      for (const Value& name : touch->list()) held.touch.push_back(link_at(name));
    scene_.attached.push_back(std::move(held));
  }

  void read_world(const Value& world) {
    world.only({"collision_objects", "octomap"});
    if (const Value* octomap = filled(world, "octomap")) refuse_octomap(*octomap);
    const Value* objects = filled(world, "collision_objects");
    if (!objects) return;
    for (const Value& value : objects->list()) {
      Object object = object_at(value);
      claim(value, object.name);
      ObstacleSource obstacle;
      obstacle.name = object.name;
      obstacle.X_WB = frame_at(value) * object.X_FO;
      add_frames(value, object, obstacle.X_WB);
      obstacle.elements = std::move(object.elements);
      if (obstacle.elements.size() == 1) {  // the frame of a single shape is that of its body
        obstacle.X_WB = obstacle.X_WB * obstacle.elements[0].X_BS;
        obstacle.elements[0].X_BS = Pose{};
      }
      scene_.obstacles.push_back(std::move(obstacle));
    }
  }
  static void refuse_octomap(const Value& octomap) {
    octomap.only({"header", "origin", "octomap", "binary", "id", "resolution", "data"});
    const Value* inner = octomap.find("octomap");
    if (inner && !inner->empty()) inner->only({"header", "binary", "id", "resolution", "data"});
    const Value& holder = inner ? *inner : octomap;
    if (holder.kind == Value::Kind::object && filled(holder, "data"))
      octomap.fail("octomaps are not read");
  }

  // --- Pairs ---

  // Padding and scale hold against the world: they become clearances.
  void read_growth(const Value& root) {
    struct Growth {
      double scale = 1, padding = 0;
    };
    std::map<std::string, Growth> growths;
    const auto read = [&](const char* list, const char* key, double Growth::*field, double least) {
      std::set<std::string> named;
      const Value* entries = filled(root, list);
      for (std::size_t i = 0; entries && i < entries->list().size(); ++i) {
        const Value& entry = entries->items[i];
        entry.only({"link_name", key});
        const std::string link = link_at(entry.at("link_name"));
        const double value = entry.at(key).number();
        if (!named.insert(link).second || value < least)
          entry.fail("a link twice, or a robot that shrinks");
        growths[link].*field = value;
      }
    };
    read("link_padding", "padding", &Growth::padding, 0);
    read("link_scale", "scale", &Growth::scale, 1);
    for (const RobotLink& link : robot_.robot.links) {
      const auto found = growths.find(robot_.name + "/" + link.name);
      if (found == growths.end()) continue;
      double reach = 0;
      for (const CollisionElement& element : link.collision)
        reach = std::max(reach, growth(element.shape, found->second.scale, found->second.padding));
      if (reach == 0) continue;
      for (const ObstacleSource& obstacle : scene_.obstacles)
        scene_.clearances.push_back({found->first, obstacle.name, reach * (1 + 0x1p-40)});
    }
  }

  // The body that the matrix means; empty if there is none.
  std::string body_of(const std::string& name) const {
    for (const RobotLink& link : robot_.robot.links)
      if (link.name == name) return robot_.name + "/" + name;
    return objects_.contains(name) ? name : "";
  }
  // A pair of links that the SRDF disables keeps the reason that stands there.
  void allow(const std::string& a, const std::string& b) {
    const std::string body_a = body_of(a), body_b = body_of(b);
    if (body_a.empty() || body_b.empty() || body_a == body_b) return;
    for (const DisabledPair& pair : robot_.robot.disabled_pairs)
      if (sorted(pair.link_a, pair.link_b) == sorted(a, b)) return;
    scene_.exclusions.push_back({body_a, body_b, "allowed collision matrix"});
  }

  void read_matrix(const Value& matrix) {
    matrix.only({"entry_names", "entry_values", "default_entry_names", "default_entry_values"});
    std::set<NamePair> listed;
    const Value* entries = filled(matrix, "entry_names");
    const Value* rows = filled(matrix, "entry_values");
    if ((entries != nullptr) != (rows != nullptr)) matrix.fail("entry_names without entry_values");
    const std::vector<std::string> names = entries ? entries->texts() : std::vector<std::string>{};
    std::vector<std::vector<bool>> allowed;
    for (std::size_t i = 0; rows && i < rows->list().size(); ++i)
      allowed.push_back(row_at(rows->items[i], names.size()));
    if (allowed.size() != names.size()) matrix.fail("as many rows as names are needed");
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = i + 1; j < names.size(); ++j) {
        if (allowed[i][j] != allowed[j][i]) matrix.fail("the matrix is not symmetric");
        if (!listed.insert(sorted(names[i], names[j])).second)
          matrix.fail("a pair is listed twice");
        if (allowed[i][j]) allow(names[i], names[j]);
      }
    read_defaults(matrix, listed);
  }
  static std::vector<bool> row_at(const Value& value, std::size_t count) {
    const bool object = value.kind == Value::Kind::object;
    if (object) value.only({"enabled"});
    const Value& row = object ? value.at("enabled") : value;
    std::vector<bool> result;
    for (const Value& entry : row.list()) result.push_back(entry.boolean());
    if (result.size() != count) row.fail("as many values as names are needed");
    return result;
  }

  // For pairs without an entry of their own; of two defaults, the one that says no wins.
  void read_defaults(const Value& matrix, std::set<NamePair>& listed) {
    const Value* names = filled(matrix, "default_entry_names");
    const Value* values = filled(matrix, "default_entry_values");
    if (!names && !values) return;
    if (!names || !values || names->list().size() != values->list().size())
      matrix.fail("as many default_entry_values as default_entry_names are needed");
    std::map<std::string, bool> defaults;
    for (std::size_t i = 0; i < names->items.size(); ++i)
      if (!defaults.emplace(names->items[i].text(), values->items[i].boolean()).second)
        names->fail("a name is listed twice");
    std::set<std::string> all = objects_;
    for (const RobotLink& link : robot_.robot.links) all.insert(link.name);
    for (const auto& [name, allowed] : defaults)
      for (const std::string& other : all) {
        const auto its = defaults.find(other);
        if (!allowed || (its != defaults.end() && !its->second)) continue;
        if (other == name || body_of(name).empty()) continue;
        if (listed.insert(sorted(name, other)).second) allow(name, other);
      }
  }

  Tree tree_;
  RobotSource robot_;
  SceneSource scene_;
  LinkPoses frames_;  // X_WF at the robot's state
  std::set<std::string> objects_;
};

}  // namespace

SceneSource read_planning_scene(const fs::path& file, const SceneReading& options, Meshes& meshes) {
  return PlanningScene(file, options, meshes).read();
}

}  // namespace proven::verifier
