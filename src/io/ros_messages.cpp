#include "io/ros_messages.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "proven/base/elementary.h"

namespace proven::io {
namespace {

// Vectors come as lists or as {x: .., y: .., z: ..}, quaternions with w.
Vec3 read_vector(const Node& node) {
  if (node.is(Node::Kind::array)) return read_position(node);
  node.allow_keys({"x", "y", "z"});
  const Vec3 p = {node.at("x").number(), node.at("y").number(), node.at("z").number()};
  if (const std::string refusal = refuse_position(p); !refusal.empty()) node.fail(refusal);
  return p;
}

Pose read_placed(const Node& node, const char* position, const char* orientation) {
  node.allow_keys({position, orientation});
  return {read_ros_quaternion(node.at(orientation)), read_vector(node.at(position))};
}

Pose read_ros_pose(const Node& node) {
  return read_placed(node, "position", "orientation");
}

}  // namespace

Pose read_transform(const Node& node) {
  return read_placed(node, "translation", "rotation");
}

std::string read_frame_id(const Node& node) {
  const Node* header = node.find("header");
  if (!header || header->is_empty()) return "";
  header->allow_keys({"frame_id", "stamp", "seq"});
  const Node* frame = header->find("frame_id");
  if (!frame || frame->is_empty()) return "";
  const std::string& name = frame->string();
  return name[0] == '/' ? name.substr(1) : name;
}

namespace {

Shape read_primitive(const Node& node) {
  static constexpr std::string_view kTypes[] = {"box", "sphere", "cylinder"};
  node.allow_keys({"type", "dimensions", "polygon"});
  if (const Node* polygon = node.find("polygon"); polygon && !polygon->is_empty())
    if (polygon->allow_keys({"points"}); !polygon->at("points").is_empty())
      polygon->fail("prisms are not supported; use box, sphere, cylinder or a mesh");
  const Node& type = node.at("type");
  std::size_t kind = 0;
  if (type.is(Node::Kind::number))
    kind = static_cast<std::size_t>(type.integer(1, 5)) - 1;  // as shape_msgs/SolidPrimitive counts
  else if (type.string() == "cone" || type.string() == "prism")
    kind = 3;
  else
    kind = type.index_in(kTypes);
  if (kind > 2)
    type.fail("cones and prisms are not supported; use box, sphere, cylinder or a mesh");
  const Node& dimensions = node.at("dimensions");
  const auto size = [&](std::size_t count, std::size_t i) {
    return read_size(dimensions.array_of(count)[i]);
  };
  if (kind == 0) return Box{0.5 * Vec3{size(3, 0), size(3, 1), size(3, 2)}};
  if (kind == 1) return Sphere{size(1, 0)};
  return Cylinder{size(2, 1), 0.5 * size(2, 0)};
}

Shape read_ros_mesh(const Node& node) {
  node.allow_keys({"triangles", "vertices"});
  auto mesh = std::make_shared<TriangleMesh>();
  for (const Node& vertex : node.at("vertices").array())
    mesh->vertices.push_back(read_vector(vertex));
  const long last = static_cast<long>(mesh->vertices.size()) - 1;
  for (const Node& triangle : node.at("triangles").array()) {
    if (!triangle.is(Node::Kind::array)) triangle.allow_keys({"vertex_indices"});
    const Node& list = triangle.is(Node::Kind::array) ? triangle : triangle.at("vertex_indices");
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t i = 0; i < 3; ++i)
      corners[i] = static_cast<std::uint32_t>(list.array_of(3)[i].integer(0, last));
    mesh->triangles.push_back(corners);
  }
  if (mesh->triangles.empty()) node.fail("a mesh needs triangles");
  return Shape(std::shared_ptr<const TriangleMesh>(std::move(mesh)));
}

template <class Read>
void read_elements(const Node& object, const char* shapes, const char* poses, Read&& read,
                   std::vector<CollisionElement>& elements) {
  const Node* list = object.find(shapes);
  const std::size_t count = list && !list->is_empty() ? list->array().size() : 0;
  if (const Node* given = object.find(poses); given && count == 0 && !given->is_empty())
    given->fail(fmt::format("there are no '{}' for these poses", shapes));
  for (std::size_t i = 0; i < count; ++i) {
    const Node& shape = list->array()[i];
    elements.push_back(
        {read(shape), read_ros_pose(object.at(poses).array_of(count)[i]), shape.place()});
  }
}

}  // namespace

CollisionObject read_collision_object(const Node& object) {
  object.allow_keys({"id", "header", "pose", "type", "operation", "primitives", "primitive_poses",
                     "meshes", "mesh_poses", "planes", "plane_poses", "subframe_names",
                     "subframe_poses"});
  if (const Node* operation = object.find("operation"))
    if (!(operation->is(Node::Kind::number) && operation->number() == 0))
      operation->fail("a scene holds objects that are there; only operation 0 (add) is read");
  for (const char* planes : {"planes", "plane_poses"})
    if (const Node* list = object.find(planes); list && !list->is_empty())
      list->fail("planes are not supported; use a large box");
  CollisionObject result;
  if (const Node* pose = object.find("pose")) result.X_FO = read_ros_pose(*pose);
  read_elements(object, "primitives", "primitive_poses", read_primitive, result.elements);
  read_elements(object, "meshes", "mesh_poses", read_ros_mesh, result.elements);
  if (result.elements.empty()) object.fail("has no shapes: give 'primitives' or 'meshes'");
  const Node* names = object.find("subframe_names");
  const Node* poses = object.find("subframe_poses");
  const bool has_poses = poses && !poses->is_empty();
  if (has_poses && !names) poses->fail("there are no 'subframe_names' for these poses");
  for (std::size_t i = 0; names && !names->is_empty() && i < names->array().size(); ++i) {
    const Node& name = names->array()[i];
    const Pose X_OS = read_ros_pose(object.at("subframe_poses").array_of(names->array().size())[i]);
    if (!result.subframes.emplace(name.string(), X_OS).second)
      name.fail(fmt::format("two subframes are named {}", quote(name.string())));
  }
  return result;
}

std::vector<std::pair<const char*, double>> read_planar(const Node& transform) {
  const Pose X = read_transform(transform);
  // Rows of a rotation about z: files round their numbers.
  const bool flat =
      std::fabs(X.p.z) <= 1e-6 && std::fabs(X.R(2, 0)) <= 1e-6 && std::fabs(X.R(2, 1)) <= 1e-6;
  if (!flat) transform.fail("a planar joint moves along x and y and turns about z alone");
  return {{".x", X.p.x}, {".y", X.p.y}, {".angle", arc_tangent(X.R(1, 0), X.R(0, 0))}};
}

std::vector<std::pair<const char*, double>> read_floating(const Node& transform) {
  read_transform(transform);
  const Vec3 p = read_vector(transform.at("translation"));
  const Node& q = transform.at("rotation");
  const auto part = [&](std::size_t i, const char* key) {
    return q.is(Node::Kind::array) ? q.array()[i].number() : q.at(key).number();
  };
  const double x = part(0, "x"), y = part(1, "y"), z = part(2, "z"), w = part(3, "w");
  const double length = hypotenuse(hypotenuse(x, y), hypotenuse(z, w));
  return {{".x", p.x},         {".y", p.y},         {".z", p.z},        {".qx", x / length},
          {".qy", y / length}, {".qz", z / length}, {".qw", w / length}};
}

}  // namespace proven::io
