#include "proven/geometry/distance.h"

#include <algorithm>
#include <limits>

#include "node_pair.h"

namespace proven {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool nodes_overlap(const NodePair& pair, int node_a, int node_b) {
  if (pair.are_leaves(node_a, node_b)) return pair.overlap(pair.pieces(node_a, node_b));
  if (pair.boxes_apart(node_a, node_b)) return false;
  return !pair.for_children(node_a, node_b,
                            [&](int a, int b) { return !nodes_overlap(pair, a, b); });
}

// Not above `threshold` unless every piece below the nodes is farther than that.
double greedy_lower(const NodePair& pair, int node_a, int node_b, double threshold) {
  if (pair.are_leaves(node_a, node_b)) {
    return pair.distance_of(pair.pieces(node_a, node_b)).distance_lower;
  }
  const double lower = pair.rss_lower(node_a, node_b);
  if (lower > threshold) return lower;
  double smallest = kInfinity;
  const bool all_above = pair.for_children(node_a, node_b, [&](int a, int b) {
    smallest = std::min(smallest, greedy_lower(pair, a, b, threshold));
    return smallest > threshold;
  });
  return all_above ? smallest : 0;
}

// EXACT-DIST: pairs of nodes wait in a heap, nearest first. A pair of leaves waits as well: its
// triangle test costs several box tests and is rarely needed.
class ExactSearch {
 public:
  ExactSearch(const NodePair& pair, DistanceScratch& workspace)
      : pair_(pair), queue_(workspace.queue) {
    queue_.clear();
  }

  void try_pieces(std::array<int, 2> pieces) {
    const PieceDistance found = pair_.distance_of(pieces);
    lower_ = std::min(lower_, found.distance_lower);
    if (nearest_.pieces[0] >= 0 && !(found.distance < nearest_.distance)) return;
    nearest_.distance = found.distance;
    nearest_.points = {found.point_a, found.point_b};
    nearest_.pieces = pieces;
  }

  ExactDistance run() {
    if (pair_.are_leaves(0, 0)) {
      try_pieces(pair_.pieces(0, 0));
    } else {
      add(0, 0);
    }
    while (!queue_.empty() && is_useful(queue_.front().distance_lower)) {
      std::pop_heap(queue_.begin(), queue_.end(), comes_later);
      const Entry next = queue_.back();
      queue_.pop_back();
      if (pair_.are_leaves(next.node_a, next.node_b)) {
        try_pieces(pair_.pieces(next.node_a, next.node_b));
      } else {
        pair_.for_children(next.node_a, next.node_b, [this](int a, int b) {
          add(a, b);
          return true;
        });
      }
    }
    // Pieces that were measured are bounded by their own bounds, the others by what dropped them.
    nearest_.distance_lower = std::min(lower_, nearest_.distance);
    return nearest_;
  }

 private:
  using Entry = DistanceScratch::Entry;

  // Whether pieces at this distance or more could be nearer than the nearest so far.
  bool is_useful(double lower) const { return nearest_.pieces[0] < 0 || lower < nearest_.distance; }

  // Of equals, such as all pairs that overlap, the deeper comes first: it reaches pieces sooner.
  static bool comes_later(const Entry& x, const Entry& y) {
    if (x.distance_lower != y.distance_lower) return x.distance_lower > y.distance_lower;
    return x.node_a + x.node_b < y.node_a + y.node_b;
  }

  void add(int node_a, int node_b) {
    const double lower = pair_.rss_lower(node_a, node_b);
    if (!is_useful(lower)) return;
    queue_.push_back({lower, node_a, node_b});
    std::push_heap(queue_.begin(), queue_.end(), comes_later);
  }

  const NodePair& pair_;
  std::vector<Entry>& queue_;
  double lower_ = kInfinity;  // smallest proved distance of the pieces measured
  ExactDistance nearest_;
};

// APPROX-DIST: depth first, the nearer child first, so that some triangles are soon found. Only
// pieces nearer than `bound` are of interest, which every find sets below its own distance.
class ApproximateSearch {
 public:
  ApproximateSearch(const NodePair& pair, double relative_error)
      : pair_(pair), kept_share_(1 - relative_error) {}

  double run() {
    visit(0, 0);
    return std::min(bound_, lower_);
  }

 private:
  struct Child {
    int node_a, node_b;
    double lower;
  };

  void visit(int node_a, int node_b) {
    if (pair_.are_leaves(node_a, node_b)) {
      const PieceDistance found = pair_.distance_of(pair_.pieces(node_a, node_b));
      lower_ = std::min(lower_, found.distance_lower);
      if (found.distance < bound_) bound_ = kept_share_ * found.distance;
      return;
    }
    std::array<Child, 2> children;
    std::size_t count = 0;
    pair_.for_children(node_a, node_b, [&](int a, int b) {
      children[count++] = {a, b, pair_.rss_lower(a, b)};
      return true;
    });
    if (children[1].lower < children[0].lower) std::swap(children[0], children[1]);
    for (const Child& child : children) {
      if (child.lower < bound_) visit(child.node_a, child.node_b);
    }
  }

  const NodePair& pair_;
  double kept_share_;
  double bound_ = kInfinity;
  double lower_ = kInfinity;  // smallest proved distance of the pieces measured
};

}  // namespace

bool bodies_overlap(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                    DistanceScratch& workspace) {
  return nodes_overlap(NodePair(a, b, X_AB, workspace.counts), 0, 0);
}

double greedy_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                       double threshold, DistanceScratch& workspace) {
  const double lower = greedy_lower(NodePair(a, b, X_AB, workspace.counts), 0, 0, threshold);
  return lower > threshold ? lower : 0;
}

ExactDistance exact_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                             std::array<int, 2> cached_pieces, DistanceScratch& workspace) {
  const NodePair pair(a, b, X_AB, workspace.counts);
  ExactSearch search(pair, workspace);
  if (cached_pieces[0] >= 0 && cached_pieces[1] >= 0) search.try_pieces(cached_pieces);
  return search.run();
}

double approximate_distance(const BodyGeometry& a, const BodyGeometry& b, const Pose& X_AB,
                            double relative_error, DistanceScratch& workspace) {
  const NodePair pair(a, b, X_AB, workspace.counts);
  return ApproximateSearch(pair, relative_error).run();
}

}  // namespace proven
