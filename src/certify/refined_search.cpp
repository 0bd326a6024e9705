// REFINED-ADAPTIVE-BISECTION (paper 001, section VI): the rule of the classic checker per pair of
// bounding volumes. What is proved for two volumes is never looked at again.
//
// A cell is an interval and a pair of tree nodes, with the trees of node pairs that GREEDY-DIST
// visited below them at both ends. The rule is tried from the top of the intersection of both trees
// down; each leaf of it that stays uncovered is split in time.
#include <algorithm>

#include "bisection_search.h"
#include "node_motion.h"
#include "proven/geometry/greedy_tree.h"

namespace proven {
namespace {

// A node pair at one end of a cell.
struct CellEnd {
  double t;
  GreedyTreePtr tree;
  int index;  // of the node pair in the tree

  const GreedyNode& node() const { return tree->nodes[static_cast<std::size_t>(index)]; }
};

struct Cell {
  double urgency;  // uncovered length
  int pair;
  int patience;
  CellEnd begin, end;
};

class RefinedSearch : public BisectionSearch {
 public:
  RefinedSearch(const SearchContext& context, const SegmentMotion& motion, KnownConfiguration& from,
                KnownConfiguration& to)
      : BisectionSearch(context, motion, from, to),
        node_rates_(context.model, motion),
        from_(from),
        to_(to) {}

  bool open() const override { return !collision_ && (!started_ || !cells_.empty()); }
  double urgency() const override {
    return started_ ? cells_.front().urgency : std::numeric_limits<double>::infinity();
  }

  void step(Scratch::State& scratch) override {
    if (!started_) return start(scratch);
    std::pop_heap(cells_.begin(), cells_.end(), comes_later);
    const Cell cell = std::move(cells_.back());
    cells_.pop_back();
    ++num_cells_;
    test(cell.pair, cell.patience, cell.begin, cell.end, scratch);
  }

 private:
  static bool comes_later(const Cell& x, const Cell& y) {
    if (x.urgency != y.urgency) return x.urgency < y.urgency;
    if (x.begin.t != y.begin.t) return x.begin.t > y.begin.t;
    if (x.pair != y.pair) return x.pair > y.pair;
    const GreedyNode &a = x.begin.node(), &b = y.begin.node();
    return std::pair(a.node_a, a.node_b) > std::pair(b.node_a, b.node_b);
  }

  void add_whole(int pair, const Gap&, const Gap&) override {
    add({0, pair, kPatience, {0, from_.tree(pair), 0}, {1, to_.tree(pair), 0}});
  }

  // For the two nodes of the cell, whose own motion bounds may be smaller than the bodies'.
  double uncovered_length(int pair, const CellEnd& begin, const CellEnd& end) {
    const double rate = node_rates_.upper(pair, begin.node().node_a, begin.node().node_b);
    const double length = rate * (end.t - begin.t) * (1 + 0x1p-51);
    return uncovered(pair, length, begin.node().eta, end.node().eta);
  }

  void add(Cell cell) {
    cell.urgency = uncovered_length(cell.pair, cell.begin, cell.end);
    if (cell.urgency < 0) return;
    cells_.push_back(std::move(cell));
    std::push_heap(cells_.begin(), cells_.end(), comes_later);
  }

  // COLLISION-TEST on the intersection of the trees at both ends.
  void test(int pair, int patience, const CellEnd& begin, const CellEnd& end,
            Scratch::State& scratch) {
    if (uncovered_length(pair, begin, end) < 0) return;
    if (begin.node().is_leaf() || end.node().is_leaf())
      return split(pair, patience, begin, end, scratch);
    for (const std::size_t side : {0u, 1u}) {
      test(pair, patience, {begin.t, begin.tree, begin.node().children[side]},
           {end.t, end.tree, end.node().children[side]}, scratch);
      if (collision_) return;
    }
  }

  void split(int pair, int patience, const CellEnd& begin, const CellEnd& end,
             Scratch::State& scratch) {
    const double t = 0.5 * (begin.t + end.t);
    const PairAt at = pair_at(pair, t, scratch);
    const double resolution = context_.options.resolution;
    const double threshold = at.pair.clearance + resolution + at.pair.rounding_bound;
    const int node_a = begin.node().node_a, node_b = begin.node().node_b;
    CellEnd middle{t, nullptr, 0};
    Gap gap;
    if (at.pair.clearance >= 0) {
      middle.tree = build_greedy_tree(at.a, at.b, at.X_AB, node_a, node_b, threshold,
                                      at.pair.rounding_bound, scratch.distance);
      gap.lower = middle.node().eta;
    }
    if (gap.lower <= 0) {
      gap = measure_close_gap(at.pair, at.a, at.b, at.X_AB, resolution, scratch.distance);
      middle.tree = leaf_tree(node_a, node_b, gap.lower);
    }
    settle_outside(pair, at, gap);
    if (gap.kind == Gap::Kind::contact && found_contact(t, pair, gap)) return;
    if (gap.kind == Gap::Kind::close) --patience;
    const bool too_short = t - begin.t <= kMinWidth;
    for (Cell half :
         {Cell{0, pair, patience, begin, middle}, Cell{0, pair, patience, middle, end}}) {
      const bool covered = uncovered_length(pair, half.begin, half.end) < 0;
      if (!covered && (patience == 0 || too_short))
        give_up({half.begin.t, pair, gap,
                 too_short ? UndecidedReason::depth : UndecidedReason::gap_below_resolution, 0});
      else
        add(std::move(half));
    }
  }

  NodeRates node_rates_;
  KnownConfiguration& from_;
  KnownConfiguration& to_;
  std::vector<Cell> cells_;  // a heap
};

}  // namespace

std::unique_ptr<SegmentSearch> make_refined_search(const SearchContext& context,
                                                   const SegmentMotion& motion,
                                                   KnownConfiguration& from,
                                                   KnownConfiguration& to) {
  return std::make_unique<RefinedSearch>(context, motion, from, to);
}

}  // namespace proven
