// Whether a point lies inside a closed surface of triangles.
#pragma once

#include <span>

#include "proven/geometry/body_geometry.h"

namespace proven {

struct MeshView {
  std::span<const Triangle> triangles;
  std::span<const int> component;  // of each triangle
  std::span<const Component> components;
  const BoxTree& tree;             // over the triangles, and maybe other pieces after them
  const BoxTree& component_boxes;  // around each closed component; no nodes: nothing is closed
};

// True if p lies inside any closed component: winding number not zero where oriented, crossings odd
// otherwise. A ray along +z, exact signs; a ray that meets an edge or a vertex is resolved as if p
// were moved by an infinitely small (ε, ε²), so each crossing counts once. A point outside the
// boxes of all closed components needs no ray, and only triangles in boxes that the ray meets are
// looked at; neither changes the answer.
bool is_in_mesh(const Vec3& p, const MeshView& mesh);

}  // namespace proven
