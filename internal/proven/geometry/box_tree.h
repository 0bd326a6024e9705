// Binary trees of boxes that are aligned with the axes of one frame: all nodes of two bodies share
// the same few separating axes, so that one node test is a short run of multiply-adds.
//
// The shape of a tree is part of the certificate format (docs/certificate_format.md, section 3):
// the same pieces give the same tree everywhere.
#pragma once

#include <span>
#include <vector>

#include "proven/base/large_array.h"
#include "proven/base/vec3.h"
#include "proven/geometry/convex.h"
#include "proven/geometry/shapes.h"

namespace proven {

struct BoxNode {
  Vec3 centre, half;     // holds every item below: centre - half <= x <= centre + half exactly
  int first_child = -1;  // children are first_child and first_child + 1; -1 for a leaf
  int item = -1;         // leaf: the index of its item
  int first_item = 0, end_item = 0;  // the items below: a range of BoxTree::order
  // Small nodes over triangles alone: their vertices, over balls alone: their centres, a range of
  // BoxTree::points; else empty.
  int first_point = 0, num_points = 0;

  int num_items() const { return end_item - first_item; }
  bool is_leaf() const { return first_child < 0; }
};

struct BoxTree {
  LargeArray<BoxNode> nodes;  // nodes[0] is the root
  std::vector<int> order;     // items from left to right
  LargeArray<Vec3> points;    // of small nodes
  double point_radius = 0;    // small nodes hold balls of this radius around their points
  Aabb bounds;                // around the boxes that gave the tree its shape
};

// All that takes long to find: what stands where. Bounds follow from it and from the items.
struct BoxTreeShape {
  std::vector<int> order;   // items from left to right: a permutation
  std::vector<int> splits;  // per inner node, in the order of nodes: items of its first child

  friend bool operator==(const BoxTreeShape&, const BoxTreeShape&) = default;
};

// As the format says; at least one box, all finite.
BoxTreeShape choose_shape(std::span<const Aabb> boxes);
// Whether it is the shape of a tree over so many items, and as balanced as the format asks.
bool is_valid(const BoxTreeShape& shape, std::size_t num_items);
BoxTreeShape shape_of(const BoxTree& tree);

// The tree of that shape, which must be valid. The nodes hold the boxes of `hold`, which may be
// wider than `boxes`: they must surely hold the items.
BoxTree build_box_tree(BoxTreeShape shape, std::span<const Aabb> boxes, std::span<const Aabb> hold);
// The tree of the format.
BoxTree build_box_tree(std::span<const Aabb> boxes, std::span<const Aabb> hold);

// Nodes with at most this many pieces are known by their pieces rather than by their box
// (docs/certificate_format.md, section 5).
inline constexpr int kSmallNode = 16;

// Gives small nodes the vertices of their triangles. Items are the triangles, then other pieces.
void add_points(BoxTree& tree, std::span<const Triangle> triangles);

// The boxes that the format gives to pieces.
Aabb box_of(const Triangle& triangle);
Aabb box_of(const Convex& piece);
// Of a box with a pose: `box` in its own frame B, the result in A.
Aabb box_of(const Aabb& box, const Pose& X_AB);

// Makes the box hold the other one too.
void extend(Aabb& box, const Aabb& other);
// The box widened by `slack` to every side.
Aabb widened(const Aabb& box, double slack);

}  // namespace proven
