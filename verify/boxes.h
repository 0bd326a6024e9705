// Chapter 4: trees of boxes. Their shape is fixed by section 3 of the certificate format; what the
// nodes hold is rounded outwards.
#pragma once

#include <span>
#include <vector>

#include "proven/base/vec3.h"

namespace proven::verifier {

struct Box3 {
  Vec3 lo, hi;
};

Box3 united(const Box3& a, const Box3& b);
// No point of the box is farther from the origin.
double farthest(const Box3& box);

struct BoxNode {
  Box3 box;                    // holds everything below
  int children[2] = {-1, -1};  // both or none
  int count = 1;               // of items below
  int item = -1;               // leaves only
};

// nodes[0] is the root.
using BoxTree = std::vector<BoxNode>;

// Adds the node over the items order[begin] to order[end - 1], and all below it. `split(begin,
// end)` says where child 1 begins; it may order these items anew.
template <class Split>
int add_node(BoxTree& nodes, const std::vector<int>& order, std::span<const Box3> bounds,
             std::size_t begin, std::size_t end, const Split& split) {
  const int index = static_cast<int>(nodes.size());
  nodes.emplace_back();
  BoxNode node;
  node.count = static_cast<int>(end - begin);
  if (end - begin == 1) {
    node.item = order[begin];
    node.box = bounds[static_cast<std::size_t>(node.item)];
  } else {
    const std::size_t middle = split(begin, end);
    node.children[0] = add_node(nodes, order, bounds, begin, middle, split);
    node.children[1] = add_node(nodes, order, bounds, middle, end, split);
    node.box = united(nodes[static_cast<std::size_t>(node.children[0])].box,
                      nodes[static_cast<std::size_t>(node.children[1])].box);
  }
  nodes[static_cast<std::size_t>(index)] = node;
  return index;
}

// `keys` decide the shape; `bounds` surely hold the items. At least one item.
BoxTree build_tree(std::span<const Box3> keys, std::span<const Box3> bounds);

// The box around a box with the given half extents at a pose, in round-to-nearest.
Box3 key_of_box(const Vec3& half_extents, const Pose& X);
// The key of a box that stands somewhere as a whole.
Box3 moved_key(const Box3& box, const Pose& X);

}  // namespace proven::verifier
