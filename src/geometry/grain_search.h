// Grains whose boxes meet a box.
#pragma once

#include <cmath>
#include <vector>

#include "proven/geometry/box_tree.h"

namespace proven {

// The first grain below whose box of the tree meets `box`, and for which the test holds; -1: none.
template <class Test>
int find_grain(const BoxTree& tree, const Aabb& box, const Test& test) {
  const Vec3 centre = 0.5 * (box.lo + box.hi), half = 0.5 * (box.hi - box.lo);
  // The centre, its difference and the sum of the halves are rounded.
  const double slack = 0x1p-48 * (max_abs(box.lo) + max_abs(box.hi) + max_abs(tree.bounds.lo) +
                                  max_abs(tree.bounds.hi));
  std::vector<int> open = {0};
  while (!open.empty()) {
    const BoxNode& node = tree.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    const Vec3 between = node.centre - centre, reach = node.half + half;
    if (std::fabs(between.x) > reach.x + slack || std::fabs(between.y) > reach.y + slack ||
        std::fabs(between.z) > reach.z + slack)
      continue;
    if (!node.is_leaf()) {
      open.push_back(node.first_child);
      open.push_back(node.first_child + 1);
    } else if (test(node.item)) {
      return node.item;
    }
  }
  return -1;
}

}  // namespace proven
