// Chapter 3, continued: the pieces of bodies, and boxes that surely hold them.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "verify/motion.h"

namespace proven::verifier {
namespace {

using Mesh = std::shared_ptr<const TriangleMesh>;
using Hull = std::shared_ptr<const ConvexHull>;
using Cloud = std::shared_ptr<const PointCloud>;
using Voxels = std::shared_ptr<const VoxelSet>;

constexpr double kLargestLength = 1e6;

void require(bool holds, const Body& body, const char* what) {
  if (!holds) throw Rejected{body.name + ": " + what};
}

bool is_length(double x) {
  return x > 0 && x <= kLargestLength;
}

void require_points(const std::vector<Vec3>& points, const Body& body) {
  for (const Vec3& p : points)
    require(is_finite(p) && max_abs(p) <= kLargestLength, body,
            "a vertex is not finite, or too far");
}

void check_shape(const CollisionElement& element, const Body& body) {
  bool sized = true;
  if (const auto* box = std::get_if<Box>(&element.shape))
    sized = is_length(box->half_extents.x) && is_length(box->half_extents.y) &&
            is_length(box->half_extents.z);
  if (const auto* sphere = std::get_if<Sphere>(&element.shape)) sized = is_length(sphere->radius);
  if (const auto* c = std::get_if<Cylinder>(&element.shape))
    sized = is_length(c->radius) && is_length(c->half_length);
  if (const auto* c = std::get_if<Capsule>(&element.shape))
    sized = is_length(c->radius) && is_length(c->half_length);
  require(sized, body, "a size is not a positive length");
  if (const auto* hull = std::get_if<Hull>(&element.shape)) {
    require(*hull && !(*hull)->points.empty(), body, "a hull has no points");
    require_points((*hull)->points, body);
  }
  if (const auto* mesh = std::get_if<Mesh>(&element.shape)) {
    require(*mesh && !(*mesh)->triangles.empty(), body, "a mesh has no triangles");
    require_points((*mesh)->vertices, body);
    for (const auto& triangle : (*mesh)->triangles)
      for (const std::uint32_t index : triangle)
        require(index < (*mesh)->vertices.size(), body, "a triangle refers to no vertex");
  }
}

// Indices are coded by 21 bits.
void check_sensed(const CollisionElement& element, const Body& body) {
  if (const auto* cloud = std::get_if<Cloud>(&element.shape)) {
    require(*cloud && !(*cloud)->points.empty(), body, "a cloud has no points");
    require(is_length((*cloud)->radius), body, "a size is not a positive length");
    require_points((*cloud)->points, body);
    return;
  }
  const Voxels& voxels = std::get<Voxels>(element.shape);
  require(voxels && !voxels->cells.empty(), body, "a voxel set has no cells");
  require(is_length(voxels->size), body, "a size is not a positive length");
  for (const auto& cell : voxels->cells)
    for (const std::int32_t i : cell)
      require(i >= -(1 << 20) && i < 1 << 20 &&
                  std::max(std::fabs(double{1} * i), i + 1.0) * voxels->size <= kLargestLength,
              body, "a voxel is too far");
}

Box3 key_of_points(std::span<const Vec3> points, const Pose& X) {
  const Vec3 first = X * points[0];
  Box3 box{first, first};
  for (const Vec3& p : points) box = united(box, {X * p, X * p});
  return box;
}

Box3 bound_of_points(std::span<const Vec3> points, const GivenPose& X_BE) {
  Box3 box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (const Vec3& p : points) {
    const Vector<Interval> v = point_in_body<Interval>(X_BE, p);
    box = united(box, {{v.x.lo, v.y.lo, v.z.lo}, {v.x.hi, v.y.hi, v.z.hi}});
  }
  return box;
}

// Of a box, sphere, cylinder or capsule: half extents along the axes of the body.
template <class T>
Vector<T> extents(const Shape& shape, const Matrix<T>& R) {
  Vector<T> e;
  for (int i = 0; i < 3; ++i) {
    const Vector<T>& r = R.row[i];
    if (const auto* box = std::get_if<Box>(&shape)) {
      const Vec3& h = box->half_extents;
      e[i] = abs(r.x) * T(h.x) + abs(r.y) * T(h.y) + abs(r.z) * T(h.z);
    }
    if (const auto* sphere = std::get_if<Sphere>(&shape)) e[i] = sphere->radius;
    if (const auto* c = std::get_if<Capsule>(&shape))
      e[i] = abs(r.z) * T(c->half_length) + T(c->radius);
    if (const auto* c = std::get_if<Cylinder>(&shape))
      e[i] = T(c->radius) * sqrt(r.x * r.x + r.y * r.y) + abs(r.z) * T(c->half_length);
  }
  return e;
}

// The same formulas in plain doubles, for the shape of trees.
struct Plain {
  double x;
  Plain(double v = 0) : x(v) {}
};
Plain operator+(Plain a, Plain b) {
  return a.x + b.x;
}
Plain operator*(Plain a, Plain b) {
  return a.x * b.x;
}
Plain abs(Plain a) {
  return std::fabs(a.x);
}
Plain sqrt(Plain a) {
  return std::sqrt(a.x);
}

Box3 key_of_convex(const CollisionElement& element) {
  if (const auto* hull = std::get_if<Hull>(&element.shape))
    return key_of_points((*hull)->points, element.X_BS);
  const Mat3& m = element.X_BS.R;
  const auto e = extents<Plain>(
      element.shape, {{Vector<Plain>(m.row[0]), Vector<Plain>(m.row[1]), Vector<Plain>(m.row[2])}});
  const Vec3 half{e.x.x, e.y.x, e.z.x};
  return {element.X_BS.p - half, element.X_BS.p + half};
}

Box3 bound_of_convex(const CollisionElement& element, const GivenPose& X_BE) {
  if (const auto* hull = std::get_if<Hull>(&element.shape))
    return bound_of_points((*hull)->points, X_BE);
  const Vector<Interval> e = extents(element.shape, X_BE.quick.R.entries());
  const Vector<Interval> low = X_BE.quick.position() - e, high = X_BE.quick.position() + e;
  return {{low.x.lo, low.y.lo, low.z.lo}, {high.x.hi, high.y.hi, high.z.hi}};
}

}  // namespace

void require_rigid(const Pose& X, const std::string& what) {
  bool good = is_finite(X.p) && max_abs(X.p) <= kLargestLength;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      good = good && std::fabs(dot(X.R.column(i), X.R.column(j)) - (i == j)) <= 1e-6;
  if (!good || !(dot(X.R.row[0], cross(X.R.row[1], X.R.row[2])) > 0))
    throw Rejected{what + ": a pose is not a rotation and a translation"};
}

template <class T>
GrainSize<T> grain_of(const Body& body, const Piece& piece) {
  const auto i = static_cast<std::size_t>(piece.grain);
  const Shape& shape = body.element(piece).shape;
  if (const auto* cloud = std::get_if<Cloud>(&shape))
    return {Vector<T>((*cloud)->points[i]), Vector<T>(Vec3{})};
  const CellBox& box = body.cells[i];
  const T half_size = 0.5 * T(std::get<Voxels>(shape)->size);
  GrainSize<T> grain;
  for (int k = 0; k < 3; ++k) {
    const int first = box.first[static_cast<std::size_t>(k)];
    const int end = box.end[static_cast<std::size_t>(k)];
    grain.centre[k] = half_size * T(static_cast<double>(first + end));
    grain.half[k] = half_size * T(static_cast<double>(end - first));
  }
  return grain;
}
template GrainSize<Interval> grain_of(const Body&, const Piece&);
template GrainSize<Wide> grain_of(const Body&, const Piece&);

double grain_radius(const Body& body) {
  const auto* cloud = std::get_if<Cloud>(&(*body.elements)[0].shape);
  return cloud ? (*cloud)->radius : 0;
}

namespace {

// The points of a cloud that stands in the frame of its body, as most do: nothing is rounded there.
// Null for all else.
const std::vector<Vec3>* exact_points(const Body& body) {
  const auto* cloud = std::get_if<Cloud>(&(*body.elements)[0].shape);
  return cloud && body.X_BE[0].pose == Pose{} ? &(*cloud)->points : nullptr;
}

}  // namespace

template <class T>
Vector<T> centre_in_body(const Body& body, const Piece& piece) {
  const GivenPose& X_BE = body.pose_of(piece);
  const Vector<T> centre = grain_of<T>(body, piece).centre;
  return X_BE.pose == Pose{} ? centre : X_BE.as<T>() * centre;
}
template Vector<Interval> centre_in_body(const Body&, const Piece&);
template Vector<Wide> centre_in_body(const Body&, const Piece&);

template <class T>
Vector<T> point_in_body(const GivenPose& X_BE, const Vec3& v) {
  if (X_BE.pose == Pose{}) return Vector<T>(v);
  return X_BE.as<T>() * Vector<T>(v);
}
template Vector<Interval> point_in_body(const GivenPose&, const Vec3&);
template Vector<Wide> point_in_body(const GivenPose&, const Vec3&);

std::array<Vec3, 3> corners(const Body& body, const Piece& piece) {
  const TriangleMesh& mesh = *std::get<Mesh>(body.element(piece).shape);
  const auto& [i, j, k] = mesh.triangles[static_cast<std::size_t>(piece.triangle)];
  return {mesh.vertices[i], mesh.vertices[j], mesh.vertices[k]};
}

Vector<Interval> point_of(const Body& body, const Piece& piece) {
  if (piece.grain >= 0) return centre_in_body<Interval>(body, piece);
  Vec3 local;  // a primitive's own centre
  if (piece.triangle >= 0)
    local = corners(body, piece)[0];
  else if (const auto* hull = std::get_if<Hull>(&body.element(piece).shape))
    local = (*hull)->points[0];
  return point_in_body<Interval>(body.pose_of(piece), local);
}

void prepare_highest(Body& body) {
  const Box3& root = body.tree[0].box;
  body.size = farthest(root);
  const Ball<Interval> ball = ball_around<Interval>(body);
  body.ball = {approximate(ball.centre), ball.radius.hi};
  const auto near_point = [&](const GivenPose& X_BE, const Vec3& p) {
    const Vector<Interval> exact = point_in_body<Interval>(X_BE, p);
    body.piece_error = std::max(body.piece_error, norm(radius(exact)).hi);
    return approximate(exact);
  };
  const std::vector<Vec3>* points = exact_points(body);
  body.first_leaf.reserve(body.tree.size());
  body.items.reserve(body.pieces.size());
  body.corners.reserve(body.pieces.size());
  for (const BoxNode& node : body.tree) {
    body.first_leaf.push_back(static_cast<int>(body.items.size()));
    if (node.item < 0) continue;
    body.items.push_back(node.item);
    const Piece& piece = body.pieces[static_cast<std::size_t>(node.item)];
    std::array<Vec3, 3>& seen = body.corners.emplace_back();
    if (points) {
      seen = {(*points)[static_cast<std::size_t>(piece.grain)], {}, {}};
      continue;
    }
    if (piece.grain >= 0) {
      const Vector<Interval> centre = centre_in_body<Interval>(body, piece);
      const Vector<Interval> half = grain_of<Interval>(body, piece).half;
      body.piece_error =
          std::max(body.piece_error, kUp * (norm(radius(centre)).hi + norm(radius(half)).hi));
      seen = {approximate(centre), approximate(half), {}};
      continue;
    }
    if (piece.triangle < 0) continue;
    const std::array<Vec3, 3> given = corners(body, piece);
    for (std::size_t k = 0; k < 3; ++k) seen[k] = near_point(body.pose_of(piece), given[k]);
  }
  if (body.sensed()) {  // half extents are turned as well
    body.piece_error = kUp * (body.piece_error + body.X_BE[0].quick.R.rho * body.size);
    return;
  }
  body.hulls.resize(body.elements->size());
  for (std::size_t i = 0; i < body.elements->size(); ++i) {
    const Shape& shape = (*body.elements)[i].shape;
    if (std::holds_alternative<Mesh>(shape)) continue;
    if (const auto* hull = std::get_if<Hull>(&shape)) {
      for (const Vec3& p : (*hull)->points) body.hulls[i].push_back(near_point(body.X_BE[i], p));
      continue;
    }
    // A shape of which no point is farther than `size` from its own centre.
    const Placement<Interval>& X_BE = body.X_BE[i].quick;
    body.piece_error = std::max(body.piece_error, kUp * (X_BE.R.rho * body.size + X_BE.eps));
  }
}

namespace {

Box3 united_all(std::span<const Box3> boxes) {
  Box3 all = boxes[0];
  for (const Box3& box : boxes) all = united(all, box);
  return all;
}

// In round-to-nearest, as the format says.
Box3 key_of_grain(const Body& body, const Piece& piece) {
  const CollisionElement& element = body.element(piece);
  const auto i = static_cast<std::size_t>(piece.grain);
  if (const auto* cloud = std::get_if<Cloud>(&element.shape)) {
    const double r = (*cloud)->radius;
    const Vec3 p = element.X_BS * (*cloud)->points[i];
    return {p - Vec3{r, r, r}, p + Vec3{r, r, r}};
  }
  const CellBox& box = body.cells[i];
  const double size = std::get<Voxels>(element.shape)->size;
  Box3 local;
  for (int k = 0; k < 3; ++k) {
    local.lo[k] = box.first[static_cast<std::size_t>(k)] * size;
    local.hi[k] = box.end[static_cast<std::size_t>(k)] * size;
  }
  return moved_key(local, element.X_BS);
}

// Exactly placed.
Box3 bound_of_ball(const Vec3& p, const Interval& r) {
  Box3 box;
  for (int i = 0; i < 3; ++i) {
    box.lo[i] = (p[i] - r).lo;
    box.hi[i] = (p[i] + r).hi;
  }
  return box;
}

Box3 bound_of_grain(const Body& body, const Piece& piece) {
  const GrainSize<Interval> grain = grain_of<Interval>(body, piece);
  const Interval r = grain_radius(body);
  const Vector<Interval> centre = centre_in_body<Interval>(body, piece);
  const Matrix<Interval> R = body.pose_of(piece).quick.R.entries();
  Box3 box;
  for (int i = 0; i < 3; ++i) {
    const Vector<Interval>& row = R.row[i];
    const Interval e =
        abs(row.x) * grain.half.x + abs(row.y) * grain.half.y + abs(row.z) * grain.half.z + r;
    box.lo[i] = (centre[i] - e).lo;
    box.hi[i] = (centre[i] + e).hi;
  }
  return box;
}

void build_sensed(Body& body) {
  const CollisionElement& element = (*body.elements)[0];
  require(body.elements->size() == 1, body, "a cloud or a voxel set is not alone");
  check_sensed(element, body);
  require_rigid(element.X_BS, body.name);
  body.X_BE.emplace_back(element.X_BS);
  std::vector<std::uint64_t> codes;
  if (const auto* cloud = std::get_if<Cloud>(&element.shape)) {
    codes = codes_of_points((*cloud)->points);
  } else {
    body.cells = boxes_of_cells(std::get<Voxels>(element.shape)->cells);
    codes = codes_of_boxes(body.cells);
  }
  require(codes.size() < (std::size_t{1} << 30), body, "too many pieces");
  const std::vector<Vec3>* points = exact_points(body);
  const Interval r = grain_radius(body);
  std::vector<Box3> bounds;
  bounds.reserve(codes.size());
  body.pieces.reserve(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    body.pieces.push_back({0, -1, static_cast<int>(i)});
    const Box3 key = key_of_grain(body, body.pieces[i]);
    body.key = i == 0 ? key : united(body.key, key);
    bounds.push_back(points ? bound_of_ball((*points)[i], r)
                            : bound_of_grain(body, body.pieces[i]));
  }
  body.tree = build_code_tree(codes, bounds);
}

void build_pieces(Body& body) {
  std::vector<Piece> convexes;
  for (std::size_t i = 0; i < body.elements->size(); ++i) {
    const CollisionElement& element = (*body.elements)[i];
    check_shape(element, body);
    require_rigid(element.X_BS, body.name);
    body.X_BE.emplace_back(element.X_BS);
    const auto* mesh = std::get_if<Mesh>(&element.shape);
    if (!mesh) convexes.push_back({static_cast<int>(i), -1});
    for (std::size_t t = 0; mesh && t < (*mesh)->triangles.size(); ++t)
      body.pieces.push_back({static_cast<int>(i), static_cast<int>(t)});
  }
  body.pieces.insert(body.pieces.end(), convexes.begin(), convexes.end());
  require(body.pieces.size() < (std::size_t{1} << 30), body, "too many pieces");
  std::vector<Box3> keys, bounds;
  for (const Piece& piece : body.pieces) {
    if (piece.triangle >= 0) {
      const auto triangle = corners(body, piece);
      keys.push_back(key_of_points(triangle, body.element(piece).X_BS));
      bounds.push_back(bound_of_points(triangle, body.pose_of(piece)));
    } else {
      keys.push_back(key_of_convex(body.element(piece)));
      bounds.push_back(bound_of_convex(body.element(piece), body.pose_of(piece)));
    }
  }
  body.tree = build_tree(keys, bounds);
  body.key = united_all(keys);
}

}  // namespace

namespace {

// Whether they are the same solid at the same place. What is shared is compared by its address: it
// is const, and alive in both scenes.
bool same_shape(const Shape& a, const Shape& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        using S = std::decay_t<decltype(x)>;
        const S& y = std::get<S>(b);
        if constexpr (std::is_same_v<S, Box>)
          return x.half_extents == y.half_extents;
        else if constexpr (std::is_same_v<S, Sphere>)
          return x.radius == y.radius;
        else if constexpr (std::is_same_v<S, Cylinder> || std::is_same_v<S, Capsule>)
          return x.radius == y.radius && x.half_length == y.half_length;
        else
          return x == y;
      },
      a);
}

