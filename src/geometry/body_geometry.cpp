#include "proven/geometry/body_geometry.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>

#include "bv_tree_builder.h"
#include "element_check.h"
#include "enclosing_sphere.h"
#include "grain_search.h"
#include "mesh_topology.h"
#include "point_in_mesh.h"
#include "proven/base/elementary.h"

namespace proven {
namespace {

// Bounds of primitives pass a pose and a norm: fewer than 16 roundings of values below the sum of
// the largest coordinates of centre and extents.
constexpr double kBoundRounding = 0x1p-49;

void extend(std::array<Vec3, 2>& bounds, const Vec3& low, const Vec3& high) {
  for (int i = 0; i < 3; ++i) {
    bounds[0][i] = std::min(bounds[0][i], low[i]);
    bounds[1][i] = std::max(bounds[1][i], high[i]);
  }
}

double bound_slack(const Convex& c) {
  return kBoundRounding * (max_abs(c.X_BS.p) + 2 * max_abs(c.half_extents) + c.radius);
}

// Box around a primitive, rounded outwards.
void extend(std::array<Vec3, 2>& bounds, const Convex& c) {
  if (c.kind == ConvexKind::hull) {
    for (const Vec3& p : c.points) extend(bounds, p, p);
    return;
  }
  Vec3 low, high;
  const double slack = bound_slack(c);
  for (int i = 0; i < 3; ++i) {
    Vec3 axis;
    axis[i] = 1;
    high[i] = c.support(axis) + slack;
    low[i] = -c.support(-axis) - slack;
  }
  extend(bounds, low, high);
}

double distance_to_line(const Vec3& x, const Vec3& point, const Vec3& unit_direction) {
  return norm(cross(x - point, unit_direction));
}

// A cylinder's rims lie in polygons around them, and no farther than the centre plus the radius.
double cylinder_distance_to_line(const Convex& c, const Vec3& point, const Vec3& unit_direction) {
  constexpr int kSides = 48;
  const double corner_radius = c.half_extents.x / cosine(std::numbers::pi / kSides);
  double largest = 0;
  for (const double z : {-c.half_extents.z, c.half_extents.z}) {
    double corners = 0;
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2 * std::numbers::pi * i / kSides;
      const Vec3 corner{corner_radius * cosine(angle), corner_radius * sine(angle), z};
      corners = std::max(corners, distance_to_line(c.X_BS * corner, point, unit_direction));
    }
    const double round =
        distance_to_line(c.X_BS * Vec3{0, 0, z}, point, unit_direction) + c.half_extents.x;
    largest = std::max(largest, std::min(corners, round));
  }
  return largest;
}

double convex_distance_to_line(const Convex& c, const Vec3& point, const Vec3& unit_direction) {
  if (c.kind == ConvexKind::cylinder) return cylinder_distance_to_line(c, point, unit_direction);
  double largest = 0;
  if (c.kind == ConvexKind::hull) {
    for (const Vec3& p : c.points)
      largest = std::max(largest, distance_to_line(p, point, unit_direction));
    return largest;
  }
  // The corners of the core: eight for a box, two for a capsule, one for a sphere.
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 local{corner & 1 ? c.half_extents.x : -c.half_extents.x,
                     corner & 2 ? c.half_extents.y : -c.half_extents.y,
                     corner & 4 ? c.half_extents.z : -c.half_extents.z};
    largest = std::max(largest, distance_to_line(c.X_BS * local, point, unit_direction));
  }
  return largest + c.radius;
}

// As Hasher::add of its nine numbers, in one step.
void add_triangle(Hasher& hasher, const Triangle& t) {
  std::array<std::uint8_t, 72> bytes;
  std::size_t at = 0;
  for (const Vec3& p : {t.a, t.b, t.c})
    for (const double x : {p.x, p.y, p.z}) {
      const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
      for (int i = 0; i < 8; ++i) bytes[at++] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
  hasher.add_bytes(bytes);
}

Hash128 hash_pieces(std::span<const Triangle> triangles, std::span<const Convex> convexes) {
  Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(triangles.size()));
  for (const Triangle& t : triangles) add_triangle(hasher, t);
  hasher.add(static_cast<std::uint64_t>(convexes.size()));
  for (const Convex& convex : convexes) {
    hasher.add(static_cast<std::uint64_t>(convex.kind));
    hasher.add(convex.X_BS);
    hasher.add(convex.half_extents);
    hasher.add(convex.radius);
    hasher.add(static_cast<std::uint64_t>(convex.points.size()));
    for (const Vec3& p : convex.points) hasher.add(p);
  }
  return hasher.finish();
}

