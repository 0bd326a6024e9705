#include "audit/depth.h"

#include <algorithm>
#include <cmath>

#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"
#include "proven/kinematics/poses.h"

namespace proven::audit {
namespace {

// Moments of the segment that are looked at, besides the witness's own.
constexpr int kMoments = 16;

// How deep a point in the shape's frame lies in it; negative outside, and for shapes that are no
// primitives. Depths of two points differ by no more than the points are apart.
struct DepthInShape {
  const Vec3& p;

  double operator()(const Box& box) const {
    double depth = box.half_extents.x - std::fabs(p.x);
    for (int i = 1; i < 3; ++i) depth = std::min(depth, box.half_extents[i] - std::fabs(p[i]));
    return depth;
  }
  double operator()(const Sphere& sphere) const { return sphere.radius - norm(p); }
  double operator()(const Cylinder& cylinder) const {
    return std::min(cylinder.radius - std::hypot(p.x, p.y), cylinder.half_length - std::fabs(p.z));
  }
  double operator()(const Capsule& capsule) const {
    const double z = std::clamp(p.z, -capsule.half_length, capsule.half_length);
    return capsule.radius - norm(p - Vec3{0, 0, z});
  }
  template <class Other>
  double operator()(const std::shared_ptr<const Other>&) const {
    return -1;
  }
};

bool is_primitive(const Shape& shape) {
  return std::holds_alternative<Box>(shape) || std::holds_alternative<Sphere>(shape) ||
         std::holds_alternative<Cylinder>(shape) || std::holds_alternative<Capsule>(shape);
}

// Points of the body, in its frame, but for corners of triangles.
struct PointsOfShape {
  const Pose& X_BS;
  std::vector<Vec3>& points;

  void add(const Vec3& p) const { points.push_back(X_BS * p); }
  void operator()(const Box& box) const {
    const Vec3& h = box.half_extents;
    add({});
    for (int i = 0; i < 8; ++i)
      add({(i & 1 ? 1 : -1) * h.x, (i & 2 ? 1 : -1) * h.y, (i & 4 ? 1 : -1) * h.z});
  }
  void operator()(const Sphere&) const { add({}); }
  void operator()(const Cylinder& cylinder) const { add_along(cylinder.half_length); }
  void operator()(const Capsule& capsule) const { add_along(capsule.half_length); }
  void add_along(double half_length) const {
    for (int i = -4; i <= 4; ++i) add({0, 0, half_length * i / 4});
  }
  void operator()(const std::shared_ptr<const ConvexHull>& hull) const {
    for (const Vec3& p : hull->points) add(p);
  }
  void operator()(const std::shared_ptr<const TriangleMesh>&) const {}
  void operator()(const std::shared_ptr<const PointCloud>& cloud) const {
    for (const Vec3& p : cloud->points) add(p);
  }
  void operator()(const std::shared_ptr<const VoxelSet>&) const {}
};

struct BodyPoints {
  const BodyGeometry& body;
  std::vector<Vec3> points;

  explicit BodyPoints(const BodyGeometry& of) : body(of) {
    for (const CollisionElement& element : of.elements())
      std::visit(PointsOfShape{element.X_BS, points}, element.shape);
  }
};

// The depth of the deepest corner of a triangle, where it is more than `depth`. A box whose centre
// lies less deep than that by half its diagonal has none.
double deepest_corner(const BodyGeometry& body, const Shape& shape, const Pose& X_SA,
                      double depth) {
  if (body.triangles().empty()) return depth;
  const auto depth_at = [&](const Vec3& p_A) {
    const Vec3 p = X_SA * p_A;
    return std::visit(DepthInShape{p}, shape);
  };
  const BoxTree& tree = body.box_tree();
  std::vector<int> waiting{0};
  while (!waiting.empty()) {
    const BoxNode& node = tree.nodes[static_cast<std::size_t>(waiting.back())];
    waiting.pop_back();
    if (depth_at(node.centre) + norm(node.half) <= depth) continue;
    if (!node.is_leaf()) {
      waiting.push_back(node.first_child + 1);
      waiting.push_back(node.first_child);
    } else if (body.is_triangle(node.item)) {
      const Triangle& triangle = body.triangles()[static_cast<std::size_t>(node.item)];
      for (const Vec3& corner : {triangle.a, triangle.b, triangle.c})
        depth = std::max(depth, depth_at(corner));
    }
  }
  return depth;
}

double deepest(const BodyPoints& of, const BodyGeometry& in, const Pose& X_BA, double depth) {
  for (const CollisionElement& element : in.elements()) {
    if (!is_primitive(element.shape)) continue;
    const Pose X_SA = inverse(element.X_BS) * X_BA;
    for (const Vec3& point : of.points) {
      const Vec3 p = X_SA * point;
      depth = std::max(depth, std::visit(DepthInShape{p}, element.shape));
    }
    depth = deepest_corner(of.body, element.shape, X_SA, depth);
  }
  return depth;
}

}  // namespace

std::optional<double> depth_of(const Scene& scene, const Motion& motion, const Witness& witness) {
  // What moves by the clock is elsewhere at other times than the configuration says.
  if (witness.bodies[0] < 0 || !scene.timed().empty() || witness.kind == ContactKind::too_close)
    return std::nullopt;
  const BodyPoints a(*scene.body(witness.bodies[0]).geometry),
      b(*scene.body(witness.bodies[1]).geometry);
  const MotionPiece piece = motion.piece(witness.segment);
  std::vector<double> q(witness.configuration);
  LinkPoses poses;
  double depth = 0;
  for (int i = -1; i <= kMoments; ++i) {
    if (i >= 0) interpolate(scene.tree(), piece, static_cast<double>(i) / kMoments, q);
    compute_poses(scene.tree(), q, poses);
    const Pose X_WA = scene.body_pose(witness.bodies[0], poses);
    const Pose X_WB = scene.body_pose(witness.bodies[1], poses);
    depth = deepest(a, b.body, inverse(X_WB) * X_WA, depth);
    depth = deepest(b, a.body, inverse(X_WA) * X_WB, depth);
  }
  if (!(depth > 0)) return std::nullopt;
  return depth;
}

}  // namespace proven::audit
