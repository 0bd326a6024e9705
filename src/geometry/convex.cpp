#include "proven/geometry/convex.h"

#include "convex_support.h"
#include "gjk.h"
#include "proven/base/elementary.h"

namespace proven {

Vec3 Convex::core_support(const Vec3& n) const {
  return proven::core_support<double>(*this, n).rounded();
}

bool Convex::contains(const Vec3& p_B) const {
  if (kind == ConvexKind::hull) return hull_contains(*this, p_B);
  const Vec3 p = transpose_times(X_BS.R, p_B - X_BS.p);
  const Vec3 outside{std::fmax(std::fabs(p.x) - half_extents.x, 0),
                     std::fmax(std::fabs(p.y) - half_extents.y, 0),
                     std::fmax(std::fabs(p.z) - half_extents.z, 0)};
  if (kind == ConvexKind::cylinder)
    return hypotenuse(p.x, p.y) <= half_extents.x && std::fabs(p.z) <= half_extents.z;
  return norm(outside) <= radius;
}

namespace {

struct ConvexMaker {
  Convex piece;

  void operator()(const Box& box) {
    piece.kind = ConvexKind::box;
    piece.half_extents = box.half_extents;
  }
  void operator()(const Sphere& sphere) {
    piece.kind = ConvexKind::sphere;
    piece.radius = sphere.radius;
  }
  void operator()(const Cylinder& cylinder) {
    piece.kind = ConvexKind::cylinder;
    piece.half_extents = {cylinder.radius, cylinder.radius, cylinder.half_length};
  }
  void operator()(const Capsule& capsule) {
    piece.kind = ConvexKind::capsule;
    piece.half_extents = {0, 0, capsule.half_length};
    piece.radius = capsule.radius;
  }
  void operator()(const std::shared_ptr<const ConvexHull>& hull) {
    piece.kind = ConvexKind::hull;
    for (const Vec3& p : hull->points) piece.points.push_back(piece.X_BS * p);
  }
  // Of these several pieces are made, elsewhere.
  void operator()(const std::shared_ptr<const TriangleMesh>&) {}
  void operator()(const std::shared_ptr<const PointCloud>&) {}
  void operator()(const std::shared_ptr<const VoxelSet>&) {}
};

}  // namespace

Convex make_convex(const Shape& shape, const Pose& X_BS) {
  ConvexMaker maker;
  maker.piece.X_BS = X_BS;
  std::visit(maker, shape);
  return maker.piece;
}

}  // namespace proven
