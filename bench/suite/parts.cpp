#include "bench/suite/parts.h"

namespace proven::bench {
namespace {

std::shared_ptr<const TriangleMesh> box_mesh(const Vec3& half) {
  auto mesh = std::make_shared<TriangleMesh>();
  for (int i = 0; i < 8; ++i)
    mesh->vertices.push_back(
        {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  mesh->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

}  // namespace

CollisionElement box(Style style, const Vec3& half, const Pose& X) {
  if (style == Style::solid) return {Box{half}, X, ""};
  return {box_mesh(half), X, ""};
}

CollisionElement hanging_capsule(double radius, double length) {
  return {Capsule{radius, length / 2}, at(0, 0, -length / 2), ""};
}

CollisionElement hanging_needle(double length) {
  auto mesh = std::make_shared<TriangleMesh>();
  const double top = -length / 4, r = length / 40;
  mesh->vertices = {{0, 0, -length}, {r, 0, top}, {-r / 2, r, top}, {-r / 2, -r, top}};
  mesh->triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}};
  return {std::shared_ptr<const TriangleMesh>(mesh), Pose{}, ""};
}

Pose at(double x, double y, double z) {
  return Pose::translation({x, y, z});
}

}  // namespace proven::bench
