// The shapes a body is made of. Plain data; metres; every shape is centred on its own frame S.
//
// Primitives and hulls are solid and exact: they are never tessellated (a cylinder inscribed in the
// true one would be unsound). A mesh is a surface; a closed mesh bounds a solid (see
// body_geometry.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "proven/base/vec3.h"

namespace proven {

struct Box {
  Vec3 half_extents;  // files state full extents
};
struct Sphere {
  double radius = 0;
};
// Axis z, from -half_length to +half_length.
struct Cylinder {
  double radius = 0, half_length = 0;
};
// The points within `radius` of the segment from -half_length to +half_length on z.
struct Capsule {
  double radius = 0, half_length = 0;
};
// The convex hull of the points; interior points are allowed.
struct ConvexHull {
  std::vector<Vec3> points;
};
struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // indices into vertices
};

// What a range sensor saw: a ball of the same radius around each point. A cloud, or a voxel set, is
// the only shape of its body.
struct PointCloud {
  std::vector<Vec3> points;
  double radius = 0;
};
// Cubes of a grid: cell (i, j, k) is the product of [i, i + 1], [j, j + 1] and [k, k + 1], times
// `size`. Indices are from -2^20 to 2^20 - 1; a cell that stands twice counts once.
struct VoxelSet {
  double size = 0;
  std::vector<std::array<std::int32_t, 3>> cells;
};

using Shape = std::variant<Box, Sphere, Cylinder, Capsule, std::shared_ptr<const ConvexHull>,
                           std::shared_ptr<const TriangleMesh>, std::shared_ptr<const PointCloud>,
                           std::shared_ptr<const VoxelSet>>;

// Whether a sensor saw it: a cloud or a voxel set.
inline bool is_sensed(const Shape& shape) {
  return std::holds_alternative<std::shared_ptr<const PointCloud>>(shape) ||
         std::holds_alternative<std::shared_ptr<const VoxelSet>>(shape);
}

// A shape at a pose in its body's frame B.
struct CollisionElement {
  Shape shape;
  Pose X_BS;
  std::string source;  // where it came from, for messages ("meshes/link_1.stl"); may be empty
};

struct Triangle {
  Vec3 a, b, c;
};

struct Aabb {
  Vec3 lo, hi;
};

struct BoundingSphere {
  Vec3 centre;
  double radius = 0;
};

}  // namespace proven
