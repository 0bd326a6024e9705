// The methods of Schwesinger, Siegwart, Furgale, "Fast collision detection through bounding volume
// hierarchies in workspace-time space", as references beside ours. They are kept as they are
// described, with what they miss: poses between samples, and turns that leave the hull of two
// poses. The paper's brute force stands here too.
#pragma once

#include <span>
#include <vector>

#include "proven/spacetime/check.h"

namespace proven::spacetime {

// Our checks of this workspace test every pair of boxes, without the tree above them.
void force_brute_force(TrafficScratch& workspace, bool on);

enum class PaperMethod {
  multiple_interference,  // every pose against every obstacle's pose of the same time
  isolated,           // every pose against a tree of all obstacles' poses, stop at the first hit
  tree_against_tree,  // a tree of the candidate's poses against it
};

enum class PaperLeaf {
  pose,  // each sample, with the temporal extent
  hull,  // the convex hull of two consecutive samples (section III.D), with the temporal extent
};

struct PaperOptions {
  PaperLeaf leaf = PaperLeaf::pose;
  // Half of the extent in time that every object gets; the least time gap between trajectories is
  // twice this. With 0, poses meet only at equal times: unequal time steps miss everything.
  double temporal_extent = 0;
};

// One axis-aligned box in (x, y, t) and what it holds.
struct PaperItem {
  double low[3], high[3];
  int object = 0, index = 0;  // sample, or first sample of a hull
};

// A binary tree over items, split at the median of the longest side.
class PaperTree {
 public:
  explicit PaperTree(std::vector<PaperItem> items);

  // Calls test(item) for items whose boxes meet `box` until it returns true; true if it did.
  template <class Test>
  bool any(const PaperItem& box, Test&& test) const;
  template <class Test>
  static bool any_pair(const PaperTree& a, const PaperTree& b, Test&& test);

 private:
  struct Node {
    double low[3], high[3];
    int left = -1, right = -1, item = -1;
  };
  int build(std::span<PaperItem> items, int offset);
  static bool meet(const double* low_a, const double* high_a, const double* low_b,
                   const double* high_b);
  static bool meet(const Node& a, const Node& b) { return meet(a.low, a.high, b.low, b.high); }
  template <class Test>
  static bool any_pair(const PaperTree& a, int i, const PaperTree& b, int j, Test& test);

  std::vector<PaperItem> items_;
  std::vector<Node> nodes_;
};

// Moving and standing obstacles; sets are not treated.
class PaperScene {
 public:
  PaperScene(const std::vector<Obstacle>& obstacles, const PaperOptions& options);

  bool collides(const Footprint& footprint, const Trajectory& candidate, PaperMethod method) const;
  const PaperTree& tree() const { return tree_; }

  // The tree of a candidate, for tree_against_tree with precomputed trees.
  PaperTree candidate_tree(const Footprint& footprint, const Trajectory& candidate) const;
  bool collides(const Footprint& footprint, const Trajectory& candidate,
                const PaperTree& candidate_tree) const;

 private:
  bool touch(const Footprint& footprint, const Trajectory& candidate, int index, int object,
             int other) const;

  const std::vector<Obstacle>& obstacles_;
  PaperOptions options_;
  std::vector<Trajectory> motions_;
  PaperTree tree_;
};

inline bool PaperTree::meet(const double* low_a, const double* high_a, const double* low_b,
                            const double* high_b) {
  return low_a[0] <= high_b[0] && low_b[0] <= high_a[0] && low_a[1] <= high_b[1] &&
         low_b[1] <= high_a[1] && low_a[2] <= high_b[2] && low_b[2] <= high_a[2];
}

template <class Test>
bool PaperTree::any(const PaperItem& box, Test&& test) const {
  if (nodes_.empty()) return false;
  int stack[64], size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Node& node = nodes_[static_cast<std::size_t>(stack[--size])];
    if (!meet(node.low, node.high, box.low, box.high)) continue;
    if (node.item >= 0) {
      if (test(items_[static_cast<std::size_t>(node.item)])) return true;
      continue;
    }
    stack[size++] = node.right;
    stack[size++] = node.left;
  }
  return false;
}

template <class Test>
bool PaperTree::any_pair(const PaperTree& a, int i, const PaperTree& b, int j, Test& test) {
  const Node &p = a.nodes_[static_cast<std::size_t>(i)], &q = b.nodes_[static_cast<std::size_t>(j)];
  if (!meet(p, q)) return false;
  if (p.item >= 0 && q.item >= 0)
    return test(a.items_[static_cast<std::size_t>(p.item)],
                b.items_[static_cast<std::size_t>(q.item)]);
  const auto size = [](const Node& n) {
    return (n.high[0] - n.low[0]) + (n.high[1] - n.low[1]) + (n.high[2] - n.low[2]);
  };
  if (q.item >= 0 || (p.item < 0 && size(p) > size(q)))
    return any_pair(a, p.left, b, j, test) || any_pair(a, p.right, b, j, test);
  return any_pair(a, i, b, q.left, test) || any_pair(a, i, b, q.right, test);
}

template <class Test>
bool PaperTree::any_pair(const PaperTree& a, const PaperTree& b, Test&& test) {
  return !a.nodes_.empty() && !b.nodes_.empty() && any_pair(a, 0, b, 0, test);
}

}  // namespace proven::spacetime
