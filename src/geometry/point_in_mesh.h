// Whether a point lies inside surfaces of triangles (docs/inside.md).
#pragma once

#include <span>
#include <vector>

#include "proven/geometry/body_geometry.h"

namespace proven {

struct MeshView {
  std::span<const Triangle> triangles;  // with welded corners
  std::span<const int> shell;           // of each triangle, as MeshTopology says
  std::span<const Shell> shells;
  std::span<const int> open;   // triangles of no shell
  const Aabb& open_box;        // around these
  const BoxTree& tree;         // over the triangles, and maybe other pieces after them
  double slack;                // how far triangles may stand out of the tree's boxes
  const BoxTree& shell_boxes;  // around each shell; no nodes: there are no shells
};

// True if p lies inside: the weights of the shells around it do not cancel, or the open triangles
// enclose it almost wholly. A ray along +z, exact signs; a ray that meets an edge or a vertex is
// resolved as if p were moved by an infinitely small (ε, ε²), so each crossing counts once. A point
// outside the boxes of all shells needs no ray, and only triangles in boxes that the ray meets are
// looked at; neither changes the answer.
bool is_in_mesh(const Vec3& p, const MeshView& mesh);
// The same by shells alone: as long as p meets no triangle, the answer does not change.
bool is_in_shells(const Vec3& p, const MeshView& mesh);

// Finds out which shells are cavities. `first` are their first triangles, `boxes` stand around
// them.
void weigh_shells(const MeshView& mesh, std::span<const int> first, std::span<const Aabb> boxes,
                  std::vector<Shell>& shells);

// The generalised winding number of triangles about p, and a bound on its error.
struct Winding {
  double number = 0, error = 0;
};
Winding winding_number(const Vec3& p, std::span<const Triangle> triangles,
                       std::span<const int> which);

}  // namespace proven