// On this machine's byte order, the bytes of all numbers in one step. -0.0 is not 0.0 here.
template <class T>
void add_array(Hasher& hasher, std::span<const T> values) {
  static_assert(std::endian::native == std::endian::little);
  hasher.add(static_cast<std::uint64_t>(values.size()));
  hasher.add_bytes({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
}

Hash128 hash_grains(const Grains& grains) {
  Hasher hasher;
  hasher.add(std::string_view(grains.are_balls() ? "balls" : "boxes"));
  hasher.add(grains.radius());
  hasher.add(Pose{grains.R(), {}});
  add_array(hasher, grains.centres());
  add_array(hasher, grains.halves());
  return hasher.finish();
}

}  // namespace

Result<std::shared_ptr<const BodyGeometry>> BodyGeometry::build(
    std::vector<CollisionElement> elements, BoxTreeShapes* shapes) {
  if (elements.empty())
    return bad_input("the body has no collision elements; leave the body out instead");
  for (const CollisionElement& element : elements) {
    if (const Result<void> checked = check_element(element); !checked.ok()) return checked.error();
    if (is_sensed(element.shape) && elements.size() > 1)
      return bad_input("a cloud or a voxel set is the only shape of its body; make it a body",
                       element.source);
  }
  auto body = std::make_shared<BodyGeometry>();
  body->elements_ = std::move(elements);
  if (is_sensed(body->elements_[0].shape)) {
    body->add_grains();
    return std::shared_ptr<const BodyGeometry>(std::move(body));
  }
  for (const CollisionElement& element : body->elements_) body->add_element(element);
  body->find_components();
  body->measure();
  body->hash_ = hash_pieces(body->triangles_, body->convexes_);
  body->build_boxes(shapes);
  body->build_shells();
  return std::shared_ptr<const BodyGeometry>(std::move(body));
}

namespace {

// The largest value met when the shape's points are brought to the body's frame: it may exceed the
// result where a large offset cancels. Every coordinate of R v is at most sqrt(3) max|v|.
double intermediate_magnitude(const CollisionElement& element) {
  if (element.X_BS == Pose{}) return 0;
  double largest = 0;
  const auto include = [&](const std::vector<Vec3>& points) {
    for (const Vec3& p : points) largest = std::max(largest, max_abs(p));
  };
  if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape))
    include((*mesh)->vertices);
  if (const auto* hull = std::get_if<std::shared_ptr<const ConvexHull>>(&element.shape))
    include((*hull)->points);
  return largest > 0 ? std::numbers::sqrt3 * largest + max_abs(element.X_BS.p) : 0;
}

}  // namespace

void BodyGeometry::add_element(const CollisionElement& element) {
  max_coordinate_ = std::max(max_coordinate_, intermediate_magnitude(element));
  const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&element.shape);
  if (!mesh) {
    convexes_.push_back(make_convex(element.shape, element.X_BS));
    return;
  }
  triangles_.reserve(triangles_.size() + (*mesh)->triangles.size());
  const auto vertex = [&](std::uint32_t i) { return element.X_BS * (*mesh)->vertices[i]; };
  for (const auto& [i, j, k] : (*mesh)->triangles)
    triangles_.push_back({vertex(i), vertex(j), vertex(k)});
}

void BodyGeometry::add_grains() {
  grains_ = Grains(elements_[0], box_tree_);
  has_inside_ = true;
  max_coordinate_ = grains_.max_coordinate();
  const BoxNode& root = box_tree_.nodes[0];
  const Aabb around =
      widened({root.centre - root.half, root.centre + root.half}, kBoundRounding * max_coordinate_);
  bounds_ = {around.lo, around.hi};
  max_coordinate_ = std::max({max_coordinate_, max_abs(bounds_[0]), max_abs(bounds_[1])});
  bounding_sphere_ = {root.centre, norm(root.half) * (1 + 0x1p-50)};
  hash_ = hash_grains(grains_);
}

void BodyGeometry::find_components() {
  MeshTopology topology = find_topology(triangles_);
  for (const MeshTopology::Part& part : topology.parts)
    components_.push_back({triangles_[static_cast<std::size_t>(part.first_triangle)].a, part.closed,
                           part.directed, part.first_triangle});
  for (const MeshTopology::Shell& shell : topology.shells) {
    shells_.push_back({shell.directed});
    first_of_shell_.push_back(shell.first_triangle);
  }
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    if (topology.triangle_shell[t] == MeshTopology::kOpen) open_.push_back(static_cast<int>(t));
  triangle_shell_ = std::move(topology.triangle_shell);
  vertices_ = std::move(topology.vertices);
  welded_ = std::move(topology.welded);
  weld_error_ = topology.weld_error;
  for (std::size_t i = 0; i < convexes_.size(); ++i) {
    const Convex& c = convexes_[i];
    const Vec3 point = c.kind == ConvexKind::hull ? c.points[0] : c.X_BS.p;
    components_.push_back({point, true, true, static_cast<int>(triangles_.size() + i)});
  }
  // A triangle fills less than half of all directions, two of them less than all.
  has_inside_ = !convexes_.empty() || !shells_.empty() || open_.size() > 2;
}

