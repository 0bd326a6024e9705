// Which triangles of a soup hang together, and which of these surfaces enclose something
// (docs/inside.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proven/geometry/shapes.h"

namespace proven {

// Parts are for points: triangles that share a corner with equal coordinates (-0 equals 0) belong
// to one part. Parts are numbered by their first triangle.
//
// Shells are for insides. Corners within a tolerance of each other are welded, unless everything is
// closed without that. Of triangles with the same three corners one counts at most, and triangles
// with an edge that no other uses are taken off until none is left. What hangs together by edges
// then is a shell if every edge is used an even number of times; it is directed if each is used as
// often in one direction as in the other. Shells are numbered by their first triangle.
struct MeshTopology {
  static constexpr int kNone = -1;  // of a triangle without area, or one that is there already
  static constexpr int kOpen = -2;  // of a triangle that belongs to no shell

  struct Part {
    int first_triangle = 0;
    bool closed = false;    // some of it belongs to shells, and nothing of it is open
    bool directed = false;  // closed, and so are all its shells
  };
  struct Shell {
    int first_triangle = 0;
    bool directed = false;
  };
  std::vector<Vec3> vertices;      // with different coordinates, in order of first use
  std::vector<int> triangle_part;  // one per triangle
  std::vector<Part> parts;
  std::vector<int> triangle_shell;  // one per triangle: the shell, kNone or kOpen
  std::vector<Shell> shells;
  std::vector<Triangle> welded;  // all triangles with welded corners; empty if no corner moved
  double weld_error = 0;         // at least the way of the corner that moved farthest

  bool has_open() const;
};

MeshTopology find_topology(std::span<const Triangle> triangles);

}  // namespace proven
