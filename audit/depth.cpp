#include "audit/depth.h"

#include <algorithm>
#include <cmath>

#include "proven/geometry/body_geometry.h"
#include "proven/kinematics/interpolation.h"

namespace proven::audit {
namespace {

// Moments of the segment that are looked at, besides the witness's own.
constexpr int kMoments = 16;

// How deep a point in the shape's frame lies in it; negative outside. Nothing for shapes that are
// no primitives.
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

// Points of the body, in its frame.
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
  void operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    for (const Vec3& p : mesh->vertices) add(p);
  }
  void operator()(const std::shared_ptr<const PointCloud>& cloud) const {
    for (const Vec3& p : cloud->points) add(p);
  }
  void operator()(const std::shared_ptr<const VoxelSet>&) const {}
};

std::vector<Vec3> points_of(const BodyGeometry& body) {
  std::vector<Vec3> points;
  for (const CollisionElement& element : body.elements())
    std::visit(PointsOfShape{element.X_BS, points}, element.shape);
  return points;
}

double deepest(const std::vector<Vec3>& points, const BodyGeometry& in, const Pose& X_BA) {
  double depth = 0;
  for (const CollisionElement& element : in.elements()) {
    const Pose X_SA = inverse(element.X_BS) * X_BA;
    for (const Vec3& point : points) {
      const Vec3 p = X_SA * point;
      depth = std::max(depth, std::visit(DepthInShape{p}, element.shape));
    }
  }
  return depth;
}

}  // namespace

std::optional<double> depth_of(const Scene& scene, const Motion& motion, const Witness& witness) {
  // What moves by the clock is elsewhere at other times than the configuration says.
  if (witness.bodies[0] < 0 || !scene.timed().empty() || witness.kind == ContactKind::too_close)
    return std::nullopt;
  const BodyGeometry* bodies[2];
  std::vector<Vec3> points[2];
  for (std::size_t i = 0; i < 2; ++i) {
    bodies[i] = scene.body(witness.bodies[i]).geometry.get();
    points[i] = points_of(*bodies[i]);
  }
  const MotionPiece piece = motion.piece(witness.segment);
  std::vector<double> q(witness.configuration);
  double depth = 0;
  for (int i = -1; i <= kMoments; ++i) {
    if (i >= 0) interpolate(scene.tree(), piece, static_cast<double>(i) / kMoments, q);
    const Pose X_WA = scene.body_pose(witness.bodies[0], q);
    const Pose X_WB = scene.body_pose(witness.bodies[1], q);
    depth = std::max({depth, deepest(points[0], *bodies[1], inverse(X_WB) * X_WA),
                      deepest(points[1], *bodies[0], inverse(X_WA) * X_WB)});
  }
  if (!(depth > 0)) return std::nullopt;
  return depth;
}

}  // namespace proven::audit
