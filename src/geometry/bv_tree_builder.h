// Builds the tree of bounding volumes over the pieces of one body.
#pragma once

#include <span>

#include "proven/geometry/box_tree.h"
#include "proven/geometry/bv_tree.h"
#include "proven/geometry/convex.h"
#include "proven/geometry/shapes.h"

namespace proven {

// Pieces are numbered as in BodyGeometry: triangles first, then convexes; at least one piece, all
// finite. The result depends on the input alone. O(n log n) splits; each costs the pieces below.
BvTree build_bv_tree(std::span<const Triangle> triangles, std::span<const Convex> convexes);

// Volumes over the nodes of another tree, whose boxes hold balls of its `point_radius`, or boxes:
// not as tight, but there at once.
BvTree bv_tree_over(const BoxTree& boxes);

}  // namespace proven
