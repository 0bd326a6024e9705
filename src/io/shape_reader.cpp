#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/failure.h"
#include "io/model_readers.h"
#include "io/scene_readers.h"
#include "io/sizes.h"
#include "io/text.h"
#include "proven/base/elementary.h"

namespace proven::io {

Vec3 read_position(const Node& node) {
  const Vec3 p = node.vec3();
  if (const std::string refusal = refuse_position(p); !refusal.empty()) node.fail(refusal);
  return p;
}

namespace {

Mat3 rotation_of(const Node& node, const std::array<const Node*, 4>& parts) {
  const Quaternion q{parts[0]->number(), parts[1]->number(), parts[2]->number(),
                     parts[3]->number()};
  const double length = hypotenuse(hypotenuse(q.x, q.y), hypotenuse(q.z, q.w));
  if (!(std::fabs(length - 1) <= 1e-3))
    node.fail(fmt::format("expected a unit quaternion x, y, z, w; its length is {}", length));
  return rotation_from_quaternion(q);
}

}  // namespace

Mat3 read_quaternion(const Node& node) {
  const std::vector<Node>& v = node.array_of(4);
  return rotation_of(node, {&v[0], &v[1], &v[2], &v[3]});
}

Mat3 read_ros_quaternion(const Node& node) {
  if (!node.is(Node::Kind::object)) return read_quaternion(node);
  node.allow_keys({"x", "y", "z", "w"});
  return rotation_of(node, {&node.at("x"), &node.at("y"), &node.at("z"), &node.at("w")});
}

namespace {

Mat3 read_rotation(const Node& node) {
  Mat3 R;
  for (std::size_t i = 0; i < 3; ++i) R.row[i] = node.array_of(3)[i].vec3();
  if (const std::string refusal = refuse_rotation(R); !refusal.empty()) node.fail(refusal);
  return R;
}

}  // namespace

Pose read_pose(const Node& node) {
  node.allow_keys({"xyz", "rpy", "quaternion", "rotation"});
  return read_pose_fields(node);
}

Pose read_pose_fields(const Node& node) {
  const Node* rpy = node.find("rpy");
  const Node* quaternion = node.find("quaternion");
  const Node* rotation = node.find("rotation");
  if ((rpy != nullptr) + (quaternion != nullptr) + (rotation != nullptr) > 1)
    node.fail("give only one of 'rpy', 'quaternion' and 'rotation'");
  Pose X;
  if (const Node* xyz = node.find("xyz")) X.p = read_position(*xyz);
  if (rpy) X.R = rotation_from_rpy(rpy->vec3());
  if (quaternion) X.R = read_quaternion(*quaternion);
  if (rotation) X.R = read_rotation(*rotation);
  return X;
}

double read_size(const Node& node) {
  const double size = node.positive_number();
  if (const std::string refusal = refuse_size(size); !refusal.empty()) node.fail(refusal);
  return size;
}

namespace {

constexpr std::array<std::string_view, 12> kShapes = {"box",     "cylinder", "sphere",  "capsule",
                                                      "mesh",    "hull",     "cloud",   "voxels",
                                                      "octomap", "depth",    "heights", "parts"};

// The one member that says what the shape is.
const Node& shape_member(const Node& node) {
  const Node* found = nullptr;
  for (const Node& member : node.members()) {
    if (std::find(kShapes.begin(), kShapes.end(), member.key()) == kShapes.end()) continue;
    if (found) member.fail(fmt::format("there is a '{}' already", found->key()));
    found = &member;
  }
  if (!found) node.fail(fmt::format("has no shape: give one of {}", fmt::join(kShapes, ", ")));
  return *found;
}

}  // namespace

void allow_shape_keys(const Node& node, std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> keys(kShapes.begin(), kShapes.end());
  keys.push_back("scale");
  keys.insert(keys.end(), others.begin(), others.end());
  node.allow_keys(keys);
}

Vec3 read_scale(const Node& node) {
  Vec3 scale = {1, 1, 1};
  if (const Node* given = node.find("scale")) {
    if (!given->is(Node::Kind::array))
      scale = given->number() * scale;
    else
      scale = given->vec3();
    if (const std::string refusal = refuse_scale(scale); !refusal.empty()) given->fail(refusal);
  }
  return scale;
}

namespace {

// {"radius": r, "length": l}
template <class Round>
Round read_round(const Node& node) {
  node.allow_keys({"radius", "length"});
  return Round{read_size(node.at("radius")), 0.5 * read_size(node.at("length"))};
}

Sphere read_sphere(const Node& node) {
  if (!node.is(Node::Kind::object)) return Sphere{read_size(node)};
  node.allow_keys({"radius"});
  return Sphere{read_size(node.at("radius"))};
}

Box read_box(const Node& node) {
  const std::vector<Node>& size = node.array_of(3);
  return Box{0.5 * Vec3{read_size(size[0]), read_size(size[1]), read_size(size[2])}};
}

Shape read_hull(const Node& node, const std::filesystem::path& file, const Vec3& scale,
                MeshCache& meshes) {
  if (node.is(Node::Kind::string)) return meshes.hull(file, scale);
  if (node.array().empty()) node.fail("is empty");
  auto hull = std::make_shared<ConvexHull>();
  for (const Node& point : node.array()) {
    Vec3 p = read_position(point);
    for (int i = 0; i < 3; ++i) p[i] *= scale[i];
    hull->points.push_back(p);
  }
  return Shape(std::shared_ptr<const ConvexHull>(std::move(hull)));
}

bool is_sensed_shape(std::string_view kind) {
  return kind == "cloud" || kind == "voxels" || kind == "octomap" || kind == "depth" ||
         kind == "heights";
}

CollisionElement read_element(const Node& node, const Node& shape,
                              const std::filesystem::path& folder, MeshCache& meshes) {
  CollisionElement element;
  element.source = shape.place();
  const std::string& kind = shape.key();
  const bool scalable = kind == "mesh" || kind == "hull";
  if (const Node* scale = node.find("scale"); scale && !scalable)
    scale->fail(fmt::format("a {} has no scale; change its size", kind));
  std::filesystem::path file;
  if (scalable && shape.is(Node::Kind::string)) file = folder / shape.string();
  if (!file.empty()) element.source = file.string();
  if (kind == "box") element.shape = read_box(shape);
  if (kind == "sphere") element.shape = read_sphere(shape);
  if (kind == "cylinder") element.shape = read_round<Cylinder>(shape);
  if (kind == "capsule") element.shape = read_round<Capsule>(shape);
  if (is_sensed_shape(kind)) return read_sensed(shape, folder);
  if (!scalable) return element;
  if (kind == "mesh") shape.string();
  try {
    if (kind == "hull")
      element.shape = read_hull(shape, file, read_scale(node), meshes);
    else
      element.shape = meshes.mesh(file, read_scale(node));
  } catch (const Failure& failure) {
    if (failure.error().context.starts_with(file.string()) && !file.empty())
      fail(shape.place(), failure.error().text(), failure.error().code);
    throw;
  }
  return element;
}

}  // namespace

std::vector<CollisionElement> read_shapes(const Node& node, const std::filesystem::path& folder,
                                          MeshCache& meshes) {
  const Node& shape = shape_member(node);
  std::vector<CollisionElement> elements;
  if (shape.key() != "parts") {
    elements.push_back(read_element(node, shape, folder, meshes));
    return elements;
  }
  if (shape.array().empty()) shape.fail("is empty");
  for (const Node& part : shape.array()) {
    allow_shape_keys(part, {"pose"});
    const Node& of_part = shape_member(part);
    if (of_part.key() == "parts") of_part.fail("parts have no parts of their own");
    elements.push_back(read_element(part, of_part, folder, meshes));
    if (is_sensed(elements.back().shape) && shape.array().size() > 1)
      of_part.fail("is the only shape of its body: make it an obstacle of its own");
    if (const Node* pose = part.find("pose")) elements.back().X_BS = read_pose(*pose);
  }
  return elements;
}

}  // namespace proven::io
