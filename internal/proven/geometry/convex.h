// A solid convex piece in its body's frame, known through its exact support function.
#pragma once

#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

enum class ConvexKind { box, sphere, cylinder, capsule, hull };

// Every piece is a core dilated by `radius`: sphere = point, capsule = segment; the others have
// radius 0. Fields are in the body's frame B.
struct Convex {
  ConvexKind kind = ConvexKind::sphere;
  Pose X_BS;                 // the piece's own frame; cylinder and capsule axis is z
  Vec3 half_extents;         // box: half extents; cylinder: (r, r, half_length); capsule: (0, 0, h)
  double radius = 0;         // dilation of the core
  std::vector<Vec3> points;  // hull: its points in B

  // Support point of the core in direction n (any length, in B); h(n) = n·support + radius |n|.
  Vec3 core_support(const Vec3& n) const;
  // max over the piece of n·x, for any n.
  double support(const Vec3& n) const { return dot(n, core_support(n)) + radius * norm(n); }
  // Whether the point (in B) is in the solid; points within rounding of the surface go either way.
  bool contains(const Vec3& p_B) const;
};

// The piece that a shape at a pose makes: any shape but a mesh, a cloud and a voxel set.
Convex make_convex(const Shape& shape, const Pose& X_BS);

}  // namespace proven
