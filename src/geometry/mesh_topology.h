// Which triangles of a soup hang together, and which of these surfaces enclose something.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

// Vertices with equal coordinates are welded (-0 equals 0); triangles that share a welded vertex
// belong to one component. Components are numbered by their first triangle.
//
// closed: every edge is used an even number of times by the component's triangles. Then parity
// along any ray tells inside from outside. Triangles with two equal vertices have no edges of their
// own and are left out; a component of such triangles alone is not closed.
// oriented: every edge is used as often in one direction as in the other. Then the winding number
// is well defined. Oriented implies closed.
struct MeshTopology {
  struct Part {
    int first_triangle = 0;
    bool closed = false;
    bool oriented = false;
  };
  std::vector<Vec3> vertices;           // welded, in order of first use
  std::vector<int> triangle_component;  // one per triangle
  std::vector<Part> components;
};

MeshTopology find_topology(std::span<const Triangle> triangles);

}  // namespace proven
