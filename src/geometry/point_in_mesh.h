// Whether a point lies inside a closed surface of triangles.
#pragma once

#include <span>

#include "proven/geometry/body_geometry.h"

namespace proven {

struct MeshView {
  std::span<const Triangle> triangles;
  std::span<const int> component;  // of each triangle
  std::span<const Component> components;
  const BvTree& tree;  // over the triangles, and maybe other pieces after them
};

// True if p lies inside any closed component: winding number not zero where oriented, crossings odd
// otherwise. A ray along +z, exact signs; a ray that meets an edge or a vertex is resolved as if p
// were moved by an infinitely small (ε, ε²), so each crossing counts once. Only triangles below
// volumes that the ray may meet are looked at; this does not change the answer.
bool is_in_mesh(const Vec3& p, const MeshView& mesh);

}  // namespace proven
