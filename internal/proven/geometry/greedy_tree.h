// GREEDY-DIST2: GREEDY-DIST that keeps the tree of node pairs it visited, with the bound of each.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "proven/geometry/distance.h"

namespace proven {

struct GreedyNode {
  int node_a, node_b;  // of the bodies' trees
  double eta;          // lower bound on the distance of the pieces below; 0 if not proved positive
  std::array<int, 2> children = {-1, -1};  // indices into the tree; -1 for a leaf

  bool is_leaf() const { return children[0] < 0; }
};

struct GreedyTree {
  std::vector<GreedyNode> nodes;  // nodes[0] is the root
};
using GreedyTreePtr = std::shared_ptr<const GreedyTree>;

// The tree below (node_a, node_b). Every eta is a bound for the exact bodies: what is measured less
// rounding_bound. If anything below is not proved farther apart than `threshold`, the root's eta is
// 0.
GreedyTreePtr build_greedy_tree(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                                int node_a, int node_b, double threshold, double rounding_bound,
                                DistanceScratch& workspace);

// One node pair with a known bound.
GreedyTreePtr leaf_tree(int node_a, int node_b, double eta);

}  // namespace proven
