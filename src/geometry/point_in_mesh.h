// Whether a point lies inside a closed surface of triangles.
#pragma once

#include <span>

#include "proven/geometry/body_geometry.h"

namespace proven {

// `component[t]` is the component of triangle t. True if p lies inside any closed component:
// winding number not zero where oriented, crossings odd otherwise. A ray along +z, exact signs; a
// ray that meets an edge or a vertex is resolved as if p were moved by an infinitely small (ε, ε²),
// so each crossing counts once.
bool is_in_mesh(const Vec3& p, std::span<const Triangle> triangles, std::span<const int> component,
                std::span<const Component> components);

}  // namespace proven
