// Two bodies at a pose as pairs of tree nodes: what every search over two trees is made of.
#pragma once

#include "obb.h"
#include "pieces.h"
#include "proven/geometry/distance.h"
#include "rss.h"

namespace proven {

// Two bodies at a pose, seen as pairs of nodes of their trees.
class NodePair {
 public:
  NodePair(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB, QueryCounts& counts)
      : a_(a),
        b_(b),
        pose_(BvPairPose::make(X_AB, a.max_coordinate(), b.max_coordinate())),
        counts_(counts) {}

  // Descends the larger node; a leaf has no children, so the other one goes.
  template <class Visit>  // Visit(node_a, node_b) -> bool: whether to go on
  bool for_children(int node_a, int node_b, Visit visit) const {
    const BvNode &a = node_of(a_, node_a), &b = node_of(b_, node_b);
    if (b.is_leaf() || (!a.is_leaf() && a.size >= b.size)) {
      return visit(a.first_child, node_b) && visit(a.first_child + 1, node_b);
    }
    return visit(node_a, b.first_child) && visit(node_a, b.first_child + 1);
  }

  bool are_leaves(int node_a, int node_b) const {
    return node_of(a_, node_a).is_leaf() && node_of(b_, node_b).is_leaf();
  }
  std::array<int, 2> pieces(int node_a, int node_b) const {
    return {node_of(a_, node_a).piece, node_of(b_, node_b).piece};
  }

  bool boxes_apart(int node_a, int node_b) const {
    ++counts_.box_tests;
    return obbs_apart(node_of(a_, node_a), node_of(b_, node_b), pose_);
  }
  double rss_lower(int node_a, int node_b) const {
    ++counts_.box_tests;
    return rss_distance_lower(node_of(a_, node_a), node_of(b_, node_b), pose_);
  }
  PieceDistance distance_of(std::array<int, 2> pieces) const {
    ++counts_.triangle_tests;
    PieceDistance found = piece_distance(a_, pieces[0], b_, pieces[1], pose_.X_AB);
    if (!(found.distance_lower > 0)) found.distance_lower = 0;  // NaN proves nothing
    return found;
  }
  bool overlap(std::array<int, 2> pieces) const {
    ++counts_.triangle_tests;
    return pieces_overlap(a_, pieces[0], b_, pieces[1], pose_.X_AB);
  }

  const BodyGeometry& body_a() const { return a_; }
  const BodyGeometry& body_b() const { return b_; }
  const Pose& X_AB() const { return pose_.X_AB; }

 private:
  static const BvNode& node_of(const BodyGeometry& body, int node) {
    return body.tree().nodes[static_cast<std::size_t>(node)];
  }

  const BodyGeometry& a_;
  const BodyGeometry& b_;
  BvPairPose pose_;
  QueryCounts& counts_;
};

}  // namespace proven
