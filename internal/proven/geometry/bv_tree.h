// Binary trees of bounding volumes: oriented boxes (OBB) and rectangle-swept spheres (RSS) on the
// same nodes, built as in Schwarzer, Saha, Latombe, "Adaptive Dynamic Collision Checking", III-B:
// principal directions, tightest rectangle, shrunk sides.
//
// Promised: each node's OBB and its RSS hold every piece below it (checked after the build, with a
// margin for rounding). Leaves hold exactly one piece.
#pragma once

#include <span>
#include <vector>

#include "proven/base/vec3.h"
#include "proven/geometry/shapes.h"

namespace proven {

struct BvNode {
  Mat3 R_BN;        // axes of the node in the body's frame (columns); shared by OBB and RSS
  Vec3 obb_centre;  // in B
  Vec3 obb_half;    // half extents along the node's axes
  Vec3 rss_centre;  // centre of the rectangle, in B
  double rss_half[2] = {0, 0};  // half sides of the rectangle along axes 0 and 1
  double rss_radius = 0;
  double size = 0;       // for choosing what to descend: diagonal of the OBB
  int first_child = -1;  // children are first_child and first_child + 1; -1 for a leaf
  int piece = -1;        // leaf: index of the piece in its body

  bool is_leaf() const { return first_child < 0; }
};

struct BvTree {
  std::vector<BvNode> nodes;  // nodes[0] is the root
};

}  // namespace proven