bool same_element(const CollisionElement& a, const CollisionElement& b) {
  return a.X_BS == b.X_BS && same_shape(a.shape, b.shape);
}

}  // namespace

bool take_body(Body& from, Body& body) {
  if (from.pieces.empty() || !std::ranges::equal(*from.elements, *body.elements, same_element))
    return false;
  body.X_BE = std::move(from.X_BE);
  body.pieces = std::move(from.pieces);
  body.cells = std::move(from.cells);
  body.tree = std::move(from.tree);
  body.key = from.key;
  body.topology = std::move(from.topology);
  body.ball = from.ball;
  body.size = from.size;
  body.first_leaf = std::move(from.first_leaf);
  body.items = std::move(from.items);
  body.corners = std::move(from.corners);
  body.hulls = std::move(from.hulls);
  body.component_points = std::move(from.component_points);
  body.piece_error = from.piece_error;
  from.pieces.clear();  // taken once
  return true;
}

void build_body(Body& body) {
  require(!body.elements->empty(), body, "a body has no shape");
  bool sensed = false;
  for (const CollisionElement& element : *body.elements)
    sensed = sensed || is_sensed(element.shape);
  if (sensed)
    build_sensed(body);
  else
    build_pieces(body);
  prepare_highest(body);
  body.topology = find_topology(body);
  if (const std::vector<Vec3>* points = exact_points(body))
    body.component_points = *points;  // grains are components in their order
  else
    for (const int piece : body.topology.components)
      body.component_points.push_back(
          approximate(point_of(body, body.pieces[static_cast<std::size_t>(piece)])));
  weigh_shells(body, body.topology);
}

}  // namespace proven::verifier