void BodyGeometry::measure() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  bounds_ = {Vec3{kInfinity, kInfinity, kInfinity}, Vec3{-kInfinity, -kInfinity, -kInfinity}};
  for (const Vec3& p : vertices_) extend(bounds_, p, p);
  for (const Convex& c : convexes_) extend(bounds_, c);
  max_coordinate_ = std::max({max_coordinate_, max_abs(bounds_[0]), max_abs(bounds_[1])});
  bounding_sphere_ = enclosing_sphere(vertices_, convexes_);
}

void BodyGeometry::build_boxes(BoxTreeShapes* shapes) {
  std::vector<Aabb> boxes, hold;
  boxes.reserve(static_cast<std::size_t>(num_pieces()));
  for (const Triangle& t : triangles_) boxes.push_back(box_of(t));
  hold = boxes;
  for (const Convex& c : convexes_) {
    boxes.push_back(box_of(c));
    const bool exact = c.kind == ConvexKind::hull;
    hold.push_back(exact ? boxes.back() : widened(boxes.back(), bound_slack(c)));
  }
  std::optional<BoxTreeShape> shape;
  if (shapes) shape = shapes->find(hash_);
  if (!shape || !is_valid(*shape, boxes.size())) {
    shape = choose_shape(boxes);
    if (shapes) shapes->store(hash_, *shape);
  }
  box_tree_ = build_box_tree(*std::move(shape), boxes, hold);
  add_points(box_tree_, triangles_);
}

MeshView BodyGeometry::mesh_view() const {
  // Welding rounds, and so do boxes: twice its error is enough for both.
  return {welded_.empty() ? triangles_ : welded_,
          triangle_shell_,
          shells_,
          open_,
          open_box_,
          box_tree_,
          2 * weld_error_,
          shell_boxes_};
}

void BodyGeometry::build_shells() {
  const MeshView mesh = mesh_view();
  std::vector<Aabb> boxes;
  for (const int first : first_of_shell_)
    boxes.push_back(box_of(mesh.triangles[static_cast<std::size_t>(first)]));
  for (std::size_t t = 0; t < triangle_shell_.size(); ++t)
    if (triangle_shell_[t] >= 0)
      extend(boxes[static_cast<std::size_t>(triangle_shell_[t])], box_of(mesh.triangles[t]));
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Aabb box = box_of(mesh.triangles[static_cast<std::size_t>(open_[i])]);
    if (i == 0) open_box_ = box;
    extend(open_box_, box);
  }
  if (boxes.empty()) return;
  shell_boxes_ = build_box_tree(boxes, boxes);
  if (boxes.size() > 1) weigh_shells(mesh, first_of_shell_, boxes, shells_);
}

const BvTree& BodyGeometry::build_tree() const {
  const std::lock_guard lock(tree_mutex_);
  if (!built_tree_.load(std::memory_order_relaxed)) {
    tree_ = grains_.empty() ? build_bv_tree(triangles_, convexes_) : bv_tree_over(box_tree_);
    built_tree_.store(&tree_, std::memory_order_release);
  }
  return tree_;
}

const std::vector<CoverBall>& BodyGeometry::make_balls() const {
  const std::lock_guard lock(balls_mutex_);
  if (!made_balls_.load(std::memory_order_relaxed)) {
    balls_ = cover_with_balls(*this);
    inner_balls_ = fill_with_balls(*this);
    outline_ = outline_of(*this);
    part_outlines_ = outlines_of_parts(*this);
    made_balls_.store(&balls_, std::memory_order_release);
  }
  return balls_;
}

double BodyGeometry::max_distance_to_line(const Vec3& point, const Vec3& unit_direction) const {
  double largest = 0;
  for (const Vec3& p : vertices_)
    largest = std::max(largest, distance_to_line(p, point, unit_direction));
  for (const Convex& c : convexes_)
    largest = std::max(largest, convex_distance_to_line(c, point, unit_direction));
  for (int i = 0; i < static_cast<int>(grains_.size()); ++i)
    largest = std::max(largest, convex_distance_to_line(grains_.convex(i), point, unit_direction));
  // Poses, differences and the cross product: fewer than 32 roundings of values below this sum.
  return largest + 0x1p-47 * (max_coordinate_ + max_abs(point));
}

bool BodyGeometry::shells_contain(const Vec3& p_B) const {
  if (!grains_.empty()) return false;
  return is_in_shells(p_B, mesh_view());
}

bool BodyGeometry::contains(const Vec3& p_B) const {
  for (int i = 0; i < 3; ++i)
    if (p_B[i] < bounds_[0][i] || p_B[i] > bounds_[1][i]) return false;
  if (!grains_.empty())
    return find_grain(box_tree_, Aabb{p_B, p_B},
                      [&](int i) { return grains_.convex(i).contains(p_B); }) >= 0;
  for (const Convex& c : convexes_)
    if (c.contains(p_B)) return true;
  return is_in_mesh(p_B, mesh_view());
}

}  // namespace proven
