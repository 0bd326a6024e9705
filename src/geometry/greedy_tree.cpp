#include "proven/geometry/greedy_tree.h"

#include <algorithm>

#include "node_pair.h"

namespace proven {
namespace {

class GreedyTreeBuilder {
 public:
  GreedyTreeBuilder(const NodePair& pair, double threshold, double rounding_bound, GreedyTree& tree)
      : pair_(pair), threshold_(threshold), rounding_bound_(rounding_bound), tree_(tree) {}

  // Index of the new node.
  int add(int node_a, int node_b) {
    const int index = static_cast<int>(tree_.nodes.size());
    tree_.nodes.push_back({node_a, node_b, 0, {-1, -1}});
    const bool leaves = pair_.are_leaves(node_a, node_b);
    const double lower = leaves ? pair_.distance_of(pair_.pieces(node_a, node_b)).distance_lower
                                : pair_.rss_lower(node_a, node_b);
    if (lower > threshold_)
      at(index).eta = lower - rounding_bound_;
    else if (!leaves)
      descend(index, node_a, node_b);
    return index;
  }

 private:
  GreedyNode& at(int index) { return tree_.nodes[static_cast<std::size_t>(index)]; }

  // Stops at the first child that is not proved far enough: the node then stays a leaf with eta 0.
  void descend(int index, int node_a, int node_b) {
    std::array<int, 2> children = {-1, -1};
    std::size_t count = 0;
    double eta = std::numeric_limits<double>::infinity();
    pair_.for_children(node_a, node_b, [&](int a, int b) {
      children[count] = add(a, b);
      eta = std::min(eta, at(children[count++]).eta);
      return eta > 0;
    });
    if (count < 2 || eta <= 0) return;
    at(index).eta = eta;
    at(index).children = children;
  }

  const NodePair& pair_;
  double threshold_, rounding_bound_;
  GreedyTree& tree_;
};

}  // namespace

GreedyTreePtr build_greedy_tree(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                                int node_a, int node_b, double threshold, double rounding_bound,
                                DistanceScratch& workspace) {
  auto tree = std::make_shared<GreedyTree>();
  const NodePair pair(a, b, X_AB, workspace.counts);
  GreedyTreeBuilder(pair, threshold, rounding_bound, *tree).add(node_a, node_b);
  return tree;
}

GreedyTreePtr leaf_tree(int node_a, int node_b, double eta) {
  auto tree = std::make_shared<GreedyTree>();
  tree->nodes.push_back({node_a, node_b, eta, {-1, -1}});
  return tree;
}

}  // namespace proven
