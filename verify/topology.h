// Chapter 9: surfaces of triangles that have an inside (docs/inside.md).
#pragma once

#include <array>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::verifier {

struct Body;

struct Shell {
  int first = 0;         // of its triangles
  bool directed = true;  // every edge is used as often in one direction as in the other
  int weight = 1;        // -1: a cavity
};

inline constexpr int kNoShell = -1;  // of a triangle without area, or one that is there already
inline constexpr int kOpen = -2;

struct Topology {
  std::vector<int> components;  // a piece of each: parts of triangles first, then convex pieces
  std::vector<int> shell;       // of each triangle; else kNoShell or kOpen
  std::vector<Shell> shells;
  std::vector<int> open;                       // triangles of no shell
  std::vector<std::array<Vec3, 3>> triangles;  // corners as computed, welded
  double weld_error = 0;                       // no corner was moved farther
  double slack = 0;                            // welded corners lie so near to the exact triangle

  // Two triangles fill less than all directions around a point.
  bool may_hold() const { return !shells.empty() || open.size() > 2; }
};
Topology find_topology(const Body& body);

// Says which shells are cavities (solids.cpp).
void weigh_shells(const Body& body, Topology& topology);

}  // namespace proven::verifier
